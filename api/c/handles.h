// What lies behind the handles of the C API, and the wall between its functions and exceptions.
//
// Inside of a function failures are thrown: Misuse for a mistake of the caller, Failure for an error of the library.
// The wall is guarded(), which turns both into a status and an error. Nothing but guarded() and quietly() may be the
// body of a function that can throw.
#pragma once
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ptcvm/diagnostic.hpp"
#include "ptcvm/engine.hpp"
#include "ptcvm/call_stack.h"
#include "ptcvm/ptcvm.h"
#include "ptcvm/result.hpp"
#include "ptcvm/store.hpp"
#include "ptcvm/value.hpp"

struct ptcvm_error {
  ptcvm_status status = PTCVM_INTERNAL;
  std::string message;
  std::optional<ptcvm::Diagnostic> diagnostic;
  std::string_view detail = {};
};
struct ptcvm_buffer {
  std::string text;
  bool is_secret = false;   // the text is zeroed when it is freed
  ~ptcvm_buffer();
};
struct ptcvm_texts {
  std::vector<std::string> texts;
};
struct ptcvm_value {
  ptcvm::Value value;
};
struct ptcvm_engine {
  ptcvm::Engine engine;
};
struct ptcvm_program {
  ptcvm::Program program;
};
struct ptcvm_store {
  ptcvm::Store store;
};

namespace ptcvm::c {

struct Misuse {
  const char* message;
};
struct Failure {
  Error error;
};

inline void require(bool holds, const char* otherwise) {
  if (!holds) throw Misuse{otherwise};
}
template <class T>
T& the(T* handle) {
  require(handle != nullptr, "a handle is NULL");
  return *handle;
}
template <class T>
T taken(Result<T> result) {
  if (!result) throw Failure{std::move(result).error()};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Names the exception, inside of its handler, as a status and, where wanted, as an error. Throws nothing.
ptcvm_status status_of_exception(ptcvm_error** error) noexcept;

template <class F>
ptcvm_status guarded(ptcvm_error** error, F&& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    body();
    return PTCVM_OK;
  } catch (...) {
    return status_of_exception(error);
  }
}
// For functions that make something: *out is NULL unless all went well.
template <class T, class F>
ptcvm_status guarded(T** out, ptcvm_error** error, F&& body) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(error, [&] {
    require(out != nullptr, "the place for the result is NULL");
    std::unique_ptr<T> made = body();
    *out = made.release();
  });
}
// For functions that return no status.
template <class T, class F>
T quietly(T otherwise, F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return otherwise;
  }
}

inline std::string_view text_in(ptcvm_text text) {
  require(text.data != nullptr || text.size == 0, "a text has a length and no data");
  require(text.size <= PTRDIFF_MAX, "a text is longer than memory");
  return {text.data, text.size};
}
inline std::string string_in(ptcvm_text text) { return std::string(text_in(text)); }
inline ptcvm_text text_out(std::string_view text) { return {text.data(), text.size()}; }
inline std::span<const std::byte> bytes_in(ptcvm_text bytes) { return std::as_bytes(std::span(text_in(bytes))); }
inline Value json_in(ptcvm_text text) { return taken(Value::from_json(text_in(text))); }
inline Value edn_in(ptcvm_text text) { return taken(Value::from_edn(text_in(text))); }
std::unique_ptr<ptcvm_buffer> buffer_of(std::string text);
std::unique_ptr<ptcvm_buffer> buffer_of(std::span<const std::byte> bytes);
std::unique_ptr<ptcvm_texts> texts_of(std::vector<std::string> texts);

// Returns an element of a list that a _count function has taken.
template <class T>
const T& at(const std::vector<T>& seen, std::size_t index) {
  require(index < seen.size(), "there are not that many: call the function that counts them first");
  return seen[index];
}

static_assert(sizeof(ptcvm_view) == sizeof(ValueView) && std::is_trivially_copyable_v<ValueView>);
inline ValueView view_in(ptcvm_view view) {
  ValueView out;
  std::memcpy(static_cast<void*>(&out), &view, sizeof view);
  return out;
}
inline ptcvm_view view_out(const ValueView& view) {
  ptcvm_view out;
  std::memcpy(&out, static_cast<const void*>(&view), sizeof out);
  return out;
}

// Structs with a size: what is missing stays as it is in `out`, what is unknown must be 0. They have no padding, in
// which a later version could not tell a new member from what happened to lie there.
constexpr std::size_t kMostStructBytes = 4'096;   // a larger struct_size was never set
void read_struct(void* out, std::size_t known, const void* given);
void write_struct(void* given, const void* from, std::size_t known);
template <class T>
T options_in(const T* given, T defaults = {}) {
  static_assert(std::has_unique_object_representations_v<T>);
  if (given != nullptr) read_struct(&defaults, sizeof(T), given);
  return defaults;
}
template <class T>
void struct_out(T* given, const T& from) {
  static_assert(std::has_unique_object_representations_v<T>);
  write_struct(&the(given), &from, sizeof(T));
}
void diagnostic_out(ptcvm_diagnostic* given, const Diagnostic& from);
// Returns 1, or 0 when the stack is shorter.
int32_t call_frame_out(const std::optional<Diagnostic>& from, std::size_t index, ptcvm_call_frame* given);

}  // namespace ptcvm::c
