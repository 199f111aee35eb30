#include "tools/ptcvm/store/waits_text.h"

#include <algorithm>

namespace ptcvm::cli {
namespace {

bool waits(const JournalOperation& operation) { return operation.is_opened && operation.status.empty(); }

}  // namespace

std::optional<std::string> signal_name(std::string_view tool, std::string_view args_edn) {
  if (tool != "await-signal") return std::nullopt;
  const auto args = Value::from_edn(args_edn);
  const auto name = args ? args->view()["name"].as_string() : std::nullopt;
  return name ? std::optional(std::string(*name)) : std::nullopt;
}

std::string waits_text(const std::vector<StoredWait>& waits) {
  std::string out;
  for (const StoredWait& wait : waits) {
    out.append(out.empty() ? "" : " ").append(signal_name(wait.tool, wait.args_edn).value_or(wait.key));
  }
  return out;
}

std::vector<std::string> waiting_names(const RunJournal& journal) {
  std::vector<std::string> out;
  for (const JournalOperation& operation : journal.operations) {
    if (waits(operation)) out.push_back(signal_name(operation.tool, operation.args_edn).value_or(operation.id));
  }
  return out;
}

std::optional<std::string> awaited_signal(const RunJournal& journal, std::string_view operation) {
  const auto found = std::ranges::find(journal.operations, operation, &JournalOperation::id);
  return found == journal.operations.end() ? std::nullopt : signal_name(found->tool, found->args_edn);
}

const JournalOperation* signal_operation(const RunJournal& journal, std::string_view name) {
  const JournalOperation* last = nullptr;
  for (const JournalOperation& operation : journal.operations) {
    if (!operation.is_opened || signal_name(operation.tool, operation.args_edn) != name) continue;
    if (waits(operation)) return &operation;
    last = &operation;
  }
  return last;
}

}  // namespace ptcvm::cli
