#include "agents/loop/agent_document.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "agents/loop/agent_run.h"
#include "agents/loop/document_json.h"
#include "agents/wire/reply.h"

namespace ptcvm::loop {

namespace {

constexpr int kMostNestedAgents = 40;           // agents below agents
constexpr std::size_t kMostTables = 4'000'000;
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);
constexpr std::uint32_t kLastVersionWithoutChecksum = 1, kLastVersionWithoutBegunCalls = 5,
                        kLastVersionWithoutWaits = 6;
constexpr auto kLastProtocol = static_cast<std::uint8_t>(wire::Protocol::Messages);

Error damaged(std::string message) {
  return {Errc::invalid_snapshot, "the document of the agent " + std::move(message), std::nullopt, {}};
}

// Mixes eight bytes at a time; the multiplier is the golden ratio's.
std::uint64_t checksum_of(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::uint64_t kMultiplier = 0x9E37'79B9'7F4A'7C15u;
  std::uint64_t sum = size * kMultiplier;
  for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t), bytes += sizeof(std::uint64_t)) {
    sum = (sum ^ flatbuffers::ReadScalar<std::uint64_t>(bytes)) * kMultiplier;
    sum ^= sum >> 29;
  }
  for (; size > 0; --size) sum = (sum ^ *bytes++) * kMultiplier;
  return sum ^ (sum >> 32);
}

// Returns whether the bytes end with their checksum.
bool has_checksum(const std::uint8_t* bytes, std::size_t size) {
  if (size < kChecksumBytes) return false;
  const std::size_t before = size - kChecksumBytes;
  return flatbuffers::ReadScalar<std::uint64_t>(bytes + before) == checksum_of(bytes, before);
}

// Returns what is wrong with a turn that the verifier of FlatBuffers has accepted, or "".
std::string fault_of(const state::TurnT& turn) {
  if (turn.kind > state::TurnKind::MAX) return "has an unknown kind of turn";
  for (const auto& reply : turn.replies) {
    if (reply->protocol > kLastProtocol) return "has a reply in an unknown protocol";
  }
  return {};
}

// Returns what is wrong with a node that the verifier of FlatBuffers has accepted, or "". Fills in what may be missing.
std::string fault_of(state::NodeT& node, int level) {
  if (level > kMostNestedAgents) return "has agents that are nested too deeply";
  if (node.phase > state::Phase::MAX || node.held_phase > state::Phase::MAX) return "has an unknown phase";
  if (node.limits == nullptr || node.usage == nullptr || node.current == nullptr) return "has an agent without limits";
  for (const auto& turn : node.turns) {
    if (turn->usage == nullptr) return "has a turn without its usage";
    if (std::string fault = fault_of(*turn); !fault.empty()) return fault;
  }
  if (std::string fault = fault_of(*node.current); !fault.empty()) return fault;
  for (const auto& request : node.given_up) {
    if (request->protocol > kLastProtocol) return "has a request in an unknown protocol";
  }
  for (const auto& operation : node.operations) {
    if (operation->kind > state::OperationKind::MAX) return "has an unknown kind of operation";
  }
  if (node.phase == state::Phase::Running && node.session.empty()) return "has a program without its session";
  const bool is_settling = node.phase == state::Phase::Settling;
  if (is_settling != (node.program_end != nullptr)) return "has an end of a program in a wrong place";
  if (is_settling && (node.program_end->kind > state::TurnKind::MAX ||
                      node.program_end->after > state::AfterProgram::MAX)) {
    return "has an unknown end of a program";
  }
  for (const auto& child : node.children) {
    if (std::string fault = fault_of(*child, level + 1); !fault.empty()) return fault;
  }
  return {};
}

bool has_begun_calls(const state::NodeT& node) {
  return std::ranges::any_of(node.operations, [](const auto& call) { return call->is_begun; }) ||
         std::ranges::any_of(node.children, [](const auto& child) { return has_begun_calls(*child); });
}

bool has_settling_agents(const state::NodeT& node) {
  return node.phase == state::Phase::Settling ||
         std::ranges::any_of(node.children, [](const auto& child) { return has_settling_agents(*child); });
}

// The JSON face leaves out what is empty.
void fill_in(state::NodeT& node) {
  if (node.limits == nullptr) node.limits = std::make_unique<state::LimitsT>();
  if (node.usage == nullptr) node.usage = std::make_unique<state::UsageT>();
  if (node.current == nullptr) node.current = std::make_unique<state::TurnT>();
  for (const auto& turn : node.turns) {
    if (turn->usage == nullptr) turn->usage = std::make_unique<state::UsageT>();
  }
  for (const auto& child : node.children) fill_in(*child);
}

}  // namespace

std::uint32_t written_version(const state::DocumentT& document) {
  if (document.rules != 0 || has_settling_agents(*document.root)) return kDocumentVersion;
  return has_begun_calls(*document.root) ? kLastVersionWithoutWaits : kLastVersionWithoutBegunCalls;
}

std::vector<std::byte> write_document(const state::DocumentT& document) {
  flatbuffers::FlatBufferBuilder builder(4096);
  builder.Finish(state::Document::Pack(builder, &document), state::DocumentIdentifier());
  const std::uint8_t* const first = builder.GetBufferPointer();
  std::vector<std::byte> bytes(builder.GetSize() + kChecksumBytes);
  std::memcpy(bytes.data(), first, builder.GetSize());
  flatbuffers::WriteScalar(bytes.data() + builder.GetSize(), checksum_of(first, builder.GetSize()));
  return bytes;
}

Result<std::unique_ptr<state::DocumentT>> read_document(std::span<const std::byte> bytes) {
  if (bytes.size() > kMostDocumentBytes) {
    return Error{Errc::too_large, "the document of the agent has " + std::to_string(bytes.size()) + " bytes",
                 std::nullopt, {}};
  }
  std::unique_ptr<state::DocumentT> document;
  if (!bytes.empty() && bytes.front() == std::byte{'{'}) {
    auto read = read_document_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!read) return read.error();
    document = std::move(*read);
    if (document->root != nullptr) fill_in(*document->root);
  } else {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const bool is_whole = has_checksum(first, bytes.size());
    const std::size_t size = bytes.size() - (is_whole ? kChecksumBytes : 0);
    flatbuffers::Verifier verifier(first, size, 2 * kMostNestedAgents + 8, kMostTables);
    if (size < 8 || !state::VerifyDocumentBuffer(verifier)) return damaged("cannot be read");
    document.reset(state::GetDocument(first)->UnPack());
    // What later versions write is in no document of that version: a changed byte may make any version.
    const bool is_later =
        document->version > kLastVersionWithoutChecksum || document->keys_name_run || document->rules != 0;
    if (!is_whole && is_later) {
      return damaged("was changed or is not whole: its checksum is another one");
    }
  }
  if (document->version < kOldestDocumentVersion || document->version > kDocumentVersion) {
    return damaged("has version " + std::to_string(document->version) + ", and this library reads the versions " +
                   std::to_string(kOldestDocumentVersion) + " to " + std::to_string(kDocumentVersion));
  }
  if (document->rules > kLastRules) return damaged("goes by rules that this library does not know");
  if (document->root == nullptr) return damaged("has no agent");
  if (std::string fault = fault_of(*document->root, 1); !fault.empty()) return damaged(std::move(fault));
  return document;
}

}  // namespace ptcvm::loop
