// What the columns of opcodes.def mean together. A row whose columns contradict each other does not compile where this
// file is included, nor does a switch here that lacks a word of a column.
#pragma once
#include <algorithm>

#include "schema/opcode.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"
#pragma GCC diagnostic error "-Wreturn-type"

namespace ptc {

constexpr bool has_jump(Control control) {
  switch (control) {
    case Control::Jump:
    case Control::Branch:
    case Control::Loop:
    case Control::LoopIf: return true;
    case Control::Next:
    case Control::Call:
    case Control::End: break;
  }
  return false;
}

constexpr bool jumps_back(Control control) { return control == Control::Loop || control == Control::LoopIf; }

// Says whether the instruction that follows can be the next one.
constexpr bool falls_through(Control control) {
  switch (control) {
    case Control::Jump:
    case Control::Loop:
    case Control::End: return false;
    case Control::Next:
    case Control::Branch:
    case Control::Call:
    case Control::LoopIf: break;
  }
  return true;
}

namespace opcode_rules {

constexpr bool has(const OpInfo& row, Operand kind) { return std::ranges::count(row.operands, kind) != 0; }

// Says whether operands and control are those that this kind of ownership looks at.
constexpr bool has_shape_of_ownership(const OpInfo& row) {
  const auto [a, b, c] = row.operands;
  switch (row.ownership) {
    case OpOwnership::Operands: return a != Operand::Win && a != Operand::Mod && b != Operand::Mod;
    case OpOwnership::Change: return a == Operand::Mod && b == Operand::Src;
    case OpOwnership::Replace: return a == Operand::Mod && b != Operand::Mod;
    case OpOwnership::Release: return a == Operand::Src && b == Operand::None && row.check == OpCheck::Taken;
    case OpOwnership::Gather:
    case OpOwnership::Iterate:
    case OpOwnership::EndTask:
    case OpOwnership::OpenPath:
    case OpOwnership::ClosePath: return a == Operand::Win && row.control == Control::Next;
    case OpOwnership::Call:
    case OpOwnership::CallWindow: return a == Operand::Win && b != Operand::Src && row.control == Control::Call;
    case OpOwnership::CallBorrowed:
      return a == Operand::Win && b == Operand::Src && row.control == Control::Call && row.check == OpCheck::Untaken;
    case OpOwnership::Advance: return a == Operand::Dst && b == Operand::Mod && row.control == Control::Branch;
    case OpOwnership::BeginTask: return a == Operand::Win && row.control == Control::Branch;
    case OpOwnership::Counted: return a == Operand::Mod && b == Operand::None && row.control == Control::Loop;
    case OpOwnership::CountedStep: return a == Operand::Mod && b == Operand::Mod && row.control == Control::Loop;
    case OpOwnership::CountedBound: return a == Operand::Mod && b == Operand::Mod && row.control == Control::LoopIf;
    case OpOwnership::Return:
    case OpOwnership::Stop: return a == Operand::Src && row.control == Control::End;
  }
  return false;
}

// Says whether a register is written for which the column `result` must say what it holds.
constexpr bool has_result(const OpInfo& row) {
  switch (row.ownership) {
    case OpOwnership::Operands: return row.operands[0] == Operand::Dst;
    case OpOwnership::Change:
    case OpOwnership::Release:
    case OpOwnership::Counted:
    case OpOwnership::Return:
    case OpOwnership::Stop: return false;
    case OpOwnership::Replace:
    case OpOwnership::Gather:
    case OpOwnership::Call:
    case OpOwnership::CallWindow:
    case OpOwnership::CallBorrowed:
    case OpOwnership::Iterate:
    case OpOwnership::Advance:
    case OpOwnership::BeginTask:
    case OpOwnership::EndTask:
    case OpOwnership::OpenPath:
    case OpOwnership::ClosePath:
    case OpOwnership::CountedStep:
    case OpOwnership::CountedBound: break;
  }
  return true;
}

constexpr bool has_window(const OpInfo& row) {
  return row.ownership == OpOwnership::Gather || row.control == Control::Call;
}

constexpr bool has_operands_of_window(const OpInfo& row) {
  switch (row.window) {
    case Window::None:
    case Window::One: return true;
    case Window::CountB:
    case Window::PairsB: return row.operands[1] == Operand::Cnt;
    case Window::CountC: return row.operands[2] == Operand::Cnt;
  }
  return false;
}

constexpr bool has_operands_of_check(const OpInfo& row) {
  const auto [a, b, c] = row.operands;
  switch (row.check) {
    case OpCheck::None:
    case OpCheck::Closure: return true;
    case OpCheck::Taken: return a == Operand::Src;
    case OpCheck::Untaken: return has(row, Operand::Src);
    case OpCheck::Captures: return b == Operand::Func && c == Operand::Cnt;
    case OpCheck::History:
    case OpCheck::Ending: return b == Operand::Cnt;
    case OpCheck::Arity:
    case OpCheck::PlainArity: return b == Operand::Builtin && c == Operand::Cnt;
  }
  return false;
}

constexpr bool agrees(const OpInfo& row) {
  const auto [a, b, c] = row.operands;
  const bool iterates = row.ownership == OpOwnership::Iterate;
  return b != Operand::Dst && c != Operand::Dst && c != Operand::Mod &&   // what is written comes first
         a != Operand::Jump && b != Operand::Jump && b != Operand::Win && c != Operand::Win &&
         (c == Operand::Jump) == has_jump(row.control) &&
         has(row, Operand::Const) == (row.constant != ConstantNeed::None) &&
         has_shape_of_ownership(row) &&
         has_window(row) == (row.window != Window::None) && has_operands_of_window(row) &&
         has_result(row) == (row.result != OpResult::None) && iterates == (row.result == OpResult::Iterator) &&
         has_operands_of_check(row) && (row.control == Control::Call || row.ownership != OpOwnership::Call) &&
         has(row, Operand::Func) == (row.check == OpCheck::Captures);
}

#define OP(name, ...) static_assert(agrees(op_info(Op::name)), "the columns of " #name " contradict each other");
#include "schema/opcodes.def"
#undef OP

}  // namespace opcode_rules
}  // namespace ptc

#pragma GCC diagnostic pop
