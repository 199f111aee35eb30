#include "tools/ptcvm/command_line/command_line.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/version.h"
#include "tools/ptcvm/command_line/command_tree.h"
#include "tools/ptcvm/command_line/help_formatter.h"
#include "tools/ptcvm/command_line/option_table.h"
#include "tools/ptcvm/command_line/run_name.h"
#include "tools/ptcvm/command_line/usage_message.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  ptcvm eval '(reduce + (range 10))'
  ptcvm run report.ptc --data orders.json --output pretty
  ptcvm run agent.ptc --tool search='python3 search.py' --timeout-ms 5000
  ptcvm check report.ptc
  ptcvm doc group-by
  ptcvm run payments.ptc --store runs.db --id may --tool pay='python3 pay.py' --tool-effect pay=keyed
  ptcvm journal log --store runs.db may
  ptcvm batch --jobs 4 < requests.jsonl

Exit status: 0 success, 1 the program failed, 2 usage, 65 bad input, 69 another process executes the run, 74 the store
failed, 75 suspended or in doubt.)";

// The commands in the order in which --help lists them.
struct Command {
  std::string_view name;
  void (*add)(CLI::App& app, int& status);
};
constexpr Command kCommands[] = {
    {"run", add_run_command},
    {"eval", add_eval_command},
    {"check", add_check_command},
    {"compile", add_compile_command},
    {"dis", add_dis_command},
    {"doc", add_doc_command},
    {"apropos", add_apropos_command},
    {"explain", add_explain_command},
    {"fmt", add_fmt_command},
    {"gen", add_gen_command},
    {"diff", add_diff_command},
    {"repl", add_repl_command},
    {"resume", add_resume_command},
    {"snapshot", add_snapshot_command},
    {"runs", add_runs_command},
    {"work", add_work_command},
    {"enqueue", add_enqueue_command},
    {"worker", add_worker_command},
    {"queue", add_queue_command},
    {"schedule", add_schedule_command},
    {"nodes", add_nodes_command},
    {"resolve", add_resolve_command},
    {"journal", add_journal_command},
    {"doubt", add_doubt_command},
    {"progress", add_progress_command},
    {"trace", add_trace_command},
    {"batch", add_batch_command},
    {"batch-hop", add_batch_hop_command},
    {"agent", add_agent_command},
    {"chain", add_chain_command},
    {"harness", add_harness_command},
    {"signature", add_signature_command},
    {"tools", add_tools_command},
    {"keys", add_keys_command},
    {"store", add_store_command},
    {"completion", add_completion_command},
    {"man", add_man_command},
};

// Returns where the words of the command end in the arguments, and the command.
std::pair<std::size_t, const CLI::App*> command_in(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::size_t at = 0;
  for (; at < words.size(); ++at) {
    const auto parts = parts_of(*command);
    const auto part = std::ranges::find(parts, words[at], &CLI::App::get_name);
    if (part == parts.end()) break;
    command = *part;
  }
  return {at, command};
}

bool is_given(const std::vector<std::string>& words, std::string_view name) {
  return std::ranges::any_of(words, [name](const std::string& word) {
    return word == name || (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=');
  });
}

// Returns the name of an option that is given and that keeps the run elsewhere than in a store, or "".
std::string_view option_without_store(std::string_view command, const std::vector<std::string>& words) {
  for (const OptionRow& row : option_rows()) {
    bool is_of_command = false, excludes = false;
    for_each_listed(row.commands, [&](std::string_view name) { is_of_command |= name == command; });
    for_each_listed(row.excludes, [&](std::string_view name) { excludes |= name == "--store"; });
    if (is_of_command && excludes && is_given(words, row.name)) return row.name;
  }
  return "";
}

// Gives PTCVM_STORE to commands that begin a run, as their --store. An option that keeps the run elsewhere counts more,
// and a run without a name is not kept, which the user is told. Returns why an empty variable is refused where it would
// keep the run, or "".
std::string apply_default_store(const CLI::App* found, std::size_t arguments, RunName& given) {
  const char* const usual = std::getenv(kStoreVariable);
  std::vector<std::string>& words = given.words;
  const std::string command = found->get_name();
  const bool is_of_harness = found->get_parent() != nullptr && found->get_parent()->get_name() == "harness";
  if (usual == nullptr || is_of_harness || is_given(words, "--store")) return "";
  const std::string store = usual;
  const bool begins_run = command == "run" || command == "eval" || command == "repl";
  const std::string_view other_place = option_without_store(command, words);
  if (begins_run || !other_place.empty()) unsetenv(kStoreVariable);
  if (!begins_run || is_given(words, "--help")) return "";
  if (!other_place.empty()) {
    if (!store.empty()) {
      complain("PTCVM_STORE does not keep this run, because " + std::string(other_place) +
               " is given; leave it out, and the store keeps each step");
    }
    return "";
  }
  const bool has_name = given.is_given;
  if (store.empty()) return has_name ? "PTCVM_STORE: must not be empty: give a value, or unset it" : "";
  if (has_name) {
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(arguments), {"--store", store});
  } else {
    complain("PTCVM_STORE does not keep this run, because the run has no name: give --id NAME");
  }
  return "";
}

int refuse_usage(const std::string& why, std::string_view name) {
  std::cerr << refusal_text(why, name);
  return kUsage;
}

}  // namespace

void build_command_line(CLI::App& app, int& status, std::string_view only) {
  app.set_version_flag("--version", std::string("ptcvm ") + ptc::kEngineVersion);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());   // commands that are added later have it, too
  app.footer(kExamples);
  app.failure_message(usage_message);
  for (const Command& command : kCommands) {
    if (only.empty() || command.name == only) command.add(app, status);
  }
  apply_option_table(app, only);
}

std::string_view only_command_of(std::span<char* const> arguments) {
  const std::string_view first = arguments.size() > 1 ? arguments[1] : "";
  const bool is_command = std::ranges::any_of(kCommands, [first](const Command& row) { return row.name == first; });
  return is_command && first != "completion" && first != "man" ? first : "";   // these two tell of all commands
}

int answer_command_line(int argc, char** argv) {
  CLI::App app("PTC-Lisp: a bounded, deterministic language for programs that call tools.", "ptcvm");
  int status = kSuccess;
  const std::span<char* const> arguments(argv, static_cast<std::size_t>(argc));
  build_command_line(app, status, only_command_of(arguments));
  if (const std::string empty = empty_value_in(arguments); !empty.empty()) return refuse_usage(empty, kWrongValue);
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto [begin, command] = command_in(app, words);
  RunName given = with_run_name(*command, std::move(words), begin);
  if (!given.problem.empty()) return refuse_usage(given.problem, kOptionsExclude);
  const std::string empty_store = apply_default_store(command, begin, given);
  if (!empty_store.empty()) return refuse_usage(empty_store, kWrongValue);
  std::ranges::reverse(given.words);             // as the parser wants them
  try {
    app.parse(std::move(given.words));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  std::cout.flush();
  if (std::cout.good()) return status;
  complain("standard output cannot be written");
  return kBadInput;
}

}  // namespace ptcvm::cli
