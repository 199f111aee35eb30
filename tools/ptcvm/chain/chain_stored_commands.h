// The commands of `ptcvm chain` about tasks that a store keeps.
#pragma once
#include <CLI/CLI.hpp>

namespace ptcvm::cli {

void add_chain_answer(CLI::App& chain, int& status);
void add_chain_show(CLI::App& chain, int& status);
void add_chain_cost(CLI::App& chain, int& status);
void add_chain_report(CLI::App& chain, int& status);
void add_chain_feedback(CLI::App& chain, int& status);
void add_chain_replan(CLI::App& chain, int& status);
void add_chain_replay(CLI::App& chain, int& status);
void add_chain_export(CLI::App& chain, int& status);
void add_chain_import(CLI::App& chain, int& status);
void add_chain_list(CLI::App& chain, int& status);
void add_chain_facts(CLI::App& chain, int& status);
void add_chain_approvals(CLI::App& chain, int& status);

}  // namespace ptcvm::cli
