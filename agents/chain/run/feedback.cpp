#include "agents/chain/run/feedback.h"

#include <boost/json/array.hpp>

#include "agents/chain/text/ascii_text.h"

namespace ptcvm::chain {

namespace {

// Returns the parts between semicolons, without blanks around them.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    parts.push_back(trimmed(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

bool is_rating(std::string_view value) { return value == "positive" || value == "neutral" || value == "negative"; }

void take_part(TaskFeedback& feedback, std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = part.substr(0, equals), value = trimmed(part.substr(equals + 1));
  if (name == "rating" && is_rating(value)) feedback.rating = value;
  if (name == "comment") feedback.comment = value;
  if (name == "correction" && !value.empty()) feedback.corrections.emplace_back(value);
}

}  // namespace

std::optional<TaskFeedback> read_feedback(std::string_view reply) {
  const std::string_view text = trimmed(reply);
  if (text.empty()) return std::nullopt;
  TaskFeedback feedback;
  for (const std::string_view part : parts_of(text)) take_part(feedback, part);
  const bool has_comment = feedback.comment && !feedback.comment->empty();
  if (!feedback.rating && !has_comment && feedback.corrections.empty()) feedback.comment = text;
  return feedback;
}

std::string feedback_fault(std::string_view reply) {
  std::string unknown;
  bool has_known = false;
  for (const std::string_view part : parts_of(reply)) {
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const bool is_known = equals != part.npos && (name == "rating" || name == "comment" || name == "correction");
    has_known = has_known || is_known;
    if (!is_known && !part.empty() && unknown.empty()) unknown = part;
    if (is_known && name == "rating" && !is_rating(trimmed(part.substr(equals + 1)))) {
      return "a rating is positive, neutral or negative: " + std::string(part);
    }
  }
  if (!has_known || unknown.empty()) return {};
  return "there is no part \"" + unknown + "\"; the parts are rating=, comment= and correction=, with ; between them";
}

boost::json::object feedback_json(std::string_view task_id, const TaskFeedback& feedback) {
  boost::json::object object{{"taskId", task_id}};
  if (feedback.rating) object["rating"] = *feedback.rating;
  if (feedback.comment) object["comment"] = *feedback.comment;
  if (!feedback.corrections.empty()) {
    object["corrections"] = boost::json::array(feedback.corrections.begin(), feedback.corrections.end());
  }
  if (feedback.created_ms) object["createdAt"] = *feedback.created_ms;
  return object;
}

std::variant<TaskFeedback, DocumentFault> read_feedback_json(const boost::json::value& document) {
  if (auto fault = document_fault(DocumentType::Feedback, document)) return *std::move(fault);
  TaskFeedback feedback;
  for (const auto& [name, value] : document.get_object()) {
    if (name == "rating") feedback.rating = std::string(value.as_string());
    if (name == "comment") feedback.comment = std::string(value.as_string());
    if (name == "createdAt") feedback.created_ms = value.to_number<std::int64_t>();
    if (name != "corrections") continue;
    for (const boost::json::value& one : value.as_array()) feedback.corrections.emplace_back(one.as_string());
  }
  return feedback;
}

}  // namespace ptcvm::chain
