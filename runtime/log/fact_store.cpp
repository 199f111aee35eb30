#include "runtime/log/fact_store.h"

#include <utility>

#include "runtime/log/open_calls.h"
#include "runtime/log/store_rules.h"
#include "vm/snapshot/snapshot_memory.h"

namespace ptc {

std::string_view store_error_name(StoreError::Kind kind) {
  switch (kind) {
    case StoreError::Kind::Io: return "store_io";
    case StoreError::Kind::Unknown: return "store_unknown";
    case StoreError::Kind::Full: return "store_full";
    case StoreError::Kind::Corrupt: return "store_corrupt";
    case StoreError::Kind::Version: return "store_version";
    case StoreError::Kind::Locked: return "store_locked";
    case StoreError::Kind::Fenced: return "store_fenced";
    case StoreError::Kind::Missing: return "store_missing";
    case StoreError::Kind::Moved: return "store_moved";
    case StoreError::Kind::Seal: return "store_sealed";
    case StoreError::Kind::Misuse: return "store_misuse";
    case StoreError::Kind::WrongTenant: return "store_wrong_tenant";
    case StoreError::Kind::DeadNode: return "store_dead_node";
    case StoreError::Kind::RunOrdered: return "run_has_order";
    case StoreError::Kind::RunMoved: return "run_moved";
    case StoreError::Kind::RunIsCopy: return "run_is_copy";
    case StoreError::Kind::ResultTooLarge: return "result_too_large";
  }
  return "";
}

std::string_view log_state_name(LogState state) {
  switch (state) {
    case LogState::Running: return "running";
    case LogState::Parked: return "parked";
    case LogState::Ended: return "ended";
    case LogState::Moving: return "moving";
    case LogState::Moved: return "moved";
  }
  return "";
}

void Parked::write_snapshot(SnapshotSink& out) const {
  if (pieces != nullptr) return pieces->write(out);
  out.append(snapshot);
}

std::vector<std::uint8_t> Parked::whole_snapshot() const {
  SnapshotVector<std::uint8_t> out;
  out.reserve(snapshot_size());
  write_snapshot(out);
  return std::move(out).take();
}

namespace {

StoreError moves_nothing() { return {StoreError::Kind::Misuse, "this store moves no runs"}; }

}  // namespace

StoreResult<std::optional<Written>> FactStore::end_job(std::string_view, Cut, const Fact&, std::int64_t) {
  return std::optional<Written>();
}

StoreResult<Written> FactStore::depart(std::string_view, Cut, const Fact&) { return moves_nothing(); }
StoreResult<bool> FactStore::arrive(const Arrival&, std::int64_t) { return moves_nothing(); }
StoreResult<bool> FactStore::settle_departure(std::string_view, std::string_view) { return moves_nothing(); }

StoreResult<std::vector<Fact>> FactStore::read_notable(std::string_view log, std::uint64_t after, std::size_t most) {
  constexpr std::size_t kPage = 1'000;
  std::vector<Fact> out;
  for (std::size_t count = kPage; count == kPage && out.size() < most;) {
    auto page = read(log, after, kPage);
    if (auto* error = std::get_if<StoreError>(&page)) return std::move(*error);
    auto& facts = std::get<std::vector<Fact>>(page);
    count = facts.size();
    after += count;
    for (Fact& fact : facts) {
      if (is_notable(fact.kind) && out.size() < most) out.push_back(std::move(fact));
    }
  }
  return out;
}

StoreResult<std::vector<Fact>> FactStore::open_calls(std::string_view log) {
  constexpr std::size_t kPage = 1'000;
  OpenCalls open;
  for (std::uint64_t after = 0;;) {
    auto page = read(log, after, kPage);
    if (auto* error = std::get_if<StoreError>(&page)) return std::move(*error);
    const auto& facts = std::get<std::vector<Fact>>(page);
    for (const Fact& fact : facts) open.add(fact);
    if (facts.size() < kPage) return open.intents();
    after = facts.back().seq;
  }
}

}  // namespace ptc
