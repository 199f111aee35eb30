#include "agents/harness/conversation/taken_messages.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <map>
#include <set>

#include "agents/harness/conversation/message_files.h"
#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr std::size_t kLookAtOnce = 1'000;

json::object body_of(const HostFact& fact) {
  boost::system::error_code error;
  const json::value body = json::parse(fact.body, error);
  return error || !body.is_object() ? json::object() : body.get_object();
}

Result<std::optional<HostFact>> taken_under(const Conversation& conversation, std::string_view message_id) {
  for (std::uint64_t epoch = 0; epoch <= conversation.view().epoch(); ++epoch) {
    auto found = conversation.log().find(message_key(epoch, message_id));
    if (!found || *found) return found;
  }
  return std::optional<HostFact>{};
}

// A file that the log has when it has the message.
struct WantedFile {
  std::string name;          // under which the log has it
  std::string_view bytes;
};

// Returns the files that the log has when it took this message, or nullopt: the log has another message.
std::optional<std::vector<WantedFile>> wanted_files(const json::object& taken, const std::vector<ProposedFact>& heard) {
  const json::object& said = heard.back().body;
  const json::array* const had = array_at(taken, "attachments");
  const json::array* const has = array_at(said, "attachments");
  const std::size_t count = has == nullptr ? 0 : has->size();
  const bool is_as_many = (had == nullptr ? 0 : had->size()) == count;
  if (!is_as_many || text_of(taken, "text") != text_of(said, "text")) return std::nullopt;
  std::vector<WantedFile> files;
  for (std::size_t i = 0; i < count; ++i) {
    const json::object& old = (*had)[i].as_object();
    const json::object& now = (*has)[i].as_object();
    const std::string name(text_of(old, "name"));
    const bool is_name = is_numbered(name, std::string(text_of(now, "name")));
    if (!is_name || text_of(old, "mimeType") != text_of(now, "mimeType")) return std::nullopt;
    files.push_back({name, text_of(heard[i].body, "bytes")});
  }
  return files;
}

// Looks in the whole log: whatever was forgotten since, a file was there before its message.
Result<bool> has_files(const Conversation& conversation, std::vector<WantedFile> files, std::uint64_t message_seq) {
  const std::string_view type = fact_info(FactType::attachment_added).name;
  for (std::uint64_t seen = 0; !files.empty();) {
    const Result<std::vector<HostFact>> facts = conversation.log().read(seen, kLookAtOnce);
    if (!facts) return facts.error();
    for (const HostFact& fact : *facts) {
      seen = fact.seq;
      if (!fact.is_of_host || fact.name != type || fact.seq > message_seq) continue;
      const json::object body = body_of(fact);
      std::erase_if(files, [&body](const WantedFile& file) {
        return trimmed(text_of(body, "name")) == file.name && text_of(body, "bytes") == file.bytes;
      });
    }
    if (facts->size() < kLookAtOnce || seen >= message_seq) break;
  }
  return files.empty();
}

using KnownMessages = std::map<std::string_view, const Fact*>;

KnownMessages messages_of(const ConversationView& view) {
  KnownMessages messages;
  for (const Fact& fact : view.facts()) {
    if (is_message(fact.type)) messages.emplace(text_of(fact.body, "messageId"), &fact);
  }
  return messages;
}

// Returns whether the journal has another message under the id of this one.
Result<bool> is_refused(const Conversation& conversation, const Fact& known, const std::vector<ProposedFact>& heard) {
  const ProposedFact& message = heard.back();
  if (known.type != message.type || text_of(known.body, "text") != text_of(message.body, "text")) return true;
  if (heard.size() == 1) return false;
  const ConversationView& view = conversation.view();
  const auto files = wanted_files(known.body, heard);
  const bool is_in_view = files && std::ranges::all_of(*files, [&view](const WantedFile& file) {
    const Fact* const there = view.attachment(file.name);
    return there != nullptr && text_of(there->body, "bytes") == file.bytes;
  });
  if (is_in_view) return false;
  const Result<TakenMessage> taken = find_taken(conversation, heard);   // looks in the whole log
  if (!taken) return taken.error();
  return *taken == TakenMessage::Other;
}

}  // namespace

Result<std::vector<ProposedFact>> find_refused(const Conversation& conversation,
                                               const std::vector<ProposedFact>& facts) {
  const KnownMessages known = messages_of(conversation.view());
  std::vector<ProposedFact> refused, heard;
  std::set<std::string_view> ids;
  for (const ProposedFact& fact : facts) {
    if (fact.type == FactType::message_refused) continue;
    heard.push_back(fact);   // files are in front of their message
    if (!is_message(fact.type)) continue;
    const std::string_view id = text_of(fact.body, "messageId");
    const auto there = known.find(id);
    const Result<bool> is_other = there == known.end() ? false : is_refused(conversation, *there->second, heard);
    if (!is_other) return is_other.error();
    if (*is_other && ids.insert(id).second) {
      refused.push_back({FactType::message_refused, {{"messageId", id}, {"text", text_of(fact.body, "text")}}});
    }
    heard.clear();
  }
  return refused;
}

Result<TakenMessage> find_taken(const Conversation& conversation, const std::vector<ProposedFact>& message) {
  const std::string_view id = text_of(message.back().body, "messageId");
  const bool is_own = conversation.view().attempt(id) != nullptr;   // perhaps still in flight
  if (is_own && message.back().type == FactType::message_received) return TakenMessage::Other;
  const auto taken = taken_under(conversation, id);
  if (!taken) return taken.error();
  if (!*taken) return TakenMessage::No;
  if ((*taken)->name != fact_info(message.back().type).name) return TakenMessage::Other;
  auto files = wanted_files(body_of(**taken), message);
  if (!files) return TakenMessage::Other;
  const Result<bool> is_same = has_files(conversation, *std::move(files), (*taken)->seq);
  if (!is_same) return is_same.error();
  return *is_same ? TakenMessage::Same : TakenMessage::Other;
}

}  // namespace ptcvm::harness
