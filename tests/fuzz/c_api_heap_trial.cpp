// Handles, texts and views of sequences of calls of the C API, and what the callbacks of their tools do.
#include <algorithm>
#include <string_view>

#include "fuzz/c_api_heap.h"
#include "fuzz/fuzz_target.h"

namespace ptc::fuzz {
namespace {

constexpr std::string_view kPrograms[] = {
    "(await (tool/later {:n 1}))", "[(tool/ask {:q \"a\"}) (tool/ask {:q \"b\"})]", "(task \"t\" (tool/now {}))",
    "(def a 1) (defn f [x] x) [a f #{1} #\"a+\"]", "(fail {:a 1})", "(return [data/a \"x\"])", "(println data/a) (+ 1",
    "(pmap (fn [i] (await (tool/later {:i i}))) [1 2 3])", "(await-signal \"go\")", "(str (vec (range 2000)))",
    "(task \"u\" (task \"v\" (tool/now {})))", "(loop [i 0] (if (< i 1000) (recur (inc i)) i))", "(frequencies \"ab\")",
    "(await (tool/later {}) {:timeout-ms 5 :default 1})", "((fn f [x] (f x)) 1)", "(task-reset \"t\" \"why\")"};

constexpr std::string_view kTexts[] = {
    "", "a", "op1", "t", "r", "run", "acme", "k1", "go", "{}", "{\"a\": 1}", "{:a 1 \"b\" [1 2.5 nil]}", "[1 2 3]",
    "null", "\"x\"", "1e400", "99999999999999999999", "#{1 2}", "()", "(q :string) -> :any", "() -> {a :int}", ":int",
    "later", "ask", "now", "approve:now", std::string_view("\0", 1), "\xff\xfe", std::string_view("a\0b", 3), "r/t",
    "r/call/1", "--", "{\"k\":",
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"};

ptcvm_text as_text(std::string_view text) { return {text.data(), text.size()}; }

ptcvm_text program_text(CallScript& script) { return as_text(kPrograms[script.below(std::size(kPrograms))]); }

std::size_t sum_of(ptcvm_text text) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < text.size; ++i) sum += static_cast<unsigned char>(text.data[i]);
  return sum;
}

}  // namespace

void look_at(ptcvm_text text) {
  [[maybe_unused]] static volatile std::size_t seen = 0;
  seen = sum_of(text);
}

void look_at(ptcvm_view view) {
  ptcvm_text text{};
  if (ptcvm_view_string(view, &text) == 1) look_at(text);
  if (ptcvm_view_keyword(view, &text) == 1) look_at(text);
  for (std::size_t i = 0; i < std::min<std::size_t>(ptcvm_view_size(view), 3); ++i) {
    static_cast<void>(ptcvm_view_kind(ptcvm_view_at(view, i)));
  }
  ptcvm_buffer* edn = nullptr;
  if (ptcvm_view_edn(view, &edn, nullptr) == PTCVM_OK) look_at(ptcvm_buffer_text(edn));
  ptcvm_buffer_free(edn);
}

CHeap::CHeap(CallScript& script)
    : script_(script),
      handles_(ptcvm_engine_free, ptcvm_program_free, ptcvm_tools_free, ptcvm_run_free, ptcvm_session_free,
               ptcvm_store_free, ptcvm_stored_free, ptcvm_stored_runs_free, ptcvm_stepper_free, ptcvm_value_free,
               ptcvm_writer_free, ptcvm_buffer_free, ptcvm_texts_free, ptcvm_key_ring_free, ptcvm_opened_free,
               ptcvm_snapshot_free, ptcvm_error_free) {}

CHeap::~CHeap() {
  std::apply([](auto&... each) { (each.clear(), ...); }, handles_);
  promise(added_ == destroyed_, "the data of a tool is given back once");
}

ptcvm_text CHeap::text() {
  switch (script_.below(8)) {
    case 0: return program_text(script_);
    case 1: case 2: {
      if (is_called_back_) return as_text(script_.text(kTexts));
      const ptcvm_text bytes = ptcvm_buffer_text(draw<ptcvm_buffer>());
      if (bytes.size == 0 || !script_.one_in(2)) return bytes;
      std::string& changed = texts_.emplace_back(bytes.data, bytes.size);
      changed[script_.below(changed.size())] ^= static_cast<char>(script_.byte());
      return as_text(changed);
    }
    case 3: return as_text(texts_.emplace_back(script_.below(70'000), 'x'));
    default: return as_text(script_.text(kTexts));
  }
}

ptcvm_view CHeap::view() {
  ptcvm_view view = ptcvm_value_view(draw<ptcvm_value>());
  switch (script_.below(4)) {
    case 0: return ptcvm_view_at(view, script_.below(4));
    case 1: return ptcvm_view_get(view, as_text("a"));
    default: return view;
  }
}

ptcvm_call_fn CHeap::callback() { return script_.one_in(4) ? &CHeap::answer : nullptr; }

// Says none, one or several things about the call.
void CHeap::answer(void* data, ptcvm_call* call) {
  CHeap& heap = *static_cast<CHeap*>(data);
  heap.is_called_back_ = true;
  look_at(ptcvm_call_args(call));
  look_at(ptcvm_call_idempotency_key(call));
  for (std::size_t i = heap.script_.below(3); i > 0; --i) {
    switch (heap.script_.below(12)) {
      case 0: case 1: case 2: ptcvm_call_answer(call, heap.view()); break;
      case 3: ptcvm_call_answer_json(call, heap.text(), nullptr); break;
      case 4: ptcvm_call_answer_error(call, heap.text()); break;
      case 5: ptcvm_call_answer_unknown(call, heap.text()); break;
      case 6: ptcvm_call_answer_pending(call, heap.text()); break;
      case 7: ptcvm_call_timed_out(call); break;
      case 8: ptcvm_call_report_partial(call, heap.view()); break;
      case 9: ptcvm_call_did_not_happen(call); break;
      case 10: ptcvm_call_deny(call, heap.text()); break;
      default: ptcvm_call_change(call, heap.view()); break;
    }
  }
  heap.is_called_back_ = false;
}

void CHeap::add_tool(ptcvm_tools* tools, ptcvm_text name, ptcvm_text signature, const ptcvm_tool_options* options) {
  ++added_;
  ptcvm_tools_add(tools, name, signature, &CHeap::answer, this, &CHeap::destroy, options, nullptr);
}

void CHeap::make(ptcvm_engine*& place) { ptcvm_engine_new(nullptr, &place, nullptr); }

void CHeap::make(ptcvm_program*& place) {
  ptcvm_engine_compile(draw<ptcvm_engine>(), program_text(script_), nullptr, &place, nullptr);
}

void CHeap::make(ptcvm_tools*& place) {
  ptcvm_tools_new(&place, nullptr);
  ptcvm_tool_options options;
  PTCVM_INIT(options);
  options.mode = PTCVM_ASYNC;
  add_tool(place, as_text("later"), as_text(""), &options);
  add_tool(place, as_text("now"), as_text(""), nullptr);
  ptcvm_tools_defer(place, as_text("ask"), as_text("(q :string) -> :any"), nullptr, nullptr);
}

void CHeap::make(ptcvm_run*& place) {
  ptcvm_run_options options;
  PTCVM_INIT(options);
  options.tools = draw<ptcvm_tools>();
  options.has_time = 1;
  options.time_ms = 1'000'000;
  ptcvm_run_start(draw<ptcvm_engine>(), draw<ptcvm_program>(), &options, &place, nullptr);
  if (script_.one_in(2)) ptcvm_run_step(place, 1'000'000);
}

void CHeap::make(ptcvm_session*& place) {
  ptcvm_session_new(draw<ptcvm_engine>(), nullptr, &place, nullptr);
  if (script_.one_in(2)) ptcvm_session_eval(place, program_text(script_), nullptr);
}

void CHeap::make(ptcvm_store*& place) { ptcvm_store_in_memory(&place, nullptr); }

void CHeap::make(ptcvm_stored*& place) {
  ptcvm_run_stored(draw<ptcvm_engine>(), draw<ptcvm_store>(), draw<ptcvm_tools>(), program_text(script_), nullptr,
                   &place, nullptr);
}

void CHeap::make(ptcvm_stored_runs*& place) {
  ptcvm_store_runs(draw<ptcvm_store>(), as_text(""), 10, &place, nullptr);
}

void CHeap::make(ptcvm_stepper*& place) {
  ptcvm_stepper_start(draw<ptcvm_engine>(), draw<ptcvm_store>(), draw<ptcvm_tools>(), program_text(script_), nullptr,
                      &place, nullptr);
  std::int32_t step = 0;
  if (script_.one_in(2)) ptcvm_stepper_step(place, 1'000'000, &step, nullptr);
}

void CHeap::make(ptcvm_value*& place) {
  if (ptcvm_value_from_edn(as_text(script_.text(kTexts)), &place, nullptr) == PTCVM_OK) return;
  ptcvm_value_from_edn(as_text("{\"a\" [1 2.5 nil], :b #{x}}"), &place, nullptr);
}

void CHeap::make(ptcvm_writer*& place) { ptcvm_writer_new(&place, nullptr); }

void CHeap::make(ptcvm_buffer*& place) {
  switch (script_.below(4)) {
    case 0: ptcvm_program_bytecode(draw<ptcvm_program>(), &place, nullptr); break;
    case 1: ptcvm_run_snapshot_json(draw<ptcvm_run>(), &place, nullptr); break;
    case 2: ptcvm_store_log_json(draw<ptcvm_store>(), as_text("run"), &place, nullptr); break;
    default: ptcvm_run_snapshot(draw<ptcvm_run>(), 0, &place, nullptr); break;
  }
}

void CHeap::make(ptcvm_texts*& place) { ptcvm_program_tools(draw<ptcvm_program>(), &place, nullptr); }

void CHeap::make(ptcvm_key_ring*& place) {
  ptcvm_key_ring_new(&place, nullptr);
  ptcvm_new_key key;
  PTCVM_INIT(key);
  key.id = as_text("k1");
  ptcvm_key_ring_rotate(place, &key, nullptr);
}

void CHeap::make(ptcvm_opened*& place) {
  ptcvm_key_ring* const ring = draw<ptcvm_key_ring>();
  ptcvm_seal_label label;
  PTCVM_INIT(label);
  label.tenant = label.run_id = as_text("a");
  ptcvm_buffer* sealed = nullptr;
  ptcvm_seal(ring, text(), &label, &sealed, nullptr);
  ptcvm_seal_expectations expected;
  PTCVM_INIT(expected);
  expected.tenant = as_text("a");
  ptcvm_open_sealed(ring, ptcvm_buffer_text(sealed), &expected, &place, nullptr);
  ptcvm_buffer_free(sealed);
}

void CHeap::make(ptcvm_snapshot*& place) {
  ptcvm_buffer* bytes = nullptr;
  ptcvm_run_snapshot(draw<ptcvm_run>(), 0, &bytes, nullptr);
  ptcvm_snapshot_open(draw<ptcvm_engine>(), ptcvm_buffer_text(bytes), 0, &place, nullptr);
  ptcvm_buffer_free(bytes);
}

void CHeap::make(ptcvm_error*& place) {
  ptcvm_program* program = nullptr;
  ptcvm_engine_compile(draw<ptcvm_engine>(), as_text("(+ 1"), nullptr, &program, &place);
  ptcvm_program_free(program);
}

void CHeap::add_tool() {
  ptcvm_tool_options options;
  PTCVM_INIT(options);
  options.effect = script_.number<std::int32_t>();
  options.mode = script_.number<std::int32_t>();
  options.max_attempts = script_.number<std::uint32_t>() % 4;   // run_stored() sleeps between attempts
  options.first_delay_ms = static_cast<std::int64_t>(script_.below(3)) - 1;
  options.max_delay_ms = static_cast<std::int64_t>(script_.below(3));
  options.deadline_ms = script_.number<std::int64_t>();
  options.reconcile = callback();
  options.cache = script_.number<std::int32_t>();
  options.question = script_.one_in(4) ? text() : ptcvm_text{};
  add_tool(draw<ptcvm_tools>(), text(), script_.one_in(2) ? text() : as_text(""), &options);
}

void CHeap::resolve_all() {
  ptcvm_resolution resolutions[3] = {};
  for (ptcvm_resolution& resolution : resolutions) {
    resolution = {text(), script_.number<std::int32_t>() % 6, 0, view(), text()};
  }
  ptcvm_run_resolve_all(draw<ptcvm_run>(), script_.one_in(8) ? nullptr : resolutions, script_.below(4), nullptr);
}

}  // namespace ptc::fuzz
