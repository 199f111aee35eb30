#include "agents/loop/model_prices.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ptcvm::loop {

namespace {

namespace json = boost::json;

constexpr std::string_view kEveryOther = "*";
constexpr double kMostMoney = 1e18;          // more than this is this
constexpr double kMostRoundingError = 1e-6;  // a product that should be whole may be off by so much

constexpr std::pair<std::string_view, double TokenPrices::*> kMembers[] = {
    {"input", &TokenPrices::input},
    {"cached", &TokenPrices::cached},
    {"cache_written", &TokenPrices::cache_written},
    {"output", &TokenPrices::output}};

double tokens(const std::optional<std::int64_t>& count) {
  return static_cast<double>(std::max<std::int64_t>(0, count.value_or(0)));
}

Error no_prices() {
  return {Errc::invalid_value,
          "prices are {\"MODEL\": {\"input\": N, \"cached\": N, \"cache_written\": N, \"output\": N}} for a million "
          "tokens, and no number is below 0",
          std::nullopt, {}};
}

}  // namespace

const TokenPrices* find_prices(const ModelPrices& prices, std::string_view model) {
  auto found = prices.find(model);
  if (found == prices.end()) found = prices.find(kEveryOther);
  return found == prices.end() ? nullptr : &found->second;
}

wire::TokenUsage even_usage(wire::TokenUsage used, wire::Protocol protocol) {
  if (protocol != wire::Protocol::Messages || !used.input) return used;
  used.input = *used.input + used.cached.value_or(0) + used.cache_written.value_or(0);
  return used;
}

std::uint64_t money_of(const wire::TokenUsage& used, wire::Protocol protocol, const TokenPrices& prices) {
  const wire::TokenUsage even = even_usage(used, protocol);
  const double cached = tokens(even.cached), written = tokens(even.cache_written);
  const double fresh = std::max(0.0, tokens(even.input) - cached - written);
  const double money = fresh * prices.input + cached * prices.cached + written * prices.cache_written +
                       tokens(even.output) * prices.output;
  return static_cast<std::uint64_t>(std::ceil(std::min(money, kMostMoney) - kMostRoundingError));
}

std::string money_text(std::uint64_t millionths) {
  constexpr std::uint64_t kMillion = 1'000'000;
  std::string places = std::to_string(millionths % kMillion);
  places.insert(0, 6 - places.size(), '0');
  return std::to_string(millionths / kMillion) + "." + places;
}

Result<ModelPrices> read_model_prices(const json::value& file) {
  if (!file.is_object()) return no_prices();
  ModelPrices prices;
  for (const auto& [model, row] : file.get_object()) {
    if (!row.is_object()) return no_prices();
    const json::object& members = row.get_object();
    TokenPrices& price = prices[std::string(model)];
    for (const auto& [name, value] : members) {
      const auto member = std::find_if(std::begin(kMembers), std::end(kMembers),
                                       [&name = name](const auto& known) { return known.first == name; });
      boost::system::error_code error;
      const double number = value.to_number<double>(error);
      if (member == std::end(kMembers) || error || !(number >= 0)) return no_prices();
      price.*member->second = number;
    }
    if (!members.contains("cached")) price.cached = price.input;
    if (!members.contains("cache_written")) price.cache_written = price.input;
  }
  return prices;
}

json::object model_prices_json(const ModelPrices& prices) {
  json::object out;
  for (const auto& [model, price] : prices) {
    json::object row;
    for (const auto& [name, member] : kMembers) row[name] = price.*member;
    out[model] = std::move(row);
  }
  return out;
}

}  // namespace ptcvm::loop
