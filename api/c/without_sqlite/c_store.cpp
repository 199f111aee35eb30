// What ptcvm_store_open_sqlite() is in a library that was built without SQLite.
#include "api/c/handles.h"

namespace c = ptcvm::c;

ptcvm_status ptcvm_store_open_sqlite(ptcvm_text, const ptcvm_sqlite_options*, ptcvm_store** out, ptcvm_error** error) {
  return c::guarded(out, error, []() -> std::unique_ptr<ptcvm_store> {
    throw c::Failure{{ptcvm::Errc::not_available, "this library was built without SQLite", {}}};
  });
}
