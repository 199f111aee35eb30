#include "runtime/seal/sealing.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>

#include "sealed_generated.h"

namespace ptc {
namespace {

constexpr std::int64_t kSealTime = 1'800'000'000;
using Bytes = std::vector<std::uint8_t>;

// Keys that never change, so that envelopes never change. "h" and "e" sign, "old" is over, "young" has not begun.
constexpr std::string_view kRing = R"({"keys": [
  {"id": "h", "algorithm": "hmac-sha256", "state": "active", "created": "2026-01-01",
   "secret": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
  {"id": "e", "algorithm": "ed25519", "state": "active", "created": "2026-01-01",
   "secret": "HxAREhMUFRYXGBkaGxwdHh8AAQIDBAUGBwgJCgsMDQ4="},
  {"id": "old", "algorithm": "hmac-sha256", "state": "active", "created": "2020-01-01", "not_after": "2021-01-01",
   "secret": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
  {"id": "young", "algorithm": "hmac-sha256", "state": "active", "created": "2096-01-01",
   "secret": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}], "signing": "h"})";

KeyRing ring() {
  auto parsed = KeyRing::parse(kRing);
  if (const auto* message = std::get_if<std::string>(&parsed)) ADD_FAILURE() << *message;
  return std::move(std::get<KeyRing>(parsed));
}

Bytes payload_of(std::size_t size) {
  Bytes payload(size);
  for (std::size_t i = 0; i < size; ++i) payload[i] = static_cast<std::uint8_t>(i * 7 + 1);
  return payload;
}

Bytes sealed(const KeyRing& keys, std::string_view id, const Bytes& payload, std::uint64_t sequence = 5,
             std::string_view tenant = "acme", std::string_view run = "run-1", std::int64_t now = kSealTime) {
  auto result = seal(payload, {tenant, run, sequence, *keys.find(id), now});
  if (const auto* failure = std::get_if<SealFailure>(&result)) {
    ADD_FAILURE() << failure->message;
    return {};
  }
  return std::get<Bytes>(result);
}

OpenRequest request_for(const KeyRing& keys) { return {"acme", {}, {}, 0, keys, kSealTime}; }

// "" when it opens, else the name of the error.
std::string refusal(const Bytes& bytes, const OpenRequest& request) {
  const auto result = open_sealed(bytes, request);
  const auto* failure = std::get_if<SealFailure>(&result);
  return failure == nullptr ? "" : std::string(seal_error_name(failure->error));
}

std::string seal_refusal(const KeyRing& keys, std::string_view id, std::string_view tenant = "acme",
                         std::string_view run = "r") {
  const auto result = seal(Bytes(), {tenant, run, 1, *keys.find(id), kSealTime});
  const auto* failure = std::get_if<SealFailure>(&result);
  return failure == nullptr ? "" : std::string(seal_error_name(failure->error));
}

std::string hex(const Bytes& bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

// A forger writes the table at will.
struct Forged {
  std::uint16_t format = 1;
  schema::SealAlgorithm algorithm = schema::SealAlgorithm::HmacSha256;
  std::string key = "h", tenant = "acme", run = "run-1";
  std::uint64_t sequence = 5;
  Bytes payload = {1, 2, 3}, signature = Bytes(32);

  Bytes bytes() const {
    flatbuffers::FlatBufferBuilder builder;
    builder.ForceVectorAlignment(payload.size(), 1, kSealedAlignment);
    const auto payload_at = builder.CreateVector(payload);
    const auto signature_at = builder.CreateVector(signature);
    const auto run_at = builder.CreateString(run), tenant_at = builder.CreateString(tenant);
    const auto key_at = builder.CreateString(key);
    schema::FinishEnvelopeBuffer(builder, schema::CreateEnvelope(builder, format, algorithm, key_at, tenant_at, run_at,
                                                                 sequence, payload_at, signature_at));
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }
};

class Sealing : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(BothAlgorithms, Sealing, testing::Values("h", "e"));

TEST_P(Sealing, GivesBackWhatWasSealed) {
  const KeyRing keys = ring();
  for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 31u, 32u, 33u, 4096u, 100'003u}) {
    const Bytes payload = payload_of(size);
    const Bytes bytes = sealed(keys, GetParam(), payload, 77);
    const auto result = open_sealed(bytes, request_for(keys));
    ASSERT_TRUE(std::holds_alternative<OpenedEnvelope>(result)) << size;
    const auto& opened = std::get<OpenedEnvelope>(result);
    EXPECT_EQ(Bytes(opened.payload.begin(), opened.payload.end()), payload);
    EXPECT_EQ(opened.tenant, "acme");
    EXPECT_EQ(opened.run_id, "run-1");
    EXPECT_EQ(opened.key_id, GetParam());
    EXPECT_EQ(opened.sequence, 77u);
    const auto offset = static_cast<std::size_t>(opened.payload.data() - bytes.data());
    EXPECT_TRUE(size == 0 || offset % kSealedAlignment == 0) << size;
    EXPECT_LE(bytes.size(), size + 300);
  }
}

TEST_P(Sealing, SameInputGivesSameBytes) {
  const KeyRing keys = ring();
  EXPECT_EQ(sealed(keys, GetParam(), payload_of(50)), sealed(keys, GetParam(), payload_of(50)));
}

TEST_P(Sealing, NoFlippedBitOpens) {
  const KeyRing keys = ring();
  for (const std::size_t size : {0u, 5u, 16u, 40u}) {
    Bytes bytes = sealed(keys, GetParam(), payload_of(size));
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      EXPECT_NE(refusal(bytes, request_for(keys)), "") << "size " << size << " bit " << bit;
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    }
    EXPECT_EQ(refusal(bytes, request_for(keys)), "");
  }
}

TEST_P(Sealing, NoPartOpens) {
  const KeyRing keys = ring();
  const Bytes bytes = sealed(keys, GetParam(), payload_of(20));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    // A vector of its own, so that reading on would be noticed.
    EXPECT_NE(refusal(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), request_for(keys)), "")
        << size;
  }
}

TEST_P(Sealing, AppendedBytesAreDamage) {
  const KeyRing keys = ring();
  Bytes bytes = sealed(keys, GetParam(), payload_of(20));
  for (int extra = 0; extra < 40; ++extra) {
    bytes.push_back(0);
    EXPECT_EQ(refusal(bytes, request_for(keys)), "damaged") << extra;
  }
}

TEST_P(Sealing, EveryFieldIsBoundIn) {
  const KeyRing keys = ring();
  const Bytes bytes = sealed(keys, GetParam(), {1, 2, 3});
  Forged good;
  good.key = GetParam();
  const auto& table = *schema::GetEnvelope(bytes.data());
  good.algorithm = table.algorithm();
  good.signature.assign(table.signature()->begin(), table.signature()->end());
  ASSERT_EQ(good.bytes(), bytes);
  const auto expect = [&](std::string_view error, const auto& change) {
    Forged forged = good;
    change(forged);
    EXPECT_EQ(refusal(forged.bytes(), request_for(keys)), error);
  };
  expect("bad_signature", [](Forged& f) { f.tenant = "acmf"; });
  expect("bad_signature", [](Forged& f) { f.run = "run-2"; });
  expect("bad_signature", [](Forged& f) { f.sequence = 6; });
  expect("bad_signature", [](Forged& f) { f.payload = {1, 2, 4}; });
  expect("bad_signature", [](Forged& f) { f.payload = {}; });
  expect("bad_signature", [](Forged& f) { f.signature[0] ^= 1; });
  expect("bad_signature", [](Forged& f) { f.signature.pop_back(); });
  expect("bad_signature", [](Forged& f) { f.signature.clear(); });
  expect("bad_signature", [](Forged& f) { f.tenant = "acmer", f.run = "un-1"; });      // no shifting between fields
  expect("unsupported_version", [](Forged& f) { f.format = 2; });
  expect("unknown_key", [](Forged& f) { f.key = "nobody"; });
  expect("damaged", [](Forged& f) { f.signature.resize(65); });
  expect("damaged", [](Forged& f) { f.tenant.clear(); });
  expect("damaged", [](Forged& f) { f.run.assign(257, 'x'); });
  expect("damaged", [](Forged& f) { f.key = "no id"; });
}

TEST_P(Sealing, AnotherEncodingOfTheSameEnvelopeIsDamage) {
  const KeyRing keys = ring();
  const Bytes bytes = sealed(keys, GetParam(), {1, 2, 3});
  schema::EnvelopeT same;
  schema::GetEnvelope(bytes.data())->UnPackTo(&same);
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishEnvelopeBuffer(builder, schema::Envelope::Pack(builder, &same));      // the payload not at the end
  const Bytes other(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  ASSERT_NE(other, bytes);
  EXPECT_EQ(refusal(other, request_for(keys)), "damaged");
}

TEST(SealingExpectations, TenantRunAndSequence) {
  const KeyRing keys = ring();
  const Bytes bytes = sealed(keys, "h", payload_of(9), 5);
  OpenRequest request = request_for(keys);
  request.expected_run_id = "run-1";
  request.expected_sequence = 5;
  request.minimum_sequence = 5;
  EXPECT_EQ(refusal(bytes, request), "");
  request.minimum_sequence = 6;
  EXPECT_EQ(refusal(bytes, request), "rolled_back");
  request.minimum_sequence = 0;
  request.expected_sequence = 6;
  EXPECT_EQ(refusal(bytes, request), "rolled_back");
  request.expected_sequence = 4;
  EXPECT_EQ(refusal(bytes, request), "wrong_sequence");
  request.expected_sequence.reset();
  request.expected_run_id = "run-10";
  EXPECT_EQ(refusal(bytes, request), "wrong_run");
  request.expected_run_id.reset();
  request.tenant = "acm";
  EXPECT_EQ(refusal(bytes, request), "wrong_tenant");
  request.tenant = "";
  EXPECT_EQ(refusal(bytes, request), "wrong_tenant");
}

TEST(SealingExpectations, SequenceHas64Bits) {
  const KeyRing keys = ring();
  OpenRequest request = request_for(keys);
  request.expected_sequence = ~0ull;
  EXPECT_EQ(refusal(sealed(keys, "e", {}, ~0ull), request), "");
  EXPECT_EQ(refusal(sealed(keys, "e", {}, 0xffffffffull), request), "rolled_back");
}

TEST(SealingKeys, RevokedAndExpiredKeysRefuse) {
  KeyRing keys = ring();
  const Bytes bytes = sealed(keys, "h", payload_of(9));
  const Bytes then = sealed(keys, "old", payload_of(9), 5, "acme", "run-1", 1'590'000'000);
  OpenRequest request = request_for(keys);
  EXPECT_EQ(refusal(then, request), "expired_key");
  request.now_seconds = 1'609'459'199;                    // the last second of 2020
  EXPECT_EQ(refusal(then, request), "");
  request.now_seconds += 1;
  EXPECT_EQ(refusal(then, request), "expired_key");
  request.now_seconds = 1'577'836'799;                    // the last second of 2019
  EXPECT_EQ(refusal(then, request), "key_not_yet_valid");
  EXPECT_EQ(keys.revoke("h"), std::nullopt);
  EXPECT_EQ(refusal(bytes, request_for(keys)), "revoked_key");
}

TEST(SealingKeys, OnlyGoodKeysSeal) {
  KeyRing keys = ring();
  EXPECT_EQ(seal_refusal(keys, "h"), "");
  EXPECT_EQ(seal_refusal(keys, "old"), "expired_key");
  EXPECT_EQ(seal_refusal(keys, "young"), "key_not_yet_valid");
  EXPECT_EQ(seal_refusal(keys.public_half(), "e"), "key_cannot_sign");
  EXPECT_EQ(keys.rotate({"next", SealAlgorithm::HmacSha256, kSealTime, {}}), std::nullopt);
  EXPECT_EQ(seal_refusal(keys, "h"), "key_cannot_sign");
  EXPECT_EQ(keys.revoke("next"), std::nullopt);
  EXPECT_EQ(seal_refusal(keys, "next"), "revoked_key");
  EXPECT_EQ(seal_refusal(keys, "e", ""), "bad_name");
  EXPECT_EQ(seal_refusal(keys, "e", "t", ""), "bad_name");
  EXPECT_EQ(seal_refusal(keys, "e", std::string(257, 't')), "bad_name");
  EXPECT_EQ(seal_refusal(keys, "e", std::string(256, 't')), "");
}

TEST(SealingKeys, RotationKeepsOldEnvelopesReadable) {
  KeyRing keys = ring();
  const Bytes before = sealed(keys, keys.signing()->id, payload_of(9));
  ASSERT_EQ(keys.rotate({"next", SealAlgorithm::Ed25519, kSealTime, {}}), std::nullopt);
  EXPECT_EQ(keys.signing()->id, "next");
  const Bytes after = sealed(keys, keys.signing()->id, payload_of(9));
  EXPECT_EQ(refusal(before, request_for(keys)), "");
  EXPECT_EQ(refusal(after, request_for(keys)), "");
  EXPECT_EQ(refusal(after, request_for(ring())), "unknown_key");
}

TEST(SealingKeys, ThePublicHalfOpensAndDoesNotKnowSecrets) {
  const KeyRing keys = ring();
  const KeyRing half = keys.public_half();
  EXPECT_EQ(refusal(sealed(keys, "e", payload_of(9)), request_for(half)), "");
  EXPECT_EQ(refusal(sealed(keys, "h", payload_of(9)), request_for(half)), "unknown_key");
}

// A checker with a public key must not take that public key for a shared secret.
TEST(SealingKeys, APublicKeyIsNoSharedSecret) {
  const KeyRing keys = ring();
  SealingKey lie;
  lie.id = "e";
  lie.algorithm = SealAlgorithm::HmacSha256;
  lie.created_seconds = 0;
  lie.secret = SecretKey(keys.find("e")->public_key);
  auto result = seal(payload_of(9), {"acme", "run-1", 5, lie, kSealTime});
  const Bytes forged = std::get<Bytes>(result);
  EXPECT_EQ(refusal(forged, request_for(keys)), "wrong_algorithm");
  EXPECT_EQ(refusal(forged, request_for(keys.public_half())), "wrong_algorithm");
  Forged relabelled;
  relabelled.key = "e";
  relabelled.algorithm = schema::SealAlgorithm::Ed25519ph;
  const auto* signature = schema::GetEnvelope(forged.data())->signature();
  relabelled.signature.assign(signature->begin(), signature->end());
  relabelled.payload = payload_of(9);
  EXPECT_EQ(refusal(relabelled.bytes(), request_for(keys)), "bad_signature");
  relabelled.algorithm = schema::SealAlgorithm::None;
  EXPECT_EQ(refusal(relabelled.bytes(), request_for(keys)), "wrong_algorithm");
}

TEST(SealingContainer, OtherBytesAreNotSealed) {
  const KeyRing keys = ring();
  EXPECT_EQ(refusal({}, request_for(keys)), "not_sealed");
  EXPECT_EQ(refusal({1, 2, 3}, request_for(keys)), "not_sealed");
  EXPECT_EQ(refusal(Bytes(100, 0xff), request_for(keys)), "not_sealed");
  EXPECT_EQ(refusal({'{', '}', ' ', ' ', 'P', 'T', 'C', 'P'}, request_for(keys)), "not_sealed");
  EXPECT_EQ(refusal({0xff, 0xff, 0xff, 0xff, 'P', 'T', 'C', 'E'}, request_for(keys)), "damaged");
}

TEST(SealingContainer, MisalignedBytesAreRefusedByName) {
  const KeyRing keys = ring();
  const Bytes bytes = sealed(keys, "h", payload_of(9));
  Bytes room(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), room.begin() + 1);
  const auto result = open_sealed(std::span(room).subspan(1), request_for(keys));
  EXPECT_EQ(std::get<SealFailure>(result).error, SealError::Misaligned);
}

// Envelopes that were written once must open for ever; what changes them is a new format.
TEST(SealingFormat, EnvelopesOfFormat1AreThese) {
  const KeyRing keys = ring();
  EXPECT_EQ(hex(sealed(keys, "h", {1, 2, 3})),
            "24000000505443450000000000000000140024000600050008000c0010001c001400180014000000000101001c000000"
            "2000000028000000540000002c000000050000000000000001000000680000000400000061636d650000000005000000"
            "72756e2d3100000020000000df84bdd96d595fdce0c5c96a72a246f53b9f4aaa7a9d211496275806c7448ca703000000"
            "01020300000000000000000000000000");
  EXPECT_EQ(hex(sealed(keys, "e", {1, 2, 3})),
            "24000000505443450000000000000000140024000600050008000c0010001c001400180014000000000201001c000000"
            "2000000028000000740000002c000000050000000000000001000000650000000400000061636d650000000005000000"
            "72756e2d31000000400000001fee0b93525336c5772bf69b25dbd792900551ed7d38261456b16fc86b24b49a5c0aec48"
            "26fa85bf8faada72386ea401cd7fd459a318d8834735f457038d6c0a0300000001020300000000000000000000000000");
}

// The string that sealing.h describes, written out once more.
TEST(SealingFormat, TheSignedStringIsTheDocumentedOne) {
  const KeyRing keys = ring();
  const Bytes bytes = sealed(keys, "h", {1, 2, 3}, 0x0102030405060708ull);
  const auto text = [](const std::string& s) {
    return std::string(1, static_cast<char>(s.size())) + std::string(7, '\0') + s;
  };
  const std::string expected = text("ptcvm sealed snapshot") + std::string("\1\0\1", 3) + text("h") + text("acme") +
                               text("run-1") + "\x08\x07\x06\x05\x04\x03\x02\x01" + text("\1\2\3");
  Bytes code(crypto_auth_hmacsha256_BYTES);
  crypto_auth_hmacsha256(code.data(), reinterpret_cast<const unsigned char*>(expected.data()), expected.size(),
                         keys.find("h")->secret.bytes().data());
  const auto* signature = schema::GetEnvelope(bytes.data())->signature();
  EXPECT_EQ(Bytes(signature->begin(), signature->end()), code);
}

}  // namespace
}  // namespace ptc
