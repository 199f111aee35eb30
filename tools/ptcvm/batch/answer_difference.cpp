#include "tools/ptcvm/batch/answer_difference.h"

#include <algorithm>
#include <boost/json.hpp>
#include <set>

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kNeverCompared[] = {"id", "suspensions", "max_snapshot_bytes"};

json::value read_answer(std::string_view text) {
  json::error_code error;
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  json::value value = json::parse({text.data(), text.size()}, error, {}, options);
  return error ? json::value() : value;
}

bool is_compared(std::string_view name, const std::vector<std::string>& ignored) {
  return std::ranges::find(kNeverCompared, name) == std::end(kNeverCompared) &&
         std::ranges::find(ignored, name) == ignored.end();
}

}  // namespace

std::vector<std::string> differing_members(std::string_view a, std::string_view b,
                                           const std::vector<std::string>& ignored) {
  if (a == b) return {};
  const json::value left = read_answer(a), right = read_answer(b);
  if (!left.is_object() || !right.is_object()) return {std::string(kWholeAnswer)};
  std::set<std::string> names;
  for (const json::value* const side : {&left, &right}) {
    for (const auto& member : side->get_object()) names.emplace(member.key());
  }
  std::vector<std::string> differing;
  for (const std::string& name : names) {
    const json::value* const x = left.get_object().if_contains(name);
    const json::value* const y = right.get_object().if_contains(name);
    const bool is_same = x != nullptr && y != nullptr && *x == *y;
    if (!is_same && is_compared(name, ignored)) differing.push_back(name);
  }
  return differing;
}

std::string member_text(std::string_view answer, std::string_view member) {
  const json::value whole = read_answer(answer);
  if (!whole.is_object()) return answer.empty() ? "missing" : std::string(answer);
  const json::value* const found = whole.get_object().if_contains({member.data(), member.size()});
  return found == nullptr ? "missing" : json::serialize(*found);
}

std::string with_member(std::string_view request, std::string_view member, std::string_view json_text) {
  json::value whole = read_answer(request);
  if (!whole.is_object()) return std::string(request);
  whole.get_object()[{member.data(), member.size()}] = read_answer(json_text);
  return json::serialize(whole);
}

std::string suspended_everywhere(std::string_view request) {
  return with_member(with_member(request, "suspend", "\"every\""), "face", "\"alternate\"");
}

}  // namespace ptcvm::cli
