// ptcvm chain cost: what the models of a task have cost, by what they were asked for.
#include <boost/json.hpp>
#include <memory>

#include "tools/ptcvm/chain/chain_replies.h"
#include "tools/ptcvm/chain/chain_setup.h"
#include "tools/ptcvm/chain/chain_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

struct CostArguments {
  ChainArguments chain;
  std::string prices;
  bool as_json = false;
};

int show_cost(const CostArguments& arguments) {
  const StoreOptions& options = arguments.chain.store;
  std::string message;
  const auto prices = arguments.prices.empty() ? loop::ModelPrices() : prices_of_file(arguments.prices, message);
  if (!prices) return refuse_input(message);
  int status = kSuccess;
  const auto store = open_store(options, StoreUse::Existing, message, status);
  if (!store) complain(message);
  if (!store) return status;
  const auto setup = kept_setup(*store, options.id);
  if (!setup) return complain_of_store(setup.error());
  if (!*setup) return refuse_input("the store has no task " + options.id + "; see ptcvm chain list");
  const auto lines = chain_cost_lines(*store, options.id, arguments.prices.empty() ? nullptr : &*prices);
  if (!lines) return complain_of_store(lines.error());
  show_costs(*lines,
             {.headings = {"for"},
              .members = [](const CostLine& line) { return json::object{{"for", line.agent}}; },
              .cells = [](const CostLine& line) { return std::vector<std::string>{line.agent}; },
              .cells_of_sum = {"sum"}},
             arguments.as_json);
  return kSuccess;
}

}  // namespace

void add_chain_cost(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("cost", "Show tokens and money by what the model was asked for");
  auto arguments = std::make_shared<CostArguments>();
  declare_chain_store(*command, arguments->chain);
  command->add_option("--prices", arguments->prices, "Prices of models for a million tokens, a file of JSON")
      ->type_name("FILE");
  command->add_flag("--json", arguments->as_json, "Print JSON");
  command->footer(R"(Examples:
  ptcvm chain cost --store tasks.db --id tidy
  ptcvm chain cost --store tasks.db --id tidy --prices prices.json

Prices are for a million tokens: {"gpt-4.1": {"input": 2, "cached": 0.5, "output": 8}, "*": {…}}. Without them each
reply costs what it cost when it came, at the prices that chain run was given. Money that nobody knows is "?", and null
in JSON.)");
  command->callback([arguments, &status] { status = show_cost(*arguments); });
}

}  // namespace ptcvm::cli
