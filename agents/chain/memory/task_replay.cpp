#include "agents/chain/memory/task_replay.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "agents/chain/run/asked_replan.h"
#include "agents/chain/text/ascii_text.h"
#include "agents/chain/run/chain_log.h"
#include "agents/chain/run/chain_run.h"
#include "agents/chain/run/driver_run.h"
#include "agents/chain/plan/gate.h"
#include "agents/chain/text/json_member.h"
#include "agents/chain/text/model_usage.h"
#include "agents/chain/plan/plan_program.h"
#include "agents/chain/run/steps_run.h"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

// What the logs of a task have.
class Recording {
 public:
  static Result<Recording> read(const Store& store, const std::string& id) {
    Recording made;
    made.id_ = id;
    const auto driver = driver_journal(store, id);
    if (!driver) return driver.error();
    const auto steps = store.journal(steps_run_id(id));
    if (!steps) return steps.error();
    for (const JournalTask& task : driver->tasks) made.driver_[task.id] = value_of(task);
    for (const JournalTask& task : steps->tasks) made.steps_[task.id] = value_of(task);
    for (const JournalOperation& operation : steps->operations) {
      if (operation.status == "ok") made.said_[operation.id] = operation.value_edn == "nil";
    }
    return made;
  }

  const json::value* of_driver(const std::string& name) const { return find(driver_, id_ + "/" + name); }
  const json::value* call(const std::string& task) const { return find(steps_, task); }
  const json::object* row(const std::string& step, std::uint32_t revision) const {
    const json::value* const found = find(steps_, id_ + "/" + step + "@" + std::to_string(revision));
    return found == nullptr ? nullptr : found->if_object();
  }
  // Returns what a person said, or nullopt.
  std::optional<bool> said(const std::string& question) const {
    const auto found = said_.find(question);
    return found == said_.end() ? std::nullopt : std::optional(found->second);
  }
  // Returns the tasks of calls.
  std::set<std::string> calls() const {
    std::set<std::string> tasks;
    for (const auto& [task, value] : steps_) {
      if (!step_of_key(task, id_).empty()) tasks.insert(task);
    }
    return tasks;
  }

 private:
  using Values = std::map<std::string, json::value>;
  static json::value value_of(const JournalTask& task) {
    const auto value = Value::from_edn(task.value_edn);
    return value ? to_json(*value) : json::value();
  }
  static const json::value* find(const Values& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }

  std::string id_;
  Values driver_, steps_;
  std::map<std::string, bool> said_;
};

std::chrono::milliseconds time_in(const json::object& row) {
  const json::value* const ms = row.if_contains("ms");
  return std::chrono::milliseconds(ms != nullptr && ms->is_int64() ? ms->get_int64() : 0);
}

ModelUsage usage_in(const json::object& row) {
  ModelUsage usage = read_usage(row.if_contains("tokens"));
  usage.calls = member_count(row, "modelCalls", usage.calls);
  usage.tool_calls = member_count(row, "toolCalls", 0);
  return usage;
}

// Answers what a task asks, from a recording.
class Answers {
 public:
  Answers(const Recording& recording, const ChainOptions& options, std::string_view plan, TaskReplay& out)
      : recording_(recording), options_(options), plan_(plan), out_(out) {}

  Result<void> drive(ChainRun& run) {
    for (;;) {
      const auto state = run.step();
      if (!state) return state.error();
      if (*state == ChainState::Done) return {};
      if (*state == ChainState::Yielded) continue;
      const auto operations = run.operations();
      if (operations.empty()) return Error{Errc::wrong_state, "the replay waits for nothing", std::nullopt};
      for (const ChainOperation& operation : operations) {
        if (auto answered = answer(run, operation); !answered) return answered;
      }
    }
  }
  const std::set<std::string>& made() const { return made_; }

 private:
  Result<void> answer(ChainRun& run, const ChainOperation& operation) {
    switch (operation.kind) {
      case OperationKind::Report: return run.answer(operation.id, nullptr);
      case OperationKind::Question: return answer_question(run, operation);
      case OperationKind::Doubt: return run.settle(operation.id, DoubtAnswer::GiveUp);
      case OperationKind::Tool: return answer_call(run, operation);
      case OperationKind::Model: break;
    }
    if (operation.purpose == "step") return answer_call(run, operation);
    if (operation.purpose == "verify") return answer_verify(run, operation);
    return answer_planner(run, operation);
  }

  Result<void> answer_planner(ChainRun& run, const ChainOperation& operation) {
    const bool is_intent = operation.purpose == "intent";
    const std::uint32_t attempt = is_intent ? 1 : ++attempts_[operation.revision];
    const bool is_changed = operation.purpose == "plan" && attempt == 1 && !plan_.empty();
    if (is_changed) return run.answer(operation.id, json::value(plan_));
    const std::string name = "plan@" + std::to_string(operation.revision) + "." + std::to_string(attempt);
    const json::value* const reply = recording_.of_driver(is_intent ? "intent" : name);
    if (reply != nullptr) {
      if (std::string refusal = reply_refusal(*reply); !refusal.empty()) return run.refuse(operation.id, refusal);
      return run.answer(operation.id, json::value(reply_text(*reply)), {}, reply_usage(*reply));
    }
    miss(operation.purpose, "", "revision " + std::to_string(operation.revision));
    return run.answer(operation.id, operation.purpose == "replan" ? R"({"steps":[]})" : "");
  }

  Result<void> answer_call(ChainRun& run, const ChainOperation& operation) {
    made_.insert(operation.task);
    if (operation.kind == OperationKind::Tool) {
      out_.dangerous_calls += assess_risk(operation.tool, operation.args, options_.policy.safety).is_high;
    }
    // A call that failed, and that a later revision made again: the row of its revision knows the failure.
    const json::object* const row = recording_.row(operation.step, operation.revision);
    if (row != nullptr && row->contains("broken") && recording_.call(operation.task) != nullptr) {
      return run.answer_error(operation.id, member_text(*row, "error"), time_in(*row), usage_in(*row));
    }
    const json::value* const kept = recording_.call(operation.task);
    if (kept == nullptr || !kept->is_object()) {
      const bool is_tool = operation.kind == OperationKind::Tool;
      const std::string detail = is_tool ? operation.tool + " " + json::serialize(operation.args) : operation.text;
      miss(is_tool ? "tool" : "agent", operation.step, detail);
      return run.answer_error(operation.id, "recording_miss: the log has no such call");
    }
    const json::object& known = kept->get_object();
    if (known.contains("error")) {
      return run.answer_error(operation.id, member_text(known, "error"), time_in(known), usage_in(known));
    }
    const json::value* const value = known.if_contains("value");
    return run.answer(operation.id, value == nullptr ? json::value() : *value, time_in(known), usage_in(known));
  }

  Result<void> answer_verify(ChainRun& run, const ChainOperation& operation) {
    const json::object* const row = recording_.row(operation.step, operation.revision);
    const json::value* const verdict = row == nullptr ? nullptr : row->if_contains("verdict");
    if (verdict == nullptr || !verdict->is_array()) {
      miss("verify", operation.step, "revision " + std::to_string(operation.revision));
      return run.answer(operation.id, json::array());
    }
    json::array said;
    for (const json::value& one : verdict->get_array()) {
      const json::value* const passes = one.is_object() ? one.get_object().if_contains("passes") : nullptr;
      said.push_back(passes == nullptr ? json::value() : *passes);
    }
    return run.answer(operation.id, std::move(said), {}, read_usage(row->if_contains("judgeTokens")));
  }

  Result<void> answer_question(ChainRun& run, const ChainOperation& operation) {
    ++out_.questions;
    const auto said = recording_.said(operation.key);
    if (!said) miss("confirm", operation.step, operation.signature);
    return run.answer(operation.id, said.value_or(false) ? "yes" : "no");
  }

  void miss(std::string what, std::string step, std::string detail) {
    constexpr std::size_t kMostDetail = 400;
    if (detail.size() > kMostDetail) detail = detail.substr(0, kMostDetail) + "…";
    out_.misses.push_back({std::move(what), std::move(step), std::move(detail)});
  }

  const Recording& recording_;
  const ChainOptions& options_;
  const std::string plan_;
  TaskReplay& out_;
  std::map<std::uint32_t, std::uint32_t> attempts_;   // requests for a plan, by revision
  std::set<std::string> made_;                        // tasks of calls
};

json::object without_time(json::object report) {
  report.erase("createdAt");
  return report;
}

// The words of a result, of at least two bytes.
std::set<std::string> words_of(const json::object& report) {
  std::string text = member_text(report, "summary");
  if (const json::value* const outputs = report.if_contains("outputs"); outputs != nullptr && outputs->is_array()) {
    for (const json::value& output : outputs->get_array()) {
      if (output.is_string()) text.append(" ").append(output.get_string());
    }
  }
  std::set<std::string> words;
  std::string word;
  for (const char c : lowercase(text) + " ") {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      word += c;
    } else {
      if (word.size() >= 2) words.insert(word);
      word.clear();
    }
  }
  return words;
}

double similarity(const std::set<std::string>& a, const std::set<std::string>& b) {
  if (a.empty() && b.empty()) return 1;
  if (a.empty() || b.empty()) return 0.5;
  const auto both = static_cast<double>(
      std::count_if(a.begin(), a.end(), [&](const std::string& word) { return b.contains(word); }));
  return both / (static_cast<double>(a.size() + b.size()) - both);
}

// Returns 1 up to `best`, 0 from `worst` on, and evenly less between them.
double falling(double value, double best, double worst) {
  return std::clamp((worst - value) / (worst - best), 0.0, 1.0);
}

}  // namespace

Result<TaskReplay> replay_task(const Engine& engine, const Store& recorded, ChainOptions options,
                               std::string_view plan) {
  const auto log = read_chain_log(recorded, options.id);
  if (!log) return log.error();
  if (!log->report) return Error{Errc::wrong_state, "there is no task " + options.id + " that has ended", std::nullopt};
  const auto recording = Recording::read(recorded, options.id);
  if (!recording) return recording.error();
  const auto wishes = all_replans(recorded, options.id);
  if (!wishes) return wishes.error();
  TaskReplay out;
  out.recorded = *log->report;
  const Store store = Store::in_memory();
  Answers answers(*recording, options, plan, out);
  for (std::size_t round = 0;; ++round) {
    auto run = ChainRun::start(engine, store, options);
    if (!run) return run.error();
    if (auto driven = answers.drive(*run); !driven) return driven.error();
    out.report = run->outcome()->report;
    if (round == wishes->size()) break;
    // A person asked for another plan after that report.
    if (auto asked = ask_replan(store, options.id, (*wishes)[round].wish, "", 0); !asked) return asked.error();
  }
  for (const std::string& task : recording->calls()) {
    if (!answers.made().contains(task)) out.unused.push_back(task);
  }
  out.is_same = out.misses.empty() && without_time(out.report) == without_time(out.recorded);
  return out;
}

double replay_score(const TaskReplay& replay) {
  const double alike = similarity(words_of(replay.report), words_of(replay.recorded));
  const bool has_drift = !replay.misses.empty() || !replay.unused.empty();
  const json::value* const success = replay.report.if_contains("success");
  if (success == nullptr || *success != true) return std::clamp(0.1 * alike - (has_drift ? 0.05 : 0), 0.0, 1.0);
  const json::array& steps = replay.report.at("steps").as_array();
  const auto checked = std::count_if(steps.begin(), steps.end(), [](const json::value& step) {
    return member_text(step.as_object(), "verificationStatus") == "passed";
  });
  const double duration_ms = replay.report.at("durationMs").to_number<double>();
  constexpr double kUnknownCost = 0.5;
  double score = 0.40 + 0.15 * alike;
  score += 0.15 * falling(duration_ms, 2'000, 60'000);
  score += 0.10 * falling(static_cast<double>(steps.size()), 3, 20);
  score += 0.05 * kUnknownCost;
  score += 0.05 * falling(static_cast<double>(replay.dangerous_calls), 0, 5);
  score += 0.05 * falling(static_cast<double>(replay.questions), 0, 5);
  score += 0.05 * static_cast<double>(checked) / static_cast<double>(std::max<std::size_t>(steps.size(), 1));
  return std::clamp(score - (has_drift ? 0.15 : 0), 0.0, 1.0);
}

}  // namespace ptcvm::chain
