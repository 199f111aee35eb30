#include "tools/ptcvm/agent/agent_store.h"

#include <boost/json.hpp>
#include <utility>

#include "agents/loop/stored_agent.h"
#include "agents/loop/stored_facts.h"
#include "agents/replay/canonical_request.h"
#include "tools/ptcvm/text/json_members.h"
#include "tools/ptcvm/text/kept_limits.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kCommandLine = "command_line";   // name and key of the fact
constexpr std::string_view kCommandLineModel = "command_line_model";
constexpr std::string_view kCommandLineLeft = "command_line_left";
constexpr std::size_t kPageOfFacts = 1'000;

Error invalid(std::string message) { return {Errc::invalid_value, std::move(message), std::nullopt, {}}; }

json::object body_of(const HostFact& fact) {
  boost::system::error_code error;
  json::value value = json::parse(fact.body, error);
  return !error && value.is_object() ? std::move(value.get_object()) : json::object();
}

bool flag_of(const json::object& body, std::string_view name) {
  const json::value* const found = body.if_contains(name);
  return found != nullptr && found->is_bool() && found->get_bool();
}

json::object choice_json(const loop::ModelChoice& choice) {
  return {{"protocol", wire::protocol_name(choice.protocol)},
          {"provider", choice.provider},
          {"name", choice.name},
          {"is_stream", choice.is_stream}};
}

bool says_choice(const HostFact& fact) { return fact.name == kCommandLine || fact.name == kCommandLineModel; }

loop::ModelChoice choice_of(const json::object& body) {
  loop::ModelChoice choice;
  choice.protocol = wire::parse_protocol(text_of(body, "protocol")).value_or(choice.protocol);
  choice.provider = text_of(body, "provider");
  choice.name = text_of(body, "name");
  choice.is_stream = flag_of(body, "is_stream");
  return choice;
}

// What a fact says about the models. Runs without models of children have no member "children".
json::object models_json(const loop::ModelChoice& choice, const ChildModels& children) {
  json::object body = choice_json(choice);
  json::object below;
  for (const auto& [path, child] : children) {
    json::object one = choice_json(child.choice);
    one["model"] = child.model;
    below[path] = std::move(one);
  }
  if (!below.empty()) body["children"] = std::move(below);
  return body;
}

ChildModels children_of(const json::object& body) {
  ChildModels children;
  const json::value* const below = body.if_contains("children");
  if (below == nullptr || !below->is_object()) return children;
  for (const auto& [path, one] : below->get_object()) {
    const json::object* const said = one.if_object();
    if (said != nullptr) children[std::string(path)] = {text_of(*said, "model"), choice_of(*said)};
  }
  return children;
}

// Returns the definition of a run without its checks, for the paths of its children.
loop::AgentDefinition definition_of(const Store& store, const std::string& id) {
  const auto text = loop::StoredAgent::stored_definition(store, id);
  auto definition = text && *text ? loop::read_agent_text(**text) : loop::AgentDefinition();
  return definition ? *std::move(definition) : loop::AgentDefinition();
}

}  // namespace

Result<void> for_each_fact(const Store& store, const std::string& id,
                           const std::function<void(const HostFact&)>& visit) {
  const HostLog log = HostLog::of(store, id);
  for (std::uint64_t seen = 0;;) {
    const auto facts = log.read(seen, kPageOfFacts);
    if (!facts) return facts.error();
    for (const HostFact& fact : *facts) {
      seen = fact.seq;
      visit(fact);
    }
    if (facts->size() < kPageOfFacts) return {};
  }
}

AgentMark mark_of(const loop::AgentRun& run) {
  const std::vector<std::byte> document = run.snapshot();
  const std::string_view bytes(reinterpret_cast<const char*>(document.data()), document.size());
  return {run.usage().fuel, replay::request_hash(bytes)};
}

Result<void> keep_mark(const Store& store, const std::string& id, const AgentMark& mark, std::int64_t now_ms) {
  HostFact fact;
  fact.fact_class = HostFactClass::Control;
  fact.name = kCommandLineLeft;
  fact.body = json::serialize(json::object{{"fuel", mark.fuel}, {"document_hash", mark.document_hash}});
  fact.time_ms = now_ms;
  const auto written = HostLog::of(store, id).put(HostCut::blind(), {&fact, 1});
  if (!written) return written.error();
  return {};
}

std::optional<AgentMark> read_mark(const HostFact& fact) {
  if (fact.name != kCommandLineLeft) return std::nullopt;
  const json::object body = body_of(fact);
  const json::value* const fuel = body.if_contains("fuel");
  AgentMark mark;
  mark.document_hash = text_of(body, "document_hash");
  boost::system::error_code error;
  if (fuel != nullptr) mark.fuel = fuel->to_number<std::uint64_t>(error);   // 0 when it is no such number
  return mark;
}

Result<void> keep_command(const Store& store, const std::string& id, const KeptCommand& command, std::int64_t now_ms) {
  HostLog log = HostLog::of(store, id);
  const auto known = log.find(std::string(kCommandLine));
  if (!known) return known.error();
  if (*known) return {};
  json::object tools;
  for (const auto& [name, tool] : command.tools) tools[name] = json::array(tool.command.begin(), tool.command.end());
  HostFact fact;
  fact.fact_class = HostFactClass::Control;
  fact.name = fact.key = kCommandLine;
  json::object body = models_json(command.choice, command.children);
  body["model"] = command.model;
  body["stream"] = command.stream;
  body["tools"] = std::move(tools);
  if (command.rate != 0) body["rate"] = command.rate;
  json::object limits = write_limits(command.limits, loop::default_program_limits());
  if (!limits.empty()) body["limits"] = std::move(limits);
  if (!command.prices.empty()) body["prices"] = loop::model_prices_json(command.prices);
  fact.body = json::serialize(body);
  fact.time_ms = now_ms;
  const auto written = log.put(HostCut::blind(), {&fact, 1});
  if (!written) return written.error();
  return {};
}

Result<void> keep_choice(const Store& store, const std::string& id, const loop::ModelChoice& choice,
                         const ChildModels& children, std::int64_t now_ms) {
  const std::string body = json::serialize(models_json(choice, children));
  std::string known;
  const auto read = for_each_fact(store, id, [&](const HostFact& fact) {
    if (!says_choice(fact)) return;
    const json::object said = body_of(fact);
    known = json::serialize(models_json(choice_of(said), children_of(said)));
  });
  if (!read || known == body) return read;
  HostFact fact;
  fact.fact_class = HostFactClass::Control;
  fact.name = kCommandLineModel;
  fact.body = body;
  fact.time_ms = now_ms;
  const auto written = HostLog::of(store, id).put(HostCut::blind(), {&fact, 1});
  if (!written) return written.error();
  return {};
}

Result<KeptCommand> kept_command(const Store& store, const std::string& id) {
  const auto found = HostLog::of(store, id).find(std::string(kCommandLine));
  if (!found) return found.error();
  if (!*found) return invalid("the store has no agent " + id + " that `ptcvm agent run` began");
  const json::object body = body_of(**found);
  KeptCommand command;
  command.model = text_of(body, "model");
  command.stream = flag_of(body, "stream");
  command.choice = choice_of(body);
  command.children = children_of(body);
  if (const json::value* const limits = body.if_contains("limits"); limits != nullptr && limits->is_object()) {
    command.limits = read_limits(limits->get_object(), command.limits);
  }
  if (const json::value* const rate = body.if_contains("rate")) {
    boost::system::error_code error;
    command.rate = rate->to_number<std::uint32_t>(error);   // 0 when it is no such number
  }
  if (const json::value* const prices = body.if_contains("prices")) {
    auto read = loop::read_model_prices(*prices);
    if (read) command.prices = *std::move(read);
  }
  const json::value* const tools = body.if_contains("tools");
  if (tools == nullptr || !tools->is_object()) return command;
  for (const auto& [name, words] : tools->get_object()) {
    ExternalTool& kept = command.tools[std::string(name)];
    kept.name = name;
    for (const json::value& word : words.is_array() ? words.get_array() : json::array()) {
      if (word.is_string()) kept.command.emplace_back(word.get_string());
    }
  }
  return command;
}

Result<std::vector<KeptReply>> kept_replies(const Store& store, const std::string& id) {
  std::vector<KeptReply> replies;
  std::uint32_t turn = 1;
  loop::ModelChoice choice;
  ChildModels children;
  const loop::AgentDefinition root = definition_of(store, id);
  const auto read = for_each_fact(store, id, [&](const HostFact& fact) {
    if (fact.name == loop::kTurnTaken) ++turn;
    if (says_choice(fact)) {
      const json::object said = body_of(fact);
      choice = choice_of(said);
      children = children_of(said);
    }
    if (fact.name != loop::kModelSettled) return;
    const json::object body = body_of(fact);
    KeptReply kept;
    kept.path = text_of(body, "path");
    const std::size_t slash = kept.path.rfind('/');
    kept.agent = slash == std::string::npos ? std::string() : kept.path.substr(0, slash);
    kept.turn = turn;
    const ChildModel* const own = find_child_model(children, definition_path(root, kept.agent));
    kept.choice = own == nullptr ? choice : own->choice;
    kept.reply = loop::read_reply(body);
    replies.push_back(std::move(kept));
  });
  if (!read) return read.error();
  return replies;
}

Result<loop::Agent> read_agent_of(const Engine& engine, const Store& store, const std::string& id) {
  const auto text = loop::StoredAgent::stored_definition(store, id);
  if (!text) return text.error();
  if (!*text) return invalid("the store has no agent " + id + "; `ptcvm runs` lists what the store has");
  auto definition = loop::read_agent_text(**text);
  if (!definition) return definition.error();
  auto command = kept_command(store, id);
  if (!command) return command.error();
  loop::AgentOptions options;
  options.model = std::move(command->choice);
  options.program_limits = command->limits;
  options.prices = std::move(command->prices);
  options.model_of = [children = std::move(command->children)](
                         std::string_view path) -> std::optional<loop::ModelChoice> {
    const ChildModel* const found = find_child_model(children, path);
    return found == nullptr ? std::nullopt : std::optional(found->choice);
  };
  return loop::Agent::make(engine, std::move(*definition), std::move(options));
}

}  // namespace ptcvm::cli
