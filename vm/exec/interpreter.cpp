// The interpreter loop.
//
// Rules
//  1. Handlers keep only trivially destructible locals.
//  2. Anything that may push a frame or grow the stack ends with GOTO_RELOAD: base, code and constants may have moved.
//  3. A safe point tests one counter (fuel). When it is used up, or garbage waits (Heap::fuel_floor), nothing of the
//     instruction has happened yet and pc points at it.
//  4. An instruction that faults leaves its operands in place, or nil where it already gave one up: unwinding releases
//     what FrameStates says was alive before the instruction.
//  5. What the loop shares with others is read through core_ where it is used: a local reference to the heap would take
//     a register from what every instruction needs.
//  6. Values are copied as two words (operator= of Value); operands are read as fields, registers as base + offset.
#include "vm/exec/interpreter.h"

#include <utility>

#include "vm/builtins/call.h"
#include "vm/exec/fused.h"
#include "vm/exec/register_words.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

#if !defined(PTC_DISPATCH_SWITCH) && (defined(__GNUC__) || defined(__clang__))
#define PTC_COMPUTED_GOTO 1
#pragma GCC diagnostic ignored "-Wpedantic"
#endif

namespace ptc {

#include "vm/exec/handler_macros.inc"

ExitReason Interpreter::interpret(Fiber& fiber) {
  running_ = &fiber;   // looked up where it is needed: registers are for what every instruction needs
#ifdef PTC_COMPUTED_GOTO
  static const void* const kLabels[] = {
#define OP(name, ...) &&op_##name,
#include "schema/opcodes.def"
#undef OP
#define FUSED(name, condition, ...) &&op_##name,
#include "vm/exec/fused.def"
#undef FUSED
  };
#endif
  const Instruction* pc = nullptr;
  Value* base = nullptr;
  const Value* constants = nullptr;
  Link* link = nullptr;
  Frame* top = nullptr;            // of running_->frames
  std::int64_t fuel = core_.fuel_left();
  CallResult called{};
  Value returned{};
  const Frame* frame_limit = nullptr;
  const Value* stack_end = nullptr;
  if (running_->frames.empty()) {   // a branch that is nothing but a tool call, which has its answer
    running_->result = running_->stack[0];
    return ExitReason::Finished;
  }

reload : {
  top = &running_->frames.back();
  if (top->kind == Frame::Kind::Stepper) goto run_stepper;
  base = top->base;
  pc = top->pc;
  frame_limit = running_->frames.limit();
  stack_end = running_->stack_end;
  RELINK(top->closure);
}
  GOTO_NEXT_UNCHECKED;

#ifndef PTC_COMPUTED_GOTO
#define OP(name, ...) if constexpr (false) goto op_##name;   // a row without a handler does not compile
#include "schema/opcodes.def"
#undef OP
dispatch:
  ++pc;
  switch (static_cast<std::uint8_t>(INSN.op)) {   // fused ones have no name in Op
#endif

  CASE(Nop) { GOTO_NEXT; }
  CASE(Move) {
    const Value v = words(B);
    if (!TAKE(kTakeB)) retain(v);
    put(A, v);
    GOTO_NEXT;
  }
  CASE(LoadConst) {
    const Value v = words(constants[INSN.b]);
    retain(v);
    put(A, v);
    GOTO_NEXT;
  }
  CASE(LoadNumber) {
    put(A, words(constants[INSN.b]));
    GOTO_NEXT;
  }
  CASE(LoadInt) {
    A = Value::integer(IMM_B);
    GOTO_NEXT;
  }
  CASE(LoadNil) {
    A = Value::nil();
    GOTO_NEXT;
  }
  CASE(LoadTrue) {
    A = Value::boolean(true);
    GOTO_NEXT;
  }
  CASE(LoadFalse) {
    A = Value::boolean(false);
    GOTO_NEXT;
  }
  CASE(LoadBuiltin) {
    A = Value::of(static_cast<BuiltinId>(link->program->builtins[INSN.b]));
    GOTO_NEXT;
  }
  CASE(LoadTool) {
    Value tool = Value::of(link->tools[INSN.b]);
    tool.tag = Tag::Tool;
    A = tool;
    GOTO_NEXT;
  }
  CASE(LoadSelf) {
    const Value self = Value::of(Tag::Closure, const_cast<Closure*>(top->closure));
    retain(self);
    A = self;
    GOTO_NEXT;
  }
  CASE(LoadUp) {
    const Value v = words(top->closure->upvalues()[INSN.b]);
    retain(v);
    put(A, v);
    GOTO_NEXT;
  }
  CASE(LoadData) {
    const Value data = core_.context();
    Value v = data.is_map() ? map_find_flexible(core_.heap(), data, constants[INSN.b]) : Value::absent();
    if (v.is_absent()) v = Value::nil();
    retain(v);
    A = v;
    GOTO_NEXT;
  }
  CASE(LoadHistory) {
    const Value v = INSN.b <= core_.history().size() ? core_.history()[INSN.b - 1u] : Value::nil();
    retain(v);
    A = v;
    GOTO_NEXT;
  }
  CASE(LoadGlobal) {
    const Cell* cell = link->cells[INSN.b];
    if (!cell->defined) [[unlikely]] {
      core_.raise(FaultKind::UnboundVar, "Undefined variable: " + std::string(cell->name->name()));
      RETURN_FAULTED();
    }
    retain(cell->value);
    A = cell->value;
    GOTO_NEXT;
  }
  CASE(LoadGlobalOrNil) {
    const Value v = link->cells[INSN.b]->value;   // nil while it is not defined
    retain(v);
    A = v;
    GOTO_NEXT;
  }
  CASE(DefGlobal) {
    const Value v = A;
    if (!TAKE(kTakeA)) retain(v);
    TELL();
    parts_.names.define_in(*running_, *link->cells[INSN.b], v);
    GOTO_NEXT;
  }
  CASE(LoadVar) {
    Var* var = core_.heap().make<Var>(Kind::Var);
    var->name = link->cells[INSN.b]->name;
    A = Value::of(Tag::Var, var);
    GOTO_NEXT;
  }
  CASE(JumpIfDefined) {
    if (link->cells[INSN.b]->defined) pc = jump_target(pc, INSN.c);
    GOTO_NEXT;
  }
  CASE(Drop) {
    core_.heap().release(A);
    GOTO_NEXT;
  }
  CASE(MakeClosure) {
    Value* window = &A;
    if (INSN.c == 0 && link->is_prelude) {
      window[0] = Value::of(Tag::Closure, const_cast<Closure*>(parts_.links.function(*link, INSN.b)));
      retain(window[0]);
      GOTO_NEXT;
    }
    const Prototype& prototype = link->program->functions[INSN.b];
    auto* made = core_.heap().make<Closure>(Kind::Closure, sizeof(Closure) + INSN.c * sizeof(Value));
    made->upvalue_count = INSN.c;
    made->serial = core_.heap().next_closure_serial();
    made->function = &prototype;
    made->link = link;
    for (std::uint32_t k = 0; k < INSN.c; ++k) made->upvalues()[k] = window[1 + k];
    window[0] = Value::of(Tag::Closure, made);
    GOTO_NEXT;
  }
  CASE(MakeVector) {
    Value* window = &A;
    window[0] = vector_of(core_.heap(), {window + 1, INSN.b});
    GOTO_NEXT;
  }
  CASE(MakeMap) {
    make_map(&A, INSN.b);
    GOTO_NEXT;
  }
  CASE(MakeSet) {
    make_set(&A, INSN.b);
    GOTO_NEXT;
  }
  CASE(VectorPush) {
    Value& vector = A;
    if (!vector.is_vector()) [[unlikely]] {
      core_.raise(FaultKind::BadProgram, "push to a value that is no vector");
      RETURN_FAULTED();
    }
    const Value v = B;
    if (!TAKE(kTakeB)) retain(v);
    vector = vector_push(core_.heap(), vector, v);
    GOTO_NEXT;
  }

#define ARITHMETIC(name, overflow, operation)                                 \
  CASE(name) {                                                                \
    const Value &x = B, &y = C;                                               \
    if (x.is_int() && y.is_int()) [[likely]] {                                \
      std::int64_t sum;                                                       \
      if (!overflow(x.i, y.i, &sum)) [[likely]] {                             \
        A = Value::integer(sum);                                              \
        GOTO_NEXT_UNCHECKED;                                                  \
      }                                                                       \
    } else if (x.is_float() && y.is_float()) {                                \
      A = Value::real(x.d operation y.d);                                     \
      GOTO_NEXT_UNCHECKED;                                                    \
    }                                                                         \
    if (!slow_arithmetic(Op::name, &A, &B, &C, INSN.flags)) RETURN_FAULTED(); \
    GOTO_NEXT;                                                                \
  }
  ARITHMETIC(Add, __builtin_add_overflow, +)
  ARITHMETIC(Sub, __builtin_sub_overflow, -)
  ARITHMETIC(Mul, __builtin_mul_overflow, *)
#undef ARITHMETIC
#define DIVIDE(name, left, right, slow)                                     \
  CASE(name) {                                                              \
    const Value &x = (left), &y = (right);                                  \
    if (x.is_float() && y.is_float()) {                                     \
      A = Value::real(x.d / y.d);                                           \
      GOTO_NEXT;                                                            \
    }                                                                       \
    if (x.is_int() && y.is_int() && y.i != 0) {                             \
      A = Value::real(static_cast<double>(x.i) / static_cast<double>(y.i)); \
      GOTO_NEXT;                                                            \
    }                                                                       \
    if (!slow) RETURN_FAULTED();                                            \
    GOTO_NEXT;                                                              \
  }
  DIVIDE(Div, B, C, slow_arithmetic(Op::Div, &A, &B, &C, INSN.flags))
  DIVIDE(DivConst, B, constants[INSN.c], slow_constant_arithmetic(Op::Div, &A, &B, y, INSN.flags))
  DIVIDE(ConstDiv, constants[INSN.c], B, slow_constant_arithmetic(Op::Div, &A, &B, x, INSN.flags | kConstantFirst))
#undef DIVIDE
#define CONST_ARITHMETIC(name, op, overflow, operation, left, right, flags)    \
  CASE(name) {                                                                 \
    const Value& x = B;                                                        \
    const Value& k = constants[INSN.c];                                        \
    if (x.is_int() && k.is_int()) {                                            \
      std::int64_t sum;                                                        \
      if (!overflow((left).i, (right).i, &sum)) [[likely]] {                   \
        A = Value::integer(sum);                                               \
        GOTO_NEXT_UNCHECKED;                                                   \
      }                                                                        \
    } else if (x.is_float() && k.is_float()) {                                 \
      A = Value::real((left).d operation (right).d);                           \
      GOTO_NEXT_UNCHECKED;                                                     \
    }                                                                          \
    if (!slow_constant_arithmetic(Op::op, &A, &B, k, flags)) RETURN_FAULTED(); \
    GOTO_NEXT;                                                                 \
  }
  CONST_ARITHMETIC(AddConst, Add, __builtin_add_overflow, +, x, k, INSN.flags)
  CONST_ARITHMETIC(SubConst, Sub, __builtin_sub_overflow, -, x, k, INSN.flags)
  CONST_ARITHMETIC(MulConst, Mul, __builtin_mul_overflow, *, x, k, INSN.flags)
  CONST_ARITHMETIC(ConstAdd, Add, __builtin_add_overflow, +, k, x, INSN.flags | kConstantFirst)
  CONST_ARITHMETIC(ConstSub, Sub, __builtin_sub_overflow, -, k, x, INSN.flags | kConstantFirst)
  CONST_ARITHMETIC(ConstMul, Mul, __builtin_mul_overflow, *, k, x, INSN.flags | kConstantFirst)
#undef CONST_ARITHMETIC
// By a positive divisor, which needs no special case.
#define DIVIDE_INTEGERS(name, builtin, result)                                    \
  CASE(name) {                                                                    \
    const Value &x = B, &y = C;                                                   \
    if (x.is_int() && y.is_int() && y.i > 0) [[likely]] {                         \
      A = Value::integer(result);                                                 \
      GOTO_NEXT_UNCHECKED;                                                        \
    }                                                                             \
    if (!plain_two(BuiltinId::builtin, &A, &B, &C, INSN.flags)) RETURN_FAULTED(); \
    COLLECT_DEBT();                                                               \
    GOTO_NEXT;                                                                    \
  }
  DIVIDE_INTEGERS(Quot, quot, x.i / y.i)
  DIVIDE_INTEGERS(Rem, rem, x.i % y.i)
  DIVIDE_INTEGERS(Mod, mod, x.i % y.i + (x.i % y.i < 0 ? y.i : 0))
#undef DIVIDE_INTEGERS
#define NUMBER_TEST(name, builtin, holds)                                       \
  CASE(name) {                                                                  \
    const Value& x = B;                                                         \
    if (x.is_int()) [[likely]] {                                                \
      A = Value::boolean(holds);                                                \
      GOTO_NEXT;                                                                \
    }                                                                           \
    if (!plain_one(BuiltinId::builtin, &A, &B, TAKE(kTakeB))) RETURN_FAULTED(); \
    GOTO_NEXT;                                                                  \
  }
  NUMBER_TEST(IsEven, even_p, (x.i & 1) == 0)
  NUMBER_TEST(IsOdd, odd_p, (x.i & 1) != 0)
  NUMBER_TEST(IsZero, zero_p, x.i == 0)
  NUMBER_TEST(IsPos, pos_p, x.i > 0)
  NUMBER_TEST(IsNeg, neg_p, x.i < 0)
#undef NUMBER_TEST
#define ADD_IMMEDIATE(name)                                                         \
  CASE(name) {                                                                      \
    const Value& x = B;                                                             \
    if (x.is_int()) [[likely]] {                                                    \
      std::int64_t sum;                                                             \
      if (!__builtin_add_overflow(x.i, std::int64_t{IMM_C}, &sum)) [[likely]] {     \
        A = Value::integer(sum);                                                    \
        GOTO_NEXT_UNCHECKED;                                                        \
      }                                                                             \
    }                                                                               \
    if (!slow_add_immediate(Op::name, &A, &B, IMM_C, INSN.flags)) RETURN_FAULTED(); \
    GOTO_NEXT;                                                                      \
  }
  ADD_IMMEDIATE(AddImm)
  ADD_IMMEDIATE(Inc)
#undef ADD_IMMEDIATE

#define COMPARE(name, operation)                                                    \
  CASE(name) {                                                                      \
    const Value &x = B, &y = C;                                                     \
    if (x.is_int() && y.is_int()) [[likely]] {                                      \
      A = Value::boolean(x.i operation y.i);                                        \
    } else if (x.is_float() && y.is_float()) {                                      \
      A = Value::boolean(x.d operation y.d);                                        \
    } else {                                                                        \
      const int holds = slow_compare(Op::name, &B, &C, INSN.flags, kTakeB, kTakeC); \
      if (holds < 0) RETURN_FAULTED();                                              \
      A = Value::boolean(holds != 0);                                               \
    }                                                                               \
    GOTO_NEXT;                                                                      \
  }
  COMPARE(Less, <)
  COMPARE(LessEq, <=)
  COMPARE(Greater, >)
  COMPARE(GreaterEq, >=)
#undef COMPARE
  CASE(Equal) {
    const Value x = B, y = C;
    const bool same = equal(x, y);
    if (TAKE(kTakeB)) core_.heap().release(x);
    if (TAKE(kTakeC)) core_.heap().release(y);
    A = Value::boolean(same);
    GOTO_NEXT;
  }
  CASE(Not) {
    const Value x = B;
    if (TAKE(kTakeB)) core_.heap().release(x);
    A = Value::boolean(!x.truthy());
    GOTO_NEXT;
  }
  CASE(IsNil) {
    const Value x = B;
    if (TAKE(kTakeB)) core_.heap().release(x);
    A = Value::boolean(x.is_nil());
    GOTO_NEXT;
  }

  CASE(Jump) {
    pc = jump_target(pc, INSN.c);
    GOTO_NEXT;
  }
#define JUMP_IF(name, condition)                 \
  CASE(name) {                                   \
    const Value x = words(A);                    \
    if (TAKE(kTakeA)) core_.heap().release(x);   \
    if (condition) pc = jump_target(pc, INSN.c); \
    GOTO_NEXT;                                   \
  }
  JUMP_IF(JumpIf, x.truthy())
  JUMP_IF(JumpIfNot, !x.truthy())
  JUMP_IF(JumpIfNil, x.is_nil())
  JUMP_IF(JumpIfNotNil, !x.is_nil())
#undef JUMP_IF
// Numbers of each kind have a dispatch of their own.
#define GOTO_TARGET_OR_NEXT(condition)           \
  do {                                           \
    if (condition) pc = jump_target(pc, INSN.c); \
    GOTO_NEXT;                                   \
  } while (false)
#define JUMP_COMPARE(name, compare_op, operation, wanted)                                        \
  CASE(name) {                                                                                   \
    const Value &x = A, &y = B;                                                                  \
    if (x.is_int() && y.is_int()) [[likely]] GOTO_TARGET_OR_NEXT((x.i operation y.i) == wanted); \
    if (x.is_float() && y.is_float()) GOTO_TARGET_OR_NEXT((x.d operation y.d) == wanted);        \
    const int holds = slow_compare(Op::compare_op, &A, &B, INSN.flags, kTakeA, kTakeB);          \
    if (holds < 0) RETURN_FAULTED();                                                             \
    GOTO_TARGET_OR_NEXT((holds != 0) == wanted);                                                 \
  }
  JUMP_COMPARE(JumpLess, Less, <, true)
  JUMP_COMPARE(JumpNotLess, Less, <, false)
  JUMP_COMPARE(JumpLessEq, LessEq, <=, true)
  JUMP_COMPARE(JumpNotLessEq, LessEq, <=, false)
  JUMP_COMPARE(JumpGreater, Greater, >, true)
  JUMP_COMPARE(JumpNotGreater, Greater, >, false)
  JUMP_COMPARE(JumpGreaterEq, GreaterEq, >=, true)
  JUMP_COMPARE(JumpNotGreaterEq, GreaterEq, >=, false)
#undef JUMP_COMPARE
#define JUMP_EQUAL(name, wanted)                                           \
  CASE(name) {                                                             \
    const Value x = A, y = B;                                              \
    const bool same = x.is_int() && y.is_int() ? x.i == y.i : equal(x, y); \
    if (TAKE(kTakeA)) core_.heap().release(x);                             \
    if (TAKE(kTakeB)) core_.heap().release(y);                             \
    if (same == wanted) pc = jump_target(pc, INSN.c);                      \
    GOTO_NEXT;                                                             \
  }
  JUMP_EQUAL(JumpEqual, true)
  JUMP_EQUAL(JumpNotEqual, false)
#undef JUMP_EQUAL
#define JUMP_IMMEDIATE(name, compare_op, operation, wanted)                             \
  CASE(name) {                                                                          \
    const Value& x = A;                                                                 \
    if (x.is_int()) [[likely]] GOTO_TARGET_OR_NEXT((x.i operation IMM_B) == wanted);    \
    if (x.is_float()) GOTO_TARGET_OR_NEXT((x.d operation IMM_B) == wanted);             \
    Value number = Value::integer(IMM_B);                                               \
    const int holds = slow_compare(Op::compare_op, &A, &number, INSN.flags, kTakeA, 0); \
    if (holds < 0) RETURN_FAULTED();                                                    \
    GOTO_TARGET_OR_NEXT((holds != 0) == wanted);                                        \
  }
  JUMP_IMMEDIATE(JumpLessImm, Less, <, true)
  JUMP_IMMEDIATE(JumpNotLessImm, Less, <, false)
  JUMP_IMMEDIATE(JumpGreaterImm, Greater, >, true)
  JUMP_IMMEDIATE(JumpNotGreaterImm, Greater, >, false)
  JUMP_IMMEDIATE(JumpNotLessEqImm, LessEq, <=, false)
  JUMP_IMMEDIATE(JumpNotGreaterEqImm, GreaterEq, >=, false)
#undef JUMP_IMMEDIATE
#define JUMP_CONSTANT(name, compare_op, operation, wanted)                                       \
  CASE(name) {                                                                                   \
    const Value &x = A, &y = constants[INSN.b];                                                  \
    if (x.is_int() && y.is_int()) [[likely]] GOTO_TARGET_OR_NEXT((x.i operation y.i) == wanted); \
    if (x.is_float() && y.is_float()) GOTO_TARGET_OR_NEXT((x.d operation y.d) == wanted);        \
    Value number = y;                                                                            \
    const int holds = slow_compare(Op::compare_op, &A, &number, INSN.flags, kTakeA, 0);          \
    if (holds < 0) RETURN_FAULTED();                                                             \
    GOTO_TARGET_OR_NEXT((holds != 0) == wanted);                                                 \
  }
  JUMP_CONSTANT(JumpLessConst, Less, <, true)
  JUMP_CONSTANT(JumpNotLessConst, Less, <, false)
  JUMP_CONSTANT(JumpGreaterConst, Greater, >, true)
  JUMP_CONSTANT(JumpNotGreaterConst, Greater, >, false)
  JUMP_CONSTANT(JumpLessEqConst, LessEq, <=, true)
  JUMP_CONSTANT(JumpNotLessEqConst, LessEq, <=, false)
  JUMP_CONSTANT(JumpGreaterEqConst, GreaterEq, >=, true)
  JUMP_CONSTANT(JumpNotGreaterEqConst, GreaterEq, >=, false)
#undef JUMP_CONSTANT
#undef GOTO_TARGET_OR_NEXT
#define JUMP_EQUAL_IMMEDIATE(name, wanted)                                      \
  CASE(name) {                                                                  \
    const Value x = words(A);                                                   \
    const bool same = x.is_int() ? x.i == IMM_B : x.is_float() && x.d == IMM_B; \
    if (TAKE(kTakeA)) core_.heap().release(x);                                  \
    if (same == wanted) pc = jump_target(pc, INSN.c);                           \
    GOTO_NEXT;                                                                  \
  }
  JUMP_EQUAL_IMMEDIATE(JumpEqualImm, true)
  JUMP_EQUAL_IMMEDIATE(JumpNotEqualImm, false)
#undef JUMP_EQUAL_IMMEDIATE
  CASE(JumpEqualConst) {
    const Value x = A;
    const bool same = equal(x, constants[INSN.b]);
    if (TAKE(kTakeA)) core_.heap().release(x);
    if (same) pc = jump_target(pc, INSN.c);
    GOTO_NEXT;
  }

  CASE(JumpReduced) {
    if (A.is(Tag::Closure) && take_reduced(&A)) pc = jump_target(pc, INSN.c);
    GOTO_NEXT;
  }

  CASE(LoopStart) {
    A = Value::integer(link->loop_limit);
    GOTO_NEXT;
  }
  CASE(LoopJump) {
    RETURN_IF_OUT_OF_FUEL();
    Value& jumps = A;
    if (jumps.i == 0) [[unlikely]] goto loop_limit;
    --jumps.i;
    pc = jump_target(pc, INSN.c);
    GOTO_NEXT;
  }
  CASE(LoopJumpInc) {
    RETURN_IF_OUT_OF_FUEL();
    Value& jumps = A;
    if (jumps.i == 0) [[unlikely]] goto loop_limit;
    Value& x = B;
    if (x.is_int() && x.i != INT64_MAX) [[likely]] {
      ++x.i;
      --jumps.i;
      pc = jump_target(pc, INSN.c);
      GOTO_NEXT_UNCHECKED;
    }
    if (!slow_add_immediate(Op::Inc, &B, &B, 1, kTakeB)) RETURN_FAULTED();
    --jumps.i;
    pc = jump_target(pc, INSN.c);
    GOTO_NEXT;
  }
  CASE(LoopJumpIncLess) {
    RETURN_IF_OUT_OF_FUEL();
    Value* loop = &A;   // counter, bound
    if (loop[0].i == 0) [[unlikely]] goto loop_limit;
    Value& x = B;
    std::int64_t next;
    if (x.is_int() && loop[1].is_int() && !__builtin_add_overflow(x.i, 1, &next)) [[likely]] {
      x.i = next;
      --loop[0].i;
      if (next < loop[1].i) pc = jump_target(pc, INSN.c);
      GOTO_NEXT_UNCHECKED;
    }
    if (!slow_add_immediate(Op::Inc, &B, &B, 1, kTakeB)) RETURN_FAULTED();
    --loop[0].i;
    if (slow_compare(Op::Less, &B, &loop[1], 0, 0, 0) == 1) pc = jump_target(pc, INSN.c);   // two numbers: cannot fail
    GOTO_NEXT;
  }
  CASE(JumpBack) {
    RETURN_IF_OUT_OF_FUEL();
    pc = jump_target(pc, INSN.c);
    GOTO_NEXT;
  }

  CASE(CallGlobal) {
    RETURN_IF_OUT_OF_FUEL();
    const Cell* cell = link->cells[INSN.b];
    Value* const window = &A;
    if (cell->direct_args == INSN.c && cell->link == link && top + 1 != frame_limit &&
        &reg(window, cell->window_bytes) <= stack_end) [[likely]] {
      PUSH_FRAME(static_cast<const Closure*>(cell->value.object), 0, false);
      pc = cell->entry;
      GOTO_NEXT_UNCHECKED;
    }
    if (!cell->defined) [[unlikely]] {
      core_.raise(FaultKind::UnboundVar, "Undefined variable: " + std::string(cell->name->name()));
      RETURN_FAULTED();
    }
    SAVE();
    *window = retained(cell->value);
    called = parts_.calls.call_value(*running_, static_cast<std::uint32_t>(window - running_->stack), INSN.c);
    goto after_own_window;
  }
  CASE(Call) {
    RETURN_IF_OUT_OF_FUEL();
    Value* const window = &A;
    GOTO_CALLEE_IF_DIRECT(*window, INSN.b, Frame::kOwnsCallee, false);
    SAVE();
    called = parts_.calls.call_value(*running_, static_cast<std::uint32_t>(window - running_->stack), INSN.b);
    goto after_call;
  }
#define CALL_BORROWED(name, callee)                                                                            \
  CASE(name) {                                                                                                 \
    RETURN_IF_OUT_OF_FUEL();                                                                                   \
    Value* const window = &A;                                                                                  \
    GOTO_CALLEE_IF_DIRECT(callee, INSN.c, 0, true);                                                            \
    SAVE();                                                                                                    \
    *window = retained(callee);                                                                                \
    called = parts_.calls.call_value(*running_, static_cast<std::uint32_t>(window - running_->stack), INSN.c); \
    goto after_own_window;                                                                                     \
  }
  CALL_BORROWED(CallLocal, B)
  CALL_BORROWED(CallUp, top->closure->upvalues()[INSN.b])
#undef CALL_BORROWED
  CASE(CallBuiltin) {
    RETURN_IF_OUT_OF_FUEL();
    const auto id = static_cast<BuiltinId>(link->program->builtins[INSN.b]);
    SAVE();
    called = parts_.calls.call_builtin(*running_, id, static_cast<std::uint32_t>(&A - running_->stack), INSN.c, false);
    goto after_call;
  }
  CASE(CallPlain) {
    RETURN_IF_OUT_OF_FUEL();
    Value* const window = &A;
    const auto id = static_cast<BuiltinId>(link->program->builtins[INSN.b]);
    Call call(core_.env(), id, {window + 1, INSN.c});
    const Value value = plain_builtin(id)(call);
    COLLECT_DEBT();
    if (value.is_absent()) [[unlikely]] {
      core_.raise_parked();
      RETURN_FAULTED();
    }
    for (std::uint32_t k = 1; k <= INSN.c; ++k) core_.heap().release(window[k]);
    put(*window, value);
    GOTO_NEXT;
  }
  CASE(CallTool) {
    RETURN_IF_OUT_OF_FUEL();
    SAVE();
    called = parts_.tool_calls.call(*running_, link->tools[INSN.b], static_cast<std::uint32_t>(&A - running_->stack));
    goto after_call;
  }

  CASE(Return) {
    const Value result_value = words(A);
    GOTO_CALLER_WITH(result_value);
  }
  CASE(Stop) {
    SAVE();
    const ExitReason reason = INSN.b != 0 ? ExitReason::Failed : ExitReason::Returned;
    const bool is_fail = reason == ExitReason::Failed;
    if (running_->parent != nullptr) {
      core_.raise(FaultKind::PmapError, is_fail ? "fail called inside pmap" : "return called inside pmap");
      return ExitReason::Faulted;
    }
    if (!holds_no_handle(A, is_fail ? "fail: the value" : "return: the value")) return ExitReason::Faulted;
    end_turn_with(*running_, std::exchange(A, Value::nil()), reason);
    return reason;
  }

  CASE(IterStart) {
    if (!iterator_start(&A, constants[INSN.b], INSN.c)) RETURN_FAULTED();
    COLLECT_DEBT();
    GOTO_NEXT;
  }
  CASE(IterNext) {
    Value* iterator = &B;
    if (static_cast<std::uint64_t>(iterator[1].i) < vector_count(iterator[0])) [[likely]] {
      A = vector_get(iterator[0], static_cast<std::uint32_t>(iterator[1].i));
      ++iterator[1].i;
    } else {
      pc = jump_target(pc, INSN.c);
    }
    GOTO_NEXT;
  }
  CASE(TaskStart) {
    Value* window = &A;
    TELL();
    switch (parts_.tasks.start(*running_, window)) {
      case TaskResult::Hit: pc = jump_target(pc, INSN.c); break;
      case TaskResult::Miss: break;
      case TaskResult::Faulted: RETURN_FAULTED();
      case TaskResult::Returned:
        SAVE();
        end_turn_with(*running_, std::exchange(window[0], Value::nil()), ExitReason::Returned);
        return ExitReason::Returned;
      case TaskResult::Wait: SAVE(); return parts_.probes.start(*running_) ? ExitReason::Parked : ExitReason::Faulted;
    }
    GOTO_NEXT;
  }
  CASE(TaskEnd) {
    TELL();
    if (!parts_.tasks.end(*running_, &A)) RETURN_FAULTED();
    if (!parts_.tasks.stops_after_task(*running_)) [[likely]] GOTO_NEXT;
    top->pc = pc;
    return ExitReason::Committed;
  }

  CASE(GetKeyword) {
    if (!core_.get_keyword(&A, &B, constants[INSN.c], TAKE(kTakeB))) RETURN_FAULTED();
    GOTO_NEXT;
  }
  CASE(Get) {
    if (B.is_map()) [[likely]] {
      const Value x = B, key = C;
      const Value found = map_find(x, key);
      if (!found.is_absent()) [[likely]] {
        retain(found);
        if (TAKE(kTakeB)) core_.heap().release(x);
        if (TAKE(kTakeC)) core_.heap().release(key);
        A = found;
        GOTO_NEXT_UNCHECKED;
      }
    }
    if (!plain_two(BuiltinId::get, &A, &B, &C, INSN.flags)) RETURN_FAULTED();
    COLLECT_DEBT();
    GOTO_NEXT;   // a character of a text is made
  }
  CASE(Nth) {
    const Value x = B, n = C;
    if (x.is_vector() && n.is_int()) [[likely]] {
      const Value v = static_cast<std::uint64_t>(n.i) < vector_count(x)
                          ? retained(element(x, static_cast<std::uint32_t>(n.i)))
                          : Value::nil();
      if (TAKE(kTakeB)) core_.heap().release(x);
      A = v;
      GOTO_NEXT_UNCHECKED;
    }
    if (!plain_two(BuiltinId::nth, &A, &B, &C, INSN.flags)) RETURN_FAULTED();
    COLLECT_DEBT();
    GOTO_NEXT;   // a character of a text is made
  }
  CASE(Count) {
    const Value x = B;
    if (x.is_vector()) [[likely]] {
      const std::uint32_t n = vector_count(x);
      if (TAKE(kTakeB)) core_.heap().release(x);
      A = Value::integer(n);
      GOTO_NEXT;
    }
    if (!plain_one(BuiltinId::count, &A, &B, TAKE(kTakeB))) RETURN_FAULTED();
    COLLECT_DEBT();
    GOTO_NEXT;
  }
  CASE(Conj) {
    if (B.is_vector()) [[likely]] {
      const Value x = B, item = C;
      if (TAKE(kTakeB)) {
        B = Value::nil();
      } else {
        retain(x);
      }
      if (!TAKE(kTakeC)) retain(item);
      A = vector_push(core_.heap(), x, item);
      GOTO_NEXT;
    }
    if (!plain_two(BuiltinId::conj, &A, &B, &C, INSN.flags)) RETURN_FAULTED();
    COLLECT_DEBT();
    GOTO_NEXT;
  }

  CASE(PathOpen) {
    if (!path_open(static_cast<BuiltinId>(link->program->builtins[INSN.b]), &A)) RETURN_FAULTED();
    COLLECT_DEBT();
    GOTO_NEXT;
  }
  CASE(PathClose) {
    if (!path_close(static_cast<BuiltinId>(link->program->builtins[INSN.b]), &A)) RETURN_FAULTED();
    COLLECT_DEBT();
    GOTO_NEXT;
  }
  CASE(AssocIn) {
    if (!assoc_in(&A, &B, &C, INSN.flags)) RETURN_FAULTED();
    COLLECT_DEBT();
    GOTO_NEXT;
  }
  CASE(Assoc) {
    Value &x = A, &n = B, &item = C;
    if (x.is_vector() && n.is_int() && static_cast<std::uint64_t>(n.i) < vector_count(x)) [[likely]] {
      if (!TAKE(kTakeC)) retain(item);
      if (x.object->kind == Kind::TrieVector) {
        if (Value* const cell = trie_unshared_cell(static_cast<TrieVector*>(x.object), static_cast<std::uint32_t>(n.i),
                                                   leaf_flags_for(item))) {
          const Value old = words(*cell);
          put(*cell, item);
          core_.heap().release(old);
          GOTO_NEXT_UNCHECKED;
        }
      }
      x = vector_set(core_.heap(), x, static_cast<std::uint32_t>(n.i), item);
    } else if (!plain_in_place(BuiltinId::assoc, &x, &n, &item, INSN.flags)) {
      RETURN_FAULTED();
    }
    COLLECT_DEBT();
    GOTO_NEXT;
  }

#include "vm/exec/fused_handlers.inc"
#ifndef PTC_COMPUTED_GOTO
  }
#endif

end_frame: {   // with that value: its callee was its own, or its caller is another program's, or anyone
  const std::uint8_t ending = top->ending;
  if ((ending & Frame::kOwnsCallee) != 0) core_.heap().release(base[-1]);
  put(base[-1], returned);
  if ((ending & Frame::kAnyCaller) == 0) {
    base = reinterpret_cast<Value*>(reinterpret_cast<char*>(base - 1) - top->offset);
    --top;
    pc = top->pc;
    RELINK(top->closure);
    GOTO_NEXT_UNCHECKED;
  }
  --top;
  TELL();
  if (running_->frames.empty()) {
    running_->result = returned;
    return ExitReason::Finished;
  }
}
  GOTO_RELOAD();

after_own_window:
  if (called == CallResult::Faulted) {   // the window's own slot is dead for these instructions
    Value& slot = reg(running_->frames.back().base, INSN.a);
    core_.heap().release(slot);
    slot = Value::nil();
  }
after_call:
  fuel = core_.fuel_left();
  if (called != CallResult::Done) goto not_done;
  top = &running_->frames.back();
  base = top->base;
  stack_end = running_->stack_end;
  GOTO_OUT_OF_MEMORY_IF_OVER_LIMIT();
  GOTO_NEXT_UNCHECKED;

run_stepper:
  TELL();
  called = step_stepper(*running_);
  fuel = core_.fuel_left();
  if (called == CallResult::Done && running_->frames.empty()) {   // its frame is gone and its result delivered
    running_->result = running_->stack[0];
    return ExitReason::Finished;
  }

not_done:
  if (called == CallResult::Faulted) return ExitReason::Faulted;
  if (called == CallResult::Parked) {
    if (running_->state != Fiber::State::WaitsForOperations || !core_.heap().over_limit()) return ExitReason::Parked;
    running_->state = Fiber::State::Ready;   // what it would wait for was too much
  } else if (!core_.heap().over_limit()) [[likely]] {   // else a callee was made, or the vector of its last parameter
    GOTO_RELOAD();
  }
  core_.raise_memory();
  return ExitReason::Faulted;

loop_limit:
  core_.raise(FaultKind::LoopLimitExceeded,
              "Loop iteration limit exceeded (" + std::to_string(core_.limits().loop) + " iterations)",
              "use reduce or map over a finite sequence instead, or split the work across smaller loops");
  RETURN_FAULTED();

out_of_memory:
  top->pc = pc;   // the instruction is complete: the next one never starts
  TELL();
  core_.raise_memory();
  return ExitReason::Faulted;
}

void Interpreter::end_turn_with(Fiber& fiber, Value taken, ExitReason reason) {
  core_.set_result(taken);
  if (reason == ExitReason::Returned) parts_.tasks.commit_open(fiber, taken);
}

CallResult Interpreter::step_stepper(Fiber& fiber) {
  switch (fiber.frames.back().builtin) {
    case BuiltinId::sort:
    case BuiltinId::sort_by: return parts_.sorting.step(fiber);
    case BuiltinId::pmap:
    case BuiltinId::pcalls: return parts_.branches.step(fiber);
    case BuiltinId::await:
    case BuiltinId::await_all:
    case BuiltinId::await_any:
    case BuiltinId::await_settled:
    case BuiltinId::await_signal:
    case BuiltinId::sleep:
    case BuiltinId::h_await_call: return parts_.waits.step(fiber);
    default: core_.raise(FaultKind::BadProgram, "not a stepper"); return CallResult::Faulted;
  }
}

}  // namespace ptc
