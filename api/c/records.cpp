// Errors, buffers, lists of texts, structs with sizes.
#include <algorithm>
#include <new>

#include "api/c/handles.h"
#include "ptcvm/version.hpp"
#include "runtime/text/secret_text.h"

namespace ptcvm::c {
namespace {

static_assert(PTCVM_INVALID_PROGRAM == static_cast<int>(Errc::invalid_program) + 1);
static_assert(PTCVM_SEAL_REFUSED == static_cast<int>(Errc::seal_refused) + 1);
ptcvm_status status_of(Errc code) { return static_cast<ptcvm_status>(code) + 1; }

// An error for which there is no memory is left out: the status says it, too.
ptcvm_status told(ptcvm_error** error, ptcvm_status status, std::string_view message) noexcept {
  if (error != nullptr) {
    *error = quietly<ptcvm_error*>(nullptr, [&] { return new ptcvm_error{status, std::string(message), {}}; });
  }
  return status;
}

std::size_t size_of_struct(const void* given) {
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  require(size >= sizeof size && size <= kMostStructBytes, "struct_size is not set: use PTCVM_INIT()");
  return size;
}

}  // namespace

ptcvm_status status_of_exception(ptcvm_error** error) noexcept {
  try {
    throw;
  } catch (const Misuse& misuse) {
    return told(error, PTCVM_INVALID_ARGUMENT, misuse.message);
  } catch (Failure& failure) {
    const ptcvm_status status = status_of(failure.error.code);
    if (error != nullptr) {
      *error = quietly<ptcvm_error*>(nullptr, [&] {
        return new ptcvm_error{status, std::move(failure.error.message), std::move(failure.error.diagnostic),
                               failure.error.detail};
      });
    }
    return status;
  } catch (const std::bad_alloc&) {
    return told(error, PTCVM_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return told(error, PTCVM_INTERNAL, e.what());
  } catch (...) {
    return told(error, PTCVM_INTERNAL, "unknown exception");
  }
}

std::unique_ptr<ptcvm_buffer> buffer_of(std::string text) {
  return std::unique_ptr<ptcvm_buffer>(new ptcvm_buffer{std::move(text)});
}
std::unique_ptr<ptcvm_buffer> buffer_of(std::span<const std::byte> bytes) {
  return buffer_of(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}
std::unique_ptr<ptcvm_texts> texts_of(std::vector<std::string> texts) {
  return std::unique_ptr<ptcvm_texts>(new ptcvm_texts{std::move(texts)});
}

void read_struct(void* out, std::size_t known, const void* given) {
  const std::size_t size = size_of_struct(given);
  const auto* const bytes = static_cast<const unsigned char*>(given);
  const bool is_understood =
      size <= known || std::all_of(bytes + known, bytes + size, [](unsigned char byte) { return byte == 0; });
  require(is_understood, "a struct has members that this version of the library does not know");
  std::memcpy(out, given, std::min(size, known));
}

void write_struct(void* given, const void* from, std::size_t known) {
  const std::size_t size = size_of_struct(given);
  const std::size_t filled = std::min(size, known);
  auto* const bytes = static_cast<unsigned char*>(given);
  std::memcpy(bytes, from, filled);
  std::memset(bytes + filled, 0, size - filled);
  std::memcpy(bytes, &size, sizeof size);
}

void diagnostic_out(ptcvm_diagnostic* given, const Diagnostic& from) {
  ptcvm_diagnostic out = {};
  out.kind = text_out(from.kind);
  out.message = text_out(from.message);
  out.hint = text_out(from.hint);
  out.source_name = text_out(from.source_name);
  out.line = from.line;
  out.column = from.column;
  out.begin = from.begin;
  out.end = from.end;
  out.is_limit = from.is_limit;
  out.is_incomplete = from.is_incomplete;
  out.text = text_out(from.text);
  out.found = text_out(from.found);
  struct_out(given, out);
}

int32_t call_frame_out(const std::optional<Diagnostic>& from, std::size_t index, ptcvm_call_frame* given) {
  if (!from || index >= from->stack.size()) return 0;
  const CallFrame& frame = from->stack[index];
  ptcvm_call_frame out = {};
  out.kind = text_out(frame.kind);
  out.name = text_out(frame.name);
  out.source_name = text_out(frame.source_name);
  out.line = frame.line;
  out.column = frame.column;
  struct_out(given, out);
  return 1;
}

}  // namespace ptcvm::c

namespace c = ptcvm::c;

ptcvm_text ptcvm_version(void) { return c::text_out(ptcvm::version()); }
uint32_t ptcvm_abi_version(void) { return PTCVM_ABI_VERSION; }

ptcvm_text ptcvm_status_name(ptcvm_status status) {
  switch (status) {
    case PTCVM_OK: return c::text_out("ok");
    case PTCVM_INVALID_ARGUMENT: return c::text_out("invalid_argument");
    case PTCVM_OUT_OF_MEMORY: return c::text_out("out_of_memory");
    case PTCVM_INTERNAL: return c::text_out("internal");
    default: break;
  }
  if (status < PTCVM_INVALID_PROGRAM || status > PTCVM_SEAL_REFUSED) return {nullptr, 0};
  return c::text_out(ptcvm::errc_name(static_cast<ptcvm::Errc>(status - 1)));
}

ptcvm_status ptcvm_error_status(const ptcvm_error* error) { return error == nullptr ? PTCVM_OK : error->status; }
ptcvm_text ptcvm_error_detail(const ptcvm_error* error) { return c::text_out(error == nullptr ? "" : error->detail); }
ptcvm_text ptcvm_error_message(const ptcvm_error* error) {
  return error == nullptr ? ptcvm_text{nullptr, 0} : c::text_out(error->message);
}
int32_t ptcvm_error_diagnostic(const ptcvm_error* error, ptcvm_diagnostic* out) {
  return c::quietly(0, [&] {
    if (error == nullptr || !error->diagnostic) return 0;
    c::diagnostic_out(out, *error->diagnostic);
    return 1;
  });
}
void ptcvm_error_free(ptcvm_error* error) { delete error; }

ptcvm_buffer::~ptcvm_buffer() {
  if (is_secret) ptc::SecretText zeroed(std::move(text));
}
ptcvm_text ptcvm_buffer_text(const ptcvm_buffer* buffer) {
  return buffer == nullptr ? ptcvm_text{nullptr, 0} : c::text_out(buffer->text);
}
void ptcvm_buffer_free(ptcvm_buffer* buffer) { delete buffer; }

size_t ptcvm_texts_count(const ptcvm_texts* texts) { return texts == nullptr ? 0 : texts->texts.size(); }
ptcvm_text ptcvm_texts_at(const ptcvm_texts* texts, size_t index) {
  return index < ptcvm_texts_count(texts) ? c::text_out(texts->texts[index]) : ptcvm_text{nullptr, 0};
}
void ptcvm_texts_free(ptcvm_texts* texts) { delete texts; }
