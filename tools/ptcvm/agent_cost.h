// What the replies of a run cost, by turn, agent and model.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agents/wire/reply.h"
#include "tools/ptcvm/agent_store.h"

namespace ptcvm::cli {

// Money for a million tokens, in whatever the file of prices calls money.
struct TokenPrices {
  double input = 0, cached = 0, cache_written = 0, output = 0;
};

// Reads a file of prices: {"MODEL": {"input", "cached", "cache_written", "output"}, …}; "*" is every other model. What
// a model leaves out costs nothing, except that cached tokens cost what input costs. Returns nullopt when the file
// cannot be used; `message` then says why.
std::optional<std::map<std::string, TokenPrices>> prices_of_file(const std::string& file, std::string& message);
// Returns what one reply has cost.
double money_of(const loop::ModelChoice& choice, const loop::ModelReply& reply,
                const std::map<std::string, TokenPrices>& prices);
// Returns an amount with six places behind the point.
std::string money_text(double money);

struct CostLine {
  std::uint32_t turn = 0;
  std::string agent, model;
  std::uint32_t calls = 0;
  std::int64_t input = 0, cached = 0, cache_written = 0, output = 0, reasoning = 0;
  double money = 0;
};

// Adds the replies up by turn, agent and model. Replies without a count of tokens count as calls.
std::vector<CostLine> cost_lines(const std::vector<KeptReply>& replies,
                                 const std::map<std::string, TokenPrices>& prices);

}  // namespace ptcvm::cli
