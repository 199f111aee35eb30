// The target of an HTTP request: a path and a query.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::drivers {

// Returns the text without percent signs, or nullopt when one of them is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

struct WebTarget {
  std::vector<std::string> path;   // the parts between slashes, decoded
  std::string query;               // as it came
};

// Reads "/a/b?c=d". nullopt: it does not begin with a slash, or a percent sign is wrong.
std::optional<WebTarget> read_target(std::string_view target);

}  // namespace ptcvm::drivers
