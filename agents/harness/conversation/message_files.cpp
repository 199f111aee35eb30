#include "agents/harness/conversation/message_files.h"

#include <algorithm>
#include <map>

#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

// A file that came with a message: the places of both in the list, and of the file in the attachments of the message.
struct MessageFile {
  std::size_t file = 0, message = 0, entry = 0;
};

std::string name_of(const json::object& body) { return std::string(trimmed(text_of(body, "name"))); }

std::vector<MessageFile> files_of(const std::vector<ProposedFact>& facts) {
  std::vector<MessageFile> files;
  std::size_t begin = 0;
  for (std::size_t message = 0; message < facts.size(); ++message) {
    if (!is_message(facts[message].type)) continue;
    const json::array* const list = array_at(facts[message].body, "attachments");
    std::size_t entry = 0;
    for (std::size_t file = begin; list != nullptr && file < message; ++file) {
      if (facts[file].type != FactType::attachment_added) continue;
      std::size_t found = entry;
      while (found < list->size() && name_of((*list)[found].as_object()) != name_of(facts[file].body)) ++found;
      if (found == list->size()) continue;
      files.push_back({file, message, found});
      entry = found + 1;
    }
    begin = message + 1;
  }
  return files;
}

bool is_known(const std::vector<ProposedFact>& facts, std::size_t message, const ConversationView& view) {
  const std::string_view id = text_of(facts[message].body, "messageId");
  if (view.knows_message(id)) return true;
  return std::any_of(facts.begin(), facts.begin() + static_cast<std::ptrdiff_t>(message), [id](const auto& fact) {
    return is_message(fact.type) && text_of(fact.body, "messageId") == id;
  });
}

}  // namespace

std::string numbered_name(const std::string& name, std::size_t number) {
  if (number == 1) return name;
  const std::size_t dot = name.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : name.substr(dot);
  return name.substr(0, dot) + " (" + std::to_string(number) + ")" + extension;
}

bool is_numbered(std::string_view name, const std::string& of) {
  if (name == of) return true;
  const std::string form = numbered_name(of, 2);
  const std::size_t number = form.rfind("(2)") + 1;
  const std::string_view begin = std::string_view(form).substr(0, number);
  const std::string_view end = std::string_view(form).substr(number + 1);
  if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end)) return false;
  const std::string_view digits = name.substr(begin.size(), name.size() - begin.size() - end.size());
  return std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

void drop_known_files(std::vector<ProposedFact>& facts, const ConversationView& view) {
  std::vector<MessageFile> files = files_of(facts);
  std::erase_if(files, [&](const MessageFile& place) { return !is_known(facts, place.message, view); });
  for (auto place = files.rbegin(); place != files.rend(); ++place) {
    facts.erase(facts.begin() + static_cast<std::ptrdiff_t>(place->file));
  }
}

void name_files(std::vector<ProposedFact>& facts, const ConversationView& view) {
  std::map<std::string, const json::object*> used;   // names in this list
  for (const MessageFile& place : files_of(facts)) {
    json::object& file = facts[place.file].body;
    const std::string wanted = name_of(file);
    for (std::size_t number = 1;; ++number) {
      const std::string name = numbered_name(wanted, number);
      const Fact* const known = view.attachment(name);
      const json::object* const taken = known != nullptr ? &known->body : used.emplace(name, &file).first->second;
      if (taken != &file && text_of(*taken, "bytes") != text_of(file, "bytes")) continue;
      file["name"] = name;
      facts[place.message].body["attachments"].as_array()[place.entry].as_object()["name"] = name;
      break;
    }
  }
}

std::vector<ProposedFact> files_of_messages(const std::vector<ProposedFact>& facts) {
  std::vector<ProposedFact> files;
  for (const MessageFile& place : files_of(facts)) files.push_back(facts[place.file]);
  return files;
}

}  // namespace ptcvm::harness
