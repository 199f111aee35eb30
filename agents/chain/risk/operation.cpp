#include "agents/chain/risk/operation.h"

#include <algorithm>
#include <utility>

namespace ptcvm::chain {

void OperationTable::add(ChainOperation operation, OperationOwner owner, std::uint64_t call) {
  const bool is_known = std::any_of(entries_.begin(), entries_.end(), [&](const auto& known) {
    const Entry& entry = known.second;
    if (entry.owner != owner || entry.call != call) return false;
    return call != 0 || entry.operation.key == operation.key;
  });
  if (is_known) return;
  operation.id = next_++;
  const std::uint64_t id = operation.id;
  entries_.emplace(id, Entry{std::move(operation), owner, call});
}

OperationTable::Entry* OperationTable::find(std::uint64_t id) {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

OperationTable::Entry* OperationTable::find_of_step(OperationKind kind, std::string_view step) {
  for (auto& [id, entry] : entries_) {
    if (entry.operation.kind == kind && entry.operation.step == step) return &entry;
  }
  return nullptr;
}

bool OperationTable::has(OperationOwner owner, std::uint64_t call) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& known) {
    return known.second.owner == owner && known.second.call == call;
  });
}

void OperationTable::remove_all(OperationOwner owner) {
  std::erase_if(entries_, [&](const auto& known) { return known.second.owner == owner; });
}

void OperationTable::remove_all(OperationOwner owner, std::string_view step) {
  std::erase_if(entries_, [&](const auto& known) {
    return known.second.owner == owner && known.second.operation.step == step;
  });
}

std::vector<ChainOperation> OperationTable::list() const {
  std::vector<ChainOperation> operations;
  operations.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) operations.push_back(entry.operation);
  return operations;
}

bool OperationTable::waits_for_people() const {
  const auto is_doubted = [this](const ChainOperation& agent) {
    return std::any_of(entries_.begin(), entries_.end(), [&](const auto& known) {
      return known.second.owner == OperationOwner::StepAgent && known.second.operation.step == agent.step;
    });
  };
  return std::all_of(entries_.begin(), entries_.end(), [&](const auto& known) {
    const ChainOperation& operation = known.second.operation;
    if (operation.kind == OperationKind::Question || operation.kind == OperationKind::Doubt) return true;
    return operation.purpose == "step" && is_doubted(operation);
  });
}

}  // namespace ptcvm::chain
