#include "tools/ptcvm/program/report.h"

#include <algorithm>
#include <iostream>

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/program/next_commands.h"
#include "tools/ptcvm/program/suspension.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/pretty.h"

namespace ptcvm::cli {
namespace {

bool write_state(const Run& run, const ParkOptions& park) {
  std::string message;
  if (write_snapshot_file(park.snapshot, run, !park.program_by_hash, park.seal, park.sequence, message)) {
    return true;
  }
  complain(message);
  return false;
}

// The text is JSON for that form, and EDN for the others.
int report_end(const Outcome& outcome, OutputForm form, const std::string& value) {
  if (outcome.diagnostic) {
    std::cerr << shown_diagnostic(*outcome.diagnostic);
    return kProgramFailed;
  }
  if (form == OutputForm::Pretty) {
    std::cout << pretty_edn(value) << '\n';
  } else {
    std::cout << value << '\n';
  }
  if (outcome.state != RunState::Failed) return kSuccess;
  complain("the program ended with (fail …)");
  return kProgramFailed;
}

void report_beside(const Outcome& outcome, bool stats) {
  show_warnings(outcome);
  if (!stats) return;
  std::cerr << "fuel " << outcome.usage.fuel << ", " << outcome.usage.active_micros << " us, peak "
            << outcome.usage.peak_bytes << " bytes\n";
}

}  // namespace

void show_warnings(const Outcome& outcome) {
  for (const std::string& warning : outcome.warnings) std::cerr << "warning: " << warning << '\n';
  const auto keeps_nothing = [](const std::string& warning) {
    return warning.ends_with(": no journal, result not cached");
  };
  if (std::ranges::any_of(outcome.warnings, keeps_nothing)) {
    std::cerr << "  --store FILE.db --id NAME keeps each task as soon as it is done; --journal FILE keeps tasks when "
                 "the program has ended (echo '{}' > FILE makes an empty journal)\n";
  }
}

Outcome outcome_of(const Error& error) {
  Outcome out;
  out.diagnostic = error.diagnostic;
  if (out.diagnostic) return out;
  out.diagnostic.emplace();
  out.diagnostic->kind = errc_name(error.code);
  out.diagnostic->message = error.message;
  return out;
}

int report_text(const Outcome& outcome, const std::string& value_edn, OutputForm form, bool stats) {
  report_beside(outcome, stats);
  const bool is_json = form == OutputForm::Json && !outcome.diagnostic;
  return is_json ? report_end(outcome, form, json_of_edn(value_edn)) : report_end(outcome, form, value_edn);
}

TurnEnd end_of_turn(Run& run, OutputForm form) {
  TurnEnd end;
  end.value = (form == OutputForm::Json ? run.result_json() : run.result_edn()).value_or("");
  // Run::outcome() would copy the value to memory that no run counts.
  Outcome& outcome = end.outcome;
  outcome.state = run.state();
  outcome.diagnostic = run.diagnostic();
  outcome.warnings = run.warnings();
  outcome.usage = run.usage();
  return end;
}

int report(Run& run, const TurnEnd& end, const RunArguments& options, const ParkOptions& park) {
  report_beside(end.outcome, options.stats);
  if (end.outcome.state != RunState::Suspended) return report_end(end.outcome, options.output, end.value);
  if (!park.snapshot.empty() && !write_state(run, park)) return kBadInput;
  const auto pending = run.pending();
  std::cout << suspended_line(operations_of(pending)) << std::endl;
  complain(next_with_snapshot(park.snapshot, park.seal, pending, options));
  return kSuspended;
}

void declare_park_options(CLI::App& command, ParkOptions& options) {
  const auto is_file = [](const std::string& path) {
    return path.empty() || path == "-" ? "must be a file: standard output says what the program waits for" : "";
  };
  command.add_option("--snapshot", options.snapshot, "Where the state goes when the program is suspended")
      ->type_name("OUT")
      ->check(CLI::Validator(is_file, ""));
  command.add_flag("--program-by-hash", options.program_by_hash,
                   "Leave the program out of the snapshot: the process that resumes needs it");
  declare_seal_options(command, options.seal);
}

}  // namespace ptcvm::cli
