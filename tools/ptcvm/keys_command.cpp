// ptcvm keys: rings of keys that seal snapshots.
#include <algorithm>
#include <array>
#include <iostream>

#include "runtime/engine/clock.h"
#include "runtime/seal/key_ring.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/terminal.h"
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

std::string date_text(std::int64_t seconds) {
  std::string text;
  ptc::append_instant(text, {seconds, 0});
  return text;
}

std::string state_text(const ptc::SealingKey& key, const ptc::KeyRing& ring) {
  if (&key == ring.signing()) return "signing";
  return std::string(ptc::key_state_name(key.state));
}

std::string end_text(const ptc::SealingKey& key) {
  if (!key.not_after_seconds) return "-";
  return date_text(*key.not_after_seconds) + (ptc::system_seconds() >= *key.not_after_seconds ? " (over)" : "");
}

// Nothing when --algorithm or --not-after is refused.
std::optional<ptc::NewKey> wanted_key(const KeysRequest& request, ptc::SealAlgorithm otherwise) {
  ptc::NewKey wanted{request.id, otherwise, ptc::system_seconds(), {}};
  if (const auto algorithm = ptc::seal_algorithm_named(request.algorithm)) wanted.algorithm = *algorithm;
  if (request.not_after.empty()) return wanted;
  const auto end = ptc::parse_instant(request.not_after, ptc::InstantSyntax::Lenient);
  if (!end) {
    complain("--not-after must be a date like 2027-01-31 or 2027-01-31T12:00:00Z");
    return std::nullopt;
  }
  wanted.not_after_seconds = end->seconds;
  return wanted;
}

int new_ring(const KeysRequest& request) {
  const auto wanted = wanted_key(request, ptc::SealAlgorithm::HmacSha256);
  if (!wanted) return kUsage;
  ptc::KeyRing ring;
  if (const auto message = ring.rotate(*wanted)) return refuse(*message);
  if (const auto message = ring.save(request.ring, false)) return refuse(*message);
  return kSuccess;
}

int list_ring(const ptc::KeyRing& ring) {
  std::vector<std::array<std::string, 5>> rows{{"id", "algorithm", "state", "created", "not after"}};
  for (const ptc::SealingKey& key : ring.keys()) {
    rows.push_back({key.id, std::string(ptc::seal_algorithm_name(key.algorithm)), state_text(key, ring),
                    date_text(key.created_seconds), end_text(key)});
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

int rotate_ring(ptc::KeyRing& ring, const KeysRequest& request) {
  const ptc::SealingKey* before = ring.signing();
  const auto wanted = wanted_key(request, before == nullptr ? ptc::SealAlgorithm::HmacSha256 : before->algorithm);
  if (!wanted) return kUsage;
  if (const auto message = ring.rotate(*wanted)) return refuse(*message);
  if (const auto message = ring.save(request.ring, true)) return refuse(*message);
  return kSuccess;
}

int revoke_key(ptc::KeyRing& ring, const KeysRequest& request) {
  if (const auto message = ring.revoke(request.id)) return refuse(*message);
  if (const auto message = ring.save(request.ring, true)) return refuse(*message);
  if (ring.signing() == nullptr) complain("the ring has no signing key now; ptcvm keys rotate makes one");
  return kSuccess;
}

int export_ring(const ptc::KeyRing& ring, const KeysRequest& request) {
  const ptc::KeyRing half = ring.public_half();
  if (half.keys().empty()) return refuse("the ring has no ed25519 key, and hmac-sha256 keys have no public half");
  if (request.output == "-") {
    std::cout << half.text();
    return kSuccess;
  }
  if (const auto message = half.save(request.output, true)) return refuse(*message);
  return kSuccess;
}

template <class Use>
int with_ring(const std::string& path, const Use& use) {
  auto ring = ptc::KeyRing::load(path);
  if (const auto* message = std::get_if<std::string>(&ring)) return refuse(*message);
  return use(std::get<ptc::KeyRing>(ring));
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
      status = with_ring(request->ring, [&](ptc::KeyRing& ring) { return rotate_ring(ring, *request); });
    });
  }

  void add_revoke() {
    const auto request = std::make_shared<KeysRequest>();
    CLI::App* part = add_part("revoke", "Refuse everything that a key has sealed, from now on", request);
    part->add_option("--id", request->id, "The key")->required();
    part->footer("Examples:\n  ptcvm keys revoke ring.json --id 2026-08");
    part->callback([request, &status = status_] {
      status = with_ring(request->ring, [&](ptc::KeyRing& ring) { return revoke_key(ring, *request); });
    });
  }

  void add_export() {
    const auto request = std::make_shared<KeysRequest>();
    CLI::App* part = add_part("export", "Write a ring that can check and not sign", request);
    part->add_flag("--public", request->public_half, "The public halves of the ed25519 keys")->required();
    part->add_option("-o,--output", request->output, "Where to write; - is standard output")->required();
    part->footer("Examples:\n  ptcvm keys export ring.json --public -o public.json");
    part->callback([request, &status = status_] {
      status = with_ring(request->ring, [&](const ptc::KeyRing& ring) { return export_ring(ring, *request); });
    });
  }

  CLI::App& command_;
  int& status_;
};

}  // namespace

void add_keys_command(CLI::App& app, int& status) { KeysCommand(app, status).add(); }

}  // namespace ptcvm::cli
