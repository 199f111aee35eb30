// The store in SQLite for C. Part of the component: who has no SQLite links without_sqlite.cpp instead.
#include "api/c/handles.h"
#include "ptcvm/sqlite.hpp"

namespace c = ptcvm::c;

ptcvm_status ptcvm_store_open_sqlite(ptcvm_text path, const ptcvm_sqlite_options* options, ptcvm_store** out,
                                     ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const ptcvm_sqlite_options given = c::options_in(options);
    ptcvm::SqliteOptions wanted;
    if (given.is_grouped != 0) wanted.durability = ptcvm::Durability::Group;
    if (given.window_ms > 0) wanted.window = std::chrono::milliseconds(given.window_ms);
    if (given.busy_timeout_ms > 0) wanted.busy_timeout = std::chrono::milliseconds(given.busy_timeout_ms);
    const std::string name = c::string_in(path);
    c::require(name.find('\0') == std::string::npos, "a path has no zero bytes");
    return std::unique_ptr<ptcvm_store>(new ptcvm_store{c::taken(ptcvm::open_sqlite(name, wanted))});
  });
}
