// Programs that are made from forms of others: a form in the place of another, a form with another function, a form
// that is repeated, and values that are large.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "tools/generator/random.h"

namespace ptc::test {

// Returns a call of a builtin with arguments some of which are large.
std::string costly_call(generator::Random& random);

// Returns the program with one to three changes. `other` gives forms.
std::string mutated_forms(std::string_view program, std::string_view other, generator::Random& random);

}  // namespace ptc::test
