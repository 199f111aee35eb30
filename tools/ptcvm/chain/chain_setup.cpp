#include "tools/ptcvm/chain/chain_setup.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "agents/chain/plan/tool_signatures.h"
#include "agents/loop/agent_definition.h"
#include "ptcvm/host_log.hpp"
#include "tools/ptcvm/agent/agent_tools.h"
#include "tools/ptcvm/chain/chain_strategy.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/store/store_logs.h"
#include "tools/ptcvm/text/json_file.h"
#include "tools/ptcvm/text/json_members.h"
#include "tools/ptcvm/text/kept_limits.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr FileBound kToolsFile{std::size_t{16} << 20, "a file of tools"};
constexpr const char* kSetup = "setup";
constexpr const char* kApprovals = "chain approvals";   // the log of what people have approved for good
constexpr std::string_view kSetupLog = "/setup";
constexpr std::uint32_t kMostRevisions = 100, kMostParallel = 1'000;   // as --revisions and --parallel have them

// Reads tools as an agent file has them.
std::optional<std::vector<loop::AgentTool>> read_chain_tools(const json::array& tools, std::string& message) {
  const json::object agent{{"name", "chain"}, {"prompt", "-"}, {"tools", tools}};
  auto read = loop::read_agent_text(json::serialize(agent));
  if (!read) message = read.error().message;
  if (!read) return std::nullopt;
  return std::move(read->tools);
}

// Reads a number of the setup within the range that its option has. Returns false when there is none.
bool read_count(const json::object& body, std::string_view name, std::uint32_t most, std::uint32_t& into) {
  const json::value* const found = body.if_contains(name);
  boost::system::error_code error;
  into = found == nullptr ? 0 : found->to_number<std::uint32_t>(error);
  return !error && into >= 1 && into <= most;
}

// Reads what keep_setup() wrote of the tools of MCP servers; an older setup has none.
bool read_served(const json::object& body, ChainSetup& setup) {
  const json::value* const served = body.if_contains("served");
  if (served == nullptr) return true;
  if (!served->is_object()) return false;
  ToolTexts texts;
  for (const auto& tool : served->get_object()) {
    if (!tool.value().is_string()) return false;
    texts.emplace(tool.key(), tool.value().get_string());
  }
  std::string message;
  auto tools = tools_of_texts(texts, message);
  if (!tools) return false;
  setup.served = *std::move(tools);
  return true;
}

// An older setup does not say which tools are external: all tools of servers are.
bool read_external(const json::object& body, ChainSetup& setup) {
  const json::value* const external = body.if_contains("external");
  if (external == nullptr) {
    for (const DeclaredTool& tool : setup.served) setup.note_external(tool);
    return true;
  }
  if (!external->is_array()) return false;
  for (const json::value& name : external->get_array()) {
    if (!name.is_string()) return false;
    setup.external.emplace_back(name.get_string());
  }
  return true;
}

// Returns a tool of an MCP server as an agent file has it.
json::object agent_tool_of(const DeclaredTool& tool) {
  json::array command;
  for (const std::string& word : tool.command->tool().command) command.emplace_back(word);
  json::object out{{"name", tool.name},
                   {"description", tool.options.description},
                   {"effect", effect_name(tool.options.effect)},
                   {"command", std::move(command)}};
  if (!tool.signature.empty()) out["signature"] = tool.signature;
  return out;
}

// Reads the file of tools: a list, or a map with the list and with MCP servers, which are started.
bool add_chain_tools(const std::string& path, ChainSetup& setup, std::string& message) {
  const auto file = read_json_file(path, kToolsFile, message);
  if (!file) return false;
  const json::object* const parts = file->if_object();
  const json::value* const list = parts == nullptr ? &*file : parts->if_contains("tools");
  const bool has_servers = parts != nullptr && parts->contains("mcp");
  if (list != nullptr ? !list->is_array() : !has_servers) {
    message = path + ": a list of tools is wanted";
    return false;
  }
  if (list != nullptr) setup.tools = list->get_array();
  if (parts == nullptr) return true;
  json::object servers = *parts;
  servers.erase("tools");
  if (has_servers || !servers.empty()) {
    auto served = read_tools(json::serialize(servers), path, message);
    if (!served) return false;
    setup.served = *std::move(served);
  }
  for (const DeclaredTool& tool : setup.served) {
    setup.tools.push_back(agent_tool_of(tool));
    setup.note_external(tool);
  }
  return true;
}

}  // namespace

std::string setup_log(const std::string& id) { return id + std::string(kSetupLog); }

Result<void> put_host_fact(const Store& store, const std::string& log, HostFact fact) {
  fact.time_ms = now_millis();
  const auto put = HostLog::of(store, log).put(HostCut::blind(), {&fact, 1});
  if (!put) return put.error();
  return {};
}

Result<void> visit_host_facts(const Store& store, const std::string& log,
                              const std::function<void(const HostFact& fact)>& visit) {
  constexpr std::size_t kPage = 500;
  const HostLog host = HostLog::of(store, log);
  std::uint64_t after = 0;
  for (std::size_t count = kPage; count == kPage;) {
    const auto facts = host.read(after, kPage);
    if (!facts) return facts.error();
    count = facts->size();
    for (const HostFact& fact : *facts) {
      visit(fact);
      after = fact.seq;
    }
  }
  return {};
}

void declare_chain_task(CLI::App& command, ChainArguments& arguments) {
  command.add_option("TEXT", arguments.input, "What you want")->required();
  declare_chain_options(command, arguments)->required();
}

CLI::Option* declare_chain_options(CLI::App& command, ChainArguments& arguments) {
  CLI::Option* const tools =
      command.add_option("--tools", arguments.tools, "The tools with their commands and MCP servers, a file of JSON");
  tools->type_name("FILE");
  command.add_option("--strategy", arguments.strategy, "What is denied, confirmed and preferred, a file of JSON")
      ->type_name("FILE");
  command.add_option("--verify", arguments.verify, "Who decides criteria in free text: nobody, heuristic or model")
      ->check(CLI::IsMember({"nobody", "heuristic", "model"}));
  command.add_option("--revisions", arguments.revisions, "The most plans, the first one included");
  command.add_option("--parallel", arguments.parallel, "The most steps at once");
  declare_chain_limit(command, arguments.limits);
  return tools;
}

CLI::Option* declare_chain_model(CLI::App& command, ChainArguments& arguments) {
  CLI::Option* const model = command.add_option(
      "--model", arguments.model,
      "scripted:FILE, replay:FILE, mailbox:DIR, or chat:NAME, responses:NAME, messages:NAME with @URL for a server of "
      "your own");
  command.add_option("--record", arguments.record, "Adds requests and replies to a file that replay:FILE reads")
      ->type_name("FILE");
  declare_prices(command, arguments.prices);
  return model;
}

void declare_chain_store(CLI::App& command, ChainArguments& arguments) {
  declare_sealed_store(command, arguments.store);
  declare_run_id(command, arguments.store, "The name of the task");
}

void declare_chain_progress(CLI::App& command, ChainArguments& arguments) {
  command.add_flag("--progress", arguments.progress,
                   "Says on standard error what the task does; a terminal is told without it");
}

void declare_chain_output(CLI::App& command, ChainArguments& arguments) {
  command.add_option("--output", arguments.output, "The report as text, markdown, json or html")
      ->check(CLI::IsMember({"text", "markdown", "json", "html"}));
}

std::optional<ChainSetup> ChainSetup::of(const ChainArguments& arguments, std::string& message) {
  ChainSetup setup;
  setup.input = arguments.input;
  setup.model = arguments.model;
  setup.verify = arguments.verify;
  setup.revisions = arguments.revisions;
  setup.parallel = arguments.parallel;
  auto money = ChainMoney::of(arguments.limits, arguments.prices, message);
  if (!money) return std::nullopt;
  setup.money = *std::move(money);
  if (!add_chain_tools(arguments.tools, setup, message)) return std::nullopt;
  if (arguments.strategy.empty()) return setup;
  auto strategy = read_strategy(arguments.strategy, setup.tool_names(), message);
  if (!strategy) return std::nullopt;
  setup.strategy = *std::move(strategy);
  return setup;
}

void ChainSetup::note_external(const DeclaredTool& tool) {
  if (is_external(tool) && std::ranges::find(external, tool.name) == external.end()) external.push_back(tool.name);
}

std::optional<chain::ChainOptions> ChainSetup::options(const std::string& id, std::string& message) const {
  const auto read = read_chain_tools(tools, message);
  if (!read) return std::nullopt;
  chain::ChainOptions options;
  options.id = id;
  options.input = input;
  for (const loop::AgentTool& tool : *read) {
    if (tool.command.empty() && !is_job) message = "the tool " + tool.name + " has no command";
    if (tool.command.empty() && !is_job) return std::nullopt;
    options.tools.push_back({.name = tool.name, .signature = tool.signature, .description = tool.description,
                             .effect = tool.effect});
  }
  options.verifier = verify == "heuristic" ? chain::Verifier::Heuristic
                     : verify == "model"   ? chain::Verifier::Model
                                           : chain::Verifier::Nobody;
  options.checks_signatures = checks_signatures;
  options.asks_after_doubts = asks_after_doubts;
  if (const auto signatures = chain::ToolSignatures::of(options.tools); checks_signatures && !signatures) {
    message = signatures.error().message;
    return std::nullopt;
  }
  options.most_revisions = revisions;
  options.parallel = parallel;
  options.yields_between_steps = true;
  options.clock = now_millis;
  options.policy.safety.external_tools = external;
  if (!apply_strategy(strategy, options, message)) return std::nullopt;
  return options;
}

std::vector<std::string> ChainSetup::tool_names() const {
  std::vector<std::string> names;
  for (const json::value& tool : tools) {
    if (const json::object* const members = tool.if_object()) names.push_back(text_of(*members, "name"));
  }
  return names;
}

std::vector<loop::AgentTool> ChainSetup::agent_tools() const {
  std::string message;
  auto read = read_chain_tools(tools, message);
  return read ? *std::move(read) : std::vector<loop::AgentTool>();
}

CommandTools ChainSetup::commands() const {
  CommandTools commands;
  std::string message;
  const auto read = read_chain_tools(tools, message);
  if (!read) return commands;
  for (const loop::AgentTool& tool : *read) {
    const auto is_it = [&tool](const DeclaredTool& other) { return other.name == tool.name; };
    const auto found = std::ranges::find_if(served, is_it);
    if (found != served.end() && found->command) {
      add_command(commands, tool.name, *found->command);
    } else {
      commands.commands.try_emplace(tool.name, CommandTool({tool.name, tool.command}, false));
    }
  }
  return commands;
}

std::optional<ChainSetup> read_setup(const std::string& text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  const json::object* const body = error ? nullptr : value.if_object();
  if (body == nullptr) return std::nullopt;
  const json::value* const tools = body->if_contains("tools");
  const json::value* const strategy = body->if_contains("strategy");
  ChainSetup setup;
  const bool has_members = tools != nullptr && tools->is_array() && strategy != nullptr && strategy->is_object() &&
                           read_count(*body, "revisions", kMostRevisions, setup.revisions) &&
                           read_count(*body, "parallel", kMostParallel, setup.parallel);
  if (!has_members) return std::nullopt;
  setup.input = text_of(*body, "input");
  setup.model = text_of(*body, "model");
  setup.verify = text_of(*body, "verify");
  setup.tools = tools->get_array();
  setup.strategy = strategy->get_object();
  if (!read_served(*body, setup) || !read_external(*body, setup)) return std::nullopt;
  const json::value* const limits = body->if_contains("limits");
  setup.money = ChainMoney::kept(*body);
  setup.is_job = body->contains("job");
  setup.checks_signatures = body->contains("checksSignatures");
  setup.asks_after_doubts = body->contains("asksAfterDoubts");
  if (limits != nullptr && limits->is_object()) setup.limits = read_limits(limits->get_object(), Limits());
  return setup;
}

std::string write_setup(const ChainSetup& setup) {
  json::object served;
  for (const auto& [name, text] : texts_of(setup.served)) served[name] = text;
  json::object out{{"input", setup.input},
                   {"model", setup.model},
                   {"verify", setup.verify},
                   {"revisions", setup.revisions},
                   {"parallel", setup.parallel},
                   {"tools", setup.tools},
                   {"served", std::move(served)},
                   {"external", json::array(setup.external.begin(), setup.external.end())},
                   {"strategy", setup.strategy}};
  if (setup.checks_signatures) out["checksSignatures"] = true;
  if (setup.asks_after_doubts) out["asksAfterDoubts"] = true;
  if (setup.is_job) out["job"] = true;
  setup.money.keep(out);
  if (setup.limits) out["limits"] = write_limits(*setup.limits, Limits());
  return json::serialize(out);
}

Result<void> keep_setup(const Store& store, const std::string& id, const ChainSetup& setup) {
  HostFact fact;
  fact.fact_class = HostFactClass::Control;
  fact.name = fact.key = kSetup;
  fact.body = write_setup(setup);
  return put_host_fact(store, setup_log(id), std::move(fact));
}

Result<std::optional<ChainSetup>> kept_setup(const Store& store, const std::string& id) {
  const auto found = HostLog::of(store, setup_log(id)).find(kSetup);
  if (!found) return found.error();
  if (!*found) return std::optional<ChainSetup>();
  auto setup = read_setup((*found)->body);
  if (setup) return std::optional(*std::move(setup));
  return Error{Errc::store_failed, "the setup of the task " + id + " is not one that ptcvm chain run wrote",
               std::nullopt, "store_corrupt"};
}

Result<std::vector<std::string>> task_ids(const Store& store) {
  constexpr std::size_t kPage = 500;
  std::vector<std::string> ids;
  std::string after;
  for (std::size_t count = kPage; count == kPage;) {
    const auto page = store.runs(after, kPage);
    if (!page) return page.error();
    count = page->size();
    for (const StoredRunInfo& run : *page) {
      after = run.id;
      if (run.id.ends_with(kSetupLog)) ids.push_back(run.id.substr(0, run.id.size() - kSetupLog.size()));
    }
  }
  return ids;
}

// Earlier versions had one log for all tenants, which belongs to the tenant who wrote first.
Result<void> visit_shared_facts(const Store& store, const StoreOptions& place, const std::string& name,
                                const std::function<void(const HostFact& fact)>& visit) {
  const std::string own = shared_log(place, name);
  if (own != name) {
    auto visited = visit_host_facts(store, name, visit);
    if (!visited && !is_of_other_tenant(visited.error())) return visited;
  }
  return visit_host_facts(store, own, visit);
}

Result<std::vector<std::string>> approved_signatures(const Store& store, const StoreOptions& place) {
  std::vector<std::string> approved;
  const auto visited = visit_shared_facts(store, place, kApprovals, [&](const HostFact& fact) {
    std::erase(approved, fact.body);
    if (fact.name == "approved") approved.push_back(fact.body);
  });
  if (!visited) return visited.error();
  return approved;
}

Result<void> approve_signature(const Store& store, const StoreOptions& place, const std::string& signature,
                               bool is_approved, const std::string& by) {
  HostFact fact;
  fact.fact_class = HostFactClass::Observation;
  fact.name = is_approved ? "approved" : "revoked";
  fact.body = signature;
  fact.by = by;
  return put_host_fact(store, shared_log(place, kApprovals), std::move(fact));
}

}  // namespace ptcvm::cli
