#include "tools/ptcvm/store/agent_goes_on.h"

#include <string_view>

#include "agents/loop/stored_agent.h"
#include "tools/ptcvm/calls/tool_errors.h"
#include "tools/ptcvm/store/step_agent_run.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/shell_arguments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

using loop::Operation, loop::OperationKind;

std::string resume_command(const StoreOptions& options) {
  return "ptcvm agent resume " + store_words(options) + " --id " + shell_quoted(options.id);
}

// Returns the text that a JSON text has, or the JSON itself.
std::string text_in(const std::string& text_json) {
  const auto value = Value::from_json(text_json);
  const auto text = value ? value->view().as_string() : std::nullopt;
  return text ? std::string(*text) : text_json;
}

// Returns the limit that a person must raise, from the text that says which one is used up.
std::string limit_in(std::string_view why) {
  constexpr std::string_view kOne = "the limit ", kSeveral = "the limits ";
  const std::size_t several = why.find(kSeveral), one = why.find(kOne);
  if (several != std::string_view::npos) return "turns";   // max_turns and retry_turns
  if (one == std::string_view::npos) return "LIMIT";
  const std::string_view rest = why.substr(one + kOne.size());
  return std::string(rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_")));
}

// What is asked, without the name of the operation.
std::string asked_of(const Operation& operation) {
  const std::string call = operation.tool + ' ' + harmless_text(cut_text(operation.args_json));
  switch (operation.kind) {
    case OperationKind::Tool:
    case OperationKind::Pending: return "the answer of " + call;
    case OperationKind::Doubt: return "whether this call happened: " + call;
    case OperationKind::Approval:
      return operation.tool.empty() ? harmless_text(cut_text(text_in(operation.args_json))) : "whether to call " + call;
    case OperationKind::Budget: return harmless_text(text_in(operation.args_json));
    case OperationKind::Input: {
      const auto args = Value::from_json(operation.args_json);
      const auto name = args ? args->view()["name"].as_string() : std::nullopt;
      return "the signal " + harmless_text(name ? *name : "");
    }
    case OperationKind::Timer: return "a time";
    case OperationKind::Model: return "the reply of " + operation.model.name;
  }
  return "";
}

// A choice that answers an operation: what it means, and its option.
std::string choice(std::string_view meaning, const std::string& resume, std::string_view option,
                   const std::string& value) {
  std::string out = meaning.empty() ? "" : "    " + std::string(meaning) + ":\n";
  return out.append("      ").append(resume).append(" ").append(option).append(" ").append(shell_quoted(value)) + '\n';
}

std::string choices_of(const Operation& operation, const std::string& resume) {
  const std::string& path = operation.path;
  switch (operation.kind) {
    case OperationKind::Tool:
    case OperationKind::Pending:
      return choice("this is the answer", resume, "--resolve", path + "=JSON") +
             choice("it failed", resume, "--reject", path + "=WHY");
    case OperationKind::Doubt:
      return choice("it happened, and this was the answer", resume, "--resolve", path + "=JSON") +
             choice(operation.is_left ? "it did not happen, and is not made" : "it did not happen, and is made", resume,
                    "--reject", path + "=WHY");
    case OperationKind::Approval:
      return choice("yes", resume, "--resolve", path + "=true") + choice("no", resume, "--reject", path + "=WHY");
    case OperationKind::Input: return choice("", resume, "--resolve", path + "=JSON");
    case OperationKind::Budget:
      return choice("it may use more", resume, "--raise", limit_in(text_in(operation.args_json)) + "=NUMBER") +
             choice("it may not, and ends", resume, "--reject", path + "=WHY");
    case OperationKind::Timer:
    case OperationKind::Model: break;
  }
  return "      " + resume + '\n';
}

}  // namespace

std::string agent_goes_on(const Store& store, const StoreOptions& options) {
  const auto agent = loop::StoredAgent::stored_definition(store, options.id);
  if (!agent || !*agent) return "";
  if (const auto task = task_of_step_agent(options.id)) {
    return options.id + " is the agent of a step: `ptcvm chain show " + store_words(options) + " --id " +
           shell_quoted(*task) + "` shows what became of it";
  }
  return options.id + " is the run of an agent: `" + resume_command(options) +
         "` shows what it waits for, and takes the answers";
}

std::string next_of_agent(const StoreOptions& options, const std::vector<Operation>& operations,
                          const std::function<bool(const std::string& tool)>& has_command) {
  const std::string resume = resume_command(options);
  std::string text = options.id + " waits for:\n";
  for (const Operation& operation : operations) {
    text += "  " + operation.path + ": " + asked_of(operation);
    if (operation.due_ms != 0) text += ", until " + moment_text(operation.due_ms, now_millis());
    const bool is_called_next = operation.kind == OperationKind::Tool && has_command(operation.tool);
    text += '\n' + (is_called_next ? "      " + resume + '\n' : choices_of(operation, resume));
  }
  text.pop_back();
  return text;
}

}  // namespace ptcvm::cli
