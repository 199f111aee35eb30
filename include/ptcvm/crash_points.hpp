// The points of a run at which the crash kit can kill its process: before and after each write of the store, before
// and after each call of a tool, and wherever else somebody calls CrashPoints::reach().
#pragma once
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ptcvm/crash_ledger.hpp"
#include "runtime/log/forwarding_store.h"
#include "runtime/calls/tools.h"

namespace ptc {

// Counts the points that one process passes, and kills it at one of them, as `kill -9` does: nothing of it runs after.
class CrashPoints {
 public:
  // Dies at the `dies_at`-th point, from 1; 0: never.
  CrashPoints(const Ledger& ledger, std::uint64_t dies_at) : ledger_(ledger), dies_at_(dies_at) {}

  // `where` is for people: what is about to be done, or was just done.
  void reach(std::string_view where) {
    if (++reached_ != dies_at_) return;
    ledger_.note("died\n" + std::string(where));
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  std::uint64_t reached() const { return reached_; }
  bool armed() const { return dies_at_ != 0; }   // else nobody has to tell it anything

 private:
  const Ledger& ledger_;
  const std::uint64_t dies_at_;
  std::uint64_t reached_ = 0;
};

// A store with a point before and after each write; and which says to the ledger which keyed facts it was told to be
// written, so that a lost one is noticed.
class CrashStore final : public ForwardingStore {
 public:
  // `durable_at_once`: what a write has returned is durable; otherwise it is after the next flush().
  CrashStore(FactStore& store, const Ledger& ledger, CrashPoints* points, bool durable_at_once)
      : ForwardingStore(store), ledger_(ledger), points_(points), durable_at_once_(durable_at_once) {}

  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts,
                           Durability durability) override {
    auto result = write(name_of(facts), [&] { return store_.put(log, cut, facts, durability); });
    return noted(std::move(result), durability == Durability::Now);
  }
  StoreResult<Decided> decide(std::string_view log, Cut cut, std::span<const Fact> facts) override {
    return write(name_of(facts), [&] { return store_.decide(log, cut, facts); });
  }
  StoreResult<ParkResult> park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run) override {
    return write("park", [&] { return store_.park(log, cut, facts, run); });
  }
  StoreResult<Claim> claim(std::string_view log, std::string_view owner, std::int64_t now_ms, std::int64_t lease_ms,
                           std::optional<std::uint64_t> dead) override {
    return write("claim", [&] { return store_.claim(log, owner, now_ms, lease_ms, dead); });
  }
  StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                          std::int64_t lease_ms) override {
    return write("renew", [&] { return store_.renew(log, token, now_ms, lease_ms); });
  }
  StoreResult<bool> release(std::string_view log, std::uint64_t token) override {
    return write("release", [&] { return store_.release(log, token); });
  }
  StoreResult<Written> resumed(std::string_view log, Cut cut, std::span<const Fact> facts) override {
    return noted(write("resumed", [&] { return store_.resumed(log, cut, facts); }));
  }
  StoreResult<Written> ended(std::string_view log, Cut cut, std::span<const Fact> facts) override {
    return noted(write("ended", [&] { return store_.ended(log, cut, facts); }));
  }
  StoreResult<std::monostate> flush() override {
    auto result = durable_at_once_ ? store_.flush() : write("flush", [&] { return store_.flush(); });
    if (std::holds_alternative<std::monostate>(result)) say();
    return result;
  }

 private:
  static std::string name_of(std::span<const Fact> facts) {
    if (facts.empty()) return "nothing";
    return facts.front().key.empty() ? std::string(fact_name(facts.front().kind)) : facts.front().key;
  }

  template <class Write, class Result = std::invoke_result_t<Write>>
  Result write(const std::string& what, Write perform) {
    if (points_ != nullptr) points_->reach("before write " + what);
    Result result = perform();
    if (points_ != nullptr) points_->reach("after write " + what);
    return result;
  }
  StoreResult<Written> noted(StoreResult<Written> result, bool is_durable = false) {
    if (const auto* const written = std::get_if<Written>(&result)) {
      for (const Put& put : written->puts) {
        if (!put.mine || put.fact.key.empty()) continue;
        unsaid_.push_back("said\n" + std::to_string(put.fact.key.size()) + '\n' + put.fact.key + put.fact.value);
      }
      if (durable_at_once_ || is_durable) say();
    }
    return result;
  }
  void say() {
    for (std::string& text : unsaid_) ledger_.note(std::move(text));
    unsaid_.clear();
  }

  const Ledger& ledger_;
  CrashPoints* const points_;   // null: none at writes
  const bool durable_at_once_;
  std::vector<std::string> unsaid_;
};

// The same tools with a point before and after each call: before its effect, and between the effect and its record.
// What is given must outlive them.
inline ToolRegistry with_crash_points(const ToolRegistry& tools, CrashPoints& points) {
  ToolRegistry out;
  for (const std::string_view name : tools.names()) {
    const Tool& tool = *tools.find(name);
    ToolHandler handler = [&tool, &points](const ToolCall& call) {
      const std::string what = tool.definition.name + " " + std::string(call.meta.idempotency_key);
      points.reach("before call " + what);
      ToolReply reply = tool.handler(call);
      points.reach("after call " + what);
      return reply;
    };
    out.add(tool.definition, std::move(handler), tool.reconcile);
  }
  return out;
}

}  // namespace ptc
