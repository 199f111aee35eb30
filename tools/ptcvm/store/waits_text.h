// What a stored run waits for, as people name it: a signal by its name, every other operation by its id.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// Returns the name of a signal from the arguments of its operation, {"name" "go"}; nullopt for another tool.
std::optional<std::string> signal_name(std::string_view tool, std::string_view args_edn);
// Returns the names of what a run waits for, with a blank between them.
std::string waits_text(const std::vector<StoredWait>& waits);
// Returns the operations that wait, as people name them.
std::vector<std::string> waiting_names(const RunJournal& journal);
// Returns the name of the signal for which that operation waits; nullopt for another operation.
std::optional<std::string> awaited_signal(const RunJournal& journal, std::string_view operation);
// Returns the operation that waits for a signal of that name, else the last one that was answered, or nullptr.
const JournalOperation* signal_operation(const RunJournal& journal, std::string_view name);

}  // namespace ptcvm::cli
