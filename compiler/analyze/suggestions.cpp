// See suggestions.h.
#include "compiler/analyze/suggestions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "schema/builtin_id.h"
#include "schema/closest_name.h"

namespace ptc {
namespace {

constexpr auto kForeignNames = std::to_array<std::pair<std::string_view, std::string_view>>({
#define FOREIGN(name, advice) {name, advice},
#include "compiler/read/foreign_names.def"
#undef FOREIGN
});

}  // namespace

std::string_view foreign_name_advice(std::string_view name) {
  for (const auto& [foreign, advice] : kForeignNames) {
    if (foreign == name) return advice;
  }
  return {};
}

std::string suggest_name(std::string_view name, bool is_special_form,
                         const std::vector<std::string_view>& candidates) {
  const std::string text(name);
  if (is_special_form) return "'" + text + "' is a special form, use (" + text + " ...) with parentheses";
  if (const std::string_view advice = foreign_name_advice(name); !advice.empty()) {
    return "Not available in PTC-Lisp — " + std::string(advice);
  }
  std::vector<std::string_view> names = candidates;
  for (const BuiltinInfo& info : kBuiltins) {
    if (info.category != BuiltinCategory::Hidden) names.push_back(info.name);
  }
  if (text.find('_') != std::string::npos) {
    std::string hyphenated = text;
    std::replace(hyphenated.begin(), hyphenated.end(), '_', '-');
    if (std::find(names.begin(), names.end(), hyphenated) != names.end()) {
      return "Use hyphens not underscores (try: " + hyphenated + ")";
    }
  }
  const std::string_view closest = closest_name(name, names);
  return closest.empty() ? std::string() : "Did you mean: " + std::string(closest);
}

}  // namespace ptc
