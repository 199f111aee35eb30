// A value that is put together over many calls: a heap with its writer, between two calls of the host.
#include "api/c/handles.h"
#include "api/value_access.h"

struct ptcvm_writer {
  std::unique_ptr<ptcvm::Value::Impl> value;
  std::unique_ptr<ptcvm::ValueWriter::Impl> writer;   // into the value: goes first

  void begin() {
    writer.reset();
    value = std::make_unique<ptcvm::Value::Impl>();
    writer = std::make_unique<ptcvm::ValueWriter::Impl>(value->heap);
  }
};

namespace ptcvm::c {
namespace {

template <class F>
ptcvm_status written(ptcvm_writer* writer, F&& write) noexcept {
  return guarded(nullptr, [&] { write(the(writer).writer->writer); });
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;
using ptcvm::ValueWriter;

ptcvm_status ptcvm_writer_new(ptcvm_writer** out, ptcvm_error** error) {
  return c::guarded(out, error, [] {
    auto made = std::make_unique<ptcvm_writer>();
    made->begin();
    return made;
  });
}
void ptcvm_writer_free(ptcvm_writer* writer) { delete writer; }

ptcvm_status ptcvm_writer_nil(ptcvm_writer* writer) {
  return c::written(writer, [](ValueWriter& out) { out.nil(); });
}
ptcvm_status ptcvm_writer_bool(ptcvm_writer* writer, int32_t value) {
  return c::written(writer, [&](ValueWriter& out) { out.boolean(value != 0); });
}
ptcvm_status ptcvm_writer_int(ptcvm_writer* writer, int64_t value) {
  return c::written(writer, [&](ValueWriter& out) { out.integer(value); });
}
ptcvm_status ptcvm_writer_double(ptcvm_writer* writer, double value) {
  return c::written(writer, [&](ValueWriter& out) { out.real(value); });
}
ptcvm_status ptcvm_writer_string(ptcvm_writer* writer, ptcvm_text utf8) {
  return c::written(writer, [&](ValueWriter& out) { out.string(c::text_in(utf8)); });
}
ptcvm_status ptcvm_writer_keyword(ptcvm_writer* writer, ptcvm_text name) {
  return c::written(writer, [&](ValueWriter& out) { out.keyword(c::text_in(name)); });
}
ptcvm_status ptcvm_writer_copy(ptcvm_writer* writer, ptcvm_view view) {
  return c::written(writer, [&](ValueWriter& out) { out.copy(c::view_in(view)); });
}

ptcvm_status ptcvm_writer_begin(ptcvm_writer* writer, int32_t kind) {
  return c::written(writer, [&](ValueWriter& out) {
    switch (kind) {
      case PTCVM_VECTOR: out.begin_vector(); break;
      case PTCVM_MAP: out.begin_map(); break;
      case PTCVM_SET: out.begin_set(); break;
      default: c::require(false, "no kind of collection");
    }
  });
}
ptcvm_status ptcvm_writer_end(ptcvm_writer* writer) {
  return c::written(writer, [](ValueWriter& out) { out.end(); });
}

ptcvm_status ptcvm_writer_finish(ptcvm_writer* writer, ptcvm_value** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    ptcvm_writer& from = c::the(writer);
    from.value->root = from.writer->finish();
    from.writer.reset();
    std::unique_ptr<ptcvm_value> made(new ptcvm_value{ptcvm::ValueAccess::made(std::move(from.value))});
    from.begin();
    return made;
  });
}
