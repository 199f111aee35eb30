#include "agents/loop/agent_definition.h"

#include <boost/json/parse.hpp>
#include <set>
#include <utility>

#include "agents/loop/agent_names.h"
#include "agents/loop/agent_sequence.h"
#include "agents/loop/reply_program.h"
#include "ptcvm/json.hpp"

namespace ptcvm::loop {

bool is_agent_name(std::string_view name) {
  if (name.empty() || name.size() > 64) return false;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  }
  return true;
}

namespace {

namespace json = boost::json;

constexpr int kMostLevels = 16;   // children of children in a file

constexpr std::pair<std::string_view, ToolMode> kModes[] = {
    {"sync", ToolMode::Sync}, {"async", ToolMode::Async}, {"auto", ToolMode::Auto}};

// Limits by the names of the file. Those of the second table are members of the file itself.
struct Limit32 {
  std::string_view name;
  std::uint32_t AgentLimits::*member;
};
constexpr Limit32 kLimits[] = {{"turns", &AgentLimits::turns},
                               {"model_calls", &AgentLimits::model_calls},
                               {"tool_calls", &AgentLimits::tool_calls},
                               {"depth", &AgentLimits::depth},
                               {"fan_out", &AgentLimits::fan_out}};
struct Limit64 {
  std::string_view name;
  std::uint64_t AgentLimits::*member;
};
constexpr Limit64 kLargeLimits[] = {{"tokens", &AgentLimits::tokens},
                                    {"transcript_bytes", &AgentLimits::transcript_bytes},
                                    {"program_bytes", &AgentLimits::program_bytes},
                                    {"observation_bytes", &AgentLimits::observation_bytes},
                                    {"money", &AgentLimits::money}};

// Reads the members of one object. The first thing that is wrong is kept.
class Members {
 public:
  Members(const json::object& object, std::string where) : object_(object), where_(std::move(where)) {}

  const json::value* find(std::string_view name) {
    known_.insert(std::string(name));
    const json::value* const found = object_.if_contains(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  void text(std::string_view name, std::string& out) {
    const json::value* const found = find(name);
    if (found == nullptr) return;
    if (!found->is_string()) return wrong(name, "a string");
    out = std::string_view(found->get_string());
  }
  // Returns a member that bounds or protects: null, which is like no member elsewhere, is no value for it.
  const json::value* find_rule(std::string_view name) {
    known_.insert(std::string(name));
    return object_.if_contains(name);
  }
  void flag(std::string_view name, bool& out) {
    const json::value* const found = find_rule(name);
    if (found == nullptr) return;
    if (!found->is_bool()) return wrong(name, "true or false");
    out = found->get_bool();
  }
  template <class Number>
  void number(std::string_view name, Number& out, Number least) {
    const json::value* const found = find_rule(name);
    if (found == nullptr) return;
    boost::system::error_code error;
    const Number read = found->to_number<Number>(error);
    if (error || read < least) return wrong(name, "a whole number from " + std::to_string(least) + " on");
    out = read;
  }
  void wrong(std::string_view name, std::string_view wanted) {
    fail("\"" + std::string(name) + "\" is not " + std::string(wanted));
  }
  void fail(const std::string& message) {
    if (error_.empty()) error_ = where_ + ": " + message;
  }
  // Returns what is wrong, or "". A member that nobody asked for is wrong.
  std::string finish() {
    for (const auto& member : object_) {
      if (!known_.contains(std::string(member.key()))) fail("there is no member \"" + std::string(member.key()) + "\"");
    }
    return error_;
  }
  const std::string& where() const { return where_; }

 private:
  const json::object& object_;
  std::string where_, error_;
  std::set<std::string> known_;
};

Error invalid(std::string message) { return {Errc::invalid_value, std::move(message), std::nullopt, {}}; }

std::string read_tool(const json::value& value, const std::string& where, AgentTool& tool) {
  const json::object* const object = value.if_object();
  if (object == nullptr) return where + ": a tool is an object";
  Members members(*object, where);
  members.text("name", tool.name);
  members.text("signature", tool.signature);
  members.text("description", tool.description);
  members.flag("ask", tool.asks);
  if (!is_agent_name(tool.name)) members.fail("\"name\" is not a name of letters, digits, - and _");
  if (tool.name == kRunProgram) members.fail("the model has a tool run_program already, which runs its programs");
  std::string effect = "unsafe", mode = "sync";
  members.text("effect", effect);
  members.text("mode", mode);
  if (const auto found = find_effect(effect)) {
    tool.effect = *found;
  } else {
    members.wrong("effect", "unsafe, pure, idempotent, keyed or reconcilable");
  }
  bool knows_mode = false;
  for (const auto& [name, value_of_name] : kModes) {
    if (name != mode) continue;
    tool.mode = value_of_name;
    knows_mode = true;
  }
  if (!knows_mode) members.wrong("mode", "sync, async or auto");
  if (const json::value* const command = members.find("command")) {
    if (!command->is_array()) members.wrong("command", "a list of strings");
    for (const json::value& word : command->is_array() ? command->get_array() : json::array()) {
      if (!word.is_string()) members.wrong("command", "a list of strings");
      if (word.is_string()) tool.command.emplace_back(word.get_string());
    }
  }
  return members.finish();
}

// Returns a step of a plan; its text is "" when the item cannot be a step.
PlanStep plan_step(const json::value& item, std::size_t number) {
  const auto text_of = [](const json::value* value) {
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
  };
  if (item.is_string()) return {std::to_string(number), text_of(&item)};
  if (item.is_array() && item.get_array().size() == 2) return {text_of(&item.at(0)), text_of(&item.at(1))};
  if (!item.is_object()) return {};
  const json::object& object = item.get_object();
  const json::value* const id = object.if_contains("id");
  return {id == nullptr ? std::to_string(number) : text_of(id), text_of(object.if_contains("text"))};
}

std::string read_steps(const json::value& value, const std::string& where, std::vector<PlanStep>& plan) {
  if (!value.is_array()) return where + ": \"plan\" is not a list";
  std::set<std::string> ids;
  for (const json::value& item : value.get_array()) {
    PlanStep step = plan_step(item, plan.size() + 1);
    if (!item.is_string() && (step.text.empty() || step.id.empty())) {
      return where + ": a step of the plan is a text, or a list of an id and a text";
    }
    if (step.text.empty() || step.id.empty()) return where + ": a step of the plan is empty";
    if (!ids.insert(step.id).second) return where + ": two steps of the plan have the id \"" + step.id + "\"";
    plan.push_back(std::move(step));
  }
  return {};
}

void read_limits(Members& members, AgentLimits& limits) {
  members.number<std::uint32_t>("max_turns", limits.max_turns, 1);
  members.number<std::uint32_t>("retry_turns", limits.retry_turns, 0);
  const json::value* const found = members.find_rule("limits");
  if (found == nullptr) return;
  if (!found->is_object()) return members.wrong("limits", "an object");
  Members inner(found->get_object(), members.where() + ": limits");
  for (const Limit32& limit : kLimits) inner.number<std::uint32_t>(limit.name, limits.*limit.member, 0);
  for (const Limit64& limit : kLargeLimits) inner.number<std::uint64_t>(limit.name, limits.*limit.member, 0);
  if (const json::value* const money = inner.find("money"); money != nullptr && limits.money == 0) {
    inner.wrong("money", "a whole number from 1 on");
  }
  inner.number<std::int64_t>("deadline_ms", limits.deadline_ms, 1);
  if (const std::string error = inner.finish(); !error.empty()) members.fail(error);
}

std::string read_definition(const json::value& value, const std::string& where, int level, AgentDefinition& out);

std::string read_children(const json::value& value, const std::string& where, int level, AgentDefinition& out) {
  if (!value.is_object()) return where + ": \"children\" is not an object";
  for (const auto& member : value.get_object()) {
    const std::string name(member.key());
    const std::string below = where + "/" + name;
    if (!is_agent_name(name)) return below + ": the name of a child has letters, digits, - and _";
    if (member.value().is_string() && member.value().get_string() == ":self") {
      out.children.emplace(name, nullptr);
      continue;
    }
    auto child = std::make_shared<AgentDefinition>();
    child->name = name;
    if (std::string error = read_definition(member.value(), below, level + 1, *child); !error.empty()) return error;
    out.children.emplace(name, std::move(child));
  }
  return {};
}

// Reads "then": the agent that goes on with what this one returned. Makes both a sequence; a third one is in the "then"
// of the second.
std::string read_next(const json::value& value, const std::string& where, int level, AgentDefinition& out) {
  std::vector<AgentDefinition> steps;
  const std::string below = where + ": then";
  const json::value* next = &value;
  steps.push_back(std::move(out));
  while (next != nullptr) {
    if (!next->is_object()) return below + ": an agent is an object";
    json::object own = next->get_object();
    own.erase("then");
    steps.emplace_back();
    if (std::string error = read_definition(own, below, level + 1, steps.back()); !error.empty()) return error;
    next = next->get_object().if_contains("then");
  }
  auto sequence = agent_sequence(std::move(steps));
  if (!sequence) return where + ": " + sequence.error().message;
  out = *std::move(sequence);
  return {};
}

// Reads "planner": the agent that makes the plan of this one. Makes an agent of both.
std::string read_planner(const json::value& value, const std::string& where, int level, AgentDefinition& out) {
  AgentDefinition planner;
  if (std::string error = read_definition(value, where + ": planner", level + 1, planner); !error.empty()) return error;
  auto both = planned_agent(std::move(planner), std::move(out));
  if (!both) return where + ": " + both.error().message;
  out = *std::move(both);
  return {};
}

void read_choices(Members& members, AgentDefinition& out) {
  std::string output = "program", on_exhausted = "end", compaction = "oldest";
  members.text("compaction", compaction);
  if (compaction != "oldest" && compaction != "one_message") members.wrong("compaction", "oldest or one_message");
  out.compaction = compaction == "one_message" ? Compaction::OneMessage : Compaction::Oldest;
  members.text("output", output);
  members.text("on_exhausted", on_exhausted);
  if (output != "program" && output != "text") members.wrong("output", "program or text");
  if (on_exhausted != "end" && on_exhausted != "ask") members.wrong("on_exhausted", "end or ask");
  out.output = output == "text" ? AgentOutput::Text : AgentOutput::Program;
  out.on_exhausted = on_exhausted == "ask" ? OnExhausted::Ask : OnExhausted::End;
}

std::string read_definition(const json::value& value, const std::string& where, int level, AgentDefinition& out) {
  const json::object* const object = value.if_object();
  if (object == nullptr) return where + ": an agent is an object";
  if (level > kMostLevels) return where + ": children are nested too deeply";
  Members members(*object, where);
  members.text("name", out.name);
  members.text("prompt", out.prompt);
  members.text("signature", out.signature);
  members.text("description", out.description);
  members.text("system", out.system);
  members.text("program", out.program);
  if (const json::value* const program = members.find("program"); program != nullptr && out.program.empty()) {
    members.fail("\"program\" is empty; leave it out for an agent that asks a model");
  }
  members.text("progress", out.progress);
  members.text("plan_from", out.plan_from);
  members.flag("journal", out.has_journal);
  members.flag("llm_query", out.has_llm_query);
  read_limits(members, out.limits);
  read_choices(members, out);
  if (out.compaction == Compaction::OneMessage && out.output != AgentOutput::Program) {
    members.fail("\"compaction\" is for agents that write programs");
  }
  if (out.prompt.empty() && out.program.empty()) members.fail("\"prompt\" is missing");
  if (const json::value* const tools = members.find("tools")) {
    if (!tools->is_array()) members.wrong("tools", "a list");
    for (const json::value& tool : tools->is_array() ? tools->get_array() : json::array()) {
      out.tools.emplace_back();
      const std::string error = read_tool(tool, where + ": tool " + std::to_string(out.tools.size()), out.tools.back());
      if (!error.empty()) return error;
    }
  }
  if (const json::value* const plan = members.find("plan")) {
    if (std::string error = read_steps(*plan, where, out.plan); !error.empty()) return error;
  }
  if (const json::value* const children = members.find("children")) {
    if (std::string error = read_children(*children, where, level, out); !error.empty()) return error;
  }
  const json::value* const planner = members.find("planner");
  const json::value* const then = members.find("then");
  std::string error = members.finish();
  if (error.empty() && planner != nullptr) error = read_planner(*planner, where, level, out);
  if (!error.empty() || then == nullptr) return error;
  return read_next(*then, where, level, out);
}

json::object tool_json(const AgentTool& tool) {
  json::object out{{"name", tool.name}};
  if (!tool.signature.empty()) out["signature"] = tool.signature;
  if (!tool.description.empty()) out["description"] = tool.description;
  out["effect"] = effect_name(tool.effect);
  for (const auto& [name, mode] : kModes) {
    if (mode == tool.mode) out["mode"] = name;
  }
  if (tool.asks) out["ask"] = true;
  if (!tool.command.empty()) {
    json::array words;
    for (const std::string& word : tool.command) words.emplace_back(word);
    out["command"] = std::move(words);
  }
  return out;
}

json::object limits_json(const AgentLimits& limits) {
  const AgentLimits usual;
  json::object out;
  for (const Limit32& limit : kLimits) {
    if (limits.*limit.member != usual.*limit.member) out[limit.name] = limits.*limit.member;
  }
  for (const Limit64& limit : kLargeLimits) {
    if (limits.*limit.member != usual.*limit.member) out[limit.name] = limits.*limit.member;
  }
  if (limits.deadline_ms != 0) out["deadline_ms"] = limits.deadline_ms;
  return out;
}

}  // namespace

Result<std::vector<PlanStep>> read_plan(const json::value& value) {
  const json::value* list = &value;
  for (const std::string_view name : {"steps", "plan"}) {
    const json::value* const found = value.is_object() ? value.get_object().if_contains(name) : nullptr;
    if (found != nullptr) list = found;
  }
  std::vector<PlanStep> plan;
  if (std::string error = read_steps(*list, "the plan", plan); !error.empty()) return invalid(std::move(error));
  if (plan.empty()) return invalid("the plan has no step");
  return plan;
}

Result<AgentDefinition> read_agent(const json::value& file) {
  AgentDefinition out;
  if (std::string error = read_definition(file, "agent", 1, out); !error.empty()) return invalid(std::move(error));
  return out;
}

Result<AgentDefinition> read_agent_text(std::string_view text) {
  boost::system::error_code error;
  const json::value file = json::parse(text, error);
  if (error) return invalid("the agent file is no JSON: " + error.message());
  const std::string doubled = doubled_member(text);
  if (!doubled.empty()) return invalid("the member " + doubled + " of the agent file is written twice");
  return read_agent(file);
}

json::object agent_json(const AgentDefinition& definition) {
  json::object out;
  if (!definition.name.empty()) out["name"] = definition.name;
  if (definition.program.empty() || !definition.prompt.empty()) out["prompt"] = definition.prompt;
  if (!definition.signature.empty()) out["signature"] = definition.signature;
  if (!definition.description.empty()) out["description"] = definition.description;
  if (!definition.system.empty()) out["system"] = definition.system;
  if (!definition.program.empty()) out["program"] = definition.program;
  if (!definition.progress.empty()) out["progress"] = definition.progress;
  if (!definition.tools.empty()) {
    json::array tools;
    for (const AgentTool& tool : definition.tools) tools.push_back(tool_json(tool));
    out["tools"] = std::move(tools);
  }
  if (!definition.children.empty()) {
    json::object children;
    for (const auto& [name, child] : definition.children) {
      children[name] = child == nullptr ? json::value(":self") : json::value(agent_json(*child));
    }
    out["children"] = std::move(children);
  }
  out["max_turns"] = definition.limits.max_turns;
  if (definition.limits.retry_turns != 0) out["retry_turns"] = definition.limits.retry_turns;
  if (json::object limits = limits_json(definition.limits); !limits.empty()) out["limits"] = std::move(limits);
  if (!definition.plan.empty()) {
    json::array plan;
    for (const PlanStep& step : definition.plan) plan.push_back(json::array{step.id, step.text});
    out["plan"] = std::move(plan);
  }
  if (!definition.plan_from.empty()) out["plan_from"] = definition.plan_from;
  if (definition.has_journal) out["journal"] = true;
  if (definition.has_llm_query) out["llm_query"] = true;
  if (definition.output == AgentOutput::Text) out["output"] = "text";
  if (definition.compaction == Compaction::OneMessage) out["compaction"] = "one_message";
  if (definition.on_exhausted == OnExhausted::Ask) out["on_exhausted"] = "ask";
  return out;
}

}  // namespace ptcvm::loop
