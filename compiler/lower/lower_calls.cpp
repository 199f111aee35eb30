// Calls, operators, collection literals, closures.
#include "compiler/lower/code_generator.h"

namespace ptc {
namespace {

// Longer literals are built in pieces, so that they do not need that many registers at once.
constexpr std::uint32_t kPieceItems = 128;

}  // namespace

Reg FunctionGenerator::window_base(Reg dst) { return out_.is_top(dst) ? dst : out_.allocate(); }

void FunctionGenerator::finish_window(Reg base, Reg dst, std::uint32_t mark) {
  if (base != dst) emit(Op::Move, kTakeB, dst, base);
  out_.release_to(mark);
}

void FunctionGenerator::gen_direct(const Node* node, const DirectOp& direct, Reg dst) {
  const std::uint32_t mark = out_.mark();
  std::vector<Operand> operands;
  for (std::uint32_t i = 0; i < direct.operand_count; ++i) {
    const Node* kid = node->kids[direct.first_operand + i];
    // One of two operands may be a constant of the instruction. It has no register then.
    const bool in_place = op_with_constant(direct.op, false) != Op::Nop && is_number_constant(context_.ast, *kid) &&
                          (i > 0 || !is_number_constant(context_.ast, *node->kids[1]));
    operands.push_back(in_place ? Operand{0, false, kid} : gen_operand(kid));
  }
  const auto take = [](const Operand& operand, std::uint8_t flag) {
    return operand.take ? flag : std::uint8_t{0};
  };
  switch (direct.shape) {
    case DirectOp::Shape::Unary: emit(direct.op, take(operands[0], kTakeB), dst, operands[0].reg); break;
    case DirectOp::Shape::Immediate:
      emit(direct.op, take(operands[0], kTakeB), dst, operands[0].reg, static_cast<std::uint16_t>(direct.immediate));
      break;
    case DirectOp::Shape::Keyword:
      emit(direct.op, take(operands[0], kTakeB), dst, operands[0].reg, node->kids[0]->constant);
      break;
    case DirectOp::Shape::InPlace: gen_in_place(direct.op, operands, dst); break;
    default: {
      Operand left = operands[0];
      for (std::size_t i = 1; i < operands.size(); ++i) {
        const bool last = i + 1 == operands.size();
        const Reg out = last && !direct.negate ? dst : out_.allocate();
        const Operand& right = operands[i];
        if (right.constant != nullptr) {
          emit(op_with_constant(direct.op, false), take(left, kTakeB), out, left.reg, right.constant->constant);
        } else if (left.constant != nullptr) {
          emit(op_with_constant(direct.op, true), take(right, kTakeB), out, right.reg, left.constant->constant);
        } else {
          emit(direct.op, static_cast<std::uint8_t>(take(left, kTakeB) | take(right, kTakeC)), out, left.reg,
               right.reg);
        }
        left = {out, true, nullptr};
      }
      if (direct.negate) emit(Op::Not, kTakeB, dst, left.reg);
    }
  }
  out_.release_to(mark);
}

void FunctionGenerator::gen_call(const Node* node, Reg dst) {
  const std::uint32_t mark = out_.mark();
  const Reg base = window_base(dst);
  const Node* callee = node->kids[0];
  const std::uint32_t count = static_cast<std::uint32_t>(node->kids.size() - 1);
  const bool by_name = callee->kind == NodeKind::Global && !callee->or_nil && !callee->or_builtin;
  const bool is_local = callee->kind == NodeKind::Local;
  const bool stays = is_local && in_register(callee->local);
  const bool captured = is_local && context_.captures.owner[callee->local] != &scope_;
  if (!by_name && !stays && !captured) gen(callee, Dest::to(base));
  for (std::size_t i = 1; i < node->kids.size(); ++i) {
    const Reg slot = out_.allocate();
    gen(node->kids[i], Dest::to(slot));
  }
  if (stays) {
    const Reg reg = static_cast<Reg>(register_of_[callee->local]);
    emit(Op::CallLocal, 0, base, reg, count);
    if (callee->last_use) drop(reg);
  } else if (captured) {
    emit(Op::CallUp, 0, base, upvalue_index(callee->local), count);
  } else if (by_name) {
    emit(Op::CallGlobal, 0, base, context_.tables.global(callee->text), count);
  } else {
    emit(Op::Call, 0, base, count);
  }
  finish_window(base, dst, mark);
}

void FunctionGenerator::gen_invoke(const Node* node, Reg dst) {
  const std::uint32_t mark = out_.mark();
  const Reg base = window_base(dst);
  for (const Node* kid : node->kids) {
    const Reg slot = out_.allocate();
    gen(kid, Dest::to(slot));
  }
  const Op op = is_plain_call(builtin_info(node->builtin)) ? Op::CallPlain : Op::CallBuiltin;
  emit(op, 0, base, context_.tables.builtin(node->builtin),
       static_cast<std::uint32_t>(node->kids.size()));
  finish_window(base, dst, mark);
}

void FunctionGenerator::gen_tool_call(const Node* node, Reg dst) {
  const std::uint32_t mark = out_.mark();
  const Reg base = window_base(dst);
  const Reg slot = out_.allocate();
  gen(node->kids[0], Dest::to(slot));
  emit(Op::CallTool, 0, base, context_.tables.tool(node->text));
  finish_window(base, dst, mark);
}

void FunctionGenerator::gen_collection(const Node* node, Reg dst) {
  switch (node->kind) {
    case NodeKind::MakeMap: gen_pieces(node, dst, Op::MakeMap, 2, BuiltinId::merge); return;
    case NodeKind::MakeSet: gen_pieces(node, dst, Op::MakeSet, 1, BuiltinId::union_); return;
    default: gen_pieces(node, dst, Op::MakeVector, 1, BuiltinId::concat); return;
  }
}

// The first piece is made in the window; every further one is made above it and joined by a builtin.
void FunctionGenerator::gen_pieces(const Node* node, Reg dst, Op op, std::uint32_t stride, BuiltinId join) {
  const std::uint32_t mark = out_.mark();
  const std::size_t total = node->kids.size();
  const std::size_t piece = kPieceItems * stride;
  const auto make = [&](Reg base, std::size_t from, std::size_t to) {
    const std::uint32_t inner = out_.mark();
    for (std::size_t i = from; i < to; ++i) {
      const Reg slot = out_.allocate();
      gen(node->kids[i], Dest::to(slot));
    }
    emit(op, 0, base, static_cast<std::uint32_t>(to - from) / stride);
    out_.release_to(inner);
  };
  const Reg base = window_base(dst);
  if (total <= piece) {
    make(base, 0, total);
  } else {
    const Reg so_far = out_.allocate(), next = out_.allocate();
    for (std::size_t from = 0; from < total; from += piece) {
      const std::size_t to = std::min(total, from + piece);
      if (from == 0) {
        const Reg first = out_.allocate();
        make(first, from, to);
        emit(Op::Move, kTakeB, so_far, first);
      } else {
        const Reg more = out_.allocate();
        make(more, from, to);
        emit(Op::Move, kTakeB, next, more);
        emit(Op::CallBuiltin, 0, base, context_.tables.builtin(join), 2);
        emit(Op::Move, kTakeB, so_far, base);
      }
      out_.release_to(std::uint32_t{next} + 1);
    }
    emit(Op::Move, kTakeB, base, so_far);
  }
  finish_window(base, dst, mark);
}

// Window: collection, path, the old value, the new one.
void FunctionGenerator::gen_update(const Node* node, Reg dst) {
  const std::uint32_t mark = out_.mark();
  const Reg base = window_base(dst);
  const std::uint32_t function = context_.tables.builtin(node->builtin);
  gen(node->kids[0], Dest::to(base));
  const Reg path = out_.allocate();
  gen(node->kids[1], Dest::to(path));
  emit(Op::PathOpen, 0, base, function);
  bind(node->locals[0], out_.allocate());
  drop_at_entry(node->kids[2]);
  const Reg value = out_.allocate();
  gen(node->kids[2], Dest::to(value));
  unbind(node->locals[0]);
  emit(Op::PathClose, 0, base, function);
  finish_window(base, dst, mark);
}

// An operation that changes its first operand where that is: it is moved to the destination before.
void FunctionGenerator::gen_in_place(Op op, const std::vector<Operand>& operands, Reg dst) {
  const Operand &subject = operands[0], &b = operands[1], &c = operands[2];
  const Reg place = dst == b.reg || dst == c.reg ? out_.allocate() : dst;
  if (subject.reg != place || !subject.take) {
    emit(Op::Move, subject.take ? kTakeB : std::uint8_t{0}, place, subject.reg);
  }
  emit(op, static_cast<std::uint8_t>((b.take ? kTakeB : 0) | (c.take ? kTakeC : 0)), place, b.reg, c.reg);
  if (place != dst) emit(Op::Move, kTakeB, dst, place);
}

void FunctionGenerator::gen_fn(const Node* node, Reg dst) {
  const Node* definition = definition_;
  definition_ = nullptr;
  const std::uint32_t mark = out_.mark();
  const Reg base = window_base(dst);
  const FunctionScope& inner = *context_.captures.scope_of.at(node);
  const std::vector<bool>& last = context_.liveness.capture_is_last.at(node);
  for (std::size_t i = 0; i < inner.captures.size(); ++i) {
    const LocalId local = inner.captures[i];
    const Reg slot = out_.allocate();
    if (in_register(local)) {
      emit(Op::Move, last[i] ? kTakeB : std::uint8_t{0}, slot, static_cast<std::uint32_t>(register_of_[local]));
    } else if (context_.captures.owner[local] == &scope_) {
      emit(Op::LoadSelf, 0, slot);
    } else {
      emit(Op::LoadUp, 0, slot, upvalue_index(local));
    }
  }
  const std::uint32_t function = FunctionGenerator(context_, inner).generate(definition);
  emit(Op::MakeClosure, 0, base, function, static_cast<std::uint32_t>(inner.captures.size()));
  finish_window(base, dst, mark);
}

}  // namespace ptc
