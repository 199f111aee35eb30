#include "agents/loop/agent_document.h"

#include <utility>

#include "agents/loop/document_json.h"

namespace ptcvm::loop {

namespace {

constexpr int kMostNestedAgents = 40;           // agents below agents
constexpr std::size_t kMostTables = 4'000'000;

Error damaged(std::string message) {
  return {Errc::invalid_snapshot, "the document of the agent " + std::move(message), std::nullopt, {}};
}

// Returns what is wrong with a node that the verifier of FlatBuffers has accepted, or "". Fills in what may be missing.
std::string fault_of(state::NodeT& node, int level) {
  if (level > kMostNestedAgents) return "has agents that are nested too deeply";
  if (node.phase > state::Phase::MAX) return "has an unknown phase";
  if (node.limits == nullptr || node.usage == nullptr || node.current == nullptr) return "has an agent without limits";
  for (const auto& turn : node.turns) {
    if (turn->kind > state::TurnKind::MAX) return "has an unknown kind of turn";
    if (turn->usage == nullptr) return "has a turn without its usage";
  }
  for (const auto& operation : node.operations) {
    if (operation->kind > state::OperationKind::MAX) return "has an unknown kind of operation";
  }
  if (node.phase == state::Phase::Running) {
    if (node.current->replies.empty()) return "has a program without the reply that it came from";
    if (node.session.empty()) return "has a program without its session";
  }
  for (const auto& child : node.children) {
    if (std::string fault = fault_of(*child, level + 1); !fault.empty()) return fault;
  }
  return {};
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

std::vector<std::byte> write_document(const state::DocumentT& document) {
  flatbuffers::FlatBufferBuilder builder(4096);
  builder.Finish(state::Document::Pack(builder, &document), state::DocumentIdentifier());
  const auto* const first = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {first, first + builder.GetSize()};
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
    flatbuffers::Verifier verifier(first, bytes.size(), 2 * kMostNestedAgents + 8, kMostTables);
    if (bytes.size() < 8 || !state::VerifyDocumentBuffer(verifier)) return damaged("cannot be read");
    document.reset(state::GetDocument(first)->UnPack());
  }
  if (document->version != kDocumentVersion) {
    return damaged("has version " + std::to_string(document->version) + ", and this library reads version " +
                   std::to_string(kDocumentVersion));
  }
  if (document->root == nullptr) return damaged("has no agent");
  if (std::string fault = fault_of(*document->root, 1); !fault.empty()) return damaged(std::move(fault));
  return document;
}

}  // namespace ptcvm::loop
