// Short words for the tests of stores: facts, and answers of which only the good one is looked at.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "runtime/log/fact_store.h"

namespace ptc {

inline constexpr std::int64_t kStoreNow = 1'767'225'600'000;
inline constexpr std::int64_t kStoreLease = 10'000;

inline Fact fact_of(FactKind kind, std::string key, std::string value = "1") {
  Fact fact;
  fact.kind = kind;
  fact.time_ms = kStoreNow;
  fact.key = std::move(key);
  fact.value = std::move(value);
  return fact;
}
inline Fact task_fact(std::string key, std::string value = "1") {
  return fact_of(FactKind::TaskCommitted, std::move(key), std::move(value));
}
inline Fact outside_fact(std::string key, std::string value = "1") {
  return fact_of(FactKind::ExternalValue, std::move(key), std::move(value));
}
inline Fact step_fact(std::string key = "") { return fact_of(FactKind::StepDone, std::move(key)); }
inline Fact start_fact() { return fact_of(FactKind::RunStarted, ""); }

// The answer, or an empty one and a failure of the test.
template <class T>
T taken(StoreResult<T> result) {
  if (auto* good = std::get_if<T>(&result)) return std::move(*good);
  const StoreError& error = std::get<StoreError>(result);
  ADD_FAILURE() << store_error_name(error.kind) << ": " << error.message;
  return T{};
}
// "" when it went well.
template <class T>
std::string error_of(const StoreResult<T>& result) {
  const auto* error = std::get_if<StoreError>(&result);
  return error == nullptr ? "" : std::string(store_error_name(error->kind));
}

inline Put put_one(FactStore& store, std::string_view log, std::uint64_t token, const Fact& fact) {
  auto all = taken(store.put(log, Cut::blind(token), {&fact, 1})).puts;
  if (all.size() != 1) ADD_FAILURE() << "one fact in, " << all.size() << " out";
  return all.empty() ? Put{} : std::move(all.front());
}
inline Decided decide_one(FactStore& store, std::string_view log, Cut cut, const Fact& fact) {
  return taken(store.decide(log, cut, {&fact, 1}));
}
inline std::uint64_t claimed(FactStore& store, std::string_view log) {
  const Claim claim = taken(store.claim(log, "tester", kStoreNow, kStoreLease));
  EXPECT_TRUE(claim.granted);
  return claim.token;
}
// A run with one fact.
inline std::uint64_t started(FactStore& store, std::string_view log) {
  const std::uint64_t token = claimed(store, log);
  EXPECT_TRUE(put_one(store, log, token, start_fact()).mine);
  return token;
}
inline Parked waiting_for(std::vector<std::string> keys, std::uint64_t observed) {
  Parked out;
  out.continuation = "c1";
  out.snapshot = {1, 2, 3};
  out.wait_keys = std::move(keys);
  out.observed_seq = observed;
  return out;
}
inline bool is_parked(FactStore& store, std::string_view log, std::uint64_t token, const Parked& run) {
  return taken(store.park(log, {token, run.observed_seq}, {}, run)).parked;
}
inline std::uint64_t head_of(FactStore& store, std::string_view log) {
  const auto info = taken(store.info(log));
  return info ? info->head : 0;
}

}  // namespace ptc
