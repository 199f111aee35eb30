// ptcvm keys: rings of keys that seal snapshots.
#include <algorithm>
#include <array>
#include <iostream>

#include "ptcvm/sealing.hpp"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/file_lock.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/moments.h"
#include "vm/value/calendar.h"

namespace ptcvm::cli {
namespace {

struct KeysRequest {
  std::string ring, id, algorithm, not_after, output;
  bool public_half = false;
};

int refuse(std::string_view message) {
  complain(message);
  return kBadInput;
}

constexpr std::int64_t kMillis = 1'000;   // in a second

std::string date_text(std::int64_t ms) {
  std::string text;
  ptc::append_instant(text, {ms / kMillis, 0});
  return text;
}

std::string state_text(const SealingKey& key) { return key.is_signing ? "signing" : key_state_name(key.state); }

std::string end_text(const SealingKey& key) {
  if (!key.not_after_ms) return "-";
  return date_text(*key.not_after_ms) + (now_millis() >= *key.not_after_ms ? " (over)" : "");
}

// Nothing when --not-after is refused.
std::optional<NewKey> wanted_key(const KeysRequest& request, SealAlgorithm otherwise) {
  NewKey wanted{.id = request.id, .algorithm = seal_algorithm_named(request.algorithm).value_or(otherwise)};
  if (request.not_after.empty()) return wanted;
  const auto end = ptc::parse_instant(request.not_after, ptc::InstantSyntax::Lenient);
  if (!end) {
    complain("--not-after must be a date like 2027-01-31 or 2027-01-31T12:00:00Z");
    return std::nullopt;
  }
  wanted.not_after_ms = end->seconds * kMillis;
  return wanted;
}

// The algorithm of the key that signs.
SealAlgorithm signing_algorithm(const KeyRing& ring) {
  for (const SealingKey& key : ring.keys()) {
    if (key.is_signing) return key.algorithm;
  }
  return SealAlgorithm::HmacSha256;
}

int new_ring(const KeysRequest& request) {
  const auto wanted = wanted_key(request, SealAlgorithm::HmacSha256);
  if (!wanted) return kUsage;
  KeyRing ring;
  if (const auto made = ring.rotate(*wanted); !made) return refuse(made.error().message);
  if (const auto saved = ring.save(request.ring, false); !saved) return refuse(saved.error().message);
  return kSuccess;
}

int list_ring(const KeyRing& ring) {
  std::vector<std::array<std::string, 5>> rows{{"id", "algorithm", "state", "created", "not after"}};
  for (const SealingKey& key : ring.keys()) {
    rows.push_back({key.id, seal_algorithm_name(key.algorithm), state_text(key), date_text(key.created_ms),
                    end_text(key)});
  }
  std::array<std::size_t, 5> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size() + 2);
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size(), ' ');
    }
    std::cout << line << '\n';
  }
  return kSuccess;
}

int rotate_ring(KeyRing& ring, const KeysRequest& request) {
  const auto wanted = wanted_key(request, signing_algorithm(ring));
  if (!wanted) return kUsage;
  if (const auto made = ring.rotate(*wanted); !made) return refuse(made.error().message);
  if (const auto saved = ring.save(request.ring, true); !saved) return refuse(saved.error().message);
  return kSuccess;
}

int revoke_key(KeyRing& ring, const KeysRequest& request) {
  if (const auto revoked = ring.revoke(request.id); !revoked) return refuse(revoked.error().message);
  if (const auto saved = ring.save(request.ring, true); !saved) return refuse(saved.error().message);
  if (!ring.can_seal()) complain("the ring has no signing key now; ptcvm keys rotate makes one");
  return kSuccess;
}

int export_ring(const KeyRing& ring, const KeysRequest& request) {
  const KeyRing half = ring.public_half();
  if (half.keys().empty()) return refuse("the ring has no ed25519 key, and hmac-sha256 keys have no public half");
  if (request.output == "-") {
    std::cout << half.to_json();
    return kSuccess;
  }
  if (const auto saved = half.save(request.output, true); !saved) return refuse(saved.error().message);
  return kSuccess;
}

template <class Use>
int with_ring(const std::string& path, const Use& use) {
  auto ring = KeyRing::load(path);
  return ring ? use(*ring) : refuse(ring.error().message);
}

// Other commands that change the ring wait meanwhile.
template <class Change>
int with_locked_ring(const std::string& path, const Change& change) {
  FileLock lock;
  std::string message;
  return lock.take(path, message) ? with_ring(path, change) : refuse(message);
}

class KeysCommand {
 public:
  KeysCommand(CLI::App& app, int& status)
      : command_(*app.add_subcommand("keys", "Make, list, change and revoke the keys that seal snapshots")),
        status_(status) {}

  void add() {
    command_.require_subcommand(1);
    command_.footer(
        "Examples:\n"
        "  ptcvm keys new ring.json --id 2026-08\n"
        "  ptcvm keys rotate ring.json --id 2026-09 --not-after 2027-09-01\n"
        "  ptcvm keys revoke ring.json --id 2026-08\n"
        "  ptcvm keys list ring.json\n"
        "  ptcvm keys export ring.json --public -o public.json");
    add_new();
    add_list();
    add_rotate();
    add_revoke();
    add_export();
  }

 private:
  using Request = std::shared_ptr<KeysRequest>;

  CLI::App* add_part(const std::string& name, const std::string& description, const Request& request) {
    CLI::App* part = command_.add_subcommand(name, description);
    part->add_option("RING", request->ring, "The file of the key ring")->required();
    return part;
  }

  void add_key_options(CLI::App* part, const Request& request, const std::string& otherwise) {
    part->add_option("--id", request->id, "Id of the new key: letters, digits, and . _ -")->required();
    part->add_option("--algorithm", request->algorithm, "hmac-sha256 or ed25519 (default: " + otherwise + ")")
        ->check(CLI::IsMember({"hmac-sha256", "ed25519"}));
    part->add_option("--not-after", request->not_after, "When the key ends, in UTC (default: never)")
        ->type_name("DATE");
  }

  void add_new() {
    const auto request = std::make_shared<KeysRequest>();
    CLI::App* part = add_part("new", "Make a ring with one key that signs; the file must not be there", request);
    add_key_options(part, request, "hmac-sha256");
    part->footer("Examples:\n  ptcvm keys new ring.json --id 2026-08\n"
                 "  ptcvm keys new ring.json --id 2026-08 --algorithm ed25519 --not-after 2027-08-01");
    part->callback([request, &status = status_] { status = new_ring(*request); });
  }

  void add_list() {
    const auto request = std::make_shared<KeysRequest>();
    CLI::App* part = add_part("list", "Show the keys of a ring, without secrets", request);
    part->footer("Examples:\n  ptcvm keys list ring.json");
    part->callback([request, &status = status_] { status = with_ring(request->ring, list_ring); });
  }

  void add_rotate() {
    const auto request = std::make_shared<KeysRequest>();
    CLI::App* part = add_part("rotate", "Add a key that signs from now on; the one before it only checks", request);
    add_key_options(part, request, "as the key before it");
    part->footer("Examples:\n  ptcvm keys rotate ring.json --id 2026-09");
    part->callback([request, &status = status_] {
      status = with_locked_ring(request->ring, [&](KeyRing& ring) { return rotate_ring(ring, *request); });
    });
  }

  void add_revoke() {
    const auto request = std::make_shared<KeysRequest>();
    CLI::App* part = add_part("revoke", "Refuse everything that a key has sealed, from now on", request);
    part->add_option("--id", request->id, "The key")->required();
    part->footer("Examples:\n  ptcvm keys revoke ring.json --id 2026-08");
    part->callback([request, &status = status_] {
      status = with_locked_ring(request->ring, [&](KeyRing& ring) { return revoke_key(ring, *request); });
    });
  }

  void add_export() {
    const auto request = std::make_shared<KeysRequest>();
    CLI::App* part = add_part("export", "Write a ring that can check and not sign", request);
    part->add_flag("--public", request->public_half, "The public halves of the ed25519 keys")->required();
    part->add_option("-o,--output", request->output, "Where to write; - is standard output")->required();
    part->footer("Examples:\n  ptcvm keys export ring.json --public -o public.json");
    part->callback([request, &status = status_] {
      status = with_ring(request->ring, [&](const KeyRing& ring) { return export_ring(ring, *request); });
    });
  }

  CLI::App& command_;
  int& status_;
};

}  // namespace

void add_keys_command(CLI::App& app, int& status) { KeysCommand(app, status).add(); }

}  // namespace ptcvm::cli
