// Rules that give functions for others to call: builtins by name, and what combines functions.
#include "tools/generator/rule.h"

namespace ptc::generator {
namespace {

constexpr Rule kFunctionsRules[] = {
    {"(int>int)", "@{inc dec abs - identity bit-not}"},
    {"(int>bool)", "@{even? odd? pos? neg? zero? nat-int?}"},
    {"(int>float)", "double"},
    {"(float>bool)", "@{pos? neg?}"},
    {"(str>str)", "@{upcase downcase trim capitalize clojure.string/reverse}", kOurs},
    {"(str>str)", "@{clojure.string/upper-case clojure.string/trim clojure.string/capitalize}"},
    {"(str>bool)", "clojure.string/blank?"},
    {"(str>int)", "count"},
    {"([a]>int)", "count"},
    {"(|a|>int)", "count"},
    {"(set>int)", "count"},
    {"([a]>bool)", "empty?"},
    {"(|a|>bool)", "empty?"},
    {"(key>str)", "name"},
    {"(key>bool)", "@{keyword? #{:alpha :beta}}"},
    {"(int>bool)", "#{0 1 2 5}"},
    {"(p>str)", "@{str pr-str}"},
    {"(a>str)", "@{str pr-str}", kOurs},
    {"(a>a)", "identity"},
    {"(a>bool)", "@{some? nil? vector? map?}"},
    {"(a>b)", "(constantly $b)"},
    {"([a]>[a])", "@{vec identity}"},
    {"([a]>[a])", "@{reverse rest}", kOurs},
    {"(rec>int)", "@{:score :id}"},
    {"(rec>str)", ":label"},
    {"(rec>bool)", ":ok"},
    {"(rec>[key])", ":tags"},
    {"(rec>bool)", "(where :score @{> < >= <=} $int)", kOurs},
    {"(rec>bool)", "(where [:label] @{= not=} $str)", kOurs},
    {"(rec>bool)", "(where :tags includes $kw)", kOurs},
    {"(rec>bool)", "(where :label in [$word $word])", kOurs},
    {"(rec>bool)", "(where :ok)", kOurs},
    {"(a>bool)", "(@{all-of any-of none-of} $(a>bool) $(a>bool))", kOurs},
    {"(a>bool)", "(complement $(a>bool))"},
    {"(a>bool)", "(@{every-pred some-fn} $(a>bool))"},
    {"(int>int)", "(partial @{+ *' max min} $int)", kGrows},
    {"(str>str)", "(partial str $word)", kGrows},
    {"(a>b)", "(comp $(x>b) $(a>x))"},
    {"(a>b)", "(fnil $(a>b) $a)"},
    {"(a>b)", "(partial $(x,a>b) $x)"},
    {"(int,int>int)", "@{+ - max min bit-xor}"},
    {"(str,str>str)", "str"},
    {"([a],a>[a])", "conj"},
    {"([a],[a]>[a])", "into"},
    {"(set,int>set)", "conj"},
    {"(|a|,|a|>|a|)", "merge"},
    {"(a,b>a)", "(fn [l r] l)"},
    {"(a,b>b)", "(fn [l r] r)"},
};

}  // namespace

std::span<const Rule> function_rules() { return kFunctionsRules; }

}  // namespace ptc::generator
