// Key rings and sealed snapshots.
#include "api/c/key_ring.h"

struct ptcvm_opened {
  ptcvm::OpenedSeal seal;
};

namespace ptcvm::c {
namespace {

static_assert(PTCVM_ED25519 == static_cast<int>(SealAlgorithm::Ed25519));
static_assert(PTCVM_KEY_REVOKED == static_cast<int>(KeyState::Revoked));

std::unique_ptr<ptcvm_key_ring> handle_of(KeyRing ring) {
  std::unique_ptr<ptcvm_key_ring> made(new ptcvm_key_ring{std::move(ring)});
  made->keys = made->ring.keys();
  return made;
}

std::string path_in(ptcvm_text path) {
  std::string name = string_in(path);
  require(name.find('\0') == std::string::npos, "a path has no zero bytes");
  return name;
}

SealAlgorithm algorithm_in(std::int32_t algorithm) {
  require(algorithm == PTCVM_HMAC_SHA256 || algorithm == PTCVM_ED25519, "no such algorithm");
  return static_cast<SealAlgorithm>(algorithm);
}

std::optional<std::int64_t> moment_in(std::int32_t is_given, std::int64_t ms) {
  return is_given != 0 ? std::optional(ms) : std::nullopt;
}

// change(KeyRing&) is what the ring may refuse.
template <class F>
ptcvm_status changed(ptcvm_key_ring* handle, ptcvm_error** error, F&& change) noexcept {
  return guarded(error, [&] {
    taken(change(the(handle).ring));
    handle->keys = handle->ring.keys();
  });
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;
using ptcvm::KeyRing;

ptcvm_status ptcvm_key_ring_new(ptcvm_key_ring** out, ptcvm_error** error) {
  return c::guarded(out, error, [] { return c::handle_of(KeyRing()); });
}
ptcvm_status ptcvm_key_ring_parse(ptcvm_text json, ptcvm_key_ring** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::handle_of(c::taken(KeyRing::parse(c::text_in(json)))); });
}
ptcvm_status ptcvm_key_ring_load(ptcvm_text path, ptcvm_key_ring** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::handle_of(c::taken(KeyRing::load(c::path_in(path)))); });
}
void ptcvm_key_ring_free(ptcvm_key_ring* ring) { delete ring; }

ptcvm_status ptcvm_key_ring_rotate(ptcvm_key_ring* ring, const ptcvm_new_key* wanted, ptcvm_error** error) {
  return c::changed(ring, error, [&](KeyRing& keys) {
    c::require(wanted != nullptr, "the new key is NULL");
    const ptcvm_new_key given = c::options_in(wanted);
    return keys.rotate({.id = c::text_in(given.id),
                        .algorithm = c::algorithm_in(given.algorithm),
                        .not_after_ms = c::moment_in(given.has_end, given.not_after_ms),
                        .time_ms = c::moment_in(given.has_time, given.time_ms)});
  });
}
ptcvm_status ptcvm_key_ring_sign_with(ptcvm_key_ring* ring, ptcvm_text id, ptcvm_error** error) {
  return c::changed(ring, error, [&](KeyRing& keys) { return keys.sign_with(c::text_in(id)); });
}
ptcvm_status ptcvm_key_ring_revoke(ptcvm_key_ring* ring, ptcvm_text id, ptcvm_error** error) {
  return c::changed(ring, error, [&](KeyRing& keys) { return keys.revoke(c::text_in(id)); });
}
ptcvm_status ptcvm_key_ring_public_half(const ptcvm_key_ring* ring, ptcvm_key_ring** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::handle_of(c::the(ring).ring.public_half()); });
}

size_t ptcvm_key_ring_count(const ptcvm_key_ring* ring) { return ring == nullptr ? 0 : ring->keys.size(); }
ptcvm_status ptcvm_key_ring_at(const ptcvm_key_ring* ring, size_t index, ptcvm_key* out) {
  return c::guarded(nullptr, [&] {
    c::require(index < c::the(ring).keys.size(), "there are not that many keys");
    const ptcvm::SealingKey& key = ring->keys[index];
    ptcvm_key filled = {};
    filled.id = c::text_out(key.id);
    filled.note = c::text_out(key.note);
    filled.algorithm = static_cast<int32_t>(key.algorithm);
    filled.state = static_cast<int32_t>(key.state);
    filled.is_signing = key.is_signing;
    filled.has_secret = key.has_secret;
    filled.has_end = key.not_after_ms.has_value();
    filled.created_ms = key.created_ms;
    filled.not_after_ms = key.not_after_ms.value_or(0);
    c::struct_out(out, filled);
  });
}
ptcvm_status ptcvm_key_ring_json(const ptcvm_key_ring* ring, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    auto buffer = c::buffer_of(c::the(ring).ring.to_json());
    buffer->is_secret = true;
    return buffer;
  });
}
ptcvm_status ptcvm_key_ring_save(const ptcvm_key_ring* ring, ptcvm_text path, int32_t replace, ptcvm_error** error) {
  return c::guarded(error, [&] { c::taken(c::the(ring).ring.save(c::path_in(path), replace != 0)); });
}

ptcvm_status ptcvm_seal(const ptcvm_key_ring* ring, ptcvm_text payload, const ptcvm_seal_label* label,
                        ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const KeyRing& keys = c::the(ring).ring;
    c::require(label != nullptr, "the label is NULL");
    const ptcvm_seal_label given = c::options_in(label);
    return c::buffer_of(c::taken(ptcvm::seal(c::bytes_in(payload), keys,
                                             {.tenant = c::text_in(given.tenant),
                                              .run_id = c::text_in(given.run_id),
                                              .sequence = given.sequence,
                                              .time_ms = c::moment_in(given.has_time, given.time_ms)})));
  });
}
ptcvm_status ptcvm_open_sealed(const ptcvm_key_ring* ring, ptcvm_text bytes, const ptcvm_seal_expectations* expected,
                               ptcvm_opened** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const KeyRing& keys = c::the(ring).ring;
    c::require(expected != nullptr, "the expectations are NULL");
    const ptcvm_seal_expectations given = c::options_in(expected);
    ptcvm::SealExpectations wanted;
    wanted.tenant = c::text_in(given.tenant);
    if (given.run_id.size > 0) wanted.run_id = c::text_in(given.run_id);
    if (given.has_sequence != 0) wanted.sequence = given.sequence;
    wanted.minimum_sequence = given.minimum_sequence;
    wanted.time_ms = c::moment_in(given.has_time, given.time_ms);
    return std::unique_ptr<ptcvm_opened>(
        new ptcvm_opened{c::taken(ptcvm::open_sealed(c::bytes_in(bytes), keys, wanted))});
  });
}
ptcvm_text ptcvm_opened_payload(const ptcvm_opened* opened) {
  if (opened == nullptr) return {nullptr, 0};
  return {reinterpret_cast<const char*>(opened->seal.payload.data()), opened->seal.payload.size()};
}
ptcvm_status ptcvm_opened_facts(const ptcvm_opened* opened, ptcvm_seal_facts* out) {
  return c::guarded(nullptr, [&] {
    const ptcvm::OpenedSeal& seal = c::the(opened).seal;
    ptcvm_seal_facts filled = {};
    filled.key_id = c::text_out(seal.key_id);
    filled.tenant = c::text_out(seal.tenant);
    filled.run_id = c::text_out(seal.run_id);
    filled.sequence = seal.sequence;
    filled.algorithm = static_cast<int32_t>(seal.algorithm);
    c::struct_out(out, filled);
  });
}
void ptcvm_opened_free(ptcvm_opened* opened) { delete opened; }
int32_t ptcvm_looks_sealed(ptcvm_text bytes) {
  return c::quietly(0, [&] { return ptcvm::looks_sealed(c::bytes_in(bytes)) ? 1 : 0; });
}
