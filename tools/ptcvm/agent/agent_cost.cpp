#include "tools/ptcvm/agent/agent_cost.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "agents/wire/reply_reader.h"
#include "tools/ptcvm/agent/agent_models.h"
#include "tools/ptcvm/text/json_file.h"

namespace ptcvm::cli {
namespace {

constexpr double kMillion = 1e6;
constexpr FileBound kPricesFile{std::size_t{16} << 20, "a file of prices"};

// Whether a model may have answered, and nobody has the end of its reply. Without a status there was no connection.
bool is_lost_on_the_way(const loop::ModelReply& reply) { return reply.is_cut && reply.status != 0; }

bool is_free(const KeptRequest& request) {
  return request.choice.name == kProgramModel || (request.reply && request.reply->is_of_program);
}

void add_tokens(CostLine& line, const wire::TokenUsage& reported, wire::Protocol protocol) {
  const wire::TokenUsage usage = loop::even_usage(reported, protocol);
  line.input += usage.input.value_or(0);
  line.cached += usage.cached.value_or(0);
  line.cache_written += usage.cache_written.value_or(0);
  line.output += usage.output.value_or(0);
  line.reasoning += usage.reasoning.value_or(0);
}

// Returns the line that a request counts for.
CostLine& line_of(std::vector<CostLine>& lines, const KeptRequest& request) {
  const auto line = std::ranges::find_if(lines, [&](const CostLine& known) {
    return known.turn == request.turn && known.agent == request.agent && known.model == request.choice.name;
  });
  if (line != lines.end()) return *line;
  CostLine& added = lines.emplace_back();
  added.turn = request.turn;
  added.agent = request.agent;
  added.model = request.choice.name;
  return added;
}

// Returns what a reply that says its tokens has cost. Without prices the log says it.
std::optional<std::uint64_t> money_of(const KeptRequest& request, const loop::ModelPrices* prices) {
  if (is_free(request)) return 0;
  return prices == nullptr ? request.reply->money : cost_of(request.choice, *request.reply, *prices);
}

// Adds what a reply says and costs. `lost` requests before it cost the same.
void add_reply(CostLine& line, const KeptRequest& request, const loop::ModelPrices* prices, std::uint32_t& lost) {
  const loop::ModelReply& reply = *request.reply;
  const auto used = usage_of(request.choice, reply);
  if (used) add_tokens(line, *used, request.choice.protocol);
  if (!used && is_lost_on_the_way(reply)) ++lost;
  line.is_counted = line.is_counted && (is_free(request) || used || !is_whole(reply));
  if (!used) return;
  const auto money = money_of(request, prices);
  line.is_priced = line.is_priced && money;
  line.millionths += money.value_or(0) * (1 + std::exchange(lost, 0));
}

}  // namespace

std::optional<wire::TokenUsage> usage_of(const loop::ModelChoice& choice, const loop::ModelReply& reply) {
  wire::ReplyReader::Answer answer;
  answer.protocol = choice.protocol;
  answer.is_stream = choice.is_stream;
  answer.status = reply.status;
  wire::ReplyReader reader(std::move(answer));
  reader.feed(reply.body);
  return reader.finish(reply.is_cut ? wire::ReplyReader::End::Cut : wire::ReplyReader::End::Proper, 0).usage;
}

bool is_whole(const loop::ModelReply& reply) { return reply.status >= 200 && reply.status < 300 && !reply.is_cut; }

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

std::optional<std::uint64_t> cost_of(const loop::ModelChoice& choice, const loop::ModelReply& reply,
                                     const loop::ModelPrices& prices) {
  if (reply.is_of_program || choice.name == kProgramModel) return 0;
  const auto used = usage_of(choice, reply);
  if (!used) return is_whole(reply) ? std::nullopt : std::optional<std::uint64_t>(0);
  const loop::TokenPrices* const known = loop::find_prices(prices, choice.name);
  return known == nullptr ? std::nullopt : std::optional(loop::money_of(*used, choice.protocol, *known));
}

Result<std::vector<KeptRequest>> known_requests(const Store& store, const loop::AgentRun& run) {
  auto requests = kept_requests(store, run.id());
  if (!requests) return requests;
  std::set<std::string> awaited;
  for (const loop::Operation& operation : run.operations()) {
    if (operation.kind == loop::OperationKind::Model) awaited.insert(operation.path);
  }
  for (auto request = requests->rbegin(); request != requests->rend(); ++request) {
    if (!request->reply && !request->is_lost && awaited.erase(request->path) == 0) request->is_lost = true;
  }
  return requests;
}

bool knows_cost(const std::vector<KeptRequest>& requests) {
  std::set<std::string> lost;            // the paths of requests that were lost and not repeated yet
  for (const KeptRequest& request : requests) {
    if (is_free(request)) continue;
    const bool has_money = request.reply && request.reply->money;
    if (request.reply && !has_money && is_whole(*request.reply)) return false;
    if (has_money) lost.erase(request.path);
    const bool is_cut = request.reply && !has_money && is_lost_on_the_way(*request.reply);
    if (request.is_lost || is_cut) lost.insert(request.path);
  }
  return lost.empty();
}

Result<bool> knows_spent(const Store& store, const loop::AgentRun& run) {
  const auto requests = known_requests(store, run);
  if (!requests) return requests.error();
  const auto command = kept_command(store, run.id());
  if (!command && command.error().code == Errc::store_failed) return command.error();
  return knows_cost(*requests) && (!command || command->knows_past);
}

std::optional<double> CostLine::money() const {
  if (!is_priced || !is_counted || lost > 0) return std::nullopt;
  return static_cast<double>(millionths) / kMillion;
}

std::string CostLine::money_text() const { return money() ? loop::money_text(millionths) : "?"; }

std::vector<CostLine> cost_lines(const std::vector<KeptRequest>& requests, const loop::ModelPrices* prices) {
  std::vector<CostLine> lines;
  struct Lost {
    std::uint32_t count = 0;
    std::size_t line = 0;                      // where the last one counts
  };
  std::map<std::string, Lost> lost;            // requests whose replies were lost, by path
  for (const KeptRequest& request : requests) {
    CostLine& line = line_of(lines, request);
    Lost& before = lost[request.path];
    before.line = static_cast<std::size_t>(&line - lines.data());
    const bool has_price = prices == nullptr || loop::find_prices(*prices, line.model) != nullptr;
    line.is_priced = line.is_priced && (has_price || line.model == kProgramModel);
    if (!request.reply || !request.reply->is_of_program) ++line.calls;
    if (request.is_lost && !is_free(request)) ++before.count;
    if (request.reply) add_reply(line, request, prices, before.count);
  }
  for (const auto& [path, left] : lost) lines[left.line].lost += left.count;
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
    sum.lost += line.lost;
  }
  return sum;
}

std::string unknown_cost(const std::vector<CostLine>& lines) {
  std::set<std::string> models;
  for (const CostLine& line : lines) {
    if (!line.is_priced) models.insert(line.model);
  }
  if (models.empty()) {
    if (!std::ranges::all_of(lines, &CostLine::is_counted)) {
      return "replies of the model say nothing of their tokens, so the cost is not known";
    }
    const std::uint32_t lost = sum_of(lines).lost;
    if (lost == 0) return "";
    return "the replies of " + std::to_string(lost) + " requests were lost, and the requests were not repeated, so the "
           "cost is not known";
  }
  std::string names;
  for (const std::string& model : models) names += (names.empty() ? "" : ", ") + model;
  return "there is no price of " + names + ", so the cost is not known; give --prices FILE, a file of JSON with " +
         "prices for a million tokens: {\"" + *models.begin() + "\": {\"input\": 2, \"output\": 8}}";
}

}  // namespace ptcvm::cli
