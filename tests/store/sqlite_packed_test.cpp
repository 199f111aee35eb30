// Large facts in the file of the SQLite store: how they lie there, that damage has a name, and that seals bind what is
// packed.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <zlib.h>

#include <array>

#include "runtime/log/fact_json.h"
#include "runtime/log/sqlite/sqlite_store.h"
#include "tests/store/store_facts.h"
#include "tests/store/store_file.h"

namespace ptc {
namespace {

using Octets = std::vector<std::uint8_t>;

constexpr std::int64_t kPackingSealTime = 1'800'000'000;   // seconds

std::string long_value(int number) {
  std::string out = "[";
  for (int i = 0; i < 1'000; ++i) out += std::to_string(i * number) + " ";
  return out + "]";
}

std::unique_ptr<SqliteStore> packing_store(const StoreFile& file, std::shared_ptr<const LogSealer> sealer = nullptr) {
  SqliteOptions options;
  options.sealer = std::move(sealer);
  return taken(SqliteStore::open(file.path(), options));
}

// What a statement of one row gives, past the store. `bound`, if there is any, is its parameter.
Octets past_the_store(const StoreFile& file, const std::string& sql, const Octets& bound = {}) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(file.path().c_str(), &db), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  if (!bound.empty()) sqlite3_bind_blob(statement, 1, bound.data(), static_cast<int>(bound.size()), SQLITE_STATIC);
  Octets out;
  if (sqlite3_step(statement) == SQLITE_ROW) {
    const auto* const at = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement, 0));
    out.assign(at, at + sqlite3_column_bytes(statement, 0));
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return out;
}

Octets body_at(const StoreFile& file, int seq) {
  return past_the_store(file, "SELECT body FROM fact WHERE run = 1 AND seq = " + std::to_string(seq));
}

void set_body(const StoreFile& file, int seq, const Octets& body) {
  past_the_store(file, "UPDATE fact SET body = ? WHERE run = 1 AND seq = " + std::to_string(seq), body);
}

// A log with a short fact between two long ones.
void fill_with_large_facts(SqliteStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", token, task_fact("task/first", long_value(3)));
  put_one(store, "a", token, task_fact("task/short"));
  put_one(store, "a", token, task_fact("task/second", long_value(7)));
  store.release("a", token);
}

TEST(PackedFacts, AreSmallInTheFileAndWholeForReaders) {
  const StoreFile file, twin;
  fill_with_large_facts(*packing_store(file));
  fill_with_large_facts(*packing_store(twin));
  const auto store = packing_store(file);
  const std::vector<Fact> facts = taken(store->read("a", 0, 9));
  ASSERT_EQ(facts.size(), 4u);
  EXPECT_EQ(facts[1].value, long_value(3));
  EXPECT_EQ(taken(store->find("a", "task/second"))->value, long_value(7));
  for (const Fact& fact : facts) {
    const Octets stored = body_at(file, static_cast<int>(fact.seq)), whole = fact_bytes(fact);
    EXPECT_EQ(stored == whole, whole.size() < 1'000);
    EXPECT_LE(stored.size() * 2, fact.value.size() < 1'000 ? 2'000 : whole.size());
    EXPECT_EQ(stored, body_at(twin, static_cast<int>(fact.seq))) << "equal facts lie there as equal bytes";
  }
}

struct BodyDamage {
  const char* what;
  void (*change)(Octets&);
};
constexpr auto kBodyDamages = std::to_array<BodyDamage>({
    {"cut or changed", [](Octets& body) { body.resize(body.size() / 2); }},
    {"cut or changed", [](Octets& body) { body[body.size() / 2] ^= 1; }},
    {"shorter than it says", [](Octets& body) { body[4] += 1; }},
    {"does not end where it says", [](Octets& body) { body[4] -= 1; }},
    {"more than its stream can give", [](Octets& body) { body[7] = 0x0F; }},
    {"larger than a fact can be", [](Octets& body) { body[7] = 0xFF; }},
    {"bytes behind", [](Octets& body) { body.push_back(0); }},
});

TEST(PackedFacts, ThatAreDamagedAreRefusedByNameAndTheOthersAreThere) {
  for (const BodyDamage& body_damage : kBodyDamages) {
    const StoreFile file;
    fill_with_large_facts(*packing_store(file));
    Octets body = body_at(file, 2);
    body_damage.change(body);
    set_body(file, 2, body);
    const auto store = packing_store(file);
    const auto read = store->read("a", 0, 9);
    ASSERT_EQ(error_of(read), "store_corrupt") << body_damage.what;
    const std::string& message = std::get<StoreError>(read).message;
    EXPECT_NE(message.find("fact 2"), std::string::npos) << message;
    EXPECT_NE(message.find(body_damage.what), std::string::npos) << message;
    EXPECT_EQ(error_of(store->find("a", "task/first")), "store_corrupt");
    EXPECT_EQ(taken(store->find("a", "task/second"))->value, long_value(7));
    EXPECT_TRUE(put_one(*store, "a", 0, outside_fact("external/go#1")).mine);
  }
}

TEST(PackedFacts, AreBoundBySealsAsTheyAreUnpacked) {
  const StoreFile file;
  const auto keys = std::make_shared<KeyRing>();
  ASSERT_EQ(keys->rotate({"k", SealAlgorithm::HmacSha256, kPackingSealTime, {}}), std::nullopt);
  const auto sealer = std::make_shared<LogSealer>(keys, "acme", [] { return kPackingSealTime; });
  fill_with_large_facts(*packing_store(file, sealer));
  EXPECT_EQ(taken(packing_store(file, sealer)->read("a", 0, 9)).size(), 4u);

  const Octets packed = body_at(file, 2);
  Fact first = task_fact("task/first", long_value(3));
  const Octets whole = fact_bytes(first, 1);
  set_body(file, 2, whole);   // as a store of version 6 has it
  EXPECT_EQ(taken(packing_store(file, sealer)->read("a", 0, 9)).size(), 4u);

  first.value = long_value(4);
  const Octets other = fact_bytes(first, 1);
  for (const Octets& body : {other, Octets(packed.begin(), packed.end() - 1), body_at(file, 4)}) {
    set_body(file, 2, body);
    const auto read = packing_store(file, sealer)->read("a", 0, 9);
    ASSERT_EQ(error_of(read), "store_sealed");
    EXPECT_EQ(std::get<StoreError>(read).seal, "fact_changed");
  }
  set_body(file, 2, packed);
  EXPECT_EQ(taken(packing_store(file, sealer)->claim("a", "next", kStoreNow, 1)).granted, true);
}

constexpr const char* kRingOfVersion6 =
    R"({"keys": [{"id": "k", "created": "2026-01-01", "algorithm": "hmac-sha256", "state": "active",)"
    R"( "secret": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}], "signing": "k"})";

// The file was written by version 6, which packed nothing, and is never made anew. Its logs go on, sealed ones too.
TEST(PackedFacts, OfVersionSixAreTakenOverAsTheyAre) {
  const StoreFile file;
  std::filesystem::copy_file(PTC_STORE_FILES "/version-6.db", file.path());
  auto keys = std::get<KeyRing>(KeyRing::parse(kRingOfVersion6));
  const auto sealer =
      std::make_shared<LogSealer>(std::make_shared<KeyRing>(std::move(keys)), "acme", [] { return kPackingSealTime; });
  const Octets old_body = body_at(file, 2);
  EXPECT_EQ(old_body.size(), 5'456u);
  for (int opening = 0; opening < 2; ++opening) {
    const auto store = packing_store(file);
    EXPECT_EQ(taken(store->runs("", 9)).size(), 3u);
    EXPECT_EQ(taken(store->find("large", "task/rows#1"))->value.size(), 5'345u);
    EXPECT_EQ(taken(store->parked("waits"))->wait_keys.size(), 2u);
    EXPECT_EQ(taken(packing_store(file, sealer)->read("sealed", 0, 9)).size(), 4u);
  }
  EXPECT_EQ(body_at(file, 2), old_body);
  for (const bool is_sealed : {false, true}) {
    const std::string log = is_sealed ? "sealed" : "waits";
    const auto store = packing_store(file, is_sealed ? sealer : nullptr);
    const std::uint64_t token = claimed(*store, log);
    put_one(*store, log, token, task_fact("task/late#1", long_value(9)));
    EXPECT_TRUE(taken(store->release(log, token)));
    EXPECT_EQ(taken(packing_store(file, is_sealed ? sealer : nullptr)->read(log, 0, 9)).size(), 5u);
  }
}

}  // namespace
}  // namespace ptc
