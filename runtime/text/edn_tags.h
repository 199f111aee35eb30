// Applies the tags of EDN text to the values behind them.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "runtime/text/edn.h"
#include "runtime/text/edn_regexes.h"

namespace ptc {

// What tags of one text need besides their values.
struct EdnTagContext {
  const EdnHooks& hooks;
  std::span<const Value> sources;   // the texts of the closures so far, which {:same N} refers to
  EdnRegexes& regexes;
};

// Takes the value and returns the tagged value, which the caller owns. Returns Absent and a message when the tag is
// unknown or does not fit the value.
Value apply_edn_tag(Heap& heap, std::string_view tag, Value taken, const EdnTagContext& context, std::string& message);
Value edn_symbol(Heap& heap, std::string_view name);
Value edn_var(Heap& heap, std::string_view name);

}  // namespace ptc
