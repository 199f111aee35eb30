#include "tools/ptcvm/store/operation_arguments.h"

#include <algorithm>

#include "tools/ptcvm/store/agent_goes_on.h"
#include "tools/ptcvm/store/waits_text.h"

namespace ptcvm::cli {
namespace {

std::string known_operations(const RunJournal& journal) {
  std::string text;
  for (const JournalOperation& operation : journal.operations) {
    if (operation.is_opened && operation.status.empty()) {
      const auto signal = signal_name(operation.tool, operation.args_edn);
      text += (text.empty() ? "" : ", ") + operation.id + " (";
      text += (signal ? "the signal " + *signal : operation.tool) + ')';
    }
  }
  if (!text.empty()) return "these wait: " + text;
  return journal.is_over ? "the run has ended and waits for nothing" : "none waits";
}

const JournalOperation* operation_of(const RunJournal& journal, std::string_view id) {
  const auto found = std::ranges::find(journal.operations, id, &JournalOperation::id);
  return found == journal.operations.end() ? nullptr : &*found;
}

// A process may be about to start it: an answer may come before the log says that.
bool may_be_started(StoreCommand& command) {
  const auto info = command.store().find(command.options().id);
  return info && *info && (*info)->state == StoredState::Running && !(*info)->owner.empty();
}

Result<void> say(StoreCommand& command, const OperationAnswer& answer) {
  Store& store = command.store();
  const std::string& run = command.options().id;
  if (answer.status == "ok") return store.resolve(run, answer.operation, value_of(answer.value_edn), command.by());
  if (answer.status == "error") return store.resolve_error(run, answer.operation, answer.text, command.by());
  return store.resolve_cancelled(run, answer.operation, answer.text, command.by());
}

}  // namespace

std::pair<std::string, std::optional<std::string>> parts_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

bool answer_operation(StoreCommand& command, const OperationAnswer& given, std::string& message) {
  const std::string& run = command.options().id;
  OperationAnswer answer = given;
  const JournalOperation* known = operation_of(command.journal(), answer.operation);
  if (known == nullptr && (known = signal_operation(command.journal(), answer.operation)) != nullptr) {
    answer.operation = known->id;                // a signal is known by its name, too
  }
  if ((known == nullptr || !known->is_opened) && !may_be_started(command)) {
    const std::string agent = agent_goes_on(command.store(), command.options());
    message = "unknown_operation: " + run + " has no operation " + answer.operation + "; " +
              (agent.empty() ? known_operations(command.journal()) : agent);
    return false;
  }
  const auto said = say(command, answer);
  if (said) return true;
  message = message_of_store(said.error());
  if (said.error().code != Errc::already_resolved) return false;
  const auto now = command.store().journal(run, JournalExtent::Notable);
  const JournalOperation* const held = now ? operation_of(*now, answer.operation) : nullptr;
  if (held == nullptr) return false;
  message = "already_resolved: " + given.operation + " was answered before by " + held->by + ": " + held->status +
            ' ' + (held->status == "ok" ? held->value_edn : held->text);
  return false;
}

bool answer_operations(StoreCommand& command, const std::vector<std::string>& resolved,
                       const std::vector<std::string>& failed, const std::vector<std::string>& cancelled,
                       std::string& message) {
  const auto bound = ValueBound::of_answer(
      resolved.empty() ? Limits() : limits_of_run(command.store(), command.options().id));
  for (const std::string& text : resolved) {
    const auto [operation, json] = parts_of(text);
    if (!json) return message = "--resolve " + text + ": OP=JSON is wanted", false;
    auto value = value_argument(*json, false, bound, message);
    if (!value) return message = "--resolve " + operation + ": " + message, false;
    if (!answer_operation(command, {operation, "ok", std::move(*value), {}}, message)) return false;
  }
  for (const std::string& text : failed) {
    const auto [operation, reason] = parts_of(text);
    if (!reason || reason->empty()) return message = "--fail " + text + ": OP=REASON is wanted", false;
    if (!answer_operation(command, {operation, "error", {}, *reason}, message)) return false;
  }
  for (const std::string& text : cancelled) {
    const auto [operation, reason] = parts_of(text);
    if (!answer_operation(command, {operation, "cancelled", {}, reason.value_or("")}, message)) return false;
  }
  return true;
}

}  // namespace ptcvm::cli
