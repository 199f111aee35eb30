// Reading requests. The fields and their defaults are the protocol; unknown keys are ignored, known ones of a wrong
// kind make a bad request. null is the same as absent.
#include "tools/ptcvm/batch_request.h"

#include <boost/json.hpp>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/text/json_text.h"
#include "runtime/session/replay.h"
#include "runtime/session/session.h"
#include "schema/limits.h"
#include "tools/ptcvm/batch_answer.h"
#include "tools/ptcvm/batch_suspend.h"
#include "tools/ptcvm/bounded_memory.h"
#include "tools/ptcvm/child_process.h"
#include "tools/ptcvm/request_id.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

// A list of a request may have so many entries.
constexpr std::size_t kMostEntries = 100'000;
// A line may take so many bytes of memory, and so many for each of its own, to be read.
constexpr std::size_t kFreeBytes = std::size_t{32} << 20;
constexpr std::size_t kBytesPerByte = 2;

// The fields of one object, with the first thing that is wrong remembered.
class Fields {
 public:
  Fields(const json::object& object, std::string& problem) : object_(object), problem_(problem) {}

  const json::value* find(std::string_view name) const {
    const json::value* value = object_.if_contains({name.data(), name.size()});
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  std::optional<std::string_view> text(std::string_view name) const {
    const json::value* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (const json::string* string = value->if_string()) return std::string_view(string->data(), string->size());
    refuse(name, "a string");
    return std::nullopt;
  }

  bool flag(std::string_view name) const {
    const json::value* value = find(name);
    if (value == nullptr) return false;
    if (const bool* set = value->if_bool()) return *set;
    refuse(name, "a boolean");
    return false;
  }

  // true, false or "auto"
  ptc::AsyncMode async_mode(std::string_view name) const {
    const json::value* value = find(name);
    const json::string* text = value == nullptr ? nullptr : value->if_string();
    if (text != nullptr && *text == "auto") return ptc::AsyncMode::Auto;
    return flag(name) ? ptc::AsyncMode::Yes : ptc::AsyncMode::No;
  }

  // The name of an effect class; unsafe when the member is missing.
  ptc::EffectClass effect_class(std::string_view name) const {
    const auto given = text(name);
    if (!given || given->empty()) return ptc::EffectClass::Unsafe;
    const auto found = ptc::find_effect_class(*given);
    if (!found) refuse(name, "an effect class");
    return found.value_or(ptc::EffectClass::Unsafe);
  }

  // "fifo", "lifo" or the seed of a shuffle
  ptc::ResolveOrder resolve_order(std::string_view name) const {
    const json::value* value = find(name);
    if (value == nullptr) return ptc::ResolveOrder::fifo();
    if (const json::string* text = value->if_string()) {
      if (*text == "fifo") return ptc::ResolveOrder::fifo();
      if (*text == "lifo") return ptc::ResolveOrder::lifo();
    }
    if (const std::int64_t* seed = value->if_int64()) {
      return ptc::ResolveOrder::shuffled(static_cast<std::uint64_t>(*seed));
    }
    if (const std::uint64_t* seed = value->if_uint64()) return ptc::ResolveOrder::shuffled(*seed);
    refuse(name, "\"fifo\", \"lifo\" or a whole number");
    return ptc::ResolveOrder::fifo();
  }

  // Milliseconds since 1970.
  std::optional<std::int64_t> time(std::string_view name) const {
    const json::value* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (const std::int64_t* millis = value->if_int64()) return *millis;
    refuse(name, "a whole number");
    return std::nullopt;
  }

  // -1 when there is none.
  int decimals(std::string_view name) const {
    const json::value* value = find(name);
    if (value == nullptr) return -1;
    if (const std::int64_t* whole = value->if_int64(); whole != nullptr && *whole >= 0) {
      return static_cast<int>(std::min<std::int64_t>(*whole, std::numeric_limits<int>::max()));
    }
    if (value->is_uint64()) return std::numeric_limits<int>::max();
    refuse(name, "a whole number");
    return -1;
  }

  void limit(std::string_view name, const ptc::LimitInfo& limit, ptc::Limits& limits) const {
    const json::value* value = find(name);
    if (value == nullptr) return;
    std::string why = ptc::set_limit(limits, limit, json::serialize(*value));
    if (problem_.empty()) problem_ = std::move(why);
  }

  const json::object* object(std::string_view name) const {
    const json::value* value = find(name);
    if (value == nullptr) return nullptr;
    if (const json::object* found = value->if_object()) return found;
    refuse(name, "an object");
    return nullptr;
  }

  // Calls `each` with the fields of every element.
  void objects(std::string_view name, const auto& each) const {
    const json::value* value = find(name);
    if (value == nullptr) return;
    const json::array* array = value->if_array();
    if (array == nullptr) return refuse(name, "a list");
    if (array->size() > kMostEntries) {
      return refuse(name, "a list of at most " + std::to_string(kMostEntries) + " objects");
    }
    for (const json::value& element : *array) {
      const json::object* found = element.if_object();
      if (found == nullptr) return refuse(name, "a list of objects");
      each(Fields(*found, problem_));
    }
  }

 private:
  void refuse(std::string_view name, std::string_view wanted) const {
    if (problem_.empty()) problem_ = std::string(name) + " must be " + std::string(wanted);
  }

  const json::object& object_;
  std::string& problem_;
};

// A member that names no limit would bound nothing.
void refuse_unknown_limits(const json::object& given, std::string& problem) {
  for (const auto& member : given) {
    const std::string_view name(member.key().data(), member.key().size());
    const bool is_known = name.find('-') == std::string_view::npos && ptc::find_limit(name, ptc::LimitPlace::Batch);
    if (!is_known && problem.empty()) problem = "limits: there is no limit " + std::string(name.substr(0, 80));
  }
}

// Limits as requests spelled them before they had one name.
void read_earlier(const Fields& fields, ptc::Limits& limits) {
  for (const ptc::LimitInfo& limit : ptc::kLimits) {
    const std::string_view earlier = ptc::earlier_spelling(limit, ptc::LimitPlace::Batch);
    if (!earlier.empty()) fields.limit(earlier, limit, limits);
  }
}

ptc::SessionOptions session_options(const Fields& request, std::string& problem) {
  ptc::SessionOptions options;
  if (const json::object* given = request.object("opts")) {
    const Fields opts(*given, problem);
    const int precision = opts.decimals("float_precision");
    if (precision >= 0) options.float_precision = precision;
    read_earlier(opts, options.limits);
    options.signature = opts.text("signature").value_or("");
  }
  if (const json::object* given = request.object("limits")) {
    const Fields limits(*given, problem);
    refuse_unknown_limits(*given, problem);
    for (const ptc::LimitInfo& limit : ptc::kLimits) limits.limit(limit.name, limit, options.limits);
    read_earlier(limits, options.limits);
    // Requests said 0 for "no time at all" before 0 was "no limit".
    options.is_out_of_time = limits.find("timeout_ms") != nullptr && options.limits.timeout_ms == 0;
  }
  return options;
}

// The registered tools are those that are declared and those that have recorded answers.
void add_tools(const Fields& request, ptc::Session& session, ptc::ToolReplay& replay, std::string& problem) {
  const ptc::ToolHandler answer_now = [&replay](const ptc::ToolCall& call) { return replay.answer(call); };
  request.objects("tools", [&](const Fields& entry) {
    ptc::RecordedCall call;
    call.tool = entry.text("name").value_or("");
    call.args_edn = entry.text("args_edn").value_or("{}");
    if (const auto text = entry.text("result_edn")) call.result_edn = *text;
    if (const auto text = entry.text("error")) call.error_edn = *text;
    ptc::ToolDefinition definition;
    definition.name = call.tool;
    if (session.tools().find(definition.name) == nullptr) session.tools().add(std::move(definition), answer_now);
    if (const auto message = replay.add(std::move(call)); message && problem.empty()) {
      problem = "args_edn of a tool: " + *message;
    }
  });
  request.objects("tool_defs", [&](const Fields& entry) {
    ptc::ToolDefinition definition;
    definition.name = entry.text("name").value_or("");
    definition.signature = entry.text("signature").value_or("");
    definition.cache = entry.flag("cache");
    definition.async = entry.async_mode("async");
    definition.effect = entry.effect_class("effect");
    const bool is_sync = definition.async == ptc::AsyncMode::No;
    session.tools().add(std::move(definition), is_sync ? answer_now : ptc::ToolHandler(ptc::ToolReplay::start));
  });
}

void load_inputs(const Fields& request, ptc::Session& session, std::string& problem) {
  const auto load = [&](const Fields& fields, std::string_view name, const auto& loader) {
    const auto text = fields.text(name);
    if (!text || !problem.empty()) return;
    if (const auto message = loader(*text)) problem = std::string(name) + ": " + *message;
  };
  load(request, "memory_edn", [&](std::string_view edn) { return session.definitions().load(edn); });
  load(request, "context_edn", [&](std::string_view edn) { return session.inputs().load_context(edn); });
  load(request, "journal_edn", [&](std::string_view edn) { return session.journal().load(edn); });
  load(request, "history_edn", [&](std::string_view edn) { return session.inputs().load_history(edn); });
  if (const json::object* given = request.object("opts")) {
    const Fields opts(*given, problem);
    load(opts, "budget_edn", [&](std::string_view edn) { return session.inputs().load_budget(edn); });
  }
}

struct BatchStep {
  std::string answer;
  std::optional<HopState> hop;       // goes on in another process instead
};

SuspendPlan suspend_plan(const Fields& request, std::string& problem) {
  SuspendPlan plan;
  if (const json::value* when = request.find("suspend")) {
    if (const json::string* text = when->if_string()) {
      if (*text == "pending") plan.when = SuspendPlan::When::Pending;
      if (*text == "every") plan.when = SuspendPlan::When::Every;
    } else if (when->is_int64() && when->get_int64() > 0) {
      plan.when = SuspendPlan::When::Every;
      plan.every = static_cast<std::uint64_t>(when->get_int64());
    }
    if (plan.when == SuspendPlan::When::Never) problem = "suspend must be \"pending\", \"every\" or a whole number";
  }
  if (const auto hop = request.text("hop")) {
    plan.fresh_process = *hop == "process";
    if (!plan.fresh_process) problem = "hop must be \"process\"";
  }
  if (const auto face = request.text("face")) {
    plan.face = *face == "json"        ? SuspendPlan::Face::Json
                : *face == "alternate" ? SuspendPlan::Face::Alternate
                                       : SuspendPlan::Face::Binary;
    if (plan.face == SuspendPlan::Face::Binary && *face != "binary") {
      problem = "face must be \"binary\", \"json\" or \"alternate\"";
    }
  }
  return plan;
}

// Equal requests give equal answers: time stands still where the request puts it, and moves only when the program
// sleeps or waits for a deadline. 2026-01-01.
constexpr std::int64_t kBatchClock = 1'767'225'600'000;

// One request, from its beginning or from where another process left it. Gives the answer, or what the next process
// needs when the request asks for fresh ones.
BatchStep answer_object(const ptc::Engine& engine, std::string_view line, const json::object& object,
                        const HopState* from) {
  std::string problem;
  const Fields request(object, problem);
  BatchAnswer answer;
  if (const json::value* id = request.find("id")) answer.id_json = request_id(line, *id);
  const auto source = request.text("source");
  if (!source && problem.empty()) problem = "source is missing";
  ptc::SessionOptions options = session_options(request, problem);
  ptc::ResolveOrder order = request.resolve_order("resolve_order");
  const SuspendPlan plan = suspend_plan(request, problem);
  if (!problem.empty()) return {bad_request(answer.id_json, problem), std::nullopt};
  if (plan.when == SuspendPlan::When::Every) options.slice_fuel = plan.every;
  options.fixed_clock_millis = request.time("clock_ms").value_or(kBatchClock);

  ptc::Session session(engine, options);
  ptc::ToolReplay replay;
  add_tools(request, session, replay, problem);
  if (!session.signature_error() && from == nullptr) load_inputs(request, session, problem);
  if (!problem.empty()) return {bad_request(answer.id_json, problem), std::nullopt};

  std::optional<HopState> hop;
  bool same_step = false;      // the process before hopped between a tool request and its answer
  Hopper hopper(plan, from == nullptr ? SuspendFigures() : from->figures);
  if (plan.when != SuspendPlan::When::Never) {
    session.set_step_hook([&](ptc::Session& now) -> std::optional<std::string> {
      if (!hopper.wants(now) || std::exchange(same_step, false)) return std::nullopt;
      std::string snapshot = hopper.take(now);
      if (!plan.fresh_process) return Hopper::restart(now, snapshot);
      hop = {std::move(snapshot), replay.state(), order.state(), now.run().clock(), now.clock().given_time(),
             hopper.figures()};
      return "goes on in another process";
    });
  }
  if (from == nullptr) {
    answer.outcome = session.turn(*source);
  } else if (const auto complaint = Hopper::restart(session, from->snapshot)) {
    answer.outcome.fault.kind = ptc::FaultKind::SnapshotInvalid;
    answer.outcome.fault.message = *complaint;
  } else {
    replay.set_state(from->replay);
    order.set_state(from->order);
    session.clock().set_program_time(from->clock);
    same_step = !session.run().tool_requests().empty();
    answer.outcome = session.run().suspended() ? session.suspended_outcome() : session.resume(from->now);
  }
  if (!hop) answer.outcome = ptc::finish_from_replay(session, replay, order, std::move(answer.outcome));
  if (hop) return {{}, std::move(hop)};
  // An error leaves the namespace as it was given.
  const bool failed = answer.outcome.status == ptc::OutcomeStatus::Error;
  answer.memory_edn = failed ? std::string(request.text("memory_edn").value_or("{}")) : session.definitions().edn();
  answer.journal_edn = session.journal().edn();
  if (plan.when != SuspendPlan::When::Never) answer.figures = hopper.figures();
  return {write_answer(answer), std::nullopt};
}

// Parses the line into `memory`. Returns nullopt and says why when the line cannot be read.
std::optional<json::value> read_line(std::string_view line, BoundedMemory& bounded, json::storage_ptr memory,
                                     std::string& problem) {
  json::parse_options options;
  options.allow_invalid_utf8 = true;       // the language replaces malformed text itself
  try {
    json::error_code error;
    json::parser parser(json::storage_ptr(&bounded), options);
    parser.reset(std::move(memory));
    parser.write({line.data(), line.size()}, error);
    if (!error) return parser.release();
    problem = "the line is no JSON: " + error.message();
  } catch (const std::bad_alloc&) {
    problem = "the line has too many values: send fewer in one request";
  }
  return std::nullopt;
}

BatchStep answer_line(const ptc::Engine& engine, std::string_view line, const HopState* from) {
  BoundedMemory bounded(kFreeBytes + kBytesPerByte * line.size());
  constexpr std::size_t kFirstBlock = 1024;
  json::monotonic_resource memory(kFirstBlock, json::storage_ptr(&bounded));
  std::string problem;
  const std::optional<json::value> parsed = read_line(line, bounded, &memory, problem);
  if (!parsed) return {bad_request("null", problem), std::nullopt};
  const json::object* object = parsed->if_object();
  if (object == nullptr) return {bad_request("null", "a request is a JSON object"), std::nullopt};
  return answer_object(engine, line, *object, from);
}

}  // namespace

std::string refuse_request(std::string_view message) { return bad_request("null", message); }

// Each hop is a process of its own that gets the request and the state, and gives the next state or the answer.
std::string answer_request(const ptc::Engine& engine, std::string_view line) {
  BatchStep step = answer_line(engine, line, nullptr);
  while (step.hop) {
    std::string input = std::to_string(line.size()) + '\n';
    input.append(line).append(write_hop(*step.hop));
    ChildLimits limits;
    limits.max_output_bytes = 1u << 30;
    ChildResult child = run_child({"/proc/self/exe", "batch-hop"}, input, limits);
    if (child.end != ChildResult::End::Exited || child.code != 0 || child.output.empty()) {
      return bad_request("null", "the process of a hop ended with: " + child.error);
    }
    const std::string_view rest = std::string_view(child.output).substr(1);
    step = child.output[0] == 'H' ? BatchStep{{}, read_hop(rest)} : BatchStep{std::string(rest), std::nullopt};
  }
  return step.answer;
}

std::string answer_hop(const ptc::Engine& engine, std::string_view input) {
  const std::size_t end = input.find('\n');
  std::size_t size = 0;
  const auto [stop, error] = std::from_chars(input.data(), input.data() + std::min(end, input.size()), size);
  if (end == std::string_view::npos || error != std::errc() || size > input.size() - end - 1) return {};
  const std::optional<HopState> from = read_hop(input.substr(end + 1 + size));
  if (!from) return {};
  const BatchStep step = answer_line(engine, input.substr(end + 1, size), &*from);
  return step.hop ? 'H' + write_hop(*step.hop) : 'A' + step.answer;
}

}  // namespace ptcvm::cli
