// A file of tools (--tools FILE): what the other options of tools say, and more, in one place. The file is a list of
// tools in JSON, or in EDN when its name ends in .edn; or a map with that list as its member "tools", and with servers
// of the Model Context Protocol as its member "mcp" (mcp_tools.h).
//
//   [{"name": "price", "signature": "(id :int) -> {price :float}", "description": "The price of an article",
//     "command": ["python3", "price.py"], "effect": "pure", "deadline_ms": 2000, "retry": {"max_attempts": 3},
//     "environment": {"REGION": "eu"}, "folder": "tools", "process": "stays", "in_flight": 8}]
//
// A member that nobody knows is refused by its name. docs/tools-file.md is the page for users.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ptcvm/calls/external_tool.h"

namespace ptcvm::cli {

// A tool before it is in a list of tools.
struct DeclaredTool {
  std::string name, signature = {};
  std::string text = {};                         // what its file says, as EDN; "": it is in no file
  ToolOptions options = {};
  bool has_effect = false;                       // somebody chose the class of options.effect
  bool only_reads = false;                       // an MCP server says so
  std::vector<std::string> notes = {};           // what an MCP server says that the members do not say
  std::optional<CommandTool> command = {};       // nullopt: an operation that somebody resolves
};

// Returns whether a call of the tool reaches an MCP server that does not say that the tool only reads.
bool is_external(const DeclaredTool& tool);

// Reads the text of a file of tools, and starts the MCP servers in it. `path` names the file in messages, and folders
// of tools are relative to the folder in which the file is. Returns nullopt when something is wrong; `message` then
// says what, and where.
std::optional<std::vector<DeclaredTool>> read_tools(std::string_view text, const std::string& path,
                                                    std::string& message);
// Reads such a file.
std::optional<std::vector<DeclaredTool>> read_tools_file(const std::string& path, std::string& message);

// Adds tools without their commands. Returns false when a signature cannot be read; `message` then says why.
bool add_contracts(Tools& tools, const std::vector<DeclaredTool>& declared, std::string& message);
// Adds a command under a name. Commands that stay and are the same share their process.
void add_command(CommandTools& tools, std::string name, CommandTool command);
// Adds tools to the tools of a command. A tool that is declared later replaces one of the same name. Returns false when
// a signature cannot be read; `message` then says why.
bool add_tools(CommandTools& tools, std::vector<DeclaredTool> declared, std::string& message);
// Adds the tools of files, in the order of the files. Returns false when one cannot be read; `message` then says why.
bool add_tools_files(CommandTools& tools, const std::vector<std::string>& paths, std::string& message);

}  // namespace ptcvm::cli
