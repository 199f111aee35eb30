#include "tools/ptcvm/chain/chain_money.h"

#include <algorithm>
#include <utility>

#include "tools/ptcvm/agent/agent_cost.h"
#include "tools/ptcvm/agent/agent_tell.h"

namespace ptcvm::cli {

namespace json = boost::json;

std::optional<std::uint64_t> read_chain_limit(const std::string& words, std::string& message) {
  const auto limit = read_limit_number(words, message);
  if (!limit) return std::nullopt;
  if (limit->limit == "money") return limit->number;
  message = "a task has no limit " + limit->limit + "; it has money";
  return std::nullopt;
}

std::optional<ChainMoney> ChainMoney::of(const std::vector<std::string>& limits, const std::string& prices,
                                         std::string& message) {
  ChainMoney money;
  for (const std::string& words : limits) {
    const auto most = read_chain_limit(words, message);
    if (!most) return std::nullopt;
    money.most = money.most == 0 ? *most : std::min(money.most, *most);
  }
  if (prices.empty()) return money;
  auto read = prices_of_file(prices, message);
  if (!read) return std::nullopt;
  money.prices = *std::move(read);
  return money;
}

void ChainMoney::keep(json::object& setup) const {
  if (most != 0) setup["money"] = most;
  if (!prices.empty()) setup["prices"] = loop::model_prices_json(prices);
}

ChainMoney ChainMoney::kept(const json::object& setup) {
  ChainMoney money;
  boost::system::error_code error;
  if (const json::value* const most = setup.if_contains("money")) {
    money.most = most->to_number<std::uint64_t>(error);   // 0 when it is no such number
  }
  const json::value* const prices = setup.if_contains("prices");
  auto read = prices == nullptr ? Result<loop::ModelPrices>(loop::ModelPrices()) : loop::read_model_prices(*prices);
  if (read) money.prices = *std::move(read);
  return money;
}

void declare_chain_limit(CLI::App& command, std::vector<std::string>& limits) {
  command
      .add_option("--limit", limits,
                  "money=NUMBER: models may cost so many millionths, for the task and the agents of its steps")
      ->type_name("LIMIT=NUMBER")
      ->allow_extra_args(false);
}

void declare_prices(CLI::App& command, std::string& file) {
  command.add_option("--prices", file, "Prices of models for a million tokens, a file of JSON")->type_name("FILE");
}

}  // namespace ptcvm::cli
