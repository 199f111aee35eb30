// Every place where a task can sit, against every way in which a run can end afterwards: the commit must be kept.
//
// Each program is a place that commits "t" (and prints "committed"), followed by an ending; inside of a callback or a
// branch the ending follows inside as well, where that is possible.
#include <cstdio>
#include <string>
#include <string_view>

#include "support/program_file.h"
#include "support/program_run.h"

namespace {

using ptc::test::Mode;
using ptc::test::Observation;
using ptc::test::ProgramFile;

// TASK stands for the task, END for what ends the run (or nil when the ending comes after the place).
struct Place {
  std::string_view name, text;
  bool parallel = false;   // return and fail are refused inside: the run ends with another fault, which is fine
};
constexpr Place kPlaces[] = {
    {"top level", "TASK END"},
    {"do", "(do TASK END)"},
    {"let binding", "(let [a TASK b END] [a b])"},
    {"if test", "(if TASK END nil)"},
    {"function", "(defn f [] TASK END) (f)"},
    {"closure", "((fn [g] (g)) (fn [] TASK END))"},
    {"argument", "(vector TASK END)"},
    {"loop turn", "(loop [i 0] (when (< i 2) (when (= i 0) TASK) (recur (inc i)))) END"},
    {"loop body", "(loop [i 0] (if (< i 1) (do TASK (recur (inc i))) END))"},
    {"for", "(for [x [1 2]] (do (when (= x 1) TASK) (when (= x 2) END)))"},
    {"for when", "(for [x [1 2] :when TASK] END)"},
    {"doseq", "(doseq [x [1]] TASK END)"},
    {"map", "(map (fn [x] (if (= x 1) TASK END)) [1 2])"},
    {"filter", "(filter (fn [x] (if (= x 1) TASK END)) [1 2])"},
    {"reduce", "(reduce (fn [a x] (if (= x 1) TASK END)) 0 [1 2])"},
    {"sort key", "(sort-by (fn [x] (if (= x 1) (do TASK 1) END)) [1 2])"},
    {"comparator", "(sort (fn [a b] TASK END true) [2 1])"},
    {"group-by", "(group-by (fn [x] (if (= x 1) TASK END)) [1 2])"},
    {"update", "(update {:a 1} :a (fn [x] TASK END))"},
    {"apply", "(apply (fn [x] TASK END) [1])"},
    {"partial", "((partial (fn [x y] TASK END) 1) 2)"},
    {"threading", "(-> TASK (vector END))"},
    {"tree-seq", "(tree-seq (fn [x] TASK END false) identity 1)"},
    {"nested task", "(task \"outer\" (do TASK END))"},
    {"pmap", "(pmap (fn [x] TASK END) [1])", true},
    {"pcalls", "(pcalls (fn [] TASK END))", true},
    {"map in pmap", "(pmap (fn [x] (map (fn [y] TASK END) [1])) [1])", true},
};

struct Ending {
  std::string_view name, text;
  ptc::OutcomeStatus status;
};
using Status = ptc::OutcomeStatus;
constexpr Ending kEndings[] = {
    {"value", "1", Status::Ok},
    {"return", "(return 1)", Status::Return},
    {"fail", "(fail 1)", Status::Fail},
    {"type error", "(+ 1 nil)", Status::Error},
    {"arithmetic error", "(/ 1 0)", Status::Error},
    {"tool error", "(tool/boom {})", Status::Error},
    {"not callable", "(5 1)", Status::Error},
    {"fuel", "((fn [n] (recur (inc n))) 0)", Status::Error},
    {"memory", "(count (map str (range 3000000)))", Status::Error},
    {"depth", "((fn f [n] (+ 1 (f n))) 0)", Status::Error},
    {"loop limit", "(loop [i 0] (if (< i 500000) (recur (inc i)) i))", Status::Error},
};

std::string replaced(std::string text, std::string_view word, std::string_view by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
  return text;
}

ProgramFile program_of(const Place& place, const Ending& ending) {
  ProgramFile file;
  file.source = replaced(std::string(place.text), "TASK", "(do (task \"t\" (inc 41)) (println \"committed\") true)");
  file.source = replaced(std::move(file.source), "END", ending.text);
  file.has_journal = true;
  file.tools = {{"boom", ptc::AsyncMode::No}};
  file.calls.push_back({"boom", "{}", std::nullopt, "\"down\""});
  file.options.limits.fuel = ending.name == "memory" ? 100'000'000 : 400'000;
  file.options.limits.memory_bytes = 8u << 20;
  file.options.limits.loop = ending.name == "fuel" ? 10'000'000 : 10'000;
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
