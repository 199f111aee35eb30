#include "vm/exec/verifier.h"

#include "schema/builtin_id.h"
#include "schema/opcode_rules.h"
#include "vm/exec/frame_states.h"

// A word of a column without a case here does not compile: nothing that nobody thought about passes the verifier.
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"
#pragma GCC diagnostic error "-Wreturn-type"

namespace ptc {
namespace {

// Registers that the analysis of a program may look at. Compiled functions take a few visits of each instruction.
constexpr std::uint64_t kLeastWork = 16u << 20;
constexpr std::uint64_t kWorkOfInstruction = 512;

class FunctionVerifier {
 public:
  FunctionVerifier(const Program& program, const Prototype& function) : program_(program), function_(function) {}

  std::string_view run(std::uint32_t* pc, std::uint64_t& work) {
    if (function_.code.empty()) return "function without code";
    if (function_.register_count >= kMaxRegisters) return "too many registers";
    if (function_.param_count > function_.register_count) return "more parameters than registers";
    const bool may_be_unary = function_.variadic && function_.required_count == 0;
    if (function_.unary_entry != 0 && (!may_be_unary || function_.unary_entry >= function_.code.size())) {
      return "an entry for one argument where there can be none";
    }
    for (*pc = 0; *pc < function_.code.size(); ++*pc) {
      const std::string_view why = instruction(*pc);
      if (!why.empty()) return why;
    }
    FrameStates states;
    const auto failure =
        FrameStates::analyze(function_.code, {function_.register_count, function_.param_count, function_.unary_entry},
                             work, states);
    if (failure) {
      *pc = failure->pc;
      return failure->reason;
    }
    return {};
  }

 private:
  std::string_view instruction(std::uint32_t pc) const {
    const Instruction& i = function_.code[pc];
    if (static_cast<std::size_t>(i.op) >= kOpCount) return "unknown opcode";
    const OpInfo& info = op_info(i.op);
    const std::uint16_t operands[3] = {i.a, i.b, i.c};
    std::uint8_t may_take = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (info.operands[k] == Operand::Src) may_take |= static_cast<std::uint8_t>(1u << k);
      const std::string_view why = operand(info.operands[k], operands[k], pc, info.control);
      if (!why.empty()) return why;
    }
    if ((i.flags & ~may_take) != 0) return "flags that mean nothing";
    if (falls_through(info.control) && pc + 1 == function_.code.size()) return "code runs off the end";
    if (const std::string_view why = constant(i, info); !why.empty()) return why;
    return check(i, info.check);
  }

  std::string_view operand(Operand kind, std::uint16_t value, std::uint32_t pc, Control control) const {
    switch (kind) {
      case Operand::None: return value == 0 ? "" : "operand that means nothing";
      case Operand::Dst:
      case Operand::Src:
      case Operand::Mod:
      case Operand::Win: return value < function_.register_count ? "" : "register out of range";
      case Operand::Imm:
      case Operand::Cnt: return "";
      case Operand::Const: return value < program_.constants.size() ? "" : "constant out of range";
      case Operand::Global: return value < program_.globals.size() ? "" : "global out of range";
      case Operand::Builtin: return value < program_.builtins.size() ? "" : "builtin out of range";
      case Operand::Tool: return value < program_.tools.size() ? "" : "tool out of range";
      case Operand::Func: return value < program_.functions.size() && value != 0 ? "" : "function out of range";
      case Operand::Up: return value < function_.upvalue_count ? "" : "captured value out of range";
      case Operand::Jump: {
        const std::int64_t offset = static_cast<std::int16_t>(value);
        const std::int64_t target = std::int64_t{pc} + 1 + offset;
        if (target < 0 || target >= static_cast<std::int64_t>(function_.code.size())) return "jump out of range";
        if (jumps_back(control) != (offset < 0)) return "only loop jumps go backward, and they must";
        return "";
      }
    }
    return "unknown operand kind";
  }

  // Checks the kind of the constant that the instruction names, if it names one.
  std::string_view constant(const Instruction& i, const OpInfo& info) const {
    if (info.constant == ConstantNeed::None) return "";
    using Kind = ProgramConstant::Kind;
    const std::uint16_t operand = info.operands[1] == Operand::Const ? i.b : i.c;
    const Kind kind = program_.constants[operand].kind;
    switch (info.constant) {
      case ConstantNeed::None:
      case ConstantNeed::Any: return "";
      case ConstantNeed::Number: return kind == Kind::Int || kind == Kind::Float ? "" : "constant is no number";
      case ConstantNeed::Keyword: return kind == Kind::Keyword ? "" : "constant is no keyword";
      case ConstantNeed::String: return kind == Kind::String ? "" : "constant is no string";
    }
    return "unknown need of a constant";
  }

  std::string_view check(const Instruction& i, OpCheck wanted) const {
    switch (wanted) {
      case OpCheck::None: return "";
      case OpCheck::Taken: return (i.flags & kTakeA) != 0 ? "" : "drop without its flag";
      case OpCheck::Untaken: return i.flags == 0 ? "" : "the called register does not outlive the call";
      case OpCheck::Closure: return function_.index != 0 ? "" : "the entry is no closure";
      case OpCheck::Captures:
        return program_.functions[i.b].upvalue_count == i.c ? "" : "wrong number of captured values";
      case OpCheck::History: return i.b >= 1 && i.b <= 3 ? "" : "history goes back three turns";
      case OpCheck::Ending: return i.b <= 1 ? "" : "unknown way to stop";
      case OpCheck::Arity: return arity(i, false);
      case OpCheck::PlainArity: return arity(i, true);
    }
    return "unknown check";
  }

  std::string_view arity(const Instruction& i, bool must_be_plain) const {
    const BuiltinInfo& info = builtin_info(static_cast<BuiltinId>(program_.builtins[i.b]));
    if (!accepts(info, i.c)) return "wrong number of arguments of a builtin";
    return !must_be_plain || is_plain_call(info) ? "" : "a builtin that may go on calling";
  }

  const Program& program_;
  const Prototype& function_;
};

std::string_view check_constants(const Program& program) {
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    const ProgramConstant& constant = program.constants[i];
    const bool has_items = constant.kind >= ProgramConstant::Kind::Vector;
    if (!has_items && !constant.items.empty()) return "constant with items it cannot have";
    if (constant.kind == ProgramConstant::Kind::Map && constant.items.size() % 2 != 0)
      return "map constant with odd items";
    for (const std::uint32_t item : constant.items) {
      if (item >= i) return "constant refers forward";
    }
  }
  return {};
}

}  // namespace

std::optional<ProgramError> verify(const Program& program) {
  if (program.functions.empty()) return ProgramError{"program without functions", 0, 0};
  const Prototype& entry = program.functions[0];
  if (entry.param_count != 0 || entry.upvalue_count != 0) {
    return ProgramError{"the entry takes no parameters and captures nothing", 0, 0};
  }
  if (const std::string_view why = check_constants(program); !why.empty()) return ProgramError{std::string(why), 0, 0};
  std::uint64_t work = kLeastWork;
  for (const Prototype& function : program.functions) work += function.code.size() * kWorkOfInstruction;
  for (const Prototype& function : program.functions) {
    std::uint32_t pc = 0;
    const std::string_view why = FunctionVerifier(program, function).run(&pc, work);
    if (!why.empty()) return ProgramError{std::string(why), function.index, pc};
  }
  return std::nullopt;
}

}  // namespace ptc
