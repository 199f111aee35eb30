#include "agents/harness/conversation/ingestion.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <iterator>
#include <map>

#include "agents/harness/facts/blank_text.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/facts/turn.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

// The roles of A2A: who is served, and the server.
constexpr std::string_view kOwnRole = "user", kOtherRole = "agent";

bool is_role(std::string_view role) { return role == kOwnRole || role == kOtherRole; }

std::string or_else(std::string_view text, std::string otherwise) {
  return text.empty() ? std::move(otherwise) : std::string(text);
}

// Returns whether the file comes with its bytes. An empty text of bytes is an empty file, except beside an address.
bool has_bytes(const json::object& file) {
  const json::value* const bytes = file.if_contains("bytes");
  if (bytes == nullptr || !bytes->is_string() || !is_base64(bytes->get_string())) return false;
  return !bytes->get_string().empty() || text_of(file, "uri").empty();
}

// Returns the part of a name behind the folders in it, or "": a file of a message says nothing about folders here.
std::string_view base_name(std::string_view name) {
  const std::string_view last = trimmed(name.substr(name.find_last_of("/\\") + 1));
  return last == "." || last == ".." ? std::string_view{} : last;
}

// What this side sent has no origin beside the message: the journal knows where the file is from. A file that the
// journal does not have is one of the person's.
void add_file(const json::object& file, std::string_view message_id, bool is_received,
              std::vector<ProposedFact>& facts, json::array& attachments) {
  if (!has_bytes(file)) return;
  const std::string_view bytes = text_of(file, "bytes");
  const std::string_view given = trimmed(text_of(file, "name"));
  const std::string name = or_else(is_received ? base_name(given) : given, "file-" + std::string(message_id) + "-" +
                                                                       std::to_string(attachments.size() + 1) + ".bin");
  const std::string type = or_else(text_of(file, "mimeType"), "application/octet-stream");
  const std::string_view origin = is_received ? "inbound" : "user";
  facts.push_back(
      {FactType::attachment_added, {{"name", name}, {"mimeType", type}, {"bytes", bytes}, {"origin", origin}}});
  json::object attached{{"name", name}, {"mimeType", type}};
  if (is_received) attached["origin"] = "inbound";
  attached["size"] = decoded_size(bytes);
  attachments.push_back(std::move(attached));
}

// Returns whether the file can be taken. A file that is only an address is left out.
bool is_readable_file(const json::object& file) {
  const json::value* const bytes = file.if_contains("bytes");
  return bytes == nullptr || (bytes->is_string() && is_base64(bytes->get_string()));
}

// Returns whether the message says something that can be read, or ends the task.
bool is_readable(const json::object& message) {
  const json::array* const parts = array_at(message, "parts");
  if (parts == nullptr) return false;
  bool says_something = is_terminal_status(next_state_of(message));
  for (const json::value& part : *parts) {
    const json::object* const object = part.if_object();
    if (object == nullptr) return false;
    const json::object* const file = object_at(*object, "file");
    if (file != nullptr && !is_readable_file(*file)) return false;
    const bool has_file = file != nullptr && has_bytes(*file);
    says_something = says_something || has_file || !is_blank_text(text_of(*object, "text"));
  }
  return says_something;
}

std::string no_role(const json::object& message) {
  const json::value* const role = message.if_contains("role");
  return "there is no role " + (role == nullptr ? "null" : json::serialize(*role)) + "; there are user and agent";
}

std::uint64_t fnv1a(std::string_view text, std::uint64_t hash) {
  for (const unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3U;
  return (hash ^ 0xffU) * 0x100000001b3U;   // ends the text: no byte of UTF-8 is 0xff
}

// Returns an id for what the other side said without one, made of its words and files, or "". What this side said has
// an id in the journal.
std::string id_of_unnamed(const json::object& message) {
  if (!text_of(message, "messageId").empty() || text_of(message, "role") == kOwnRole) return {};
  json::object named = message;
  named["messageId"] = "unnamed";
  const std::vector<ProposedFact> said = facts_of_message(named);
  if (said.size() == 1 && is_blank_text(text_of(said.front().body, "text"))) return {};
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const ProposedFact& fact : said) {
    for (const std::string_view member : {"name", "bytes", "text"}) hash = fnv1a(text_of(fact.body, member), hash);
  }
  return "unnamed-" + std::to_string(hash);
}

}  // namespace

std::vector<ProposedFact> facts_of_message(const json::object& message) {
  std::vector<ProposedFact> facts;
  const std::string_view id = text_of(message, "messageId");
  if (id.empty()) return facts;
  const bool is_received = text_of(message, "role") == kOtherRole;
  std::string text;
  bool has_text = false;
  json::array attachments;
  if (const json::array* const parts = array_at(message, "parts")) {
    for (const json::value& part : *parts) {
      const json::object* const object = part.if_object();
      if (object == nullptr) continue;
      if (const json::object* const file = object_at(*object, "file")) {
        add_file(*file, id, is_received, facts, attachments);
      }
      const json::value* const said = object->if_contains("text");
      if (said == nullptr || !said->is_string()) continue;
      if (has_text) text += '\n';
      has_text = true;
      text += std::string_view(said->get_string());
    }
  }
  json::object body{{"messageId", id}, {"text", text}};
  if (!attachments.empty()) body["attachments"] = std::move(attachments);
  facts.push_back({is_received ? FactType::message_received : FactType::message_sent, std::move(body)});
  return facts;
}

std::vector<ProposedFact> facts_of_task(const json::object& task) {
  std::vector<ProposedFact> facts;
  std::vector<ProposedFact> refused;
  std::map<std::string, std::size_t> unnamed;   // how often each of these messages was there
  const auto add = [&](const json::object& message) {
    json::object named = message;
    if (const std::string id = id_of_unnamed(message); !id.empty()) {
      named["messageId"] = id + "-" + std::to_string(++unnamed[id]);
    }
    const bool is_named = is_role(text_of(message, "role"));
    const bool is_taken = is_named && is_readable(message);
    for (ProposedFact& fact : facts_of_message(named)) {
      if (is_taken) {
        facts.push_back(std::move(fact));
      } else if (is_message(fact.type)) {
        fact.body.erase("attachments");
        if (!is_named) fact.body["reason"] = no_role(message);
        refused.push_back({FactType::message_refused, std::move(fact.body)});
      }
    }
  };
  if (const json::array* const history = array_at(task, "history")) {
    for (const json::value& message : *history) {
      if (message.is_object()) add(message.get_object());
    }
  }
  const json::object* const status = object_at(task, "status");
  if (status != nullptr) {
    if (const json::object* const message = object_at(*status, "message")) add(*message);
  }
  std::ranges::move(refused, std::back_inserter(facts));   // no file of a message is between them
  const std::string_view state = status == nullptr ? std::string_view{} : text_of(*status, "state");
  facts.push_back({FactType::status_changed, {{"a2a", is_task_status(state) ? state : "submitted"}}});
  return facts;
}

}  // namespace ptcvm::harness
