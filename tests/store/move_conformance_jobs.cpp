// What becomes of the jobs of runs that move.
#include "runtime/durable/run_copy.h"
#include "tests/store/move_steps.h"

namespace ptc {
namespace {

void its_job_goes_along(FactStore& from, FactStore& to) {
  Job job = job_of("a", "acme");
  job.priority = -3;
  job.needs = {"pay"};
  job.most_attempts = 7;
  ASSERT_TRUE(enqueued(from, job));
  EXPECT_EQ(moved(from, to, "a"), MoveEnd::Done);
  EXPECT_EQ(state_of(from, "a"), "moved");
  EXPECT_TRUE(claims(from, joined(from), 10, kStoreNow, {"pay"}).empty()) << "no worker of the old store gets it";
  const JobRow row = row_of(to, "a");
  EXPECT_EQ(std::tuple(row.queue, row.tenant, row.priority, row.most_attempts), std::tuple("q", "acme", -3, 7));
  EXPECT_EQ(row.needs, Logs{"pay"});
  const auto run = claims(to, joined(to), 10, kStoreNow, {"pay"});
  ASSERT_EQ(logs_of(run), Logs{"a"});
  EXPECT_EQ(taken(move_run(to, from, "a", to_there())).end, MoveEnd::Busy) << "a worker executes it";
  end_run(to, run[0]);
  EXPECT_TRUE(finished(to, run[0], kOver));
  EXPECT_EQ(moved(to, from, "a"), MoveEnd::Done);
  EXPECT_EQ(state_of(from, "a"), "done");
}

void jobs_keep_their_states(FactStore& from, FactStore& to) {
  for (const char* const name : {"ready", "timer", "waiting", "woken", "dead", "told", "retried"}) {
    Job job = job_of(name);
    if (job.log == "timer") job.delay_ms = 60'000;
    ASSERT_TRUE(enqueued(from, job));
  }
  const auto runs = claims(from, joined(from), 10);
  for (const ClaimedRun& run : runs) {
    if (run.log == "waiting" || run.log == "woken") {
      EXPECT_TRUE(is_parked(from, run.log, run.token, waiting_for({"resolved/op1"}, 1)));
      EXPECT_TRUE(finished(from, run));
    } else if (run.log == "dead") {
      EXPECT_TRUE(finished(from, run, {Finish::Kind::GiveUp, 0, "no"}));
    } else if (run.log == "retried") {
      EXPECT_TRUE(finished(from, run, {Finish::Kind::Retry, 30'000, "failed"}));
    } else {
      EXPECT_TRUE(finished(from, run));
    }
  }
  put_one(from, "woken", 0, fact_of(FactKind::OperationResolved, "resolved/op1"));
  EXPECT_TRUE(taken(from.queue()->cancel("told", "", "no", "Ann", kStoreNow)));
  for (const char* const name : {"ready", "timer", "waiting", "woken", "dead", "told", "retried"}) {
    EXPECT_EQ(moved(from, to, name), MoveEnd::Done) << name;
  }
  EXPECT_EQ(state_of(to, "ready"), "ready");
  EXPECT_EQ(state_of(to, "timer"), "timer");
  EXPECT_EQ(row_of(to, "timer").at_ms, kStoreNow + 60'000);
  EXPECT_EQ(state_of(to, "waiting"), "waiting");
  EXPECT_EQ(state_of(to, "woken"), "ready");
  EXPECT_EQ(state_of(to, "dead"), "dead");
  EXPECT_EQ(row_of(to, "dead").reason, "no");
  EXPECT_EQ(state_of(to, "retried"), "timer");
  EXPECT_EQ(row_of(to, "retried").attempts, 1);
  EXPECT_TRUE(row_of(to, "told").is_cancelled);
  put_one(to, "waiting", 0, fact_of(FactKind::OperationResolved, "resolved/op1"));
  EXPECT_EQ(state_of(to, "waiting"), "ready");
  EXPECT_TRUE(taken(from.queue()->depths()).empty());
}

void orders_about_a_moved_run_are_refused(FactStore& from, FactStore& to) {
  ASSERT_TRUE(enqueued(from, job_of("a", "acme")));
  EXPECT_EQ(moved(from, to, "a"), MoveEnd::Done);
  Job again = job_of("a", "acme"), after = job_of("b", "acme"), other = job_of("a", "evil");
  after.after = {"a"};
  EXPECT_EQ(error_of(from.queue()->enqueue({&again, 1}, kStoreNow)), "run_moved");
  EXPECT_EQ(error_of(from.queue()->enqueue({&after, 1}, kStoreNow)), "run_moved");
  EXPECT_EQ(error_of(from.queue()->enqueue({&other, 1}, kStoreNow)), "store_wrong_tenant");
  EXPECT_FALSE(taken(from.info("b")));
  EXPECT_EQ(error_of(from.queue()->cancel("a", "acme", "", "", kStoreNow)), "run_moved");
  EXPECT_EQ(error_of(from.queue()->retry("a", "acme", kStoreNow)), "run_moved");
  EXPECT_EQ(error_of(from.queue()->retry("a", "evil", kStoreNow)), "store_wrong_tenant");
  EXPECT_TRUE(taken(from.queue()->prune(-1, true, 10, kStoreNow + 1)).empty());
  EXPECT_EQ(state_in(from, "a"), "moved");
}

void runs_with_an_order_stay(FactStore& from, FactStore& to) {
  Job second = job_of("b");
  second.after = {"a"};
  ASSERT_TRUE(enqueued(from, job_of("a")));
  ASSERT_TRUE(enqueued(from, second));
  EXPECT_EQ(error_of(move_run(from, to, "a", to_there())), "run_has_order");
  EXPECT_EQ(error_of(move_run(from, to, "b", to_there())), "run_has_order");
  EXPECT_EQ(logs_of(claims(from, joined(from))), Logs{"a"}) << "nothing has changed";
}

void another_tenant_moves_and_copies_nothing(FactStore& from, FactStore& to) {
  ASSERT_TRUE(enqueued(from, job_of("a", "acme")));
  MoveOptions evil = to_there();
  evil.tenant = "evil";
  EXPECT_EQ(error_of(move_run(from, to, "a", evil)), "store_wrong_tenant");
  CopyOptions copy;
  copy.tenant = "evil";
  EXPECT_EQ(error_of(copy_run(from, to, "a", copy)), "store_wrong_tenant");
  EXPECT_EQ(error_of(fork_run(from, "a", 1, "b", copy)), "store_wrong_tenant");
  EXPECT_FALSE(taken(to.info("a")));
  EXPECT_EQ(state_of(from, "a"), "ready");
}

constexpr MoveCase kJobCases[] = {
    {"ItsJobGoesAlong", its_job_goes_along},
    {"JobsKeepTheirStates", jobs_keep_their_states},
    {"OrdersAboutAMovedRunAreRefused", orders_about_a_moved_run_are_refused},
    {"RunsWithAnOrderStay", runs_with_an_order_stay},
    {"AnotherTenantMovesAndCopiesNothing", another_tenant_moves_and_copies_nothing},
};

}  // namespace

std::span<const MoveCase> move_job_cases() { return kJobCases; }

}  // namespace ptc
