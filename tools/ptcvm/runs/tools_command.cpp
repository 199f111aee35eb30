// ptcvm tools: what programs and models see of the tools of a file.
#include <iostream>

#include "ptcvm/signature.hpp"
#include "tools/ptcvm/calls/tool_errors.h"
#include "tools/ptcvm/calls/tools_file.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {
namespace {

struct ToolsRequest {
  std::vector<std::string> files;
  bool json = false;
};

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (const char c : harmless_text(text)) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out + '\n';
}

void write_text(const DeclaredTool& tool) {
  std::cout << harmless_text(tool.name) << ' '
            << (tool.signature.empty() ? "(…) -> :any" : harmless_text(tool.signature)) << "  "
            << effect_name(tool.options.effect) << '\n';
  if (!tool.options.description.empty()) std::cout << indented(tool.options.description);
  for (const std::string& note : tool.notes) std::cout << indented("[" + note + "]");
}

void write_json(const DeclaredTool& tool) {
  const auto notes = [&tool](ValueWriter& out) {
    for (const std::string& note : tool.notes) out.string(note);
  };
  const auto fill = [&](ValueWriter& out) {
    out.entry("name", tool.name);
    if (!tool.signature.empty()) out.entry("signature", tool.signature);
    if (!tool.options.description.empty()) out.entry("description", tool.options.description);
    out.entry("effect", effect_name(tool.options.effect));
    if (tool.notes.empty()) return;
    out.key("notes");
    out.vector(notes);
  };
  std::cout << Value::build([&fill](ValueWriter& out) { out.map(fill); }).to_json() << '\n';
}

int show_tools(const ToolsRequest& request) {
  std::string message;
  std::vector<DeclaredTool> all;
  for (const std::string& path : request.files) {
    auto tools = read_tools_file(path, message);
    if (!tools) return refuse_input(message);
    for (DeclaredTool& tool : *tools) {
      std::erase_if(all, [&tool](const DeclaredTool& other) { return other.name == tool.name; });
      all.push_back(std::move(tool));
    }
  }
  for (const DeclaredTool& tool : all) {
    if (request.json) write_json(tool);
    if (!request.json) write_text(tool);
  }
  return kSuccess;
}

}  // namespace

void add_tools_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("tools", "List the tools of a file with their signatures, also of MCP servers");
  auto request = std::make_shared<ToolsRequest>();
  command->add_option("FILE", request->files, "Files of tools; a tool takes the place of one of the same name before")
      ->required();
  command->add_flag("--json", request->json, "Write each tool as a line of JSON");
  command->footer("Examples:\n  ptcvm tools tools.json\n  ptcvm tools --json tools.json\n\n"
                  "The MCP servers of the files are started, asked for their tools, and ended.");
  command->callback([request, &status] { status = show_tools(*request); });
}

}  // namespace ptcvm::cli
