// Rules that give truth values.
#include "tools/generator/rule.h"

namespace ptc::generator {
namespace {

constexpr Rule kTestsRules[] = {
    {"bool", "(@{< > <= >= ==} $int $int)"},
    {"bool", "(@{< > <= >=} $float $int $num)"},
    {"bool", "(@{= not=} $a $a)"},
    {"bool", "(= $x $x $x)"},
    {"bool", "(not $bool)"},
    {"bool", "(@{or and} $bool $bool)"},
    {"bool", "(and $bool $bool $bool)"},
    {"bool", "(@{even? odd? pos? neg? zero? nat-int? pos-int? neg-int?} $int)"},
    {"bool", "(@{pos? neg? zero? infinite? NaN?} $float)"},
    {"bool", "(bit-test $int $small)"},
    {"bool", "(@{nil? some? boolean? true? false? number? int? integer? float? double? rational?} $a)"},
    {"bool", "(@{ratio? decimal? string? keyword? simple-keyword? ident? symbol? vector? map? set? coll?} $a)"},
    {"bool", "(@{sequential? associative? seqable? fn? ifn? any?} $a)"},
    {"bool", "(@{counted? indexed? reversible?} $[a])"},
    {"bool", "(@{char? list? seq? counted? indexed? reversible? sorted? map-entry? regex?} $a)", kOurs},
    {"bool", "(regex? (re-pattern $word))", kOurs},
    {"bool", "(nil? (first $[a]))"},
    {"bool", "(fn? $(a>b))"},
    {"bool", "(distinct? $x $x)"},
    {"bool", "(distinct? $int $num $int)"},
    {"bool", "(contains? $set $int)"},
    {"bool", "(contains? $|a| $mapkey)"},
    {"bool", "(contains? $[a] $a)", kOurs},
    {"bool", "(empty? $[a])"},
    {"bool", "(empty? $|a|)"},
    {"bool", "(empty? $str)"},
    {"bool", "(@{subset? superset?} $set $set)", kOurs},
    {"bool", "(clojure.set/@{subset? superset?} $set $set)"},
    {"bool", "(@{every? not-any? not-every?} $(a>bool) $[a])"},
    {"bool", "(boolean (some $(a>bool) $[a]))"},
    {"bool", "(boolean (some $set $[int]))"},
    {"bool", "((@{every-pred some-fn} $(a>bool) $(a>bool)) $a)"},
    {"bool", "((complement $(a>bool)) $a)"},
    {"bool", "(@{includes? starts-with? ends-with?} $str @{\"a\" \"e\" \"\"})", kOurs},
    {"bool", "(clojure.string/@{includes? starts-with? ends-with?} $str @{\"a\" \"e\" \"\"})"},
    {"bool", "(@{.contains .startsWith .endsWith} $str @{\"a\" \"e\" \"bi\"})"},
    {"bool", "(blank? $str)", kOurs},
    {"bool", "(clojure.string/blank? $str)"},
    {"bool", "(boolean (re-find @{#\"[aeiou]{2}\" #\"^[a-m]\" #\"r$\"} $str))"},
    {"bool", "(boolean (re-matches @{#\"[a-z ]*\" #\".*e.*\"} $str))"},
    {"bool", "(boolean (parse-boolean @{\"true\" \"false\" \"no\"}))"},
    {"bool", "(Boolean/parseBoolean @{\"true\" \"TRUE\" \"no\"})"},
    {"bool", "(neg? (compare $x $x))"},
    {"bool", "(reduced? (reduced $a))"},
    {"bool", "(reduced? $a)"},
    {"bool", "(= :number (type $a))", kOurs},
    {"bool", "(:ok $rec)"},
    {"bool", "(some? $rec)"},
    {"bool", "(number? (json/parse-string @{\"[1, 2]\" \"2.5\" \"{\"}))", kOurs},
    {"bool", "((all-of) $a)", kOurs},
};

}  // namespace

std::span<const Rule> test_rules() { return kTestsRules; }

}  // namespace ptc::generator
