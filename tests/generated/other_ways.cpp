#include "generated/other_ways.h"

#include "tools/ptcvm/source/formatter.h"
#include "vm/value/print.h"

namespace ptc::test {
namespace {

// Read and printed by a session that knows nothing of the program.
std::string printed_again(Session& session, const std::string& edn) {
  std::string complaint;
  const std::optional<Value> value = session.edn().read(edn, {}, complaint);
  if (!value) return "is not read: " + complaint;
  std::string text;
  append_edn(text, *value, session.heap());
  session.heap().release(*value);
  return text;
}

}  // namespace

std::string difference_when_plain(const Engine& engine, const ProgramFile& file, const Observation& straight) {
  Observation plain = observe(engine, file, Mode::Plain);
  plain.fuel = straight.fuel;
  return difference_between(straight, plain);
}

std::string difference_when_read_again(const Engine& engine, const Observation& straight) {
  if (straight.status == OutcomeStatus::Error || straight.status == OutcomeStatus::Suspended) return {};
  Session session(engine, {});
  std::string out;
  const auto compare = [&](const std::string& edn) {
    const std::string again = printed_again(session, edn);
    if (again != edn) out += "    printed " + edn + "\n    then    " + again + '\n';
  };
  compare(straight.value_edn);
  for (const auto& entry : straight.journal) compare(entry.second);
  return out;
}

std::string difference_when_formatted(const Engine& engine, const ProgramFile& file, const Observation& straight) {
  ProgramFile formatted = file;
  formatted.source = ptcvm::cli::format_source(file.source);
  const std::string again = ptcvm::cli::format_source(formatted.source);
  if (again != formatted.source) return "    formatted once\n" + formatted.source + "    and twice\n" + again;
  Observation expected = straight, seen = observe(engine, formatted, Mode::Straight);
  for (Observation* each : {&expected, &seen}) {
    each->line = each->column = 0;
    if (each->memory_edn.find("#ptc/closure") != std::string::npos) each->memory_edn.clear();
  }
  return difference_between(expected, seen);
}

}  // namespace ptc::test
