// ptcvm agent replay: runs what a store has of an agent again, as it was or with another program in a turn.
#include <boost/json.hpp>
#include <charconv>
#include <iostream>

#include "tools/ptcvm/agent/agent_cost.h"
#include "tools/ptcvm/agent/agent_record.h"
#include "tools/ptcvm/agent/agent_report.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr const char* kReplayExamples = R"(Examples:
  ptcvm agent replay --store runs.db --id may
  ptcvm agent replay --store runs.db --id may --with-program 2=better.ptc

Nobody is asked and nothing is called: models and tools answer what the log of the run has. Without --with-program the
run must come to the same fuel and the same bytes as in the process that left it last; else the reason is
replay_differs. With it, a call that the log does not have ends the replay with the reason recording_miss. The store
stays as it is. Exit status: as for agent run.)";

// Reads TURN=FILE. Returns false when the text cannot be used; `message` then says why.
bool read_program_of_turn(const std::string& text, TurnPrograms& programs, std::string& message) {
  const std::size_t equals = text.find('=');
  std::uint32_t turn = 0;
  const char* const end = text.data() + std::min(equals, text.size());
  if (equals == std::string::npos || std::from_chars(text.data(), end, turn).ptr != end || turn == 0) {
    message = "--with-program " + text + ": TURN=FILE is wanted, and the first turn is 1";
    return false;
  }
  auto program = read_turn_program(text.substr(equals + 1), message);
  if (!program) return false;
  if (programs.emplace(turn, *std::move(program)).second) return true;
  message = "--with-program has turn " + std::to_string(turn) + " twice";
  return false;
}

AgentDriver::End end_of(const loop::AgentRun& run) {
  using Kind = AgentDriver::End::Kind;
  return {run.state() == loop::AgentState::Ended ? Kind::Ended : Kind::Suspended, {}, {}};
}

// Reports a replay of a run whose cost is known or not.
class ReplayReport {
 public:
  explicit ReplayReport(bool is_cost_known) : is_cost_known_(is_cost_known) {}

  int operator()(const loop::AgentRun& run, const AgentDriver::End& end, json::object replay) const {
    if (!end.reason.empty()) complain(end.reason + ": " + end.message);
    const std::string more = json::serialize(json::object{{"replay", std::move(replay)}});
    std::cout << agent_line(run, end, {.more = more, .is_cost_known = is_cost_known_}) << '\n';
    return agent_status(run, end);
  }

 private:
  const bool is_cost_known_;
};

int replay_as_it_was(const AgentRecord& record, const ReplayReport& report) {
  const AgentMark& seen = record.seen();
  if (!record.noted()) {
    complain("the run was never left by a process that ended, so there is nothing to compare with");
    return report(record.run(), end_of(record.run()), {{"same", nullptr}});
  }
  if (record.noted()->is_of_same(seen)) {
    return report(record.run(), end_of(record.run()),
                  {{"same", true}, {"fuel", seen.fuel}, {"document_hash", seen.document_hash}});
  }
  if (record.noted()->format != seen.format && record.noted()->fuel == seen.fuel) {
    complain("another version left the run, and wrote its document otherwise: only the fuel was compared");
    return report(record.run(), end_of(record.run()),
                  {{"same", nullptr}, {"fuel", seen.fuel}, {"document_hash", seen.document_hash}});
  }
  AgentDriver::End end;
  end.kind = AgentDriver::End::Kind::ModelFailed;
  end.reason = "replay_differs";
  end.message = "the run had used " + std::to_string(record.noted()->fuel) + " fuel, and the replay " +
                std::to_string(seen.fuel) + (record.noted()->fuel == seen.fuel ? "; their documents differ" : "");
  return report(record.run(), end, {{"same", false}, {"fuel", seen.fuel}, {"document_hash", seen.document_hash}});
}

int replay_agent(const StoreOptions& options, const std::vector<std::string>& texts) {
  TurnPrograms programs;
  std::string message;
  for (const std::string& text : texts) {
    if (!read_program_of_turn(text, programs, message)) return refuse_input(message);
  }
  int status = kSuccess;
  const auto record = record_of(options, status);
  if (!record) return status;
  const auto store = store_of(options, StoreUse::Existing, status);
  if (!store) return status;
  const auto requests = known_requests(*store, record->run());
  if (!requests) return refuse_error(requests.error());
  const ReplayReport report(knows_cost(*requests));
  if (programs.empty()) return replay_as_it_was(*record, report);
  const auto changed = record->run_with(programs);
  if (!changed) return refuse_error(changed.error());
  json::array turns;
  for (const auto& [turn, program] : programs) turns.emplace_back(turn);
  return report(changed->run, changed->end, {{"with_programs", std::move(turns)}, {"fuel", changed->run.usage().fuel}});
}

}  // namespace

void add_agent_replay(CLI::App& agent, int& status) {
  auto* const command = agent.add_subcommand("replay", "Run a run of a store again, without a model and without tools");
  auto options = std::make_shared<StoreOptions>();
  auto programs = std::make_shared<std::vector<std::string>>();
  declare_agent_of_store(*command, *options);
  command->add_option("--with-program", *programs, "A program in the place of the one of that turn; repeatable")
      ->type_name("TURN=FILE")
      ->allow_extra_args(false);
  command->footer(kReplayExamples);
  command->callback([options, programs, &status] { status = replay_agent(*options, *programs); });
}

}  // namespace ptcvm::cli
