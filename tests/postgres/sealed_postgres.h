// A database for the tests of sealed logs: stores with and without a ring, and edits past the store.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/postgres/postgres_store.h"
#include "tests/store/sealed_logs.h"
#include "tests/support/postgres_server.h"

namespace ptc {

inline test::PostgresServer& seal_server() {
  static test::PostgresServer one;
  return one;
}

inline void change(const std::string& sql) { seal_server().run(sql, "seals"); }

inline const std::string& seals_url() {
  static const std::string url = [] {
    const std::string fresh = seal_server().new_database("seals");
    EXPECT_EQ(taken(migrate_postgres(fresh)), 0);
    return fresh;
  }();
  return url;
}

using Sealer = std::shared_ptr<const LogSealer>;

inline std::unique_ptr<PostgresStore> open_with(Sealer with) {
  PostgresOptions options;
  options.clock = PostgresClock::Caller;
  options.sealer = std::move(with);
  return taken(PostgresStore::open(seals_url(), options));
}

inline std::unique_ptr<PostgresStore> open_empty(Sealer with) {
  auto out = open_with(std::move(with));
  change(
      "TRUNCATE ptcvm.dependent, ptcvm.schedule, ptcvm.run, ptcvm.fact, ptcvm.open_call, ptcvm.parked, "
      "ptcvm.waiting, ptcvm.node, ptcvm.queue, ptcvm.job RESTART IDENTITY");
  return out;
}

// Run 1 is "a", run 2 is "b" (tests/store/sealed_logs.h).
class PostgresSeal : public ::testing::Test {
 protected:
  void SetUp() override { fill(*open_empty(with_)); }
  std::string claim_of(std::string_view log, Sealer with) {
    return refusal_of(open_with(std::move(with))->claim(log, "tester", kStoreNow, kStoreLease));
  }

  const std::shared_ptr<KeyRing> keys_ = ring();
  const Sealer with_ = sealer(keys_);
};

}  // namespace ptc
