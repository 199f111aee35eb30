#include "vm/exec/disassembler.h"

#include "schema/builtin_id.h"
#include "vm/value/value.h"

namespace ptc {
namespace {

std::string constant_text(const Program& program, std::uint32_t index) {
  const ProgramConstant& constant = program.constants[index];
  switch (constant.kind) {
    case ProgramConstant::Kind::Nil: return "nil";
    case ProgramConstant::Kind::True: return "true";
    case ProgramConstant::Kind::False: return "false";
    case ProgramConstant::Kind::Int: return std::to_string(constant.integer);
    case ProgramConstant::Kind::Float: return std::to_string(constant.real);
    case ProgramConstant::Kind::BigInt: return constant.text;
    case ProgramConstant::Kind::String: return "\"" + constant.text + "\"";
    case ProgramConstant::Kind::Keyword: return ":" + constant.text;
    case ProgramConstant::Kind::Regex: return "#\"" + constant.text + "\"";
    case ProgramConstant::Kind::Vector: return "vector of " + std::to_string(constant.items.size());
    case ProgramConstant::Kind::Map: return "map of " + std::to_string(constant.items.size() / 2);
    case ProgramConstant::Kind::Set: return "set of " + std::to_string(constant.items.size());
  }
  return {};
}

std::string operand_text(const Program& program, const Instruction& i, std::size_t k, std::uint32_t pc) {
  const Operand kind = op_info(i.op).operands[k];
  const std::uint16_t value = k == 0 ? i.a : k == 1 ? i.b : i.c;
  switch (kind) {
    case Operand::None: return {};
    case Operand::Dst:
    case Operand::Src:
    case Operand::Mod:
    case Operand::Win: {
      const bool taken = (i.flags & (1u << k)) != 0;
      return "r" + std::to_string(value) + (taken ? "!" : "");
    }
    case Operand::Imm: return "#" + std::to_string(static_cast<std::int16_t>(value));
    case Operand::Cnt: return "*" + std::to_string(value);
    case Operand::Const: return constant_text(program, value);
    case Operand::Global: return program.globals[value];
    case Operand::Builtin: return std::string(builtin_info(static_cast<BuiltinId>(program.builtins[value])).name);
    case Operand::Tool: return "tool/" + program.tools[value];
    case Operand::Func: return "fn" + std::to_string(value);
    case Operand::Up: return "up" + std::to_string(value);
    case Operand::Jump: return "-> " + std::to_string(std::int64_t{pc} + 1 + static_cast<std::int16_t>(value));
  }
  return {};
}

void append_function(std::string& out, const Program& program, const Prototype& function) {
  out += "fn" + std::to_string(function.index);
  if (!function.name.empty()) out += " " + function.name;
  if (!function.printed.empty()) out += "  " + function.printed;
  out += "  (" + std::to_string(function.param_count) + " parameters, " + std::to_string(function.register_count) +
         " registers, " + std::to_string(function.upvalue_count) + " captured)\n";
  SourceSpan last;
  for (std::uint32_t pc = 0; pc < function.code.size(); ++pc) {
    if (pc != 0 && pc == function.unary_entry) out += "       with one argument:\n";
    const Instruction i = as_compiled(function.code[pc]);
    std::string line = std::to_string(pc);
    line.insert(0, line.size() < 5 ? 5 - line.size() : 0, ' ');
    line += "  " + std::string(op_info(i.op).name);
    line.resize(std::max<std::size_t>(line.size(), 26), ' ');
    std::string separator;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string text = operand_text(program, i, k, pc);
      if (text.empty()) continue;
      line += separator + text;
      separator = ", ";
    }
    const SourceSpan span = function.span_at(pc);
    if (span.line != 0 && (span.begin != last.begin || span.end != last.end)) {
      line.resize(std::max<std::size_t>(line.size() + 2, 56), ' ');
      line += "; " + std::to_string(span.line) + ":" + std::to_string(span.column);
      last = span;
    }
    out += line + "\n";
  }
}

}  // namespace

std::string disassemble(const Program& program) {
  std::string out;
  for (const Prototype& function : program.functions) {
    if (function.index != 0) out += "\n";
    append_function(out, program, function);
  }
  out += "\nr! is the last use of a register: its value is moved out.\n";
  return out;
}

}  // namespace ptc
