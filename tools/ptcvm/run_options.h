// The options that run, eval and repl share, and the session that they ask for.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session/session.h"
#include "tools/ptcvm/limit_options.h"

namespace ptcvm::cli {

enum class OutputForm { Edn, Json, Pretty };

struct RunArguments {
  std::vector<std::string> data;         // FILE, or KEY=FILE
  std::string memory, journal, trace, signature, run_id = "run";
  std::vector<std::string> tools, shell_tools, cached_tools, async_tools;
  std::vector<std::string> effects, reconcilers;      // NAME=CLASS, NAME=COMMAND
  OutputForm output = OutputForm::Edn;
  GivenLimits limits;
  std::optional<int> float_precision;
  std::size_t parallel_tools = 8;        // commands of tools at once
  bool strict_task_ids = false, stats = false, check_tools = true;
};

// Tools and the form of the output: also what resume takes.
void declare_tool_options(CLI::App& command, RunArguments& options);
void declare_run_options(CLI::App& command, RunArguments& options);

// Null when an input is refused; `message` then says why (exit status kBadInput).
std::unique_ptr<ptc::Session> make_session(const ptc::Engine& engine, const RunArguments& options,
                                           std::string source_name, std::string& message);
// Registers the tools of the options, with no-op handlers when they are only needed by name.
bool add_async_tools(ptc::ToolRegistry& tools, const std::vector<std::string>& texts, std::string& message);
bool add_tools(ptc::ToolRegistry& tools, const RunArguments& options, std::string& message);
ptc::SessionOptions session_options(const RunArguments& options, std::string source_name);
// What --data gives, as EDN; nothing when an input is refused.
std::optional<std::string> context_edn(const RunArguments& options, std::string& message);

}  // namespace ptcvm::cli
