#include "agents/chain/report/document.h"

#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "agents/chain/check/schema_check.h"
#include "chain_schema_texts.h"

namespace ptcvm::chain {

namespace json = boost::json;

namespace {

// `part` is the definition inside of the schema that is meant, or "" for the whole.
struct Known {
  const char* text;
  std::string_view part, fault;
};
constexpr std::array<Known, 8> kKnown{{{schemas::k_intent, "", "INTENT_INVALID"},
                                       {schemas::k_context, "", "CONTEXT_INVALID"},
                                       {schemas::k_plan, "", "PLAN_INVALID"},
                                       {schemas::k_plan, "step", "STEP_INVALID"},
                                       {schemas::k_report, "result", "RESULT_INVALID"},
                                       {schemas::k_summary, "", "SUMMARY_INVALID"},
                                       {schemas::k_report, "", "REPORT_INVALID"},
                                       {schemas::k_feedback, "", "FEEDBACK_INVALID"}}};
static_assert(kKnown.size() == static_cast<std::size_t>(DocumentType::Feedback) + 1);

json::value schema_of(const Known& known) {
  json::value whole = json::parse(known.text);
  if (known.part.empty()) return whole;
  return json::object{{"$ref", "#/$defs/" + std::string(known.part)}, {"$defs", whole.at("$defs")}};
}

std::array<json::value, kKnown.size()> all_schemas() {
  std::array<json::value, kKnown.size()> made;
  for (std::size_t i = 0; i < kKnown.size(); ++i) made[i] = schema_of(kKnown[i]);
  return made;
}

}  // namespace

const json::value& document_schema(DocumentType type) {
  static const std::array<json::value, kKnown.size()> kSchemas = all_schemas();
  return kSchemas[static_cast<std::size_t>(type)];
}

std::optional<DocumentFault> document_fault(DocumentType type, const json::value& document) {
  auto mismatch = schema_mismatch(document, document_schema(type));
  if (!mismatch) return std::nullopt;
  return DocumentFault{std::string(kKnown[static_cast<std::size_t>(type)].fault), *std::move(mismatch)};
}

}  // namespace ptcvm::chain
