// Type tests, sets, where, destructuring, journal and pending handles.
#include "tests/support/builtin_fixture.h"

namespace ptc::test {
namespace {

class PredicatesTest : public BuiltinFixture {};

TEST_F(PredicatesTest, Kinds) {
  check({
      {"(type nil)", "nil"},
      {"(type inc)", ":function"},
      {"(type (pending \"c1\" nil))", ":pending"},
      {"(float? ##NaN)", "true"},
      {"(int? 922337203685477580812345)", "true"},
      {"(nat-int? 922337203685477580812345)", "true"},
      {"(neg-int? -922337203685477580812345)", "true"},
      {"(nat-int? 1.0)", "false"},
      {"(zero? 0.0)", "true"},
      {"(zero? \"0\")", "false"},
      {"(pos? ##Inf)", "true"},
      {"(even? 4.0)", "true"},
      {"(odd? -3)", "true"},
      {"(odd? 4.5)", "false"},
      {"(odd? 922337203685477580812345)", "true"},
      {"(char? \"a\")", "true"},
      {"(seq? [1])", "true"},
      {"(counted? nil)", "false"},
      {"(seqable? nil)", "true"},
      {"(ifn? :a)", "true"},
      {"(ifn? \"a\")", "false"},
      {"(map-entry? [1 2])", "false"},
      {"(distinct? 1 1.0)", "true"},
      {"(distinct? ##NaN ##NaN)", "false"},
      {"(any? nil)", "true"},
      {"(reduced? 5)", "false"},
      {"(not nil)", "true"},
      {"(boolean 0)", "true"},
  });
}

TEST_F(PredicatesTest, Sets) {
  check({
      {"(set \"aba\")", "#{\"a\" \"b\"}"},
      {"(set nil)", "#{}"},
      {"(hash-set 1 1 2)", "#{1 2}"},
      {"(disj #{1 2} 1 5)", "#{2}"},
      {"(disj [1] 1)", "!! type_error: disj: arg 1 expected set, got vector"},
      {"(union)", "#{}"},
      {"(union nil #{1} nil #{2})", "#{1 2}"},
      {"(intersection #{1 2} #{2 3} #{2 4})", "#{2}"},
      {"(intersection #{1} nil)", "nil"},
      {"(difference #{1 2 3} #{2} nil)", "#{1 3}"},
      {"(difference #{1} [1])", "!! type_error: difference: arg 2 expected set, got vector"},
      {"(subset? #{1} #{1 2})", "true"},
      {"(superset? #{1} #{1 2})", "false"},
  });
}

TEST_F(PredicatesTest, Where) {
  check({
      {"(%where-match :s \"=\" :active {\"s\" \"active\"})", "true"},
      {"(%where-match [:a :b] \"=\" 1 {:a {:b 1.0}})", "true"},
      {"(%where-match :a \"=\" nil 5)", "true"},
      {"(%where-match :a \"not=\" 2 {:a 1})", "true"},
      {"(%where-match :a \">\" 1 {:a 2})", "true"},
      {"(%where-match :a \">\" 1 {:a \"x\"})", "false"},
      {"(%where-match :a \"<=\" 1 {})", "false"},
      {"(%where-match :s \"in\" #{:a :b} {:s \"a\"})", "true"},
      {"(%where-match :s \"in\" 42 {:s \"a\"})", "false"},
      {"(%where-match :t \"includes\" \"bc\" {:t \"abcd\"})", "true"},
      {"(%where-match :t \"includes\" :x {:t [\"x\"]})", "true"},
      {"(%where-match :t \"includes\" :x {})", "false"},
      {"(%where-truthy :a {:a false})", "false"},
      {"(%where-truthy [:a :b] {:a {:b 1}})", "true"},
  });
}

TEST_F(PredicatesTest, Destructuring) {
  check({
      {"(%check-seq \"ab\")", "[\"a\" \"b\"]"},
      {"(%check-seq nil)", "[]"},
      {"(%check-seq {:a 1})", "!! destructure_error: expected list or nil, got {:a 1}"},
      {"(%nth [1] 4)", "nil"},
      {"(%rest-from [1 2 3] 1)", "[2 3]"},
      {"(%rest-from [1] 5)", "[]"},
      {"(%check-map 5)", "!! destructure_error: expected map or nil, got 5"},
      {"(%get {\"a_b\" 1} :a-b)", "1"},
      {"(%get [10 20] 1)", "20"},
      {"(%get [1 2 3] :x)", "!! destructure_error: expected map or nil, got [1 2 3]"},
      {"(%has? {:a nil} :a)", "true"},
      {"(%has? nil :a)", "false"},
      {"(%kwargs [:a 1 :b 2])", "{:a 1 :b 2}"},
      {"(%kwargs [:a 1 {:b 2}])", "{:a 1 :b 2}"},
      {"(%kwargs [:a])", "!! destructure_error: keyword args must be even, got odd count: 1"},
  });
}

TEST_F(PredicatesTest, JournalAndSteps) {
  check({
      {"(%task-id :a)", "\"a\""},
      {"(%task-id 12)", "\"12\""},
      {"(%task-id nil)", "!! type_error: (task) id must be a string, got nil"},
      {"(task-reset true)", "!! type_error: (task-reset) id must be a string, got true"},
      {"(step-done 1 :ok)", "\"ok\""},
      {"(step-done \"1\" \"again\")", "\"again\""},
      {"(step-done \"x\" [1])", "!! type_error: (step-done) summary must be a string, got [1]"},
      {"(budget/remaining)", "{}"},
  });
  ASSERT_EQ(env.summaries.size(), 1u);
  EXPECT_EQ(env.summaries[0].summary, "again");
  env.journal.commit("a", Value::integer(1), 0);
  EXPECT_EQ(run("(task-reset :a)"), "nil");
  EXPECT_TRUE(env.journal.entries().empty());
  env.in_parallel_branch = true;
  EXPECT_EQ(run("(step-done \"x\" \"y\")"), "!! pmap_error: step-done is not allowed inside pmap or pcalls");
}

TEST_F(PredicatesTest, PendingHandles) {
  check({
      {"(pending? (pending \"c1\" nil))", "true"},
      {"(pending? 1)", "false"},
      {"(pending-id (pending \"c1\" nil))", "\"c1\""},
      {"(pending-id \"c1\")", "!! type_error: pending-id: arg 1 expected pending operation, got string"},
      {"(pending (pending \"c1\" nil))", "(pending \"c1\")"},
      {"(pending \"c1\")", "!! unknown_pending: no pending operation \"c1\". Known: none"},
      {"(pending 1)", "!! type_error: pending: arg 1 expected pending handle or id, got number"},
      {"(resolved? (pending \"c1\" nil))", "false"},
      {"(resolved? \"c1\")", "!! unknown_pending: no pending operation \"c1\". Known: none"},
  });
}

}  // namespace
}  // namespace ptc::test
