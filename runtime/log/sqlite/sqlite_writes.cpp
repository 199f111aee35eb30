#include "runtime/log/sqlite/sqlite_writes.h"

#include <algorithm>
#include <utility>

#include "runtime/log/store_rules.h"

namespace ptc {

std::optional<StoreError> fenced(const RunRow& run, std::uint64_t token) {
  if (token == 0 || (run.id != 0 && run.token == token && !run.owner.empty())) return std::nullopt;
  return StoreError{StoreError::Kind::Fenced, "the claim is not the newest any more"};
}

std::optional<StoreError> departed(SqliteTables& tables, const RunRow& run) {
  if (run.id == 0 || !has_left(run.state)) return std::nullopt;
  return run_moved(run.log, tables.place_moved_to(run));
}

std::optional<Fact> conflict(SqliteTables& tables, const RunRow& run, Cut cut, std::span<const Fact> facts) {
  if (has_decision(facts)) {
    if (auto out = tables.outdating(run, cut)) return out;
  }
  for (const Fact& fact : facts) {
    if (fact.key.empty()) continue;
    if (auto out = tables.keyed(run, fact.key)) return out;
  }
  return std::nullopt;
}

std::optional<Fact> arrived(SqliteTables& tables, const RunRow& run, const Parked& parked) {
  std::optional<Fact> first;
  for (const std::string& key : parked.wait_keys) {
    auto there = tables.keyed(run, key);
    if (there && there->seq > parked.observed_seq && (!first || there->seq < first->seq)) first = std::move(there);
  }
  return first;
}

Written seen(SqliteTables& tables, std::string_view log, std::uint64_t head, Cut cut) {
  Written out;
  out.head = head;
  if (cut.seq >= head) return out;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(head - cut.seq, kMostOthers));
  out.others = tables.facts_after(log, cut.seq, count);
  out.more = count < head - cut.seq;
  return out;
}

void put_all(SqliteTables& tables, RunRow& run, std::uint64_t token, std::span<const Fact> facts, Written& out) {
  out.puts.reserve(facts.size());
  for (const Fact& fact : facts) {
    auto there = fact.key.empty() ? std::nullopt : tables.keyed(run, fact.key);
    const bool is_new = !there;
    out.puts.push_back({is_new ? tables.append(run, ++out.head, token, fact) : *std::move(there), is_new});
  }
}

void append_all(SqliteTables& tables, RunRow& run, std::uint64_t token, std::span<const Fact> facts, Written& out) {
  for (const Fact& fact : facts) out.puts.push_back({tables.append(run, ++out.head, token, fact), true});
}

}  // namespace ptc
