// What models cost. The host says it, because no server does.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "agents/wire/reply.h"
#include "agents/wire/request.h"
#include "ptcvm/result.hpp"

namespace ptcvm::loop {

// Money for a million tokens, in whatever the host calls money: as many millionths for one token.
struct TokenPrices {
  double input = 0, cached = 0, cache_written = 0, output = 0;
};

// By the name of the model; "*" is every other one.
using ModelPrices = std::map<std::string, TokenPrices, std::less<>>;

// Returns the prices of a model, or null when nobody knows them.
const TokenPrices* find_prices(const ModelPrices& prices, std::string_view model);

// Returns what one reply has cost, in millionths of money and rounded up. `used` is what the protocol says.
std::uint64_t money_of(const wire::TokenUsage& used, wire::Protocol protocol, const TokenPrices& prices);

// Returns an amount of millionths as a number with six places behind the point.
std::string money_text(std::uint64_t millionths);

// Reads {"MODEL": {"input", "cached", "cache_written", "output"}, …}. What a model leaves out costs nothing, except
// that cached tokens and tokens written to the cache cost what input costs. Error: invalid_value.
Result<ModelPrices> read_model_prices(const boost::json::value& file);
// Writes prices as read_model_prices() reads them.
boost::json::object model_prices_json(const ModelPrices& prices);

// Returns the usage as all protocols but one say it. Anthropic's input has not what was cached; here it always has.
wire::TokenUsage even_usage(wire::TokenUsage used, wire::Protocol protocol);

}  // namespace ptcvm::loop
