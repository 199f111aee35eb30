#include "runtime/log/log_walk.h"

#include <algorithm>

#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

std::string of(std::string_view log) { return "the log of " + std::string(log); }

}  // namespace

StoreError fact_changed(std::string_view log, const std::string& what) {
  return seal_refusal("fact_changed", of(log) + ": " + what + ". Somebody changed the store");
}

StoreError fact_missing(std::string_view log, std::uint64_t seq) {
  return seal_refusal("fact_missing", of(log) + ": fact " + std::to_string(seq) +
                                          " was sealed and is not there. Somebody changed the store");
}

StoreError parked_changed(std::string_view log) {
  return seal_refusal("parked_changed",
                      of(log) + ": what is parked is not what was sealed. Somebody changed the store");
}

StoreError claim_changed(std::string_view log) {
  return seal_refusal("claim_changed", of(log) + ": its claim is not the one that was sealed");
}

StoreError not_sealed(std::string_view log) {
  return seal_refusal("not_sealed", of(log) + " is not sealed: run it without a key ring, or import a copy with one");
}

StoreError keys_needed(std::string_view log) {
  return seal_refusal("keys_needed", of(log) + " is sealed: give its key ring");
}

StoreError rolled_back(std::string_view log) {
  return seal_refusal("rolled_back", of(log) + " has fewer facts or fewer claims than it had before");
}

std::optional<StoreError> LogWalk::take(const WalkedFact& row, const std::optional<Fact>& fact,
                                        std::optional<std::string_view> key) {
  const std::string name = "fact " + std::to_string(row.seq);
  if (row.seq != seq_ + 1) return fact_missing(log_, seq_ + 1);
  if (!fact) return fact_changed(log_, name + " cannot be read");
  seq_ = row.seq;
  chain_ = chained(chain_, log_, row.seq, row.body);
  if (row.key != key || row.rank != rank_of(fact->kind) || row.time_ms != fact->time_ms) {
    return fact_changed(log_, "the columns of " + name + " differ from its bytes");
  }
  if (!is_whole()) return std::nullopt;
  Fact placed = *fact;
  placed.seq = row.seq;
  if (is_notable(placed.kind)) notable_.push_back(row.seq);
  open_.add(placed);
  return std::nullopt;
}

std::optional<StoreError> LogWalk::end(const LogHead& to) const {
  if (seq_ < to.seq) return fact_missing(log_, seq_ + 1);
  if (seq_ > to.seq) return fact_changed(log_, "fact " + std::to_string(to.seq + 1) + " was not sealed");
  if (chain_ != to.chain) return fact_changed(log_, "its facts are not the ones that were sealed");
  return std::nullopt;
}

std::optional<StoreError> LogWalk::compare_notable(std::span<const std::uint64_t> places) const {
  if (std::ranges::equal(places, notable_)) return std::nullopt;
  return fact_changed(log_, "the index of notable facts differs");
}

std::optional<StoreError> LogWalk::compare_open(std::span<const std::uint64_t> places) const {
  std::vector<std::uint64_t> open;
  for (const Fact& intent : open_.intents()) open.push_back(intent.seq);
  if (std::ranges::equal(places, open)) return std::nullopt;
  return fact_changed(log_, "the table of open calls differs");
}

}  // namespace ptc
