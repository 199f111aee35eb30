#include "agents/harness/planners/simple_planners.h"

#include <algorithm>
#include <cctype>

#include "agents/harness/facts/json_members.h"
#include "agents/harness/planners/tool_oracle.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr int kDraftAttempts = 3;
constexpr std::int64_t kDraftDelayMs = 250;
constexpr double kDraftTemperature = 0.2;

const Fact* last_of(const ConversationView& view, FactType type) {
  const auto& facts = view.facts();
  const auto found = std::find_if(facts.rbegin(), facts.rend(), [type](const Fact& fact) { return fact.type == type; });
  return found == facts.rend() ? nullptr : &*found;
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool mentions(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&text](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::vector<ProposedFact> sleep(std::string_view reason) { return {{FactType::sleep, {{"reason", reason}}}}; }

ProposedFact draft(PlanContext& context, std::string_view text) {
  return {FactType::compose_intent, {{"composeId", context.new_id("c")}, {"text", text}, {"nextStateHint", "working"}}};
}

std::vector<ProposedFact> with_notes(PlanContext& context) {
  const std::string call = context.new_id("call");
  ProposedFact answer = draft(context, "The clinical notes are attached.");
  answer.body["attachments"] = json::array{json::object{{"name", "clinical_notes.txt"}, {"mimeType", "text/plain"}}};
  return {{FactType::tool_call, {{"callId", call}, {"name", "lookup_notes"}, {"args", json::object()}}},
          {FactType::tool_result, {{"callId", call}, {"ok", true}, {"result", "notes found"}}},
          {FactType::attachment_added,
           {{"name", "clinical_notes.txt"},
            {"mimeType", "text/plain"},
            {"bytes", base64("Conservative therapy for six weeks, without relief.")},
            {"origin", "synthesized"},
            {"producedBy", {{"callId", call}, {"name", "lookup_notes"}, {"args", json::object()}}}}},
          std::move(answer)};
}

}  // namespace

PlanOutput DemoPlanner::plan(PlanContext& context) {
  const ConversationView& view = context.view();
  if (is_off_) return PlanOutput::proposed({});
  if (view.outbound_seq() != 0) return PlanOutput::proposed(sleep("Already responded"));
  if (view.inbound_seq() == 0) return PlanOutput::proposed(sleep("Awaiting inbound"));
  const std::string text = lowered(text_of(last_of(view, FactType::message_received)->body, "text"));
  if (mentions(text, {"peer-to-peer", "peer to peer", "callback"})) {
    const std::string qid = "availability-" + std::to_string(view.inbound_seq());
    const Fact* const answer = last_of(view, FactType::user_answer);
    if (answer != nullptr && text_of(answer->body, "qid") == qid) {
      return PlanOutput::proposed({draft(context, "Available: " + std::string(text_of(answer->body, "text")))});
    }
    return PlanOutput::proposed(
        {{FactType::agent_question,
          {{"qid", qid}, {"prompt", "When are you available for a call?"}, {"required", true}}}});
  }
  const bool asks_for_notes = mentions(text, {"prior auth", "cpt"});
  const bool has_notes = view.attachment("clinical_notes.txt") != nullptr;
  if (asks_for_notes && !has_notes) return PlanOutput::proposed(with_notes(context));
  return PlanOutput::proposed({draft(context, "Thank you, we have received your message.")});
}

std::string DrafterPlanner::prompt(const ConversationView& view) const {
  std::string text = "Write the next message of this conversation. Answer with the message only.\n";
  text.append(text_of(config_, "systemAppend")).append("\nStatus: ").append(view.status()).append("\n");
  if (const double words = number_of(config_, "targetWords").value_or(0); words > 0) {
    text += "About " + std::to_string(static_cast<int>(words)) + " words.\n";
  }
  for (const Fact& fact : view.facts()) {
    const std::string_view speaker = speaker_of(fact.type);
    if (!speaker.empty()) text.append(speaker).append(": ").append(text_of(fact.body, "text")).append("\n");
  }
  return text;
}

PlanOutput DrafterPlanner::plan(PlanContext& context) {
  const std::string question = prompt(context.view());
  for (int attempt = 0; attempt < kDraftAttempts; ++attempt) {
    if (attempt > 0) pause_(kDraftDelayMs << (attempt - 1));
    const std::string reply =
        ask_once(context, context.new_id("draft-reply"), ask_, {ModelPurpose::Draft, question, kDraftTemperature});
    const std::string_view text = without_fence(reply);
    if (!text.empty()) return PlanOutput::proposed({draft(context, text)});
  }
  return PlanOutput::proposed(
      {{FactType::planner_error,
        {{"code", "LLM_EMPTY"}, {"message", "the model wrote nothing"}, {"stage", "drafter"},
         {"attempts", kDraftAttempts}, {"announce", true}}},
       draft(context, "I am sorry, I cannot answer right now. Please give me a moment.")});
}

}  // namespace ptcvm::harness
