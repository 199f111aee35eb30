// What bench/compare --growth measures: one turn prepares, the next one is timed; both know n. Each program touches n
// elements, so time / n is what one element costs.
#pragma once

namespace ptc::bench {

struct GrowthCase {
  const char* name;
  const char* complexity;   // the growth of the whole program: "n", "n log n" or "n²"
  const char* prepare;      // definitions
  const char* measured;
};

inline constexpr const char* kNumbers = "(def v (mapv identity (range n)))";
inline constexpr const char* kShuffled = "(def v (mapv (fn [i] (mod (* (+ i 1) 16807) 2147483647)) (range n)))";
inline constexpr const char* kWords = "(def v (mapv (fn [i] (str \"key\" (mod (* i 7919) n))) (range n)))";
inline constexpr const char* kIntMap = "(def m (zipmap (range n) (range n)))";
inline constexpr const char* kStringMap =
    "(def v (mapv (fn [i] (str \"key\" i)) (range n))) (def m (zipmap v (range n)))";
inline constexpr const char* kTwoSets =
    "(def a (set (range n))) (def b (set (map (fn [i] (+ i (quot n 2))) (range n))))";
inline constexpr const char* kRows =
    "(def v (mapv (fn [i] {:id i :team (mod i 100) :score (mod (* i 48271) 1000003)}) (range n)))";
inline constexpr const char* kLines = "(def text (join \",\" (map (fn [i] (str \"item\" i)) (range n))))";

inline constexpr GrowthCase kGrowthCases[] = {
    {"vector: conj", "n", "", "(count (loop [i 0 v []] (if (< i n) (recur (inc i) (conj v i)) v)))"},
    {"vector: nth", "n", kNumbers, "(loop [i 0 s 0] (if (< i n) (recur (inc i) (+ s (nth v i))) s))"},
    {"vector: assoc", "n", "",
     "(count (loop [i 0 v (mapv identity (range n))] (if (< i n) (recur (inc i) (assoc v i 0)) v)))"},
    {"vector: assoc, shared", "n log n", kNumbers, "(reduce (fn [s i] (+ s (count (assoc v i 0)))) 0 (range n))"},
    {"range: assoc, shared", "n²", "(def v (range n))",
     "(reduce (fn [s i] (+ s (count (assoc v i 0)))) 0 (range n))"},
    {"vector: pop", "n", "", "(count (loop [i 0 v (mapv identity (range n))] (if (< i n) (recur (inc i) (pop v)) v)))"},
    {"int keys: assoc", "n", "", "(count (loop [i 0 m {}] (if (< i n) (recur (inc i) (assoc m i i)) m)))"},
    {"int keys: get", "n", kIntMap, "(loop [i 0 s 0] (if (< i n) (recur (inc i) (+ s (get m i))) s))"},
    {"string keys: assoc", "n", kWords, "(count (reduce (fn [m k] (assoc m k 1)) {} v))"},
    {"string keys: get", "n", kStringMap, "(reduce (fn [s k] (+ s (get m k))) 0 v)"},
    {"string keys: dissoc", "n", kStringMap, "(count (reduce (fn [m k] (dissoc m k)) m v))"},
    {"string keys: update", "n", kStringMap, "(count (reduce (fn [m k] (update m k inc)) m v))"},
    {"map: first sorted iteration", "n log n", kStringMap, "(reduce + (vals (assoc m \"another\" 1)))"},
    {"map: reduce-kv", "n log n", kIntMap, "(reduce-kv (fn [s k x] (+ s k x)) 0 m)"},
    {"map: merge", "n", kIntMap, "(count (merge {-1 1} m))"},
    {"map: =", "n", kIntMap, "(= m (assoc (dissoc m 0) 0 0))"},
    {"zipmap", "n", kWords, "(count (zipmap v v))"},
    {"set: conj", "n", "", "(count (loop [i 0 s #{}] (if (< i n) (recur (inc i) (conj s i)) s)))"},
    {"set: contains?", "n", kTwoSets, "(count (filter (fn [i] (contains? a i)) b))"},
    {"set: union", "n", kTwoSets, "(count (union a b))"},
    {"set: intersection", "n", kTwoSets, "(count (intersection a b))"},
    {"set: difference", "n", kTwoSets, "(count (difference a b))"},
    {"sort, ints", "n log n", kShuffled, "(nth (sort v) 1)"},
    {"sort, strings", "n log n", kWords, "(nth (sort v) 1)"},
    {"sort, comparator", "n log n", kShuffled, "(nth (sort (fn [a b] (> a b)) v) 1)"},
    {"sort-by, keyword", "n log n", kRows, "(:id (nth (sort-by :score v) 1))"},
    {"group-by", "n", kRows, "(count (group-by :team v))"},
    {"frequencies", "n", kWords, "(count (frequencies v))"},
    {"distinct", "n", kWords, "(count (distinct v))"},
    {"map, filter, reduce", "n", kNumbers, "(reduce + (map inc (filter even? v)))"},
    {"mapcat", "n", kNumbers, "(count (mapcat (fn [i] [i]) v))"},
    {"into vector", "n", kNumbers, "(count (into [0] v))"},
    {"into map", "n", "(def v (mapv (fn [i] [i i]) (range n)))", "(count (into {} v))"},
    {"concat", "n", kNumbers, "(count (concat v v))"},
    {"reverse", "n", kNumbers, "(nth (reverse v) 1)"},
    {"partition", "n", kNumbers, "(count (partition 10 v))"},
    {"interleave", "n", kNumbers, "(count (interleave v v))"},
    {"rest, one by one", "n", kNumbers, "(loop [v v s 0] (if (empty? v) s (recur (rest v) (+ s (first v)))))"},
    {"vector: =", "n", kNumbers, "(= v (assoc v 0 0))"},
    {"str of many", "n", kWords, "(count (apply str v))"},
    {"str, one by one", "n²", kWords, "(count (reduce (fn [s word] (str s word)) \"\" v))"},
    {"join", "n", kWords, "(count (join \",\" v))"},
    {"split", "n", kLines, "(count (split text \",\"))"},
    {"replace", "n", kLines, "(count (replace text \",\" \";\"))"},
    {"re-seq", "n", kLines, "(count (re-seq #\"\\d+\" text))"},
    {"pr-str", "n", kNumbers, "(count (pr-str v))"},
    {"JSON written", "n", kRows, "(count (json/generate-string v))"},
    {"JSON read", "n", "(def text (json/generate-string (vec (range n))))", "(count (json/parse-string text))"},
};

}  // namespace ptc::bench
