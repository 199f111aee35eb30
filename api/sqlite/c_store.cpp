// The store in SQLite for C. Part of the component: who has no SQLite links without_sqlite.cpp instead.
#include "api/c/handles.h"
#include "api/c/key_ring.h"
#include "ptcvm/sqlite.hpp"

namespace ptcvm::c {
namespace {

// Returns a copy, because the caller may change or free the ring while the store is open. The buffer zeroes the text.
std::shared_ptr<const KeyRing> copy_of(const ptcvm_key_ring& keys) {
  const std::unique_ptr<ptcvm_buffer> text = buffer_of(keys.ring.to_json());
  text->is_secret = true;
  return std::make_shared<const KeyRing>(taken(KeyRing::parse(text->text)));
}

// A ring that nobody gets to name a tenant for, and a tenant whose logs are not sealed, are mistakes that must show.
void read_seals(const ptcvm_sqlite_options& given, SqliteOptions& wanted) {
  if (given.keys == nullptr) {
    require(text_in(given.tenant).empty(), "a tenant is given without a key ring");
    return;
  }
  require(!text_in(given.tenant).empty(), "a store with a key ring needs a tenant");
  wanted.keys = copy_of(*given.keys);
  wanted.tenant = string_in(given.tenant);
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;

ptcvm_status ptcvm_store_open_sqlite(ptcvm_text path, const ptcvm_sqlite_options* options, ptcvm_store** out,
                                     ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const ptcvm_sqlite_options given = c::options_in(options);
    ptcvm::SqliteOptions wanted;
    if (given.is_grouped != 0) wanted.durability = ptcvm::Durability::Group;
    if (given.window_ms > 0) wanted.window = std::chrono::milliseconds(given.window_ms);
    if (given.busy_timeout_ms > 0) wanted.busy_timeout = std::chrono::milliseconds(given.busy_timeout_ms);
    c::read_seals(given, wanted);
    const std::string name = c::string_in(path);
    c::require(name.find('\0') == std::string::npos, "a path has no zero bytes");
    return std::unique_ptr<ptcvm_store>(new ptcvm_store{c::taken(ptcvm::open_sqlite(name, wanted))});
  });
}
