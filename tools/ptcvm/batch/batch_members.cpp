#include "tools/ptcvm/batch/batch_members.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <vector>

#include "runtime/text/json_text.h"
#include "schema/closest_name.h"
#include "schema/limits.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kShownOfName = 80;      // a message shows so much of a name

std::string_view place_of(BatchObject object) {
  switch (object) {
    case BatchObject::Options: return "opts";
    case BatchObject::ToolDef: return "tool_defs";
    case BatchObject::Recorded: return "tools";
    default: return "the request";
  }
}

// An option can also be a limit as requests spelled it before it had one name.
bool is_earlier_limit(std::string_view name) {
  return std::ranges::any_of(ptc::kLimits, [name](const ptc::LimitInfo& limit) {
    return !name.empty() && name == ptc::earlier_spelling(limit, ptc::LimitPlace::Batch);
  });
}

std::string quoted(std::string_view text) {
  std::string out;
  ptc::append_json_string(out, text);
  return out;
}

void append_member(std::string& out, std::string_view name, std::string_view type, std::string_view doc) {
  if (out.back() != '{') out += ',';
  out += "\n        " + quoted(name) + ": {";
  if (!type.empty()) {
    std::string json(type);
    std::ranges::replace(json, '\'', '"');
    out += json + ", ";
  }
  out += "\"description\": " + quoted(doc) + '}';
}

std::string type_of(const ptc::LimitInfo& limit) {
  return "'type': ['integer', 'null'], 'minimum': " + std::to_string(limit.least) +
         ", 'maximum': " + std::to_string(limit.most);
}

void append_limits(std::string& out) {
  for (const ptc::LimitInfo& limit : ptc::kLimits) {
    append_member(out, limit.name, type_of(limit), limit.doc);
  }
}

void append_earlier_limits(std::string& out) {
  for (const ptc::LimitInfo& limit : ptc::kLimits) {
    const std::string_view earlier = ptc::earlier_spelling(limit, ptc::LimitPlace::Batch);
    if (!earlier.empty()) append_member(out, earlier, type_of(limit), limit.doc);
  }
}

void open_object(std::string& out, std::string_view name, std::string_view required) {
  if (out.back() != '{') out += ',';
  out += "\n    " + quoted(name) + ": {\"type\": \"object\", \"additionalProperties\": false,";
  if (!required.empty()) out += " \"required\": [" + quoted(required) + "],";
  out += "\n      \"properties\": {";
}

// Of two members for one value both may be there when one of them is null, which is the same as absent.
void append_twins(std::string& out, BatchObject object) {
  std::string rules;
  for (const BatchTwins& twins : kBatchTwins) {
    if (twins.object != object) continue;
    const auto is_there = [](std::string_view name) { return quoted(name) + ": {\"not\": {\"type\": \"null\"}}"; };
    rules += rules.empty() ? "" : ",";
    rules += "\n        {\"not\": {\"required\": [" + quoted(twins.json) + ", " + quoted(twins.edn) +
             "], \"properties\": {" + is_there(twins.json) + ", " + is_there(twins.edn) + "}}}";
  }
  if (!rules.empty()) out += ",\n      \"allOf\": [" + rules + ']';
}

void append_object(std::string& out, std::string_view name, BatchObject object, std::string_view required) {
  open_object(out, name, required);
  for (const BatchMember& member : kBatchMembers) {
    if (member.object == object) append_member(out, member.name, member.type, member.doc);
  }
  if (object == BatchObject::Options) append_earlier_limits(out);
  out += '}';
  append_twins(out, object);
  out += '}';
}

}  // namespace

std::string unknown_member(BatchObject object, const boost::json::object& given, bool only_slips) {
  for (const auto& entry : given) {
    const std::string_view name(entry.key().data(), entry.key().size());
    const auto is_it = [&](const BatchMember& member) { return member.object == object && member.name == name; };
    if (std::ranges::any_of(kBatchMembers, is_it)) continue;
    if (object == BatchObject::Options && is_earlier_limit(name)) continue;
    std::vector<std::string_view> known;
    for (const BatchMember& member : kBatchMembers) {
      if (member.object == object) known.push_back(member.name);
    }
    std::string why(place_of(object));
    why += object == BatchObject::Options ? ": there is no option " : ": there is no member ";
    why += name.substr(0, kShownOfName);
    const std::string_view near = ptc::closest_name(name, known);
    if (near.empty() && only_slips) continue;
    return near.empty() ? why : why + "; did you mean " + std::string(near) + "?";
  }
  return {};
}

std::string batch_schema() {
  std::string out =
      "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
      "  \"title\": \"A line of ptcvm batch, protocol " + std::to_string(kBatchProtocol) + "\",\n"
      "  \"anyOf\": [{\"$ref\": \"#/$defs/header\"}, {\"$ref\": \"#/$defs/request\"}, "
      "{\"$ref\": \"#/$defs/greeting\"}, {\"$ref\": \"#/$defs/answer\"}],\n  \"$defs\": {";
  append_object(out, "header", BatchObject::Header, "protocol");
  append_object(out, "request", BatchObject::Request, "source");
  append_object(out, "options", BatchObject::Options, "");
  open_object(out, "limits", "");
  append_limits(out);
  append_earlier_limits(out);
  out += "}}";
  append_object(out, "tool_def", BatchObject::ToolDef, "name");
  append_object(out, "recorded", BatchObject::Recorded, "name");
  append_object(out, "greeting", BatchObject::Greeting, "protocol");
  append_object(out, "answer", BatchObject::Answer, "status");
  append_object(out, "frame", BatchObject::Frame, "kind");
  append_object(out, "call", BatchObject::Call, "name");
  append_object(out, "waiting", BatchObject::Waiting, "op");
  return out + "}\n}\n";
}

}  // namespace ptcvm::cli
