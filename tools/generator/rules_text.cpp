// Rules that give strings and keywords.
#include "tools/generator/rule.h"

namespace ptc::generator {
namespace {

constexpr Rule kTextRules[] = {
    {"str", "(str $str $word $int)", kGrows},
    {"str", "(str $str $p)", kGrows},
    {"str", "(str $str $a)", kGrows | kOurs},
    {"str", "(str $int)"},
    {"str", "(pr-str $p)", kGrows},
    {"str", "(pr-str $a $x)", kGrows | kOurs},
    {"str", "(join \",\" $[x])", kGrows | kOurs},
    {"str", "(join $[x])", kGrows | kOurs},
    {"str", "(clojure.string/join \"-\" $[q])", kGrows},
    {"str", "(clojure.string/join $[q])", kGrows},
    {"str", "(format \"%d of %s\" $int $str)", kGrows},
    {"str", "(format \"%5d|%-6s|%06d\" $small $str $num)", kGrows},
    {"str", "(format \"%x %o %b %c%% %+d %,d\" $small $small $bool \"c\" $num $num)", kGrows | kOurs},
    {"str", "(format \"%x %o %b %+d %,d%%\" $small $small $bool $num $num)", kGrows},
    {"str", "(format \"%.2f|%8.3f|%e\" $float $float $float)", kGrows | kOurs},
    {"str", "(format \"%.2f\" $float)"},
    {"str", "(format \"%8.1f|%e\" $float $float)"},
    {"str", "(subs $str 0 $small)", kOurs},
    {"str", "(subs $str $small)", kOurs},
    {"str", "(let [s $str] (subs s (min 1 (count s)) (min 5 (count s))))", kClojure},
    {"str", "(let [s $str] (.substring s (min 2 (.length s))))"},
    {"str", "(let [s $str] (.substring s 0 (min 3 (.length s))))"},
    {"str", "(@{upcase downcase upper-case lower-case capitalize trim triml trimr trim-newline} $str)", kOurs},
    {"str", "(clojure.string/@{upper-case lower-case capitalize trim triml trimr trim-newline reverse} $str)"},
    {"str", "(@{.toUpperCase .toLowerCase .trim} $str)"},
    {"str", "(@{replace replace-first} $str \"e\" \"3\")", kOurs},
    {"str", "(replace $str @{#\"[aeiou]\" #\"(.)r\"} (fn [m] (str (count m) \"x\")))", kGrows | kOurs},
    {"str", "(clojure.string/@{replace replace-first} $str \"e\" \"3\")"},
    {"str", "(clojure.string/@{replace replace-first} $str #\"[aeiou]\" \"<$0>\")", kGrows},
    {"str", "(clojure.string/replace $str #\"[b-f]\" (fn [m] (str m m)))", kGrows},
    {"str", "(@{escape clojure.string/escape} $str {\\a \"A\" \\e \"\"})", kOurs},
    {"str", "(clojure.string/escape $str {\\a \"A\" \\e \"\"})"},
    {"str", "(or (re-find #\"[a-z]+\" $str) $word)"},
    {"str", "(or (second (re-find #\"(.)(r|l)\" $str)) $word)"},
    {"str", "(or (re-find (re-pattern \"[a-m]+\") $str) $word)"},
    {"str", "(or (re-groups (re-find #\"[a-z]+\" $str)) $word)", kOurs},
    {"str", "(or (extract @{#\"a(.)\" \"(b.)r\"} $str) $word)", kOurs},
    {"str", "(or (extract #\"(.)(.)$\" $str @{0 1 2}) $word)", kOurs},
    {"str", "(or (first (split-lines $str)) $word)", kOurs},
    {"str", "(name $key)"},
    {"str", "(name $str)"},
    {"str", "(json/generate-string $[int])", kGrows | kOurs},
    {"str", "(json/generate-string $<float>)", kGrows | kOurs},
    {"str", "(json/generate-string $<[str]>)", kGrows | kOurs},
    {"str", "(str (LocalDate/parse $date))", kOurs},
    {"str", "(str (java.time.LocalDate/parse $date))"},
    {"str", "(apply str $[q])", kGrows},
    {"str", "(:label $rec)"},
    {"key", "(keyword (str \"k\" (mod $int 3)))"},
    {"key", "(keyword $key)"},
    {"key", "(or (first (sort (keys ${a}))) $kw)"},
    {"key", "(or (last (:tags $rec)) $kw)"},
    {"key", "(if $bool $kw $kw)"},
    {"key", "(or (type $a) $kw)", kOurs},
};

}  // namespace

std::span<const Rule> text_rules() { return kTextRules; }

}  // namespace ptc::generator
