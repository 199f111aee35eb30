#include "agents/harness/planners/model_text.h"

#include <boost/json/parse.hpp>
#include <stdexcept>

#include "agents/harness/facts/fact.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

std::optional<json::object> parsed(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

// Returns the text with the closers that are missing. Looks at brackets outside of strings only.
std::string closed(std::string_view text) {
  std::string result, closers;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\' && i + 1 < text.size()) {
      result += c;
      result += text[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == '{' || c == '[')) closers += c == '{' ? '}' : ']';
    if (!in_string && (c == '}' || c == ']')) {
      while (!closers.empty() && closers.back() != c) {
        result += closers.back();
        closers.pop_back();
      }
      if (closers.empty()) return result;
      closers.pop_back();
    }
    result += c;
    if (closers.empty() && !in_string && c == '}') return result;
  }
  if (in_string) result += '"';
  while (!result.empty() && (result.back() == ',' || result.back() == ' ' || result.back() == '\n')) result.pop_back();
  return result.append(closers.rbegin(), closers.rend());
}

}  // namespace

std::string_view speaker_of(FactType type) {
  switch (type) {
    case FactType::message_received: return "Other";
    case FactType::message_sent: return "You";
    case FactType::user_guidance: return "Your principal";
    case FactType::user_answer: return "Your principal answers";
    default: return {};
  }
}

std::string ask_once(PlanContext& context, std::string_view key, const AskModel& ask, const ModelQuestion& question) {
  bool has_failed = false;
  try {
    const json::value reply = context.task(key, [&]() -> json::value {
      const Result<std::string> text = ask(question);
      has_failed = !text;
      if (has_failed) throw std::runtime_error(text.error().message);
      return json::value(*text);
    });
    return std::string(reply.as_string());
  } catch (const std::runtime_error&) {
    if (has_failed) return {};
    throw;
  }
}

std::string_view without_fence(std::string_view text) {
  const std::size_t open = text.find("```");
  if (open == std::string_view::npos) return trimmed(text);
  const std::size_t line_end = text.find('\n', open);
  if (line_end == std::string_view::npos) return trimmed(text);
  const std::string_view inside = text.substr(line_end + 1);
  return trimmed(inside.substr(0, inside.find("```")));
}

std::optional<json::object> read_model_object(std::string_view text) {
  for (const std::string_view part : {without_fence(text), text}) {
    const std::size_t open = part.find('{');
    if (open == std::string_view::npos) continue;
    if (auto object = parsed(trimmed(part.substr(open)))) return object;
    if (auto object = parsed(closed(part.substr(open)))) return object;
  }
  return std::nullopt;
}

}  // namespace ptcvm::harness
