// Places where a task can be, and ways in which a run can end afterwards. Each program is a place with a task and an
// ending; inside of a callback or a branch the ending follows inside as well, where that is possible.
#pragma once
#include <string>
#include <string_view>

#include "runtime/session/outcome.h"
#include "runtime/session/session.h"

namespace ptc::test {

// TASK stands for the task, END for what ends the run (or nil when the ending comes after the place).
struct Place {
  std::string_view name, text;
  bool parallel = false;   // return and fail are refused inside: the run ends with another fault, which is fine
};
inline constexpr Place kPlaces[] = {
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
  OutcomeStatus status;
};
inline constexpr Ending kEndings[] = {
    {"value", "1", OutcomeStatus::Ok},
    {"return", "(return 1)", OutcomeStatus::Return},
    {"fail", "(fail 1)", OutcomeStatus::Fail},
    {"type error", "(+ 1 nil)", OutcomeStatus::Error},
    {"arithmetic error", "(/ 1 0)", OutcomeStatus::Error},
    {"tool error", "(tool/boom {})", OutcomeStatus::Error},
    {"not callable", "(5 1)", OutcomeStatus::Error},
    {"fuel", "((fn [n] (recur (inc n))) 0)", OutcomeStatus::Error},
    {"memory", "(count (map str (range 3000000)))", OutcomeStatus::Error},
    {"depth", "((fn f [n] (+ 1 (f n))) 0)", OutcomeStatus::Error},
    {"loop limit", "(loop [i 0] (if (< i 500000) (recur (inc i)) i))", OutcomeStatus::Error},
};
// One more for runs that have a clock.
inline constexpr Ending kTimeout = {"timeout", "((fn [n] (recur (inc n))) 0)", OutcomeStatus::Error};

inline std::string with_word(std::string text, std::string_view word, std::string_view by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
  return text;
}
inline std::string program_text(const Place& place, const Ending& ending, std::string_view task) {
  return with_word(with_word(std::string(place.text), "TASK", task), "END", ending.text);
}
// Small enough that each ending comes soon.
inline RunLimits limits_for(const Ending& ending) {
  RunLimits limits;
  limits.fuel = ending.name == "memory" ? 100'000'000 : ending.name == "timeout" ? ~std::uint64_t{0} >> 1 : 400'000;
  limits.memory_bytes = 8u << 20;
  limits.loop = ending.name == "fuel" || ending.name == "timeout" ? ~std::uint32_t{0} : 10'000;
  return limits;
}

}  // namespace ptc::test
