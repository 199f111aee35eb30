// Writes the answers of the batch protocol.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/run.hpp"
#include "tools/ptcvm/batch/batch_suspend.h"

namespace ptcvm::cli {

struct BatchAnswer {
  std::string id_json = "null";              // as it came in
  RunState state = RunState::Failed;
  std::string value_edn;                     // the value, when the program is over without a fault
  std::optional<Diagnostic> fault;           // says why the request failed
  std::vector<std::string> prints, warnings;
  std::vector<std::pair<std::string, std::string>> summaries;   // sorted by id
  std::vector<CallRecord> calls;
  std::vector<PendingRecord> pending;
  std::uint64_t fuel = 0;
  std::string memory_edn = "{}";
  std::optional<std::string> journal_edn;
  std::optional<SuspendFigures> figures;     // when the request asked for suspensions
};

// What a request asks for.
struct AnswerStyle {
  bool json = false;                         // values as JSON instead of EDN
  bool rendered = false;                     // the text of a fault for people
};

// Returns a fault that has no place in the source.
Diagnostic plain_fault(std::string_view kind, std::string_view message);

std::string write_answer(const BatchAnswer& answer, AnswerStyle style = {});
std::string bad_request(std::string_view id_json, std::string_view message);

}  // namespace ptcvm::cli
