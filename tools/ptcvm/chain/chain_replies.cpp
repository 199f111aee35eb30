#include "tools/ptcvm/chain/chain_replies.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <utility>

#include "tools/ptcvm/chain/chain_setup.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr const char* kReply = "reply";

// Writes nothing of tokens for a reply that says nothing of them.
std::string reply_body(const ChainReply& reply, const loop::ModelPrices& prices) {
  json::object body{{"for", reply.what}, {"model", reply.choice.name}};
  if (const auto cost = cost_of(reply.choice, reply.reply, prices)) body["money"] = *cost;
  const auto used = usage_of(reply.choice, reply.reply);
  if (!used) {
    if (is_whole(reply.reply)) body["unknown"] = true;
    return json::serialize(body);
  }
  const wire::TokenUsage usage = loop::even_usage(*used, reply.choice.protocol);
  const auto add = [&body](const char* name, const std::optional<std::int64_t>& tokens) {
    if (tokens) body[name] = *tokens;
  };
  add("input", usage.input);
  add("cached", usage.cached);
  add("cache_written", usage.cache_written);
  add("output", usage.output);
  add("reasoning", usage.reasoning);
  return json::serialize(body);
}

std::int64_t tokens_in(const json::object& body, std::string_view name) {
  const json::value* const found = body.if_contains(name);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

std::string text_in(const json::object& body, std::string_view name) {
  const json::value* const found = body.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

// Returns what the log says that the reply has cost, or nullopt.
std::optional<std::uint64_t> money_in(const json::object& body) {
  const json::value* const found = body.if_contains("money");
  boost::system::error_code error;
  const auto money = found == nullptr ? 0 : found->to_number<std::uint64_t>(error);
  return found == nullptr || error ? std::nullopt : std::optional(money);
}

// Returns what these tokens cost, or nullopt when the prices lack the model.
std::optional<std::uint64_t> money_at(const loop::ModelPrices& prices, const std::string& model,
                                      const wire::TokenUsage& usage) {
  const loop::TokenPrices* const known = loop::find_prices(prices, model);
  if (known == nullptr) return std::nullopt;
  return loop::money_of(usage, wire::Protocol::Chat, *known);   // the tokens are even
}

// Adds a reply. Versions that noted replies without their tokens left {}: nobody knows what these have cost.
void add_reply(std::vector<CostLine>& lines, const json::object& body, const loop::ModelPrices* prices) {
  const std::string what = text_in(body, "for"), model = text_in(body, "model");
  auto line = std::ranges::find_if(lines, [&](const CostLine& one) { return one.agent == what && one.model == model; });
  if (line == lines.end()) {
    CostLine& added = lines.emplace_back();
    added.agent = what;
    added.model = model;
    line = lines.end() - 1;
  }
  ++line->calls;
  const bool is_counted = !body.empty() && !body.contains("unknown");
  line->is_counted = line->is_counted && is_counted;
  wire::TokenUsage usage;
  line->input += usage.input.emplace(tokens_in(body, "input"));
  line->cached += usage.cached.emplace(tokens_in(body, "cached"));
  line->cache_written += usage.cache_written.emplace(tokens_in(body, "cache_written"));
  line->output += usage.output.emplace(tokens_in(body, "output"));
  line->reasoning += usage.reasoning.emplace(tokens_in(body, "reasoning"));
  const auto money = prices == nullptr ? money_in(body) : money_at(*prices, model, usage);
  line->is_priced = line->is_priced && (money || !is_counted);
  line->millionths += money.value_or(0);
}

}  // namespace

Result<void> keep_reply(const Store& store, const std::string& id, const ChainReply& reply,
                        const loop::ModelPrices& prices) {
  HostFact fact;
  fact.fact_class = HostFactClass::Control;
  fact.name = kReply;
  fact.key = "reply " + reply.key;
  fact.body = reply_body(reply, prices);
  return put_host_fact(store, setup_log(id), std::move(fact));
}

Result<std::size_t> kept_replies_of(const Store& store, const std::string& id) {
  std::size_t count = 0;
  const auto visited =
      visit_host_facts(store, setup_log(id), [&](const HostFact& fact) { count += fact.name == kReply; });
  if (!visited) return visited.error();
  return count;
}

Result<std::vector<CostLine>> chain_cost_lines(const Store& store, const std::string& id,
                                               const loop::ModelPrices* prices) {
  std::vector<CostLine> lines;
  const auto visited = visit_host_facts(store, setup_log(id), [&](const HostFact& fact) {
    if (fact.name != kReply) return;
    boost::system::error_code error;
    const json::value body = json::parse(fact.body, error);
    if (!error && body.is_object()) add_reply(lines, body.get_object(), prices);
  });
  if (!visited) return visited.error();
  return lines;
}

}  // namespace ptcvm::cli
