// Stores that a key ring seals, through public headers only.
#include <cstdlib>
#include <filesystem>

#include "ptcvm/host_log.hpp"
#include "ptcvm/sqlite.hpp"
#include "run_fixture.h"

namespace ptcvm {
namespace {

constexpr std::int64_t kRingMs = 1'790'000'000'000;

class SealedStoreTest : public ApiTest {
 protected:
  void SetUp() override {
    std::string folder = (std::filesystem::temp_directory_path() / "ptcvm_sealed_XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    keys_ = ring("first");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::shared_ptr<KeyRing> ring(const char* id) {
    auto out = std::make_shared<KeyRing>();
    EXPECT_TRUE(out->rotate({.id = id, .time_ms = kRingMs}));
    return out;
  }
  Result<Store> open(std::shared_ptr<const KeyRing> keys, std::string tenant = "acme") const {
    SqliteOptions options;
    options.keys = std::move(keys);
    options.tenant = std::move(tenant);
    options.key_clock = [] { return kRingMs; };
    return open_sqlite(folder_ / "runs.db", options);
  }
  // "" when the run went on.
  std::string refusal(std::shared_ptr<const KeyRing> keys, std::string tenant = "acme") {
    Store store = open(std::move(keys), std::move(tenant)).value();
    const auto done = run_stored(engine_, store, Tools(), "(await-signal \"go\")", {.id = "r"});
    if (done) return "";
    EXPECT_EQ(done.error().code, Errc::seal_refused) << done.error().message;
    return std::string(done.error().detail);
  }

  std::filesystem::path folder_;
  std::shared_ptr<KeyRing> keys_;
};

TEST_F(SealedStoreTest, ARunGoesOnUnderItsRing) {
  EXPECT_EQ(refusal(keys_), "");
  Store store = open(keys_).value();
  ASSERT_TRUE(store.put("r", "go", Value::of(7)));
  const auto done = run_stored(engine_, store, Tools(), "(await-signal \"go\")", {.id = "r"});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->value_edn, "7");
}

TEST_F(SealedStoreTest, ARunIsRefusedByNameUnderAnotherRingOrTenant) {
  EXPECT_EQ(refusal(keys_), "");
  EXPECT_EQ(refusal(ring("second")), "unknown_key");
  EXPECT_EQ(refusal(ring("first")), "bad_signature");
  EXPECT_EQ(refusal(keys_, "umbrella"), "wrong_tenant");
  EXPECT_EQ(refusal(nullptr), "keys_needed");
  EXPECT_EQ(refusal(keys_), "");
}

TEST_F(SealedStoreTest, AnAnswerWithoutTheRingIsRefused) {
  EXPECT_EQ(refusal(keys_), "");
  Store store = open(nullptr).value();
  const auto put = store.put("r", "go", Value::of(7));
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, Errc::seal_refused);
  EXPECT_EQ(put.error().detail, "keys_needed");
}

TEST_F(SealedStoreTest, ALogOfAHostIsSealed) {
  const HostFact seen{.name = "seen", .key = "a", .body = "1"};
  HostLog log = HostLog::of(open(keys_).value(), "talk");
  ASSERT_TRUE(log.put({}, {&seen, 1}));
  EXPECT_EQ(log.find("a").value()->body, "1");
  HostLog other = HostLog::of(open(ring("second")).value(), "talk");
  EXPECT_EQ(other.put({}, {&seen, 1}).error().detail, "unknown_key");
  EXPECT_EQ(other.read().error().detail, "unknown_key");
}

TEST_F(SealedStoreTest, ACopyIsSealedWithTheRingOfItsStore) {
  EXPECT_EQ(refusal(keys_), "");
  const std::string lines = open(keys_).value().log_json("r").value();
  std::filesystem::remove(folder_ / "runs.db");
  keys_ = ring("second");
  Store store = open(keys_).value();
  ASSERT_TRUE(store.import_log("r", lines));
  EXPECT_EQ(refusal(keys_), "");
  EXPECT_EQ(refusal(ring("third")), "unknown_key");
}

}  // namespace
}  // namespace ptcvm
