// A program bound to a run, and the names that its code refers to.
//
// Both are plain data, because every instruction looks into them: Links (links.h) makes and owns links, Namespace
// (namespace.h) the cells of the user namespace. Neither ever moves.
#pragma once
#include <memory>
#include <vector>

#include "vm/exec/program.h"
#include "vm/value/heap.h"

namespace ptc {

struct Link;

struct Cell {
  Value value = Value::nil();               // written by set() alone
  // What a direct call of the value needs, when that is a closure (program.h).
  const Instruction* entry = nullptr;
  const Link* link = nullptr;
  std::uint32_t direct_args = Prototype::kNotDirect;
  std::uint32_t window_bytes = 0;
  const Keyword* name = nullptr;
  bool defined = false;
  std::uint32_t index = 0;

  void set(Value taken);                    // what it held before is the caller's to release
};

struct Link {
  std::shared_ptr<const Program> program;
  bool is_prelude = false;
  std::uint32_t index = 0;                  // its place among the links of the run
  std::vector<Value> constants;
  std::vector<Cell*> cells;
  std::vector<Cell> own_cells;              // prelude only: what its cells are; never change once it is linked
  std::vector<const Keyword*> tools;
  Closure* entry = nullptr;                 // owned
  std::vector<Value> functions;             // prelude only: closures by function index, made on first use
  std::int64_t loop_limit = 0;
};

}  // namespace ptc
