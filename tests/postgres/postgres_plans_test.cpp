// Plans that the server keeps for statements of a connection: they are used where they are, and missed nowhere.
#include <gtest/gtest.h>

#include "runtime/log/postgres/postgres_connection.h"
#include "runtime/log/postgres/postgres_schema.h"
#include "tests/support/postgres_server.h"

namespace ptc {
namespace {

constexpr char kNext[] = "SELECT $1 + 1";

class PostgresPlans : public testing::Test {
 protected:
  static test::PostgresServer& server() {
    static test::PostgresServer one;
    return one;
  }
  std::unique_ptr<PostgresConnection> opened() const {
    auto out = PostgresConnection::open(server().url());
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<PostgresConnection>>(out));
    return std::get<std::unique_ptr<PostgresConnection>>(std::move(out));
  }
  static std::int64_t next(PostgresConnection& connection, std::int64_t number) {
    PostgresParameters parameters;
    parameters.integer(number);
    auto rows = connection.look(kNext, parameters);
    if (auto* failure = std::get_if<PostgresFailure>(&rows)) ADD_FAILURE() << failure->error.message;
    return std::holds_alternative<PostgresRows>(rows) ? std::get<PostgresRows>(rows).integer_at(0, 0) : 0;
  }
  static std::vector<std::string> plans(PostgresConnection& connection) {
    std::vector<std::string> out;
    auto rows = connection.look("SELECT name::bytea FROM pg_prepared_statements", {});
    const auto& names = std::get<PostgresRows>(rows);
    for (int row = 0; row < names.count(); ++row) out.emplace_back(names.bytes_at(row, 0));
    return out;
  }
};

TEST_F(PostgresPlans, AreKeptForWhatComesAgain) {
  const auto connection = opened();
  EXPECT_EQ(next(*connection, 1), 2);
  EXPECT_EQ(plans(*connection).size(), 0u);
  for (std::int64_t n = 2; n < 5; ++n) EXPECT_EQ(next(*connection, n), n + 1);
  EXPECT_EQ(plans(*connection).size(), 2u) << "and the statement that asks for them";
}

TEST_F(PostgresPlans, MayBeGone) {
  const auto connection = opened();
  for (std::int64_t n = 1; n < 3; ++n) next(*connection, n);
  EXPECT_FALSE(connection->execute("DEALLOCATE ALL"));
  for (std::int64_t n = 3; n < 6; ++n) EXPECT_EQ(next(*connection, n), n + 1);
  EXPECT_EQ(plans(*connection).size(), 0u) << "the session is not ours alone";
}

TEST_F(PostgresPlans, OfOthersAreNotUsed) {
  const auto one = opened();
  for (std::int64_t n = 1; n < 3; ++n) next(*one, n);
  const std::string name = plans(*one).at(0);
  const auto other = opened();
  EXPECT_FALSE(other->execute("PREPARE \"" + name + "\" (bigint) AS SELECT 42::bigint"));
  for (std::int64_t n = 1; n < 4; ++n) EXPECT_EQ(next(*other, n), n + 1);
}

// As after `ptcvm store migrate`, while a process goes on.
TEST_F(PostgresPlans, OfFunctionsThatChangedAreNotUsed) {
  const auto connection = opened();
  EXPECT_FALSE(connection->execute("CREATE FUNCTION told() RETURNS int8 LANGUAGE sql AS 'SELECT 1::int8'"));
  const auto told = [&] {
    auto rows = connection->look("SELECT * FROM told()", {});
    return std::holds_alternative<PostgresRows>(rows) ? std::get<PostgresRows>(rows).integer_at(0, 0) : -1;
  };
  EXPECT_EQ(told() + told(), 2);
  EXPECT_FALSE(connection->execute("DROP FUNCTION told(); "
                                   "CREATE FUNCTION told() RETURNS int2 LANGUAGE sql AS 'SELECT 2::int2'"));
  EXPECT_EQ(told(), 2);
}

// The planner expects that few jobs need no more than the tools of a worker, and would read and sort all of them.
TEST_F(PostgresPlans, AClaimLeavesTheJobsAloneThatItDoesNotTake) {
  const std::string url = server().new_database("claims");
  ASSERT_TRUE(std::holds_alternative<int>(migrate_postgres(url)));
  auto out = PostgresConnection::open(url);
  const auto connection = std::get<std::unique_ptr<PostgresConnection>>(std::move(out));
  for (const char* const step : {
           "SELECT count(ptcvm.enqueue_program('job ' || i, 'nil')) FROM generate_series(1, 2000) i",
           "ANALYZE",
           "SELECT count(*) FROM ptcvm.node_join(gen_random_uuid(), 'n', 'o', 'b', 1, 60000, null)",
           "BEGIN",
       }) {
    EXPECT_FALSE(connection->execute(step)) << step;
  }
  // The server may not have told its statistics yet, so the rows that were read before are among them.
  const auto read = [&] {
    auto rows = connection->look("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables "
                                 "WHERE schemaname = 'ptcvm' AND relname = 'job'", {});
    return std::get<PostgresRows>(rows).integer_at(0, 0);
  };
  const std::int64_t before = read();
  EXPECT_FALSE(connection->execute(
      "SELECT count(*) FROM ptcvm.claim_next(1, 'default', '{}', 1, ARRAY[gen_random_uuid()], null, false, false)"));
  EXPECT_LT(read() - before, 100);
}

// A plan that cannot do without a sort costs more than compiling it, because sorts are switched off: a server with llvm
// would compile the plan of each claim of a new connection, which takes seconds.
TEST_F(PostgresPlans, AClaimIsNeverCompiled) {
  const std::string url = server().new_database("compiled");
  ASSERT_TRUE(std::holds_alternative<int>(migrate_postgres(url)));
  auto out = PostgresConnection::open(url);
  const auto connection = std::get<std::unique_ptr<PostgresConnection>>(std::move(out));
  auto rows = connection->look(
      "SELECT count(*), count(*) FILTER (WHERE 'jit=off' = any (proconfig)) FROM pg_catalog.pg_proc "
      "WHERE pronamespace = 'ptcvm'::regnamespace AND 'enable_sort=off' = any (proconfig)", {});
  const auto& counts = std::get<PostgresRows>(rows);
  EXPECT_GT(counts.integer_at(0, 0), 0);
  EXPECT_EQ(counts.integer_at(0, 0), counts.integer_at(0, 1));
}

// A session that enqueues many jobs in one call would first load the compiler, for longer than the call takes.
TEST_F(PostgresPlans, ManyJobsAreEnqueuedWithoutTheCompiler) {
  const std::string url = server().new_database("uncompiled");
  ASSERT_TRUE(std::holds_alternative<int>(migrate_postgres(url)));
  auto out = PostgresConnection::open(url);
  const auto connection = std::get<std::unique_ptr<PostgresConnection>>(std::move(out));
  auto rows = connection->look("SELECT count(*) FROM pg_catalog.pg_proc WHERE pronamespace = 'ptcvm'::regnamespace "
                               "AND proname = 'enqueue' AND 'jit=off' = any (proconfig)", {});
  EXPECT_EQ(std::get<PostgresRows>(rows).integer_at(0, 0), 1);
}

}   // namespace
}   // namespace ptc
