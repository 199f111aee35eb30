#include "tools/ptcvm/store/doubt_text.h"

#include "agents/chain/plan/plan_program.h"
#include "agents/chain/run/question_log.h"
#include "runtime/text/json_text.h"
#include "tools/ptcvm/calls/tool_errors.h"
#include "tools/ptcvm/store/planner_doubts.h"
#include "tools/ptcvm/text/shell_arguments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
std::string doubt_json(const std::string& run, const JournalCall& doubt) {
  std::string out = "{";
  ptc::append_json_member(out, "run", run);
  ptc::append_json_member(out, "key", doubt.key);
  ptc::append_json_member(out, "tool", doubt.tool);
  out += ",\"args\":" + json_of_edn(doubt.args_edn);
  ptc::append_json_member(out, "effect", effect_name(doubt.effect));
  if (!doubt.task.empty()) ptc::append_json_member(out, "task", doubt.task);
  if (!doubt.text.empty()) ptc::append_json_member(out, "why", doubt.text);
  if (!doubt.errors.empty()) ptc::append_json_member(out, "errors", doubt.errors);
  return out + ",\"attempt\":" + std::to_string(doubt.attempt) + '}';
}

namespace {

// Returns a command with the names of a run and of what it waits for. Names that begin with - are behind all options;
// the = keeps an option whose value may be left out from taking the --.
std::string command_with(const std::string& command, const std::string& run, const std::string& name,
                         std::string option) {
  const std::string names = shell_quoted(run) + ' ' + shell_quoted(name);
  if (!run.starts_with('-') && !name.starts_with('-')) return "\n      " + command + ' ' + names + option;
  if (const std::size_t blank = option.find(' ', 1); blank != std::string::npos) option[blank] = '=';
  return "\n      " + command + option + " -- " + names;
}

// Returns the commands that say what became of a call.
std::string settling_text(const std::string& command, const std::string& run, const std::string& name) {
  const auto settle = [&](const char* option) { return command_with(command, run, name, option); };
  return "\n    it happened, and this was the answer:" + settle(" --happened JSON") + "\n    it did not happen:" +
         settle(" --did-not") + "\n    it shall not be tried again:" + settle(" --give-up");
}

std::string text_with(const std::string& command, const std::string& run, const std::string& name,
                      const JournalCall& doubt) {
  std::string text = "  " + one_line(doubt.tool + ' ' + doubt.args_edn) + "  (";
  text += effect_name(doubt.effect);
  if (!doubt.task.empty()) text += ", task " + doubt.task;
  text += ")";
  if (!doubt.text.empty()) text += "\n    there is no answer: " + one_line(doubt.text);
  if (!doubt.errors.empty()) {
    text += "\n    it wrote to its standard error:\n" + tool_error_lines("    " + doubt.tool, doubt.errors);
    text.pop_back();
  }
  return text + settling_text(command, run, name);
}

}  // namespace

std::string doubt_text(const StoreOptions& store, const std::string& run, const JournalCall& doubt) {
  return text_with("ptcvm doubt settle " + store_words(store), run, doubt.key, doubt);
}

std::string chain_doubt_text(const StoreOptions& store, const std::string& task, const JournalCall& doubt) {
  const std::string step(chain::step_of_key(doubt.task, task));
  return text_with("ptcvm chain answer " + store_words(store), task,
                   chain::doubt_name(step, doubt.key, doubt.attempt), doubt);
}

std::string doubt_keys(const Store& store, const std::string& run) {
  std::string out;
  const auto doubts = store.doubts(run);
  if (!doubts) return out;
  for (const JournalCall& call : *doubts) out.append(out.empty() ? "" : " ").append(call.key);
  return out;
}

std::vector<std::string> agent_doubts(const std::vector<std::string>& waits_for) {
  constexpr std::string_view kAnswer = "answer/", kDoubt = "doubt:";
  std::vector<std::string> out;
  for (const std::string& key : waits_for) {
    if (!key.starts_with(kAnswer)) continue;
    const std::string path = key.substr(kAnswer.size());
    if (path.substr(path.rfind('/') + 1).starts_with(kDoubt)) out.push_back(path);   // rfind() may be npos: + 1 is 0
  }
  return out;
}

std::string agent_doubt_json(const std::string& run, const std::string& doubt) {
  std::string out = "{";
  ptc::append_json_member(out, "run", run);
  ptc::append_json_member(out, "operation", doubt);
  return out + '}';
}

std::string agent_doubt_text(const StoreOptions& store, const std::string& run, const std::string& doubt) {
  if (is_agent_planner_run(run)) {
    const auto settles = [&](const char* option) {
      return command_with("ptcvm doubt settle " + store_words(store), run, doubt, option);
    };
    return "  " + doubt + "  (a call of an agent that plans)\n    it happened, and this was the answer:" +
           settles(" --happened JSON") + "\n    it did not happen:" + settles(" --did-not");
  }
  const std::string settle = "\n      ptcvm agent resume " + store_words(store) + " --id " + shell_quoted(run) + ' ';
  return "  " + doubt + "  (a call of an agent)\n    it happened, and this was the answer:" + settle + "--resolve " +
         shell_quoted(doubt + "=JSON") + "\n    it did not happen:" + settle + "--reject " +
         shell_quoted(doubt + "=WHY");
}

std::string step_agent_doubt_text(const StoreOptions& store, const std::string& task, const std::string& name) {
  return "  " + name + "  (a call of the agent of a step)" +
         settling_text("ptcvm chain answer " + store_words(store), task, name);
}

}  // namespace ptcvm::cli
