// The subcommands of ptcvm, one file each. Every add_… function declares its options and sets `status` when it ran.
#pragma once
#include <CLI/CLI.hpp>

namespace ptcvm::cli {

// Exit statuses of every command.
inline constexpr int kSuccess = 0;
inline constexpr int kProgramFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kBadInput = 65;
inline constexpr int kBusy = 69;        // another process executes the run
inline constexpr int kStoreFailed = 74;
inline constexpr int kSuspended = 75;   // the program waits for operations, or for the word of a person

void add_run_command(CLI::App& app, int& status);
void add_eval_command(CLI::App& app, int& status);
void add_check_command(CLI::App& app, int& status);
void add_compile_command(CLI::App& app, int& status);
void add_dis_command(CLI::App& app, int& status);
void add_doc_command(CLI::App& app, int& status);
void add_apropos_command(CLI::App& app, int& status);
void add_explain_command(CLI::App& app, int& status);
void add_fmt_command(CLI::App& app, int& status);
void add_gen_command(CLI::App& app, int& status);
void add_diff_command(CLI::App& app, int& status);
void add_repl_command(CLI::App& app, int& status);
void add_resume_command(CLI::App& app, int& status);
void add_work_command(CLI::App& app, int& status);
void add_worker_command(CLI::App& app, int& status);
void add_enqueue_command(CLI::App& app, int& status);
void add_queue_command(CLI::App& app, int& status);
void add_schedule_command(CLI::App& app, int& status);
void add_nodes_command(CLI::App& app, int& status);
void add_runs_parts(CLI::App& runs, int& status);   // ptcvm runs cancel, ptcvm runs retry
void add_runs_moves(CLI::App& runs, int& status);   // ptcvm runs move, fork, pull
void add_snapshot_command(CLI::App& app, int& status);
void add_batch_command(CLI::App& app, int& status);
void add_batch_hop_command(CLI::App& app, int& status);   // hidden: `batch` starts it
void add_resolve_command(CLI::App& app, int& status);
void add_runs_command(CLI::App& app, int& status);
void add_journal_command(CLI::App& app, int& status);
void add_doubt_command(CLI::App& app, int& status);
void add_trace_command(CLI::App& app, int& status);
void add_progress_command(CLI::App& app, int& status);
void add_signature_command(CLI::App& app, int& status);
void add_tools_command(CLI::App& app, int& status);
void add_keys_command(CLI::App& app, int& status);
void add_store_command(CLI::App& app, int& status);
void add_completion_command(CLI::App& app, int& status);
void add_agent_command(CLI::App& app, int& status);
void add_chain_command(CLI::App& app, int& status);
void add_harness_command(CLI::App& app, int& status);
void add_man_command(CLI::App& app, int& status);

}  // namespace ptcvm::cli
