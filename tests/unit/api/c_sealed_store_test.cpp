// Stores that a key ring seals, as a host in C sees them.
#include <cstddef>
#include <cstdlib>
#include <filesystem>

#include "c_fixture.h"

namespace ptcvm {
namespace {

using CKeyRing = Owned<ptcvm_key_ring, ptcvm_key_ring_free>;

class CSealedStoreTest : public CApiTest {
 protected:
  void SetUp() override {
    CApiTest::SetUp();
    std::string folder = (std::filesystem::temp_directory_path() / "ptcvm_c_sealed_XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    make_ring(ring_, "first");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void make_ring(CKeyRing& ring, std::string_view id) {
    ASSERT_EQ(ptcvm_key_ring_new(ring.out(), nullptr), PTCVM_OK);
    auto key = initialised<ptcvm_new_key>();
    key.id = text(id);
    key.algorithm = PTCVM_HMAC_SHA256;
    ASSERT_EQ(ptcvm_key_ring_rotate(ring, &key, nullptr), PTCVM_OK);
  }
  ptcvm_status open(const ptcvm_key_ring* ring, std::string_view tenant, CStore& store) {
    auto options = initialised<ptcvm_sqlite_options>();
    options.keys = ring;
    options.tenant = text(tenant);
    return ptcvm_store_open_sqlite(text((folder_ / "runs.db").string()), &options, store.out(), error_.out());
  }
  // Returns the name of the refusal of a run in the store, or "" when the run goes on.
  std::string refusal(ptcvm_store* store) {
    auto options = initialised<ptcvm_stored_options>();
    options.id = text("r");
    const ptcvm_status status =
        ptcvm_run_stored(engine_, store, tools_, text("(await-signal \"go\")"), &options, stored_.out(), error_.out());
    if (status == PTCVM_OK) return "";
    EXPECT_EQ(status, PTCVM_SEAL_REFUSED) << message();
    return str(ptcvm_error_detail(error_));
  }
  std::string refusal(const ptcvm_key_ring* ring, std::string_view tenant) {
    CStore store;
    EXPECT_EQ(open(ring, tenant, store), PTCVM_OK) << message();
    return refusal(store);
  }

  std::filesystem::path folder_;
  CKeyRing ring_;
  CStored stored_;
};

TEST_F(CSealedStoreTest, ARunGoesOnUnderItsRingAndTenantOnly) {
  CKeyRing other;
  make_ring(other, "second");
  EXPECT_EQ(refusal(ring_, "acme"), "");
  EXPECT_EQ(refusal(other, "acme"), "unknown_key");
  EXPECT_EQ(refusal(ring_, "umbrella"), "wrong_tenant");
  EXPECT_EQ(refusal(nullptr, ""), "keys_needed");
  EXPECT_EQ(refusal(ring_, "acme"), "");
}

TEST_F(CSealedStoreTest, AnAnswerNeedsTheRing) {
  EXPECT_EQ(refusal(ring_, "acme"), "");
  CStore store;
  ASSERT_EQ(open(nullptr, "", store), PTCVM_OK);
  EXPECT_EQ(ptcvm_store_put(store, text("r"), text("go"), {}, {}, error_.out()), PTCVM_SEAL_REFUSED);
  EXPECT_EQ(str(ptcvm_error_detail(error_)), "keys_needed");
  ASSERT_EQ(open(ring_, "acme", store), PTCVM_OK);
  EXPECT_EQ(ptcvm_store_put(store, text("r"), text("go"), {}, {}, nullptr), PTCVM_OK);
  EXPECT_EQ(refusal(store), "");
  EXPECT_EQ(ptcvm_stored_end(stored_), PTCVM_STORED_END_ENDED);
}

TEST_F(CSealedStoreTest, TheRingMayBeChangedAndFreedWhileTheStoreIsOpen) {
  CStore store;
  ASSERT_EQ(open(ring_, "acme", store), PTCVM_OK);
  ASSERT_EQ(ptcvm_key_ring_revoke(ring_, text("first"), nullptr), PTCVM_OK);
  EXPECT_EQ(refusal(store), "");
  EXPECT_EQ(refusal(ring_, "acme"), "revoked_key");
  ring_ = CKeyRing();
  EXPECT_EQ(refusal(store), "");
}

TEST_F(CSealedStoreTest, ARingAndATenantComeTogether) {
  CStore store;
  EXPECT_EQ(open(ring_, "", store), PTCVM_INVALID_ARGUMENT);
  EXPECT_NE(message().find("needs a tenant"), std::string::npos) << message();
  EXPECT_EQ(open(nullptr, "acme", store), PTCVM_INVALID_ARGUMENT);
  EXPECT_NE(message().find("without a key ring"), std::string::npos) << message();
}

TEST_F(CSealedStoreTest, AProgramOfBeforeOpensAStoreWithoutSeals) {
  auto options = initialised<ptcvm_sqlite_options>();
  options.keys = ring_;   // behind the members that the program knows
  options.struct_size = offsetof(ptcvm_sqlite_options, keys);
  CStore store;
  ASSERT_EQ(ptcvm_store_open_sqlite(text((folder_ / "runs.db").string()), &options, store.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(refusal(store), "");
  EXPECT_EQ(refusal(ring_, "acme"), "not_sealed");
}

}  // namespace
}  // namespace ptcvm
