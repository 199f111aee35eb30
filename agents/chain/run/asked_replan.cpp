#include "agents/chain/run/asked_replan.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "agents/chain/run/chain_log.h"
#include "ptcvm/host_log.hpp"

namespace ptcvm::chain {

namespace {

constexpr std::string_view kName = "replan", kPrefix = "replan@";

HostLog wishes_of(const Store& store, std::string_view task_id) {
  return HostLog::of(store, std::string(task_id) + "/replans");
}

AskedReplan wish_in(const HostFact& fact) {
  AskedReplan asked;
  const std::string_view key = fact.key;
  std::from_chars(key.data() + std::min(kPrefix.size(), key.size()), key.data() + key.size(), asked.revision);
  asked.wish = fact.body;
  return asked;
}

}  // namespace

Result<std::optional<AskedReplan>> last_replan(const Store& store, std::string_view task_id) {
  const HostLog log = wishes_of(store, task_id);
  const auto head = log.head();
  if (!head) return head.error();
  if (*head == 0) return std::optional<AskedReplan>();
  const auto facts = log.read(*head - 1, 1);   // the log has only wishes
  if (!facts) return facts.error();
  if (facts->empty() || facts->front().name != kName) return std::optional<AskedReplan>();
  return std::optional(wish_in(facts->front()));
}

Result<std::vector<AskedReplan>> all_replans(const Store& store, std::string_view task_id) {
  constexpr std::size_t kMostWishes = 1'000;
  const auto facts = wishes_of(store, task_id).read(0, kMostWishes);
  if (!facts) return facts.error();
  std::vector<AskedReplan> wishes;
  for (const HostFact& fact : *facts) {
    if (fact.name == kName) wishes.push_back(wish_in(fact));
  }
  return wishes;
}

Result<AskedReplan> ask_replan(const Store& store, std::string_view task_id, std::string wish, std::string by,
                               std::int64_t time_ms) {
  const auto log = read_chain_log(store, task_id);
  if (!log) return log.error();
  if (!log->report || log->is_replanned) {
    return Error{Errc::wrong_state,
                 log->report ? "the task is to be planned again already; go on with it first"
                             : "the task has no report yet: it plans failed steps again by itself",
                 std::nullopt};
  }
  AskedReplan asked{std::max(log->reported_revision, log->revision) + 1, std::move(wish)};
  HostFact fact;
  fact.fact_class = HostFactClass::Observation;
  fact.name = kName;
  fact.key = std::string(kPrefix) + std::to_string(asked.revision);
  fact.body = asked.wish;
  fact.by = std::move(by);
  fact.time_ms = time_ms;
  const auto put = wishes_of(store, task_id).put(HostCut::blind(), {&fact, 1});
  if (!put) return put.error();
  return asked;
}

}  // namespace ptcvm::chain
