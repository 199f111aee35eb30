#include "tools/ptcvm/report.h"

#include <iostream>

#include "runtime/text/edn_json.h"
#include "runtime/text/json_value.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/pretty.h"
#include "tools/ptcvm/store_options.h"
#include "tools/ptcvm/suspension.h"
#include "tools/ptcvm/terminal.h"

namespace ptcvm::cli {
namespace {

bool write_state(const ptc::Session& session, const ParkOptions& park) {
  const std::vector<std::uint8_t> bytes = session.snapshot({!park.program_by_hash});
  std::string message;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (write_snapshot_file(park.snapshot, text, park.seal, session.run().run_id(), park.sequence, message)) return true;
  complain(message);
  return false;
}

std::string json_of(ptc::Session& session) {
  std::string text;
  ptc::append_json(text, session.result(), session.heap());
  return text;
}

// `json` gives the value in that form.
void write_value(const ptc::Outcome& outcome, OutputForm form, const auto& json) {
  switch (form) {
    case OutputForm::Edn: std::cout << outcome.value_edn << '\n'; return;
    case OutputForm::Pretty: std::cout << pretty_edn(outcome.value_edn) << '\n'; return;
    case OutputForm::Json: std::cout << json() << '\n'; return;
  }
}

void write_stats(const ptc::Outcome& outcome) {
  std::cerr << "fuel " << outcome.fuel << ", " << outcome.micros << " us, peak " << outcome.peak_bytes << " bytes\n";
}

}  // namespace

namespace {

int report_end(const ptc::Outcome& outcome, OutputForm form, const auto& json) {
  if (outcome.status == ptc::OutcomeStatus::Error) {
    std::cerr << ptc::render_fault(outcome.fault, stderr_has_colour());
    return kProgramFailed;
  }
  write_value(outcome, form, json);
  if (outcome.status != ptc::OutcomeStatus::Fail) return kSuccess;
  complain("the program ended with (fail …)");
  return kProgramFailed;
}

void report_beside(const ptc::Outcome& outcome, bool stats) {
  for (const std::string& warning : outcome.warnings) std::cerr << "warning: " << warning << '\n';
  if (stats) write_stats(outcome);
}

}  // namespace

int report_text(const ptc::Outcome& outcome, OutputForm form, bool stats) {
  report_beside(outcome, stats);
  return report_end(outcome, form, [&outcome] { return ptc::json_of_edn(outcome.value_edn); });
}

int report(const ptc::Outcome& outcome, ptc::Session& session, OutputForm form, bool stats, const ParkOptions& park) {
  report_beside(outcome, stats);
  if (outcome.status != ptc::OutcomeStatus::Suspended) {
    return report_end(outcome, form, [&session] { return json_of(session); });
  }
  if (!park.snapshot.empty() && !write_state(session, park)) return kBadInput;
  std::cout << suspended_line(outcome) << '\n';
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
