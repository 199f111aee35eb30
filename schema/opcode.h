// The instruction set as an enum and an array of facts, made from opcodes.def, and the instruction word.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ptc {

enum class Op : std::uint8_t {
#define OP(name, ...) name,
#include "schema/opcodes.def"
#undef OP
};

// The words of the columns; opcodes.def says what each of them means.
enum class Operand : std::uint8_t { None, Dst, Src, Mod, Win, Imm, Cnt, Const, Global, Builtin, Tool, Func, Up, Jump };
enum class Control : std::uint8_t { Next, Jump, Branch, Call, Loop, LoopIf, End };
enum class OpOwnership : std::uint8_t {
  Operands,
  Change,
  Replace,
  Release,
  Gather,
  Call,
  CallWindow,
  CallBorrowed,
  Iterate,
  Advance,
  BeginTask,
  EndTask,
  OpenPath,
  ClosePath,
  Counted,
  CountedStep,
  CountedBound,
  Return,
  Stop,
};
enum class Window : std::uint8_t { None, One, CountB, CountC, PairsB };
enum class OpResult : std::uint8_t { None, Immediate, Owned, Counter, Iterator };
enum class ConstantNeed : std::uint8_t { None, Any, Number, Keyword, String };
enum class OpCheck : std::uint8_t {
  None,
  Taken,
  Untaken,
  Closure,
  Captures,
  History,
  Ending,
  Arity,
  PlainArity,
};
enum class MemoryCheck : std::uint8_t { None, Before, After };

struct OpInfo {
  std::string_view name;
  std::array<Operand, 3> operands;
  Control control;
  OpOwnership ownership;
  Window window;
  OpResult result;
  ConstantNeed constant;
  OpCheck check;
  MemoryCheck memory;
  std::string_view meaning;
};

consteval std::array<Operand, 3> operand_shape(Operand a, Operand b, Operand c) { return {a, b, c}; }

inline constexpr auto kOps = [] {
  using enum Operand;
  return std::to_array<OpInfo>({
#define OP(name, operands, control, ownership, window, result, constant, check, memory, meaning)   \
  {#name,           operand_shape operands, Control::control,       OpOwnership::ownership,        \
   Window::window,  OpResult::result,       ConstantNeed::constant, OpCheck::check,                \
   MemoryCheck::memory, meaning},
#include "schema/opcodes.def"
#undef OP
  });
}();

inline constexpr std::size_t kOpCount = kOps.size();
constexpr const OpInfo& op_info(Op op) { return kOps[static_cast<std::size_t>(op)]; }

inline constexpr std::uint8_t kTakeA = 1, kTakeB = 2, kTakeC = 4;

// Registers of one function: fewer than kMaxRegisters, so that a scaled register operand fits 16 bits.
inline constexpr std::uint32_t kMaxRegisters = 4000;

struct Instruction {
  Op op;
  std::uint8_t flags;
  std::uint16_t a, b, c;
};
static_assert(sizeof(Instruction) == 8);

constexpr std::uint64_t encode(Instruction i) {
  return static_cast<std::uint64_t>(i.op) | std::uint64_t{i.flags} << 8 | std::uint64_t{i.a} << 16 |
         std::uint64_t{i.b} << 32 | std::uint64_t{i.c} << 48;
}
constexpr Instruction decode(std::uint64_t word) {
  return {static_cast<Op>(word & 0xff), static_cast<std::uint8_t>(word >> 8), static_cast<std::uint16_t>(word >> 16),
          static_cast<std::uint16_t>(word >> 32), static_cast<std::uint16_t>(word >> 48)};
}

}  // namespace ptc
