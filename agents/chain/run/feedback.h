// What a person says of a finished task, and the grammar of the reply.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/chain/report/document.h"

namespace ptcvm::chain {

struct TaskFeedback {
  std::optional<std::string> rating;      // positive, neutral or negative
  std::optional<std::string> comment;
  std::vector<std::string> corrections;   // what the next task should know
  std::optional<std::int64_t> created_ms = {};   // when it was said, ms since 1970
};

// Reads parts between semicolons: `rating=positive; comment=…; correction=…`. Names are written exactly so; the last of
// two ratings or comments counts. A reply that has no valid rating, no comment with text and no correction becomes the
// comment as a whole. nullopt: the reply is blank.
std::optional<TaskFeedback> read_feedback(std::string_view reply);

// Returns why a person should say it again, or "": an unknown rating, or an unknown part beside a known one.
std::string feedback_fault(std::string_view reply);

boost::json::object feedback_json(std::string_view task_id, const TaskFeedback& feedback);
// Reads what feedback_json() writes.
std::variant<TaskFeedback, DocumentFault> read_feedback_json(const boost::json::value& document);

}  // namespace ptcvm::chain
