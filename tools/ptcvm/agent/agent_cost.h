// What the replies of a run cost, by turn, agent and model.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agents/loop/model_prices.h"
#include "tools/ptcvm/agent/agent_store.h"

namespace ptcvm::cli {

// Reads a file of prices (loop::read_model_prices()). Returns nullopt when the file cannot be used; `message` then says
// why.
std::optional<loop::ModelPrices> prices_of_file(const std::string& file, std::string& message);
// Returns whether an agent of the tree has a limit of money.
bool limits_money(const loop::AgentDefinition& agent);
// Returns why a limit of money cannot be kept: one of the models has no price. "": each model has one.
std::string missing_price(const std::vector<std::string>& models, const loop::ModelPrices& prices);
// Returns the tokens that a reply says it used, as its protocol says them; nullopt when it says nothing of them.
std::optional<wire::TokenUsage> usage_of(const loop::ModelChoice& choice, const loop::ModelReply& reply);
// Returns whether all of a good reply came, so that it should say what it used.
bool is_whole(const loop::ModelReply& reply);
// Returns what one reply has cost, in millionths, or nullopt when nobody knows it. A reply that says nothing of its
// tokens because it failed, or was cut, has cost nothing.
std::optional<std::uint64_t> cost_of(const loop::ModelChoice& choice, const loop::ModelReply& reply,
                                     const loop::ModelPrices& prices);

// Returns the requests of the log. Those whose replies the run does not wait for any more, because their program has
// ended, are lost.
Result<std::vector<KeptRequest>> known_requests(const Store& store, const loop::AgentRun& run);
// Returns whether the log has what each reply has cost, and what each request has cost whose reply was lost.
bool knows_cost(const std::vector<KeptRequest>& requests);
// Returns whether it is known what the run has cost, with the turns that a fork shares.
Result<bool> knows_spent(const Store& store, const loop::AgentRun& run);

struct CostLine {
  std::uint32_t turn = 0;
  std::string agent, model;
  std::uint32_t calls = 0;
  std::int64_t input = 0, cached = 0, cache_written = 0, output = 0, reasoning = 0;
  std::uint64_t millionths = 0;
  bool is_priced = true;                // false: the prices lack a model, or nobody noted what a reply has cost
  bool is_counted = true;               // false: a good reply says nothing of its tokens
  std::uint32_t lost = 0;               // requests whose replies were lost, and which were not repeated

  std::optional<double> money() const;  // nullopt: nobody knows it
  std::string money_text() const;
};

// Adds requests and replies up by turn, agent and model, at these prices; null: each reply at what the log says that it
// has cost. A request without a reply that says what it used counts as a call; when its reply was lost or cut, it costs
// what the next one of its path costs, as the run has it.
std::vector<CostLine> cost_lines(const std::vector<KeptRequest>& requests, const loop::ModelPrices* prices);
// Adds all lines up.
CostLine sum_of(const std::vector<CostLine>& lines);
// Says why the cost is not known: which models have no price, and how to give prices; that replies say nothing of
// their tokens; or that replies were lost. Returns "" when the cost is known.
std::string unknown_cost(const std::vector<CostLine>& lines);

// What names a line of costs in a list: members of its JSON, and cells of its row in a table. The model and what it has
// cost follow.
struct CostNames {
  std::vector<std::string> headings;                           // one for each cell
  std::function<boost::json::object(const CostLine&)> members;
  std::function<std::vector<std::string>(const CostLine&)> cells;
  std::vector<std::string> cells_of_sum;
};
// Shows the lines and their sum on standard output, as a table or as JSON, and on standard error why the cost is not
// known.
void show_costs(const std::vector<CostLine>& lines, const CostNames& names, bool as_json);

}  // namespace ptcvm::cli
