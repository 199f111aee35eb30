// Writing the answers of the batch protocol.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "runtime/session/outcome.h"
#include "tools/ptcvm/batch_suspend.h"

namespace ptcvm::cli {

struct BatchAnswer {
  std::string id_json = "null";              // as it came in
  ptc::Outcome outcome;
  std::string memory_edn;
  std::optional<std::string> journal_edn;
  std::optional<SuspendFigures> figures;     // when the request asked for suspensions
};

std::string write_answer(const BatchAnswer& answer);
std::string bad_request(std::string_view id_json, std::string_view message);

}  // namespace ptcvm::cli
