// The forms of the language that are not builtins, as an array of facts made from special_forms.def.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ptc {

enum class FormCategory : std::uint8_t { Special, Macro, Namespace, Syntax, Absent };

struct SpecialFormInfo {
  FormCategory category;
  std::string_view name;
  std::string_view also;      // other spellings, separated by |
  std::string_view usage;
  std::string_view doc;
};

inline constexpr auto kSpecialForms = std::to_array<SpecialFormInfo>({
#define FORM(category, name, also, usage, doc) {FormCategory::category, name, also, usage, doc},
#include "schema/special_forms.def"
#undef FORM
});

}  // namespace ptc
