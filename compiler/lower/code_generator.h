// Ast -> program. One FunctionGenerator a function; the ProgramTables are shared and collect what code refers to.
//
// Conventions that the generator keeps and the verifier proves:
//   - registers are a stack; a call window starts at the top: [result/callee][arguments…], nothing owned above it
//   - the destination of an expression is written as the last action on every path through it
//   - every local is moved out at its last use or dropped where a path stops needing it (liveness.h)
#pragma once
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/analyze/ast.h"
#include "compiler/analyze/captures.h"
#include "compiler/read/diagnostic.h"
#include "compiler/analyze/direct_ops.h"
#include "compiler/lower/emitter.h"
#include "compiler/lower/liveness.h"
#include "program_generated.h"

namespace ptc {

// Names and constants that instructions refer to by index.
class ProgramTables {
 public:
  explicit ProgramTables(schema::ProgramT& program, const Ast& ast);
  std::uint32_t global(const std::string& name) { return index_of(globals_, program_.globals, name); }
  std::uint32_t tool(const std::string& name) { return index_of(tools_, program_.tools, name); }
  std::uint32_t builtin(BuiltinId id) {
    return index_of(builtins_, program_.builtins, std::string(builtin_info(id).name));
  }
  std::uint32_t string_constant(const std::string& text);

 private:
  static std::uint32_t index_of(std::map<std::string, std::uint32_t>& index, std::vector<std::string>& list,
                                const std::string& name);
  schema::ProgramT& program_;
  std::map<std::string, std::uint32_t> globals_, tools_, builtins_, strings_;
};

struct GeneratorContext {
  const Ast& ast;
  const Captures& captures;
  const Liveness& liveness;
  std::string_view source;
  bool prelude = false;
  schema::ProgramT& program;
  ProgramTables& tables;
  bool failed = false;
  CompileError error;
};

class FunctionGenerator {
 public:
  FunctionGenerator(GeneratorContext& context, const FunctionScope& scope);
  // Generates the function (and the ones inside of it) and adds it to the program; its index. definition: the Def that
  // names the function, or null.
  std::uint32_t generate(const Node* definition = nullptr);

 private:
  // Where the value of an expression goes.
  struct Dest {
    enum class Kind : std::uint8_t { Register, Effect, Tail } kind;
    Reg reg = 0;
    static Dest to(Reg reg) { return {Kind::Register, reg}; }
    static Dest effect() { return {Kind::Effect}; }
    static Dest tail() { return {Kind::Tail}; }
  };
  // A register to read, and whether this read is its last.
  struct Operand {
    Reg reg;
    bool take;
    const Node* constant = nullptr;   // instead of a register
  };
  struct LoopTarget {
    const Node* node;
    Label head;
    Reg counter;
    std::vector<Reg> registers;
    // A loop whose body is (if (< i number) … …) over its counting local i tests at its end: jumps go behind the test
    // at the head, and the way out leads to the other branch.
    LocalId tested = kNoLocal;
    Label body = {}, otherwise = {};
  };
  struct Turn {     // the labels of the innermost Bind of a comprehension
    Label next, exit;
  };

  // code_generator.cpp
  void gen(const Node* node, Dest dest);
  void gen_value(const Node* node, Reg dst);
  Operand gen_operand(const Node* node);
  void gen_leaf(const Node* node, Reg dst);
  bool in_register(LocalId local) const;
  std::uint32_t upvalue_index(LocalId local) const;
  void emit(Op op, std::uint8_t flags, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
    out_.emit(op, flags, a, b, c, span_);
  }
  void jump(Op op, std::uint8_t flags, std::uint32_t a, std::uint32_t b, Label& target) {
    out_.jump(op, flags, a, b, target, span_);
  }
  void drop(Reg reg) { emit(Op::Drop, kTakeA, reg); }
  void drop_locals(const std::vector<LocalId>& locals);
  void drop_at_entry(const Node* node);
  void bind(LocalId local, Reg reg);
  void unbind(LocalId local);
  void fail_too_large(const Node* node);

  // lower_control.cpp
  void gen_if(const Node* node, Dest dest);
  void gen_do(const Node* node, Dest dest);
  void enter_let(const Node* node);
  void gen_let(const Node* node, Dest dest);
  void gen_loop(const Node* node, Dest dest);
  LocalId tested_local(const Node* node) const;
  void gen_tested_body(const Node* test, LoopTarget& target, Dest dest);
  void gen_recur(const Node* node);
  void gen_stop(const Node* node);
  void gen_case(const Node* node, Dest dest);
  void gen_jump_if_false(const Node* test, Label& target);
  bool gen_compare_jump(const Node* test, bool jump_when, Label& target);
  void gen_jump_if_either(const Node* test, bool jump_when, Label& target);
  void gen_jump_if(const Node* test, bool jump_when, Label& target);
  void gen_task(const Node* node, Reg dst);
  void gen_def(const Node* node, Dest dest);
  bool mentions(const Node* node, LocalId local) const;

  // lower_calls.cpp
  void gen_direct(const Node* node, const DirectOp& direct, Reg dst);
  void gen_call(const Node* node, Reg dst);
  void gen_invoke(const Node* node, Reg dst);
  void gen_tool_call(const Node* node, Reg dst);
  void gen_collection(const Node* node, Reg dst);
  void gen_pieces(const Node* node, Reg dst, Op op, std::uint32_t stride, BuiltinId join);
  void gen_fn(const Node* node, Reg dst);
  void gen_update(const Node* node, Reg dst);
  void gen_in_place(Op op, const std::vector<Operand>& operands, Reg dst);
  Reg window_base(Reg dst);
  void finish_window(Reg base, Reg dst, std::uint32_t mark);

  // lower_for.cpp
  void gen_for(const Node* node, Reg dst);
  void gen_clause(const Node* node, std::size_t index, Reg accumulator, Turn* turn);
  void gen_bind(const Node* node, std::size_t index, Reg accumulator);

  GeneratorContext& context_;
  const FunctionScope& scope_;
  Emitter out_;
  std::vector<std::int32_t> register_of_;          // by LocalId, -1: none
  std::vector<std::uint32_t> bound_at_;            // by LocalId: pc
  std::deque<LoopTarget> loops_;      // targets stay where they are while inner loops come and go
  SourceSpan span_;
  const Node* definition_ = nullptr;               // the Def whose value is being generated
};

}  // namespace ptc
