#include "agents/mcp/mcp_tool.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <cctype>

#include "agents/mcp/schema_losses.h"
#include "ptcvm/signature.hpp"

namespace ptcvm::mcp {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostNameBytes = 128, kMostDescriptionBytes = 4096;

// Cuts a text between two characters of UTF-8.
std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

// Reads members of one object. The first thing that is wrong is kept.
class ToolMembers {
 public:
  ToolMembers(const json::object& object, std::string where) : object_(object), where_(std::move(where)) {}

  std::string text(std::string_view name) {
    const json::value* const found = object_.if_contains(name);
    if (found == nullptr) return {};
    if (!found->is_string()) return wrong(name, "a text"), std::string();
    return std::string(found->get_string());
  }
  std::optional<bool> flag(std::string_view name) {
    const json::value* const found = object_.if_contains(name);
    if (found == nullptr) return std::nullopt;
    if (!found->is_bool()) return wrong(name, "true or false"), std::nullopt;
    return found->get_bool();
  }
  const json::object* object(std::string_view name) {
    const json::value* const found = object_.if_contains(name);
    if (found == nullptr) return nullptr;
    if (!found->is_object()) return wrong(name, "an object"), nullptr;
    return &found->get_object();
  }
  void wrong(std::string_view name, std::string_view wanted) {
    if (failure_) return;
    failure_ = {McpFault::WrongMember, where_ + '.' + std::string(name) + " is not " + std::string(wanted)};
  }
  const std::optional<McpFailure>& failure() const { return failure_; }

 private:
  const json::object& object_;
  std::string where_;
  std::optional<McpFailure> failure_;
};

// Returns the name with _ for what no name of a tool may have.
std::string legal_name(std::string_view prefix, std::string_view name) {
  std::string out = std::string(prefix).append(name);
  for (char& c : out) {
    const bool is_legal = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    if (!is_legal) c = '_';
  }
  return out;
}

// Returns the signature that says the schemas, or as much of them as a signature can say.
std::string signature_of(const McpTool& tool, std::vector<std::string>& losses) {
  json::object definition{{"inputSchema", tool.input_schema}};
  if (tool.output_schema) definition["outputSchema"] = *tool.output_schema;
  auto whole = Signature::from_json_schema(json::serialize(definition));
  if (whole) return whole->text();
  if (tool.output_schema) {
    const auto params = Signature::from_json_schema(json::serialize(json::object{{"inputSchema", tool.input_schema}}));
    if (params) return losses.push_back("/outputSchema: " + whole.error().message), params->text();
  }
  losses.push_back("/inputSchema: " + whole.error().message);
  return {};
}

// Arguments reach a tool with _ in place of -.
void add_renamed(ToolOffer& offer, const McpTool& tool) {
  const json::value* const properties = tool.input_schema.if_contains("properties");
  if (properties == nullptr || !properties->is_object()) return;
  for (const auto& property : properties->get_object()) {
    std::string called(property.key());
    std::ranges::replace(called, '-', '_');
    if (called != property.key()) offer.renamed.emplace_back(std::move(called), property.key());
  }
}

}  // namespace

std::variant<McpTool, McpFailure> read_mcp_tool(const json::value& value, const std::string& where) {
  if (!value.is_object()) return McpFailure{McpFault::WrongMember, where + " is not an object"};
  ToolMembers members(value.get_object(), where);
  McpTool tool;
  tool.name = members.text("name");
  if (tool.name.empty() || tool.name.size() > kMostNameBytes) members.wrong("name", "a name of 1 to 128 bytes");
  tool.title = members.text("title");
  tool.description = members.text("description");
  if (const json::object* const schema = members.object("inputSchema")) {
    tool.input_schema = *schema;
  } else {
    members.wrong("inputSchema", "an object");
  }
  // The memory of the message does not live as long as the tool.
  if (const json::object* const schema = members.object("outputSchema")) {
    tool.output_schema.emplace(*schema, json::storage_ptr());
  }
  if (const json::object* const hints = members.object("annotations")) {
    ToolMembers annotations(*hints, where + ".annotations");
    tool.hints = {annotations.flag("readOnlyHint"), annotations.flag("destructiveHint"),
                  annotations.flag("idempotentHint"), annotations.flag("openWorldHint")};
    if (tool.title.empty()) tool.title = annotations.text("title");
    if (annotations.failure()) return *annotations.failure();
  }
  if (members.failure()) return *members.failure();
  return tool;
}

ToolOffer offer_of(const McpTool& tool, std::string_view prefix) {
  ToolOffer offer;
  offer.name = legal_name(prefix, tool.name);
  offer.only_reads = tool.hints.read_only.value_or(false) && !tool.hints.destructive.value_or(false);
  offer.effect = offer.only_reads ? Effect::Idempotent : Effect::Unsafe;
  offer.signature = signature_of(tool, offer.losses);
  add_losses(tool.input_schema, "/inputSchema", offer.losses);
  if (tool.output_schema) add_losses(*tool.output_schema, "/outputSchema", offer.losses);
  offer.description = cut(tool.description.empty() ? tool.title : tool.description, kMostDescriptionBytes);
  const std::string parameters = cut(described_parameters(tool.input_schema), kMostDescriptionBytes);
  if (!parameters.empty()) offer.description += (offer.description.empty() ? "" : "\n") + parameters;
  add_renamed(offer, tool);
  return offer;
}

}  // namespace ptcvm::mcp
