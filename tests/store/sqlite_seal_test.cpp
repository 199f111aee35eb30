// Sealed logs in SQLite: what somebody without the key ring does to the file is refused by name, when the log is
// claimed, read or written.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>

#include "runtime/log/sqlite/sqlite_store.h"
#include "tests/store/conformance.h"
#include "tests/store/sealed_logs.h"
#include "tests/store/store_facts.h"
#include "tests/store/store_file.h"

namespace ptc {
namespace {

std::unique_ptr<SqliteStore> open_with(const StoreFile& file, std::shared_ptr<const LogSealer> with) {
  SqliteOptions options;
  options.busy_timeout = std::chrono::milliseconds(50);
  options.sealer = std::move(with);
  return taken(SqliteStore::open(file.path(), options));
}

void change(const StoreFile& file, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.path().c_str(), &db), SQLITE_OK);
  char* why = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
  EXPECT_GT(sqlite3_total_changes(db), 0) << sql;
  sqlite3_free(why);
  sqlite3_close(db);
}

class SealedLog : public ::testing::Test {
 protected:
  void SetUp() override { fill(*open_with(file_, with_)); }

  const StoreFile file_;
  const std::shared_ptr<const KeyRing> keys_ = ring();
  const std::shared_ptr<const LogSealer> with_ = sealer(keys_);
};

TEST_F(SealedLog, OpensForWhomItWasSealed) {
  a_log_opens_for_whom_it_was_sealed([this](auto with) { return open_with(file_, std::move(with)); }, with_);
}

TEST_F(SealedLog, IsRefusedWithAnotherRingOrTenant) {
  a_log_is_refused_with_another_ring_or_tenant(
      [this](auto with) { return open_with(file_, std::move(with)); }, keys_, with_);
}

TEST_F(SealedLog, IsReadAndNotWrittenWithoutARing) {
  a_log_is_read_and_not_written_without_a_ring(
      [this](auto with) { return open_with(file_, std::move(with)); }, with_);
}

TEST_F(SealedLog, AnUnsealedOneIsRefusedWithARing) {
  an_unsealed_log_is_refused_with_a_ring([this](auto with) { return open_with(file_, std::move(with)); }, with_);
}

struct Change {
  const char* sql;
  const char* refusal;
};
// Each is done to a fresh file, past the store.
constexpr auto kChanges = std::to_array<Change>({
    {"UPDATE fact SET body = (SELECT body FROM fact WHERE run = 2 AND seq = 2) WHERE run = 1 AND seq = 2",
     "fact_changed"},                                                          // swapped between runs
    {"UPDATE fact SET body = x'00112233' WHERE run = 1 AND seq = 2", "fact_changed"},
    {"UPDATE fact SET body = (SELECT body FROM fact WHERE run = 1 AND seq = 4), key = NULL WHERE run = 1 AND seq = 3",
     "fact_changed"},
    {"UPDATE fact SET key = 'task/other#1' WHERE run = 1 AND seq = 2", "fact_changed"},
    {"UPDATE fact SET key = NULL WHERE run = 1 AND seq = 2", "fact_changed"},
    {"UPDATE fact SET rank = 0 WHERE run = 1 AND seq = 6", "fact_changed"},
    {"UPDATE fact SET time_ms = time_ms + 1 WHERE run = 1 AND seq = 2", "fact_changed"},
    {"DELETE FROM fact WHERE run = 1 AND seq = 7", "fact_missing"},            // the last one
    {"DELETE FROM fact WHERE run = 1 AND seq = 2", "fact_missing"},
    {"DELETE FROM fact WHERE run = 1", "fact_missing"},
    {"UPDATE fact SET seq = 99 WHERE run = 1 AND seq = 2; UPDATE fact SET seq = 2 WHERE run = 1 AND seq = 4;"
     "UPDATE fact SET seq = 4 WHERE run = 1 AND seq = 99", "fact_changed"},    // exchanged
    {"INSERT INTO fact SELECT run, 8, NULL, time_ms, rank, body FROM fact WHERE run = 1 AND seq = 1", "fact_changed"},
    {"DELETE FROM open_call WHERE run = 1", "fact_changed"},
    {"UPDATE parked SET snapshot = x'010204' WHERE run = 1", "parked_changed"},
    {"UPDATE parked SET snapshot = (SELECT snapshot FROM parked WHERE run = 2), continuation = 'c2' WHERE run = 1",
     "parked_changed"},
    {"UPDATE parked SET observed_seq = 5 WHERE run = 1", "parked_changed"},
    {"UPDATE parked SET deadline_ms = 0 WHERE run = 1", "parked_changed"},
    {"DELETE FROM parked WHERE run = 1", "parked_changed"},
    {"UPDATE wait_key SET key = 'resolved/op3' WHERE run = 1 AND place = 0", "parked_changed"},
    {"DELETE FROM wait_key WHERE run = 1 AND place = 1", "parked_changed"},
    {"UPDATE run SET token = 0 WHERE id = 1", "claim_changed"},
    {"UPDATE run SET seal = NULL WHERE id = 1", "not_sealed"},
    {"UPDATE run SET seal = x'0011' WHERE id = 1", "not_sealed"},
    {"UPDATE run SET seal = (SELECT seal FROM run WHERE id = 2) WHERE id = 1", "wrong_run"},
    {"UPDATE run SET log = 'c' WHERE id = 1; UPDATE run SET log = 'a' WHERE id = 2", "wrong_run"},
    {"UPDATE fact SET run = 3 WHERE run = 1; UPDATE fact SET run = 1 WHERE run = 2", "fact_changed"},
});

TEST(SealedLogs, AChangeIsRefusedByItsName) {
  for (const Change& one : kChanges) {
    const StoreFile file;
    const auto with = sealer(ring());
    fill(*open_with(file, with));
    change(file, one.sql);
    EXPECT_EQ(refusal_of(open_with(file, with)->claim("a", "t", kStoreNow, kStoreLease)), one.refusal) << one.sql;
  }
}

// An honest writer must not seal what somebody changed.
TEST(SealedLogs, AChangeIsRefusedByWritesAndLooksToo) {
  for (const Change& one : kChanges) {
    const StoreFile file;
    const auto with = sealer(ring());
    fill(*open_with(file, with));
    change(file, one.sql);
    const Fact fact = outside_fact("external/late#1");
    EXPECT_EQ(refusal_of(open_with(file, with)->put("a", Cut::blind(), {&fact, 1})), one.refusal) << one.sql;
    EXPECT_EQ(refusal_of(open_with(file, with)->find("a", "task/one#1")), one.refusal) << one.sql;
    EXPECT_EQ(refusal_of(open_with(file, with)->parked("a")), one.refusal) << one.sql;
    EXPECT_EQ(refusal_of(open_with(file, with)->claim("a", "t", kStoreNow, kStoreLease)), one.refusal) << one.sql;
  }
}

TEST_F(SealedLog, AnOlderStateIsRefusedByAStoreThatSawANewerOne) {
  const auto store = open_with(file_, with_);
  taken(store->read("a", 0, 99));
  change(file_, "CREATE TABLE old (seal BLOB); INSERT INTO old SELECT seal FROM run WHERE id = 1");
  put_one(*store, "a", 0, outside_fact("external/late#1"));
  EXPECT_EQ(taken(store->read("a", 0, 99)).size(), 8u);
  change(file_, "DELETE FROM fact WHERE run = 1 AND seq = 8; UPDATE run SET seal = (SELECT seal FROM old) "
                "WHERE id = 1");
  EXPECT_EQ(refusal_of(store->read("a", 0, 99)), "rolled_back");
  EXPECT_EQ(refusal_of(open_with(file_, with_)->read("a", 0, 99)), "") << "a store that saw nothing cannot know";
}

TEST_F(SealedLog, AnOlderStateIsRefusedByTheStoreThatWroteTheNewerOne) {
  const auto store = open_with(file_, with_);
  change(file_, "CREATE TABLE old (seal BLOB); INSERT INTO old SELECT seal FROM run WHERE id = 1");
  put_one(*store, "a", 0, outside_fact("external/late#1"));
  change(file_, "DELETE FROM fact WHERE run = 1 AND seq = 8; UPDATE run SET seal = (SELECT seal FROM old) "
                "WHERE id = 1");
  const Fact fact = outside_fact("external/later#1");
  EXPECT_EQ(refusal_of(store->put("a", Cut::blind(), {&fact, 1})), "rolled_back");
}

// With the older claim, the next one would get a token that somebody holds already.
TEST_F(SealedLog, AnOlderClaimIsRefusedByTheStoreThatSawTheNewerOne) {
  const auto store = open_with(file_, with_);
  change(file_, "CREATE TABLE old (token INTEGER, seal BLOB);"
                "INSERT INTO old SELECT token, seal FROM run WHERE id = 1");
  claimed(*store, "a");
  change(file_, "UPDATE run SET (token, seal) = (SELECT token, seal FROM old), owner = '' WHERE id = 1");
  EXPECT_EQ(refusal_of(store->claim("a", "t", kStoreNow, kStoreLease)), "rolled_back");
  EXPECT_EQ(refusal_of(store->read("a", 0, 99)), "rolled_back");
}

TEST_F(SealedLog, ARemovedOneIsRefusedByAStoreThatSawIt) {
  const auto store = open_with(file_, with_);
  taken(store->read("a", 0, 99));
  change(file_, "DELETE FROM run WHERE id = 1; DELETE FROM fact WHERE run = 1; DELETE FROM parked WHERE run = 1");
  EXPECT_EQ(refusal_of(store->claim("a", "t", kStoreNow, kStoreLease)), "rolled_back");
}

// A view could show one thing to the check and another thing to the run behind it.
TEST_F(SealedLog, AViewInThePlaceOfATableIsRefused) {
  change(file_, "ALTER TABLE open_call RENAME TO calls; CREATE VIEW open_call AS SELECT * FROM calls;"
                "UPDATE meta SET settled = settled + 1");
  const auto answer = open_with(file_, with_)->claim("a", "t", kStoreNow, kStoreLease);
  ASSERT_TRUE(std::holds_alternative<StoreError>(answer));
  EXPECT_EQ(std::get<StoreError>(answer).kind, StoreError::Kind::Corrupt);
}

TEST_F(SealedLog, ATriggerInTheFileDoesNothing) {
  change(file_, "CREATE TRIGGER no_facts BEFORE INSERT ON fact BEGIN SELECT RAISE(IGNORE); END;"
                "UPDATE meta SET settled = settled + 1");
  const auto store = open_with(file_, with_);
  put_one(*store, "a", 0, outside_fact("external/late#1"));
  EXPECT_EQ(taken(store->read("a", 0, 99)).size(), 8u);
}

TEST_F(SealedLog, AKeyIsFoundByItsOwnSpellingOnly) {
  change(file_, "CREATE TABLE other AS SELECT * FROM fact; DROP TABLE fact; CREATE TABLE fact (run INTEGER NOT NULL, "
                "seq INTEGER NOT NULL, key TEXT COLLATE NOCASE, time_ms INTEGER NOT NULL, rank INTEGER NOT NULL, "
                "body BLOB NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID; INSERT INTO fact SELECT * FROM other;"
                "CREATE UNIQUE INDEX fact_key ON fact (run, key) WHERE key IS NOT NULL;"
                "CREATE INDEX fact_notable ON fact (run, seq) WHERE rank; DROP TABLE other");
  const auto store = open_with(file_, with_);
  const Fact one = outside_fact("external/GO#1");
  const auto put = store->put("a", Cut::blind(), {&one, 1});
  ASSERT_TRUE(std::holds_alternative<StoreError>(put)) << "what was said under go would count for GO";
  EXPECT_EQ(std::get<StoreError>(put).kind, StoreError::Kind::Corrupt) << std::get<StoreError>(put).message;
}

TEST_F(SealedLog, EditsBehindACheckAreFoundByTheNextClaim) {
  const auto store = open_with(file_, with_);
  taken(store->read("a", 0, 99));
  change(file_, "UPDATE fact SET key = 'task/other#1' WHERE run = 1 AND seq = 2");
  EXPECT_EQ(refusal_of(store->claim("a", "t", kStoreNow, kStoreLease)), "fact_changed");
}

TEST(SealedLogs, KeysRotateAndARevokedOneIsRefused) {
  const StoreFile file;
  const auto keys = ring(SealAlgorithm::Ed25519, "first");
  const auto with = sealer(keys);
  fill(*open_with(file, with));
  ASSERT_EQ(keys->rotate({"second", SealAlgorithm::HmacSha256, kSealTime, {}}), std::nullopt);
  {
    const auto store = open_with(file, with);
    EXPECT_TRUE(taken(store->release("a", claimed(*store, "a")))) << "sealed again with the second key";
  }
  ASSERT_EQ(keys->revoke("first"), std::nullopt);
  const auto store = open_with(file, with);
  EXPECT_EQ(refusal_of(store->claim("a", "t", kStoreNow, kStoreLease)), "");
  EXPECT_EQ(refusal_of(store->claim("b", "t", kStoreNow, kStoreLease)), "revoked_key");
}

TEST(SealedLogs, APublicRingReadsAndDoesNotWrite) {
  const StoreFile file;
  const auto keys = ring(SealAlgorithm::Ed25519);
  fill(*open_with(file, sealer(keys)));
  const auto store = open_with(file, sealer(std::make_shared<KeyRing>(keys->public_half())));
  EXPECT_EQ(taken(store->read("a", 0, 99)).size(), 7u);
  const Fact fact = outside_fact("external/late#1");
  EXPECT_EQ(refusal_of(store->put("a", Cut::blind(), {&fact, 1})), "key_cannot_sign");
  EXPECT_EQ(taken(store->read("a", 0, 99)).size(), 7u);
}

TEST(SealedLogs, AClaimWithoutFactsIsNoReasonToRefuse) {
  const StoreFile file;
  claimed(*open_with(file, nullptr), "a");
  const auto store = open_with(file, sealer(ring()));
  const Claim claim = taken(store->claim("a", "t", kStoreNow + kStoreLease, kStoreLease));
  EXPECT_TRUE(claim.granted);
  put_one(*store, "a", claim.token, start_fact());
  EXPECT_EQ(refusal_of(open_with(file, nullptr)->renew("a", claim.token, kStoreNow, 1)), "keys_needed");
}

TEST(SealedLogs, ALogWhoseIdIsTooLongForASealIsRefused) {
  const StoreFile file;
  const auto store = open_with(file, sealer(ring()));
  EXPECT_EQ(refusal_of(store->claim(std::string(257, 'a'), "t", kStoreNow, kStoreLease)), "bad_name");
  EXPECT_TRUE(taken(store->runs("", 9)).empty());
}

std::unique_ptr<FactStore> fresh_sealed(SqliteMode mode) {
  static std::unique_ptr<StoreFile> file;   // the last test's goes when the next one begins
  file.reset();
  file = std::make_unique<StoreFile>();
  SqliteOptions options;
  options.mode = mode;
  options.sealer = sealer(ring());
  return taken(SqliteStore::open(file->path(), options));
}

[[maybe_unused]] const bool kSealedMemory =
    store_conformance("SealedMemory", [] { return fresh_sealed(SqliteMode::Memory); });
[[maybe_unused]] const bool kSealedGroup =
    store_conformance("SealedGroup", [] { return fresh_sealed(SqliteMode::Group); });

}  // namespace
}  // namespace ptc
