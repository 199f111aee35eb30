#include "tools/ptcvm/calls/tools_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>

#include "ptcvm/json.hpp"
#include "ptcvm/value.hpp"
#include "tools/ptcvm/calls/mcp_tools.h"
#include "tools/ptcvm/calls/staying_process.h"
#include "tools/ptcvm/calls/tools_file_members.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/text/text_place.h"

namespace ptcvm::cli {
namespace {

constexpr std::int64_t kMostMillis = std::int64_t{366} * 24 * 3600 * 1000;
constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;   // of brackets alone, it takes 33 MB as a value
constexpr std::int64_t kMostAttempts = 1000, kMostInFlight = 1000;

// The members of a tool, in the order of the documents.
constexpr auto kMembers = std::to_array<std::string_view>(
    {"name", "signature", "description", "command", "effect", "mode", "cache", "retry", "deadline_ms", "environment",
     "folder", "reconcile", "process", "in_flight", "mcp_tool", "mcp_arguments", "start_ms"});
constexpr auto kRetryMembers = std::to_array<std::string_view>(
    {"max_attempts", "first_delay_ms", "max_delay_ms", "factor", "jitter"});

bool is_tool_name(std::string_view name) {
  const auto may_be_in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c >= 0x80; };
  return !name.empty() && name.size() <= 200 && std::ranges::all_of(name, may_be_in_name);
}

Retry read_retry(FileMembers& tool) {
  const ValueView found = tool.find("retry");
  Retry retry;
  if (found.is_nil()) return retry;
  if (found.kind() != ValueKind::Map) return tool.wrong("retry", "a map"), retry;
  FileMembers members(found, tool.where() + ": retry", kRetryMembers);
  retry.max_attempts = static_cast<std::uint32_t>(members.whole("max_attempts", 1, kMostAttempts, retry.max_attempts));
  using Millis = std::chrono::milliseconds;
  retry.first_delay = Millis(members.whole("first_delay_ms", 0, kMostMillis, retry.first_delay.count()));
  retry.max_delay = Millis(members.whole("max_delay_ms", 0, kMostMillis, retry.max_delay.count()));
  retry.factor = members.real("factor", 1, 1000, retry.factor);
  retry.jitter = members.real("jitter", 0, 1, retry.jitter);
  if (!members.error().empty()) tool.fail(members.error().substr(tool.where().size() + 2));
  return retry;
}

// Reads how a tool is called on the server whose process its command starts.
void read_mcp(FileMembers& members, ExternalTool& tool) {
  if (tool.mcp && members.find("mcp_tool").is_nil()) members.fail("\"process\": \"mcp\" needs \"mcp_tool\"");
  for (const std::string_view name : {"mcp_tool", "mcp_arguments", "start_ms"}) {
    if (tool.mcp || members.find(name).is_nil()) continue;
    members.fail('"' + std::string(name) + "\" has no effect without \"process\": \"mcp\": give both, or leave it out");
  }
  if (!tool.mcp) return;
  tool.mcp->tool = members.text("mcp_tool");
  tool.mcp->renamed = members.texts("mcp_arguments");
  tool.mcp->start = std::chrono::milliseconds(members.whole("start_ms", 1, kMostMillis, tool.mcp->start.count()));
}

void read_process(FileMembers& members, ExternalTool& tool) {
  const std::string process = members.text("process", "call");
  if (process != "call" && process != "stays" && process != "mcp") members.wrong("process", "call, stays or mcp");
  if (process == "mcp") tool.mcp.emplace();
  tool.stays = process != "call";
  tool.in_flight = static_cast<std::size_t>(members.whole("in_flight", 1, kMostInFlight, 1));
  if (!tool.stays && !members.find("in_flight").is_nil()) {
    members.fail("\"in_flight\" has no effect without \"process\": \"stays\": give both, or leave it out");
  }
  read_mcp(members, tool);
}

// Reads how the tool is called: everything about its command.
void read_command(FileMembers& members, const std::string& base, DeclaredTool& out) {
  if (members.find("command").is_nil()) {
    for (const std::string_view name : {"deadline_ms", "environment", "folder", "process", "retry"}) {
      if (members.find(name).is_nil()) continue;
      members.fail('"' + std::string(name) + "\" has no effect without \"command\": give both, or leave it out");
    }
    if (out.options.mode == ToolMode::Sync) {
      members.fail("\"command\" is missing; only a tool of the mode async or auto can do without one");
    }
    return;
  }
  ExternalTool tool;
  tool.name = out.name;
  tool.command = members.words("command");
  tool.deadline = std::chrono::milliseconds(members.whole("deadline_ms", 1, kMostMillis, 0));
  const std::string folder = members.text("folder");
  if (folder.find('\0') != std::string::npos) members.fail("\"folder\" has the character NUL");
  tool.folder = (std::filesystem::path(base) / folder).string();
  if (folder.empty()) tool.folder.clear();
  tool.environment = members.texts("environment");
  read_process(members, tool);
  tool.retry = out.options.retry;
  tool.may_repeat = out.options.effect == Effect::Pure || out.options.effect == Effect::Idempotent ||
                    out.options.effect == Effect::Keyed;
  out.command.emplace(std::move(tool), out.options.mode != ToolMode::Sync);
}

void read_reconcile(FileMembers& members, DeclaredTool& out) {
  const bool is_given = !members.find("reconcile").is_nil();
  if (is_given != (out.options.effect == Effect::Reconcilable)) {
    return members.fail("\"reconcile\" and the effect \"reconcilable\" belong together: give both, or none");
  }
  if (!is_given) return;
  ExternalTool asked;
  asked.name = out.name;
  asked.command = members.words("reconcile");
  if (members.error().empty()) out.options.reconcile = reconciler_of(std::move(asked));
}

std::string read_tool(ValueView value, const std::string& where, const std::string& base, DeclaredTool& out) {
  if (value.kind() != ValueKind::Map) return where + ": a tool is a map, such as {\"name\": …, \"command\": …}";
  const auto name = text_or_name(value["name"]);
  FileMembers members(value, name ? where + " (" + *name + ')' : where, kMembers);
  out.name = members.text("name");
  if (!is_tool_name(out.name)) members.wrong("name", "a name of letters, digits, - and _");
  out.signature = members.text("signature");
  out.text = value.to_edn();
  out.options.description = members.text("description");
  out.options.cache = members.flag("cache");
  const std::string effect = members.text("effect", effect_name(Effect::Unsafe));
  out.has_effect = !members.find("effect").is_nil();
  if (const auto found = find_effect(effect)) out.options.effect = *found;
  if (!find_effect(effect)) members.wrong("effect", "unsafe, pure, idempotent, keyed or reconcilable");
  const std::string mode = members.text("mode", "sync");
  if (mode != "sync" && mode != "async" && mode != "auto") members.wrong("mode", "sync, async or auto");
  out.options.mode = mode == "sync" ? ToolMode::Sync : mode == "async" ? ToolMode::Async : ToolMode::Auto;
  out.options.retry = read_retry(members);
  read_command(members, base, out);
  read_reconcile(members, out);
  return members.error();
}

// Returns the process that stays and serves this tool; tools with the same command share it.
std::shared_ptr<stdio::CallProcess> process_for(const CommandTools& tools, const ExternalTool& tool) {
  for (const auto& [name, command] : tools.commands) {
    if (command.staying() != nullptr && share_process(command.tool(), tool)) return command.shared_process();
  }
  return make_process(tool);
}

// Reads the list of tools in a file.
bool read_list(ValueView list, const std::string& path, std::vector<DeclaredTool>& out, std::string& message) {
  if (list.kind() != ValueKind::Vector) {
    message = path + ": a list of tools is wanted, such as [{\"name\": \"price\", \"command\": [\"python3\", "
              "\"price.py\"]}]";
    return false;
  }
  const std::string base = std::filesystem::path(path).parent_path().string();
  for (const ValueView tool : list.items()) {
    const std::string where = path + ": tool " + std::to_string(out.size() + 1);
    message = read_tool(tool, where, base, out.emplace_back());
    if (!message.empty()) return false;
  }
  return true;
}

// Reads the tools of the MCP servers in a file: starts the servers.
bool read_served(ValueView servers, const std::string& path, std::vector<DeclaredTool>& out, std::string& message) {
  const std::string base = std::filesystem::path(path).parent_path().string();
  auto listed = list_servers(servers, path, base, message);
  if (!listed) return false;
  for (ServedTool& served : *listed) {
    DeclaredTool& tool = out.emplace_back();
    message = read_tool(served.entry.view(), served.where, base, tool);
    if (!message.empty()) return false;
    tool.only_reads = served.only_reads;
    tool.notes = std::move(served.notes);
    tool.command->set_started(std::move(served.started));
  }
  return true;
}

// Reads the list, or the map with the members "tools" and "mcp".
bool read_parts(ValueView file, const std::string& path, std::vector<DeclaredTool>& out, std::string& message) {
  const bool has_parts = file.kind() == ValueKind::Map && !(file["tools"].is_nil() && file["mcp"].is_nil());
  if (!has_parts) return read_list(file, path, out, message);
  constexpr auto kParts = std::to_array<std::string_view>({"tools", "mcp"});
  FileMembers members(file, path, kParts);
  message = members.error();
  if (!message.empty()) return false;
  const ValueView list = members.find("tools"), servers = members.find("mcp");
  if (!list.is_nil() && !read_list(list, path, out, message)) return false;
  return servers.is_nil() || read_served(servers, path, out, message);
}

// Returns what is wrong with the tools together, or "".
std::string wrong_together(const std::vector<DeclaredTool>& tools) {
  for (const DeclaredTool& tool : tools) {
    const auto is_same = [&tool](const DeclaredTool& other) { return other.name == tool.name; };
    if (std::ranges::count_if(tools, is_same) > 1) return "there are two tools with the name " + tool.name;
  }
  Tools tried;                                   // a signature that cannot be read belongs to its file
  std::string message;
  return add_contracts(tried, tools, message) ? "" : message;
}

}  // namespace

std::optional<std::vector<DeclaredTool>> read_tools(std::string_view text, const std::string& path,
                                                    std::string& message) {
  const bool is_edn = path.ends_with(".edn");
  const auto file = is_edn ? Value::from_edn(text) : Value::from_json(text);
  if (!file) {
    const Error error = file.error();
    message = path + ':' + text_place(text, error.diagnostic->begin) + ": this is no " + (is_edn ? "EDN" : "JSON") +
              ": " + error.diagnostic->message;
    return std::nullopt;
  }
  if (const std::string doubled = is_edn ? "" : doubled_member(text); !doubled.empty()) {
    message = path + ": the member " + doubled + " is written twice";
    return std::nullopt;
  }
  std::vector<DeclaredTool> out;
  if (!read_parts(file->view(), path, out, message)) return std::nullopt;
  message = wrong_together(out);
  if (message.empty()) return out;
  message = path + ": " + message;
  return std::nullopt;
}

std::optional<std::vector<DeclaredTool>> read_tools_file(const std::string& path, std::string& message) {
  const auto text = read_file(path, message, {kMostFileBytes, "a file of tools"});
  return text ? read_tools(*text, path, message) : std::nullopt;
}

bool is_external(const DeclaredTool& tool) {
  return tool.command && tool.command->tool().mcp && !tool.only_reads;
}

bool add_contracts(Tools& tools, const std::vector<DeclaredTool>& declared, std::string& message) {
  return std::ranges::all_of(declared, [&](const DeclaredTool& tool) {
    const auto added = tools.defer(tool.name, tool.signature, tool.options);
    if (!added) message = added.error().message;
    return added.has_value();
  });
}

void add_command(CommandTools& tools, std::string name, CommandTool command) {
  if (command.tool().stays) command.use_process(process_for(tools, command.tool()));
  tools.commands.emplace(std::move(name), std::move(command));
}

bool add_tools(CommandTools& tools, std::vector<DeclaredTool> declared, std::string& message) {
  for (DeclaredTool& tool : declared) {
    if (const auto added = tools.tools.defer(tool.name, tool.signature, std::move(tool.options)); !added) {
      message = added.error().message;
      return false;
    }
    tools.commands.erase(tool.name);
    tools.texts.erase(tool.name);
    if (!tool.text.empty()) tools.texts.emplace(tool.name, std::move(tool.text));
    if (!tool.command) continue;
    add_command(tools, tool.name, std::move(*tool.command));
  }
  return true;
}

bool add_tools_files(CommandTools& tools, const std::vector<std::string>& paths, std::string& message) {
  return std::ranges::all_of(paths, [&](const std::string& path) {
    auto declared = read_tools_file(path, message);
    return declared && add_tools(tools, *std::move(declared), message);
  });
}

}  // namespace ptcvm::cli
