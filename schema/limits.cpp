#include "schema/limits.h"

#include <algorithm>
#include <charconv>
#include <type_traits>

namespace ptc {
namespace {

struct EarlierSpelling {
  std::string_view name;
  LimitPlace place;
  std::string_view spelling;
};

constexpr auto kEarlierSpellings = std::to_array<EarlierSpelling>({
#define LIMIT(name, ...)
#define EARLIER(name, place, spelling) {#name, LimitPlace::place, spelling},
#include "schema/limits.def"
#undef EARLIER
#undef LIMIT
});

// The public structs place the limits without a hole, and no two rows share a field.
constexpr bool has_good_columns() {
  std::array<bool, kLimits.size()> is_member{};
  for (std::size_t i = 0; i < kLimits.size(); ++i) {
    const LimitInfo& row = kLimits[i];
    if (row.member < 0 || std::size_t(row.member) >= kLimits.size() || is_member[std::size_t(row.member)]) return false;
    is_member[std::size_t(row.member)] = true;
    if (row.least > row.initial || row.initial > row.most) return false;
    for (std::size_t k = 0; k < i; ++k) {
      if (row.field != kLimitInSession && kLimits[k].field == row.field) return false;
    }
  }
  return true;
}
static_assert(has_good_columns(), "schema/limits.def: a member or field twice, or a default out of its range");

bool same_spelling(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return (x == '-' ? '_' : x) == (y == '-' ? '_' : y);
  });
}

template <class Number>
bool is_in_range(const LimitInfo& limit, Number value) {
  if constexpr (std::is_signed_v<Number>) {
    if (value < 0) return false;
  }
  const auto number = static_cast<std::uint64_t>(value);
  return number >= limit.least && number <= limit.most;
}

}  // namespace

std::string_view earlier_spelling(const LimitInfo& limit, LimitPlace place) {
  for (const EarlierSpelling& row : kEarlierSpellings) {
    if (row.place == place && row.name == limit.name) return row.spelling;
  }
  return {};
}

const LimitInfo* find_limit(std::string_view name, LimitPlace place) {
  if (name.empty()) return nullptr;
  for (const LimitInfo& limit : kLimits) {
    if (same_spelling(limit.name, name) || same_spelling(earlier_spelling(limit, place), name)) return &limit;
  }
  return nullptr;
}

std::string dashed_name(const LimitInfo& limit) {
  std::string text(limit.name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string limit_refusal(const LimitInfo& limit, std::string_view found) {
  std::string text = "the limit ";
  text.append(limit.name).append(" must be a whole number from ").append(std::to_string(limit.least)).append(" to ");
  text.append(std::to_string(limit.most)).append(" (").append(limit.unit).append("); found ").append(found);
  return text;
}

std::string set_limit(Limits& limits, const LimitInfo& limit, std::string_view decimal) {
  std::uint64_t number = 0;
  const char* const end = decimal.data() + decimal.size();
  const auto [stop, error] = std::from_chars(decimal.data(), end, number);
  if (decimal.empty() || error != std::errc() || stop != end || !is_in_range(limit, number)) {
    return limit_refusal(limit, decimal.empty() ? "nothing" : decimal);
  }
  for_each_limit(limits, [&](const LimitInfo& row, auto& member) {
    if (&row == &limit) member = static_cast<std::remove_reference_t<decltype(member)>>(number);
  });
  return {};
}

std::string limits_problem(const Limits& limits) {
  std::string problem;
  for_each_limit(limits, [&](const LimitInfo& limit, const auto& member) {
    if (problem.empty() && !is_in_range(limit, member)) problem = limit_refusal(limit, std::to_string(member));
  });
  return problem;
}

Limits smaller(const Limits& a, const Limits& b) {
  Limits out = a;
  for_each_limit_of(out, b, [](const LimitInfo& limit, auto& member, const auto& other) {
    const bool is_other = limit.zero == LimitZero::None && (member == 0 || other == 0) ? member == 0 : other < member;
    if (is_other) member = other;
  });
  return out;
}

Limits largest_limits() {
  Limits out;
  for_each_limit(out, [](const LimitInfo& limit, auto& member) {
    member = static_cast<std::remove_reference_t<decltype(member)>>(limit.zero == LimitZero::None ? 0 : limit.most);
  });
  return out;
}

}  // namespace ptc
