// Cases of the kind "run": a whole task. Each case is executed in one process, with a new process for each step, and
// with a process that is killed, after each step of the chain in turn; what `then` says must hold each time. Our own
// cases may have the member "parallel" in `given`: so many steps are then under way at once, and the order of calls is
// not looked at.
#include <algorithm>
#include <boost/json/serialize.hpp>

#include "agents/chain/run/steps_run.h"
#include "tests/scenarios/case_json.h"
#include "tests/scenarios/chain_fixture.h"

namespace ptcvm::scenarios {

namespace {

namespace json = boost::json;

// Compares what was seen with one member of `then`.
class ChainVerdict {
 public:
  ChainVerdict(const ChainSeen& seen, const ScenarioStore& store, bool is_ordered)
      : seen_(seen), store_(store), is_ordered_(is_ordered) {}
  Why member(std::string_view name, const json::value& expected) const;

 private:
  std::optional<json::value> seen_value(std::string_view name) const;
  std::optional<json::value> counted(std::string_view name) const;
  Why calls(const json::value& expected) const;
  Why calls_args(const json::object& expected) const;
  Why errors(const json::value& expected, bool is_whole) const;
  Why verifications(const json::object& expected) const;
  Why notes(const json::value& expected) const;
  Why feedback(const json::value& expected) const;
  json::object report() const { return seen_.outcome ? seen_.outcome->report : json::object(); }
  const json::object* step(std::string_view id, const json::object& report) const;
  std::size_t recorded_effects() const;

  const ChainSeen& seen_;
  const ScenarioStore& store_;
  const bool is_ordered_;
};

// A text is expected whole, or by the name at its beginning.
bool is_text_or_name(std::string_view expected, std::string_view got) {
  return got == expected || (got.starts_with(expected) && got.substr(expected.size()).starts_with(':'));
}

std::optional<json::value> ChainVerdict::counted(std::string_view name) const {
  if (name == "asked") return seen_.questions.size();
  if (name == "planner_calls") return seen_.planner_calls;
  if (name == "reports") return seen_.reports.size();
  if (name == "recorded_effects") return recorded_effects();
  return std::nullopt;
}

std::optional<json::value> ChainVerdict::seen_value(std::string_view name) const {
  const bool is_over = seen_.outcome.has_value();
  if (name == "task") return !is_over ? "parked" : seen_.outcome->is_completed ? "completed" : "failed";
  if (name == "revision") return is_over ? json::value(seen_.outcome->revision) : json::value();
  if (name == "parked_in_doubt") return seen_.was_in_doubt;
  if (name == "feedback_asked") return seen_.is_feedback_asked;
  if (name == "report_before_feedback") return seen_.was_reported_before_feedback;
  const json::object report = this->report();
  if (name == "success") return is_over ? report.at("success") : json::value(false);
  if (name == "summary" || name == "outputs") return is_over ? report.at(name) : json::value();
  if (name != "steps") return std::nullopt;
  json::array rows;
  if (is_over) {
    for (const json::value& row : report.at("steps").as_array()) {
      rows.push_back(json::array{row.at("stepId"), row.at("status")});
    }
  }
  return rows;
}

std::size_t ChainVerdict::recorded_effects() const {
  const RunJournal journal = store_.open().journal(chain::steps_run_id("T")).value();
  return static_cast<std::size_t>(
      std::count_if(journal.tasks.begin(), journal.tasks.end(), [](const JournalTask& task) {
        return task.id.find('#') != std::string::npos && !task.value_edn.starts_with("{\"error\"");
      }));
}

Why ChainVerdict::calls(const json::value& expected) const {
  std::vector<std::string> wanted, got = seen_.calls;
  for (const json::value& call : expected.as_array()) wanted.emplace_back(call.as_string());
  if (!is_ordered_) {   // steps at once: the order is theirs
    std::sort(wanted.begin(), wanted.end());
    std::sort(got.begin(), got.end());
  }
  return differs("calls", json::array(wanted.begin(), wanted.end()), json::array(got.begin(), got.end()));
}

Why ChainVerdict::calls_args(const json::object& expected) const {
  for (const auto& [tool, calls] : expected) {
    const auto found = seen_.args.find(std::string(tool));
    const json::value got = found == seen_.args.end() ? json::value(json::array()) : json::value(found->second);
    if (auto why = differs("calls_args of " + std::string(tool), calls, got)) return why;
  }
  return std::nullopt;
}

const json::object* ChainVerdict::step(std::string_view id, const json::object& report) const {
  const json::value* const steps = report.if_contains("steps");
  if (steps == nullptr) return nullptr;
  for (const json::value& row : steps->as_array()) {
    if (row.at("stepId").as_string() == id) return &row.as_object();
  }
  return nullptr;
}

Why ChainVerdict::errors(const json::value& expected, bool is_whole) const {
  const json::object report = this->report();
  const auto holds = [&](std::string_view wanted, std::string_view got) {
    return is_whole ? is_text_or_name(wanted, got) : got.find(wanted) != std::string_view::npos;
  };
  if (expected.is_string()) {
    const std::string got = seen_.outcome ? seen_.outcome->error : "";
    if (holds(std::string_view(expected.get_string()), got)) return std::nullopt;
    return "error: expected " + json::serialize(expected) + ", got \"" + got + '"';
  }
  for (const auto& [id, wanted] : expected.as_object()) {
    const json::object* const row = step(id, report);
    const json::value* const error = row == nullptr ? nullptr : row->if_contains("error");
    const std::string_view got = error == nullptr ? std::string_view() : std::string_view(error->as_string());
    if (!holds(std::string_view(wanted.as_string()), got)) {
      return differs("error of " + std::string(id), wanted, json::value(got));
    }
  }
  return std::nullopt;
}

Why ChainVerdict::verifications(const json::object& expected) const {
  const json::object report = this->report();
  for (const auto& [id, wanted] : expected) {
    const json::object* const row = step(id, report);
    const json::value got = row == nullptr ? json::value() : row->at("verificationStatus");
    if (auto why = differs("verification of " + std::string(id), wanted, got)) return why;
  }
  return std::nullopt;
}

Why ChainVerdict::notes(const json::value& expected) const {
  json::array wanted;
  expected.is_array() ? wanted = expected.get_array() : wanted = {expected};
  const json::object report = this->report();
  const json::array notes = report.empty() ? json::array() : report.at("verificationNotes").as_array();
  for (const json::value& part : wanted) {
    const bool is_there = std::any_of(notes.begin(), notes.end(), [&](const json::value& note) {
      return std::string_view(note.as_string()).find(std::string_view(part.as_string())) != std::string_view::npos;
    });
    if (!is_there) return "no note contains " + json::serialize(part) + ": " + json::serialize(notes);
  }
  return std::nullopt;
}

Why ChainVerdict::feedback(const json::value& expected) const {
  if (!expected.is_object()) {
    return differs("feedback", expected, seen_.feedback ? json::value(*seen_.feedback) : json::value());
  }
  for (const auto& [name, wanted] : expected.get_object()) {
    const json::value* const got = seen_.feedback ? seen_.feedback->if_contains(name) : nullptr;
    if (auto why = differs("feedback " + std::string(name), wanted, got == nullptr ? json::value() : *got)) return why;
  }
  return std::nullopt;
}

Why ChainVerdict::member(std::string_view name, const json::value& expected) const {
  if (const auto got = counted(name)) return differs(name, expected, json::value(got->to_number<std::int64_t>()));
  if (const auto got = seen_value(name)) return differs(name, expected, *got);
  if (name == "calls") return calls(expected);
  if (name == "calls_args") return calls_args(expected.as_object());
  if (name == "error" || name == "error_of") return errors(expected, true);
  if (name == "error_contains") return errors(expected, false);
  if (name == "verification_of") return verifications(expected.as_object());
  if (name == "notes_contain") return notes(expected);
  if (name == "feedback") return feedback(expected);
  return "unknown member: " + std::string(name);
}

// What the store keeps must be what the host was told.
Why reports_differ(const ChainSeen& seen, const ScenarioStore& store) {
  const RunJournal journal = store.open().journal("T").value();
  const auto kept = std::count_if(journal.tasks.begin(), journal.tasks.end(),
                                  [](const JournalTask& task) { return task.id.starts_with("T/report@"); });
  if (kept == static_cast<std::ptrdiff_t>(seen.reports.size())) return std::nullopt;
  return "the store has " + std::to_string(kept) + " reports, and the host " + std::to_string(seen.reports.size());
}

// `boundaries` becomes the number of places where the process could be killed (ChainManner::dies_at).
Why hold_once(const json::object& given, const json::object& then, const ScenarioStore& store, ChainManner manner,
              std::size_t* boundaries = nullptr) {
  ChainFixture fixture(given, store, manner);
  const ChainSeen& seen = fixture.run();
  if (boundaries != nullptr) *boundaries = seen.boundaries;
  if (auto why = reports_differ(seen, store)) return why;
  const ChainVerdict verdict(seen, store, manner.parallel == 1);
  for (const auto& [name, expected] : then) {
    if (auto why = verdict.member(name, expected)) return why;
  }
  return std::nullopt;
}

// Executes the case once for each step of the chain, and kills the process after it (ChainManner::dies_at).
Why hold_with_kills(const json::object& given, const json::object& then, ChainManner manner) {
  for (std::size_t last = 1; manner.dies_at < last;) {
    ++manner.dies_at;
    const ScenarioStore store(StoreType::Memory);
    if (const Why why = hold_once(given, then, store, manner, &last)) {
      return "killed at boundary " + std::to_string(manner.dies_at) + ": " + *why;
    }
  }
  return std::nullopt;
}

}  // namespace

Why chain_run_case(const json::object& given, const json::object& then, const ScenarioStore& store) {
  ChainManner manner;
  if (const json::value* const parallel = given.if_contains("parallel")) {
    manner.parallel = parallel->to_number<std::size_t>();
  }
  if (auto why = hold_once(given, then, store, manner)) return why;
  ChainManner in_hops = manner;
  in_hops.hops = true;
  const ScenarioStore another(store.type());
  if (const Why why = hold_once(given, then, another, in_hops)) return "in hops: " + *why;
  const bool is_swept = !given.contains("crash") && store.type() == StoreType::Memory;
  return is_swept ? hold_with_kills(given, then, manner) : std::nullopt;
}

}  // namespace ptcvm::scenarios
