// Control flow: branches, blocks, loops, case, task, def.
#include <algorithm>

#include "compiler/lower/code_generator.h"

namespace ptc {

void FunctionGenerator::gen_do(const Node* node, Dest dest) {
  for (std::size_t i = 0; i + 1 < node->kids.size(); ++i) gen(node->kids[i], Dest::effect());
  gen(node->kids.back(), dest);
}

// What is left of a let is its body, and to unbind its locals.
void FunctionGenerator::enter_let(const Node* node) {
  for (std::size_t i = 0; i < node->locals.size(); ++i) {
    const Reg reg = out_.allocate();
    gen(node->kids[i], Dest::to(reg));
    bind(node->locals[i], reg);
  }
  drop_at_entry(node->kids.back());
}

void FunctionGenerator::gen_let(const Node* node, Dest dest) {
  const std::uint32_t mark = out_.mark();
  enter_let(node);
  gen(node->kids.back(), dest);
  for (const LocalId local : node->locals) unbind(local);
  out_.release_to(mark);
}

void FunctionGenerator::gen_if(const Node* node, Dest dest) {
  Label otherwise, end;
  const std::uint32_t mark = out_.mark();
  gen_jump_if_false(node->kids[0], otherwise);
  out_.release_to(mark);
  drop_at_entry(node->kids[1]);
  gen(node->kids[1], dest);
  const bool falls_through = dest.kind != Dest::Kind::Tail;
  if (falls_through) jump(Op::Jump, 0, 0, 0, end);
  out_.place(otherwise);
  drop_at_entry(node->kids[2]);
  gen(node->kids[2], dest);
  out_.place(end);
}

void FunctionGenerator::gen_jump_if_false(const Node* test, Label& target) { gen_jump_if(test, false, target); }

// Jumps when the test is truthy (jump_when) or not truthy (!jump_when); else falls through.
void FunctionGenerator::gen_jump_if(const Node* test, bool jump_when, Label& target) {
  const SourceSpan saved = span_;
  if (test->span.line != 0) span_ = test->span;
  const std::uint32_t mark = out_.mark();
  if (test->kind == NodeKind::If) {
    gen_jump_if_either(test, jump_when, target);
  } else if (test->kind == NodeKind::Let) {
    enter_let(test);
    gen_jump_if(test->kids.back(), jump_when, target);
    for (const LocalId local : test->locals) unbind(local);
  } else if (test->kind == NodeKind::Const) {
    if (context_.ast.constants[test->constant].is_truthy() == jump_when) jump(Op::Jump, 0, 0, 0, target);
  } else if (test->kind == NodeKind::Invoke && test->kids.size() == 1 && test->builtin == BuiltinId::not_) {
    gen_jump_if(test->kids[0], !jump_when, target);
  } else if (test->kind == NodeKind::Invoke && test->kids.size() == 1 && test->builtin == BuiltinId::nil_p) {
    const Operand value = gen_operand(test->kids[0]);
    jump(jump_when ? Op::JumpIfNil : Op::JumpIfNotNil, value.take ? kTakeA : std::uint8_t{0}, value.reg, 0, target);
  } else if (!gen_compare_jump(test, jump_when, target)) {
    const Operand value = gen_operand(test);
    jump(jump_when ? Op::JumpIf : Op::JumpIfNot, value.take ? kTakeA : std::uint8_t{0}, value.reg, 0, target);
  }
  out_.release_to(mark);
  span_ = saved;
}

// (and a b), (or a b) and their like as tests: no value is made of them.
void FunctionGenerator::gen_jump_if_either(const Node* test, bool jump_when, Label& target) {
  Label otherwise, end;
  // A branch that is a constant and has nothing to drop leads straight to where it decides to go.
  const auto way = [&](const Node* branch) -> Label* {
    if (branch->kind != NodeKind::Const || context_.liveness.entry_drops.count(branch) != 0) return nullptr;
    return context_.ast.constants[branch->constant].is_truthy() == jump_when ? &target : &end;
  };
  if (Label* then = way(test->kids[1])) {
    gen_jump_if(test->kids[0], true, *then);
    drop_at_entry(test->kids[2]);
    gen_jump_if(test->kids[2], jump_when, target);
    out_.place(end);
    return;
  }
  Label* const other = way(test->kids[2]);
  gen_jump_if_false(test->kids[0], other != nullptr ? *other : otherwise);
  drop_at_entry(test->kids[1]);
  gen_jump_if(test->kids[1], jump_when, target);
  if (other != nullptr) {
    out_.place(end);
    return;
  }
  jump(Op::Jump, 0, 0, 0, end);
  out_.place(otherwise);
  drop_at_entry(test->kids[2]);
  gen_jump_if(test->kids[2], jump_when, target);
  out_.place(end);
}

namespace {

struct CompareJump {
  BuiltinId builtin;
  Op when_true, when_false;         // on registers
  Op imm_true, imm_false;           // second operand a small integer; Nop: no such form
  Op const_true, const_false;       // second operand a constant number; Nop: no such form
};

constexpr CompareJump kCompareJumps[] = {
    {BuiltinId::lt, Op::JumpLess, Op::JumpNotLess, Op::JumpLessImm, Op::JumpNotLessImm,
     Op::JumpLessConst, Op::JumpNotLessConst},
    {BuiltinId::gt, Op::JumpGreater, Op::JumpNotGreater, Op::JumpGreaterImm, Op::JumpNotGreaterImm,
     Op::JumpGreaterConst, Op::JumpNotGreaterConst},
    {BuiltinId::le, Op::JumpLessEq, Op::JumpNotLessEq, Op::Nop, Op::JumpNotLessEqImm,
     Op::JumpLessEqConst, Op::JumpNotLessEqConst},
    {BuiltinId::ge, Op::JumpGreaterEq, Op::JumpNotGreaterEq, Op::Nop, Op::JumpNotGreaterEqImm,
     Op::JumpGreaterEqConst, Op::JumpNotGreaterEqConst},
    {BuiltinId::eq, Op::JumpEqual, Op::JumpNotEqual, Op::JumpEqualImm, Op::JumpNotEqualImm,
     Op::Nop, Op::Nop},
    {BuiltinId::not_equal, Op::JumpNotEqual, Op::JumpEqual, Op::JumpNotEqualImm, Op::JumpEqualImm,
     Op::Nop, Op::Nop},
};

}  // namespace

bool FunctionGenerator::gen_compare_jump(const Node* test, bool jump_when, Label& target) {
  if (test->kind != NodeKind::Invoke || test->kids.size() != 2) return false;
  for (const CompareJump& entry : kCompareJumps) {
    if (entry.builtin != test->builtin) continue;
    std::int16_t number = 0;
    const Op immediate = jump_when ? entry.imm_true : entry.imm_false;
    if (immediate != Op::Nop && small_integer(context_.ast, *test->kids[1], &number)) {
      const Operand value = gen_operand(test->kids[0]);
      jump(immediate, value.take ? kTakeA : std::uint8_t{0}, value.reg, static_cast<std::uint16_t>(number), target);
      return true;
    }
    const Op constant = jump_when ? entry.const_true : entry.const_false;
    if (constant != Op::Nop && is_number_constant(context_.ast, *test->kids[1])) {
      const Operand value = gen_operand(test->kids[0]);
      jump(constant, value.take ? kTakeA : std::uint8_t{0}, value.reg, test->kids[1]->constant, target);
      return true;
    }
    const Operand a = gen_operand(test->kids[0]);
    const Operand b = gen_operand(test->kids[1]);
    const auto flags = static_cast<std::uint8_t>((a.take ? kTakeA : 0) | (b.take ? kTakeB : 0));
    jump(jump_when ? entry.when_true : entry.when_false, flags, a.reg, b.reg, target);
    return true;
  }
  return false;
}

void FunctionGenerator::gen_loop(const Node* node, Dest dest) {
  const std::uint32_t mark = out_.mark();
  LoopTarget target{node, {}, 0, {}};
  for (std::size_t i = 0; i < node->locals.size(); ++i) {
    const Reg reg = out_.allocate();
    gen(node->kids[i], Dest::to(reg));
    bind(node->locals[i], reg);
    target.registers.push_back(reg);
  }
  target.tested = tested_local(node);
  if (node->has_recur) {
    target.counter = out_.allocate();
    emit(Op::LoopStart, 0, target.counter);
  }
  if (target.tested != kNoLocal) {
    emit(Op::LoadNumber, 0, out_.allocate(), node->kids.back()->kids[0]->kids[1]->constant);
  }
  out_.place(target.head);
  loops_.push_back(std::move(target));
  drop_at_entry(node->kids.back());
  if (loops_.back().tested != kNoLocal) {
    gen_tested_body(node->kids.back(), loops_.back(), dest);
  } else {
    gen(node->kids.back(), dest);
  }
  loops_.pop_back();
  for (const LocalId local : node->locals) unbind(local);
  out_.release_to(mark);
}

// The local i of a loop (if (< i number) … …) that every recur steps by 1 in place, or kNoLocal.
LocalId FunctionGenerator::tested_local(const Node* node) const {
  const Node* body = node->kids.back();
  if (!node->has_recur || body->kind != NodeKind::If) return kNoLocal;
  if (context_.liveness.entry_drops.count(body) != 0) return kNoLocal;
  const Node* test = body->kids[0];
  if (test->kind != NodeKind::Invoke || test->builtin != BuiltinId::lt || test->kids.size() != 2) return kNoLocal;
  if (test->kids[0]->kind != NodeKind::Local || !is_number_constant(context_.ast, *test->kids[1])) return kNoLocal;
  const LocalId local = test->kids[0]->local;
  const auto at = std::find(node->locals.begin(), node->locals.end(), local);
  if (at == node->locals.end() || test->kids[0]->last_use) return kNoLocal;
  const auto index = static_cast<std::size_t>(at - node->locals.begin());
  for (const auto& [recur, in_place] : context_.liveness.counts_in_place) {
    if (recur->target != node) continue;
    if (!in_place[index] || direct_op(context_.ast, *recur->kids[index]).immediate != 1) return kNoLocal;
  }
  return local;
}

void FunctionGenerator::gen_tested_body(const Node* body, LoopTarget& target, Dest dest) {
  const Reg tested = static_cast<Reg>(register_of_[target.tested]);
  Label end;
  const SourceSpan saved = span_;
  span_ = body->kids[0]->span;
  jump(Op::JumpNotLess, 0, tested, target.counter + 1u, target.otherwise);
  span_ = saved;
  out_.place(target.body);
  drop_at_entry(body->kids[1]);
  gen(body->kids[1], dest);
  if (dest.kind != Dest::Kind::Tail) jump(Op::Jump, 0, 0, 0, end);
  out_.place(target.otherwise);
  drop_at_entry(body->kids[2]);
  gen(body->kids[2], dest);
  out_.place(end);
}

bool FunctionGenerator::mentions(const Node* node, LocalId local) const {
  if (node->kind == NodeKind::Local && node->local == local) return true;
  if (node->kind == NodeKind::Fn) {
    const std::vector<LocalId>& captured = context_.captures.scope_of.at(node)->captures;
    for (const LocalId capture : captured) {
      if (capture == local) return true;
    }
    return false;
  }
  for (const ForClause& clause : node->clauses) {
    if (mentions(clause.expression, local)) return true;
  }
  for (const Node* kid : node->kids) {
    if (mentions(kid, local)) return true;
  }
  return false;
}

// New values are computed left to right. One goes straight into its register when nothing after it reads the old
// value; the others wait in temporaries until all are there.
void FunctionGenerator::gen_recur(const Node* node) {
  LoopTarget* target = nullptr;
  for (LoopTarget& loop : loops_) {
    if (loop.node == node->target) target = &loop;
  }
  const std::uint32_t mark = out_.mark();
  struct Waiting {
    Reg target, temporary;
  };
  std::vector<Waiting> waiting;
  const auto counts = context_.liveness.counts_in_place.find(node);
  const auto in_place = [&](std::size_t i) {
    return counts != context_.liveness.counts_in_place.end() && counts->second[i];
  };
  for (std::size_t i = 0; i < node->kids.size(); ++i) {
    const LocalId local = node->target->locals[i];
    const Node* kid = node->kids[i];
    if (kid->kind == NodeKind::Local && kid->local == local) continue;   // keeps its value
    if (in_place(i)) continue;
    bool needed_later = false;
    for (std::size_t k = i + 1; k < node->kids.size(); ++k) {
      needed_later |= !in_place(k) && mentions(node->kids[k], local);
    }
    if (!needed_later) {
      gen(kid, Dest::to(target->registers[i]));
    } else {
      const Reg temporary = out_.allocate();
      gen(kid, Dest::to(temporary));
      waiting.push_back({target->registers[i], temporary});
    }
  }
  for (const Waiting& move : waiting) emit(Op::Move, kTakeB, move.target, move.temporary);
  // Counters step in place, the last one by 1 together with the jump.
  std::size_t fused = node->kids.size();
  for (std::size_t i = 0; i < node->kids.size(); ++i) {
    const bool is_tested = target->tested == node->target->locals[i];
    if (in_place(i) && direct_op(context_.ast, *node->kids[i]).immediate == 1 &&
        (target->tested == kNoLocal || is_tested)) {
      fused = i;
    }
  }
  for (std::size_t i = 0; i < node->kids.size(); ++i) {
    if (in_place(i) && i != fused) gen(node->kids[i], Dest::to(target->registers[i]));
  }
  if (target->tested != kNoLocal) {
    jump(Op::LoopJumpIncLess, 0, target->counter, target->registers[fused], target->body);
    jump(Op::Jump, 0, 0, 0, target->otherwise);
  } else if (fused < node->kids.size()) {
    jump(Op::LoopJumpInc, 0, target->counter, target->registers[fused], target->head);
  } else {
    jump(Op::LoopJump, 0, target->counter, 0, target->head);
  }
  out_.release_to(mark);
}

void FunctionGenerator::gen_stop(const Node* node) {
  const std::uint32_t mark = out_.mark();
  Operand value = gen_operand(node->kids[0]);
  emit(Op::Stop, kTakeA, value.reg, node->kind == NodeKind::Fail ? 1 : 0);
  out_.release_to(mark);
}

void FunctionGenerator::gen_case(const Node* node, Dest dest) {
  const std::uint32_t mark = out_.mark();
  const Operand subject = gen_operand(node->kids[0]);
  const std::size_t clause_count = node->case_constants.size();
  std::vector<Label> clauses(clause_count);
  for (std::size_t i = 0; i < clause_count; ++i) {
    for (const std::uint32_t constant : node->case_constants[i]) {
      jump(Op::JumpEqualConst, 0, subject.reg, constant, clauses[i]);
    }
  }
  Label end;
  const auto branch = [&](const Node* result) {
    if (subject.take) drop(subject.reg);
    drop_at_entry(result);
    gen(result, dest);
  };
  branch(node->kids.back());
  for (std::size_t i = 0; i < clause_count; ++i) {
    if (dest.kind != Dest::Kind::Tail) jump(Op::Jump, 0, 0, 0, end);
    out_.place(clauses[i]);
    branch(node->kids[1 + i]);
  }
  out_.place(end);
  out_.release_to(mark);
}

void FunctionGenerator::gen_task(const Node* node, Reg dst) {
  const std::uint32_t mark = out_.mark();
  const Reg value = out_.allocate(2);
  gen(node->kids[0], Dest::to(static_cast<Reg>(value + 1)));
  Label hit, end;
  jump(Op::TaskStart, 0, value, 0, hit);
  gen(node->kids[1], Dest::to(value));
  emit(Op::TaskEnd, 0, value);
  const auto drops = context_.liveness.skip_drops.find(node);
  if (drops != context_.liveness.skip_drops.end()) {
    jump(Op::Jump, 0, 0, 0, end);
    out_.place(hit);
    drop_locals(drops->second);
  } else {
    out_.place(hit);
  }
  out_.place(end);
  emit(Op::Move, kTakeB, dst, value);
  out_.release_to(mark);
}

void FunctionGenerator::gen_def(const Node* node, Dest dest) {
  const std::uint32_t global = context_.tables.global(node->text);
  const std::uint32_t mark = out_.mark();
  Label defined, end;
  if (node->once) jump(Op::JumpIfDefined, 0, 0, global, defined);
  definition_ = node->kids[0]->kind == NodeKind::Fn ? node : nullptr;
  const Operand value = gen_operand(node->kids[0]);
  emit(Op::DefGlobal, value.take ? kTakeA : std::uint8_t{0}, value.reg, global);
  if (node->once) {
    const auto drops = context_.liveness.skip_drops.find(node);
    if (drops != context_.liveness.skip_drops.end()) {
      jump(Op::Jump, 0, 0, 0, end);
      out_.place(defined);
      drop_locals(drops->second);
    } else {
      out_.place(defined);
    }
    out_.place(end);
  }
  out_.release_to(mark);
  if (dest.kind == Dest::Kind::Register) {
    emit(Op::LoadVar, 0, dest.reg, global);
  } else if (dest.kind == Dest::Kind::Tail) {
    const Reg reg = out_.allocate();
    emit(Op::LoadVar, 0, reg, global);
    emit(Op::Return, kTakeA, reg);
    out_.release_to(mark);
  }
}

}  // namespace ptc
