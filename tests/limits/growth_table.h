// What grows: growth.tsv has the builtins and forms whose result or work can be more than linear in their arguments,
// or larger than memory, with a program inside of its limit and one outside; others.tsv why nothing else grows.
#pragma once
#include <cstddef>
#include <string>

namespace ptc::test {

// What does not hold, a line each; empty: nothing. `rows`: of both tables.
std::string growth_failures(const std::string& growth_file, const std::string& others_file, std::size_t& rows);

// The page whose table between <!-- growth --> and <!-- /growth --> is made of growth.tsv; written anew when `write`
// says so. "": it is up to date.
std::string growth_page_failure(const std::string& growth_file, const std::string& page_file, bool write);

}  // namespace ptc::test
