// Holds what a line of a script expects against a request.
#include <algorithm>

#include "agents/replay/request_text.h"
#include "agents/replay/script_line.h"

namespace ptcvm::replay {

namespace {

std::string shown(std::string_view text) {
  constexpr std::size_t kShownBytes = 4000;
  if (text.size() <= kShownBytes) return std::string(text);
  return std::string(text.substr(0, kShownBytes)) + "\n… (" + std::to_string(text.size()) + " bytes)";
}

std::optional<std::string> unmet_fragments(const Fragments& fragments, std::string_view part, std::string_view text) {
  for (const std::string& fragment : fragments.contains) {
    if (contains_fragment(text, fragment)) continue;
    return std::string(part) + " lacks \"" + fragment + "\"; it is:\n" + shown(text);
  }
  for (const std::string& fragment : fragments.not_contains) {
    if (!contains_fragment(text, fragment)) continue;
    return std::string(part) + " contains \"" + fragment + "\"; it is:\n" + shown(text);
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text.empty() ? "none" : text;
}

}  // namespace

std::optional<std::string> unmet(const Expectation& expect, const ModelCall& call, std::string_view first_static) {
  const auto text = RequestText::read(call.protocol, call.body);
  if (!text) return "the request is no JSON object";
  if (auto why = unmet_fragments(expect.newest, "the newest part of the request", text->newest())) return why;
  if (auto why = unmet_fragments(expect.static_part, "the static part of the request", text->static_text())) return why;
  if (auto why = unmet_fragments(expect.whole, "the request", text->whole())) return why;
  if (expect.same_static && text->static_bytes() != first_static) {
    return "the static part is not the one of the first request; it is:\n" + shown(text->static_text());
  }
  if (!expect.tools) return std::nullopt;
  std::vector<std::string> callable(call.callable.begin(), call.callable.end());
  std::sort(callable.begin(), callable.end());
  if (callable == *expect.tools) return std::nullopt;
  return "the turn may call " + joined(callable) + "; expected: " + joined(*expect.tools);
}

}  // namespace ptcvm::replay
