#include "agents/harness/conversation/told_messages.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

// Returns whether the files are the ones of the draft. Servers may leave files out.
bool are_files_of(const ConversationView& view, const json::object& draft, std::span<const ProposedFact> files) {
  const json::array* const names = array_at(draft, "attachments");
  if (files.empty()) return true;
  if (names == nullptr || names->size() != files.size()) return false;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const json::object* const named = (*names)[i].if_object();
    const Fact* const file = named == nullptr ? nullptr : view.attachment(text_of(*named, "name"));
    if (file == nullptr || text_of(file->body, "bytes") != text_of(files[i].body, "bytes")) return false;
  }
  return true;
}

// `heard` is a message behind its files.
bool is_false(const ConversationView& view, std::span<const ProposedFact> heard) {
  const ProposedFact& message = heard.back();
  const std::string_view id = text_of(message.body, "messageId");
  const SendAttempt* const attempt = view.attempt(id);
  if (attempt == nullptr || view.knows_message(id)) return false;
  if (message.type == FactType::message_received) return true;
  const Fact* const draft = view.fact_at(attempt->draft_seq);
  if (draft == nullptr) return false;   // a rewind dropped it, and nobody can compare
  if (text_of(draft->body, "text") != text_of(message.body, "text")) return true;
  return !are_files_of(view, draft->body, heard.first(heard.size() - 1));
}

}   // namespace

std::vector<ProposedFact> without_false_messages(const ConversationView& view, std::vector<ProposedFact> facts) {
  std::vector<ProposedFact> believed, heard;   // `heard`: files whose message is not reached yet
  for (ProposedFact& fact : facts) {
    const bool is_message_here = is_message(fact.type);
    heard.push_back(std::move(fact));
    if (!is_message_here && heard.back().type == FactType::attachment_added) continue;
    if (is_message_here && is_false(view, heard)) {
      const json::object& body = heard.back().body;
      ProposedFact refused{FactType::message_refused,
                           {{"messageId", text_of(body, "messageId")}, {"text", text_of(body, "text")}}};
      heard.clear();
      heard.push_back(std::move(refused));
    }
    std::ranges::move(heard, std::back_inserter(believed));
    heard.clear();
  }
  std::ranges::move(heard, std::back_inserter(believed));
  return believed;
}

}   // namespace ptcvm::harness
