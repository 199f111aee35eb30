// The analyzer as one object: its state, and the parts that are spread over several files.
//
//   analyzer.cpp          driver, dispatch on the kind of form, bodies, data literals
//   calls.cpp             calls, symbols as values
//   namespaces.cpp        qualified names, interop members
//   special_forms.cpp     if do def defonce defn fn #() recur return fail task …
//   binding_forms.cpp     let loop if-let when-some when-first …
//   conditionals.cpp      when cond case condp and or
//   threading.cpp         -> ->> as-> cond-> some-> …
//   comprehension.cpp     for doseq
//   destructuring.cpp     patterns
//   where.cpp             where all-of any-of none-of
//   tool_calls.cpp        tool/…
//   unbound_names.cpp     names that nothing defines
//   folding.cpp, inlining.cpp
//
// Conventions: a method that analyses gives null after it has recorded the error (the first one wins); every
// caller passes null on. `tail` says whether the value of the form is the value of the enclosing loop or
// function, which is what recur asks for. Expansions refer to evaluated values by LocalId only, so no name
// can be captured.
// Hazard: analysis is recursive; depth_ keeps it within kMaxAnalysisDepth. Keep frames of recursive methods
// small: no strings by value outside of failing paths.
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "compiler/analyze/analyzer.h"
#include "compiler/analyze/constants.h"
#include "compiler/analyze/form_identity.h"
#include "compiler/analyze/scope.h"
#include "schema/regex_total.h"

namespace ptc {

inline constexpr std::uint32_t kMaxAnalysisDepth = 1'000;
inline constexpr std::string_view kTooDeep = "expression nested too deeply";
inline constexpr std::string_view kTooDeepHint = "Split it with let or defn";

class Analyzer {
 public:
  Analyzer(std::string_view source, FormArena& arena, const CompileOptions& options, Ast& ast);

  AnalyzeResult run(const std::vector<const Form*>& forms);

  using Handler = Node* (Analyzer::*)(const Form& form, bool tail);
  struct HeadForm {
    std::string_view name;
    Handler handler;
    bool shadowable;     // by a local of that name
  };

 private:
  using Items = std::span<const Form* const>;

  // A Let under construction: bindings in order.
  struct Bindings {
    Node* let;
    void add(LocalId local, Node* value) const {
      let->locals.push_back(local);
      let->kids.push_back(value);
    }
  };

  // --- Errors (analyzer.cpp)
  std::nullptr_t fail(SourceSpan span, FaultKind kind, std::initializer_list<std::string_view> message,
                      std::string_view hint = {});
  std::nullptr_t fail(const Form& form, FaultKind kind, std::string_view message, std::string_view hint = {});
  std::nullptr_t fail_arity(const Form& form, std::string_view usage);
  std::string source_text(const Form& form) const;           // clipped
  bool check_tree_depth();
  bool check_symbol_limit(const std::vector<const Form*>& forms);

  // --- Analysis of any form (analyzer.cpp)
  Node* analyze(const Form& form, bool tail);
  Node* analyze_form(const Form& form, bool tail);
  Node* analyze_list(const Form& form, bool tail);
  Node* analyze_body(SourceSpan span, Items forms, bool tail);
  Node* analyze_branch(const Form& form, bool tail);              // may not run
  Node* analyze_branch_body(SourceSpan span, Items forms, bool tail);
  Node* analyze_test(const Form& form);                           // only truthiness of the value matters
  bool analyze_into(Node& parent, Items forms);                   // operands, appended to kids
  Node* analyze_collection(const Form& form, NodeKind kind, Constant::Kind constant);
  bool check_duplicates(const Form& form, std::size_t step);
  Node* analyze_regex(const Form& form);
  Node* analyze_moment(const Form& form, std::string_view tag, BuiltinId maker);

  // --- Nodes (nodes.cpp)
  Node* make_nil(SourceSpan span);
  Node* make_boolean(SourceSpan span, bool value);
  Node* make_integer(SourceSpan span, std::int64_t value);
  Node* make_string(SourceSpan span, std::string_view text);
  Node* make_constant(SourceSpan span, std::uint32_t constant);
  Node* make_local(SourceSpan span, LocalId local);
  Node* make_if(SourceSpan span, Node* test, Node* then, Node* otherwise);
  Node* make_invoke(SourceSpan span, BuiltinId builtin, std::initializer_list<Node*> arguments);
  Node* make_call(SourceSpan span, Node* callee);                 // arguments are appended by the caller
  Node* finish_let(Bindings bindings, Node* body);
  Bindings start_let(SourceSpan span);
  LocalId new_temporary(SourceSpan span) { return ast_.new_local({}, span); }
  const Form* alias(SourceSpan span, LocalId local);              // a form that stands for the local

  // --- Symbols and calls (calls.cpp, namespaces.cpp, unbound_names.cpp)
  Node* analyze_symbol(const Form& form, std::string_view name, bool or_nil);
  Node* analyze_unqualified(const Form& form, std::string_view name, bool or_nil);
  Node* analyze_qualified(const Form& form, std::string_view name);
  Node* analyze_builtin(const Form& form, BuiltinId id);
  Node* analyze_method(const Form& form, std::string_view name);
  Node* analyze_call(const Form& form);
  Node* analyze_data_call(const Form& form);
  bool is_visible_builtin(BuiltinId id) const;
  bool is_global(std::string_view name) const;
  Node* make_global(const Form& form, std::string_view name, bool or_nil);
  Node* record_unbound(const Form& form, std::string_view name);
  bool report_unbound();
  bool report_unknown_methods();
  bool report_unknown_tools();
  void note_call(const Form& form, const Node& callee, std::size_t count);
  bool check_static_arity(const Form& form, BuiltinId builtin, std::size_t count);
  Node* fail_namespace(const Form& form, std::string_view space, std::string_view member);

  // --- Special forms
  Node* form_do(const Form& form, bool tail);
  Node* form_if(const Form& form, bool tail);
  Node* form_def(const Form& form, bool tail);
  Node* form_defn(const Form& form, bool tail);
  Node* form_fn(const Form& form, bool tail);
  Node* form_recur(const Form& form, bool tail);
  Node* form_return(const Form& form, bool tail);
  Node* form_fail(const Form& form, bool tail);
  Node* form_task(const Form& form, bool tail);
  Node* form_step_done(const Form& form, bool tail);
  Node* form_task_reset(const Form& form, bool tail);
  Node* form_comment(const Form& form, bool tail);
  Node* form_quote(const Form& form, bool tail);
  Node* form_dot(const Form& form, bool tail);
  Node* analyze_lambda(const Form& form);
  Node* analyze_lambda_body(const Form& form);
  Node* make_stop(const Form& form, NodeKind kind, std::string_view usage);
  bool check_def_name(const Form& form, const Form& name);
  Node* analyze_definition(const Form& form, const Form& name, std::string_view doc, const Form& value,
                           bool once);
  // Analyzes a function of `params` (a vector form) and `body`; `name` is null when it has no name.
  Node* analyze_function(const Form& form, const Form* name, const Form& params, Items body);
  bool analyze_params(const Form& params, Node& function, Bindings destructured);

  // --- Binding forms
  Node* form_let(const Form& form, bool tail);
  Node* form_loop(const Form& form, bool tail);
  Node* form_if_let(const Form& form, bool tail);
  Node* form_if_some(const Form& form, bool tail);
  Node* form_when_let(const Form& form, bool tail);
  Node* form_when_some(const Form& form, bool tail);
  Node* form_when_first(const Form& form, bool tail);
  bool check_bindings(const Form& form, std::string_view word);
  bool bind_pairs(Items pairs, Bindings bindings);
  Node* analyze_plain_loop(const Form& form, bool tail);
  Node* analyze_pattern_loop(const Form& form, bool tail);
  bool bind_first_values(Items pairs, Node& loop, Bindings outer);
  bool bind_first_value(const Form& pattern, Node* value, bool last, Node& loop, Bindings outer);
  bool bind_loop_locals(Items pairs, const Node& loop, Bindings inner);
  Node* analyze_loop_body(const Form& form, Node* loop);
  bool check_binding_pair(const Form& form, std::string_view usage);
  enum class Presence : std::uint8_t { Truthy, NotNil };
  Node* bind_conditionally(const Form& form, Presence presence, Items then, const Form* otherwise, bool tail);

  // --- Conditionals
  Node* form_if_not(const Form& form, bool tail);
  Node* form_when(const Form& form, bool tail);
  Node* form_when_not(const Form& form, bool tail);
  Node* form_cond(const Form& form, bool tail);
  Node* form_case(const Form& form, bool tail);
  Node* form_condp(const Form& form, bool tail);
  Node* form_and(const Form& form, bool tail);
  Node* form_or(const Form& form, bool tail);
  bool case_constants(const Form& form, std::unordered_set<std::uint32_t>& seen,
                      std::vector<std::uint32_t>& out);
  Node* analyze_operand_chain(const Form& form, bool is_and, bool tail);
  Node* analyze_test_chain(const Form& form, bool is_and);
  Node* analyze_or_operand(const Form& form, bool tail);
  Node* analyze_condp_clause(const Form& form, Node* predicate, LocalId value, const Form& test);
  bool enter_chain(const Form& form, std::size_t links);

  // --- Threading
  Node* form_thread_first(const Form& form, bool tail);
  Node* form_thread_last(const Form& form, bool tail);
  Node* form_as_thread(const Form& form, bool tail);
  Node* form_cond_thread_first(const Form& form, bool tail);
  Node* form_cond_thread_last(const Form& form, bool tail);
  Node* form_some_thread_first(const Form& form, bool tail);
  Node* form_some_thread_last(const Form& form, bool tail);
  enum class Threading : std::uint8_t { First, Last };
  const Form* thread_step(const Form& step, const Form* value, Threading where);
  Node* thread_all(const Form& form, Threading where, bool tail);
  Node* thread_if(const Form& form, Threading where, bool tail);
  Node* thread_some(const Form& form, Threading where, bool tail);

  // --- Comprehensions
  Node* form_for(const Form& form, bool tail);
  Node* form_doseq(const Form& form, bool tail);
  Node* analyze_comprehension(const Form& form, std::string_view word, bool collect);
  bool analyze_clauses(const Form& form, std::string_view word, Node& node);
  bool analyze_modifier(std::string_view word, const Form& key, const Form& value, Node& node);
  bool bind_element(const Form& pattern, Node& node);

  // --- Destructuring
  // Binds the names of `pattern` to the parts of `value`, appending to `bindings` and to the scope.
  bool destructure(const Form& pattern, Node* value, Bindings bindings);
  bool destructure_vector(const Form& pattern, Node* value, Bindings bindings);
  bool destructure_map(const Form& pattern, Node* value, Bindings bindings);
  bool destructure_rest(const Form& pattern, LocalId source, std::size_t index, Bindings bindings);
  bool destructure_names(const Form& names, FormKind key_kind, LocalId map, const Form* defaults,
                         Bindings bindings);
  bool bind_entry(const Form& target, Node* key, LocalId map, const Form* defaults, Bindings bindings);
  bool bind_name(const Form& symbol, Node* value, Bindings bindings);
  bool is_bindable(const Form& symbol) const;
  bool check_pattern_name(const Form& symbol);
  LocalId bind_temporary(SourceSpan span, Node* value, Bindings bindings);
  const Form* find_default(const Form* defaults, std::string_view name) const;
  Node* fail_pattern(const Form& pattern);

  // --- where and its combinators
  Node* form_where(const Form& form, bool tail);
  Node* form_all_of(const Form& form, bool tail);
  Node* form_any_of(const Form& form, bool tail);
  Node* form_none_of(const Form& form, bool tail);
  Node* where_path(const Form& field);
  Node* invoke_variadic(const Form& form, BuiltinId builtin);

  // --- Tools
  Node* analyze_tool_name(const Form& form, std::string_view name);
  Node* analyze_tool_call(const Form& form, std::string_view name);
  bool check_awaited(const Node& node);
  Node* tool_arguments(const Form& form, std::string_view name);
  Node* fail_positional(const Form& form, std::string_view name, const Form& argument);
  void note_tool(const Form& form, std::string_view name);
  void note_tool_call(const Form& form, std::string_view name);

  // --- Optimizations
  Node* fold_invoke(Node* node);
  Node* fold_if(Node* node);
  bool is_literal_function(const Form& form) const;
  bool is_builtin_name(std::string_view name) const;
  bool may_be_inlined(const Form& form) const;
  Node* inlined_body(Node* function, SourceSpan span, std::span<LocalId> locals);
  void note_inlined(std::string_view builtin, SourceSpan call, SourceSpan function);
  Node* inline_literal_call(Node* call);
  Node* applied(Node* function, std::vector<Node*> values);
  static bool is_plain_builtin(const Node& function, std::size_t count);   // that may be called in place, with as many
  Node* inline_reduce(const Form& form, Node* function);
  Node* inline_sequence_call(const Form& form, BuiltinId builtin);
  Node* inline_count(Node* call);
  Node* inline_update(Node* call);
  Node* update_body(SourceSpan span, Node* function, const std::vector<Node*>& more, LocalId& old_value);
  bool is_literal_path(const Node& path) const;
  Node* make_grouping(const Form& form, Node* body, LocalId element, Node* collection);
  Node* make_comprehension(const Form& form, BuiltinId builtin, std::string_view name, Node* body,
                           LocalId element, Node* collection);

  static const HeadForm* find_head_form(std::string_view name);
  const HeadForm* find_unshadowed_form(std::string_view name) const;

  struct UnboundName {
    std::string_view name;
    SourceSpan span;
    bool deferred;          // inside of a function: any definition in the program will do
    bool task_id;           // is the id of a task
    std::vector<std::string_view> locals;   // names in scope, for the first few
  };

  std::string_view source_;
  FormArena& arena_;
  const CompileOptions& options_;
  RegexTotal regexes_;                    // literals of the program so far
  Ast& ast_;
  ConstantTable constants_;
  FormIdentity identity_;
  Scope scope_;
  AnalyzeResult result_;
  std::uint32_t depth_ = 0;
  std::uint32_t function_depth_ = 0;
  std::uint32_t task_depth_ = 0;
  bool in_lambda_ = false;
  Node* recur_target_ = nullptr;
  const Form* task_id_ = nullptr;
  std::vector<UnboundName> unbound_;
  std::vector<std::pair<std::string_view, SourceSpan>> unknown_methods_;
  std::vector<std::pair<std::string_view, SourceSpan>> unknown_tools_;
  std::unordered_set<std::string_view> tools_seen_;
};

}  // namespace ptc
