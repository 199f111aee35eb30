// Sealing as a host in C sees it, with the mistakes that it can make.
#include "c_fixture.h"

namespace ptcvm {
namespace {

using CKeyRing = Owned<ptcvm_key_ring, ptcvm_key_ring_free>;
using COpened = Owned<ptcvm_opened, ptcvm_opened_free>;

constexpr std::int64_t kNow = 1'790'000'000'000;   // in 2026

class CSealingTest : public CApiTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(ptcvm_key_ring_new(ring_.out(), nullptr), PTCVM_OK);
    ASSERT_EQ(rotate("first"), PTCVM_OK);
  }
  ptcvm_status rotate(std::string_view id) {
    auto key = initialised<ptcvm_new_key>();
    key.id = text(id);
    key.algorithm = PTCVM_ED25519;
    key.has_time = 1;
    key.time_ms = kNow;
    return ptcvm_key_ring_rotate(ring_, &key, nullptr);
  }
  static ptcvm_seal_label label() {
    auto given = initialised<ptcvm_seal_label>();
    given.tenant = text("acme");
    given.run_id = text("r");
    given.sequence = 4;
    given.has_time = 1;
    given.time_ms = kNow;
    return given;
  }
  static ptcvm_seal_expectations expected() {
    auto given = initialised<ptcvm_seal_expectations>();
    given.tenant = text("acme");
    given.has_time = 1;
    given.time_ms = kNow;
    return given;
  }
  std::string sealed() {
    const ptcvm_seal_label given = label();
    CBuffer out;
    EXPECT_EQ(ptcvm_seal(ring_, text("state"), &given, out.out(), nullptr), PTCVM_OK);
    return str(ptcvm_buffer_text(out));
  }
  // "" when the bytes are opened, else the name of the refusal.
  std::string refusal(std::string_view envelope, const ptcvm_seal_expectations& wanted) {
    COpened opened;
    CError error;
    const ptcvm_status status = ptcvm_open_sealed(ring_, text(envelope), &wanted, opened.out(), error.out());
    EXPECT_EQ(status, opened == nullptr ? PTCVM_SEAL_REFUSED : PTCVM_OK);
    return str(ptcvm_error_detail(error));
  }
  CKeyRing ring_;
};

// [seal]
// Seals the state of a run, and gives back what is in the envelope once the seal is found to be good.
ptcvm_status through_an_envelope(const ptcvm_key_ring* keys, ptcvm_text state, ptcvm_opened** out,
                                 ptcvm_error** error) {
  ptcvm_seal_label label;
  PTCVM_INIT(label);
  label.tenant = ptcvm_text_of("acme");
  label.run_id = ptcvm_text_of("run-17");
  label.sequence = 4;
  ptcvm_buffer* envelope = NULL;
  ptcvm_status status = ptcvm_seal(keys, state, &label, &envelope, error);
  if (status != PTCVM_OK) return status;   // PTCVM_SEAL_REFUSED: ptcvm_error_detail() says why

  ptcvm_seal_expectations expected;
  PTCVM_INIT(expected);
  expected.tenant = ptcvm_text_of("acme");
  expected.minimum_sequence = 4;           // the last number that was kept beside the run
  status = ptcvm_open_sealed(keys, ptcvm_buffer_text(envelope), &expected, out, error);
  ptcvm_buffer_free(envelope);
  return status;
}
// [/seal]

TEST_F(CSealingTest, GivesBackWhatWasSealed) {
  CKeyRing keys;
  ASSERT_EQ(ptcvm_key_ring_new(keys.out(), nullptr), PTCVM_OK);
  auto key = initialised<ptcvm_new_key>();
  key.id = text("k");   // from now on, for ever
  ASSERT_EQ(ptcvm_key_ring_rotate(keys, &key, nullptr), PTCVM_OK);
  COpened opened;
  ASSERT_EQ(through_an_envelope(keys, text("state"), opened.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(str(ptcvm_opened_payload(opened)), "state");
  auto facts = initialised<ptcvm_seal_facts>();
  ASSERT_EQ(ptcvm_opened_facts(opened, &facts), PTCVM_OK);
  EXPECT_EQ(str(facts.tenant) + str(facts.run_id) + str(facts.key_id), "acmerun-17k");
  EXPECT_EQ(facts.sequence, 4u);
  EXPECT_EQ(facts.algorithm, PTCVM_HMAC_SHA256);
}

TEST_F(CSealingTest, NamesWhatTheHostDidNotExpect) {
  const std::string envelope = sealed();
  EXPECT_EQ(ptcvm_looks_sealed(text(envelope)), 1);
  EXPECT_EQ(ptcvm_looks_sealed(text("state")), 0);
  EXPECT_EQ(refusal(envelope, expected()), "");
  auto wanted = expected();
  wanted.tenant = text("other");
  EXPECT_EQ(refusal(envelope, wanted), "wrong_tenant");
  wanted = expected();
  wanted.run_id = text("q");
  EXPECT_EQ(refusal(envelope, wanted), "wrong_run");
  wanted = expected();
  wanted.minimum_sequence = 5;
  EXPECT_EQ(refusal(envelope, wanted), "rolled_back");
  wanted = expected();
  wanted.has_sequence = 1;
  wanted.sequence = 3;
  EXPECT_EQ(refusal(envelope, wanted), "wrong_sequence");
  EXPECT_EQ(refusal("x", expected()), "not_sealed");
  ASSERT_EQ(ptcvm_key_ring_revoke(ring_, text("first"), nullptr), PTCVM_OK);
  EXPECT_EQ(refusal(envelope, expected()), "revoked_key");
}

TEST_F(CSealingTest, KeysAreListed) {
  ASSERT_EQ(rotate("next"), PTCVM_OK);
  ASSERT_EQ(ptcvm_key_ring_count(ring_), 2u);
  auto key = initialised<ptcvm_key>();
  ASSERT_EQ(ptcvm_key_ring_at(ring_, 0, &key), PTCVM_OK);
  EXPECT_EQ(str(key.id), "first");
  EXPECT_EQ(key.state, PTCVM_KEY_VERIFY_ONLY);
  EXPECT_EQ(key.created_ms, kNow);
  EXPECT_EQ(key.has_end, 0);
  ASSERT_EQ(ptcvm_key_ring_at(ring_, 1, &key), PTCVM_OK);
  EXPECT_EQ(key.is_signing, 1);
  EXPECT_EQ(key.algorithm, PTCVM_ED25519);
  EXPECT_EQ(ptcvm_key_ring_at(ring_, 2, &key), PTCVM_INVALID_ARGUMENT);
}

TEST_F(CSealingTest, ARingGoesThroughItsText) {
  const std::string envelope = sealed();
  CBuffer json;
  ASSERT_EQ(ptcvm_key_ring_json(ring_, json.out(), nullptr), PTCVM_OK);
  CKeyRing half;
  ASSERT_EQ(ptcvm_key_ring_public_half(ring_, half.out(), nullptr), PTCVM_OK);
  ASSERT_EQ(ptcvm_key_ring_parse(ptcvm_buffer_text(json), ring_.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(refusal(envelope, expected()), "");
  const ptcvm_seal_label given = label();
  CBuffer out;
  CError error;
  EXPECT_EQ(ptcvm_seal(half, text("state"), &given, out.out(), error.out()), PTCVM_SEAL_REFUSED);
  EXPECT_EQ(str(ptcvm_error_detail(error)), "key_cannot_sign");
}

TEST_F(CSealingTest, FilesAreSavedAndLoaded) {
  const std::string path = testing::TempDir() + "c_sealing_ring.json";
  ASSERT_EQ(ptcvm_key_ring_save(ring_, text(path), 1, nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_key_ring_save(ring_, text(path), 0, nullptr), PTCVM_STORE_FAILED);
  const std::string envelope = sealed();
  ASSERT_EQ(ptcvm_key_ring_load(text(path), ring_.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(refusal(envelope, expected()), "");
  CKeyRing none;
  EXPECT_EQ(ptcvm_key_ring_load(text(path + ".no"), none.out(), nullptr), PTCVM_INVALID_KEY_RING);
  EXPECT_EQ(ptcvm_key_ring_load(text(std::string_view("a\0b", 3)), none.out(), nullptr), PTCVM_INVALID_ARGUMENT);
}

TEST_F(CSealingTest, MistakesAreStatuses) {
  CKeyRing ring;
  CBuffer buffer;
  COpened opened;
  const ptcvm_seal_label given = label();
  const ptcvm_seal_expectations wanted = expected();
  auto key = initialised<ptcvm_new_key>();
  EXPECT_EQ(ptcvm_key_ring_new(nullptr, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_key_ring_parse(text("no"), ring.out(), nullptr), PTCVM_INVALID_KEY_RING);
  EXPECT_EQ(ptcvm_key_ring_rotate(nullptr, &key, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_key_ring_rotate(ring_, nullptr, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_key_ring_rotate(ring_, &key, nullptr), PTCVM_INVALID_KEY_RING);   // no id
  key.algorithm = 7;
  EXPECT_EQ(ptcvm_key_ring_rotate(ring_, &key, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(rotate("first"), PTCVM_INVALID_KEY_RING);
  EXPECT_EQ(ptcvm_key_ring_revoke(ring_, text("nobody"), nullptr), PTCVM_INVALID_KEY_RING);
  EXPECT_EQ(ptcvm_key_ring_sign_with(ring_, text("nobody"), nullptr), PTCVM_INVALID_KEY_RING);
  EXPECT_EQ(ptcvm_key_ring_public_half(nullptr, ring.out(), nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_key_ring_count(nullptr), 0u);
  EXPECT_EQ(ptcvm_key_ring_at(ring_, 0, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_seal(ring_, text("x"), nullptr, buffer.out(), nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_seal(nullptr, text("x"), &given, buffer.out(), nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_seal(ring_, {nullptr, 5}, &given, buffer.out(), nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_open_sealed(ring_, text("x"), nullptr, opened.out(), nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_open_sealed(nullptr, text("x"), &wanted, opened.out(), nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_opened_facts(nullptr, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_opened_payload(nullptr).size, 0u);
  EXPECT_EQ(ptcvm_looks_sealed({nullptr, 5}), 0);
  ptcvm_key_ring_free(nullptr);
  ptcvm_opened_free(nullptr);
  EXPECT_EQ(str(ptcvm_error_detail(nullptr)), "");
}

}  // namespace
}  // namespace ptcvm
