#include "tools/ptcvm/store/journal_show.h"

#include <vector>

#include "tools/ptcvm/calls/tool_errors.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

std::string answer_text(const std::string& value, const std::string& text) {
  return cut_text(value.empty() ? text : value);
}

std::string status_of(const JournalOperation& operation) {
  return operation.status.empty() ? "waiting" : operation.status;
}

// What a tool wrote to its standard error, each line with the name of the tool.
std::string errors_text(const JournalCall& call) {
  if (call.errors.empty()) return {};
  return '\n' + call.key + " wrote to its standard error:\n" + tool_error_lines(call.tool, call.errors);
}

}  // namespace

std::string show_journal(const RunJournal& journal, std::int64_t now_ms) {
  std::vector<std::vector<std::string>> rows = {{"TASK", "VALUE", "FROM"}};
  for (const JournalTask& task : journal.tasks) {
    rows.push_back({task.id, cut_text(task.value_edn), task.by.empty() ? "program" : task.by});
  }
  std::string out = rows.size() > 1 ? text_table(rows) : "no tasks\n";
  rows = {{"CALL", "STATE", "KEY", "ANSWER"}};
  for (const JournalCall& call : journal.calls) {
    rows.push_back({cut_text(call.tool + ' ' + call.args_edn), call.state, call.key,
                    answer_text(call.value_edn, call.text)});
  }
  if (rows.size() > 1) out += '\n' + text_table(rows);
  for (const JournalCall& call : journal.calls) out += errors_text(call);
  rows = {{"OPERATION", "TOOL", "STATE", "SINCE", "ANSWER", "FROM"}};
  for (const JournalOperation& operation : journal.operations) {
    rows.push_back({operation.id, cut_text(operation.tool + ' ' + operation.args_edn), status_of(operation),
                    operation.is_opened ? distance_text(operation.since_ms, now_ms) : "not yet",
                    answer_text(operation.value_edn, operation.text), operation.by});
  }
  if (rows.size() > 1) out += '\n' + text_table(rows);
  return out;
}

}  // namespace ptcvm::cli
