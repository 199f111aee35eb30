// Sealing as a host in C++ sees it: rings are made, kept and changed; snapshots are sealed, opened and refused by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ptcvm/ptcvm.hpp"

namespace ptcvm {
namespace {

constexpr std::int64_t kNow = 1'790'000'000'000;   // in 2026
constexpr std::int64_t kDay = 24 * 3'600'000;

KeyRing ring(SealAlgorithm algorithm = SealAlgorithm::HmacSha256) {
  KeyRing keys;
  EXPECT_TRUE(keys.rotate({.id = "first", .algorithm = algorithm, .not_after_ms = {}, .time_ms = kNow - kDay}));
  return keys;
}

std::vector<std::byte> bytes(std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

std::vector<std::byte> sealed(const KeyRing& keys, std::uint64_t sequence = 4) {
  return seal(bytes("state"), keys, {.tenant = "acme", .run_id = "r", .sequence = sequence, .time_ms = kNow}).value();
}

SealExpectations expected() { return {.tenant = "acme", .time_ms = kNow}; }

// "" when the bytes are opened, else the name of the refusal.
std::string refusal(std::span<const std::byte> envelope, const KeyRing& keys, const SealExpectations& expectations) {
  const auto opened = open_sealed(envelope, keys, expectations);
  if (opened) return "";
  EXPECT_EQ(opened.error().code, Errc::seal_refused);
  return std::string(opened.error().detail);
}

class SealingApi : public testing::TestWithParam<SealAlgorithm> {};
INSTANTIATE_TEST_SUITE_P(BothAlgorithms, SealingApi,
                         testing::Values(SealAlgorithm::HmacSha256, SealAlgorithm::Ed25519));

TEST_P(SealingApi, GivesBackWhatWasSealed) {
  const KeyRing keys = ring(GetParam());
  const auto envelope = sealed(keys);
  EXPECT_TRUE(looks_sealed(envelope));
  const OpenedSeal opened = open_sealed(envelope, keys, expected()).value();
  EXPECT_EQ(opened.payload, bytes("state"));
  EXPECT_EQ(opened.tenant, "acme");
  EXPECT_EQ(opened.run_id, "r");
  EXPECT_EQ(opened.sequence, 4u);
  EXPECT_EQ(opened.key_id, "first");
  EXPECT_EQ(opened.algorithm, GetParam());
}

TEST_P(SealingApi, OpensBytesAtAnyAddress) {
  const KeyRing keys = ring(GetParam());
  const auto envelope = sealed(keys);
  for (std::size_t shift = 0; shift < 17; ++shift) {
    std::vector<std::byte> room(shift);
    room.insert(room.end(), envelope.begin(), envelope.end());
    EXPECT_EQ(refusal(std::span(room).subspan(shift), keys, expected()), "") << shift;
  }
}

TEST_P(SealingApi, ChecksAnEnvelopeWhoseContentStaysInItsBytes) {
  const KeyRing keys = ring(GetParam());
  const auto envelope = sealed(keys);
  for (std::size_t shift = 0; shift < 17; ++shift) {
    std::vector<std::byte> room(shift);
    room.insert(room.end(), envelope.begin(), envelope.end());
    const auto bytes_there = std::span(room).subspan(shift);
    const CheckedSeal checked = check_sealed(bytes_there, keys, expected()).value();
    EXPECT_GE(checked.payload.data(), bytes_there.data());
    EXPECT_LE(checked.payload.data() + checked.payload.size(), bytes_there.data() + bytes_there.size());
    EXPECT_TRUE(std::ranges::equal(checked.payload, bytes("state"))) << shift;
    EXPECT_EQ(checked.sequence, 4u);
  }
}

TEST_P(SealingApi, RefusesChangedBytes) {
  const KeyRing keys = ring(GetParam());
  auto envelope = sealed(keys);
  for (std::size_t i = 0; i < envelope.size(); ++i) {
    envelope[i] ^= std::byte{1};
    EXPECT_NE(refusal(envelope, keys, expected()), "") << i;
    envelope[i] ^= std::byte{1};
  }
}

TEST_P(SealingApi, TheFileOfARingOpensWhatTheRingSealed) {
  const KeyRing keys = ring(GetParam());
  const KeyRing again = KeyRing::parse(keys.to_json()).value();
  EXPECT_EQ(refusal(sealed(keys), again, expected()), "");
  EXPECT_EQ(again.to_json(), keys.to_json());
}

TEST(SealingHost, ARunGoesOnFromASealedSnapshot) {
  const Engine engine;
  const KeyRing keys = ring();
  Tools tools;
  ASSERT_TRUE(tools.defer("ask", "() -> :int", {.mode = ToolMode::Async}));
  const Program program = engine.compile("(+ 1 (await (tool/ask {})))").value();
  ptcvm::Run run = ptcvm::Run::start(engine, program, {.tools = tools}).value();
  while (run.step() == RunState::Yielded) ASSERT_TRUE(run.answer_pending(run.calls().front().id, "letter"));
  const auto envelope =
      seal(run.snapshot(), keys, {.tenant = "acme", .run_id = run.id(), .sequence = 1, .time_ms = kNow}).value();
  const auto opened = open_sealed(envelope, keys, {.tenant = "acme", .run_id = "run", .time_ms = kNow}).value();
  ptcvm::Run later = ptcvm::Run::restore(engine, opened.payload, {.tools = tools}).value();
  ASSERT_TRUE(later.resolve("letter", Value::of(41)));
  EXPECT_EQ(later.step(), RunState::Completed);
  EXPECT_EQ(later.result().as_int(), 42);
}

TEST(SealingHost, SealsInPlaceToTheSameBytes) {
  const KeyRing keys = ring();
  const SealLabel label{.tenant = "acme", .run_id = "r", .sequence = 7, .time_ms = kNow};
  for (const std::size_t size : {0, 1, 15, 16, 17, 31, 32, 33, 1'000, 70'001}) {
    const std::vector<std::byte> payload(size, std::byte{0x5a});
    const auto envelope = seal(payload, keys, label).value();
    EXPECT_EQ(seal_in_place(payload, keys, label).value(), envelope) << size;
    const auto opened = open_sealed(envelope, keys, expected());
    ASSERT_TRUE(opened) << size << opened.error().message;
    EXPECT_EQ(opened->payload, payload) << size;
  }
}

TEST(SealingHost, NamesWhatTheHostDidNotExpect) {
  const KeyRing keys = ring();
  const auto envelope = sealed(keys, 4);
  const auto with = [&](auto change) {
    SealExpectations wanted = expected();
    change(wanted);
    return refusal(envelope, keys, wanted);
  };
  EXPECT_EQ(with([](auto& e) { e.tenant = "other"; }), "wrong_tenant");
  EXPECT_EQ(with([](auto& e) { e.run_id = "q"; }), "wrong_run");
  EXPECT_EQ(with([](auto& e) { e.minimum_sequence = 5; }), "rolled_back");
  EXPECT_EQ(with([](auto& e) { e.sequence = 5; }), "rolled_back");
  EXPECT_EQ(with([](auto& e) { e.sequence = 3; }), "wrong_sequence");
  EXPECT_EQ(with([](auto& e) { e.time_ms = kNow - 2 * kDay; }), "key_not_yet_valid");
  EXPECT_EQ(with([](auto& e) { e.minimum_sequence = 4, e.sequence = 4, e.run_id = "r"; }), "");
  EXPECT_EQ(refusal(bytes("no envelope"), keys, expected()), "not_sealed");
  EXPECT_EQ(refusal({}, keys, expected()), "not_sealed");
  EXPECT_EQ(refusal(envelope, KeyRing(), expected()), "unknown_key");
}

TEST(SealingHost, RefusesToSealWithoutAKeyOrAName) {
  const KeyRing keys = ring();
  const auto refused = [](const KeyRing& with, SealLabel label) {
    label.time_ms = kNow;
    return std::string(seal({}, with, label).error().detail);
  };
  EXPECT_EQ(refused(KeyRing(), {"acme", "r", 1}), "key_cannot_sign");
  EXPECT_EQ(refused(ring(SealAlgorithm::Ed25519).public_half(), {"acme", "r", 1}), "key_cannot_sign");
  EXPECT_EQ(refused(keys, {"", "r", 1}), "bad_name");
  EXPECT_EQ(refused(keys, {"acme", std::string(257, 'r'), 1}), "bad_name");
}

TEST(SealingHost, RotationKeepsOldSealsAndRevocationRefusesThem) {
  KeyRing keys = ring();
  const auto before = sealed(keys);
  ASSERT_TRUE(keys.rotate({.id = "next", .not_after_ms = kNow + kDay, .time_ms = kNow}));
  EXPECT_EQ(refusal(before, keys, expected()), "");
  const auto after = sealed(keys);
  SealExpectations late = expected();
  late.time_ms = kNow + kDay;
  EXPECT_EQ(refusal(after, keys, late), "expired_key");
  ASSERT_TRUE(keys.revoke("next"));
  EXPECT_FALSE(keys.can_seal());
  EXPECT_EQ(refusal(after, keys, expected()), "revoked_key");
  EXPECT_EQ(refusal(before, keys, expected()), "");
}

TEST(SealingHost, KeysAreDescribedWithoutTheirSecrets) {
  KeyRing keys = ring();
  ASSERT_TRUE(keys.rotate({.id = "e", .algorithm = SealAlgorithm::Ed25519, .not_after_ms = kNow + kDay,
                           .time_ms = kNow}));
  const std::vector<SealingKey> seen = keys.keys();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].state, KeyState::VerifyOnly);
  EXPECT_FALSE(seen[0].is_signing);
  EXPECT_EQ(seen[0].created_ms, kNow - kDay);
  EXPECT_EQ(seen[0].not_after_ms, std::nullopt);
  EXPECT_TRUE(seen[1].is_signing);
  EXPECT_TRUE(seen[1].has_secret);
  EXPECT_EQ(seen[1].not_after_ms, kNow + kDay);
  const KeyRing half = keys.public_half();
  ASSERT_EQ(half.keys().size(), 1u);
  EXPECT_FALSE(half.keys()[0].has_secret);
  EXPECT_EQ(half.to_json().find("secret"), std::string::npos);
}

TEST(SealingHost, ARefusedChangeChangesNothing) {
  KeyRing keys = ring();
  const std::string before = keys.to_json();
  const auto refused = [](const Result<void>& done) { return !done && done.error().code == Errc::invalid_key_ring; };
  EXPECT_TRUE(refused(keys.rotate({.id = "first", .time_ms = kNow})));
  EXPECT_TRUE(refused(keys.rotate({.id = "no id", .time_ms = kNow})));
  EXPECT_TRUE(refused(keys.rotate({.id = "x", .not_after_ms = kNow - 1, .time_ms = kNow})));
  EXPECT_TRUE(refused(keys.rotate({.id = "x", .not_after_ms = INT64_MAX, .time_ms = kNow})));
  EXPECT_TRUE(refused(keys.rotate({.id = "x", .time_ms = INT64_MIN})));
  EXPECT_TRUE(refused(keys.sign_with("nobody")));
  EXPECT_TRUE(refused(keys.revoke("nobody")));
  EXPECT_EQ(keys.to_json(), before);
}

TEST(SealingHost, TheLastDateThatAFileCanHoldIsReadAgain) {
  KeyRing keys;
  ASSERT_TRUE(keys.rotate({.id = "long", .not_after_ms = 253'402'300'799'000, .time_ms = kNow}));
  EXPECT_EQ(KeyRing::parse(keys.to_json()).value().keys()[0].not_after_ms, 253'402'300'799'000);
}

TEST(SealingHost, FilesAreForTheirOwnerAndNotReplacedUnasked) {
  const std::string path = testing::TempDir() + "sealing_api_ring.json";
  std::filesystem::remove(path);
  const KeyRing keys = ring();
  ASSERT_TRUE(keys.save(path, false));
  EXPECT_EQ(keys.save(path, false).error().code, Errc::store_failed);
  ASSERT_TRUE(keys.save(path, true));
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path).permissions(), perms::owner_read | perms::owner_write);
  EXPECT_EQ(refusal(sealed(keys), KeyRing::load(path).value(), expected()), "");
  std::filesystem::remove(path);
  EXPECT_EQ(KeyRing::load(path).error().code, Errc::invalid_key_ring);
  EXPECT_EQ(KeyRing::parse("{\"keys\": 1}").error().code, Errc::invalid_key_ring);
}

TEST(SealingHost, EveryNameIsThere) {
  for (const SealAlgorithm algorithm : {SealAlgorithm::HmacSha256, SealAlgorithm::Ed25519}) {
    EXPECT_EQ(seal_algorithm_named(seal_algorithm_name(algorithm)), algorithm);
  }
  EXPECT_EQ(seal_algorithm_named("rot13"), std::nullopt);
  EXPECT_STREQ(key_state_name(KeyState::VerifyOnly), "verify-only");
  EXPECT_STREQ(errc_name(Errc::seal_refused), "seal_refused");
}

}  // namespace
}  // namespace ptcvm
