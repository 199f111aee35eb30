#include "agents/harness/pass/batch_rules.h"

#include <algorithm>
#include <set>

#include "agents/harness/facts/blank_text.h"
#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

using Names = std::set<std::string, std::less<>>;

void add_succeeded(FactType type, const json::object& body, Names& calls) {
  if (type != FactType::tool_result) return;
  const json::value* const ok = body.if_contains("ok");
  if (ok != nullptr && ok->is_bool() && ok->get_bool()) calls.emplace(text_of(body, "callId"));
}

Names succeeded_calls(const ConversationView& view, std::span<const ProposedFact> batch) {
  Names calls;
  for (const Fact& fact : view.facts()) add_succeeded(fact.type, fact.body, calls);
  for (const ProposedFact& fact : batch) add_succeeded(fact.type, fact.body, calls);
  return calls;
}

BatchRefusal disallowed(std::string message) { return {"DISALLOWED_FACT", std::move(message)}; }

std::optional<BatchRefusal> refuse_made(const json::object& attachment, const Names& calls) {
  const std::string name(text_of(attachment, "name"));
  if (text_of(attachment, "origin") != "synthesized") return std::nullopt;
  const json::value* const made_by = attachment.if_contains("producedBy");
  if (made_by != nullptr && made_by->is_object() && calls.contains(text_of(made_by->get_object(), "callId"))) {
    return std::nullopt;
  }
  return disallowed("attachment_added: no tool call that succeeded made \"" + name + '"');
}

// A draft that says nothing would be an empty message.
bool is_empty_draft(const json::object& draft) {
  const json::value* const attachments = draft.if_contains("attachments");
  const bool has_files = attachments != nullptr && attachments->is_array() && !attachments->get_array().empty();
  return !has_files && is_blank_text(text_of(draft, "text"));
}

std::optional<BatchRefusal> refuse_missing(const json::object& draft, const ConversationView& view,
                                           const Names& introduced) {
  const json::value* const attachments = draft.if_contains("attachments");
  if (attachments == nullptr) return std::nullopt;
  for (const json::value& item : attachments->get_array()) {
    const std::string_view name = trimmed(text_of(item.get_object(), "name"));
    if (view.attachment(name) != nullptr || introduced.contains(name)) continue;
    return BatchRefusal{"MISSING_ATTACHMENT", "compose_intent: there is no attachment \"" + std::string(name) + '"'};
  }
  return std::nullopt;
}

// The first file of a name keeps it: a draft with the second one would carry other bytes than its planner means.
std::optional<BatchRefusal> refuse_second(const json::object& draft, const ConversationView& view,
                                          std::span<const ProposedFact> batch) {
  const json::array* const attachments = array_at(draft, "attachments");
  for (std::size_t i = 0; attachments != nullptr && i < attachments->size(); ++i) {
    const std::string_view name = trimmed(text_of((*attachments)[i].as_object(), "name"));
    const Fact* const known = view.attachment(name);
    const json::object* first = known == nullptr ? nullptr : &known->body;
    for (const ProposedFact& fact : batch) {
      if (fact.type != FactType::attachment_added || trimmed(text_of(fact.body, "name")) != name) continue;
      if (first == nullptr) first = &fact.body;
      if (text_of(*first, "bytes") == text_of(fact.body, "bytes")) continue;
      return disallowed("attachment_added: \"" + std::string(name) +
                        "\" is the name of a file with other bytes; give it another name");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<BatchRefusal> refuse_batch(const ConversationView& view, std::span<const ProposedFact> batch) {
  Names introduced;
  bool makes_attachments = false;
  for (const ProposedFact& fact : batch) {
    if (!fact_info(fact.type).planner_may_propose) {
      return disallowed(std::string(fact_info(fact.type).name) + ": a planner may not propose this fact");
    }
    if (auto wrong = wrong_body(fact)) return disallowed(*std::move(wrong));
    if (fact.type == FactType::compose_intent && is_empty_draft(fact.body)) {
      return disallowed("compose_intent: a draft must have a text or an attachment");
    }
    if (fact.type != FactType::attachment_added) continue;
    makes_attachments = true;
    introduced.emplace(trimmed(text_of(fact.body, "name")));
  }
  const auto is_draft = [](const ProposedFact& fact) { return fact.type == FactType::compose_intent; };
  if (std::ranges::count_if(batch, is_draft) > 1) {
    return disallowed("compose_intent: a pass may propose one draft; put the texts into one, or wait for the turn");
  }
  const Names calls = makes_attachments ? succeeded_calls(view, batch) : Names{};
  for (const ProposedFact& fact : batch) {
    std::optional<BatchRefusal> refusal;
    if (fact.type == FactType::attachment_added) refusal = refuse_made(fact.body, calls);
    if (fact.type == FactType::compose_intent) {
      refusal = refuse_missing(fact.body, view, introduced);
      if (!refusal) refusal = refuse_second(fact.body, view, batch);
    }
    if (refusal) return refusal;
  }
  return std::nullopt;
}

bool is_ended(std::span<const ProposedFact> batch) { return !batch.empty() && ends_batch(batch.back().type); }

bool has_end(std::span<const ProposedFact> batch) {
  return std::ranges::any_of(batch, [](const ProposedFact& fact) { return ends_batch(fact.type); });
}

}  // namespace ptcvm::harness
