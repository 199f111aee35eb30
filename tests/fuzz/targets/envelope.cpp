// Any bytes as a sealed snapshot: refused by a name, or what the keys sealed; sealed again it is the same bytes. Text
// that begins like a key ring is read as one, too.
#include <algorithm>

#include "fuzz/fuzz_keys.h"
#include "fuzz/fuzz_target.h"
#include "runtime/seal/sealing.h"

namespace {

using ptc::fuzz::promise;

void try_key_ring(std::string_view text) {
  const auto parsed = ptc::KeyRing::parse(text);
  const auto* ring = std::get_if<ptc::KeyRing>(&parsed);
  if (ring == nullptr) return promise(!std::get<std::string>(parsed).empty(), "refused without a reason");
  const std::string written = ring->text();
  const auto again = ptc::KeyRing::parse(written);
  const auto* same = std::get_if<ptc::KeyRing>(&again);
  promise(same != nullptr && same->text() == written, "a key ring is written, and read as another one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && data[0] == '{') try_key_ring(ptc::fuzz::text_of(data, size));
  struct alignas(ptc::kSealedAlignment) Block {
    std::uint8_t bytes[ptc::kSealedAlignment];
  };
  std::vector<Block> aligned(size / sizeof(Block) + 1);
  auto* const copy = reinterpret_cast<std::uint8_t*>(aligned.data());
  std::copy_n(data, size, copy);
  const std::span<const std::uint8_t> bytes(copy, size);
  const ptc::OpenRequest request{.tenant = ptc::fuzz::kTenant, .expected_run_id = {}, .expected_sequence = {},
                                 .keys = ptc::fuzz::fuzz_keys(), .now_seconds = ptc::fuzz::kNow};
  const auto opened = open_sealed(bytes, request);
  if (const auto* failure = std::get_if<ptc::SealFailure>(&opened)) {
    promise(!failure->message.empty(), "refused without a reason");
    return 0;
  }
  const auto& envelope = std::get<ptc::OpenedEnvelope>(opened);
  promise(envelope.tenant == ptc::fuzz::kTenant, "opened for another tenant");
  const ptc::SealingKey* key = ptc::fuzz::fuzz_keys().find(envelope.key_id);
  promise(key != nullptr && key->state != ptc::KeyState::Revoked, "opened with a key that is none");
  const ptc::SealRequest again{.tenant = envelope.tenant, .run_id = envelope.run_id, .sequence = envelope.sequence,
                               .key = *key, .now_seconds = ptc::fuzz::kNow};
  const auto sealed = ptc::seal(envelope.payload, again);
  const auto* made = std::get_if<std::vector<std::uint8_t>>(&sealed);
  promise(made != nullptr && std::ranges::equal(*made, bytes), "sealed again, and other bytes");
  return 0;
}
