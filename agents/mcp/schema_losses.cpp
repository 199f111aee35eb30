#include "agents/mcp/schema_losses.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>

namespace ptcvm::mcp {

namespace json = boost::json;

namespace {

constexpr int kMostDepth = 16;
constexpr std::size_t kMostChoices = 20;

// Keywords that forbid something. Formats of dates have types of their own.
constexpr auto kForbidding = std::to_array<std::string_view>(
    {"enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
     "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
     "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "if", "not", "allOf", "anyOf",
     "oneOf", "prefixItems", "contains"});

class LossWalk {
 public:
  explicit LossWalk(std::vector<std::string>& losses) : losses_(losses) {}

  void visit(const json::object& schema, const std::string& place, int depth) {
    if (depth > kMostDepth) return;
    for (const auto& member : schema) {
      if (losses_.size() >= kMostLosses) return;
      if (std::ranges::count(kForbidding, std::string_view(member.key())) > 0) {
        losses_.push_back(place + '/' + std::string(member.key()));
      }
    }
    if (const json::object* const properties = object_in(schema, "properties")) {
      for (const auto& property : *properties) {
        visit_value(property.value(), place + "/properties/" + std::string(property.key()), depth + 1);
      }
    }
    if (const json::value* const items = schema.if_contains("items")) visit_value(*items, place + "/items", depth + 1);
  }

 private:
  static const json::object* object_in(const json::object& schema, std::string_view name) {
    const json::value* const found = schema.if_contains(name);
    return found == nullptr ? nullptr : found->if_object();
  }
  void visit_value(const json::value& schema, const std::string& place, int depth) {
    if (losses_.size() < kMostLosses && schema.is_object()) visit(schema.get_object(), place, depth);
  }

  std::vector<std::string>& losses_;
};

std::string choices_of(const json::object& schema) {
  const json::value* const choices = schema.if_contains("enum");
  if (choices == nullptr || !choices->is_array() || choices->get_array().empty()) return {};
  std::string out;
  const json::array& all = choices->get_array();
  for (std::size_t i = 0; i < std::min(all.size(), kMostChoices); ++i) {
    out += (out.empty() ? "one of " : ", ") + json::serialize(all[i]);
  }
  return all.size() > kMostChoices ? out + ", …" : out;
}

}  // namespace

void add_losses(const json::object& schema, const std::string& place, std::vector<std::string>& losses) {
  LossWalk(losses).visit(schema, place, 0);
}

std::string described_parameters(const json::object& input_schema) {
  const json::value* const properties = input_schema.if_contains("properties");
  if (properties == nullptr || !properties->is_object()) return {};
  std::string out;
  for (const auto& property : properties->get_object()) {
    const json::object* const schema = property.value().if_object();
    if (schema == nullptr) continue;
    std::string said = choices_of(*schema);
    const json::value* const description = schema->if_contains("description");
    if (description != nullptr && description->is_string()) {
      said += (said.empty() ? "" : "; ") + std::string(description->get_string());
    }
    if (said.empty()) continue;
    out += (out.empty() ? "" : "\n") + std::string(property.key()) + ": " + said;
  }
  return out;
}

}  // namespace ptcvm::mcp
