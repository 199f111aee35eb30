// Maps, lookup with flexible keys, writing into nested collections, key conversion, tool arguments.
#include "tests/support/builtin_fixture.h"

namespace ptc::test {
namespace {

class MapsTest : public BuiltinFixture {};

TEST_F(MapsTest, BuildingAndChanging) {
  check({
      {"(hash-map :a 1 :a 2)", "{:a 2}"},
      {"(hash-map :a)", "!! arity_error: hash-map requires an even number of arguments, got 1"},
      {"(assoc nil :a 1 :b 2)", "{:a 1 :b 2}"},
      {"(assoc [1 2] 2 3)", "[1 2 3]"},
      {"(assoc [1] 0.0 :x)", "[:x]"},
      {"(assoc [1] 5 :x)", "!! index_error: assoc: index 5 out of bounds for vector of length 1"},
      {"(assoc [1] :a 1)", "!! type_error: assoc: key of a vector expected integer, got keyword"},
      {"(assoc {} :a 1 :b)", "!! arity_error: assoc expects a value after every key, got 4 arguments"},
      {"(assoc {\"a\" 1} :a 2)", "{\"a\" 1 :a 2}"},
      {"(dissoc {\"a\" 1} :a)", "{\"a\" 1}"},
      {"(dissoc nil :a)", "nil"},
      {"(merge)", "{}"},
      {"(merge nil {:a 1} nil {:a 2})", "{:a 2}"},
      {"(merge {} [1])", "!! type_error: merge: arg 2 expected map, got vector"},
      {"(keys nil)", "nil"},
      {"(keys {:b 1 :a 2})", "[:a :b]"},
      {"(vals {:b 1 :a 2})", "[2 1]"},
      {"(entries nil)", "[]"},
      {"(entries {:b 1 :a 2})", "[[:a 2] [:b 1]]"},
      {"(key [:a 1])", ":a"},
      {"(val [1])", "!! type_error: val: arg 1 expected [key value] pair, got vector"},
      {"(map-invert {:a 1 :b 2})", "{1 :a 2 :b}"},
      {"(rename-keys {:a 1 :b 2} {:a :b :b :a})", "{:a 2 :b 1}"},
      {"(%pairs-map \"walk\" [[:a 1] 5])", "!! type_error: walk: new map entry expected [key value] pair, got number"},
  });
}

TEST_F(MapsTest, Lookup) {
  check({
      {"(get {\"a\" 1} :a)", "1"},
      {"(get {\"a_b\" 1} :a-b :d)", "1"},
      {"(get {\"a-b\" 1} :a_b :d)", ":d"},
      {"(get {\"true\" 1} true)", "nil"},
      {"(get [10 20] 1)", "20"},
      {"(get \"abc\" 1)", "\"b\""},
      {"(get \"ab\" 9 :x)", ":x"},
      {"(get #{nil} nil :x)", "nil"},
      {"(get nil :a 5)", "5"},
      {"(get 1 2)", "!! type_error: get: arg 1 expected map, vector, set, string or nil, got number"},
      {"(get (pending \"c1\" {\"status\" 7}) :status)", "7"},
      {"(get-in {:a nil} [:a] :d)", "nil"},
      {"(get-in {:users [{:name \"A\"}]} [:users 0 :name])", "\"A\""},
      {"(get-in {:a 1} nil)", "{:a 1}"},
      {"(get-in nil [:a] :x)", ":x"},
      {"(get-in {:a 1} [:a :b] :x)", ":x"},
      {"(contains? {\"a\" 1} :a)", "true"},
      {"(contains? [1 2] 2)", "true"},
      {"(contains? \"abc\" 1)", "true"},
      {"(contains? nil 1)", "false"},
      {"(select-keys {\"a\" 1 :b 2} \"ab\")", "{\"a\" 1 \"b\" 2}"},
      {"(select-keys [10 20] [0 1])", "{0 10 1 20}"},
      {"(select-keys {:a 1} nil)", "{}"},
      {"(%find-entry {:a nil} :a)", "[:a nil]"},
      {"(%find-entry [nil :b] 0)", "[0 nil]"},
      {"(%find-entry {:a 1} :b)", "nil"},
      {"(%path-get 5 [:a])", "nil"},
  });
}

TEST_F(MapsTest, NestedWriting) {
  check({
      {"(assoc-in nil [:a :b] 1)", "{:a {:b 1}}"},
      {"(assoc-in {\"a\" {\"b\" 1}} [:a :b] 2)", "{\"a\" {\"b\" 2}}"},
      {"(assoc-in {} [] 1)", "{nil 1}"},
      {"(assoc-in [[1]] [0 1] 2)", "[[1 2]]"},
      {"(assoc-in {:a 5} [:a :b] 2)",
       "!! type_error: assoc-in: collection at key :b expected map or vector, got number"},
      {"(assoc-in [1] [5] 2)", "!! index_error: assoc-in: index 5 out of bounds for vector of length 1"},
      {"(%open \"update\" {\"a\" 1} :a true)", "[{\"a\" nil} \"a\" 1 true]"},
      {"(%open \"update\" {\"a\" 1} :a false)", "[{\"a\" 1} :a nil false]"},
      {"(%open \"update\" [1] :a true)", "!! type_error: update: key of a vector expected integer, got keyword"},
      {"(%close [1] 1 2)", "[1 2]"},
  });
}

TEST_F(MapsTest, Conversion) {
  check({
      {"(keywordize-keys [{\"a\" {\"b\" #{{\"c\" 1}}}}])", "[{:a {:b #{{:c 1}}}}]"},
      {"(stringify-keys {:a [{:b :c}] 1 2})", "{1 2 \"a\" [{\"b\" :c}]}"},
      {"(%tool-args {:b-c {:d-e [1 :k]} 3 4})", "{\"3\" 4 \"b_c\" {\"d_e\" [1 :k]}}"},
      {"(%tool-args nil)", "{}"},
      {"(%tool-args {:s #{1 2}})", "{\"s\" [1 2]}"},
      {"(%tool-args {:a [1 {:f inc}]})", "!! invalid_tool_args: arg :a [1] :f: functions cannot be passed to tools"},
      {"(%tool-args {:a (pending \"c1\" nil)})",
       "!! pending_in_tool_args: arg :a is a pending operation (c1); await it first"},
      {"(%tool-args {\"path\" 1 :path 2})", "!! invalid_tool_args: two keys give the same argument name \"path\""},
  });
}

TEST_F(MapsTest, Describe) {
  EXPECT_EQ(run("(describe 5)"), "{:type :number :value 5}");
  EXPECT_EQ(run("(describe [1 3 \"x\"] {:examples 1})"),
            "{:count 3 :examples [1] :max 3 :min 1 :type :vector :types {:number 2 :string 1}}");
  EXPECT_EQ(run("(describe [{:a 1} {:a 2}])"),
            "{:count 2 :keys {:a {:count 2 :examples [1 2] :max 2 :min 1 :types {:number 2}}} :type :vector "
            ":types {:map 2}}");
}

TEST_F(MapsTest, SharingDoesNotExplode) {
  heap.set_limit_bytes(1 << 20);
  Value nested = vector_empty(heap);
  for (int i = 0; i < 60; ++i) {
    const Value twice[] = {retained(nested), nested};
    nested = vector_of(heap, twice);
  }
  for (const BuiltinId id : {BuiltinId::flatten, BuiltinId::keywordize_keys}) {
    Value arguments[] = {retained(nested)};
    Call call(env, id, arguments);
    EXPECT_TRUE(plain_builtin(id)(call).is_absent());
    EXPECT_EQ(env.fault.kind, FaultKind::MemoryExceeded);
    heap.release(arguments[0]);
  }
  heap.release(nested);
}

}  // namespace
}  // namespace ptc::test
