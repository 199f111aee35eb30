// What begins with a mark: syntax of other Lisps that is refused with a hint, and the tags of literals.
#pragma once
#include <array>
#include <string_view>

#include "compiler/read/form.h"

namespace ptc {

struct RefusedSyntax {
  std::string_view prefix;
  std::string_view message;
  std::string_view hint;
};

// Tried in order: longer prefixes first.
inline constexpr auto kRefused = std::to_array<RefusedSyntax>({
    {"@", "deref syntax (@var) is not supported. Atoms and refs are not available",
     "Use let, loop or def for values that change"},
    {"'", "quote syntax ('expr) is not supported. Use vectors [1 2 3] instead of quoted lists",
     "Use a keyword (:name) or a string in place of a quoted symbol"},
    {"`", "syntax quote (`expr) is not supported. There are no macros", "Use a function"},
    {"~@", "unquote-splicing (~@expr) is not supported. There are no macros",
     "Use into or concat to join collections"},
    {"~", "unquote (~expr) is not supported. There are no macros", "Use a function"},
    {"^", "metadata syntax (^meta) is not supported", "Leave the metadata out"},
    {"#?@", "reader conditionals (#?@) are not supported", "Write only the branch that is meant"},
    {"#?", "reader conditionals (#?) are not supported", "Write only the branch that is meant"},
    {"#uuid", "UUID literals (#uuid) are not supported", "Use the string"},
    {"#:", "namespaced maps (#:ns{…}) are not supported", "Write a plain map with simple keywords"},
    {"#=", "read-time evaluation (#=) is not supported", "Write the expression itself"},
    {"#^", "metadata syntax (#^meta) is not supported", "Leave the metadata out"},
});

// A tag is followed by a string.
struct LiteralTag {
  std::string_view name;
  FormKind kind;
  std::string_view example;
};

inline constexpr auto kTags = std::to_array<LiteralTag>({
    {"#date", FormKind::Date, "Write #date \"2024-01-15\""},
    {"#inst", FormKind::Instant, "Write #inst \"2024-01-15T10:00:00Z\""},
    {"#duration", FormKind::Duration, "Write #duration \"PT1H30M\""},
});

}  // namespace ptc
