#include "runtime/log/log_seal.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>

#include "runtime/seal/sealing.h"

namespace ptc {
namespace {

// The payload of an envelope: the mark, the token as eight bytes in little endian, the chain, the digest of what is
// parked. No snapshot begins with the mark.
constexpr std::string_view kMark = "ptcvm log 1\n";
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kPayloadBytes = kMark.size() + kNumberBytes + 2 * std::tuple_size_v<Digest>;

// Takes texts with their lengths before them, so that no two lists of parts give the same bytes.
class Digesting {
 public:
  explicit Digesting(std::string_view domain) {
    crypto_generichash_init(&state_, nullptr, 0, std::tuple_size_v<Digest>);
    text(domain);
  }
  Digesting& bytes(std::span<const std::uint8_t> bytes) {
    crypto_generichash_update(&state_, bytes.data(), bytes.size());
    return *this;
  }
  Digesting& number(std::uint64_t value) {
    std::array<std::uint8_t, kNumberBytes> little{};
    for (std::size_t i = 0; i < little.size(); ++i) little[i] = static_cast<std::uint8_t>(value >> (8 * i));
    return bytes(little);
  }
  Digesting& sized(std::span<const std::uint8_t> content) { return number(content.size()).bytes(content); }
  Digesting& text(std::string_view content) {
    return sized({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
  }
  Digest end() {
    Digest out;
    crypto_generichash_final(&state_, out.data(), out.size());
    return out;
  }

 private:
  crypto_generichash_state state_;
};

std::vector<std::uint8_t> payload_of(const LogHead& head) {
  std::vector<std::uint8_t> out(kMark.begin(), kMark.end());
  for (std::size_t i = 0; i < kNumberBytes; ++i) out.push_back(static_cast<std::uint8_t>(head.token >> (8 * i)));
  out.insert(out.end(), head.chain.begin(), head.chain.end());
  out.insert(out.end(), head.parked.begin(), head.parked.end());
  return out;
}

std::optional<LogHead> read_payload(std::span<const std::uint8_t> payload) {
  if (payload.size() != kPayloadBytes || !std::equal(kMark.begin(), kMark.end(), payload.begin())) return std::nullopt;
  payload = payload.subspan(kMark.size());
  LogHead head;
  for (std::size_t i = 0; i < kNumberBytes; ++i) head.token |= std::uint64_t{payload[i]} << (8 * i);
  payload = payload.subspan(kNumberBytes);
  std::copy_n(payload.begin(), head.chain.size(), head.chain.begin());
  std::copy_n(payload.begin() + std::tuple_size_v<Digest>, head.parked.size(), head.parked.begin());
  return head;
}

StoreError refusal_of(std::string_view log, const SealFailure& failure) {
  return seal_refusal(seal_error_name(failure.error), "the log of " + std::string(log) + ": " + failure.message);
}

}  // namespace

Digest chained(const Digest& before, std::string_view log, std::uint64_t seq, std::span<const std::uint8_t> body) {
  return Digesting("ptcvm fact").bytes(before).text(log).number(seq).sized(body).end();
}

Digest parked_digest(std::string_view log, const Parked& parked) {
  Digesting digest("ptcvm parked");
  digest.text(log).text(parked.continuation).number(parked.observed_seq);
  digest.number(parked.deadline_ms ? 1 : 0).number(static_cast<std::uint64_t>(parked.deadline_ms.value_or(0)));
  digest.number(parked.wait_keys.size());
  for (const std::string& key : parked.wait_keys) digest.text(key);
  digest.number(parked.snapshot_size());
  SnapshotSlicer pieces(SIZE_MAX, [&](std::span<const std::uint8_t> piece) { digest.bytes(piece); });
  parked.write_snapshot(pieces);
  return digest.end();
}

StoreError seal_refusal(std::string_view name, std::string message) {
  return {StoreError::Kind::Seal, std::move(message), name};
}

bool is_of_another_tenant(const StoreError& error) { return error.seal == seal_error_name(SealError::WrongTenant); }

LogSealer::LogSealer(std::shared_ptr<const KeyRing> keys, std::string tenant, std::function<std::int64_t()> seconds)
    : keys_(std::move(keys)), tenant_(std::move(tenant)), seconds_(std::move(seconds)) {}

StoreResult<std::vector<std::uint8_t>> LogSealer::sealed(std::string_view log, const LogHead& head) const {
  const SealingKey* const key = keys_->signing();
  if (key == nullptr) return refusal_of(log, {SealError::KeyCannotSign, "the ring has no key that signs"});
  auto envelope = seal(payload_of(head), {tenant_, log, head.seq, *key, seconds_()});
  if (const auto* failure = std::get_if<SealFailure>(&envelope)) return refusal_of(log, *failure);
  return std::get<std::vector<std::uint8_t>>(std::move(envelope));
}

StoreResult<LogHead> LogSealer::opened(std::string_view log, std::span<const std::uint8_t> envelope) const {
  const std::vector<std::uint8_t> aligned(envelope.begin(), envelope.end());   // where an envelope can be read
  const auto opened = open_sealed(aligned, {.tenant = tenant_,
                                            .expected_run_id = log,
                                            .expected_sequence = std::nullopt,
                                            .minimum_sequence = 0,
                                            .keys = *keys_,
                                            .now_seconds = seconds_()});
  if (const auto* failure = std::get_if<SealFailure>(&opened)) return refusal_of(log, *failure);
  const auto& content = std::get<OpenedEnvelope>(opened);
  auto head = read_payload(content.payload);
  if (!head) return refusal_of(log, {SealError::NotSealed, "the envelope is not of a log"});
  head->seq = content.sequence;
  return *head;
}

}  // namespace ptc
