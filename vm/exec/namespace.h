// The user namespace of a run: a cell for each name, what a redefinition replaced, and what the names were at the start
// of the turn.
//
// Invariants: cells are never removed and never move; code finds them through its Link. A closure that a redefinition
// replaced stays alive until no frame can run it. While a branch runs, the cells show that branch's own definitions;
// while none runs, they show what the main fiber sees.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vm/exec/fiber.h"
#include "vm/exec/link.h"
#include "vm/exec/stable_list.h"

namespace ptc {

class Namespace {
 public:
  explicit Namespace(Heap& heap) : heap_(heap) {}

  const StableList<Cell>& cells() const { return cells_; }
  Cell& cell(std::string_view name);                  // made when there is no such name yet
  void define(std::string_view name, Value taken);    // as the host says
  void undefine(std::string_view name);
  void define_in(Fiber& fiber, Cell& target, Value taken);   // as the program says; a branch's is its own
  void for_each_definition(const std::function<void(std::string_view, Value)>& visit) const;   // in name order

  // Puts the definitions of one branch into the cells, and takes them out again.
  void show(Fiber& branch);
  void hide(Fiber& branch);

  void begin_turn();                                  // remembers what the names are now
  void release_base();                                // forgets what they were
  void rollback();                                    // gives them the values that they had at the start of the turn
  void release_retired();                             // when no frame can run what was replaced
  // Returns the values at the start of the turn, by cell; Absent for a name that was not defined.
  const std::vector<Value>& base() const { return base_; }
  const std::vector<Value>& retired() const { return retired_; }

  // Takes over what a snapshot says, cell by cell.
  void restore(std::size_t index, bool defined, Value taken);
  void restore_base(Value taken) { base_.push_back(taken); }
  void restore_retired(std::vector<Value> taken) { retired_ = std::move(taken); }
  void release_values();                              // before the run ends

 private:
  void assign(Cell& cell, bool defined, Value taken);

  Heap& heap_;
  StableList<Cell> cells_;
  std::map<std::string, Cell*, std::less<>> by_name_;
  std::vector<Value> base_;
  std::vector<Value> retired_;
};

}  // namespace ptc
