// Rules that give maps and records, and those that look something up.
#include "tools/generator/rule.h"

namespace ptc::generator {
namespace {

constexpr Rule kMapsRules[] = {
    {"a", "(get $|a| $mapkey $a)"},
    {"a", "($kw ${a} $a)"},
    {"a", "(${a} $kw $a)"},
    {"a", "(get-in ${|a|} [$kw $mapkey] $a)"},
    {"a", "(get-in [$|a|] [0 $mapkey] $a)"},
    {"a", "(val (first (assoc {} $kw $a)))"},
    {"a", "(or (val (or (first $|a|) [0 nil])) $a)", kOurs},
    {"a", "(second (or (find $|a| $mapkey) [0 $a]))"},
    {"|a|", "(assoc $|a| $mapkey $a)"},
    {"|a|", "(assoc $|a| $mapkey $a $mapkey $a)"},
    {"|a|", "(dissoc $|a| $mapkey)"},
    {"|a|", "(dissoc $|a| $mapkey $mapkey)"},
    {"|a|", "(select-keys $|a| $mapkeys)"},
    {"|a|", "(merge $|a| $|a|)"},
    {"|a|", "(merge-with $(a,a>a) $|a| $|a|)"},
    {"|a|", "(update-vals $|a| $(a>a))"},
    {"|a|", "(update $|a| $mapkey (fnil $(a>a) $a))"},
    {"|a|", "(zipmap $mapkeys $[a])"},
    {"|a|", "(into $|a| (zipmap $mapkeys [$a $a]))"},
    {"|a|", "(conj $|a| [$mapkey $a])"},
    {"|a|", "(@{hash-map array-map sorted-map} $mapkey $a)"},
    {"|a|", "(into {} (filter (fn [[k v]] (some? v)) $|a|))"},
    {"|a|", "(into {} (map (fn [e] [(key e) (val e)]) (sort-by key $|a|)))"},
    {"|a|", "(reduce-kv (fn [acc k v] (assoc acc k v)) $|a| $|a|)"},
    {"|a|", "(empty $|a|)"},
    {"|a|", "(or (not-empty $|a|) (hash-map $mapkey $a))"},
    {"|[a]|", "(update $|[a]| $mapkey (fnil conj []) $a)"},
    {"{|a|}", "(assoc-in ${|a|} [$kw $mapkey] $a)"},
    {"{|a|}", "(update-in ${|a|} [$kw $mapkey] (fnil $(a>a) $a))"},
    {"{[a]}", "(group-by $(a>key) $[a])"},
    {"{a}", "(index-by $(a>key) $[a])", kOurs},
    {"<a>", "(index-by $(a>str) $[a])", kOurs},
    {"<[a]>", "(group-by $(a>str) $[a])"},
    {"{int}", "(frequencies $[key])"},
    {"<int>", "(frequencies $[str])"},
    {"<a>", "(clojure.walk/stringify-keys ${a})", kOurs},
    {"<x>", "(@{clojure.walk/stringify-keys} ${x})"},
    {"{x}", "(@{clojure.walk/keywordize-keys} {\"alpha\" $x \"beta\" $x})"},
    {"{x}", "(@{keywordize-keys} $<x>)", kOurs},
    {"<x>", "(stringify-keys ${x})", kOurs},
    {"<key>", "(@{map-invert clojure.set/map-invert} {:alpha $word})", kOurs},
    {"<key>", "(clojure.set/map-invert {:alpha $word})"},
    {"{a}", "(rename-keys ${a} {$kw $kw})", kOurs},
    {"{a}", "(clojure.set/rename-keys ${a} {:alpha :beta})"},
    {"{a}", "(update-keys {\"alpha\" $a} keyword)", kOurs},
    {"<a>", "(update-keys ${a} name)"},
    {"<int>", "(or (json/parse-string (json/generate-string $<int>)) {})", kOurs},
    {"rec", "(assoc $rec @{:id :score} $int)"},
    {"rec", "(assoc $rec :label $str :tags $[key])"},
    {"rec", "(assoc $rec :ok $bool)"},
    {"rec", "(update $rec @{:id :score} $(int>int))"},
    {"rec", "(update $rec :label $(str>str))"},
    {"rec", "(update-in $rec [:tags] $([key]>[key]))"},
    {"rec", "(merge $rec {:score $int})"},
    {"rec", "(assoc-in $rec [:score] $int)"},
    {"[a]", "(walk $(a>a) identity $[a])", kOurs},
    {"[a]", "(clojure.walk/walk $(a>a) identity $[a])"},
    {"[int]", "(clojure.walk/@{prewalk postwalk} (fn [e] (if (int? e) (inc e) e)) $[int])"},
    {"|int|", "(@{prewalk postwalk} (fn [e] (if (int? e) (dec e) e)) $|int|)", kOurs},
    {"|int|", "(clojure.walk/postwalk (fn [e] (if (int? e) (dec e) e)) $|int|)"},
};

}  // namespace

std::span<const Rule> map_rules() { return kMapsRules; }

}  // namespace ptc::generator
