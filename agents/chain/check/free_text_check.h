// The rules by which free text of a criterion is read when somebody asks for heuristics (verification.h).
#pragma once
#include <string_view>

namespace ptcvm::chain {

// Returns whether the output meets the criterion. The first rule that fits the criterion decides: quoted fragments, the
// words path, json, success, "no error", exists, non-empty; everything else wants output without a word of failure.
// The rules are known to be wrong at times: "completed without error" wants a word of success, and "path exists" takes
// "not found: /dir".
bool meets_free_text(std::string_view criterion, std::string_view output);

// Returns whether the text has an absolute path: "/x" or "C:\x".
bool has_absolute_path(std::string_view text);
// Returns whether the text, or its outermost object or list, is JSON.
bool has_json(std::string_view text);

}  // namespace ptcvm::chain
