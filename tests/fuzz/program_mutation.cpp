#include "fuzz/program_mutation.h"

#include <array>
#include <memory>

#include "fuzz/part_mutation.h"
#include "program_generated.h"
#include "schema/builtin_id.h"
#include "schema/flat_tree.h"
#include "schema/opcode.h"
#include "vm/exec/program.h"

namespace ptc::test {
namespace {

constexpr std::size_t kMostChanges = 3;

std::uint16_t below(Random& random, std::size_t count) {
  return static_cast<std::uint16_t>(count == 0 ? 0 : random.below(count));
}

// One that the verifier may take: what is refused at once finds nothing behind it.
std::uint16_t likely_operand(Operand kind, const schema::ProgramT& program, const schema::FunctionT& function,
                             Random& random) {
  switch (kind) {
    case Operand::None: return 0;
    case Operand::Dst:
    case Operand::Src:
    case Operand::Mod:
    case Operand::Win: return below(random, function.register_count);
    case Operand::Imm:
    case Operand::Cnt: return below(random, 6);
    case Operand::Const: return below(random, program.constants.size());
    case Operand::Global: return below(random, program.globals.size());
    case Operand::Builtin: return below(random, program.builtins.size());
    case Operand::Tool: return below(random, program.tools.size());
    case Operand::Func: return below(random, program.functions.size());
    case Operand::Up: return below(random, function.upvalue_names.size());
    case Operand::Jump: return static_cast<std::uint16_t>(random.between(-6, 8));
  }
  return 0;
}

Instruction likely_instruction(Op op, const schema::ProgramT& program, const schema::FunctionT& function,
                               Random& random) {
  const std::array<Operand, 3>& kinds = op_info(op).operands;
  Instruction made{op, 0, 0, 0, 0};
  made.a = likely_operand(kinds[0], program, function, random);
  made.b = likely_operand(kinds[1], program, function, random);
  made.c = likely_operand(kinds[2], program, function, random);
  if (random.below(2) == 0) made.flags = static_cast<std::uint8_t>(random.below(8));
  return made;
}

void change_operand(Instruction& changed, const schema::ProgramT& program, const schema::FunctionT& function,
                    Random& random) {
  std::array<std::uint16_t*, 3> operands = {&changed.a, &changed.b, &changed.c};
  const unsigned which = random.below(operands.size());
  if (static_cast<std::size_t>(changed.op) < kOpCount && random.below(2) == 0) {
    *operands[which] = likely_operand(op_info(changed.op).operands[which], program, function, random);
  } else {
    change(*operands[which], random);
  }
}

// An instruction: another op, other flags, another operand, a neighbour's place, one more or one less.
void change_code(const schema::ProgramT& program, schema::FunctionT& function, Random& random) {
  std::vector<std::uint64_t>& code = function.code;
  if (code.empty()) return;
  const std::size_t index = random.below(code.size());
  Instruction changed = decode(code[index]);
  switch (random.below(10)) {
    case 0: changed.op = static_cast<Op>(random.below(kOpCount)); break;
    case 1:
    case 2: changed.flags = static_cast<std::uint8_t>(random.below(8)); break;
    case 3: std::swap(code[index], code[random.below(code.size())]); return;
    case 4: code.erase(code.begin() + static_cast<std::ptrdiff_t>(index)); return;
    case 5:
    case 6: {
      const Op op = random.below(2) == 0 ? static_cast<Op>(random.below(kOpCount)) : changed.op;
      changed = likely_instruction(static_cast<std::size_t>(op) < kOpCount ? op : Op{}, program, function, random);
      if (random.below(2) == 0) break;
      code.insert(code.begin() + static_cast<std::ptrdiff_t>(index), encode(changed));
      return;
    }
    default: change_operand(changed, program, function, random);
  }
  code[index] = encode(changed);
}

void change_constant(schema::ConstantT& constant, Random& random) {
  switch (random.below(6)) {
    case 0: constant.kind = static_cast<schema::ConstantKind>(random.below(14)); break;
    case 1: change(constant.integer, random); break;
    case 2: double_one(constant.items, random); break;
    case 3:
      if (!constant.items.empty()) change(constant.items[random.below(constant.items.size())], random);
      break;
    default: {
      Octets text(constant.text.begin(), constant.text.end());
      text = mutated_bytes(std::move(text), {}, random);
      constant.text.assign(text.begin(), text.end());
    }
  }
}

void change_function(schema::FunctionT& function, Random& random) {
  switch (random.below(10)) {
    case 0: change(function.register_count, random); break;
    case 1: change(function.required_count, random); break;
    case 2: function.variadic = !function.variadic; break;
    case 3: change(function.unary_entry, random); break;
    case 4: double_one(function.upvalue_names, random); break;
    case 5: shuffle_list(function.upvalue_names, random); break;
    case 6: shuffle_list(function.spans, random); break;
    case 7: shuffle_list(function.locals, random); break;
    case 8: change(function.source_begin, random); break;
    default: change(function.source_end, random);
  }
}

void change_lists(schema::ProgramT& program, schema::ProgramT* other, Random& random) {
  switch (random.below(8)) {
    case 0: shuffle_list(program.constants, random); break;
    case 1: shuffle_list(program.builtins, random); break;
    case 2: program.builtins.emplace_back(kBuiltins[random.below(kBuiltinCount)].name); break;
    case 3: double_one(program.globals, random); break;
    case 4: double_one(program.constants, random); break;
    case 5: double_one(program.functions, random); break;
    case 6: change(program.format, random); break;
    default:
      if (other == nullptr || other->functions.empty() || program.functions.empty()) break;
      std::swap(random.pick(other->functions)->code, program.functions[random.below(program.functions.size())]->code);
  }
}

std::unique_ptr<schema::ProgramT> unpacked_parts(const Octets& bytes) {
  constexpr std::size_t kLeastBytes = 8;   // the identifier is looked for behind the first four
  if (bytes.size() < kLeastBytes) return nullptr;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!schema::VerifyProgramBuffer(verifier) || !is_flat_tree(bytes, schema::ProgramTypeTable())) return nullptr;
  return std::unique_ptr<schema::ProgramT>(schema::GetProgram(bytes.data())->UnPack());
}

}  // namespace

Octets mutated_program(const Octets& bytes, const Octets& other, Random& random) {
  const std::unique_ptr<schema::ProgramT> program = unpacked_parts(bytes), donor = unpacked_parts(other);
  if (program == nullptr || program->functions.empty()) return bytes;
  for (std::size_t k = 1 + random.below(kMostChanges); k > 0 && !program->functions.empty(); --k) {
    schema::FunctionT& function = *program->functions[random.below(program->functions.size())];
    switch (random.below(12)) {
      case 0: change_function(function, random); break;
      case 1: change_lists(*program, donor.get(), random); break;
      case 2:
        if (!program->constants.empty()) change_constant(*random.pick(program->constants), random);
        break;
      default: change_code(*program, function, random);
    }
  }
  return program_bytes(*program);
}

}  // namespace ptc::test
