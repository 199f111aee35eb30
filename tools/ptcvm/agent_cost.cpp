#include "tools/ptcvm/agent_cost.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iomanip>
#include <sstream>

#include "agents/wire/reply_reader.h"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/json_problem.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr double kTokensOfAPrice = 1e6;

std::optional<wire::TokenUsage> usage_of(const loop::ModelChoice& choice, const loop::ModelReply& reply) {
  wire::ReplyReader::Answer answer;
  answer.protocol = choice.protocol;
  answer.is_stream = choice.is_stream;
  answer.status = reply.status;
  wire::ReplyReader reader(std::move(answer));
  reader.feed(reply.body);
  return reader.finish(reply.is_cut ? wire::ReplyReader::End::Cut : wire::ReplyReader::End::Proper, 0).usage;
}

// The input of OpenAI has what was cached in it; Anthropic's has not.
bool input_has_cached(const loop::ModelChoice& choice) { return choice.protocol != wire::Protocol::Messages; }

double money_of(const CostLine& line, const TokenPrices& prices, const loop::ModelChoice& choice) {
  const std::int64_t cached = line.cached + line.cache_written;
  const std::int64_t fresh = input_has_cached(choice) ? std::max<std::int64_t>(0, line.input - cached) : line.input;
  const double money = static_cast<double>(fresh) * prices.input + static_cast<double>(line.cached) * prices.cached +
                       static_cast<double>(line.cache_written) * prices.cache_written +
                       static_cast<double>(line.output) * prices.output;
  return money / kTokensOfAPrice;
}

TokenPrices prices_of(const std::map<std::string, TokenPrices>& prices, const std::string& model) {
  auto found = prices.find(model);
  if (found == prices.end()) found = prices.find("*");
  return found == prices.end() ? TokenPrices() : found->second;
}

std::optional<std::map<std::string, TokenPrices>> read_prices(const std::string& text, std::string& message) {
  boost::system::error_code error;
  const json::value file = json::parse(text, error);
  message = "the prices are no JSON: " + json_problem(text);
  if (error) return std::nullopt;
  message = "prices are {\"MODEL\": {\"input\": N, \"cached\": N, \"cache_written\": N, \"output\": N}} for a million "
            "tokens";
  if (!file.is_object()) return std::nullopt;
  std::map<std::string, TokenPrices> prices;
  for (const auto& [model, row] : file.get_object()) {
    if (!row.is_object()) return std::nullopt;
    TokenPrices& price = prices[std::string(model)];
    bool has_cached = false, has_written = false;
    for (const auto& [name, value] : row.get_object()) {
      double* const place = name == "input"           ? &price.input
                            : name == "cached"        ? &price.cached
                            : name == "cache_written" ? &price.cache_written
                            : name == "output"        ? &price.output
                                                      : nullptr;
      if (place == nullptr || !value.is_number()) return std::nullopt;
      *place = value.to_number<double>();
      has_cached = has_cached || name == "cached";
      has_written = has_written || name == "cache_written";
    }
    if (!has_cached) price.cached = price.input;
    if (!has_written) price.cache_written = price.input;
  }
  return prices;
}

// Adds what one reply used and what it cost.
void add(CostLine& line, const wire::TokenUsage& usage, const loop::ModelChoice& choice, const TokenPrices& prices) {
  CostLine one;
  one.input = usage.input.value_or(0);
  one.cached = usage.cached.value_or(0);
  one.cache_written = usage.cache_written.value_or(0);
  one.output = usage.output.value_or(0);
  line.input += one.input;
  line.cached += one.cached;
  line.cache_written += one.cache_written;
  line.output += one.output;
  line.reasoning += usage.reasoning.value_or(0);
  line.money += money_of(one, prices, choice);
}

}  // namespace

std::optional<std::map<std::string, TokenPrices>> prices_of_file(const std::string& file, std::string& message) {
  const auto text = read_file(file, message);
  auto prices = text ? read_prices(*text, message) : std::nullopt;
  if (text && !prices) message = file + ": " + message;
  return prices;
}

double money_of(const loop::ModelChoice& choice, const loop::ModelReply& reply,
                const std::map<std::string, TokenPrices>& prices) {
  CostLine line;
  add(line, usage_of(choice, reply).value_or(wire::TokenUsage()), choice, prices_of(prices, choice.name));
  return line.money;
}

std::string money_text(double money) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(6) << money;
  return text.str();
}

std::vector<CostLine> cost_lines(const std::vector<KeptReply>& replies,
                                 const std::map<std::string, TokenPrices>& prices) {
  std::vector<CostLine> lines;
  for (const KeptReply& kept : replies) {
    auto line = std::find_if(lines.begin(), lines.end(), [&](const CostLine& known) {
      return known.turn == kept.turn && known.agent == kept.agent && known.model == kept.choice.name;
    });
    if (line == lines.end()) {
      line = lines.insert(lines.end(), CostLine());
      line->turn = kept.turn;
      line->agent = kept.agent;
      line->model = kept.choice.name;
    }
    ++line->calls;
    const wire::TokenUsage used = usage_of(kept.choice, kept.reply).value_or(wire::TokenUsage());
    add(*line, used, kept.choice, prices_of(prices, line->model));
  }
  return lines;
}

}  // namespace ptcvm::cli
