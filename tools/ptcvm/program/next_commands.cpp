#include "tools/ptcvm/program/next_commands.h"

#include <algorithm>

#include "tools/ptcvm/store/waits_text.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/shell_arguments.h"

namespace ptcvm::cli {
namespace {

void append_words(std::string& out, std::string_view option, const std::vector<std::string>& values) {
  for (const std::string& value : values) out.append(" ").append(option).append(" ").append(shell_quoted(value));
}

// Returns "2026-08-01T12:00:00Z (in 5 min)", for the time at which the program stops waiting.
std::string time_text(std::int64_t millis) { return moment_text(millis, now_millis()); }

std::string asked_text(std::string_view what, std::int64_t deadline_ms) {
  std::string text = "  " + std::string(what);
  if (deadline_ms != 0) text += ", until " + time_text(deadline_ms);
  return text + '\n';
}

// Returns the name of a run and of what it waits for as words behind all options. A program chooses the names of its
// signals: -- keeps one that begins with - from being an option of the command that a person types.
std::string name_words(const std::string& run, const std::string& name) {
  const bool looks_like_option = run.starts_with('-') || name.starts_with('-');
  return (looks_like_option ? " -- " : " ") + shell_quoted(run) + ' ' + shell_quoted(name);
}

// Returns whether a person can type the name of a signal. A program may name one "" or with a line break in it, and
// that one is answered by the id of its operation.
bool is_typed(std::string_view name) {
  return !name.empty() && std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// One operation of a run in a store, and the command that answers it.
std::string answer_in_store(const StoreOptions& store, const StoredWait& wait) {
  if (wait.tool == "sleep") return "  it sleeps until " + time_text(wait.deadline_ms) + '\n';
  const auto signal = signal_name(wait.tool, wait.args_edn);
  if (signal && is_typed(*signal)) {
    return asked_text("the signal " + *signal, wait.deadline_ms) + "      ptcvm journal put " + store_words(store) +
           name_words(store.id, *signal) + " JSON\n";
  }
  return asked_text(wait.key + ": " + wait.tool + ' ' + wait.args_edn, wait.deadline_ms) + "      ptcvm resolve " +
         store_words(store) + name_words(store.id, wait.key) + " JSON\n";
}

std::string resume_words(const std::string& what, const RunArguments& options) {
  return "  then it goes on with:\n      ptcvm resume " + what + tool_words(options);
}

}  // namespace

std::string tool_words(const RunArguments& options) {
  std::string out;
  append_words(out, "--tools", options.tools_files);
  append_words(out, "--tool", options.tools);
  append_words(out, "--tool-shell", options.shell_tools);
  append_words(out, "--async-tool", options.async_tools);
  append_words(out, "--cache-tool", options.cached_tools);
  append_words(out, "--tool-effect", options.effects);
  append_words(out, "--tool-reconcile", options.reconcilers);
  return out;
}

std::string next_in_store(const StoreOptions& store, const std::vector<StoredWait>& pending,
                          const RunArguments& options) {
  std::string text = store.id + " waits for:\n";
  for (const StoredWait& wait : pending) text += answer_in_store(store, wait);
  return text + resume_words(store_words(store) + ' ' + run_name_words(store.id), options);
}

std::string next_with_snapshot(const std::string& snapshot, const SealOptions& seal,
                               const std::vector<PendingOperation>& pending, const RunArguments& options) {
  std::string text = "the program waits for:\n", answers;
  for (const PendingOperation& wait : pending) {
    if (wait.is_sleep) {
      text += "  it sleeps until " + time_text(wait.deadline_ms) + '\n';
      continue;
    }
    const std::string args = wait.args.to_edn();
    const auto signal = signal_name(wait.tool, args);
    text += asked_text(wait.id + ": " + (signal ? "the signal " + *signal : wait.tool + ' ' + args), wait.deadline_ms);
    answers += " --resolve " + shell_quoted(wait.id + "=JSON");
  }
  if (snapshot.empty()) {
    return text + "  its state is gone: nothing keeps it. To keep the state give --snapshot FILE, or --store FILE.db "
                  "--id NAME";
  }
  std::string what = shell_quoted(snapshot) + answers + " --snapshot " + shell_quoted(snapshot);
  if (!options.journal.empty()) what += " --journal " + shell_quoted(options.journal);
  if (!seal.keys.empty()) what += " --keys " + shell_quoted(seal.keys);
  if (!seal.tenant.empty()) what += " --tenant " + shell_quoted(seal.tenant);
  return text + resume_words(what, options);
}

}  // namespace ptcvm::cli
