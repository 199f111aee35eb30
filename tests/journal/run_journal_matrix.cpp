// Every place where a task can sit, against every way in which a run can end afterwards: the commit must be kept.
//
// Each program is a place that commits "t" (and prints "committed"), followed by an ending. Without a store;
// run_durable_matrix.cpp is the same with one.
#include <cstdio>
#include <string>
#include <string_view>

#include "journal/places.h"
#include "support/program_file.h"
#include "support/program_run.h"

namespace {

using ptc::test::Ending;
using ptc::test::kEndings;
using ptc::test::kPlaces;
using ptc::test::Mode;
using ptc::test::Observation;
using ptc::test::Place;
using ptc::test::ProgramFile;
using Status = ptc::OutcomeStatus;

ProgramFile program_of(const Place& place, const Ending& ending) {
  ProgramFile file;
  file.source = program_text(place, ending, "(do (task \"t\" (inc 41)) (println \"committed\") true)");
  file.has_journal = true;
  file.tools = {{"boom", ptc::AsyncMode::No}};
  file.calls.push_back({"boom", "{}", std::nullopt, "\"down\""});
  file.options.limits = limits_for(ending);
  return file;
}

const char* status_text(const Observation& seen) {
  return seen.status == Status::Error ? seen.kind.c_str() : ptc::outcome_status_name(seen.status).data();
}

bool is_kept(const Observation& seen) {
  bool kept = false;
  for (const auto& [id, value] : seen.journal) kept = kept || (id == "\"t\"" && value == "42");
  return kept && !seen.prints.empty() && seen.prints.front() == "committed";
}

}  // namespace

int main() {
  const ptc::Engine engine;
  std::size_t passed = 0, failed = 0;
  for (const Place& place : kPlaces) {
    for (const Ending& ending : kEndings) {
      const ProgramFile file = program_of(place, ending);
      const Observation straight = observe(engine, file, Mode::Straight);
      const Observation stepped = observe(engine, file, Mode::Stepped);
      const bool ended = place.parallel || straight.status == ending.status;
      const std::string difference = difference_between(straight, stepped);
      if (is_kept(straight) && ended && difference.empty()) {
        ++passed;
        continue;
      }
      ++failed;
      std::printf("FAILED %.*s, %.*s: %s\n  %s %s, journal %s, prints %s\n%s", static_cast<int>(place.name.size()),
                  place.name.data(), static_cast<int>(ending.name.size()), ending.name.data(), file.source.c_str(),
                  status_text(straight), straight.message.c_str(), journal_text(straight).c_str(),
                  prints_text(straight).c_str(), difference.c_str());
    }
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
