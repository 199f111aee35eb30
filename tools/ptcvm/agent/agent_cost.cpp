#include "tools/ptcvm/agent/agent_cost.h"

#include <algorithm>
#include <set>
#include <utility>

#include "agents/wire/reply_reader.h"
#include "tools/ptcvm/agent/agent_models.h"
#include "tools/ptcvm/text/json_file.h"

namespace ptcvm::cli {
namespace {

constexpr double kMillion = 1e6;
constexpr FileBound kPricesFile{std::size_t{16} << 20, "a file of prices"};

std::optional<wire::TokenUsage> usage_of(const loop::ModelChoice& choice, const loop::ModelReply& reply) {
  wire::ReplyReader::Answer answer;
  answer.protocol = choice.protocol;
  answer.is_stream = choice.is_stream;
  answer.status = reply.status;
  wire::ReplyReader reader(std::move(answer));
  reader.feed(reply.body);
  return reader.finish(reply.is_cut ? wire::ReplyReader::End::Cut : wire::ReplyReader::End::Proper, 0).usage;
}

bool is_good(const loop::ModelReply& reply) { return reply.status >= 200 && reply.status < 300; }

// Adds what one reply used and what it cost.
void add(CostLine& line, const wire::TokenUsage& reported, const loop::ModelChoice& choice,
         const loop::TokenPrices* prices) {
  const wire::TokenUsage usage = loop::even_usage(reported, choice.protocol);
  line.input += usage.input.value_or(0);
  line.cached += usage.cached.value_or(0);
  line.cache_written += usage.cache_written.value_or(0);
  line.output += usage.output.value_or(0);
  line.reasoning += usage.reasoning.value_or(0);
  if (prices != nullptr) line.millionths += loop::money_of(reported, choice.protocol, *prices);
}

}  // namespace

std::optional<loop::ModelPrices> prices_of_file(const std::string& file, std::string& message) {
  const auto read = read_json_file(file, kPricesFile, message);
  if (!read) return std::nullopt;
  auto prices = loop::read_model_prices(*read);
  if (prices) return *std::move(prices);
  message = file + ": " + prices.error().message;
  return std::nullopt;
}

bool limits_money(const loop::AgentDefinition& agent) {
  return agent.limits.money != 0 || std::ranges::any_of(agent.children, [](const auto& child) {
           return child.second != nullptr && limits_money(*child.second);
         });
}

std::string missing_price(const std::vector<std::string>& models, const loop::ModelPrices& prices) {
  for (const std::string& model : models) {
    if (model == kProgramModel || loop::find_prices(prices, model) != nullptr) continue;
    return "there is a limit of money, and --prices has no price of the model " + model;
  }
  return {};
}

std::uint64_t money_of(const loop::ModelChoice& choice, const loop::ModelReply& reply,
                       const loop::ModelPrices& prices) {
  CostLine line;
  add(line, usage_of(choice, reply).value_or(wire::TokenUsage()), choice, loop::find_prices(prices, choice.name));
  return line.millionths;
}

std::optional<double> CostLine::money() const {
  if (!is_priced || !is_counted) return std::nullopt;
  return static_cast<double>(millionths) / kMillion;
}

std::string CostLine::money_text() const { return money() ? loop::money_text(millionths) : "?"; }

std::vector<CostLine> cost_lines(const std::vector<KeptReply>& replies,
                                 const loop::ModelPrices& prices) {
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
    const auto used = usage_of(kept.choice, kept.reply);
    const loop::TokenPrices* const price = loop::find_prices(prices, line->model);
    const bool is_free = line->model == kProgramModel;
    line->is_priced = price != nullptr || is_free;
    if (!used && !is_free && is_good(kept.reply)) line->is_counted = false;
    add(*line, used.value_or(wire::TokenUsage()), kept.choice, price);
  }
  return lines;
}

CostLine sum_of(const std::vector<CostLine>& lines) {
  CostLine sum;
  for (const CostLine& line : lines) {
    sum.calls += line.calls;
    sum.input += line.input;
    sum.cached += line.cached;
    sum.cache_written += line.cache_written;
    sum.output += line.output;
    sum.reasoning += line.reasoning;
    sum.millionths += line.millionths;
    sum.is_priced = sum.is_priced && line.is_priced;
    sum.is_counted = sum.is_counted && line.is_counted;
  }
  return sum;
}

std::string unknown_cost(const std::vector<CostLine>& lines) {
  std::set<std::string> models;
  for (const CostLine& line : lines) {
    if (!line.is_priced) models.insert(line.model);
  }
  if (models.empty()) {
    if (std::ranges::all_of(lines, &CostLine::is_counted)) return "";
    return "replies of the model say nothing of their tokens, so the cost is not known";
  }
  std::string names;
  for (const std::string& model : models) names += (names.empty() ? "" : ", ") + model;
  return "there is no price of " + names + ", so the cost is not known; give --prices FILE, a file of JSON with " +
         "prices for a million tokens: {\"" + *models.begin() + "\": {\"input\": 2, \"output\": 8}}";
}

}  // namespace ptcvm::cli
