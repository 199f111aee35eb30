// The signals of a log: what waits for them, and what answers them. A signal gets its answer by its own name
// (ExternalValue) or by the operation that waits for it (OperationResolved with a version); the first one counts.
#include <algorithm>
#include <utility>

#include "runtime/log/run_log.h"
#include "runtime/text/edn.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

constexpr std::uint64_t kSignalMemory = 16u << 20;
constexpr std::string_view kSignalTool = "await-signal";

// From {"name" "…"}, as it is written there.
std::string signal_name(std::string_view args) {
  Heap heap(kSignalMemory);
  const auto read = read_edn(heap, args);
  if (!std::holds_alternative<Value>(read)) return {};
  const Owned map(heap, std::get<Value>(read));
  if (!map.get().is_map()) return {};
  MapCursor entry(heap, map.get());
  return entry.next() && entry.value().is_string() ? std::string(string_view_of(entry.value())) : std::string();
}

}  // namespace

void RunLog::wait_for_signal(std::size_t at) {
  const LoggedOperation& operation = operations_[at];
  if (!is_signal(operation) || !operation.status.empty()) return;
  waiting_signals_[operation.args].push_back(at);
  if (const std::string name = signal_name(operation.args); external_version(name) != 0) signal(name);
}

// What waits for the signal of that name has it now.
void RunLog::signal(std::string_view name) {
  if (const auto said = signal_answers_.find(name); said != signal_answers_.end()) {
    return settle_waiting(name, said->second);
  }
  const LoggedTask* const value = task(name);
  if (value == nullptr) return;
  Fact fact;
  fact.status = "ok";
  fact.value = value->value_edn;
  fact.source = value->source;
  settle_waiting(name, fact);
}

void RunLog::settle_waiting(std::string_view name, const Fact& answer) {
  std::string args = "{\"name\" ";
  append_quoted(args, name);
  const auto waiting = waiting_signals_.find(args + '}');
  if (waiting == waiting_signals_.end()) return;
  for (const std::size_t k : waiting->second) settle_operation(operations_[k], answer);
  waiting_signals_.erase(waiting);
}

// The first answer counts.
void RunLog::settle_operation(LoggedOperation& operation, const Fact& answer) const {
  if (!operation.status.empty()) return;
  operation.status = answer.status;
  operation.value = answer.value;
  operation.text = answer.text;
  operation.source = answer.source;
  operation.resolved_seq = head_;
  operation.ends_before = ends();
}

bool RunLog::is_signal(const LoggedOperation& operation) { return operation.tool == kSignalTool; }

std::string RunLog::signal_of(const LoggedOperation& operation) {
  return is_signal(operation) ? signal_name(operation.args) : std::string();
}

const LoggedOperation* RunLog::answered_signal(std::string_view name) const {
  for (auto operation = operations_.rbegin(); operation != operations_.rend(); ++operation) {
    if (!is_signal(*operation) || signal_of(*operation) != name) continue;
    return operation->status.empty() || operation->ends_before != ends() ? nullptr : &*operation;
  }
  return nullptr;
}

// An answer may come before the log says that the operation was started. An answer with a version is the answer to the
// signal that the operation waits for (answer_operation).
void RunLog::resolve(const Fact& fact) {
  if (operation(fact.id) == nullptr) open(fact);
  LoggedOperation& operation = operations_[operation_index_.find(fact.id)->second];
  const std::string name = fact.number == 0 ? std::string() : signal_of(operation);
  settle_operation(operation, fact);
  if (name.empty()) return;
  std::uint64_t& version = externals_.try_emplace(name, 0).first->second;
  version = std::max(version, fact.number);
  if (fact.status == "ok") {
    signal_answers_.insert_or_assign(name, fact);
    commit(name, fact, fact.source);
  }
  settle_waiting(name, fact);
}

}  // namespace ptc
