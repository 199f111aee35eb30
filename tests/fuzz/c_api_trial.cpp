// Calls functions of the C API by their types: each type of parameter knows what it can be given.
#include <cstring>
#include <type_traits>
#include <utility>

#include "fuzz/c_api_heap.h"
#include "fuzz/fuzz_target.h"

namespace ptc::fuzz {
namespace {

constexpr std::size_t kMostCalls = 48;

// An incomplete type is a handle; a struct has its members in the header.
template <class T, class = void>
inline constexpr bool kIsHandle = true;
template <class T>
inline constexpr bool kIsHandle<T, std::void_t<decltype(sizeof(T))>> = false;

// Options and outputs, all bytes of which are numbers, texts, handles or callbacks. Behind it is room for a
// struct_size that is too large.
template <class Struct>
struct Roomy {
  Struct value;
  std::array<unsigned char, 64> more;
};

template <class Struct>
void size(CHeap& heap, Roomy<Struct>& roomy) {
  std::memset(static_cast<void*>(&roomy), 0, sizeof roomy);
  constexpr std::size_t kSizes[] = {0, 1, sizeof(std::size_t), sizeof(Struct) - 1, sizeof(Struct) + 8};
  const std::size_t drawn = heap.script().below(32);
  roomy.value.struct_size = drawn < std::size(kSizes) ? kSizes[drawn] : sizeof(Struct);
}

// Gives a number at an edge in one of eight cases, else leaves the member 0.
template <class... Numbers>
void fill_numbers(CHeap& heap, Numbers&... numbers) {
  ((heap.script().one_in(8) ? void(numbers = heap.script().number<Numbers>()) : void()), ...);
}
template <class... Texts>
void fill_texts(CHeap& heap, Texts&... texts) {
  ((heap.script().one_in(4) ? void(texts = heap.text()) : void()), ...);
}

template <class Struct>
void fill(CHeap&, Struct&) {}      // outputs

void fill(CHeap& heap, ptcvm_engine_options& to) {
  fill_numbers(heap, to.has_sizes, to.has_kept_memory, to.cached_programs, to.cached_source_bytes, to.shelved_programs,
               to.kept_memory_bytes);
}

void fill(CHeap& heap, ptcvm_compile_options& to) {
  static const ptcvm_text kDefined[] = {{"a", 1}, {nullptr, 0}, {"f", 1}};
  fill_texts(heap, to.name);
  to.tools = heap.script().one_in(3) ? heap.draw<ptcvm_tools>() : nullptr;
  to.defined_count = heap.script().below(4);
  to.defined = heap.script().one_in(4) ? nullptr : kDefined;
  fill_numbers(heap, to.strict_task_ids, to.max_symbols, to.no_optimize);
}

void fill(CHeap& heap, ptcvm_tool_options& to) {
  fill_texts(heap, to.description, to.question);
  fill_numbers(heap, to.effect, to.mode, to.cache, to.max_attempts, to.first_delay_ms, to.max_delay_ms, to.deadline_ms,
               to.no_signature_check);
}

void fill(CHeap& heap, ptcvm_limits& to) {
  const std::size_t size = to.struct_size;
  ptcvm_limits_default(&to);
  to.struct_size = size;
  fill_numbers(heap, to.fuel, to.memory_bytes, to.string_bytes, to.print_bytes, to.snapshot_bytes, to.result_bytes,
               to.timeout_ms, to.operation_ttl_ms, to.await_timeout_ms, to.depth, to.loop, to.tool_calls,
               to.parallel_branches, to.pending_operations, to.suspensions);
}

void fill_time(CHeap& heap, std::int32_t& has_time, std::int64_t& time_ms) {
  has_time = 1;
  time_ms = 1'000'000;
  fill_numbers(heap, has_time, time_ms);
}

const ptcvm_limits* limits_of(CHeap& heap, Roomy<ptcvm_limits>& room) {
  if (!heap.script().one_in(2)) return nullptr;
  size(heap, room);
  room.value.struct_size = sizeof(ptcvm_limits);
  fill(heap, room.value);
  return &room.value;
}

// Structs that limits are pointed to from: the limits live beside them.
Roomy<ptcvm_limits>& room_of_limits() {
  static Roomy<ptcvm_limits> room;
  return room;
}

void fill(CHeap& heap, ptcvm_run_options& to) {
  fill_texts(heap, to.id, to.data_json, to.signature);
  to.tools = heap.draw<ptcvm_tools>();
  to.limits = limits_of(heap, room_of_limits());
  if (heap.script().one_in(3)) to.data = heap.view();
  fill_time(heap, to.has_time, to.time_ms);
  fill_numbers(heap, to.no_journal, to.event_capacity, to.event_forms, to.pauses_at_calls, to.is_out_of_time);
  to.before_tool = heap.callback();
  to.before_tool_data = &heap;
}

void fill(CHeap& heap, ptcvm_restore_options& to) {
  to.tools = heap.draw<ptcvm_tools>();
  to.limits = limits_of(heap, room_of_limits());
  fill_time(heap, to.has_time, to.time_ms);
  fill_numbers(heap, to.max_bytes, to.event_capacity, to.event_forms, to.pauses_at_calls);
  to.before_tool = heap.callback();
  to.before_tool_data = &heap;
}

void fill(CHeap& heap, ptcvm_stored_options& to) {
  fill_texts(heap, to.id, to.signature, to.name);
  to.limits = limits_of(heap, room_of_limits());
  if (heap.script().one_in(3)) to.data = heap.view();
  fill_time(heap, to.has_time, to.time_ms);
  fill_numbers(heap, to.lease_ms, to.again, to.keeps_session, to.parallel_calls, to.event_capacity);
  to.before_tool = heap.callback();
  to.before_tool_data = &heap;
}

void fill(CHeap& heap, ptcvm_new_key& to) {
  fill_texts(heap, to.id);
  fill_numbers(heap, to.algorithm, to.has_end, to.has_time, to.not_after_ms, to.time_ms);
}
void fill(CHeap& heap, ptcvm_seal_label& to) {
  fill_texts(heap, to.tenant, to.run_id);
  fill_numbers(heap, to.sequence, to.has_time, to.time_ms);
}
void fill(CHeap& heap, ptcvm_seal_expectations& to) {
  fill_texts(heap, to.tenant, to.run_id);
  fill_numbers(heap, to.has_sequence, to.has_time, to.sequence, to.minimum_sequence, to.time_ms);
}

// What a parameter is given; done() looks at what the function wrote there.
template <class T>
struct Given;

template <class T>
  requires std::is_arithmetic_v<T>
struct Given<T> {
  explicit Given(CHeap& heap) : value(heap.script().number<T>()) {}
  T get() { return value; }
  void done(CHeap&, bool) {}
  T value;
};

template <>
struct Given<ptcvm_text> {
  explicit Given(CHeap& heap) : value(heap.text()) {}
  ptcvm_text get() { return value; }
  void done(CHeap&, bool) {}
  ptcvm_text value;
};

template <>
struct Given<ptcvm_view> {
  explicit Given(CHeap& heap) : value(heap.view()) {}
  ptcvm_view get() { return value; }
  void done(CHeap&, bool) {}
  ptcvm_view value;
};

template <class T>
  requires kIsHandle<std::remove_const_t<T>>
struct Given<T*> {
  explicit Given(CHeap& heap) : value(heap.draw<std::remove_const_t<T>>()) {}
  T* get() { return value; }
  void done(CHeap&, bool) {}
  T* value;
};

// The run of a session is a run, too.
template <>
struct Given<ptcvm_run*> {
  explicit Given(CHeap& heap)
      : value(heap.script().one_in(4) ? ptcvm_session_run(heap.draw<ptcvm_session>()) : heap.draw<ptcvm_run>()) {}
  ptcvm_run* get() { return value; }
  void done(CHeap&, bool) {}
  ptcvm_run* value;
};

// An output: a handle that belongs to the heap.
template <class T>
struct Given<T**> {
  explicit Given(CHeap& heap) : is_null(heap.script().one_in(16)) {}
  T** get() { return is_null ? nullptr : &value; }
  void done(CHeap& heap, bool failed) {
    promise(!failed || value == nullptr, "a function that failed gives no handle");
    if (value != nullptr) heap.keep(value);
  }
  bool is_null;
  T* value = nullptr;
};

template <>
struct Given<ptcvm_entries**> {
  explicit Given(CHeap&) {}
  ptcvm_entries** get() { return &value; }
  void done(CHeap& heap, bool) {   // entries live no longer than their collection
    const std::size_t index = heap.script().below(4);
    look_at(ptcvm_entries_key(value, index));
    look_at(ptcvm_entries_value(value, ptcvm_entries_count(value) - 1));
    ptcvm_entries_free(value);
  }
  ptcvm_entries* value = nullptr;
};

template <>
struct Given<ptcvm_error**> {
  explicit Given(CHeap& heap) : is_null(heap.script().one_in(4)) {}
  ptcvm_error** get() { return is_null ? nullptr : &value; }
  void done(CHeap& heap, bool failed) {
    if (is_null) return;
    promise(failed == (value != nullptr), "a function fails exactly when it gives an error");
    if (value == nullptr) return;
    promise(ptcvm_error_message(value).size > 0, "an error says what is wrong");
    promise(ptcvm_error_status(value) != PTCVM_INTERNAL, "an error of the library itself");
    heap.keep(value);
  }
  bool is_null;
  ptcvm_error* value = nullptr;
};

// Options, or an output struct.
template <class T>
  requires(!kIsHandle<std::remove_const_t<T>> && std::is_class_v<T> &&
           requires(T& t) { t.struct_size; })
struct Given<T*> {
  explicit Given(CHeap& heap) : is_null(heap.script().one_in(8)) {
    size(heap, room);
    fill(heap, room.value);
  }
  T* get() { return is_null ? nullptr : &room.value; }
  void done(CHeap&, bool) {}
  bool is_null;
  Roomy<std::remove_const_t<T>> room;
};

// A number, a text or a view that is written, or a text that may be missing.
template <class T>
  requires(std::is_arithmetic_v<T> || std::is_same_v<std::remove_const_t<T>, ptcvm_text>)
struct Given<T*> {
  explicit Given(CHeap& heap) : is_null(heap.script().one_in(8)) {
    if constexpr (std::is_const_v<T>) value = heap.text();
  }
  T* get() { return is_null ? nullptr : &value; }
  void done(CHeap&, bool) {}
  bool is_null;
  std::remove_const_t<T> value{};
};

template <class T>
void look_at_result(const T& result) {
  if constexpr (std::is_same_v<T, ptcvm_text> || std::is_same_v<T, ptcvm_view>) look_at(result);
}

template <class T>
inline constexpr bool kIsError = std::is_same_v<T, ptcvm_error**>;

template <class Result, class... Parameters>
void call(CHeap& heap, Result (*function)(Parameters...)) {
  std::tuple<Given<Parameters>...> given{Given<Parameters>(heap)...};
  std::apply(
      [&](auto&... each) {
        if constexpr (std::is_void_v<Result>) {
          function(each.get()...);
        } else {
          const Result result = function(each.get()...);
          look_at_result(result);
          if constexpr ((kIsError<Parameters> || ...)) {
            (each.done(heap, result != PTCVM_OK), ...);
          } else {
            (each.done(heap, false), ...);
          }
        }
      },
      given);
}

// What an element of a list has that needs a look: its views and texts live until the next list.
template <class Element>
void look_at_element(const Element& element) {
  if constexpr (requires { element.args; }) {
    if constexpr (std::is_same_v<decltype(element.args), ptcvm_view>) look_at(element.args);
  }
  if constexpr (requires { element.tool; }) look_at(element.tool);
  if constexpr (requires { element.id; }) {
    if constexpr (std::is_same_v<decltype(element.id), ptcvm_text>) look_at(element.id);
  }
}

template <class Handle, class Owner, class Element>
void show(CHeap& heap, std::size_t (*count)(Handle*), ptcvm_status (*at)(const Owner*, std::size_t, Element*)) {
  Handle* const handle = Given<Handle*>(heap).get();
  const std::size_t index = heap.script().below(3), known = count(handle);
  Element element;
  PTCVM_INIT(element);
  const ptcvm_status status = at(handle, index, &element);
  promise((status == PTCVM_OK) == (index < known), "a list shows each of its elements, and no other");
  if (status == PTCVM_OK) look_at_element(element);
}

template <class Handle>
void free_one(CHeap& heap, void (*free)(Handle*)) {
  free(heap.take<Handle>());
}

using Call = void (*)(CHeap&);
constexpr Call kCalls[] = {
#define CALL(name) [](CHeap& heap) { call(heap, &ptcvm_##name); },
#define SHOWS(name, count) [](CHeap& heap) { show(heap, &ptcvm_##count, &ptcvm_##name); },
#define FREE(name) [](CHeap& heap) { free_one(heap, &ptcvm_##name); },
#include "fuzz/c_api_calls.def"
#undef FREE
#undef SHOWS
#undef CALL
    [](CHeap& heap) { heap.add_tool(); },
    [](CHeap& heap) { heap.resolve_all(); },
};

}  // namespace

void try_c_calls(std::string_view bytes) {
  CallScript script(bytes);
  CHeap heap(script);
  for (std::size_t i = 0; i < kMostCalls && !script.is_over(); ++i) {
    kCalls[script.below(std::size(kCalls))](heap);
    heap.forget_texts();
  }
}

}  // namespace ptc::fuzz
