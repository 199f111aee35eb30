#include "tools/ptcvm/chain/chain_budget.h"

#include <boost/json.hpp>
#include <utility>
#include <vector>

#include "tools/ptcvm/chain/chain_setup.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr const char* kRaised = "raised";

Result<std::uint64_t> raised_money(const Store& store, const std::string& id) {
  std::uint64_t sum = 0;
  const auto visited = visit_host_facts(store, setup_log(id), [&sum](const HostFact& fact) {
    if (fact.name != kRaised) return;
    boost::system::error_code error;
    const json::value body = json::parse(fact.body, error);
    const json::value* const by = body.is_object() ? body.get_object().if_contains("money") : nullptr;
    const std::uint64_t number = by == nullptr ? 0 : by->to_number<std::uint64_t>(error);
    sum += std::min(number, UINT64_MAX - sum);
  });
  if (!visited) return visited.error();
  return sum;
}

}  // namespace

Result<void> raise_money(const Store& store, const std::string& id, std::uint64_t by) {
  HostFact fact;
  fact.fact_class = HostFactClass::Control;
  fact.name = kRaised;
  fact.body = json::serialize(json::object{{"money", by}});
  return put_host_fact(store, setup_log(id), std::move(fact));
}

Result<ChainBudget> ChainBudget::read(const Store& store, const std::string& id, ChainMoney money) {
  ChainBudget budget(std::move(money));
  if (!budget.is_limited()) return budget;
  const auto raised = raised_money(store, id);
  if (!raised) return raised.error();
  budget.money_.most += std::min(*raised, UINT64_MAX - budget.money_.most);
  const auto lines = chain_cost_lines(store, id, nullptr);
  if (!lines) return lines.error();
  const CostLine sum = sum_of(*lines);
  budget.spent_ = sum.millionths;
  budget.is_known_ = sum.money().has_value();
  return budget;
}

Result<void> ChainBudget::keep(const Store& store, const std::string& id, const ChainReply& reply) {
  const auto cost = cost_of(reply.choice, reply.reply, money_.prices);
  is_known_ = is_known_ && cost;
  spent_ += cost.value_or(0);
  return keep_reply(store, id, reply, money_.prices);
}

std::string ChainBudget::refusal() const {
  if (!is_limited() || (is_known_ && left() > 0)) return {};
  const std::string limit = "BUDGET_EXHAUSTED: the limit money (" + std::to_string(money_.most) + ") ";
  return limit + (is_known_ ? "is used up" : "cannot be kept: nobody knows what a reply of the model has cost");
}

}  // namespace ptcvm::cli
