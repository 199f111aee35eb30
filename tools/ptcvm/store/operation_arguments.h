// OP=JSON, OP=REASON, OP[=REASON]: what a command line says about operations.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// Cuts the text in two at the first "="; without one there is no second part.
std::pair<std::string, std::optional<std::string>> parts_of(const std::string& text);

// An answer for an operation of a run that a store keeps.
struct OperationAnswer {
  std::string operation, status;      // ok, error, cancelled
  std::string value_edn, text;
};

// Writes the answer down. One that was given before is taken again; another one, or an operation that the run does not
// know and cannot be about to start, is refused: false, and `message` says why.
bool answer_operation(StoreCommand& command, const OperationAnswer& answer, std::string& message);

bool answer_operations(StoreCommand& command, const std::vector<std::string>& resolved,
                       const std::vector<std::string>& failed, const std::vector<std::string>& cancelled,
                       std::string& message);

}  // namespace ptcvm::cli
