#include "agents/harness/pass/proposals.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

struct IdMember {
  FactType type;
  std::string_view member, prefix;
};
constexpr IdMember kIds[] = {{FactType::compose_intent, "composeId", "c"},
                             {FactType::agent_question, "qid", "q"},
                             {FactType::tool_call, "callId", "call"}};

std::string proposable_types() {
  std::string names;
  for (const FactInfo& info : fact_infos()) {
    if (info.planner_may_propose) names.append(names.empty() ? "" : ", ").append(info.name);
  }
  return names;
}

}  // namespace

Proposals read_proposals(const json::value& value) {
  Proposals out;
  if (value.is_null()) return out;
  const json::array one{value};
  const json::array* const list = value.is_array() ? &value.get_array() : &one;
  for (const json::value& item : *list) {
    const json::object* const object = item.if_object();
    const std::string_view name = object == nullptr ? std::string_view() : text_of(*object, "type");
    if (name.empty()) {
      if (out.strange.empty()) out.strange = json::serialize(item);
      continue;
    }
    const auto type = find_fact_type(name);
    if (!type) {
      out.unknown_type = name;
      continue;
    }
    json::object body = *object;
    body.erase("type");
    out.facts.push_back({*type, std::move(body)});
  }
  return out;
}

PlanOutput output_of(PlanContext& context, Proposals proposals, const std::string& who) {
  if (!proposals.strange.empty()) {
    return PlanOutput::failed(who + " proposed " + proposals.strange +
                              ", which is no fact: a fact is a map with a :type");
  }
  if (!proposals.unknown_type.empty()) {
    return PlanOutput::failed(who + " proposed a fact of the type \"" + proposals.unknown_type +
                              "\", which does not exist; the types are " + proposable_types());
  }
  for (ProposedFact& fact : proposals.facts) {
    // A draft of an id that was dismissed or sent would count as such.
    const std::string wanted(text_of(fact.body, "composeId"));
    const bool is_used = fact.type == FactType::compose_intent && context.view().draft(wanted) != nullptr;
    if (is_used) fact.body["composeId"] = context.new_id(wanted);
    for (const IdMember& id : kIds) {
      if (id.type != fact.type || !text_of(fact.body, id.member).empty()) continue;
      fact.body[id.member] = context.new_id(id.prefix);
    }
  }
  return PlanOutput::proposed(std::move(proposals.facts));
}

}  // namespace ptcvm::harness
