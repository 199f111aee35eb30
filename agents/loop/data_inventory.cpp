#include "agents/loop/data_inventory.h"

#include <boost/json/value.hpp>
#include <map>

#include "agents/loop/prompt.h"
#include "ptcvm/json.hpp"

namespace ptcvm::loop {

namespace {

constexpr std::size_t kSampleBytes = 120;

std::string kind_text(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return "nil";
    case boost::json::kind::bool_: return ":bool";
    case boost::json::kind::int64:
    case boost::json::kind::uint64: return ":int";
    case boost::json::kind::double_: return ":float";
    case boost::json::kind::string: return ":string";
    case boost::json::kind::array: return "list of " + std::to_string(value.get_array().size());
    case boost::json::kind::object: return "map of " + std::to_string(value.get_object().size());
  }
  return {};
}

}  // namespace

std::string data_inventory(const CompiledAgent& agent, const boost::json::object& data) {
  std::map<std::string, std::string> types;
  if (agent.signature) {
    for (const SignatureField& field : agent.signature->params()) types[field.name] = field.type;
  }
  std::map<std::string, const boost::json::value*> sorted;
  for (const auto& [name, type] : types) sorted[name] = nullptr;
  for (const auto& member : data) sorted[std::string(member.key())] = &member.value();
  std::string text;
  for (const auto& [name, value] : sorted) {
    if (name == agent.definition->plan_from && !name.empty()) continue;   // the checklist has it
    const auto type = types.find(name);
    text.append("data/").append(name).append("  ; ");
    if (type != types.end()) text += type->second;
    if (value == nullptr) {
      text += ", not given\n";
      continue;
    }
    if (type == types.end() || value->is_array()) {
      text.append(type == types.end() ? "" : ", ").append(kind_text(*value));
    }
    if (name.starts_with('_')) {
      text += ", hidden\n";
      continue;
    }
    text.append(", ").append(preview(Value::of(*value), kSampleBytes)).append("\n");
  }
  return text;
}

}  // namespace ptcvm::loop
