#include "runtime/log/listing_store.h"

#include <algorithm>

#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

bool has_all(const Overview& run) { return run.facts.size() == run.info.head; }

// The facts after a place, at most `most` of those that are wanted.
template <class Is>
std::vector<Fact> facts_after(const Overview& run, std::uint64_t after, std::size_t most, Is is_wanted) {
  std::vector<Fact> out;
  for (const Fact& fact : run.facts) {
    if (fact.seq > after && out.size() < most && is_wanted(fact)) out.push_back(fact);
  }
  return out;
}

}   // namespace

StoreResult<std::vector<Overview>> overviews_of(FactStore& store, std::string_view after, std::size_t most) {
  if (auto* const source = dynamic_cast<OverviewSource*>(&store)) return source->overviews(after, most);
  auto page = store.runs(after, most);
  if (auto* error = std::get_if<StoreError>(&page)) return std::move(*error);
  std::vector<Overview> out;
  for (RunInfo& info : std::get<std::vector<RunInfo>>(page)) out.emplace_back().info = std::move(info);
  return out;
}

std::shared_ptr<const Overview> ListingStore::known(std::string_view log) const {
  const std::lock_guard lock(mutex_);
  const auto at = page_.find(log);
  return at == page_.end() || !at->second->is_known ? nullptr : at->second;
}

StoreResult<std::vector<RunInfo>> ListingStore::runs(std::string_view after, std::size_t most) {
  auto read = overviews_of(store_, after, most);
  if (auto* error = std::get_if<StoreError>(&read)) return std::move(*error);
  std::vector<RunInfo> out;
  const std::lock_guard lock(mutex_);
  page_.clear();
  for (Overview& run : std::get<std::vector<Overview>>(read)) {
    out.push_back(run.info);
    const std::string log = run.info.log;   // before the run is moved from
    page_.insert_or_assign(log, std::make_shared<const Overview>(std::move(run)));
  }
  return out;
}

StoreResult<std::optional<RunInfo>> ListingStore::info(std::string_view log) {
  if (const auto run = known(log)) return std::optional(run->info);
  return store_.info(log);
}

StoreResult<std::vector<Fact>> ListingStore::read(std::string_view log, std::uint64_t after, std::size_t most) {
  const auto run = known(log);
  if (run == nullptr) return store_.read(log, after, most);
  const auto is_next = [&](const Fact& fact) { return fact.seq == after + 1; };
  const bool is_one = most == 1 && std::ranges::any_of(run->facts, is_next);
  if (!is_one && !has_all(*run)) return store_.read(log, after, most);
  return facts_after(*run, after, most, [](const Fact&) { return true; });
}

StoreResult<std::vector<Fact>> ListingStore::read_notable(std::string_view log, std::uint64_t after,
                                                          std::size_t most) {
  const auto run = known(log);
  if (run == nullptr) return store_.read_notable(log, after, most);
  return facts_after(*run, after, most, [](const Fact& fact) { return is_notable(fact.kind); });
}

StoreResult<std::vector<Fact>> ListingStore::open_calls(std::string_view log) {
  if (const auto run = known(log)) return run->open_calls;
  return store_.open_calls(log);
}

StoreResult<std::optional<Parked>> ListingStore::parked(std::string_view log) {
  if (const auto run = known(log)) return run->parked;
  return store_.parked(log);
}

}   // namespace ptc
