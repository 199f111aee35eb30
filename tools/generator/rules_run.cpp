// Rules about the run that a program is: its data, its budget, its names.
#include "tools/generator/rule.h"

namespace ptc::generator {
namespace {

constexpr Rule kRunRules[] = {
    {"a", "(or data/@{orders limits} $a)", kOurs},
    {"a", "(or (:turns (budget/remaining)) $a)", kOurs},
    {"a", "(or *1 $a)", kOurs},
    {"a", "(or (when-first [e $[a]] e) $a)"},
    {"a", "(or (when-not $bool $a) $a)"},
    {"a", "(or (when $bool $a) $a)"},
    {"a", "(do (comment (anything at all)) $a)"},
    {"a", "(do #_(left out) $a)"},
    {"a", "(or (run! identity $[x]) $a)"},
    {"a", "(or (doseq [e $[x]] e) $a)"},
    {"bool", "(pending? $a)", kOurs},
};

}  // namespace

std::span<const Rule> run_rules() { return kRunRules; }

}  // namespace ptc::generator
