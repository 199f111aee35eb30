// Key rings as JSON text. What is read is checked completely; what is written reads back as the same ring.
#include <sodium.h>

#include <algorithm>
#include <boost/json.hpp>

#include "runtime/text/json_members.h"
#include "runtime/text/json_text.h"
#include "runtime/seal/key_ring.h"
#include "runtime/text/secret_text.h"
#include "runtime/text/text_place.h"
#include "vm/value/calendar.h"

namespace ptc {
namespace {

namespace json = boost::json;

constexpr std::size_t kBytesPerKeyText = 512;      // what text() reserves a key beyond its note

class KeyReader {
 public:
  KeyReader(const json::object& object, std::string where) : object_(object), where_(std::move(where)) {}

  std::variant<SealingKey, std::string> read() {
    check_names();
    SealingKey key;
    key.id = text("id");
    key.note = optional_text("note").value_or("");
    if (const auto found = seal_algorithm_named(text("algorithm"))) {
      key.algorithm = *found;
    } else {
      refuse("algorithm must be hmac-sha256 or ed25519");
    }
    if (const auto found = key_state_named(text("state"))) {
      key.state = *found;
    } else {
      refuse("state must be active, verify-only or revoked");
    }
    key.created_seconds = date("created", text("created"));
    if (const auto end = optional_text("not_after")) key.not_after_seconds = date("not_after", *end);
    read_key_bytes(key);
    if (!problem_.empty()) return where_ + problem_;
    return key;
  }

 private:
  void refuse(std::string message) {
    if (problem_.empty()) problem_ = std::move(message);
  }

  void check_names() {
    static constexpr std::string_view kNames[] = {"id",     "algorithm", "state",  "created",
                                                  "public", "not_after", "secret", "note"};
    for (const auto& entry : object_) {
      const std::string_view name(entry.key().data(), entry.key().size());
      if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) {
        refuse("unknown field \"" + std::string(name) + "\"");
      }
    }
  }

  // A view: secrets are not copied.
  std::optional<std::string_view> optional_text(std::string_view name) {
    const json::value* value = object_.if_contains({name.data(), name.size()});
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (const json::string* string = value->if_string()) return std::string_view(string->data(), string->size());
    refuse(std::string(name) + " must be a string");
    return std::nullopt;
  }

  std::string_view text(std::string_view name) {
    const auto found = optional_text(name);
    if (!found) refuse(std::string(name) + " is missing");
    return found.value_or("");
  }

  std::int64_t date(std::string_view name, std::string_view text) {
    const auto instant = parse_instant(text, InstantSyntax::Lenient);
    if (!instant) refuse(std::string(name) + " must be a date like 2026-08-01 or 2026-08-01T12:00:00Z");
    return instant ? instant->seconds : 0;
  }

  bool key_bytes(std::string_view name, KeyBytes& out) {
    const auto base64 = optional_text(name);
    if (!base64) return false;
    std::size_t length = 0;
    const char* end = nullptr;
    const int refused = sodium_base642bin(out.data(), out.size(), base64->data(), base64->size(), nullptr, &length,
                                          &end, sodium_base64_VARIANT_ORIGINAL);
    if (refused == 0 && length == out.size() && end == base64->data() + base64->size()) return true;
    refuse(std::string(name) + " must be 32 bytes in base64");
    return false;
  }

  void read_key_bytes(SealingKey& key) {
    KeyBytes secret{};
    if (key_bytes("secret", secret)) key.secret = SecretKey(secret);
    const bool has_public = key_bytes("public", key.public_key);
    if (key.algorithm == SealAlgorithm::Ed25519) {
      check_pair(key, has_public);
    } else {
      if (has_public) refuse("an hmac-sha256 key has no public half");
      if (!key.secret.present()) refuse("secret is missing");
    }
    sodium_memzero(secret.data(), secret.size());
  }

  void check_pair(SealingKey& key, bool has_public) {
    if (!key.secret.present()) {
      if (!has_public) refuse("public is missing");
      return;
    }
    KeyBytes derived;
    std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> expanded;
    crypto_sign_seed_keypair(derived.data(), expanded.data(), key.secret.bytes().data());
    sodium_memzero(expanded.data(), expanded.size());
    if (has_public && derived != key.public_key) refuse("public does not belong to secret");
    key.public_key = derived;
  }

  const json::object& object_;
  std::string where_, problem_;
};

std::string describe_place(const json::object& key, std::size_t index) {
  const json::value* id = key.if_contains("id");
  if (id != nullptr && id->is_string()) {
    const std::string_view name(id->get_string().data(), id->get_string().size());
    if (is_key_id(name)) return "key " + std::string(name) + ": ";
  }
  return "keys[" + std::to_string(index) + "]: ";
}

std::optional<std::string> read_keys(const json::object& root, KeyRing& ring) {
  const json::value* keys = root.if_contains("keys");
  if (keys == nullptr || !keys->is_array()) return "keys must be a list";
  const json::array& list = keys->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const json::object* object = list[i].if_object();
    if (object == nullptr) return "keys[" + std::to_string(i) + "] must be an object";
    auto key = KeyReader(*object, describe_place(*object, i)).read();
    if (auto* message = std::get_if<std::string>(&key)) return std::move(*message);
    if (auto message = ring.add(std::move(std::get<SealingKey>(key)))) return message;
  }
  return std::nullopt;
}

std::optional<std::string> read_signing(const json::object& root, KeyRing& ring) {
  const json::value* signing = root.if_contains("signing");
  if (signing == nullptr || signing->is_null()) return std::nullopt;
  const json::string* id = signing->if_string();
  if (id == nullptr) return "signing must be the id of a key";
  const auto message = ring.sign_with({id->data(), id->size()});
  return message ? "signing: " + *message : message;
}

std::optional<std::string> read_root(const json::value& value, KeyRing& ring) {
  const json::object* root = value.if_object();
  if (root == nullptr) return "a key ring is an object";
  for (const auto& entry : *root) {
    if (entry.key() != "keys" && entry.key() != "signing") return "unknown field \"" + std::string(entry.key()) + "\"";
  }
  if (auto message = read_keys(*root, ring)) return message;
  return read_signing(*root, ring);
}

void append_field(std::string& out, std::string_view name, std::string_view text, std::string_view before = ", ") {
  out += before;
  out += '"';
  out += name;
  out += "\": ";
  append_json_string(out, text);
}

void append_base64(std::string& out, std::string_view name, const KeyBytes& bytes) {
  std::array<char, sodium_base64_ENCODED_LEN(kKeyBytes, sodium_base64_VARIANT_ORIGINAL)> base64;
  sodium_bin2base64(base64.data(), base64.size(), bytes.data(), bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  append_field(out, name, base64.data(), ",\n     ");
  sodium_memzero(base64.data(), base64.size());
}

std::string date_text(std::int64_t seconds) {
  std::string text;
  append_instant(text, {seconds, 0});
  return text;
}

void append_key(std::string& out, const SealingKey& key) {
  out += "    {\"id\": ";
  append_json_string(out, key.id);
  append_field(out, "algorithm", seal_algorithm_name(key.algorithm));
  append_field(out, "state", key_state_name(key.state));
  out += ",\n     \"created\": ";
  append_json_string(out, date_text(key.created_seconds));
  if (key.not_after_seconds) {
    append_field(out, "not_after", date_text(*key.not_after_seconds));
  } else {
    out += ", \"not_after\": null";
  }
  if (!key.note.empty()) append_field(out, "note", key.note);
  if (key.algorithm == SealAlgorithm::Ed25519) append_base64(out, "public", key.public_key);
  if (key.secret.present()) append_base64(out, "secret", key.secret.bytes());
  out += '}';
}

}  // namespace

std::variant<KeyRing, std::string> KeyRing::parse(std::string_view text) {
  if (text.size() > kMaxKeyRingBytes) return std::string("the file is too large for a key ring");
  if (sodium_init() < 0) return std::string("no cryptography on this machine");
  SecretMemory memory;
  json::parser parser(&memory);
  parser.reset(&memory);
  json::error_code error;
  const std::size_t good = parser.write_some(text.data(), text.size(), error);
  if (!error && good < text.size()) error = json::error::extra_data;
  if (error) return "no JSON: " + text_place_words(text, good) + ": " + error.message();
  if (const std::string doubled = doubled_member(text); !doubled.empty()) {
    return "the member " + doubled + " is written twice";
  }
  const json::value value = parser.release();
  KeyRing ring;
  if (auto message = read_root(value, ring)) return std::move(*message);
  return ring;
}

std::string KeyRing::text() const {
  std::string out;
  std::size_t bytes = kBytesPerKeyText;
  for (const SealingKey& key : keys_) bytes += kBytesPerKeyText + 6 * key.note.size();   // \u00xx is the longest escape
  out.reserve(bytes);
  out += "{\n  \"keys\": [";
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    append_key(out, keys_[i]);
  }
  out += keys_.empty() ? "],\n" : "\n  ],\n";
  out += "  \"signing\": ";
  if (signing_.empty()) {
    out += "null";
  } else {
    append_json_string(out, signing_);
  }
  out += "\n}\n";
  return out;
}

}  // namespace ptc
