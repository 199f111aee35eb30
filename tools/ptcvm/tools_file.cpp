#include "tools/ptcvm/tools_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>

#include "ptcvm/value.hpp"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/shell_arguments.h"
#include "tools/ptcvm/staying_process.h"
#include "tools/ptcvm/text_place.h"

namespace ptcvm::cli {
namespace {

constexpr std::int64_t kMostMillis = std::int64_t{366} * 24 * 3600 * 1000;
constexpr std::int64_t kMostAttempts = 1000, kMostInFlight = 1000;

// The members of a tool, in the order of the documents.
constexpr auto kMembers = std::to_array<std::string_view>(
    {"name", "signature", "description", "command", "effect", "mode", "cache", "retry", "deadline_ms", "environment",
     "folder", "reconcile", "process", "in_flight"});
constexpr auto kRetryMembers = std::to_array<std::string_view>(
    {"max_attempts", "first_delay_ms", "max_delay_ms", "factor", "jitter"});

// Returns a text, or the name of a keyword, as EDN may write it.
std::optional<std::string> text_of(ValueView value) {
  if (const auto text = value.as_string()) return std::string(*text);
  if (const auto name = value.as_keyword()) return std::string(*name);
  return std::nullopt;
}

std::string listed(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

// Reads the members of one map. The first thing that is wrong is kept.
class Members {
 public:
  Members(ValueView map, std::string where, std::span<const std::string_view> known)
      : map_(map), where_(std::move(where)) {
    for (const ValueEntry& entry : map.entries()) {
      const auto name = text_of(entry.key);
      if (name && std::ranges::count(known, *name) > 0) continue;
      fail("there is no member " + (name ? '"' + *name + '"' : entry.key.to_edn()) + "; the members are " +
           listed(known));
    }
  }

  ValueView find(std::string_view name) const { return map_[name]; }
  void fail(const std::string& message) {
    if (error_.empty()) error_ = where_ + ": " + message;
  }
  void wrong(std::string_view name, std::string_view wanted) {
    fail('"' + std::string(name) + "\" is not " + std::string(wanted) + "; found " + find(name).to_text(80));
  }
  std::string text(std::string_view name, std::string_view otherwise = {}) {
    const ValueView found = find(name);
    if (found.is_nil()) return std::string(otherwise);
    const auto text = text_of(found);
    if (!text) wrong(name, "a text");
    return text.value_or("");
  }
  bool flag(std::string_view name) {
    const ValueView found = find(name);
    if (!found.is_nil() && !found.as_bool()) wrong(name, "true or false");
    return found.as_bool().value_or(false);
  }
  std::int64_t whole(std::string_view name, std::int64_t least, std::int64_t most, std::int64_t otherwise) {
    const ValueView found = find(name);
    if (found.is_nil()) return otherwise;
    const auto number = found.as_int();
    if (number && *number >= least && *number <= most) return *number;
    wrong(name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return otherwise;
  }
  double real(std::string_view name, double least, double most, double otherwise) {
    const ValueView found = find(name);
    if (found.is_nil()) return otherwise;
    const auto number = found.as_double();
    if (number && *number >= least && *number <= most) return *number;
    wrong(name, "a number in its range");
    return otherwise;
  }
  // A list of words, or one text that is split into words as a shell does it.
  std::vector<std::string> words(std::string_view name) {
    const ValueView found = find(name);
    if (const auto text = found.as_string()) {
      auto split = split_shell_arguments(*text);
      if (!split || split->empty()) wrong(name, "a command: it is empty, or a quote is open");
      return split.value_or(std::vector<std::string>());
    }
    std::vector<std::string> out;
    if (found.kind() != ValueKind::Vector) return wrong(name, "a list of texts, or a text"), out;
    for (const ValueView word : found.items()) {
      const auto text = word.as_string();
      if (!text) wrong(name, "a list of texts, or a text");
      out.emplace_back(text.value_or(""));
    }
    if (out.empty() || out[0].empty()) fail('"' + std::string(name) + "\" names no program");
    return out;
  }
  const std::string& error() const { return error_; }
  const std::string& where() const { return where_; }

 private:
  ValueView map_;
  std::string where_, error_;
};

bool is_tool_name(std::string_view name) {
  const auto may_be_in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c >= 0x80; };
  return !name.empty() && name.size() <= 200 && std::ranges::all_of(name, may_be_in_name);
}

Retry read_retry(Members& tool) {
  const ValueView found = tool.find("retry");
  Retry retry;
  if (found.is_nil()) return retry;
  if (found.kind() != ValueKind::Map) return tool.wrong("retry", "a map"), retry;
  Members members(found, tool.where() + ": retry", kRetryMembers);
  retry.max_attempts = static_cast<std::uint32_t>(members.whole("max_attempts", 1, kMostAttempts, retry.max_attempts));
  using Millis = std::chrono::milliseconds;
  retry.first_delay = Millis(members.whole("first_delay_ms", 0, kMostMillis, retry.first_delay.count()));
  retry.max_delay = Millis(members.whole("max_delay_ms", 0, kMostMillis, retry.max_delay.count()));
  retry.factor = members.real("factor", 1, 1000, retry.factor);
  retry.jitter = members.real("jitter", 0, 1, retry.jitter);
  if (!members.error().empty()) tool.fail(members.error().substr(tool.where().size() + 2));
  return retry;
}

void read_environment(Members& members, ExternalTool& tool) {
  const ValueView found = members.find("environment");
  if (found.is_nil()) return;
  if (found.kind() != ValueKind::Map) return members.wrong("environment", "a map of texts");
  for (const ValueEntry& entry : found.entries()) {
    const auto name = text_of(entry.key);
    const auto value = entry.value.as_string();
    const bool is_name = name && !name->empty() && name->find_first_of(std::string_view("=\0", 2)) == std::string::npos;
    if (!is_name || !value || value->find('\0') != std::string_view::npos) {
      return members.wrong("environment", "a map of texts");
    }
    tool.environment.emplace_back(*name, *value);
  }
}

void read_process(Members& members, ExternalTool& tool) {
  const std::string process = members.text("process", "call");
  if (process != "call" && process != "stays") members.wrong("process", "call or stays");
  tool.stays = process == "stays";
  tool.in_flight = static_cast<std::size_t>(members.whole("in_flight", 1, kMostInFlight, 1));
  if (!tool.stays && !members.find("in_flight").is_nil()) {
    members.fail("\"in_flight\" has no effect without \"process\": \"stays\": give both, or leave it out");
  }
}

// Reads how the tool is called: everything about its command.
void read_command(Members& members, const std::string& base, DeclaredTool& out) {
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
  tool.folder = (std::filesystem::path(base) / folder).string();
  if (folder.empty()) tool.folder.clear();
  read_environment(members, tool);
  read_process(members, tool);
  tool.retry = out.options.retry;
  tool.may_repeat = out.options.effect == Effect::Pure || out.options.effect == Effect::Idempotent ||
                    out.options.effect == Effect::Keyed;
  out.command.emplace(std::move(tool), out.options.mode != ToolMode::Sync);
}

void read_reconcile(Members& members, DeclaredTool& out) {
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
  const auto name = text_of(value["name"]);
  Members members(value, name ? where + " (" + *name + ')' : where, kMembers);
  out.name = members.text("name");
  if (!is_tool_name(out.name)) members.wrong("name", "a name of letters, digits, - and _");
  out.signature = members.text("signature");
  out.text = value.to_edn();
  out.options.description = members.text("description");
  out.options.cache = members.flag("cache");
  const std::string effect = members.text("effect", effect_name(Effect::Unsafe));
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
std::shared_ptr<StayingProcess> process_for(const CommandTools& tools, const ExternalTool& tool) {
  for (const auto& [name, command] : tools.commands) {
    if (command.staying() != nullptr && command.staying()->serves(tool)) return command.shared_process();
  }
  return std::make_shared<StayingProcess>(tool);
}

// Returns the list of tools in a file, or nil.
ValueView list_of(ValueView file) {
  if (file.kind() == ValueKind::Map && file.size() == 1) return file["tools"];
  return file;
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
  const ValueView list = list_of(file->view());
  if (list.kind() != ValueKind::Vector) {
    message = path + ": a list of tools is wanted, such as [{\"name\": \"price\", \"command\": [\"python3\", "
              "\"price.py\"]}]";
    return std::nullopt;
  }
  const std::string base = std::filesystem::path(path).parent_path().string();
  std::vector<DeclaredTool> out;
  for (const ValueView tool : list.items()) {
    const std::string where = path + ": tool " + std::to_string(out.size() + 1);
    message = read_tool(tool, where, base, out.emplace_back());
    if (!message.empty()) return std::nullopt;
    const auto is_same = [&out](const DeclaredTool& other) { return other.name == out.back().name; };
    if (std::count_if(out.begin(), out.end(), is_same) == 1) continue;
    message = where + ": there are two tools with the name " + out.back().name;
    return std::nullopt;
  }
  CommandTools tried;                            // a signature that cannot be read belongs to its file
  std::string why;
  if (add_tools(tried, out, why)) return out;
  message = path + ": " + why;
  return std::nullopt;
}

std::optional<std::vector<DeclaredTool>> read_tools_file(const std::string& path, std::string& message) {
  const auto text = read_file(path, message);
  return text ? read_tools(*text, path, message) : std::nullopt;
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
