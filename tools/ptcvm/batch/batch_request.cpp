// Reading requests. The fields and their defaults are the protocol (docs/batch.md). A member that batch_members.def
// does not have, and a known member of a wrong kind, make a bad request; in version 1 the top of a request may have
// members of callers. null is the same as absent.
#include "tools/ptcvm/batch/batch_request.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "ptcvm/json.hpp"
#include "ptcvm/version.hpp"
#include "runtime/text/json_text.h"
#include "schema/closest_name.h"
#include "schema/limits.h"
#include "tools/ptcvm/batch/batch_answer.h"
#include "tools/ptcvm/batch/batch_fields.h"
#include "tools/ptcvm/batch/batch_run.h"
#include "tools/ptcvm/calls/child_process.h"
#include "tools/ptcvm/process/bounded_memory.h"
#include "tools/ptcvm/text/request_id.h"
#include "tools/ptcvm/text/value_count.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

// A line may take so many bytes of memory, and so many for each of its own, to be read.
constexpr std::size_t kFreeBytes = std::size_t{32} << 20;
constexpr std::size_t kBytesPerByte = 2;
// A longer line may have so many values and members; the values of a shorter one fit into the memory above.
constexpr std::size_t kLongLineBytes = std::size_t{1} << 20;
constexpr std::size_t kMostValues = 400'000;

// Members whose inside belongs to the program: data may have a member twice, as ever.
constexpr std::string_view kValues[] = {"data", "memory", "journal", "history", "budget", "tools"};

// More decimals than this change no float.
constexpr std::uint64_t kMostDecimals = 300;

// A member that names no limit would bound nothing.
void refuse_unknown_limits(const json::object& given, std::string& problem) {
  for (const auto& member : given) {
    const std::string_view name(member.key().data(), member.key().size());
    const bool is_known = name.find('-') == std::string_view::npos && ptc::find_limit(name, ptc::LimitPlace::Batch);
    if (is_known || !problem.empty()) continue;
    problem = "limits: there is no limit " + std::string(name.substr(0, 80));
    std::vector<std::string_view> known;
    for (const ptc::LimitInfo& limit : ptc::kLimits) known.push_back(limit.name);
    const std::string_view near = ptc::closest_name(name, known);
    if (!near.empty()) problem += "; did you mean " + std::string(near) + "?";
  }
}

// A limit at the wrong place would bound nothing.
void refuse_misplaced_limits(const json::object& request, std::string& problem) {
  for (const auto& member : request) {
    const std::string_view name(member.key().data(), member.key().size());
    if (problem.empty() && ptc::find_limit(name, ptc::LimitPlace::Batch)) {
      problem = std::string(name) + " is a limit: give it in limits";
    }
  }
}

// Limits as requests spelled them before they had one name.
void read_earlier(const BatchFields& fields, ptc::Limits& limits) {
  for (const ptc::LimitInfo& limit : ptc::kLimits) {
    const std::string_view earlier = ptc::earlier_spelling(limit, ptc::LimitPlace::Batch);
    if (!earlier.empty()) fields.limit(earlier, limit, limits);
  }
}

void read_options(const BatchFields& request, BatchRequest& out, std::string& problem) {
  RunOptions& options = out.options;
  ptc::Limits all;
  if (const json::object* given = request.object("opts")) {
    const BatchFields opts(*given, problem);
    opts.refuse_unknown(BatchObject::Options);
    const auto decimals = opts.decimals("float_precision");
    if (decimals && *decimals <= kMostDecimals) options.float_precision = static_cast<int>(*decimals);
    read_earlier(opts, all);
    options.signature = opts.text("signature").value_or("");
    out.strict_data = opts.flag("strict_data");
  }
  if (const json::object* given = request.object("limits")) {
    const BatchFields limits(*given, problem);
    refuse_unknown_limits(*given, problem);
    for (const ptc::LimitInfo& limit : ptc::kLimits) limits.limit(limit.name, limit, all);
    read_earlier(limits, all);
    // Requests said 0 for "no time at all" before 0 was "no limit".
    options.is_out_of_time = limits.find("timeout_ms") != nullptr && all.timeout_ms == 0;
  }
  ptc::for_each_limit_of(options.limits, all,
                         [](const ptc::LimitInfo&, auto& member, const auto& value) { member = value; });
}

// Adds the tools that are declared and those that have recorded answers. The tools answer from the request, which must
// outlive them.
void add_tools(const BatchFields& fields, BatchRequest& request, std::string& problem) {
  Tools& tools = request.options.tools;
  const auto answer_now = [&request](ToolCall& call) { return request.recorded.reply_to(call); };
  const auto start = [](ToolCall& call) { return call.pending(); };
  std::set<std::string_view> has_records;
  fields.objects("tools", [&](const BatchFields& entry) {
    entry.refuse_unknown(BatchObject::Recorded);
    RecordedCall call;
    const std::string_view name = entry.name_in("tools");
    call.tool = name;
    call.args_edn = entry.edn("args_edn", "args").value_or("{}");
    call.result_edn = entry.edn("result_edn", "result");
    if (const auto text = entry.text("error")) call.error_edn = *text;
    if (has_records.insert(name).second && !tools.find(name)) (void)tools.add(call.tool, "", answer_now);
    if (const auto message = request.recorded.add(std::move(call)); message && problem.empty()) {
      problem = "the arguments of a tool: " + *message;
    }
  });
  fields.objects("tool_defs", [&](const BatchFields& entry) {
    entry.refuse_unknown(BatchObject::ToolDef);
    ToolOptions options;
    options.checks_signature = false;
    options.description = entry.text("description").value_or("");
    options.cache = entry.flag("cache");
    options.mode = entry.tool_mode("async");
    options.effect = entry.effect("effect");
    const std::string name(entry.name_in("tool_defs"));
    const std::string_view signature = entry.text("signature").value_or("");
    if (options.mode == ToolMode::Sync) {
      (void)tools.add(name, signature, answer_now, options);
    } else {
      (void)tools.add(name, signature, start, options);
    }
  });
}

// Loads what the turn begins with. `memory` is its definitions as EDN.
void load_inputs(const BatchFields& request, const std::optional<std::string>& memory, Session& session,
                 std::string& problem) {
  const auto load = [&](const std::optional<std::string>& edn, std::string_view name, const auto& loader) {
    if (!edn || !problem.empty()) return;
    if (const auto loaded = loader(*edn); !loaded) problem = std::string(name) + ": " + loaded.error().message;
  };
  load(memory, "memory_edn", [&](std::string_view edn) { return session.load_definitions(edn); });
  load(request.edn("context_edn", "data"), "context_edn", [&](std::string_view edn) { return session.load_data(edn); });
  load(request.edn("journal_edn", "journal"), "journal_edn",
       [&](std::string_view edn) { return session.load_journal(edn); });
  load(request.edn("history_edn", "history"), "history_edn",
       [&](std::string_view edn) { return session.load_history(edn); });
  const auto budget = [&](std::string_view edn) { return session.load_budget(edn); };
  load(request.edn("", "budget"), "budget", budget);
  if (const json::object* given = request.object("opts")) {
    load(BatchFields(*given, problem).edn("budget_edn", ""), "budget_edn", budget);
  }
}

struct BatchStep {
  std::string answer;
  std::optional<HopState> hop;       // goes on in another process instead
};

SuspendPlan suspend_plan(const BatchFields& request, std::string& problem) {
  SuspendPlan plan;
  if (const json::value* when = request.find("suspend")) {
    if (const json::string* text = when->if_string()) {
      if (*text == "pending") plan.when = SuspendPlan::When::Pending;
      if (*text == "every") plan.when = SuspendPlan::When::Every;
    } else if (const auto every = whole_number(*when); every && every->is_int64() && every->get_int64() > 0) {
      plan.when = SuspendPlan::When::Every;
      plan.every = static_cast<std::uint64_t>(every->get_int64());
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

// The time of the program when the request has none, 2026-01-01. Equal requests give equal answers, so the time moves
// only when the program sleeps or waits for a deadline.
constexpr std::int64_t kBatchClock = 1'767'225'600'000;

// One request, from its beginning or from where another process left it. Gives the answer, or what the next process
// needs when the request asks for fresh ones.
BatchStep answer_object(const Engine& engine, std::string_view line, const json::object& object,
                        const LiveTools& live, const HopState* from, std::int64_t protocol) {
  std::string problem, id_json = "null";
  const BatchFields fields(object, problem);
  BatchRequest request;
  if (const json::value* id = fields.find("id")) id_json = request_id(line, *id);
  const auto source = fields.text("source");
  if (!source && problem.empty()) problem = "source is missing";
  refuse_misplaced_limits(object, problem);
  if (from == nullptr) fields.refuse_unknown_request(protocol);
  read_options(fields, request, problem);
  request.order = fields.resolve_order("resolve_order");
  const AnswerStyle style{fields.one_of("values", "edn", "json"), fields.one_of("diagnostics", "plain", "rendered")};
  request.plan = suspend_plan(fields, problem);
  const std::string doubled = problem.empty() ? doubled_member(line, kValues) : "";
  if (!doubled.empty()) problem = "the member " + doubled + " is written twice";
  if (!problem.empty()) return {bad_request(id_json, problem), std::nullopt};
  request.source = *source;
  const std::optional<std::string> memory = fields.edn("memory_edn", "memory");
  if (memory) request.memory_edn = *memory;
  request.options.journal = fields.find("journal_edn") != nullptr || fields.find("journal") != nullptr;
  request.options.time_ms = fields.time("clock_ms").value_or(kBatchClock);
  request.options.pauses_at_calls = request.plan.when != SuspendPlan::When::Never;
  add_tools(fields, request, problem);
  live.add_to(request.options.tools);            // the tools of the request go before
  if (!problem.empty()) return {bad_request(id_json, problem), std::nullopt};

  BatchRun run(engine, request);
  if (from == nullptr) {
    run.begin([&](Session& session) {
      load_inputs(fields, memory, session, problem);
      return problem.empty();
    });
    if (!problem.empty()) return {bad_request(id_json, problem), std::nullopt};
  } else {
    run.go_on_from(*from);
  }
  if (auto hop = run.finish()) return {{}, std::move(hop)};
  BatchAnswer answer = run.answer();
  answer.id_json = std::move(id_json);
  return {write_answer(answer, style), std::nullopt};
}

// Parses the line into `memory`. Returns nullopt and says why when the line cannot be read.
std::optional<json::value> read_line(std::string_view line, BoundedMemory& bounded, json::storage_ptr memory,
                                     std::string& problem) {
  constexpr std::string_view kTooMany = "the line has too many values: send fewer in one request";
  if (line.size() > kLongLineBytes && has_more_values(line, kMostValues)) {
    problem = kTooMany;
    return std::nullopt;
  }
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
    problem = kTooMany;
  }
  return std::nullopt;
}

BatchStep answer_line(const Engine& engine, std::string_view line, const LiveTools& live, const HopState* from,
                      std::int64_t protocol) {
  BoundedMemory bounded(kFreeBytes + kBytesPerByte * line.size());
  constexpr std::size_t kFirstBlock = 1024;
  json::monotonic_resource memory(kFirstBlock, json::storage_ptr(&bounded));
  std::string problem;
  const std::optional<json::value> parsed = read_line(line, bounded, &memory, problem);
  if (!parsed) return {bad_request("null", problem), std::nullopt};
  const json::object* object = parsed->if_object();
  if (object == nullptr) return {bad_request("null", "a request is a JSON object"), std::nullopt};
  return answer_object(engine, line, *object, live, from, protocol);
}

}  // namespace

std::optional<std::string> answer_header(std::string_view line, std::int64_t& protocol) {
  constexpr std::size_t kMostHeaderBytes = 1'000;
  protocol = 1;
  if (line.size() > kMostHeaderBytes) return std::nullopt;
  json::error_code error;
  const json::value parsed = json::parse({line.data(), line.size()}, error);
  const json::object* const header = error ? nullptr : parsed.if_object();
  if (header == nullptr || !header->contains("protocol") || header->contains("source")) return std::nullopt;
  std::string problem = unknown_member(BatchObject::Header, *header);
  const auto number = whole_number(header->at("protocol"));
  const std::int64_t* const version = number ? number->if_int64() : nullptr;
  const bool is_known = version != nullptr && (*version == kBatchProtocol || *version == 1);
  if (problem.empty() && !is_known) {
    problem = "protocol " + json::serialize(header->at("protocol")).substr(0, 40) +
              " is unknown; this engine speaks 1 and " + std::to_string(kBatchProtocol);
  }
  protocol = problem.empty() ? *version : 0;
  if (protocol == 0) return bad_request("null", problem);
  std::string greeting = "{\"protocol\":" + std::to_string(*version) + ",\"engine\":";
  ptc::append_json_string(greeting, ptcvm::version());
  return greeting + '}';
}

std::string refuse_request(std::string_view message) { return bad_request("null", message); }

// Each hop is a process of its own that gets the request and the state, and gives the next state or the answer.
std::string answer_request(const Engine& engine, std::string_view line, std::int64_t protocol,
                           const LiveTools& live) {
  BatchStep step = answer_line(engine, line, live, nullptr, protocol);
  std::vector<std::string> next_process{"/proc/self/exe", "batch-hop"};
  next_process.insert(next_process.end(), live.arguments.begin(), live.arguments.end());
  while (step.hop) {
    std::string input = std::to_string(line.size()) + '\n';
    input.append(line).append(write_hop(*step.hop));
    ChildLimits limits;
    limits.max_output_bytes = 1u << 30;
    ChildResult child = run_child(next_process, input, limits);
    if (child.end != ChildResult::End::Exited || child.code != 0 || child.output.empty()) {
      return bad_request("null", "the process of a hop ended with: " + child.error);
    }
    const std::string_view rest = std::string_view(child.output).substr(1);
    step = child.output[0] == 'H' ? BatchStep{{}, read_hop(rest)} : BatchStep{std::string(rest), std::nullopt};
  }
  return step.answer;
}

std::string answer_hop(const Engine& engine, const LiveTools& live, std::string_view input) {
  const std::size_t end = input.find('\n');
  std::size_t size = 0;
  const auto [stop, error] = std::from_chars(input.data(), input.data() + std::min(end, input.size()), size);
  if (end == std::string_view::npos || error != std::errc() || size > input.size() - end - 1) return {};
  const std::optional<HopState> from = read_hop(input.substr(end + 1 + size));
  if (!from) return {};
  const BatchStep step = answer_line(engine, input.substr(end + 1, size), live, &*from, kBatchProtocol);
  return step.hop ? 'H' + write_hop(*step.hop) : 'A' + step.answer;
}

}  // namespace ptcvm::cli
