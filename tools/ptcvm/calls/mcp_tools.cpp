#include "tools/ptcvm/calls/mcp_tools.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "drivers/mcp/mcp_server.h"
#include "ptcvm/signature.hpp"
#include "tools/ptcvm/calls/tool_errors.h"
#include "tools/ptcvm/calls/tools_file_members.h"

namespace ptcvm::cli {
namespace {

constexpr std::int64_t kMostStartMillis = 3600 * 1000, kMostServerCalls = 1000;

constexpr auto kServerMembers = std::to_array<std::string_view>(
    {"command", "environment", "folder", "prefix", "allow", "deny", "tools", "deadline_ms", "retry", "in_flight",
     "start_ms"});
// What a server says for all of its tools; a tool of "tools" says it again for itself.
constexpr auto kForAll = std::to_array<std::string_view>({"deadline_ms", "retry"});
constexpr auto kOfProcess = std::to_array<std::string_view>(
    {"command", "environment", "folder", "in_flight", "start_ms"});
constexpr auto kToolMembers = std::to_array<std::string_view>(
    {"name", "signature", "description", "effect", "reconcile", "cache", "retry", "deadline_ms"});

class ServerSection {
 public:
  ServerSection(std::string name, ValueView map, const std::string& path, std::string base)
      : name_(std::move(name)), where_(path + ": MCP server " + name_), base_(std::move(base)),
        members_(map, where_, kServerMembers) {}

  // Returns what is wrong, or "".
  std::string list(std::vector<ServedTool>& out) {
    mcp::McpServerOptions options = options_of();
    read_tools();
    const std::vector<std::string> allowed = names("allow"), denied = names("deny");
    if (!members_.error().empty()) return members_.error();
    mcp::ListedServer listed = mcp::list_mcp_server(std::move(options));
    if (listed.process == nullptr) return where_ + ": " + listed.message;
    if (std::string wrong = unknown_name(listed.tools, allowed, denied); !wrong.empty()) return wrong;
    const auto started = std::make_shared<StartedServer>(std::move(listed.process));
    for (const mcp::McpTool& tool : listed.tools) {
      const bool is_allowed = members_.find("allow").is_nil() || std::ranges::count(allowed, tool.name) > 0;
      if (!is_allowed || std::ranges::count(denied, tool.name) > 0) continue;
      out.push_back(served(tool));
      out.back().started = started;
    }
    return {};
  }

 private:
  mcp::McpServerOptions options_of() {
    mcp::McpServerOptions options;
    options.program.command = members_.words("command");
    options.program.environment = members_.texts("environment");
    const std::string folder = members_.text("folder");
    if (!folder.empty()) options.program.folder = (std::filesystem::path(base_) / folder).string();
    options.in_flight = static_cast<std::size_t>(members_.whole("in_flight", 1, kMostServerCalls, 1));
    options.start = std::chrono::milliseconds(members_.whole("start_ms", 1, kMostStartMillis, options.start.count()));
    options.on_errors = [name = name_](std::string_view lines) { show_tool_errors(name, lines); };
    prefix_ = members_.text("prefix", name_ + "_");
    if (members_.find("prefix").as_string() == "") prefix_.clear();
    return options;
  }

  // Reads what the file says about single tools.
  void read_tools() {
    const ValueView tools = members_.find("tools");
    if (tools.is_nil()) return;
    if (tools.kind() != ValueKind::Map) return members_.wrong("tools", "a map from names of tools to maps");
    for (const ValueEntry& entry : tools.entries()) {
      const auto name = text_or_name(entry.key);
      if (!name || entry.value.kind() != ValueKind::Map) {
        return members_.wrong("tools", "a map from names of tools to maps");
      }
      const FileMembers members(entry.value, where_ + ": tool " + *name, kToolMembers);
      if (!members.error().empty()) members_.fail(members.error().substr(where_.size() + 2));
      said_.emplace_back(*name, entry.value);
    }
  }

  std::vector<std::string> names(std::string_view member) {
    const ValueView found = members_.find(member);
    std::vector<std::string> out;
    if (found.is_nil()) return out;
    if (found.kind() != ValueKind::Vector) return members_.wrong(member, "a list of names of tools"), out;
    for (const ValueView name : found.items()) {
      const auto text = text_or_name(name);
      if (!text) members_.wrong(member, "a list of names of tools");
      out.push_back(text.value_or(""));
    }
    return out;
  }

  // A name that is mistyped in "deny" would let a tool through.
  std::string unknown_name(const std::vector<mcp::McpTool>& tools, const std::vector<std::string>& allowed,
                           const std::vector<std::string>& denied) const {
    const auto is_known = [&tools](const std::string& name) {
      return std::ranges::count(tools, name, &mcp::McpTool::name) > 0;
    };
    std::vector<std::pair<std::string, std::string>> named;
    for (const auto& [name, members] : said_) named.emplace_back("tools", name);
    for (const std::string& name : allowed) named.emplace_back("allow", name);
    for (const std::string& name : denied) named.emplace_back("deny", name);
    for (const auto& [member, name] : named) {
      if (is_known(name)) continue;
      std::string known;
      for (const mcp::McpTool& tool : tools) known.append(known.empty() ? "" : ", ").append(tool.name);
      return where_ + ": \"" + member + "\" names " + name + ", which the server does not have; it has " + known;
    }
    return {};
  }

  ServedTool served(const mcp::McpTool& tool) const {
    const mcp::ToolOffer offer = mcp::offer_of(tool, prefix_);
    const auto said = std::ranges::find(said_, tool.name, [](const auto& entry) { return entry.first; });
    const ValueView own = said == said_.end() ? ValueView() : said->second;
    const auto says = [own](std::string_view member) { return !own[member].is_nil(); };
    const auto fill = [&](ValueWriter& out) {
      if (!says("name")) out.entry("name", offer.name);
      if (!says("signature")) out.entry("signature", offer.signature);
      if (!says("description")) out.entry("description", offer.description);
      if (!says("effect")) out.entry("effect", effect_name(offer.effect));
      out.entry("process", "mcp");
      out.entry("mcp_tool", tool.name);
      if (!offer.renamed.empty()) out.entry("mcp_arguments", renamed_value(offer));
      for (const std::string_view member : kOfProcess) copy(out, member, members_.find(member));
      for (const std::string_view member : kForAll) {
        if (!says(member)) copy(out, member, members_.find(member));
      }
      for (const std::string_view member : kToolMembers) copy(out, member, own[member]);
    };
    ServedTool out;
    out.entry = Value::build([&fill](ValueWriter& writer) { writer.map(fill); });
    out.where = where_ + ": tool " + tool.name;
    out.only_reads = offer.only_reads;
    out.notes = notes_of(tool, offer);
    return out;
  }

  static void copy(ValueWriter& out, std::string_view member, ValueView value) {
    if (!value.is_nil()) out.entry(member, value);
  }

  static Value renamed_value(const mcp::ToolOffer& offer) {
    const auto fill = [&offer](ValueWriter& out) {
      for (const auto& [called, sent] : offer.renamed) out.entry(called, sent);
    };
    return Value::build([&fill](ValueWriter& out) { out.map(fill); });
  }

  static std::vector<std::string> notes_of(const mcp::McpTool& tool, const mcp::ToolOffer& offer) {
    std::vector<std::string> out;
    const auto say = [&out](std::optional<bool> hint, const char* yes, const char* no) {
      if (hint) out.push_back(std::string("the server says: ") + (*hint ? yes : no));
    };
    say(tool.hints.read_only, "it only reads", "it does more than read");
    say(tool.hints.destructive, "it may destroy", "it destroys nothing");
    say(tool.hints.idempotent, "a second call changes nothing", "a second call changes something");
    for (const std::string& loss : offer.losses) out.push_back("not in the signature: " + loss);
    return out;
  }

  const std::string name_, where_, base_;
  FileMembers members_;
  std::string prefix_;
  std::vector<std::pair<std::string, ValueView>> said_;
};

}  // namespace

std::optional<std::vector<ServedTool>> list_servers(ValueView servers, const std::string& path, const std::string& base,
                                                    std::string& message) {
  if (servers.kind() != ValueKind::Map) {
    message = path + ": \"mcp\" is not a map of servers, such as {\"files\": {\"command\": [\"npx\", …]}}";
    return std::nullopt;
  }
  std::vector<ServedTool> out;
  for (const ValueEntry& entry : servers.entries()) {
    const auto name = text_or_name(entry.key);
    if (!name || entry.value.kind() != ValueKind::Map) {
      message = path + ": MCP server " + entry.key.to_text(80) + " is not a map, such as {\"command\": [\"npx\", …]}";
      return std::nullopt;
    }
    message = ServerSection(*name, entry.value, path, base).list(out);
    if (!message.empty()) return std::nullopt;
  }
  return out;
}

}  // namespace ptcvm::cli
