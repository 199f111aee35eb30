// Options whose values are words of a list.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::cli {

// Says that there is no such thing, and which word was meant: "there is no state wating. Did you mean: waiting?". When
// no word is near, all of them are listed.
std::string unknown_word(std::string_view thing, std::string_view given, const std::vector<std::string_view>& known);

}  // namespace ptcvm::cli
