#include "fuzz/fuzz_keys.h"

#include <variant>

#include "fuzz/fuzz_target.h"

namespace ptc::fuzz {
namespace {

// The Ed25519 pair is the first of the test vectors of RFC 8032.
constexpr std::string_view kRing = R"({"keys": [
  {"id": "hmac", "algorithm": "hmac-sha256", "state": "active", "created": "2026-01-01T00:00:00Z", "not_after": null,
   "secret": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
  {"id": "ed", "algorithm": "ed25519", "state": "active", "created": "2026-01-01T00:00:00Z", "not_after": null,
   "secret": "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=", "public": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="},
  {"id": "old", "algorithm": "hmac-sha256", "state": "revoked", "created": "2026-01-01T00:00:00Z", "not_after": null,
   "secret": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}],
  "signing": "hmac"})";

}  // namespace

const KeyRing& fuzz_keys() {
  static const auto parsed = KeyRing::parse(kRing);
  if (const auto* message = std::get_if<std::string>(&parsed)) complain(*message);
  return std::get<KeyRing>(parsed);
}

}  // namespace ptc::fuzz
