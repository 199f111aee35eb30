// What a program is given besides its definitions: the context (data/…), the results of the last three turns, and the
// budget. The session keeps them between turns, and gives them to its run when a turn begins.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/session/edn_values.h"
#include "vm/exec/run.h"

namespace ptc {

class TurnInputs {
 public:
  // Both must outlive the inputs.
  TurnInputs(Run& run, EdnValues& edn) : run_(run), edn_(edn) {}
  ~TurnInputs() { forget(); }
  TurnInputs(const TurnInputs&) = delete;
  TurnInputs& operator=(const TurnInputs&) = delete;

  // Load inputs before the first turn. Each function returns a message when it refuses the text.
  std::optional<std::string> load_context(std::string_view edn);
  std::optional<std::string> load_history(std::string_view edn);    // a vector, oldest first
  std::optional<std::string> load_budget(std::string_view edn);
  void set_context(Value taken_map);
  Value context() const { return context_; }     // borrowed

  void begin_turn();                             // gives the inputs to the run
  void give_history() const;                     // gives the results to the run, for a snapshot between two turns
  void add_result(Value borrowed);               // a turn ended well: its result is the newest of the history
  void take_from_run();                          // a run was restored: it has the inputs
  void forget();                                 // gives back every value of the heap of the run

 private:
  Run& run_;
  EdnValues& edn_;
  Value context_ = Value::nil();        // owned
  std::vector<Value> history_;          // owned, newest first, at most three
};

}  // namespace ptc
