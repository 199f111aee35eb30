// Sealed logs in PostgreSQL: what somebody without the key ring does to the tables is refused by name, when the log is
// claimed, read or written; and writers of one log that are faster than each other lose nothing.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "tests/postgres/sealed_postgres.h"
#include "tests/store/conformance.h"

namespace ptc {
namespace {

[[maybe_unused]] const bool kSealedConforms =
    store_conformance("SealedPostgres", [] { return open_empty(sealer(ring())); });

TEST_F(PostgresSeal, OpensForWhomItWasSealed) {
  a_log_opens_for_whom_it_was_sealed(open_with, with_);
}

TEST_F(PostgresSeal, IsRefusedWithAnotherRingOrTenant) {
  a_log_is_refused_with_another_ring_or_tenant(open_with, keys_, with_);
}

TEST_F(PostgresSeal, IsReadAndNotWrittenWithoutARing) {
  a_log_is_read_and_not_written_without_a_ring(open_with, with_);
}

TEST_F(PostgresSeal, AnUnsealedOneIsRefusedWithARing) {
  an_unsealed_log_is_refused_with_a_ring(open_with, with_);
}

struct Change {
  const char* sql;
  const char* refusal;
};
// Each is done to fresh tables, past the store.
constexpr auto kChanges = std::to_array<Change>({
    {"UPDATE ptcvm.fact SET body = (SELECT body FROM ptcvm.fact WHERE run = 2 AND seq = 2) WHERE run = 1 AND seq = 2",
     "fact_changed"},                                                          // swapped between runs
    {"UPDATE ptcvm.fact SET body = '\\x00112233' WHERE run = 1 AND seq = 2", "fact_changed"},
    {"UPDATE ptcvm.fact SET body = (SELECT body FROM ptcvm.fact WHERE run = 1 AND seq = 4), key = NULL "
     "WHERE run = 1 AND seq = 3", "fact_changed"},
    {"UPDATE ptcvm.fact SET key = 'task/other#1' WHERE run = 1 AND seq = 2", "fact_changed"},
    {"UPDATE ptcvm.fact SET key = NULL WHERE run = 1 AND seq = 2", "fact_changed"},
    {"UPDATE ptcvm.fact SET rank = 0 WHERE run = 1 AND seq = 6", "fact_changed"},
    {"UPDATE ptcvm.fact SET time_ms = time_ms + 1 WHERE run = 1 AND seq = 2", "fact_changed"},
    {"UPDATE ptcvm.fact SET writer = 0 WHERE run = 1 AND seq = 2", "fact_changed"},
    {"DELETE FROM ptcvm.fact WHERE run = 1 AND seq = 7", "fact_missing"},      // the last one
    {"DELETE FROM ptcvm.fact WHERE run = 1 AND seq = 2", "fact_missing"},
    {"DELETE FROM ptcvm.fact WHERE run = 1", "fact_missing"},
    {"UPDATE ptcvm.fact SET seq = 99 WHERE run = 1 AND seq = 2; UPDATE ptcvm.fact SET seq = 2 WHERE run = 1 AND "
     "seq = 4; UPDATE ptcvm.fact SET seq = 4 WHERE run = 1 AND seq = 99", "fact_changed"},   // exchanged
    {"INSERT INTO ptcvm.fact (run, seq, time_ms, rank, writer, op, body) "
     "SELECT run, 8, time_ms, rank, writer, op, body FROM ptcvm.fact WHERE run = 1 AND seq = 1", "fact_changed"},
    {"DELETE FROM ptcvm.open_call WHERE run = 1", "fact_changed"},
    {"UPDATE ptcvm.parked SET snapshot = '\\x010204' WHERE run = 1", "parked_changed"},
    {"UPDATE ptcvm.parked SET snapshot = (SELECT snapshot FROM ptcvm.parked WHERE run = 2), continuation = 'c2' "
     "WHERE run = 1", "parked_changed"},
    {"UPDATE ptcvm.parked SET observed_seq = 5 WHERE run = 1", "parked_changed"},
    {"UPDATE ptcvm.parked SET deadline_ms = 0 WHERE run = 1", "parked_changed"},
    {"DELETE FROM ptcvm.parked WHERE run = 1", "parked_changed"},
    {"UPDATE ptcvm.parked SET wait_keys[1] = 'resolved/op3' WHERE run = 1", "parked_changed"},
    {"UPDATE ptcvm.run SET token = 0 WHERE id = 1", "claim_changed"},
    {"UPDATE ptcvm.run SET seal = NULL WHERE id = 1", "not_sealed"},
    {"UPDATE ptcvm.run SET seal = '\\x0011' WHERE id = 1", "not_sealed"},
    {"UPDATE ptcvm.run SET seal = (SELECT seal FROM ptcvm.run WHERE id = 2) WHERE id = 1", "wrong_run"},
    {"UPDATE ptcvm.run SET log = 'c' WHERE id = 1; UPDATE ptcvm.run SET log = 'a' WHERE id = 2", "wrong_run"},
    {"UPDATE ptcvm.fact SET run = 3 WHERE run = 1; UPDATE ptcvm.fact SET run = 1 WHERE run = 2", "fact_changed"},
});

// An honest writer must not seal what somebody changed.
TEST(PostgresSeals, AChangeIsRefusedByItsName) {
  for (const Change& one : kChanges) {
    const auto with = sealer(ring());
    fill(*open_empty(with));
    change(one.sql);
    const Fact fact = outside_fact("external/late#1");
    EXPECT_EQ(refusal_of(open_with(with)->put("a", Cut::blind(), {&fact, 1})), one.refusal) << one.sql;
    EXPECT_EQ(refusal_of(open_with(with)->find("a", "task/one#1")), one.refusal) << one.sql;
    EXPECT_EQ(refusal_of(open_with(with)->parked("a")), one.refusal) << one.sql;
    EXPECT_EQ(refusal_of(open_with(with)->opening("a")), one.refusal) << one.sql;
    EXPECT_EQ(refusal_of(open_with(with)->claim("a", "t", kStoreNow, kStoreLease)), one.refusal) << one.sql;
  }
}

TEST_F(PostgresSeal, AnOlderStateIsRefusedByAStoreThatSawANewerOne) {
  const auto store = open_with(with_);
  taken(store->read("a", 0, 99));
  change("CREATE TABLE old AS SELECT seal FROM ptcvm.run WHERE id = 1");
  put_one(*open_with(with_), "a", 0, outside_fact("external/late#1"));
  EXPECT_EQ(taken(store->read("a", 0, 99)).size(), 8u);
  change("DELETE FROM ptcvm.fact WHERE run = 1 AND seq = 8; "
         "UPDATE ptcvm.run SET seal = (SELECT seal FROM old) WHERE id = 1; DROP TABLE old");
  EXPECT_EQ(refusal_of(store->read("a", 0, 99)), "rolled_back");
  EXPECT_EQ(refusal_of(open_with(with_)->read("a", 0, 99)), "") << "a store that saw nothing cannot know";
}

TEST_F(PostgresSeal, AnOlderStateIsRefusedByTheStoreThatWroteTheNewerOne) {
  const auto store = open_with(with_);
  change("CREATE TABLE old AS SELECT seal FROM ptcvm.run WHERE id = 1");
  put_one(*store, "a", 0, outside_fact("external/late#1"));
  change("DELETE FROM ptcvm.fact WHERE run = 1 AND seq = 8; "
         "UPDATE ptcvm.run SET seal = (SELECT seal FROM old) WHERE id = 1; DROP TABLE old");
  const Fact fact = outside_fact("external/later#1");
  EXPECT_EQ(refusal_of(store->put("a", Cut::blind(), {&fact, 1})), "rolled_back");
}

// What a failover to a standby without the last commits does to a claim: the token is given again, to somebody else.
TEST_F(PostgresSeal, AfterAFailoverTheOldClaimIsRefusedAndAFreshOneGoesOn) {
  const auto store = open_with(with_);
  change("CREATE TABLE old AS SELECT token, nonce, seal FROM ptcvm.run WHERE id = 1");
  const std::uint64_t lost = claimed(*store, "a");
  put_one(*store, "a", lost, task_fact("task/lost#1"));
  change("UPDATE ptcvm.run SET (token, nonce, seal, owner) = (SELECT *, ''::bytea FROM old) WHERE id = 1; "
         "DELETE FROM ptcvm.fact WHERE run = 1 AND seq = 8; DROP TABLE old");
  EXPECT_EQ(refusal_of(store->claim("a", "t", kStoreNow, kStoreLease)), "rolled_back");
  EXPECT_EQ(refusal_of(store->read("a", 0, 99)), "rolled_back");
  const auto fresh = open_with(with_);
  EXPECT_EQ(claimed(*fresh, "a"), lost) << "the token was given again";
  put_one(*fresh, "a", lost, task_fact("task/other#1"));
  const Fact fact = task_fact("task/late#1");
  EXPECT_NE(error_of(store->put("a", Cut::blind(lost), {&fact, 1})), "");
  EXPECT_EQ(taken(open_with(with_)->read("a", 0, 99)).size(), 8u);
}

TEST_F(PostgresSeal, ARemovedOneIsRefusedByAStoreThatSawIt) {
  const auto store = open_with(with_);
  taken(store->read("a", 0, 99));
  change("DELETE FROM ptcvm.run WHERE id = 1; DELETE FROM ptcvm.fact WHERE run = 1; "
         "DELETE FROM ptcvm.parked WHERE run = 1");
  EXPECT_EQ(refusal_of(store->claim("a", "t", kStoreNow, kStoreLease)), "rolled_back");
  EXPECT_EQ(refusal_of(store->opening("a")), "rolled_back");
  const Fact fact = outside_fact("external/late#1");
  EXPECT_EQ(refusal_of(store->put("a", Cut::blind(), {&fact, 1})), "rolled_back");
}

TEST_F(PostgresSeal, EditsBehindACheckAreFoundByTheNextClaim) {
  const auto store = open_with(with_);
  taken(store->read("a", 0, 99));
  change("UPDATE ptcvm.fact SET key = 'task/other#1' WHERE run = 1 AND seq = 2");
  EXPECT_EQ(refusal_of(store->claim("a", "t", kStoreNow, kStoreLease)), "fact_changed");
}

TEST_F(PostgresSeal, KeysRotateAndARevokedOneIsRefused) {
  ASSERT_EQ(keys_->rotate({"second", SealAlgorithm::HmacSha256, kSealTime, {}}), std::nullopt);
  {
    const auto store = open_with(with_);
    const std::uint64_t token = claimed(*store, "a");
    put_one(*store, "a", token, task_fact("task/two#1"));
    EXPECT_TRUE(taken(store->release("a", token))) << "sealed again with the second key";
  }
  ASSERT_EQ(keys_->revoke("k"), std::nullopt);
  EXPECT_EQ(claim_of("a", with_), "");
  EXPECT_EQ(claim_of("b", with_), "revoked_key");
}

TEST(PostgresSeals, APublicRingReadsAndDoesNotWrite) {
  const auto keys = ring(SealAlgorithm::Ed25519);
  fill(*open_empty(sealer(keys)));
  const auto store = open_with(sealer(std::make_shared<KeyRing>(keys->public_half())));
  EXPECT_EQ(taken(store->read("a", 0, 99)).size(), 7u);
  const Fact fact = outside_fact("external/late#1");
  EXPECT_EQ(refusal_of(store->put("a", Cut::blind(), {&fact, 1})), "key_cannot_sign");
  EXPECT_EQ(refusal_of(store->claim("a", "t", kStoreNow, kStoreLease)), "key_cannot_sign");
  EXPECT_EQ(taken(store->read("a", 0, 99)).size(), 7u);
}

TEST(PostgresSeals, AClaimWithoutFactsIsNoReasonToRefuse) {
  claimed(*open_empty(nullptr), "a");
  const auto store = open_with(sealer(ring()));
  const Claim claim = taken(store->claim("a", "t", kStoreNow + kStoreLease, kStoreLease));
  EXPECT_TRUE(claim.granted);
  put_one(*store, "a", claim.token, start_fact());
}

// Each writer is often late: it checks what others wrote, and signs again.
TEST_F(PostgresSeal, WritersOfOneLogAtOnceLoseNothing) {
  constexpr int kWriters = 4, kFacts = 25;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([this, writer] {
      const auto store = open_with(with_);
      for (int i = 0; i < kFacts; ++i) {
        put_one(*store, "a", 0, outside_fact("external/" + std::to_string(writer) + "/" + std::to_string(i)));
        put_one(*store, "a", 0, outside_fact("external/same/" + std::to_string(i)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken(open_with(with_)->read("a", 0, 999)).size(), 7u + kWriters * kFacts + kFacts);
  EXPECT_EQ(claim_of("a", with_), "");
}

// Two threads of one store, as in a worker whose tools answer while the run goes on.
TEST_F(PostgresSeal, ThreadsOfOneStoreLoseNothing) {
  const auto store = open_with(with_);
  const auto write = [&](const std::string& name) {
    for (int i = 0; i < 40; ++i) put_one(*store, "a", 0, outside_fact("external/" + name + std::to_string(i)));
  };
  std::thread other(write, "x");
  write("y");
  other.join();
  EXPECT_EQ(claim_of("a", with_), "");
  EXPECT_EQ(taken(open_with(with_)->read("a", 0, 999)).size(), 87u);
}

}  // namespace
}  // namespace ptc
