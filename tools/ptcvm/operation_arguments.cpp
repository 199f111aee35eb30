#include "tools/ptcvm/operation_arguments.h"

namespace ptcvm::cli {
namespace {

std::string known_operations(const ptc::RunLog& log) {
  std::string text;
  for (const ptc::LoggedOperation& operation : log.operations()) {
    if (operation.is_opened && operation.status.empty()) {
      text += (text.empty() ? "" : ", ") + operation.id + " (" + operation.tool + ')';
    }
  }
  return text.empty() ? "none waits" : "these wait: " + text;
}

// A process may be about to start it: an answer may come before the log says that.
bool may_be_started(StoreCommand& command) {
  auto info = command.store().info(command.options().id);
  const auto* const known = std::get_if<std::optional<ptc::RunInfo>>(&info);
  return known != nullptr && *known && (*known)->state == ptc::LogState::Running && !(*known)->owner.empty();
}

}  // namespace

std::pair<std::string, std::optional<std::string>> parts_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

bool answer_operation(StoreCommand& command, const OperationAnswer& answer, std::string& message) {
  const ptc::LoggedOperation* const known = command.log().operation(answer.operation);
  if ((known == nullptr || !known->is_opened) && !may_be_started(command)) {
    message = "unknown_operation: " + command.options().id + " has no operation " + answer.operation + "; " +
              known_operations(command.log());
    return false;
  }
  auto put = ptc::answer_operation(command.store(), command.options().id, answer.operation, answer.status,
                                   answer.value_edn, answer.text, command.said());
  if (const auto* error = std::get_if<ptc::StoreError>(&put)) {
    message = std::string(ptc::store_error_name(error->kind)) + ": " + error->message;
    return false;
  }
  const ptc::Fact& held = std::get<ptc::Put>(put).fact;
  if (held.status == answer.status && held.value == answer.value_edn && held.text == answer.text) return true;
  message = "already_resolved: " + answer.operation + " was answered before by " + held.source + ": " + held.status +
            ' ' + (held.status == "ok" ? held.value : held.text);
  return false;
}

bool answer_operations(StoreCommand& command, const std::vector<std::string>& resolved,
                       const std::vector<std::string>& failed, const std::vector<std::string>& cancelled,
                       std::string& message) {
  for (const std::string& text : resolved) {
    const auto [operation, json] = parts_of(text);
    if (!json) return message = "--resolve " + text + ": OP=JSON is wanted", false;
    auto value = value_argument(*json, false, message);
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
