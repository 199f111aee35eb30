#include "compiler/lower/code_generator.h"

#include <algorithm>
#include <bit>

namespace ptc {

namespace {

constexpr std::uint64_t kLocalsPerUnit = 256;   // tables by local, which each function has

}  // namespace

ProgramTables::ProgramTables(schema::ProgramT& program, const Ast& ast) : program_(program) {
  for (std::size_t i = 0; i < ast.constants.size(); ++i) {
    const Constant& constant = ast.constants[i];
    auto out = std::make_unique<schema::ConstantT>();
    out->kind = static_cast<schema::ConstantKind>(constant.kind);
    out->integer =
        constant.kind == Constant::Kind::Float ? std::bit_cast<std::int64_t>(constant.real) : constant.integer;
    out->text = constant.text;
    out->items = constant.items;
    program_.constants.push_back(std::move(out));
    if (constant.kind == Constant::Kind::String) strings_.try_emplace(constant.text, static_cast<std::uint32_t>(i));
  }
}

std::uint32_t ProgramTables::index_of(std::map<std::string, std::uint32_t>& index, std::vector<std::string>& list,
                                      const std::string& name) {
  const auto [at, added] = index.try_emplace(name, static_cast<std::uint32_t>(list.size()));
  if (added) list.push_back(name);
  return at->second;
}

std::uint32_t ProgramTables::string_constant(const std::string& text) {
  const auto [at, added] = strings_.try_emplace(text, static_cast<std::uint32_t>(program_.constants.size()));
  if (added) {
    auto constant = std::make_unique<schema::ConstantT>();
    constant->kind = schema::ConstantKind::String;
    constant->text = text;
    program_.constants.push_back(std::move(constant));
  }
  return at->second;
}

FunctionGenerator::FunctionGenerator(GeneratorContext& context, const FunctionScope& scope)
    : context_(context), scope_(scope), register_of_(context.ast.locals.size(), -1),
      bound_at_(context.ast.locals.size(), 0) {
  context.ast.work(1 + context.ast.locals.size() / kLocalsPerUnit);
}

std::uint32_t FunctionGenerator::generate(const Node* definition) {
  const std::uint32_t index = static_cast<std::uint32_t>(context_.program.functions.size());
  context_.program.functions.push_back(nullptr);   // reserve: inner functions come after their outer one
  const Node* fn = scope_.fn;
  const Node* body = fn != nullptr ? fn->kids[0] : context_.ast.root;
  span_ = body->span;
  if (fn != nullptr) {
    for (const LocalId local : fn->locals) bind(local, out_.allocate());
    if (fn->has_recur) {
      loops_.push_back({fn, {}, out_.allocate(), {}});
      for (std::size_t i = 0; i < fn->locals.size(); ++i) loops_.back().registers.push_back(static_cast<Reg>(i));
      emit(Op::LoopStart, 0, loops_.back().counter);
      out_.place(loops_.back().head);
    }
    drop_at_entry(body);
  }
  gen(body, Dest::tail());
  const std::uint32_t unary_entry = fn != nullptr && fn->unary != kNoLocal ? out_.pc() : 0;
  if (unary_entry != 0) {
    bind(fn->unary, 0);
    drop_at_entry(fn->kids[1]);
    gen(fn->kids[1], Dest::tail());
    unbind(fn->unary);
  }
  if (out_.too_large()) fail_too_large(fn != nullptr ? fn : context_.ast.root);

  auto function = std::make_unique<schema::FunctionT>();
  if (fn != nullptr) {
    for (const LocalId local : fn->locals) unbind(local);
    if (definition != nullptr) {
      function->name = definition->text;
      function->doc = definition->doc;
    } else if (fn->local != kNoLocal) {
      function->name = context_.ast.locals[fn->local].name;
    }
    function->printed = context_.prelude ? "#<fn>" : fn->printed;
    function->source_begin = fn->span.begin;
    function->source_end = fn->span.end;
    function->required_count = static_cast<std::uint16_t>(fn->locals.size() - (fn->variadic ? 1 : 0));
    function->variadic = fn->variadic;
    function->unary_entry = unary_entry;
    for (const LocalId local : scope_.captures) function->upvalue_names.push_back(context_.ast.locals[local].name);
  }
  function->register_count = static_cast<std::uint16_t>(out_.register_count());
  for (const Instruction& instruction : out_.code) function->code.push_back(encode(instruction));
  for (const Emitter::Span& entry : out_.spans) {
    function->spans.emplace_back(entry.pc, entry.span.begin, entry.span.end, entry.span.line, entry.span.column);
  }
  for (const Emitter::Name& entry : out_.names) {
    auto name = std::make_unique<schema::LocalNameT>();
    name->name = entry.name;
    name->register_ = entry.reg;
    name->from_pc = entry.from_pc;
    name->to_pc = entry.to_pc;
    function->locals.push_back(std::move(name));
  }
  context_.program.functions[index] = std::move(function);
  return index;
}

void FunctionGenerator::fail_too_large(const Node* node) {
  if (context_.failed) return;
  context_.failed = true;
  context_.error = {FaultKind::InvalidForm, "function is too large to compile", "split it into smaller functions",
                    node->span};
}

bool FunctionGenerator::in_register(LocalId local) const {
  return context_.captures.owner[local] == &scope_ && !context_.captures.is_self[local];
}

std::uint32_t FunctionGenerator::upvalue_index(LocalId local) const {
  const auto at = std::find(scope_.captures.begin(), scope_.captures.end(), local);
  return static_cast<std::uint32_t>(at - scope_.captures.begin());
}

void FunctionGenerator::bind(LocalId local, Reg reg) {
  register_of_[local] = reg;
  bound_at_[local] = out_.pc();
}

void FunctionGenerator::unbind(LocalId local) {
  const std::string& name = context_.ast.locals[local].name;
  if (name.empty()) return;
  out_.names.push_back({name, static_cast<Reg>(register_of_[local]), bound_at_[local], out_.pc()});
}

void FunctionGenerator::drop_locals(const std::vector<LocalId>& locals) {
  for (const LocalId local : locals) drop(static_cast<Reg>(register_of_[local]));
}

void FunctionGenerator::drop_at_entry(const Node* node) {
  const auto at = context_.liveness.entry_drops.find(node);
  if (at != context_.liveness.entry_drops.end()) drop_locals(at->second);
}

void FunctionGenerator::gen(const Node* node, Dest dest) {
  const SourceSpan saved = span_;
  if (node->span.line != 0) span_ = node->span;
  switch (node->kind) {
    case NodeKind::If: gen_if(node, dest); break;
    case NodeKind::Do: gen_do(node, dest); break;
    case NodeKind::Let: gen_let(node, dest); break;
    case NodeKind::Loop: gen_loop(node, dest); break;
    case NodeKind::Recur: gen_recur(node); break;
    case NodeKind::Return:
    case NodeKind::Fail: gen_stop(node); break;
    case NodeKind::Case: gen_case(node, dest); break;
    case NodeKind::Def: gen_def(node, dest); break;
    default: {
      if (dest.kind == Dest::Kind::Register) {
        gen_value(node, dest.reg);
        break;
      }
      if (dest.kind == Dest::Kind::Effect && node->kind == NodeKind::Const) break;
      const std::uint32_t mark = out_.mark();
      const Operand value = gen_operand(node);
      if (dest.kind == Dest::Kind::Tail) {
        emit(Op::Return, kTakeA, value.reg);
      } else if (value.take) {
        drop(value.reg);
      }
      out_.release_to(mark);
    }
  }
  span_ = saved;
}

FunctionGenerator::Operand FunctionGenerator::gen_operand(const Node* node) {
  if (node->kind == NodeKind::Local && in_register(node->local)) {
    return {static_cast<Reg>(register_of_[node->local]), node->last_use};
  }
  const Reg reg = out_.allocate();
  gen(node, Dest::to(reg));
  return {reg, true};
}

void FunctionGenerator::gen_value(const Node* node, Reg dst) {
  if (const DirectOp direct = direct_op(context_.ast, *node); direct.shape != DirectOp::Shape::None) {
    gen_direct(node, direct, dst);
    return;
  }
  switch (node->kind) {
    case NodeKind::Fn: gen_fn(node, dst); return;
    case NodeKind::Call: gen_call(node, dst); return;
    case NodeKind::Invoke: gen_invoke(node, dst); return;
    case NodeKind::ToolCall: gen_tool_call(node, dst); return;
    case NodeKind::MakeVector:
    case NodeKind::MakeSet:
    case NodeKind::MakeMap: gen_collection(node, dst); return;
    case NodeKind::Task: gen_task(node, dst); return;
    case NodeKind::Update: gen_update(node, dst); return;
    case NodeKind::For: gen_for(node, dst); return;
    default: gen_leaf(node, dst);
  }
}

void FunctionGenerator::gen_leaf(const Node* node, Reg dst) {
  ProgramTables& tables = context_.tables;
  switch (node->kind) {
    case NodeKind::Const: {
      std::int16_t number = 0;
      const Constant& constant = context_.ast.constants[node->constant];
      if (small_integer(context_.ast, *node, &number)) {
        emit(Op::LoadInt, 0, dst, static_cast<std::uint16_t>(number));
      } else if (constant.kind == Constant::Kind::Nil) {
        emit(Op::LoadNil, 0, dst);
      } else if (constant.kind == Constant::Kind::True) {
        emit(Op::LoadTrue, 0, dst);
      } else if (constant.kind == Constant::Kind::False) {
        emit(Op::LoadFalse, 0, dst);
      } else {
        emit(is_number_constant(context_.ast, *node) ? Op::LoadNumber : Op::LoadConst, 0, dst, node->constant);
      }
      return;
    }
    case NodeKind::Local:
      if (in_register(node->local)) {
        emit(Op::Move, node->last_use ? kTakeB : std::uint8_t{0}, dst,
             static_cast<std::uint32_t>(register_of_[node->local]));
      } else if (context_.captures.owner[node->local] == &scope_) {
        emit(Op::LoadSelf, 0, dst);
      } else {
        emit(Op::LoadUp, 0, dst, upvalue_index(node->local));
      }
      return;
    case NodeKind::Global:
      if (node->or_builtin) {
        Label defined, end;
        jump(Op::JumpIfDefined, 0, 0, tables.global(node->text), defined);
        emit(Op::LoadBuiltin, 0, dst, tables.builtin(node->builtin));
        jump(Op::Jump, 0, 0, 0, end);
        out_.place(defined);
        emit(Op::LoadGlobal, 0, dst, tables.global(node->text));
        out_.place(end);
        return;
      }
      emit(node->or_nil ? Op::LoadGlobalOrNil : Op::LoadGlobal, 0, dst, tables.global(node->text));
      return;
    case NodeKind::Builtin: emit(Op::LoadBuiltin, 0, dst, tables.builtin(node->builtin)); return;
    case NodeKind::Tool: emit(Op::LoadTool, 0, dst, tables.tool(node->text)); return;
    case NodeKind::Data: emit(Op::LoadData, 0, dst, tables.string_constant(node->text)); return;
    case NodeKind::History: emit(Op::LoadHistory, 0, dst, node->number); return;
    default: emit(Op::LoadNil, 0, dst); return;   // every kind is handled by gen() or above
  }
}

}  // namespace ptc
