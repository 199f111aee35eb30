// The analysed program: names resolved, macros and destructuring expanded, every static check done. The tree is what
// the code generator walks; it has no names left that could be captured, only local ids.
//
// Invariants: a Local node refers to a local bound by an enclosing binder (Let, Loop, Fn parameter, For clause, Fold).
// It is a tree: no node has two parents. A local is bound exactly once in the tree (loop locals are re-bound by Recur
// to their own Loop only). A Recur is in tail position of its Loop or Fn and has exactly as many kids as the target
// has locals.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/read/block_list.h"
#include "compiler/read/compile_meter.h"
#include "schema/builtin_id.h"
#include "schema/source_span.h"

namespace ptc {

using LocalId = std::uint32_t;
inline constexpr LocalId kNoLocal = UINT32_MAX;

enum class NodeKind : std::uint8_t {
  // Leaves
  Const,         // constant: index into Ast::constants
  Local,         // local
  Global,        // text: name in the user namespace (defined by the program, or in memory when it was compiled).
                 //   or_nil: an unbound name gives nil instead of unbound_var (direct operands of `or`)
                 //   or_builtin: an unbound name gives `builtin` (a def of that name may or may not have run)
  Builtin,       // builtin: the function as a value
  Tool,          // text: tool name, as a function value
  Data,          // text: key of the context (data/KEY)
  History,       // number: 1, 2 or 3 (*1 *2 *3)
  // Control. kids in evaluation order
  If,            // kids: test, then, else (always three)
  Do,            // kids: at least one; value of the last
  Let,           // locals[i] = kids[i]; body = kids.back(). kids.size() == locals.size() + 1
  Loop,          // as Let, and a target of Recur
  Recur,         // target: the Loop or Fn node; kids: new values, evaluated left to right, then all assigned
  Fn,            // locals: one a parameter, then the rest parameter when `variadic`; kids: body. One of [& rest] may
                 //   have a second body, for calls with one argument, which is then bound to `unary`
  Call,          // kids: callee, arguments
  Invoke,        // builtin, kids: arguments (the name was not shadowed). The argument count fits the table
  ToolCall,      // text: tool name; kids: one, the argument map expression (already shaped as a map)
  Def,           // text: name; kids: value. once: defonce. The value of the node is the var display value
  MakeVector, MakeSet,   // kids: elements
  MakeMap,       // kids: key, value, key, value …
  Task,          // kids: id, body
  Return, Fail,  // kids: value; stop the whole program
  For,           // comprehension, see ForClause; kids: body. collect: gives a vector, else nil (doseq). With a local:
                 //   a fold, kids: body, start. The local holds the start, then what the body gave last, which is the
                 //   value of the node; a (reduced x) ends it. starts_with_first: it begins with the first element,
                 //   and the start is the value of nothing
  Update,        // builtin: update or update-in; kids: collection, key or path, new value; locals: the old value in it
  Case,          // kids: subject, then one result a clause, then default (always there). See case_constants
};

struct Node;

struct ForClause {
  enum class Kind : std::uint8_t { Bind, Let, When, While };
  Kind kind{};
  LocalId local = kNoLocal;     // Bind: element; Let: value
  Node* expression = nullptr;   // Bind: collection; Let: value; When, While: test
  std::string function;         // Bind: what a fault names when there is no collection ("for", "map", …)
  std::uint32_t argument = 0;   // Bind: which argument to name in that complaint; 0: none
  SourceSpan span;              // Bind: what to point at then; unset: the collection
};

struct Node {
  NodeKind kind{};
  bool or_nil = false;      // Global
  bool or_builtin = false;  // Global
  bool once = false;        // Def
  bool variadic = false;    // Fn: the last local collects the remaining arguments as a vector
  bool collect = false;     // For
  bool starts_with_first = false;   // For
  bool last_use = false;    // Local; set by the liveness pass (liveness.h)
  BuiltinId builtin{};      // Builtin, Invoke
  std::uint32_t constant = 0;
  std::uint32_t number = 0;
  LocalId local = kNoLocal; // Local; Fn: the local that names the function inside of its own body, or kNoLocal;
                            // For: what a fold has so far
  LocalId unary = kNoLocal;   // Fn
  SourceSpan span;
  std::vector<Node*> kids;
  std::vector<LocalId> locals;
  Node* target = nullptr;                 // Recur
  std::string text;
  std::string doc;                        // Def: docstring; Fn: doc of the defn it came from
  std::vector<ForClause> clauses;         // For
  // Case: case_constants[i] are the constants (indices into Ast::constants) that select kids[1 + i]
  std::vector<std::vector<std::uint32_t>> case_constants;
  // Fn
  std::string printed;                    // "#fn[x & r]"; destructured parameters show as _
  bool has_recur = false;                 // Fn, Loop: some Recur targets it
};

// A constant of the program; items refer to earlier constants. Equal constants share one entry.
struct Constant {
  enum class Kind : std::uint8_t { Nil, False, True, Int, Float, BigInt, String, Keyword, Regex, Vector, Map, Set };
  Kind kind{};
  std::int64_t integer = 0;
  double real = 0;
  std::string text;                       // BigInt: decimal; String, Keyword, Regex
  std::vector<std::uint32_t> items;

  bool is_truthy() const { return kind != Kind::Nil && kind != Kind::False; }
};

struct LocalInfo {
  std::string name;         // as written; "" for temporaries of expansions
  SourceSpan span;
};

// A call that is compiled in place (inlining.cpp), for stacks of calls.
struct InlinedNote {
  std::string_view builtin;   // what is called; "": a function literal in the place of a function
  SourceSpan call;
  SourceSpan function;        // the function literal that is called or handed over; empty: none
};

class Ast {
 public:
  // Without a meter nothing is counted. The meter must outlive the tree.
  explicit Ast(CompileMeter* meter = nullptr) : meter_(meter) {}

  Node* make(NodeKind kind, SourceSpan span) {
    if (meter_ != nullptr) meter_->take(sizeof(Node) + kBytesOfNodeElsewhere, span);
    Node& node = nodes_.add();
    node.kind = kind;
    node.span = span;
    return &node;
  }
  LocalId new_local(std::string name, SourceSpan span) {
    locals.push_back({std::move(name), span});
    return static_cast<LocalId>(locals.size() - 1);
  }

  // Counts work of a pass, see CompileMeter::work().
  void work(std::uint64_t units) const {
    if (meter_ != nullptr) meter_->work(units);
  }
  // Counts memory of an entry elsewhere that lives as long as the tree.
  void take(std::uint64_t bytes, SourceSpan at) const {
    if (meter_ != nullptr) meter_->take(bytes, at);
  }
  CompileMeter* meter() const { return meter_; }

  Node* root = nullptr;     // the program's value
  std::vector<LocalInfo> locals;
  std::vector<Constant> constants;
  std::vector<std::string> tools_used;    // names behind tool/…, first occurrence order
  std::vector<InlinedNote> inlined;

 private:
  // The list of its kids, and about what it becomes: an instruction, a span, an entry of a table.
  static constexpr std::uint64_t kBytesOfNodeElsewhere = 64;

  CompileMeter* meter_;
  BlockList<Node> nodes_;
};

}  // namespace ptc
