#include "tests/scenarios/chain_fixture.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <stdexcept>

#include "agents/chain/plan/step_values.h"
#include "agents/chain/run/steps_run.h"
#include "tests/scenarios/case_json.h"

namespace ptcvm::scenarios {

namespace {

namespace json = boost::json;
using chain::ChainOperation;
using chain::OperationKind;

constexpr std::string_view kMembers[] = {
    "input",   "plan",        "raw",               "replans",          "replan",            "maxRevisions", "tools",
    "effects", "deniedTools", "mustConfirmBefore", "userConfirmation", "verification_mode", "ask",          "crash",
    "doubt",   "parallel"};

// The cases were written in YAML, where yes and no are true and false.
json::value yes_or_no(const json::value& value) {
  if (!value.is_bool()) return value;
  return json::value(value.get_bool() ? "yes" : "no");
}

std::string said_text(const json::value& value) { return chain::output_text(yes_or_no(value)); }

std::string plan_text(const json::array& steps) {
  json::array written;
  for (const json::value& step : steps) {
    json::object object = step.as_object();
    if (!object.contains("type")) object["type"] = "action";
    if (!object.contains("description")) object["description"] = "do it";
    written.push_back(std::move(object));
  }
  return json::serialize(json::object{{"steps", std::move(written)}});
}

}  // namespace

ChainFixture::ChainFixture(const json::object& given, const ScenarioStore& store, ChainManner manner)
    : given_(given), store_(store), manner_(manner), crashes_(texts(given, "crash")) {
  for (const auto& [name, value] : given) {
    if (std::find(std::begin(kMembers), std::end(kMembers), std::string_view(name)) == std::end(kMembers)) {
      throw std::runtime_error("unknown member: " + std::string(name));
    }
  }
}

chain::ChainOptions ChainFixture::options() const {
  chain::ChainOptions options;
  options.id = "T";
  if (const json::value* const input = given_.if_contains("input")) options.input = input->as_string();
  const json::value* const effects = given_.if_contains("effects");
  if (const json::value* const tools = given_.if_contains("tools")) {
    for (const auto& [name, outcomes] : tools->as_object()) {
      chain::ChainTool tool{.name = std::string(name), .signature = {}, .description = {}};
      const json::value* const effect = effects == nullptr ? nullptr : effects->as_object().if_contains(name);
      if (effect != nullptr) tool.effect = find_effect(std::string_view(effect->as_string())).value();
      options.tools.push_back(std::move(tool));
    }
  }
  options.policy.denied_tools = texts(given_, "deniedTools");
  options.policy.confirmed_tools = texts(given_, "mustConfirmBefore");
  options.policy.has_person = given_.contains("ask");
  if (const json::value* const wish = given_.if_contains("userConfirmation")) {
    options.policy.user_confirmation = wish->to_number<double>();
  }
  if (const json::value* const mode = given_.if_contains("verification_mode")) {
    if (mode->as_string() == "heuristic") options.verifier = chain::Verifier::Heuristic;
    if (mode->as_string() == "model") throw std::runtime_error("a case cannot say what a model answers to a criterion");
  }
  if (const json::value* const replans = given_.if_contains("replan")) options.replans = replans->as_bool();
  if (const json::value* const most = given_.if_contains("maxRevisions")) {
    options.most_revisions = most->to_number<std::uint32_t>();
  }
  options.parallel = manner_.parallel;
  options.yields_between_steps = true;
  return options;
}

const ChainSeen& ChainFixture::run() {
  constexpr int kMostProcesses = 1'000;
  for (int process = 0; process < kMostProcesses; ++process) {
    if (run_process() == Next::Stop) return seen_;
  }
  throw std::runtime_error("the task does not end in " + std::to_string(kMostProcesses) + " processes");
}

// Kill: the process is gone, and another one goes on.
ChainFixture::Next ChainFixture::run_process() {
  const Store store = store_.open();
  chain::ChainRun run = chain::ChainRun::start(engine_, store, options()).value();
  const std::size_t calls_before = seen_.calls.size();   // a new process does one step at least
  for (;;) {
    const chain::ChainState state = run.step().value();
    if (dies_after_commit(store) || dies_here()) return Next::Kill;
    seen_.feedback = run.feedback();
    if (run.outcome() && !seen_.outcome) {
      seen_.outcome = run.outcome();
      if (dies("after_report")) return Next::Kill;
    }
    if (state == chain::ChainState::Yielded) {
      if (manner_.hops && seen_.calls.size() > calls_before) return Next::Kill;
      continue;
    }
    const Next next = serve(run);
    if (next != Next::GoOn) return next;
  }
}

// Answers what can be answered. Stop: nothing can.
ChainFixture::Next ChainFixture::serve(chain::ChainRun& run) {
  bool is_answered = false;
  for (const ChainOperation& operation : run.operations()) {
    const Next next = serve_one(run, operation, is_answered);
    if (next != Next::GoOn) return next;
  }
  return is_answered ? Next::GoOn : Next::Stop;
}

ChainFixture::Next ChainFixture::serve_one(chain::ChainRun& run, const ChainOperation& operation, bool& is_answered) {
  switch (operation.kind) {
    case OperationKind::Question: return ask(run, operation, is_answered);
    case OperationKind::Doubt: is_answered = settle(run, operation) || is_answered; return Next::GoOn;
    case OperationKind::Tool: is_answered = true; return call_tool(run, operation);
    case OperationKind::Report: is_answered = true; return keep_report(run, operation);
    case OperationKind::Model: break;
  }
  is_answered = true;
  std::string reply;
  if (operation.purpose == "plan" || operation.purpose == "replan") reply = planner_reply(operation);
  run.answer(operation.id, json::value(reply)).value();
  return Next::GoOn;
}

std::string ChainFixture::planner_reply(const ChainOperation& operation) {
  ++seen_.planner_calls;
  if (const json::value* const raw = given_.if_contains("raw")) {
    if (raw_replies_ < raw->as_array().size()) return said_text(raw->as_array()[raw_replies_++]);
  }
  if (operation.revision == 1) {
    const json::value* const plan = given_.if_contains("plan");
    return plan == nullptr ? "" : plan_text(plan->as_array());
  }
  const json::value* const replans = given_.if_contains("replans");
  const std::size_t place = operation.revision - 2;
  if (replans == nullptr || place >= replans->as_array().size()) return "";
  return plan_text(replans->as_array()[place].as_array());
}

const json::object& ChainFixture::outcome_of(const std::string& tool, std::size_t call) const {
  const json::array& outcomes = given_.at("tools").at(tool).as_array();
  return outcomes.at(std::min(call, outcomes.size() - 1)).as_object();
}

ChainFixture::Next ChainFixture::call_tool(chain::ChainRun& run, const ChainOperation& operation) {
  seen_.calls.push_back(operation.tool);
  seen_.args[operation.tool].push_back(operation.args);
  const json::object& outcome = outcome_of(operation.tool, made_[operation.tool]++);
  if (dies("in_call " + operation.step)) return Next::Kill;
  if (const json::value* const echo = outcome.if_contains("echo")) {
    const json::value* const arg = operation.args.if_contains(echo->as_string());
    run.answer(operation.id, arg == nullptr ? json::value() : *arg).value();
  } else if (const json::value* const ok = outcome.if_contains("ok")) {
    run.answer(operation.id, yes_or_no(*ok)).value();
  } else {
    const json::value* failure = outcome.if_contains("err");
    if (failure == nullptr) failure = outcome.if_contains("throw");
    if (failure == nullptr) throw std::runtime_error("an outcome is ok, err, throw or echo");
    run.answer_error(operation.id, said_text(*failure)).value();
  }
  return Next::GoOn;
}

std::optional<std::string> ChainFixture::next_answer() {
  const json::value& ask = given_.at("ask");
  json::value said = ask;
  if (ask.is_array()) {
    if (answers_ >= ask.get_array().size()) return std::nullopt;
    said = ask.get_array()[answers_++];
  }
  const std::string text = said_text(said);
  return text == "never" ? std::nullopt : std::optional(text);
}

ChainFixture::Next ChainFixture::ask(chain::ChainRun& run, const ChainOperation& operation, bool& is_answered) {
  if (operation.purpose == "feedback") {
    if (!seen_.is_feedback_asked) {
      seen_.is_feedback_asked = true;
      seen_.was_reported_before_feedback = seen_.outcome && seen_.reports.size() == 1;
    }
  } else {
    seen_.questions.insert(operation.key);
    if (dies("while_asking " + operation.step)) return Next::Kill;
  }
  if (const auto said = next_answer()) {
    is_answered = true;
    run.answer(operation.id, json::value(*said)).value();
  }
  return Next::GoOn;
}

// Says what the person knows about a call; false: nobody says anything.
bool ChainFixture::settle(chain::ChainRun& run, const ChainOperation& operation) {
  if (manner_.dies_at > 0) {
    run.settle(operation.id, DoubtAnswer::DidNot).value();
    return true;
  }
  seen_.was_in_doubt = true;
  const json::value* const doubt = given_.if_contains("doubt");
  if (doubt == nullptr) return false;
  if (doubt->as_string() != "happened") {
    if (doubt->as_string() != "not_happened") throw std::runtime_error("a doubt is happened or not_happened");
    run.settle(operation.id, DoubtAnswer::DidNot).value();
    return true;
  }
  const json::value* const ok = outcome_of(operation.tool, 0).if_contains("ok");
  run.settle(operation.id, DoubtAnswer::Happened, ok == nullptr ? json::value() : yes_or_no(*ok)).value();
  return true;
}

ChainFixture::Next ChainFixture::keep_report(chain::ChainRun& run, const ChainOperation& operation) {
  if (dies("before_report")) return Next::Kill;
  seen_.reports.emplace(operation.key, operation.args);
  run.answer(operation.id, nullptr).value();
  return Next::GoOn;
}

bool ChainFixture::dies(const std::string& point) {
  const auto found = std::find(crashes_.begin(), crashes_.end(), point);
  if (found == crashes_.end()) return false;
  crashes_.erase(found);
  return true;
}

bool ChainFixture::dies_after_commit(const Store& store) {
  constexpr std::string_view kPoint = "after_commit ";
  for (const std::string& crash : crashes_) {
    if (!crash.starts_with(kPoint)) continue;
    const std::string begin = "T/" + crash.substr(kPoint.size()) + '#';
    const RunJournal journal = store.journal(chain::steps_run_id("T")).value();
    const bool is_committed = std::any_of(journal.tasks.begin(), journal.tasks.end(),
                                          [&](const JournalTask& task) {
                                            return task.id.starts_with(begin) &&
                                                   !task.value_edn.starts_with("{\"error\"");
                                          });
    if (is_committed) return dies(crash);
  }
  return false;
}

}  // namespace ptcvm::scenarios
