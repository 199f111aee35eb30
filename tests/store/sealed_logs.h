// Short words for the tests of sealed logs: rings, refusals, and two runs that are worth sealing.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "runtime/log/log_seal.h"
#include "tests/store/store_facts.h"

namespace ptc {

inline constexpr std::int64_t kSealTime = 1'800'000'000;   // seconds

inline std::shared_ptr<KeyRing> ring(SealAlgorithm algorithm = SealAlgorithm::HmacSha256, const char* id = "k") {
  auto out = std::make_shared<KeyRing>();
  EXPECT_EQ(out->rotate({id, algorithm, kSealTime, {}}), std::nullopt);
  return out;
}

inline std::shared_ptr<const LogSealer> sealer(std::shared_ptr<const KeyRing> keys, std::string tenant = "acme") {
  return std::make_shared<LogSealer>(std::move(keys), std::move(tenant), [] { return kSealTime; });
}

// "" when nothing was refused; else the name of the refusal.
template <class T>
std::string refusal_of(const StoreResult<T>& result) {
  const auto* error = std::get_if<StoreError>(&result);
  if (error == nullptr) return "";
  EXPECT_EQ(error->kind, StoreError::Kind::Seal) << error->message;
  return std::string(error->seal);
}

inline Fact call_fact_of(FactKind kind, const std::string& key, const std::string& call) {
  Fact fact = fact_of(kind, key);
  fact.idempotency_key = call;
  fact.number = 1;
  if (kind == FactKind::EffectSettled) fact.status = "committed";
  return fact;
}

// Run "a" has tasks, an open call and a parked state; run "b" has the same number of facts.
inline void fill(FactStore& store) {
  for (const std::string log : {"a", "b"}) {
    const std::uint64_t token = started(store, log);
    put_one(store, log, token, task_fact("task/one#1", "\"" + log + "\""));
    put_one(store, log, token, call_fact_of(FactKind::Intent, "intent/x#1", "x"));
    put_one(store, log, token, call_fact_of(FactKind::EffectSettled, "effect/x#1", "x"));
    put_one(store, log, token, call_fact_of(FactKind::Intent, "intent/y#1", "y"));
    put_one(store, log, 0, outside_fact("external/go#1"));
    Parked run = waiting_for({"resolved/op1", "resolved/op2"}, 6);
    run.deadline_ms = kStoreNow + 5;
    EXPECT_TRUE(is_parked(store, log, token, run));
    put_one(store, log, token, task_fact("task/last#1"));
    EXPECT_TRUE(taken(store.release(log, token)));
  }
}

// What every store with seals does with the runs of fill(). `open` opens the store with a sealer, or with null.
template <class Open>
void a_log_opens_for_whom_it_was_sealed(Open open, const std::shared_ptr<const LogSealer>& with) {
  const auto store = open(with);
  const std::uint64_t token = claimed(*store, "a");
  EXPECT_EQ(taken(store->read("a", 0, 99)).size(), 7u);
  EXPECT_EQ(taken(store->parked("a"))->snapshot, (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_EQ(taken(store->open_calls("a")).size(), 1u);
  put_one(*store, "a", token, task_fact("task/two#1"));
  taken(store->resumed("a", Cut::blind(token), {}));
  taken(store->ended("a", Cut::blind(token), {}));
  EXPECT_TRUE(taken(store->release("a", token)));
  EXPECT_EQ(refusal_of(open(with)->claim("a", "tester", kStoreNow, kStoreLease)), "");
}

template <class Open>
void a_log_is_refused_with_another_ring_or_tenant(Open open, const std::shared_ptr<const KeyRing>& keys,
                                                  const std::shared_ptr<const LogSealer>& with) {
  const auto refusal = [&open](std::shared_ptr<const LogSealer> sealer) {
    return refusal_of(open(std::move(sealer))->claim("a", "tester", kStoreNow, kStoreLease));
  };
  EXPECT_EQ(refusal(sealer(ring(SealAlgorithm::HmacSha256, "other"))), "unknown_key");
  EXPECT_EQ(refusal(sealer(ring())), "bad_signature");
  EXPECT_EQ(refusal(sealer(keys, "umbrella")), "wrong_tenant");
  EXPECT_EQ(refusal(with), "") << "the refused ones have changed nothing";
}

template <class Open>
void a_log_is_read_and_not_written_without_a_ring(Open open, const std::shared_ptr<const LogSealer>& with) {
  const auto store = open(nullptr);
  EXPECT_EQ(taken(store->read("a", 0, 99)).size(), 7u);
  EXPECT_EQ(taken(store->runs("", 9)).size(), 2u);
  const Fact fact = outside_fact("external/late#1");
  EXPECT_EQ(refusal_of(store->put("a", Cut::blind(), {&fact, 1})), "keys_needed");
  EXPECT_EQ(refusal_of(store->claim("a", "tester", kStoreNow, kStoreLease)), "keys_needed");
  EXPECT_EQ(refusal_of(open(with)->claim("a", "tester", kStoreNow, kStoreLease)), "");
}

template <class Open>
void an_unsealed_log_is_refused_with_a_ring(Open open, const std::shared_ptr<const LogSealer>& with) {
  started(*open(nullptr), "plain");
  const auto store = open(with);
  const Fact fact = outside_fact("external/late#1");
  EXPECT_EQ(refusal_of(store->put("plain", Cut::blind(), {&fact, 1})), "not_sealed");
  EXPECT_EQ(refusal_of(store->read("plain", 0, 9)), "not_sealed");
  EXPECT_EQ(refusal_of(store->claim("plain", "tester", kStoreNow, kStoreLease)), "not_sealed");
}

}  // namespace ptc
