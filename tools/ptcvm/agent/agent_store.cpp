#include "tools/ptcvm/agent/agent_store.h"

#include <boost/json.hpp>
#include <utility>

#include "agents/loop/stored_agent.h"
#include "agents/loop/stored_facts.h"
#include "agents/replay/canonical_request.h"
#include "tools/ptcvm/store/step_agent_run.h"
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

Result<void> add_fact(const Store& store, const std::string& id, const HostFact& fact) {
  const auto written = HostLog::of(store, id).put(HostCut::blind(), {&fact, 1});
  return written ? Result<void>() : written.error();
}

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

// Returns how many turns a run has that begins as a fork.
std::uint32_t turns_of_start(const json::object& started) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = 1024;
  const json::value document = json::parse(text_of(started, "document"), error, {}, options);
  const json::value* const turns = error ? nullptr : document.find_pointer("/root/turns", error);
  return turns == nullptr || !turns->is_array() ? 0 : static_cast<std::uint32_t>(turns->get_array().size());
}

std::uint32_t number_of_turn(const json::object& taken) {
  boost::system::error_code error;
  const json::value* const number = taken.if_contains("turn");
  return number == nullptr ? 0 : number->to_number<std::uint32_t>(error);   // 0 when it is no such number
}

// Collects the requests of a log, told one fact after the other.
class RequestFold {
 public:
  explicit RequestFold(loop::AgentDefinition root) : root_(std::move(root)) {}

  void take(const HostFact& fact) {
    if (fact.name == loop::kStarted) turn_ = 1 + turns_of_start(body_of(fact));
    if (fact.name == loop::kTurnTaken) turn_ = 1 + number_of_turn(body_of(fact));
    if (says_choice(fact)) {
      const json::object said = body_of(fact);
      choice_ = choice_of(said);
      children_ = children_of(said);
    }
    if (fact.name == loop::kIntent) take_intent(fact);
    if (fact.name == loop::kModelSettled) take_reply(body_of(fact));
    if (fact.name == loop::kModelLost) open_request(text_of(body_of(fact), "path"))->is_lost = true;
    if (fact.name == loop::kModelDeferred) requests_.erase(open_request(text_of(body_of(fact), "path")));
  }
  std::vector<KeptRequest> requests() && { return std::move(requests_); }

 private:
  using At = std::vector<KeptRequest>::iterator;

  // The intents of tools have their paths only.
  void take_intent(const HostFact& fact) {
    const json::object body = body_of(fact);
    const std::string path = text_of(body, "path");
    if (fact.key == std::string(loop::kIntent) + "/" + path + "/" + text_of(body, "key")) add(path);
  }

  At add(const std::string& path) {
    KeptRequest sent;
    sent.path = path;
    const std::size_t slash = path.rfind('/');
    sent.agent = slash == std::string::npos ? std::string() : path.substr(0, slash);
    sent.turn = turn_;
    choose(sent);
    return requests_.insert(requests_.end(), std::move(sent));
  }

  void choose(KeptRequest& sent) const {
    const ChildModel* const own = find_child_model(children_, definition_path(root_, sent.agent));
    sent.choice = own == nullptr ? choice_ : own->choice;
  }

  // Returns the last request of a path that waits. The first versions wrote no intents.
  At open_request(const std::string& path) {
    for (At at = requests_.end(); at != requests_.begin();) {
      if ((--at)->path == path) return at->reply || at->is_lost ? add(path) : at;
    }
    return add(path);
  }

  void take_reply(const json::object& body) {
    const At answered = open_request(text_of(body, "path"));
    choose(*answered);                           // the reply is written as its model writes
    answered->reply = loop::read_reply(body);
  }

  const loop::AgentDefinition root_;
  std::uint32_t turn_ = 1;
  loop::ModelChoice choice_;
  ChildModels children_;
  std::vector<KeptRequest> requests_;
};

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

Result<void> keep_mark(const Store& store, const std::string& id, const AgentMark& mark, const std::string& reason,
                       std::int64_t now_ms) {
  HostFact fact;
  fact.fact_class = HostFactClass::Control;
  fact.name = kCommandLineLeft;
  json::object body{{"fuel", mark.fuel}, {"document_hash", mark.document_hash}, {"format", mark.format}};
  if (!reason.empty()) body["reason"] = reason;
  fact.body = json::serialize(body);
  fact.time_ms = now_ms;
  return add_fact(store, id, fact);
}

std::string reason_left(const Store& store, const std::string& id) {
  const HostLog log = HostLog::of(store, id);
  const auto first = log.read(0, 1);   // lists have it at hand, and of the log of an agent the last one, too
  if (!first || first->empty() || first->front().name == "run_started") return "";
  const auto head = log.head();
  const auto last = head && *head > 0 ? log.read(*head - 1, 1) : Result<std::vector<HostFact>>(std::vector<HostFact>());
  if (!last || last->empty() || last->back().name != kCommandLineLeft) return "";
  return text_of(body_of(last->back()), "reason");
}

std::optional<AgentMark> read_mark(const HostFact& fact) {
  if (fact.name != kCommandLineLeft) return std::nullopt;
  const json::object body = body_of(fact);
  const json::value* const fuel = body.if_contains("fuel");
  AgentMark mark;
  mark.document_hash = text_of(body, "document_hash");
  boost::system::error_code error;
  if (fuel != nullptr) mark.fuel = fuel->to_number<std::uint64_t>(error);   // 0 when it is no such number
  const json::value* const format = body.if_contains("format");
  mark.format = format == nullptr ? 1 : format->to_number<std::uint32_t>(error);
  return mark;
}

Result<void> keep_command(const Store& store, const std::string& id, const KeptCommand& command, std::int64_t now_ms) {
  const auto known = HostLog::of(store, id).find(std::string(kCommandLine));
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
  if (!command.knows_past) body["past_cost_unknown"] = true;
  fact.body = json::serialize(body);
  fact.time_ms = now_ms;
  return add_fact(store, id, fact);
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
  return add_fact(store, id, fact);
}

Result<KeptCommand> kept_command(const Store& store, const std::string& id) {
  const auto found = HostLog::of(store, id).find(std::string(kCommandLine));
  if (!found) return found.error();
  if (!*found) return invalid(no_agent_text(id));
  const json::object body = body_of(**found);
  KeptCommand command;
  command.model = text_of(body, "model");
  command.stream = flag_of(body, "stream");
  command.knows_past = !flag_of(body, "past_cost_unknown");
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

Result<std::vector<KeptRequest>> kept_requests(const Store& store, const std::string& id) {
  RequestFold fold(definition_of(store, id));
  const auto read = for_each_fact(store, id, [&fold](const HostFact& fact) { fold.take(fact); });
  if (!read) return read.error();
  return std::move(fold).requests();
}

Result<std::vector<std::string>> used_replies(const Store& store, const std::string& id) {
  const auto requests = kept_requests(store, id);
  if (!requests) return requests.error();
  std::vector<std::string> agents;
  for (const KeptRequest& request : *requests) {
    if (request.reply) agents.push_back(request.agent);
  }
  return agents;
}

namespace {

// Makes the agent of a run with other models.
Result<loop::Agent> agent_with(const Engine& engine, const loop::AgentDefinition& definition,
                               const KeptCommand& command, loop::ModelChoice choice, ChildModels children) {
  loop::AgentOptions options;
  options.model = std::move(choice);
  options.program_limits = command.limits;
  options.prices = command.prices;
  options.model_of = [children = std::move(children)](std::string_view path) -> std::optional<loop::ModelChoice> {
    const ChildModel* const found = find_child_model(children, path);
    return found == nullptr ? std::nullopt : std::optional(found->choice);
  };
  return loop::Agent::make(engine, definition, std::move(options));
}

Result<loop::AgentDefinition> kept_definition(const Store& store, const std::string& id) {
  const auto text = loop::StoredAgent::stored_definition(store, id);
  if (!text) return text.error();
  if (!*text) return invalid("the store has no agent " + id + "; `ptcvm runs` lists what the store has");
  return loop::read_agent_text(**text);
}

}  // namespace

Result<loop::Agent> read_agent_of(const Engine& engine, const Store& store, const std::string& id) {
  const auto definition = kept_definition(store, id);
  if (!definition) return definition.error();
  const auto command = kept_command(store, id);
  if (!command) return command.error();
  return agent_with(engine, *definition, *command, command->choice, command->children);
}

Result<std::vector<AgentFrom>> read_agents_of(const Engine& engine, const Store& store, const std::string& id) {
  const auto definition = kept_definition(store, id);
  if (!definition) return definition.error();
  const auto command = kept_command(store, id);
  if (!command) return command.error();
  auto first = agent_with(engine, *definition, *command, command->choice, command->children);
  if (!first) return first.error();
  std::vector<AgentFrom> agents{{0, *std::move(first)}};
  std::string known = json::serialize(models_json(command->choice, command->children));
  Result<void> made;
  const auto read = for_each_fact(store, id, [&](const HostFact& fact) {
    if (!made || fact.name != kCommandLineModel) return;
    const json::object said = body_of(fact);
    std::string models = json::serialize(models_json(choice_of(said), children_of(said)));
    if (models == known) return;
    known = std::move(models);
    auto agent = agent_with(engine, *definition, *command, choice_of(said), children_of(said));
    if (!agent) made = agent.error();
    if (agent) agents.push_back({fact.seq, *std::move(agent)});
  });
  if (!read) return read.error();
  if (!made) return made.error();
  return agents;
}

const AgentFrom& agent_at(const std::vector<AgentFrom>& agents, std::uint64_t seq) {
  auto found = agents.rbegin();
  while (found->seq > seq && std::next(found) != agents.rend()) ++found;
  return *found;
}

AgentChoice chosen_from(std::vector<AgentFrom> agents) {
  if (agents.size() == 1) return {};
  return [agents = std::move(agents)](std::uint64_t seq) -> std::optional<loop::Agent> {
    const AgentFrom& answered = agent_at(agents, seq);
    return &answered == &agents.back() ? std::nullopt : std::optional(answered.agent);
  };
}

Result<AgentChoice> agent_of_log(const Engine& engine, const Store& store, const std::string& id) {
  auto agents = read_agents_of(engine, store, id);
  if (!agents) return agents.error();
  return chosen_from(*std::move(agents));
}

}  // namespace ptcvm::cli
