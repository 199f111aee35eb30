// Objects, options and values of sequences of calls of the C++ API.
#include <algorithm>
#include <limits>

#include "fuzz/cpp_api_heap.h"

namespace ptcvm::fuzz {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::string_view kPrograms[] = {
    "(await (tool/later {:n 1}))", "[(tool/ask {:q \"a\"}) (tool/ask {:q \"b\"})]", "(task \"t\" (tool/now {}))",
    "(def a 1) (defn f [x] x) [a f #{1} #\"a+\"]", "(fail {:a 1})", "(return [data/a \"x\"])", "(+ 1",
    "(pmap (fn [i] (await (tool/later {:i i}))) [1 2 3])", "(await-signal \"go\")", "(str (vec (range 2000)))",
    "(task \"u\" (tool/now {}))", "(loop [i 0] (if (< i 1000) (recur (inc i)) i))", "(println data/a)", "*1"};

constexpr std::string_view kTexts[] = {
    "", "a", "op1", "t", "r", "run", "acme", "k1", "go", "{}", "{\"a\": 1}", "{:a 1 \"b\" [1 2.5 nil]}", "[1 2 3]",
    "null", "1e400", "99999999999999999999", "#{1 2}", "(q :string) -> :any", "() -> {a :int}", ":int", "later", "ask",
    "now", "\xff", "r/t", "{\"k\":", "{\"type\": \"object\"}", "host", "{:ops 1}"};

// Returns a stretch of time at an edge of its type.
template <class Time>
Time time_of(CallScript& script) {
  return Time(script.number<typename Time::rep>());
}

double real(CallScript& script) {
  using Limits = std::numeric_limits<double>;
  constexpr double kEdges[] = {0, 1, 2, -1, 0.25, 1e308, -1e308, Limits::infinity(), Limits::quiet_NaN(),
                               Limits::denorm_min()};
  return kEdges[script.below(std::size(kEdges))];
}

template <class... Numbers>
void fill(CallScript& script, Numbers&... numbers) {
  ((script.one_in(8) ? void(numbers = script.number<Numbers>()) : void()), ...);
}

}  // namespace

void CppHeap::check_error(const Error& error) {
  promise(!error.message.empty(), "an error says what is wrong");
  promise(!std::string_view(errc_name(error.code)).empty(), "an error has a name");
}

std::string CppHeap::text() {
  if (script_.one_in(16)) return std::string(script_.below(70'000), 'x');
  return std::string(script_.text(kTexts));
}

std::string CppHeap::program() { return std::string(kPrograms[script_.below(std::size(kPrograms))]); }

ValueView CppHeap::view() {
  const Value* const value = draw<Value>();
  const ValueView whole = value == nullptr ? ValueView() : value->view();
  switch (script_.below(4)) {
    case 0: return whole[script_.below(4)];
    case 1: return whole["a"];
    default: return whole;
  }
}

std::span<const std::byte> CppHeap::bytes() {
  switch (script_.below(6)) {
    case 0: if (const Program* const program = draw<Program>()) bytes_ = program->bytecode(); break;
    case 1: if (const Run* const run = draw<Run>()) bytes_ = run->snapshot(script_.one_in(2)); break;
    case 2: if (!bytes_.empty()) bytes_[script_.below(bytes_.size())] ^= std::byte{script_.byte()}; break;
    case 3: bytes_.resize(script_.below(bytes_.size() + 1)); break;
    default: break;
  }
  return bytes_;
}

Limits CppHeap::limits() {
  Limits to;
  to.fuel = 100'000;
  to.memory_bytes = 4u << 20;
  fill(script_, to.fuel, to.memory_bytes, to.depth, to.loop, to.tool_calls, to.parallel_branches, to.pending_operations,
       to.suspensions, to.string_bytes, to.integer_bits, to.print_bytes, to.snapshot_bytes, to.result_bytes,
       to.timeout_ms, to.operation_ttl_ms, to.await_timeout_ms, to.print_length, to.regex_pattern_bytes,
       to.regex_input_bytes, to.symbols);
  return to;
}

ToolReply CppHeap::answer(ToolCall& call) {
  switch (script_.below(8)) {
    case 0: return call.error(text());
    case 1: return call.unknown(text());
    case 2: return call.pending(text());
    case 3: return call.pending(text(), ValueView(), time_of<milliseconds>(script_));
    case 4: return call.timed_out();
    case 5: call.report_partial(script_.number<std::int64_t>()); return call.value(text());
    case 6: return call.build([](ValueWriter& out) { out.begin_map().key("a").begin_vector().integer(1); });
    default: return call.value(std::vector<double>{1, real(script_)});
  }
}

ToolOptions CppHeap::tool_options() {
  ToolOptions to;
  to.effect = static_cast<Effect>(script_.below(5));
  to.mode = static_cast<ToolMode>(script_.below(3));
  to.cache = script_.one_in(4);
  if (script_.one_in(4)) to.deadline = time_of<milliseconds>(script_);
  if (script_.one_in(4)) {
    to.retry = {script_.number<std::uint32_t>(), time_of<milliseconds>(script_), time_of<milliseconds>(script_),
                real(script_), real(script_)};
  }
  to.reconcile = [this](ToolCall& call) {
    static_cast<void>(call.args().to_edn());
    return Reconciled{static_cast<Reconciled::State>(script_.below(3)), Value::of(script_.number<std::int64_t>())};
  };
  return to;
}

RunOptions CppHeap::run_options() {
  RunOptions to;
  to.id = script_.one_in(4) ? text() : "r";
  if (const Tools* const tools = draw<Tools>()) to.tools = *tools;
  to.limits = limits();
  data_.push_back(Value::copy_of(view()));
  if (script_.one_in(2)) to.data = data_.back();
  to.signature = script_.one_in(4) ? text() : "";
  to.time_ms = script_.one_in(4) ? script_.number<std::int64_t>() : 1'000'000;
  to.journal = !script_.one_in(8);
  if (script_.one_in(8)) to.float_precision = script_.number<int>();
  to.hands_out_calls = script_.one_in(4);
  to.pauses_at_calls = script_.one_in(4);
  if (script_.one_in(4)) {
    to.hooks.before_tool = [this](ToolCall&) {
      switch (script_.below(4)) {
        case 0: return HookVerdict::deny(text());
        case 1: return HookVerdict::ask(text());
        case 2: return HookVerdict::change(Value::of(text()));
        default: return HookVerdict::allow();
      }
    };
  }
  return to;
}

StoredOptions CppHeap::stored_options() {
  StoredOptions to;
  to.id = script_.one_in(4) ? text() : "r";
  to.limits = limits();
  to.signature = script_.one_in(8) ? text() : "";
  to.lease_ms = script_.one_in(4) ? script_.number<std::int64_t>() : 60'000;
  to.again = script_.one_in(4);
  to.time_ms = script_.one_in(4) ? script_.number<std::int64_t>() : 1'000'000;
  to.keeps_session = script_.one_in(2);
  to.parallel_calls = script_.number<std::size_t>();
  to.data_edn = script_.one_in(4) ? text() : "";
  to.resets_need_reasons = script_.one_in(2);
  if (script_.one_in(4)) to.most_limits = limits();
  to.clock = [now = script_.number<std::int64_t>()] { return now; };
  return to;
}

AnswerDetails CppHeap::details() {
  AnswerDetails to;
  if (script_.one_in(4)) to.took = time_of<microseconds>(script_);
  if (script_.one_in(4)) to.ttl = time_of<milliseconds>(script_);
  to.announces = script_.one_in(2);
  return to;
}

std::vector<HostFact> CppHeap::facts() {
  std::vector<HostFact> out(script_.below(3));
  for (HostFact& fact : out) {
    fact.fact_class = static_cast<HostFactClass>(script_.below(5));   // one more than there are
    fact.name = text();
    fact.key = script_.one_in(2) ? text() : "";
    fact.body = text();
    fact.by = script_.one_in(4) ? text() : "";
    fact.time_ms = script_.number<std::int64_t>();
    fact.seq = script_.number<std::uint64_t>();
  }
  return out;
}

HostCut CppHeap::cut() {
  const std::uint64_t token = script_.one_in(4) ? script_.number<std::uint64_t>() : token_;
  return {token, script_.number<std::uint64_t>()};
}

void CppHeap::make(std::optional<Program>& place) { put(place, draw<Engine>()->compile(program())); }

void CppHeap::make(std::optional<Tools>& place) {
  place.emplace();
  const auto handler = [this](ToolCall& call) { return answer(call); };
  ToolOptions later = tool_options();
  later.mode = ToolMode::Async;
  static_cast<void>(place->add("later", "", handler, std::move(later)));
  static_cast<void>(place->add("now", "", handler, tool_options()));
  static_cast<void>(place->defer("ask", "(q :string) -> :any", tool_options()));
}

void CppHeap::make(std::optional<Run>& place) {
  if (const Program* const program = draw<Program>()) put(place, Run::start(*draw<Engine>(), *program, run_options()));
  if (place && script_.one_in(2)) place->step();
}

void CppHeap::make(std::optional<Session>& place) { put(place, Session::create(*draw<Engine>(), run_options())); }

void CppHeap::make(std::optional<Store>& place) { place = Store::in_memory(); }

void CppHeap::make(std::optional<StoredRun>& place) {
  put(place, StoredRun::start(*draw<Engine>(), *draw<Store>(), *draw<Tools>(), program(), stored_options()));
  if (place && script_.one_in(2)) check(place->step());
}

void CppHeap::make(std::optional<HostLog>& place) { place = HostLog::of(*draw<Store>(), text()); }

void CppHeap::make(std::optional<KeyRing>& place) {
  place.emplace();
  static_cast<void>(place->rotate({.id = "k1"}));
}

void CppHeap::make(std::optional<Value>& place) {
  put(place, Value::from_edn(script_.text(kTexts)));
  if (!place) put(place, Value::from_edn("{\"a\" [1 2.5 nil], :b #{x}}"));
}

void CppHeap::make(std::optional<Signature>& place) {
  put(place, Signature::parse("(a :int, b :string?) -> {c [:int]}"));
}

void CppHeap::make(std::optional<SnapshotView>& place) {
  if (const Run* const run = draw<Run>()) put(place, SnapshotView::open(*draw<Engine>(), run->snapshot()));
}

}  // namespace ptcvm::fuzz
