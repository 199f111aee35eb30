// Elements, slices, building, combining and grouping of sequences.
#include "tests/support/builtin_fixture.h"

namespace ptc::test {
namespace {

class SequencesTest : public BuiltinFixture {};

TEST_F(SequencesTest, Elements) {
  check({
      {"(first [1 2])", "1"},
      {"(first nil)", "nil"},
      {"(first \"ab\")", "\"a\""},
      {"(first {:b 1 :a 2})", "[:a 2]"},
      {"(first #{3 1})", "1"},
      {"(first 5)", "!! type_error: first: arg 1 expected seqable, got number"},
      {"(second [1 2])", "2"},
      {"(last [1 2])", "2"},
      {"(last \"\")", "nil"},
      {"(nth [1 2 3] 2)", "3"},
      {"(nth [1 2] -1)", "nil"},
      {"(nth [1 2] -1 :x)", ":x"},
      {"(nth [1 2] 5)", "nil"},
      {"(nth [10 20] 1.0)", "20"},
      {"(nth nil 0 :x)", ":x"},
      {"(nth [1] :a)", "!! type_error: nth: arg 2 expected integer, got keyword"},
      {"(nth [1] 99999999999999999999)", "nil"},
      {"(ffirst [[1 2] [3]])", "1"},
      {"(ffirst nil)", "nil"},
      {"(ffirst [5])", "!! type_error: ffirst: first element expected seqable, got number"},
      {"(fnext [1 2])", "2"},
      {"(nfirst [[1 2] [3]])", "[2]"},
      {"(nfirst [[] [3 4]])", "nil"},
      {"(nnext [1 2])", "nil"},
      {"(nnext [1 2 3])", "[3]"},
      {"(peek [1 2])", "2"},
      {"(peek nil)", "nil"},
      {"(peek #{1})", "!! type_error: peek: arg 1 expected vector, got set"},
      {"(count {:a 1})", "1"},
      {"(count nil)", "0"},
      {"(count (pending \"c1\" nil))", "!! type_error: count: arg 1 is a pending operation (c1); use (await …)"},
      {"(empty? \"\")", "true"},
      {"(empty? 5)", "!! type_error: empty?: arg 1 expected seqable, got number"},
      {"(empty \"abc\")", "nil"},
      {"(empty #{1})", "#{}"},
      {"(empty 1)", "!! type_error: empty: arg 1 expected collection, got number"},
      {"(not-empty [])", "nil"},
      {"(not-empty \"abc\")", "\"abc\""},
      {"(seq {})", "nil"},
      {"(seq \"ab\")", "[\"a\" \"b\"]"},
      {"(dorun [1])", "nil"},
      {"(doall \"ab\")", "[\"a\" \"b\"]"},
  });
}

TEST_F(SequencesTest, Slices) {
  check({
      {"(rest [1])", "[]"},
      {"(rest \"ab\")", "[\"b\"]"},
      {"(rest nil)", "[]"},
      {"(next [1])", "nil"},
      {"(next [1 2])", "[2]"},
      {"(butlast [1])", "nil"},
      {"(butlast [1 2 3])", "[1 2]"},
      {"(take 2 {:a 1 :b 2 :c 3})", "[[:a 1] [:b 2]]"},
      {"(take -1 [1 2])", "[]"},
      {"(take 1.0 [10 20])", "[10]"},
      {"(take :n [1 2])", "!! type_error: take: arg 1 expected integer, got keyword"},
      {"(take 2 5)", "!! type_error: take: arg 2 expected seqable, got number"},
      {"(drop 2 \"hello\")", "[\"l\" \"l\" \"o\"]"},
      {"(drop -1 [1])", "[1]"},
      {"(take-last 2 [1 2 3])", "[2 3]"},
      {"(take-last 0 [1])", "[]"},
      {"(take-last 1 \"\")", "nil"},
      {"(drop-last [1 2])", "[1]"},
      {"(drop-last 9 [1 2])", "[]"},
      {"(split-at 1 [1 2 3])", "[[1] [2 3]]"},
      {"(split-at 1 nil)", "[[] []]"},
      {"(nthrest [1 2 3] 2)", "[3]"},
      {"(nthnext [1 2 3] 3)", "nil"},
      {"(nthnext #{1 2} 0)", "[1 2]"},
      {"(subvec [0 1 2] -1 2)", "[0 1]"},
      {"(subvec [0 1 2] 2 1)", "[]"},
      {"(pop [1 2])", "[1]"},
      {"(pop [])", "nil"},
  });
}

TEST_F(SequencesTest, Building) {
  check({
      {"(vector 1 2)", "[1 2]"},
      {"(vec nil)", "[]"},
      {"(cons 0 #{1 2})", "[0 1 2]"},
      {"(cons :x nil)", "[:x]"},
      {"(conj)", "[]"},
      {"(conj nil 1 2)", "[1 2]"},
      {"(conj #{1} 2 1)", "#{1 2}"},
      {"(conj {:a 1} {:b 2} [:c 3] nil)", "{:a 1 :b 2 :c 3}"},
      {"(conj {:a 1} 5)", "!! type_error: conj: item for a map expected map or [key value] pair, got number"},
      {"(conj 5 1)", "!! type_error: conj: arg 1 expected collection, got number"},
      {"(concat)", "[]"},
      {"(concat [1] \"ab\" nil #{2})", "[1 \"a\" \"b\" 2]"},
      {"(concat [1] 5)", "!! type_error: concat: arg 2 expected seqable, got number"},
      {"(into)", "[]"},
      {"(into #{} \"aab\")", "#{\"a\" \"b\"}"},
      {"(into {} [[:a 1]])", "{:a 1}"},
      {"(into {:a 1} {:a 2})", "{:a 2}"},
      {"(into nil [1 2])", "[1 2]"},
      {"(into [99] {:a 1})", "[99 [:a 1]]"},
      {"(into {} [1])", "!! type_error: into: item for a map expected map or [key value] pair, got number"},
      {"(reverse \"abc\")", "[\"c\" \"b\" \"a\"]"},
      {"(flatten [1 [2 [3 nil]] {:a [1]}])", "[1 2 3 nil {:a [1]}]"},
      {"(flatten nil)", "[]"},
      {"(flatten 1)", "!! type_error: flatten: arg 1 expected vector, got number"},
  });
}

TEST_F(SequencesTest, Groups) {
  check({
      {"(partition 2 [1 2 3])", "[[1 2]]"},
      {"(partition 2 3 [1 2 3 4 5 6 7])", "[[1 2] [4 5]]"},
      {"(partition 3 3 [0] [1 2 3 4 5])", "[[1 2 3] [4 5 0]]"},
      {"(partition 3 3 nil [1 2])", "[[1 2]]"},
      {"(partition 2 nil)", "[]"},
      {"(partition -1 [1])", "!! type_error: partition: n must be a positive integer, got -1"},
      {"(partition 1 0 [1])", "!! type_error: partition: step must be a positive integer, got 0"},
      {"(partition-all 2 1.0 [1 2 3])", "[[1 2] [2 3] [3]]"},
      {"(distinct [1 2 1 1.0])", "[1 2 1.0]"},
      {"(distinct {:a 1})", "[[:a 1]]"},
      {"(dedupe \"aabb\")", "[\"a\" \"b\"]"},
      {"(frequencies \"hello\")", "{\"e\" 1 \"h\" 1 \"l\" 2 \"o\" 1}"},
      {"(zip [1 2 3] \"ab\")", "[[1 \"a\"] [2 \"b\"]]"},
      {"(interleave)", "[]"},
      {"(interleave [1 2] [:a :b :c])", "[1 :a 2 :b]"},
      {"(interpose nil [1 2])", "[1 nil 2]"},
      {"(zipmap [:a :b :a] [1 2 3])", "{:a 3 :b 2}"},
      {"(%group [:a :b :a] [1 2 3])", "{:a [1 3] :b [2]}"},
      {"(%distinct-by [:a :b :a] [1 2 3])", "[1 2]"},
      {"(%partition-by [1 1 2] [:a :b :c])", "[[:a :b] [:c]]"},
      {"(%rows \"map\" 2 [[1 2] \"ab\" #{7}])", "[[1 \"a\" 7]]"},
      {"(%rows \"map\" 2 [[1 2] 5])", "!! type_error: map: arg 3 expected seqable, got number"},
      {"(%join true [[1] nil 5])", "[1 5]"},
      {"(%join false [[1] \"ab\" 5])", "!! type_error: mapcat: result of the function expected seqable, got number"},
  });
}

TEST_F(SequencesTest, Ranges) {
  check({
      {"(range 3)", "[0 1 2]"},
      {"(range 10 0 -2)", "[10 8 6 4 2]"},
      {"(range 0 10 -1)", "[]"},
      {"(range 0 1 0.25)", "[0 0.25 0.5 0.75]"},
      {"(range 9223372036854775806 9223372036854775808)", "[9223372036854775806 9223372036854775807]"},
      {"(range 1 5 0)", "!! type_error: range: step must not be zero"},
      {"(range 1 nil)", "!! type_error: range: arg 2 expected number, got nil"},
      {"(range 0 ##NaN)", "[]"},
      {"(repeat 2 :x)", "[:x :x]"},
      {"(repeat -1 :x)", "[]"},
      {"(combinations [1 2 3] 2)", "[[1 2] [1 3] [2 3]]"},
      {"(combinations [1 2] 0)", "[[]]"},
      {"(combinations [1 2] 3)", "[]"},
      {"(combinations \"ab\" 1.0)", "[[\"a\"] [\"b\"]]"},
  });
}

TEST_F(SequencesTest, BlowUpsAreRefusedBeforeTheyHappen) {
  heap.set_limit_bytes(1 << 20);
  for (const char* call : {"(repeat 100000000 1)", "(range 0 ##Inf)", "(range 0.0 1000000000.0)",
                           "(combinations [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24] 12)",
                           "(range 0 9223372036854775807)"}) {
    EXPECT_EQ(run(call).substr(0, 18), "!! memory_exceeded") << call;
  }
  EXPECT_LT(heap.bytes_peak(), 1u << 20);
}

TEST_F(SequencesTest, TotalsAndExtremes) {
  check({
      {"(sum [1 nil 2.5])", "3.5"},
      {"(sum nil)", "0"},
      {"(sum [1 \"x\"])", "!! type_error: sum: element 1 expected number, got string"},
      {"(avg [1 nil 2])", "1.5"},
      {"(avg [])", "nil"},
      {"(avg 42)", "42"},
      {"(pluck :a [{:a 1} {\"a\" 2} nil])", "[1 2 nil]"},
      {"(pluck [:a :b] [{:a {:b 1}}])", "[1]"},
      {"(pluck :a [1])", "!! type_error: pluck: element 0 expected map, got number"},
      {"(pluck :a {:a 1})", "!! type_error: pluck: arg 2 expected a sequence of maps, got a single map"},
      {"(%extreme \"min-by\" false [nil 2 1 1] [:a :b :c :d])", ":c"},
      {"(%extreme \"max-by\" true [nil] [:a])", "nil"},
      {"(%extreme \"max-by\" true [1 \"x\"] [:a :b])",
       "!! type_error: max-by: key \"x\" expected value comparable with 1, got string"},
      {"(%extreme-number \"min-key\" false [1 2 1] [:a :b :c])", ":c"},
      {"(%extreme-number \"max-key\" true [2 2 1] [:a :b :c])", ":b"},
      {"(%extreme-number \"max-key\" true [nil 1] [:a :b])", "!! type_error: max-key: key expected number, got nil"},
  });
}

}  // namespace
}  // namespace ptc::test
