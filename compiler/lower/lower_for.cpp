// for, doseq and folds: nested iterators, native and not counted against the loop limit.
//
// Layout of one Bind: iterator in two registers (sequence, position), the element above them, then whatever the inner
// clauses bind. All ways to the next turn meet at `next`, all ways out at `exit`, with the same registers alive.
#include "compiler/lower/code_generator.h"

namespace ptc {

void FunctionGenerator::gen_for(const Node* node, Reg dst) {
  const std::uint32_t mark = out_.mark();
  Reg accumulator = 0;
  const bool folds = node->local != kNoLocal;
  if (node->collect) {
    accumulator = out_.allocate();
    emit(Op::MakeVector, 0, accumulator, 0);
  } else if (folds) {
    accumulator = out_.allocate();
    if (!node->starts_with_first) gen(node->kids[1], Dest::to(accumulator));
    bind(node->local, accumulator);
  }
  gen_clause(node, 0, accumulator, nullptr);
  if (folds) unbind(node->local);
  if (node->collect || folds) {
    emit(Op::Move, kTakeB, dst, accumulator);
  } else {
    emit(Op::LoadNil, 0, dst);
  }
  out_.release_to(mark);
}

// Whether the value may be a (reduced x): only functions give one, or values from elsewhere.
static bool may_end_fold(const Node* body) {
  switch (body->kind) {
    case NodeKind::Const:
    case NodeKind::MakeVector:
    case NodeKind::MakeMap:
    case NodeKind::MakeSet: return false;
    case NodeKind::If: return may_end_fold(body->kids[1]) || may_end_fold(body->kids[2]);
    case NodeKind::Do:
    case NodeKind::Let: return may_end_fold(body->kids.back());
    case NodeKind::Invoke:
      switch (body->builtin) {
        case BuiltinId::add: case BuiltinId::sub: case BuiltinId::mul: case BuiltinId::div:
        case BuiltinId::inc: case BuiltinId::dec: case BuiltinId::conj: case BuiltinId::assoc:
        case BuiltinId::dissoc: case BuiltinId::merge: case BuiltinId::str: return false;
        default: return true;
      }
    default: return true;
  }
}

void FunctionGenerator::gen_clause(const Node* node, std::size_t index, Reg accumulator, Turn* turn) {
  if (index == node->clauses.size()) {
    if (node->local != kNoLocal) {
      drop_at_entry(node->kids[0]);
      gen(node->kids[0], Dest::to(accumulator));
      if (may_end_fold(node->kids[0])) jump(Op::JumpReduced, 0, accumulator, 0, turn->exit);
      return;
    }
    if (!node->collect) {
      gen(node->kids[0], Dest::effect());
      return;
    }
    const std::uint32_t mark = out_.mark();
    const Operand value = gen_operand(node->kids[0]);
    emit(Op::VectorPush, value.take ? kTakeB : std::uint8_t{0}, accumulator, value.reg);
    out_.release_to(mark);
    return;
  }
  const ForClause& clause = node->clauses[index];
  switch (clause.kind) {
    case ForClause::Kind::Bind: gen_bind(node, index, accumulator); return;
    case ForClause::Kind::Let: {
      const Reg reg = out_.allocate();
      gen(clause.expression, Dest::to(reg));
      bind(clause.local, reg);
      if (context_.liveness.unused.at(node)[index]) drop(reg);
      gen_clause(node, index + 1, accumulator, turn);
      unbind(clause.local);
      return;
    }
    case ForClause::Kind::When:
    case ForClause::Kind::While: {
      Label& out = clause.kind == ForClause::Kind::When ? turn->next : turn->exit;
      const std::vector<LocalId>& drops = context_.liveness.exit_drops.at(node)[index];
      if (drops.empty()) {
        gen_jump_if_false(clause.expression, out);
        gen_clause(node, index + 1, accumulator, turn);
        return;
      }
      Label refused;
      gen_jump_if_false(clause.expression, refused);
      gen_clause(node, index + 1, accumulator, turn);
      jump(Op::Jump, 0, 0, 0, turn->next);
      out_.place(refused);
      drop_locals(drops);
      jump(Op::Jump, 0, 0, 0, out);
      return;
    }
  }
}

void FunctionGenerator::gen_bind(const Node* node, std::size_t index, Reg accumulator) {
  const std::uint32_t mark = out_.mark();
  const ForClause& clause = node->clauses[index];
  const Reg iterator = out_.allocate();
  gen(clause.expression, Dest::to(iterator));
  out_.allocate();   // the position
  const SourceSpan saved = span_;
  span_ = clause.span.line != 0 ? clause.span : clause.expression->span;
  emit(Op::IterStart, 0, iterator, context_.tables.string_constant(clause.function), clause.argument);
  span_ = saved;
  Label nothing;
  if (node->starts_with_first) jump(Op::IterNext, 0, accumulator, iterator, nothing);
  const Reg element = out_.allocate();
  Turn turn;
  Label head;
  out_.place(head);
  jump(Op::IterNext, 0, element, iterator, turn.exit);
  bind(clause.local, element);
  if (context_.liveness.unused.at(node)[index]) drop(element);
  gen_clause(node, index + 1, accumulator, &turn);
  unbind(clause.local);
  out_.place(turn.next);
  jump(Op::JumpBack, 0, 0, 0, head);
  if (node->starts_with_first) {
    out_.place(nothing);
    gen(node->kids[1], Dest::to(accumulator));
  }
  out_.place(turn.exit);
  drop(iterator);
  drop_locals(context_.liveness.exit_drops.at(node)[index]);
  out_.release_to(mark);
}

}  // namespace ptc
