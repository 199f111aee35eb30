// What to tell somebody who used a name that does not exist.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

// Returns advice for a name that other Lisps have, or "".
std::string_view foreign_name_advice(std::string_view name);

// Returns a hint for an unbound name: special form, foreign name, underscores, or a similar name out of the builtins
// and `candidates` (locals, names in memory). Empty when there is nothing to say.
std::string suggest_name(std::string_view name, bool is_special_form,
                         const std::vector<std::string_view>& candidates);

}  // namespace ptc
