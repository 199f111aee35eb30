// Forms to tree: expansions as text, and every kind of static error with its position.
#include "compiler/analyze/analyzer.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/analyze/ast_print.h"
#include "compiler/read/reader.h"

namespace ptc {
namespace {

std::string analyzed(std::string_view source, const CompileOptions& options = {}) {
  FormArena arena;
  const ReadResult read = read_forms(source, arena);
  if (read.failed) return "unreadable: " + read.error.message;
  Ast ast;
  const AnalyzeResult result = analyze(read.forms, source, arena, options, ast);
  if (result.failed) return std::string(fault_name(result.error.kind)) + ": " + result.error.message;
  return print_ast(ast);
}

CompileError refused(std::string_view source, const CompileOptions& options = {}) {
  FormArena arena;
  const ReadResult read = read_forms(source, arena);
  Ast ast;
  return analyze(read.forms, source, arena, options, ast).error;
}

struct Expansion {
  std::string_view source, tree;
};

void expect_trees(std::initializer_list<Expansion> cases) {
  for (const Expansion& c : cases) EXPECT_EQ(analyzed(c.source), c.tree) << c.source;
}

TEST(Analyzer, ExpandsConditionals) {
  CompileOptions memory;
  memory.memory_names = {"p", "q", "r"};
  const Expansion cases[] = {
      {"(when p 1 2)", "(if p (do 1 2) nil)"},
      {"(when-not p 1)", "(if p nil 1)"},
      {"(if-not p 1)", "(if p nil 1)"},
      {"(cond p 1 q 2)", "(if p 1 (if q 2 nil))"},
      {"(cond p 1 :else 2)", "(if p 1 2)"},
      {"(and p q)", "(let [_.0 p] (if _.0 q _.0))"},
      {"(or p q)", "(let [_.0 p|nil] (if _.0 _.0 q|nil))"},
      {"(if (and p (or q r)) 1 2)", "(if (if p (if q|nil true r|nil) false) 1 2)"},
      {"(and)", "true"},
      {"(or)", "nil"},
      {"(or nowhere 1)", "(let [_.0 nowhere|nil] (if _.0 _.0 1))"},
      {"(case p 1 :a (2 3) :b :c)", "(case p (1) :a (2 3) :b :c)"},
      {"(case p 1 :a 1 :b)", "(case p (1) :a nil)"},
      {"(condp = p 1 :a :b)", "(let [_.0 p] (if (= 1 _.0) :a :b))"},
      {"(condp q p 1 :>> r)", "(let [_.0 q _.1 p] (let [_.2 (call _.0 1 _.1)] (if _.2 (call r _.2) nil)))"},
      {"(if-let [x p] x q)", "(let [x.0 p] (if x.0 x.0 q))"},
      {"(if-some [x p] x q)", "(let [x.0 p] (if (nil? x.0) q x.0))"},
      {"(when-let [[a] p] a)",
       "(let [_.0 p] (if _.0 (let [_.1 (%check-seq _.0) a.2 (%nth _.1 0)] a.2) nil))"},
      {"(when-first [x p] x)", "(let [_.0 (seq p)] (if _.0 (let [x.1 (first _.0)] x.1) nil))"},
  };
  for (const Expansion& c : cases) EXPECT_EQ(analyzed(c.source, memory), c.tree) << c.source;
}

TEST(Analyzer, RewritesThreading) {
  expect_trees({
      {"(-> data/x (get :a) inc :k)", "(call :k (inc (get data/x :a)))"},
      {"(->> data/x (mapv inc) (tool/f))", "(tool/f (%tool-args (for [_.0 data/x] (inc _.0))))"},
      {"(-> data/x (return))", "(return data/x)"},
      {"(as-> data/x y (inc y) (* y 2))", "(let [y.0 data/x y.1 (inc y.0)] (* y.1 2))"},
      {"(cond-> data/x data/y inc)", "(let [_.0 data/x] (if data/y (inc _.0) _.0))"},
      {"(some-> data/x inc dec)",
       "(let [_.0 data/x] (if (nil? _.0) nil (let [_.1 (inc _.0)] (if (nil? _.1) nil (dec _.1)))))"},
  });
}

TEST(Analyzer, TakesPatternsApart) {
  expect_trees({
      {"(let [[a & r :as all] data/x] [a r all])",
       "(let [_.0 data/x _.1 (%check-seq _.0) a.2 (%nth _.1 0) r.3 (%rest-from _.1 1) all.4 _.0] "
       "(make-vector a.2 r.3 all.4))"},
      {"(let [{:keys [a] :strs [b] c :k :or {a 1} :as m} data/x] [a b c m])",
       "(let [_.0 (%check-map data/x) a.1 (if (%has? _.0 :a) (%get _.0 :a) 1) b.2 (%get _.0 \"b\") "
       "c.3 (%get _.0 :k) m.4 _.0] (make-vector a.1 b.2 c.3 m.4))"},
      {"(fn [a & {:keys [b]}] b)",
       "(fn [a.0 & _.1] (let [_.2 (%check-map (%kwargs _.1)) b.3 (%get _.2 :b)] b.3))"},
      {"(loop [[x] [1]] (if x (recur nil) x))",
       "(let [_.0 [1]] (loop [_.1 _.0] (let [_.2 (%check-seq _.1) x.3 (%nth _.2 0)] (if x.3 (recur nil) "
       "x.3))))"},
      {"(for [[k v] data/m :when v] k)",
       "(for [_.0 data/m :let _.1 (%check-seq _.0) :let k.2 (%nth _.1 0) :let v.3 (%nth _.1 1) :when v.3] "
       "k.2)"},
  });
}

TEST(Analyzer, ResolvesNamesFromTheInsideOut) {
  expect_trees({
      {"(let [count 1] count)", "(let [count.0 1] count.0)"},
      {"(let [if 1] if)", "(let [if.0 1] if.0)"},
      {"(let [let inc] (let 1))", "(let [let.0 #inc] (call let.0 1))"},
      {"(let [if 1] (if 2 if 3))", "(let [if.0 1] if.0)"},
      {"(def count 5) (count 1)", "(do (def count 5) (call count 1))"},
      {"(if data/x (def count 5)) (count [1])",
       "(do (if data/x (def count 5) nil) (call count|builtin [1]))"},
      {"(defn f [] (g)) (defn g [] 1)", "(do (def f (fn [] (call g))) (def g (fn [] 1)))"},
      {"(defonce x \"doc\" 1)", "(defonce x 1)"},
      {"(def n (or n 0))", "(def n (let [_.0 n|nil] (if _.0 _.0 0)))"},
      {"(fn f [x] (f x))", "(fn f.0 [x.1] (call f.0 x.1))"},
      {"#(+ %2 %&)", "(fn [%1.0 %2.1 & %&.2] (+ %2.1 %&.2))"},
      {"#(%)", "(fn [%1.0] %1.0)"},
      {"#(42)", "(fn [] 42)"},
      {"#()", "(fn [] nil)"},
      {"#'inc", "#inc"},
      {"[*1 *3]", "(make-vector *1 *3)"},
      {"(inc)", "(call #inc)"},
  });
}

TEST(Analyzer, ResolvesQualifiedNames) {
  expect_trees({
      {"[data/a data/a/b tool/x]", "(make-vector data/a data/a/b tool/x)"},
      {"(clojure.core/let [x 1] (core/inc x))", "(let [x.0 1] (inc x.0))"},
      {"[str/join set/union walk/walk regex/re-find json/parse-string]",
       "(make-vector #join #union #walk #re-find #json/parse-string)"},
      {"(java.lang.Math/abs data/x)", "(Math/abs data/x)"},
      {"[Math/PI (Math/PI) budget/remaining]", "(make-vector (Math/PI) (Math/PI) (budget/remaining))"},
      {"java.time.LocalDate/isBefore", "#.isBefore"},
      {"(.length \"a\")", "(.length \"a\")"},
  });
}

TEST(Analyzer, ShapesToolCalls) {
  expect_trees({
      {"(tool/f)", "(tool/f {})"},
      {"(tool/f data/x)", "(tool/f (%tool-args data/x))"},
      {"(tool/f :a data/x)", "(tool/f (%tool-args (make-map :a data/x)))"},
      {"(task \"a\" (tool/f))", "(task \"a\" (tool/f {}))"},
      {"(task data/id 1)", "(task (%task-id data/id) 1)"},
      {"(where [:a \"b\"] not= 1)", "(%where [:a \"b\"] \"not=\" 1)"},
      {"(where :a)", "(%where-field [:a])"},
      {"(all-of odd? (any-of))", "(%all-of #odd? (%any-of))"},
  });
}

TEST(Analyzer, FoldsAndInlines) {
  expect_trees({
      {"(+ 1 2 (* 3 4))", "15"},
      {"(- 5)", "-5"},
      {"(+ 9223372036854775807 1)", "(+ 9223372036854775807 1)"},
      {"(if (< 1 2) :a :b)", ":a"},
      {"[1 {:a #{2}}]", "[1 {:a #{2}}]"},
      {"(mapv (fn [x] (inc x)) data/x)", "(for [x.0 data/x] (inc x.0))"},
      {"(filter #(> % 1) data/x)", "(for [%1.0 data/x :when (> %1.0 1)] %1.0)"},
      {"(remove (fn [x] x) data/x)", "(for [x.0 data/x :when (not x.0)] x.0)"},
      {"(keep (fn [x] x) data/x)", "(for [x.0 data/x :let _.1 x.0 :when (some? _.1)] _.1)"},
      {"(run! (fn [x] x) data/x)", "(doseq [x.0 data/x] x.0)"},
      {"(map (fn [x y] x) data/x)", "(map (fn [x.0 y.1] x.0) data/x)"},
      {"(map (fn [x] (if x x (recur 1))) data/x)",
       "(for [_.1 data/x] (loop [x.0 _.1] (if x.0 x.0 (recur 1))))"},
      {"((fn [x] (inc x)) data/x)", "(let [x.0 data/x] (inc x.0))"},
  });
  CompileOptions plain;
  plain.optimize = false;
  EXPECT_EQ(analyzed("(map (fn [x] (+ 1 2)) data/x)", plain), "(map (fn [x.0] (+ 1 2)) data/x)");
}

TEST(Analyzer, RefusesMalformedForms) {
  const struct { std::string_view source, error;
  } cases[] = {
      {"()", "invalid_form: Empty list is not a valid expression"},
      {"(if)", "invalid_arity: expected (if cond then else?)"},
      {"(def x)", "invalid_arity: expected (def name value), got (def x) without value"},
      {"(def 1 2)", "invalid_form: def name must be a symbol, got: 1"},
      {"(def a/b 2)", "invalid_form: def name must be a plain symbol, got: a/b"},
      {"(let [x] 1)", "invalid_form: let bindings require even number of forms"},
      {"(let x 1)", "invalid_form: let bindings must be a vector"},
      {"(let [:a 1] 1)", "unsupported_pattern: unsupported binding pattern: :a"},
      {"(let [{:syms [a]} 1] 1)", "unsupported_pattern: unsupported binding pattern: :syms in a map pattern"},
      {"(fn [&] 1)", "invalid_form: & must be followed by a pattern"},
      {"(fn [& a b] 1)", "invalid_form: & must be followed by exactly one pattern, got extra: b"},
      {"(defn f ([x] x))",
       "invalid_form: multi-arity defn not supported, use separate defn forms for each arity"},
      {"(recur 1)", "invalid_form: recur must be in tail position"},
      {"(loop [x 1] (recur))", "invalid_arity: recur expects 1 argument, got 0"},
      {"(cond 1)", "invalid_cond_form: cond requires even number of test/result forms"},
      {"(->)", "invalid_thread_form: -> requires at least one expression"},
      {"(cond-> 1 2)",
       "invalid_thread_form: cond-> requires even number of test/form pairs after expression"},
      {"(where \"a\")", "invalid_where_form: field must be keyword or vector, got: \"a\""},
      {"(where :a ~= 1)", "unreadable: unquote (~expr) is not supported. There are no macros"},
      {"(where :a like 1)", "invalid_where_operator: unknown where operator: like"},
      {"(for [x [1] :whend x] x)",
       "invalid_form: unknown modifier :whend in for. Known: :when, :let, :while"},
      {"(for [x [1]])", "invalid_arity: for requires at least one body expression, missing body"},
      {"%", "invalid_placeholder: placeholder '%' can only be used inside #() anonymous function syntax"},
      {"#(map #(inc %) %)", "invalid_form: Nested #() anonymous functions are not allowed"},
      {"{:a 1 :a 2}", "duplicate_key: duplicate key :a in map literal"},
      {"#{[1 {2 3 4 5}] [1 {4 5 2 3}]}", "duplicate_key: duplicate element [1 {4 5 2 3}] in set literal"},
      {"{\"0123456789012345678901234567890123456789012345678901234567890123456789\" 1 "
       "\"0123456789012345678901234567890123456789012345678901234567890123456789\" 2}",
       "duplicate_key: duplicate key \"01234567890123456789012345678901234567890123456789012345678… in map literal"},
      {"#{1 1.0 \"1\" :1}", "#{1 1.0 \"1\" :1}"},
      {"(foo/bar 1)", "invalid_form: unknown namespace foo/. Use tool/ for tools, data/ for input data"},
      {"budget/x", "invalid_form: Unknown budget function: budget/x. Available: budget/remaining"},
      {"(. x y)", "invalid_form: (. obj method) syntax is not supported. Use (.method obj) instead."},
      {"(tool/f 5)",
       "invalid_tool_args: Tool calls require named arguments. Use (tool/f {:key value}), not positional "
       "args."},
      {"(task \"a\")", "invalid_arity: expected (task \"id\" expr)"},
      {"(return)", "invalid_arity: expected (return value)"},
  };
  for (const auto& c : cases) EXPECT_EQ(analyzed(c.source), c.error) << c.source;
}

TEST(Analyzer, ReportsUnboundNamesLastAndWithHints) {
  const struct { std::string_view source, message, hint;
  } cases[] = {
      {"(do b a b)", "Undefined variables: b, a", ""},
      {"(get_in {} [])", "Undefined variable: get_in", "Use hyphens not underscores (try: get-in)"},
      {"if", "Undefined variable: if", "'if' is a special form, use (if ...) with parentheses"},
      {"(try 1)", "Undefined variable: try",
       "Not available in PTC-Lisp — There is no exception handling. Test values first; use (fail value) to "
       "stop with "
       "an error"},
      {"(let [total 1] (inc totla))", "Undefined variable: totla", "Did you mean: total"},
      {"(redcue + [1])", "Undefined variable: redcue", "Did you mean: reduce"},
      {"(task order_1 1)", "Undefined variable: order_1", "task ids are strings: (task \"order_1\" …)"},
      {"(fn [] (def y 1)) y", "Undefined variable: y", ""},
      {"(and undefined 1)", "Undefined variable: undefined", ""},
  };
  for (const auto& c : cases) {
    const CompileError error = refused(c.source);
    EXPECT_EQ(error.kind, FaultKind::UnboundVar) << c.source;
    EXPECT_EQ(error.message, c.message) << c.source;
    EXPECT_EQ(error.hint, c.hint) << c.source;
  }
  EXPECT_EQ(refused("{:a 1\n :a 2}").hint,
            "It is at line 1, column 2, too, and a map has one value for a key: leave one of them out");
  EXPECT_EQ(refused("#{:a :a}").hint, "It is at line 1, column 3, too: leave one of them out");
  EXPECT_EQ(refused("(do nowhere (if))").kind, FaultKind::InvalidArity);
  EXPECT_EQ(refused("\n (nowhere)").span.line, 2u);
  EXPECT_EQ(refused("\n (nowhere)").span.column, 3u);
}

TEST(Analyzer, ChecksToolsMethodsAndLimits) {
  CompileOptions options;
  options.tool_names = {"get_user"};
  options.check_tools = true;
  EXPECT_EQ(analyzed("(tool/get-user)", options), "(tool/get-user {})");
  EXPECT_EQ(analyzed("(if false (tool/other))", options),
            "unknown_tool: Unknown tool: other. Available tools: get_user");
  options.tool_names.clear();
  EXPECT_EQ(analyzed("(fn [] tool/other)", options),
            "unknown_tool: Unknown tool: other. No tools available.");
  EXPECT_EQ(analyzed("(task \"a\" (tool/f))", options), "(task \"a\" (tool/f {}))");
  EXPECT_EQ(refused("(.nope 1)").kind, FaultKind::UnsupportedMethod);
  EXPECT_EQ(refused("(Math/nope 1)").kind, FaultKind::UnsupportedJavaMember);
  options.strict_task_ids = true;
  EXPECT_EQ(refused("(task data/id 1)", options).kind, FaultKind::InvalidForm);
  options.max_symbols = 2;
  EXPECT_EQ(refused("[:a :b :c]", options).message,
            "program contains 3 unique symbols/keywords, exceeds limit of 2");
  EXPECT_EQ(analyzed("(let [a 1] (+ a 2))", options), "(let [a.0 1] (+ a.0 2))");
}

TEST(Analyzer, BoundsTheDepthOfExpansions) {
  std::string steps;
  for (int i = 0; i < 900; ++i) steps += " inc";
  EXPECT_EQ(analyzed("(-> data/x" + steps + ")").substr(0, 10), "(inc (inc ");
  EXPECT_EQ(analyzed("(-> data/x" + steps + steps + ")"), "invalid_form: expression nested too deeply");
}

TEST(Analyzer, NotesToolsInOrderOfFirstUse) {
  FormArena arena;
  const std::string_view source = "[(tool/b) tool/a (tool/b)]";
  const ReadResult read = read_forms(source, arena);
  Ast ast;
  ASSERT_FALSE(analyze(read.forms, source, arena, {}, ast).failed);
  EXPECT_EQ(ast.tools_used, (std::vector<std::string>{"b", "a"}));
}

}  // namespace
}  // namespace ptc
