// EDN text laid out for people: what fits on a line stays on a line, wider collections are broken, one element or one
// key with its value a line. Iterative and linear in the text; indentation is capped, so depth costs nothing extra.
#pragma once
#include <string>
#include <string_view>

namespace ptcvm::cli {

std::string pretty_edn(std::string_view edn, std::size_t width = 100);

}  // namespace ptcvm::cli
