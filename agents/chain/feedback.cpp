#include "agents/chain/feedback.h"

#include <boost/json/array.hpp>

#include "agents/chain/ascii_text.h"

namespace ptcvm::chain {

namespace {

void take_part(TaskFeedback& feedback, std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = part.substr(0, equals), value = trimmed(part.substr(equals + 1));
  if (name == "rating" && (value == "positive" || value == "neutral" || value == "negative")) feedback.rating = value;
  if (name == "comment") feedback.comment = value;
  if (name == "correction" && !value.empty()) feedback.corrections.emplace_back(value);
}

}  // namespace

std::optional<TaskFeedback> read_feedback(std::string_view reply) {
  const std::string_view text = trimmed(reply);
  if (text.empty()) return std::nullopt;
  TaskFeedback feedback;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find(';');
    take_part(feedback, trimmed(rest.substr(0, end)));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  const bool has_comment = feedback.comment && !feedback.comment->empty();
  if (!feedback.rating && !has_comment && feedback.corrections.empty()) feedback.comment = text;
  return feedback;
}

boost::json::object feedback_json(std::string_view task_id, const TaskFeedback& feedback) {
  boost::json::object object{{"taskId", task_id}};
  if (feedback.rating) object["rating"] = *feedback.rating;
  if (feedback.comment) object["comment"] = *feedback.comment;
  if (!feedback.corrections.empty()) {
    object["corrections"] = boost::json::array(feedback.corrections.begin(), feedback.corrections.end());
  }
  return object;
}

std::variant<TaskFeedback, DocumentFault> read_feedback_json(const boost::json::value& document) {
  if (auto fault = document_fault(DocumentType::Feedback, document)) return *std::move(fault);
  TaskFeedback feedback;
  for (const auto& [name, value] : document.get_object()) {
    if (name == "rating") feedback.rating = std::string(value.as_string());
    if (name == "comment") feedback.comment = std::string(value.as_string());
    if (name != "corrections") continue;
    for (const boost::json::value& one : value.as_array()) feedback.corrections.emplace_back(one.as_string());
  }
  return feedback;
}

}  // namespace ptcvm::chain
