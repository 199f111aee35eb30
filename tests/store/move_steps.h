// What the tests of moves do again and again, and the cases that they are made of.
#pragma once
#include <span>

#include "runtime/log/run_move.h"
#include "tests/store/queue_steps.h"

namespace ptc {

inline MoveOptions to_there() { return {"Ann", "there.db", kStoreNow, std::nullopt}; }

inline MoveEnd moved(FactStore& from, FactStore& to, std::string_view run, const MoveOptions& options = to_there()) {
  return taken(move_run(from, to, run, options)).end;
}

inline std::string state_in(FactStore& store, std::string_view run) {
  const auto info = taken(store.info(run));
  return info ? std::string(log_state_name(info->state)) : "";
}

inline std::vector<Fact> facts_of(FactStore& store, std::string_view run) { return taken(store.read(run, 0, 1'000)); }

inline Fact intent_fact(std::string call) {
  Fact fact = fact_of(FactKind::Intent, "intent/" + call + "#1");
  fact.idempotency_key = std::move(call);
  fact.number = 1;
  fact.effect = "unsafe";
  return fact;
}

// A run with a task, an open call, and a parked state that waits for "resolved/op1".
inline std::uint64_t parked_run(FactStore& store, std::string_view run) {
  const std::uint64_t token = started(store, run);
  put_one(store, run, token, task_fact("task/a#1"));
  put_one(store, run, token, intent_fact("k"));
  EXPECT_TRUE(is_parked(store, run, token, waiting_for({"resolved/op1"}, 3)));
  EXPECT_TRUE(taken(store.release(run, token)));
  return token;
}

struct MoveCase {
  const char* name;
  void (*run)(FactStore& from, FactStore& to);
};
std::span<const MoveCase> move_job_cases();    // what becomes of jobs
std::span<const MoveCase> move_copy_cases();   // copies and forks
std::span<const MoveCase> move_tenant_cases(); // tenants of all three

}  // namespace ptc
