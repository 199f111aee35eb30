#include "tools/ptcvm/agent/agent_record.h"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "agents/replay/replay_failure.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;
using loop::Operation;
using loop::OperationKind;

std::string path_in(const std::string& body) {
  boost::system::error_code error;
  const json::value value = json::parse(body, error);
  if (error || !value.is_object()) return {};
  const json::value* const path = value.get_object().if_contains("path");
  return path != nullptr && path->is_string() ? std::string(path->get_string()) : std::string();
}

// Returns what an answer is about, so that the same call finds it in another run: a call that a person settled is a
// call, too.
std::string call_of(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::Tool:
    case OperationKind::Pending:
    case OperationKind::Doubt: return "call " + operation.tool + " " + operation.args_json;
    case OperationKind::Approval: return "approval " + operation.tool + " " + operation.args_json;
    case OperationKind::Input: return "input " + operation.path;
    case OperationKind::Model:
    case OperationKind::Timer:
    case OperationKind::Budget: break;
  }
  return {};
}

const Operation* operation_at(const std::vector<Operation>& operations, const std::string& path) {
  const auto found = std::find_if(operations.begin(), operations.end(),
                                  [&](const Operation& operation) { return operation.path == path; });
  return found == operations.end() ? nullptr : &*found;
}

std::string with_path(const std::string& body, const std::string& path) {
  json::value value = json::parse(body);
  value.get_object()["path"] = path;
  return json::serialize(value);
}

// Returns the rest of the line that begins with these words, in what a turn told the model; "" when there is none.
std::string told_line(std::string_view told, std::string_view begin) {
  const std::size_t at = told.starts_with(begin) ? 0 : told.find("\n" + std::string(begin));
  if (at == std::string_view::npos) return {};
  const std::size_t first = told.find(begin, at) + begin.size();
  return std::string(told.substr(first, told.find('\n', first) - first));
}

// Returns why the last turn has failed when its program is one of these.
std::optional<AgentDriver::End> failure_of(const loop::AgentRun& run, const TurnPrograms& programs) {
  constexpr std::string_view kMisfit = "The returned value does not fit";
  const std::vector<loop::TurnView> turns = run.turns();
  if (turns.empty() || !programs.contains(turns.back().number)) return std::nullopt;
  const loop::TurnView& turn = turns.back();
  const auto failed = [&turn](std::string reason, const std::string& why) {
    return AgentDriver::End{AgentDriver::End::Kind::ModelFailed, std::move(reason),
                            "the program of turn " + std::to_string(turn.number) + ": " + why};
  };
  if (turn.kind == "not_run") return failed("not_run", turn.feedback.substr(0, turn.feedback.find('\n')));
  if (turn.kind != "fault") return std::nullopt;
  const std::string line = told_line(turn.feedback, "Error: "), misfit = told_line(turn.feedback, kMisfit);
  if (const std::size_t colon = line.find(": "); colon != std::string::npos) {
    return failed(line.substr(0, colon), line.substr(colon + 2));
  }
  return misfit.empty() ? std::nullopt : std::optional(failed("validation_error", std::string(kMisfit) + misfit));
}

}  // namespace

// Goes on with a run from the place at which a program takes the place of a reply.
class AgentRecord::Replay {
 public:
  // `recorded`: the run as it was, which may still wait for people. `agents`: with the models of the log.
  Replay(const TurnPrograms& programs, loop::AgentRun& run, std::vector<Told> rest, const loop::AgentRun& recorded,
         const std::vector<AgentFrom>& agents)
      : programs_(programs), run_(run), rest_(std::move(rest)), recorded_(recorded), agents_(agents) {}

  AgentDriver::End go() {
    using Kind = AgentDriver::End::Kind;
    for (;;) {
      if (run_.step() == loop::AgentState::Ended) {
        if (tell_next([](const Told& told) { return told.name == loop::kInputGiven; }, {})) continue;
        return {Kind::Ended, {}, {}};
      }
      bool is_moved = false;
      for (const Operation& operation : run_.operations()) {
        is_moved = answer(operation) || is_moved;
        if (!miss_.empty()) return {Kind::ModelFailed, std::string(replay::kRecordingMiss), miss_};
        if (is_moved) break;   // the others may be different ones now
      }
      if (!is_moved) return {Kind::Suspended, {}, {}};
    }
  }

  // Raises and lowers limits as somebody did until the end of a turn: behind its reply they count for the next one.
  void set_limits(std::uint32_t turn) {
    const auto is_later = [turn](const Told& told) {
      return told.turn > turn || (told.name != loop::kBudgetLowered && told.name != loop::kBudgetRaised);
    };
    const auto set = std::stable_partition(rest_.begin(), rest_.end(), is_later);
    for (auto told = set; told != rest_.end(); ++told) {
      static_cast<void>(loop::apply_fact(run_, told->name, told->body));   // what is refused changes nothing
    }
    rest_.erase(set, rest_.end());
  }

 private:
  bool answer(const Operation& operation) {
    switch (operation.kind) {
      case OperationKind::Model: return answer_model(operation);
      case OperationKind::Timer: run_.advance(operation.due_ms); return true;
      case OperationKind::Budget:
        return tell_next([](const Told& told) { return told.name == loop::kBudgetRaised; }, {});
      default: break;
    }
    const std::string call = call_of(operation);
    const bool is_new = operation.kind == OperationKind::Tool;
    const auto is_word = [&](const Told& told) {
      if (told.call != call || (operation.is_begun && told.name == loop::kCallBegun)) return false;
      return is_new || (told.name != loop::kPended && told.name != loop::kCallBegun);
    };
    const bool is_told = tell_next(is_word, operation.path);
    if (!is_told && operation.is_left) return static_cast<bool>(run_.reject(operation.path, loop::kNotBegun));
    const bool asks_anew = operation.kind == OperationKind::Approval && !operation.tool.empty() && !waits_for(call);
    if (is_told || !(is_new || asks_anew)) return is_told;
    miss_ = "turn " + turn_text() + " calls " + (is_new ? operation.path : operation.tool) + " with " +
            operation.args_json + ", and the recorded run has no answer to this call";
    return false;
  }

  // Returns whether the run as it was waits for a word about the same call.
  bool waits_for(const std::string& call) const {
    const std::vector<Operation> operations = recorded_.operations();
    return std::ranges::any_of(operations, [&call](const Operation& one) { return call_of(one) == call; });
  }

  bool answer_model(const Operation& operation) {
    const std::uint32_t turn = run_.usage().turns + 1;
    const bool is_root = operation.agent.empty();
    const auto program = is_root ? programs_.find(turn) : programs_.end();
    if (program != programs_.end()) {
      const auto told = run_.resolve_model(operation.path, program_reply(operation, program->second));
      set_limits(turn);
      return static_cast<bool>(told);
    }
    const auto is_reply = [&](const Told& told) {
      return told.name == loop::kModelSettled && told.path == operation.path && (!is_root || told.turn == turn);
    };
    if (tell_next(is_reply, operation.path)) {
      set_limits(turn);
      return true;
    }
    miss_ = operation.path + " is asked in turn " + turn_text() + ", and the recorded run has no further reply for it";
    return false;
  }

  std::string turn_text() const { return std::to_string(run_.usage().turns + 1); }

  // Tells the run the first fact that fits, and forgets it. Returns false when none fits.
  template <class Fits>
  bool tell_next(Fits fits, const std::string& path) {
    const auto next = std::find_if(rest_.begin(), rest_.end(), fits);
    if (next == rest_.end()) return false;
    const Told told = std::move(*next);
    rest_.erase(next);
    if (!run_.go_on_as(agent_at(agents_, told.seq).agent)) return false;
    run_.advance(told.time_ms);
    return static_cast<bool>(
        loop::apply_fact(run_, told.name, path.empty() ? told.body : with_path(told.body, path)));
  }

  const TurnPrograms& programs_;
  loop::AgentRun& run_;
  std::vector<Told> rest_;
  const loop::AgentRun& recorded_;
  const std::vector<AgentFrom>& agents_;
  std::string miss_;
};

Result<AgentRecord> AgentRecord::read(const Engine& engine, const Store& store, const std::string& id) {
  auto agents = read_agents_of(engine, store, id);
  if (!agents) return agents.error();
  const auto started = HostLog::of(store, id).find(std::string(loop::kStarted));
  if (!started) return started.error();
  const auto body = loop::read_start((*started)->body);
  if (!body) return body.error();
  AgentRecord record(std::move(*agents));
  record.start_ = *body;
  auto run = loop::run_from_start(record.agents_.front().agent, record.start_);
  if (!run) return run.error();
  record.run_.emplace(std::move(*run));
  record.told_ms_ = (*started)->time_ms;
  // Hooks of a host in C++ are not here: the run goes by what they said.
  const auto recalled = for_each_fact(store, id, [&](const HostFact& fact) {
    if (fact.is_of_host && fact.name == loop::kHooksSaid) record.verdicts_.push_back(fact.body);
  });
  if (!recalled) return recalled.error();
  for (const std::string& said : record.verdicts_) loop::recall_verdicts(*record.run_, loop::kHooksSaid, said);
  Result<void> taken;
  const auto read = for_each_fact(store, id, [&](const HostFact& fact) {
    const bool is_letter = fact.key.starts_with(loop::kMail);   // also one that came before a worker began the run
    if (taken && (is_letter || fact.seq > (*started)->seq)) taken = record.take(fact);
  });
  if (!read) return read.error();
  if (!taken) return taken.error();
  record.run_->step();
  record.note_waits(record.run_->operations());
  return record;
}

std::optional<std::int64_t> AgentRecord::since_ms(const std::string& path) const {
  const auto found = since_ms_.find(path);
  return found == since_ms_.end() ? std::nullopt : std::optional(found->second);
}

// What is new waits since the run was told something last.
void AgentRecord::note_waits(const std::vector<Operation>& operations) {
  std::map<std::string, std::int64_t> since;
  for (const Operation& operation : operations) {
    const auto known = since_ms_.find(operation.path);
    since[operation.path] = known == since_ms_.end() ? told_ms_ : known->second;
  }
  since_ms_ = std::move(since);
}

// Tells the run a fact, exactly as a process that goes on with the run does.
Result<void> AgentRecord::take(const HostFact& fact) {
  if (!fact.is_of_host) return {};
  for (const std::string_view told_already : {loop::kIntent, loop::kTurnTaken, loop::kStarted, loop::kHooksSaid}) {
    if (fact.name == told_already) return {};
  }
  run_->step();
  if (auto answered = run_->go_on_as(agent_at(agents_, fact.seq).agent); !answered) return answered;
  if (auto noted = read_mark(fact)) {
    noted_ = std::move(noted);
    seen_ = mark_of(*run_);
    run_->advance(fact.time_ms);
    return {};
  }
  Told told{fact.name, fact.body, {}, path_in(fact.body), fact.time_ms, run_->usage().turns + 1, fact.seq};
  const std::vector<Operation> operations = run_->operations();
  note_waits(operations);
  told_ms_ = fact.time_ms;
  const Operation* const answered = operation_at(operations, told.path);
  const bool says_nothing = answered != nullptr && answered->kind == OperationKind::Doubt &&
                            fact.name == loop::kRejected;   // the call did not happen, and is made again
  if (answered != nullptr && fact.name != loop::kToolInDoubt && !says_nothing) told.call = call_of(*answered);
  run_->advance(fact.time_ms);
  // A fact that the run refuses, as it refused it before, changes nothing.
  if (loop::apply_fact(*run_, fact.name, fact.body)) told_.push_back(std::move(told));
  return {};
}

// Makes the agents with the other program in the place of their own.
Result<std::vector<AgentFrom>> AgentRecord::other_agents(const TurnPrograms& programs) const {
  if (programs.size() != 1 || programs.begin()->first != 1) {
    return Error{Errc::invalid_value, "the agent has a program of its own, which is turn 1", std::nullopt, {}};
  }
  std::vector<AgentFrom> others;
  for (const AgentFrom& known : agents_) {
    auto other = known.agent.with_program(programs.begin()->second);
    if (!other) return other.error();
    others.push_back({known.seq, *std::move(other)});
  }
  return others;
}

// Makes the run as it was in the beginning.
Result<loop::AgentRun> AgentRecord::begun(const loop::Agent& agent) const {
  auto run = loop::run_from_start(agent, start_);
  for (const std::string& said : verdicts_) {
    if (run) loop::recall_verdicts(*run, loop::kHooksSaid, said);
  }
  return run;
}

// Makes the run as it was when the model was asked in a turn; `rest` gets what the run was told from there on.
Result<loop::AgentRun> AgentRecord::run_before(std::uint32_t first, std::vector<Told>& rest) const {
  const auto place = std::find_if(told_.begin(), told_.end(), [&](const Told& told) {
    return told.name == loop::kModelSettled && told.path == "model" && told.turn == first;
  });
  if (place == told_.end()) {
    std::string message = "the model was not asked in turn " + std::to_string(first) + "; the run has ended " +
                          std::to_string(run_->usage().turns) + " turns";
    return Error{Errc::invalid_value, std::move(message), std::nullopt, {}};
  }
  auto run = begun(agents_.front().agent);
  if (!run) return run.error();
  for (auto told = told_.begin(); told != place; ++told) {
    run->step();
    if (auto answered = run->go_on_as(agent_at(agents_, told->seq).agent); !answered) return answered.error();
    run->advance(told->time_ms);
    static_cast<void>(loop::apply_fact(*run, told->name, told->body));
  }
  rest.assign(place, told_.end());
  return run;
}

Result<AgentRecord::Changed> AgentRecord::run_with(const TurnPrograms& programs) const {
  const bool has_own = !agents_.front().agent.definition().program.empty();
  const auto others = has_own ? other_agents(programs) : Result<std::vector<AgentFrom>>(agents_);
  if (!others) return others.error();
  std::vector<Told> rest = told_;
  auto run = has_own ? begun(others->front().agent) : run_before(programs.empty() ? 0 : programs.begin()->first, rest);
  if (!run) return run.error();
  Replay replay(programs, *run, std::move(rest), *run_, *others);
  if (has_own) replay.set_limits(1);
  AgentDriver::End end = replay.go();
  if (end.reason == replay::kRecordingMiss) {
    if (auto failure = failure_of(*run, programs)) end = *std::move(failure);
  }
  return Changed{std::move(*run), std::move(end)};
}

}  // namespace ptcvm::cli
