// See regex_check.h. The options are those of the engine: UTF-8, linear time, no look-around, no back-references.
#include "compiler/regex_check.h"

#include <re2/re2.h>

namespace ptc {
namespace {

constexpr std::size_t kMaxPatternBytes = 256;

std::string hint_for(std::string_view reason, std::string_view piece) {
  if (piece.starts_with("(?=") || piece.starts_with("(?!") || piece.starts_with("(?<")) {
    return "Look-ahead and look-behind are not available; match more and pick the groups that you need";
  }
  if (reason.find("escape") != std::string_view::npos && piece.size() == 2 && piece[1] >= '1' && piece[1] <= '9') {
    return "Back-references are not available";
  }
  return {};
}

}  // namespace

bool check_regex(std::string_view pattern, RegexProblem& problem) {
  if (pattern.size() > kMaxPatternBytes) return true;   // the engine reports the limit when the pattern is used
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (compiled.ok()) return true;
  problem.reason = compiled.error();
  const std::size_t at = pattern.find(compiled.error_arg());
  problem.position = at == std::string_view::npos ? 0 : at;
  problem.hint = hint_for(compiled.error(), compiled.error_arg());
  return false;
}

}  // namespace ptc
