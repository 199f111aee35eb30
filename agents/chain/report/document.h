// The documents of a task as JSON, and whether they are what they say they are. agents/chain/schema has a JSON Schema
// for each; what is written fits, and what is read is judged by the same text.
#pragma once
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::chain {

enum class DocumentType : std::uint8_t {
  Intent,     // IntentProfile
  Context,    // TaskContext
  Plan,       // as planners write it
  Step,       // PlanStep, as planners write it
  Result,     // StepResult
  Summary,    // ExecutionSummary
  Report,     // TaskReport
  Feedback,   // TaskFeedback
};

// Why a document is not one of its type: "CONTEXT_INVALID", and "at /tools/0: expected object".
struct DocumentFault {
  std::string name, message;
};

// Returns what is wrong with a document, or nullopt when it fits its schema.
std::optional<DocumentFault> document_fault(DocumentType type, const boost::json::value& document);

// Returns the schema of a type.
const boost::json::value& document_schema(DocumentType type);

}  // namespace ptcvm::chain
