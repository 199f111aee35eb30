#include "tools/ptcvm/command_line.h"

#include <iostream>

#include "schema/version.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/option_table.h"

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

void add_commands(CLI::App& app, int& status) {
  add_run_command(app, status);
  add_eval_command(app, status);
  add_check_command(app, status);
  add_compile_command(app, status);
  add_dis_command(app, status);
  add_doc_command(app, status);
  add_apropos_command(app, status);
  add_fmt_command(app, status);
  add_gen_command(app, status);
  add_diff_command(app, status);
  add_repl_command(app, status);
  add_resume_command(app, status);
  add_snapshot_command(app, status);
  add_runs_command(app, status);
  add_resolve_command(app, status);
  add_journal_command(app, status);
  add_doubt_command(app, status);
  add_progress_command(app, status);
  add_trace_command(app, status);
  add_batch_command(app, status);
  add_agent_command(app, status);
  add_chain_command(app, status);
  add_harness_command(app, status);
  add_signature_command(app, status);
  add_keys_command(app, status);
  add_completion_command(app, status);
  add_man_command(app, status);
}

}  // namespace

void build_command_line(CLI::App& app, int& status) {
  app.set_version_flag("--version", std::string("ptcvm ") + ptc::kEngineVersion);
  app.require_subcommand(1);
  app.footer(kExamples);
  app.failure_message(usage_message);
  add_commands(app, status);
  apply_option_table(app);
}

int answer_command_line(int argc, char** argv) {
  CLI::App app("PTC-Lisp: a bounded, deterministic language for programs that call tools.", "ptcvm");
  int status = kSuccess;
  build_command_line(app, status);
  const std::string empty = empty_value_in({argv, static_cast<std::size_t>(argc)});
  if (!empty.empty()) {
    std::cerr << empty << "\nRun with --help for more information.\n";
    return kUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  std::cout.flush();
  return std::cout.good() ? status : kBadInput;
}

}  // namespace ptcvm::cli
