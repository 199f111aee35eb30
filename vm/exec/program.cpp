#include "vm/exec/program.h"

#include <algorithm>
#include <bit>

#include "program_generated.h"
#include "schema/builtin_id.h"
#include "schema/flat_tree.h"
#include "schema/regex_total.h"
#include "schema/version.h"
#include "vm/builtins/regex.h"
#include "vm/exec/fused.h"
#include "vm/exec/verifier.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

constexpr flatbuffers::uoffset_t kMaxTables = UINT32_MAX;   // a tree has no more than it has bytes

constexpr std::uint64_t kMaxDigits = 200'000;

using LoadResult = std::variant<std::shared_ptr<Program>, ProgramError>;

ProgramError damaged() { return {"not a program: the container is damaged", 0, 0}; }

// Source text of a function's form, or "" when the offsets make no sense.
std::string slice(const std::string& source, std::uint32_t begin, std::uint32_t end) {
  if (begin >= end || end > source.size()) return {};
  return source.substr(begin, end - begin);
}

Prototype load_function(const Program& program, const schema::FunctionT& in, std::uint32_t index) {
  Prototype out;
  out.name = in.name;
  out.printed = in.printed;
  out.source = slice(program.source, in.source_begin, in.source_end);
  out.source_begin = in.source_begin;
  out.source_end = in.source_end;
  out.doc = in.doc;
  out.upvalue_names = in.upvalue_names;
  out.required_count = in.required_count;
  out.variadic = in.variadic;
  out.program = &program;
  out.index = index;
  out.register_count = in.register_count;
  out.upvalue_count = static_cast<std::uint32_t>(in.upvalue_names.size());
  out.param_count = std::uint32_t{in.required_count} + (in.variadic ? 1 : 0);
  out.unary_entry = in.unary_entry;
  out.code.reserve(in.code.size());
  for (const std::uint64_t word : in.code) out.code.push_back(decode(word));
  out.spans.reserve(in.spans.size());
  for (const schema::SpanEntry& span : in.spans) {
    out.spans.push_back({span.pc(), {span.begin(), span.end(), span.line(), span.column()}});
  }
  for (const auto& local : in.locals) {
    if (local) out.locals.push_back({local->name, local->register_, local->from_pc, local->to_pc});
  }
  return out;
}

LoadResult load(const schema::ProgramT& in) {
  auto program = std::make_shared<Program>();
  program->engine = in.engine;
  program->source_name = in.source_name;
  program->source = in.source;
  program->globals = in.globals;
  program->tools = in.tools;
  for (const std::string& name : in.builtins) {
    const auto id = find_builtin(name);
    if (!id) return ProgramError{"unknown builtin " + name, 0, 0};
    program->builtins.push_back(static_cast<std::uint16_t>(*id));
  }
  program->constants.reserve(in.constants.size());
  RegexTotal regexes;
  std::uint64_t digits = 0;   // squared: reading a number takes that long
  for (const auto& constant : in.constants) {
    if (!constant || constant->kind > schema::ConstantKind::MAX) return ProgramError{"unknown constant", 0, 0};
    program->constants.push_back({static_cast<ProgramConstant::Kind>(constant->kind), constant->integer,
                                  std::bit_cast<double>(constant->integer), constant->text, constant->items});
    if (constant->kind == schema::ConstantKind::BigInt) {
      const std::uint64_t size = constant->text.size();
      if (size > kMaxDigits || (digits += size * size) > kMaxDigits * kMaxDigits) {
        return ProgramError{"integer literals of more than " + std::to_string(kMaxDigits) + " digits", 0, 0};
      }
    }
    if (constant->kind == schema::ConstantKind::Regex) {
      std::string reason;
      std::size_t position = 0;
      // An invalid one that is not looked at here fails when it is used.
      if (regexes.is_full() || regexes.has(constant->text)) continue;
      const std::uint32_t size = regex_check(constant->text, reason, position);
      if (size == 0) return ProgramError{"invalid regex literal #\"" + constant->text + "\": " + reason, 0, 0};
      regexes.add(constant->text, size);
    }
  }
  if (in.inlined.size() > Program::kMostInlinedCalls) return ProgramError{"too many inlined calls", 0, 0};
  for (const auto& call : in.inlined) {
    if (!call || !call->call) return ProgramError{"missing inlined call", 0, 0};
    const schema::SourceStretch& at = *call->call;
    program->inlined.push_back(
        {call->builtin, {at.begin(), at.end(), at.line(), at.column()}, call->function_begin, call->function_end});
  }
  program->functions.reserve(in.functions.size());
  for (std::size_t i = 0; i < in.functions.size(); ++i) {
    if (!in.functions[i]) return ProgramError{"missing function", static_cast<std::uint32_t>(i), 0};
    program->functions.push_back(load_function(*program, *in.functions[i], static_cast<std::uint32_t>(i)));
  }
  return program;
}

bool all_utf8(const std::vector<std::string>& texts) { return std::all_of(texts.begin(), texts.end(), utf8_is_valid); }

// Every text of a program can end in a value, a message or the JSON face of a snapshot.
bool has_only_utf8(const schema::ProgramT& in) {
  const bool heads = utf8_is_valid(in.engine) && utf8_is_valid(in.source_name) && utf8_is_valid(in.source) &&
                     all_utf8(in.globals) && all_utf8(in.tools) && all_utf8(in.builtins);
  const bool has_inlined = std::all_of(in.inlined.begin(), in.inlined.end(),
                                       [](const auto& call) { return !call || utf8_is_valid(call->builtin); });
  return heads && has_inlined &&
         std::all_of(in.constants.begin(), in.constants.end(),
                     [](const auto& constant) { return !constant || utf8_is_valid(constant->text); }) &&
         std::all_of(in.functions.begin(), in.functions.end(), [](const auto& function) {
           if (!function) return true;
           const bool named = utf8_is_valid(function->name) && utf8_is_valid(function->printed) &&
                              utf8_is_valid(function->doc) && all_utf8(function->upvalue_names);
           return named && std::all_of(function->locals.begin(), function->locals.end(),
                                       [](const auto& local) { return !local || utf8_is_valid(local->name); });
         });
}

bool is_register(Operand kind) {
  return kind == Operand::Dst || kind == Operand::Src || kind == Operand::Mod || kind == Operand::Win;
}

template <class Change>
void change_registers(Instruction& i, Change change) {
  std::uint16_t* const operands[3] = {&i.a, &i.b, &i.c};
  for (std::size_t k = 0; k < 3; ++k) {
    if (is_register(op_info(i.op).operands[k])) *operands[k] = static_cast<std::uint16_t>(change(*operands[k]));
  }
}

// Register operands become byte offsets, so that a handler adds them to the frame's base and needs no shift.
void prepare_to_run(Program& program) {
  for (Prototype& function : program.functions) {
    for (Instruction& i : function.code) change_registers(i, [](std::size_t reg) { return reg * sizeof(Value); });
    fuse(function.code);
    function.window_bytes = (1 + function.register_count) * static_cast<std::uint32_t>(sizeof(Value));
    if (function.variadic && function.unary_entry == 0) continue;
    function.direct_entry = function.code.data() + function.unary_entry;
    function.direct_args = function.variadic ? 1 : function.required_count;
  }
}

}  // namespace

Instruction as_compiled(Instruction scaled) {
  scaled.op = compiled_op(scaled.op);
  change_registers(scaled, [](std::size_t offset) { return offset / sizeof(Value); });
  return scaled;
}

SourceSpan Prototype::span_at(std::uint32_t pc) const {
  const auto after = std::upper_bound(spans.begin(), spans.end(), pc,
                                      [](std::uint32_t at, const SpanEntry& entry) { return at < entry.pc; });
  return after == spans.begin() ? SourceSpan{} : std::prev(after)->span;
}

std::optional<std::uint32_t> Program::function_named(std::string_view name) const {
  const FunctionNames& names = function_names_.get([this] {
    auto made = std::make_unique<FunctionNames>();
    for (const Prototype& function : functions) {
      if (function.upvalue_count == 0 && function.index != 0) made->try_emplace(function.name, function.index);
    }
    return made;
  });
  const auto at = names.find(name);
  return at == names.end() ? std::nullopt : std::optional(at->second);
}

std::variant<std::shared_ptr<const Program>, ProgramError> Program::from_compiler(const schema::ProgramT& compiled) {
  LoadResult loaded = load(compiled);
  if (auto* error = std::get_if<ProgramError>(&loaded)) return std::move(*error);
  const auto program = std::get<std::shared_ptr<Program>>(loaded);
#ifndef NDEBUG
  if (auto error = verify(*program)) return std::move(*error);
#endif
  prepare_to_run(*program);
  return std::shared_ptr<const Program>(program);
}

std::variant<std::shared_ptr<const Program>, ProgramError> Program::from_bytes(std::span<const std::uint8_t> bytes) {
  if (!is_flat_tree(bytes, schema::ProgramTypeTable())) return damaged();
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), 64, kMaxTables);
  if (!schema::VerifyProgramBuffer(verifier)) return damaged();
  std::unique_ptr<schema::ProgramT> unpacked(schema::GetProgram(bytes.data())->UnPack());
  if (unpacked->format != kProgramFormat) {
    return ProgramError{"program format " + std::to_string(unpacked->format) + " is not supported", 0, 0};
  }
  if (!has_only_utf8(*unpacked)) return ProgramError{"text that is not UTF-8", 0, 0};
  LoadResult loaded = load(*unpacked);
  if (auto* error = std::get_if<ProgramError>(&loaded)) return std::move(*error);
  const auto program = std::get<std::shared_ptr<Program>>(loaded);
  if (auto error = verify(*program)) return std::move(*error);
  prepare_to_run(*program);
  return std::shared_ptr<const Program>(program);
}

std::vector<std::uint8_t> program_bytes(const schema::ProgramT& compiled) {
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishProgramBuffer(builder, schema::Program::Pack(builder, &compiled));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace ptc
