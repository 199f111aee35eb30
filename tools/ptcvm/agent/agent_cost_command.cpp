// ptcvm agent cost: what a run of a store has cost, by turn, agent and model.
#include <boost/json.hpp>
#include <memory>

#include "tools/ptcvm/agent/agent_cost.h"
#include "tools/ptcvm/agent/agent_record.h"
#include "tools/ptcvm/agent/agent_store.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

// A price is the first thing to give for a model whose tokens nobody counted, when the run was begun without it.
void need_prices(std::vector<CostLine>& lines, const loop::ModelPrices& begun) {
  for (CostLine& line : lines) {
    const bool has_price = line.is_counted || loop::find_prices(begun, line.model) != nullptr;
    line.is_priced = line.is_priced && has_price;
  }
}

int show_cost(const StoreOptions& options, const std::string& prices_file, bool as_json) {
  int status = kSuccess;
  const auto store = store_of(options, StoreUse::Existing, status);
  if (!store) return status;
  std::string message;
  const auto read = prices_file.empty() ? loop::ModelPrices() : prices_of_file(prices_file, message);
  if (!read) return refuse_input(message);
  const auto begun = kept_command(*store, options.id);
  if (!begun) {
    if (begun.error().code != Errc::invalid_value) return refuse_error(begun.error());
    return refuse_input(begun.error().message + "; ptcvm chain cost shows what a task has cost");
  }
  const auto record = AgentRecord::read(Engine(), *store, options.id);
  if (!record) return refuse_error(record.error());
  const auto requests = known_requests(*store, record->run());
  if (!requests) return refuse_error(requests.error());
  std::vector<CostLine> lines = cost_lines(*requests, prices_file.empty() ? nullptr : &*read);
  if (prices_file.empty()) need_prices(lines, begun->prices);
  show_costs(lines,
             {.headings = {"turn", "agent"},
              .members = [](const CostLine& line) { return json::object{{"turn", line.turn}, {"agent", line.agent}}; },
              .cells = [](const CostLine& line) {
                return std::vector<std::string>{std::to_string(line.turn), line.agent.empty() ? "(root)" : line.agent};
              },
              .cells_of_sum = {"sum", ""}},
             as_json);
  return kSuccess;
}

}  // namespace

void add_agent_cost(CLI::App& agent, int& status) {
  struct Cost {
    StoreOptions store;
    std::string prices;
    bool as_json = false;
  };
  auto* const command = agent.add_subcommand("cost", "Show tokens and money by turn, agent and model");
  auto cost = std::make_shared<Cost>();
  declare_agent_of_store(*command, cost->store);
  command->add_option("--prices", cost->prices, "Prices of models for a million tokens, a file of JSON")
      ->type_name("FILE");
  command->add_flag("--json", cost->as_json, "Print JSON");
  command->footer(R"(Examples:
  ptcvm agent cost --store runs.db --id may
  ptcvm agent cost --store runs.db --id may --prices prices.json --json

Prices are for a million tokens: {"gpt-4.1": {"input": 2, "cached": 0.5, "output": 8}, "*": {…}}. Without them each
reply costs what it cost when it came, at the prices of the process that asked; money that nobody knows is "?", and null
in JSON. ptcvm chain cost shows the cost of a task.)");
  command->callback([cost, &status] { status = show_cost(cost->store, cost->prices, cost->as_json); });
}

}  // namespace ptcvm::cli
