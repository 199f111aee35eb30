// Every place where a task can be, against every way in which a run can end afterwards, on every store: the commit
// is in the log, and running it again charges nothing, whether the end was written or not.
#include <chrono>
#include <cstdio>
#include <string>

#include "journal/durable_case.h"
#include "journal/places.h"
#include "support/sweep.h"

namespace {

using ptc::test::DurableCase;
using ptc::test::DurableProgram;
using ptc::test::DurableSeen;
using ptc::test::Ending;
using ptc::test::Place;

DurableProgram program_of(const Place& place, const Ending& ending) {
  DurableProgram program;
  program.source = program_text(place, ending, "(do (task \"t\" (tool/charge {:n 1})) true)");
  program.tools = {{"charge", ptc::EffectClass::Unsafe, "42", ""}, {"boom", ptc::EffectClass::Pure, "", "down"}};
  program.session.limits = limits_for(ending);
  if (ending.name == "timeout") program.session.limits.timeout_ms = 100;
  return program;
}

// What is wrong, or "".
std::string complaint(const Place& place, const Ending& ending, const DurableSeen& first, const DurableSeen& again,
                      bool ended) {
  if (ended && first.end != ptc::DurableEnd::Ended) return "it did not end";
  const auto status = ptc::outcome_status_name(ending.status);
  if (ended && !place.parallel && first.status != status) return "it ended in another way";
  const bool has_clock = ending.name == "timeout" && !place.parallel;
  if (has_clock && ended && first.kind != "timeout") return "it ended before its time";
  if (first.charges.size() != 1) return "not one charge";
  if (!first.journal.contains("t") || first.journal.at("t") != "42") return "the commit is lost";
  if (!again.charges.empty()) return "it is charged again";
  if (again.journal != first.journal) return "the journal changed";
  if (again.end != ptc::DurableEnd::Ended && again.end != ptc::DurableEnd::EndedBefore) return "no second end";
  if (!place.parallel && again.status != status) return "it ended in another way the second time";
  return {};
}

}  // namespace

int main() {
  const ptc::Engine engine;
  ptc::test::CaseStores stores;
  std::size_t passed = 0, failed = 0;
  unsigned number = 0;
  const auto check = [&](const Place& place, const Ending& ending) {
    const DurableProgram program = program_of(place, ending);
    for (const auto& [store_name, store] : stores.all()) {
      for (const bool ends : {true, false}) {
        if (number++ % ptc::kSweepStep != 0) continue;
        const std::string name = std::string(place.name) + ", " + std::string(ending.name);
        DurableCase run(engine, *store, name + (ends ? "" : ", killed at its end"), program);
        const DurableSeen first = ends ? run.run() : run.run_and_die();
        const DurableSeen again = run.run();
        const std::string wrong = complaint(place, ending, first, again, ends);
        if (wrong.empty()) {
          ++passed;
          continue;
        }
        ++failed;
        std::printf("FAILED %s%s, %s: %s\n  %s\n  first %s\n  again %s\n", name.c_str(), ends ? "" : " (killed)",
                    store_name.c_str(), wrong.c_str(), program.source.c_str(), seen_text(first).c_str(),
                    seen_text(again).c_str());
      }
    }
  };
  for (const Place& place : ptc::test::kPlaces) {
    for (const Ending& ending : ptc::test::kEndings) check(place, ending);
    check(place, ptc::test::kTimeout);
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
