// Programs as bytes: what a program was compiled to, made again from the loaded form. The loaded form keeps everything
// that travels, so equal programs give equal bytes, even when their own bytes came from different writers.
#include <sodium/crypto_hash_sha256.h>

#include "program_generated.h"
#include "schema/builtin_id.h"
#include "schema/version.h"
#include "vm/exec/frame_states.h"
#include "vm/exec/packed_words.h"
#include "vm/exec/program.h"

namespace ptc {
namespace {

std::unique_ptr<schema::FunctionT> function_of(const Prototype& in) {
  auto out = std::make_unique<schema::FunctionT>();
  out->name = in.name;
  out->printed = in.printed;
  out->doc = in.doc;
  out->source_begin = in.source_begin;
  out->source_end = in.source_end;
  out->required_count = static_cast<std::uint16_t>(in.required_count);
  out->variadic = in.variadic;
  out->unary_entry = in.unary_entry;
  out->register_count = static_cast<std::uint16_t>(in.register_count);
  out->upvalue_names = in.upvalue_names;
  out->code.reserve(in.code.size());
  for (const Instruction& scaled : in.code) out->code.push_back(encode(as_compiled(scaled)));
  out->spans.reserve(in.spans.size());
  for (const SpanEntry& entry : in.spans) {
    out->spans.emplace_back(entry.pc, entry.span.begin, entry.span.end, entry.span.line, entry.span.column);
  }
  for (const LocalName& local : in.locals) {
    auto name = std::make_unique<schema::LocalNameT>();
    name->name = local.name;
    name->register_ = local.reg;
    name->from_pc = local.from_pc;
    name->to_pc = local.to_pc;
    out->locals.push_back(std::move(name));
  }
  return out;
}

std::unique_ptr<schema::InlinedCallT> inlined_of(const InlinedCall& in) {
  auto out = std::make_unique<schema::InlinedCallT>();
  out->builtin = in.builtin;
  out->call = std::make_unique<schema::SourceStretch>(in.call.begin, in.call.end, in.call.line, in.call.column);
  out->function_begin = in.function_begin;
  out->function_end = in.function_end;
  return out;
}

std::unique_ptr<schema::ConstantT> constant_of(const ProgramConstant& in) {
  auto out = std::make_unique<schema::ConstantT>();
  out->kind = static_cast<schema::ConstantKind>(in.kind);
  out->integer = in.integer;
  out->text = in.text;
  out->items = in.items;
  return out;
}

}  // namespace

const EncodedProgram& Program::encoded() const {
  return encoded_.get([this] {
    schema::ProgramT out;
    out.format = kProgramFormat;
    out.engine = engine;
    out.source_name = source_name;
    out.source = source;
    for (const Prototype& function : functions) out.functions.push_back(function_of(function));
    for (const ProgramConstant& constant : constants) out.constants.push_back(constant_of(constant));
    out.globals = globals;
    for (const std::uint16_t id : builtins) {
      out.builtins.emplace_back(builtin_info(static_cast<BuiltinId>(id)).name);
    }
    out.tools = tools;
    auto made = std::make_unique<EncodedProgram>();
    made->bytes = program_bytes(out);         // as versions before inlined calls wrote them
    crypto_hash_sha256(made->sha256.data(), made->bytes.data(), made->bytes.size());
    if (!inlined.empty()) {
      for (const InlinedCall& call : inlined) out.inlined.push_back(inlined_of(call));
      made->bytes = program_bytes(out);
    }
    made->packed = pack_words(made->bytes);   // whole words, as code is
    return made;
  });
}

Prototype::Prototype() = default;
Prototype::~Prototype() = default;
Prototype::Prototype(Prototype&& moved) noexcept = default;

const FrameStates& Prototype::states() const {
  return states_.get([this] {
    std::vector<Instruction> unscaled;
    unscaled.reserve(code.size());
    for (const Instruction& scaled : code) unscaled.push_back(as_compiled(scaled));
    auto made = std::make_unique<FrameStates>();
    std::uint64_t work = UINT64_MAX;   // bounded when the program was verified
    FrameStates::analyze(unscaled, {register_count, param_count, unary_entry}, work, *made);
    return made;
  });
}

}  // namespace ptc
