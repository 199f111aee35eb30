// The options that run, eval and repl share, and the session that they ask for.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ptcvm/session.hpp"
#include "tools/ptcvm/calls/external_tool.h"
#include "tools/ptcvm/calls/limit_options.h"
#include "tools/ptcvm/calls/tools_file.h"

namespace ptcvm::cli {

enum class OutputForm { Edn, Json, Pretty };

struct RunArguments {
  std::vector<std::string> data;         // FILE, or KEY=FILE
  std::string memory, journal, trace, signature, run_id = "run";
  std::vector<std::string> tools_files;  // files of tools (tools_file.h)
  std::vector<std::string> tools, shell_tools, cached_tools, async_tools;
  std::vector<std::string> effects, reconcilers;      // NAME=CLASS, NAME=COMMAND
  OutputForm output = OutputForm::Edn;
  GivenLimits limits;
  std::optional<int> float_precision;
  std::size_t parallel_tools = 8;        // commands of tools at once
  bool strict_task_ids = false, strict_data = false, stats = false, check_tools = true;
};

// Declares the options that say which tools there are.
void declare_tools(CLI::App& command, RunArguments& options);
// Declares options of tools and of the output, which resume takes, too.
void declare_tool_options(CLI::App& command, RunArguments& options);
void declare_run_options(CLI::App& command, RunArguments& options);
void declare_run_argument(CLI::App& command, RunArguments& options);   // ID

// Reads the tools of the options, and starts the MCP servers in files of tools. Returns nullopt when something is
// wrong; `message` then says why.
std::optional<std::vector<DeclaredTool>> declared_tools(const RunArguments& options, std::string& message);
// Returns the tools of the options, or nullopt; `message` then says why.
std::optional<CommandTools> command_tools(const RunArguments& options, std::string& message);
// Adds the tools of --async-tool.
bool add_async_tools(CommandTools& tools, const std::vector<std::string>& texts, std::string& message);

// What a session begins with: the tools and the observer must outlive it.
struct SessionParts {
  const Tools& tools;
  Observer* observer = nullptr;
};
// Returns the session that the options ask for. A signature that cannot be read is the outcome of its turn: then there
// is no session, and `refusal` is set. When an input is refused, neither is set; `message` then says why (exit status
// kBadInput).
struct MadeSession {
  std::optional<Session> session;
  std::optional<Diagnostic> refusal;
};
MadeSession make_session(const Engine& engine, const RunArguments& options, const SessionParts& parts,
                         std::string source_name, std::string& message);
// Returns what --data gives, as EDN, or nullopt when an input is refused.
std::optional<std::string> context_edn(const Engine& engine, const RunArguments& options, std::string& message);

}  // namespace ptcvm::cli
