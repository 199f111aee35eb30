// See form_identity.h.
#include "compiler/analyze/form_identity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

namespace ptc {

std::string FormIdentity::items_key(const Form& form, std::size_t width, bool ordered) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  for (std::size_t i = 0; i + width <= form.items.size(); i += width) {
    entries.emplace_back(of(*form.items[i]), of(*form.items[i + width - 1]));
  }
  if (!ordered) std::sort(entries.begin(), entries.end());
  std::string text;
  for (const auto& [first, second] : entries)
    text += std::to_string(first) + ":" + std::to_string(second) + ",";
  return text;
}

std::string FormIdentity::key(const Form& form) {
  switch (form.kind) {
    case FormKind::Nil: return "nil";
    case FormKind::True: return "true";
    case FormKind::False: return "false";
    case FormKind::Int: return "i" + form.text;
    case FormKind::String: return "\"" + form.text;
    case FormKind::Keyword: return ":" + form.text;
    case FormKind::Date: return "date" + form.text;
    case FormKind::Instant: return "instant" + form.text;
    case FormKind::Duration: return "duration" + form.text;
    case FormKind::Symbol: case FormKind::VarQuote: return "s" + form.text;
    case FormKind::LocalAlias: return "l" + std::to_string(form.local);
    case FormKind::List: case FormKind::Vector: return "(" + items_key(form, 1, true);
    case FormKind::Map: return "{" + items_key(form, 2, false);
    case FormKind::Set: return "#" + items_key(form, 1, false);
    case FormKind::Float:
      if (!std::isnan(form.real)) return "f" + std::to_string(std::bit_cast<std::uint64_t>(form.real));
      break;
    case FormKind::Regex: case FormKind::Lambda: break;
  }
  return "u" + std::to_string(unique_++);
}

std::uint32_t FormIdentity::of(const Form& form) {
  if (const auto at = known_.find(&form); at != known_.end()) return at->second;
  constexpr std::uint64_t kBytesOfForm = 224;   // entries of both tables, and of the set in which a key is looked up
  std::string text = key(form);
  if (meter_ != nullptr) meter_->take(kBytesOfForm + text.size(), form.span);
  const std::uint32_t number =
      numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(numbers_.size())).first->second;
  known_.emplace(&form, number);
  return number;
}

}  // namespace ptc
