// What the runs of the simulation do: some steps each, of every effect class, with tasks, questions, pauses, failures.
#pragma once
#include <array>
#include <string>
#include <vector>

namespace ptcvm::simulation {

struct Program {
  const char* source;
  const char* value;                     // EDN; "": the run is given up
  std::vector<std::string> needs;        // tools
};

inline const std::array<Program, 9>& programs() {
  static const std::array<Program, 9> all{{
      {R"((do (task "a" (tool/keyed {:n 1})) (tool/unsafe {:n 2}) 7))", "7", {"keyed", "unsafe"}},
      {R"((let [x (await (tool/ask {}))] (task "b" (tool/keyed {:n x})) (+ x 1)))", "42", {"ask", "keyed"}},
      {R"((do (tool/idem {:n 1}) (tool/idem {:n 2}) (reduce + 0 (range 1500))))", "1124250", {"idem"}},
      {R"((+ (tool/rare {:n 4}) (tool/unsafe {:n 5})))", "9", {"rare", "unsafe"}},
      {R"((+ 1 (tool/flaky {:n 1})))", "2", {"flaky"}},
      {R"((fail "no"))", "", {}},
      {R"((let [x (await (tool/ask {})) y (await (tool/ask {:n 2}))] (tool/unsafe {:n 1}) (+ x y)))",
       "82", {"ask", "unsafe"}},
      {R"((do (tool/unsafe {:n 1}) (tool/unsafe {:n 2}) (tool/unsafe {:n 3})))", "3", {"unsafe"}},
      {R"((reduce + 0 (pmap (fn [n] (tool/keyed {:n n})) [1 2 3])))", "6", {"keyed"}},
  }};
  return all;
}

}  // namespace ptcvm::simulation
