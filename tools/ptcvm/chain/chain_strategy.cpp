#include "tools/ptcvm/chain/chain_strategy.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "agents/chain/memory/context.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/text/json_file.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr FileBound kStrategyFile{std::size_t{16} << 20, "a strategy"};

struct StrategySection {
  std::string_view name;
  std::vector<std::string_view> members;      // empty: what it says is for the planner
  std::vector<std::string_view> tools = {};   // members that list tools by their names, or by "fs_*"
  std::vector<std::string_view> paths = {};   // members that list files and folders
};
const StrategySection kSections[] = {
    {"metadata", {"id", "version", "name", "description"}},
    {"system", {}},
    {"planning", {"maxSteps"}},
    {"execution", {"requiresConfirmation"}, {"requiresConfirmation"}},
    {"preferences", {"userConfirmation", "riskTolerance", "autonomyLevel", "responseSpeed"}},
    {"constraints", {"mustConfirmBefore", "deniedTools"}, {"mustConfirmBefore", "deniedTools"}},
    {"safety",
     {"userDataDirs", "systemDirs", "allowPaths", "denyPaths", "externalTools", "guardedTools"},
     {"externalTools", "guardedTools"},
     {"userDataDirs", "systemDirs", "allowPaths", "denyPaths"}}};

// Reads members of sections; a member of the wrong type is remembered.
class StrategyReader {
 public:
  explicit StrategyReader(const json::object& strategy) : strategy_(strategy) {}

  const std::string& message() const { return message_; }

  std::string text(std::string_view section, std::string_view name, std::string_view otherwise) {
    const json::value* const found = member(section, name);
    if (found == nullptr) return std::string(otherwise);
    if (found->is_string()) return std::string(found->get_string());
    refuse(section, name, "a text");
    return {};
  }

  double number(std::string_view section, std::string_view name, double least, double most, double otherwise) {
    const json::value* const found = member(section, name);
    if (found == nullptr) return otherwise;
    const double value = found->is_number() ? found->to_number<double>() : least - 1;
    if (value >= least && value <= most) return value;
    refuse(section, name, "a number from " + std::to_string(static_cast<long long>(least)) + " to " +
                              std::to_string(static_cast<long long>(most)));
    return otherwise;
  }

  // Returns a whole section, or an empty one.
  json::object section(std::string_view name) {
    const json::value* const found = strategy_.if_contains(name);
    if (found == nullptr) return {};
    if (found->is_object()) return found->get_object();
    if (message_.empty()) message_ = "the strategy: " + std::string(name) + " must be an object";
    return {};
  }

  // Takes a list in place of another one.
  void replace_texts(std::string_view section, std::string_view name, std::vector<std::string>& list) {
    if (member(section, name) != nullptr) list.clear();
    add_texts(section, name, list);
  }

  // Adds the texts of a list that are not there.
  void add_texts(std::string_view section, std::string_view name, std::vector<std::string>& list) {
    const json::value* const found = member(section, name);
    if (found == nullptr) return;
    if (!found->is_array()) return refuse(section, name, "a list of texts");
    for (const json::value& item : found->get_array()) {
      if (!item.is_string()) return refuse(section, name, "a list of texts");
      if (std::find(list.begin(), list.end(), item.get_string()) == list.end()) list.emplace_back(item.get_string());
    }
  }

 private:
  const json::value* member(std::string_view section, std::string_view name) {
    const json::value* const found = strategy_.if_contains(section);
    if (found == nullptr) return nullptr;
    if (found->is_object()) return found->get_object().if_contains(name);
    if (message_.empty()) message_ = "the strategy: " + std::string(section) + " must be an object";
    return nullptr;
  }
  void refuse(std::string_view section, std::string_view name, const std::string& wanted) {
    if (!message_.empty()) return;
    message_ = "the strategy: " + std::string(section) + '.' + std::string(name) + " must be " + wanted;
  }

  const json::object& strategy_;
  std::string message_;
};

// Returns the names with ", " between them.
template <class Names>
std::string names_text(const Names& names) {
  std::string text;
  for (const auto& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

// Returns the first member of the object that is not known, as a sentence, or "".
template <class Names>
std::string unknown_name(const json::object& object, std::string_view where, const Names& known) {
  for (const auto& member : object) {
    if (std::ranges::find(known, std::string_view(member.key())) != std::ranges::end(known)) continue;
    return std::string(where) + ": there is no member \"" + std::string(member.key()) + "\"; the members are " +
           names_text(known);
  }
  return {};
}

// Only guardedTools reads "fs_*" as all tools whose names begin so. It must name one.
bool names_a_tool(std::string_view list, std::string_view name, const std::vector<std::string>& tools) {
  if (list != "guardedTools" || !name.ends_with('*')) return std::ranges::find(tools, name) != tools.end();
  const std::string_view begin = name.substr(0, name.size() - 1);
  return std::ranges::any_of(tools, [&](const std::string& tool) { return tool.starts_with(begin); });
}

// Returns the first text of the list that is not good, or nullopt.
std::optional<std::string_view> first_wrong(const json::object& section, std::string_view name, const auto& is_good) {
  const json::value* const list = section.if_contains(name);
  if (list == nullptr || !list->is_array()) return std::nullopt;
  for (const json::value& item : list->get_array()) {
    if (item.is_string() && !is_good(std::string_view(item.get_string()))) return std::string_view(item.get_string());
  }
  return std::nullopt;
}

std::string unknown_tool(const json::object& section, std::string_view where, std::string_view name,
                         const std::vector<std::string>& tools) {
  const auto is_good = [&](std::string_view tool) { return names_a_tool(name, tool, tools); };
  const auto wrong = first_wrong(section, name, is_good);
  if (!wrong) return {};
  return std::string(where) + '.' + std::string(name) + " names \"" + std::string(*wrong) +
         "\", which is no tool of the task; the tools are " + names_text(tools);
}

// A path is taken as it is written, so a pattern or a variable would protect nothing.
std::string no_path(const json::object& section, std::string_view where, std::string_view name) {
  const auto wrong = first_wrong(section, name, [](std::string_view path) {
    const bool is_home = path == "~" || path.starts_with("~/");
    return !path.empty() && (is_home || !path.starts_with('~')) && path.find("://") == std::string_view::npos &&
           path.find_first_of("*?[]{}$") == std::string_view::npos;
  });
  if (!wrong) return {};
  return std::string(where) + '.' + std::string(name) + " has \"" + std::string(*wrong) +
         "\", which is no path; a path names a file or a folder with all that is in it, without patterns, variables "
         "and schemes; ~/ is the home folder";
}

// Returns why the file is no strategy for a task with these tools, or "".
std::string strategy_fault(const json::object& strategy, const std::vector<std::string>& tools) {
  std::vector<std::string_view> sections;
  for (const StrategySection& section : kSections) sections.push_back(section.name);
  if (auto fault = unknown_name(strategy, "the strategy", sections); !fault.empty()) return fault;
  for (const StrategySection& section : kSections) {
    const json::value* const found = strategy.if_contains(section.name);
    if (found == nullptr || !found->is_object() || section.members.empty()) continue;
    const json::object& members = found->get_object();
    if (auto fault = unknown_name(members, section.name, section.members); !fault.empty()) return fault;
    for (const std::string_view list : section.tools) {
      if (auto fault = unknown_tool(members, section.name, list, tools); !fault.empty()) return fault;
    }
    for (const std::string_view list : section.paths) {
      if (auto fault = no_path(members, section.name, list); !fault.empty()) return fault;
    }
  }
  return {};
}

}  // namespace

std::optional<json::object> read_strategy(const std::string& path, const std::vector<std::string>& tools,
                                          std::string& message) {
  auto file = read_json_file(path, kStrategyFile, message);
  if (!file) return std::nullopt;
  message = file->is_object() ? strategy_fault(file->get_object(), tools) : "an object is wanted";
  if (message.empty()) return std::move(file->get_object());
  message = path + ": " + message;
  return std::nullopt;
}

bool apply_strategy(const json::object& strategy, chain::ChainOptions& options, std::string& message) {
  constexpr double kMostSteps = 10'000;
  StrategyReader reader(strategy);
  chain::ChainPolicy& policy = options.policy;
  reader.add_texts("execution", "requiresConfirmation", policy.confirmed_tools);
  reader.add_texts("constraints", "mustConfirmBefore", policy.confirmed_tools);
  reader.add_texts("constraints", "deniedTools", policy.denied_tools);
  policy.user_confirmation = reader.number("preferences", "userConfirmation", 0, 1, policy.user_confirmation);
  const auto most_steps = static_cast<double>(options.most_steps);
  options.most_steps = static_cast<std::size_t>(reader.number("planning", "maxSteps", 1, kMostSteps, most_steps));
  std::vector<std::string> user_folders;
  reader.add_texts("safety", "userDataDirs", user_folders);
  if (!user_folders.empty()) policy.safety.user_data_dirs = std::move(user_folders);
  reader.add_texts("safety", "systemDirs", policy.safety.system_dirs);
  reader.add_texts("safety", "allowPaths", policy.safety.allow_paths);
  reader.add_texts("safety", "denyPaths", policy.safety.deny_paths);
  reader.replace_texts("safety", "externalTools", policy.safety.external_tools);
  reader.replace_texts("safety", "guardedTools", policy.safety.guarded_tools);
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0') policy.safety.home = home;
  std::error_code error;
  policy.safety.working_folder = std::filesystem::current_path(error).string();
  chain::TaskContext context;
  context.cwd = policy.safety.working_folder;
  for (const chain::ChainTool& tool : options.tools) {
    context.tools.push_back({tool.name, tool.signature, tool.description});
  }
  context.strategy_id = reader.text("metadata", "id", "unknown");
  context.strategy_version = reader.text("metadata", "version", "unknown");
  context.confirmed_tools = policy.confirmed_tools;
  context.denied_tools = policy.denied_tools;
  context.system = reader.section("system");
  context.constraints = reader.section("constraints");
  context.preferences = reader.section("preferences");
  options.context = chain::context_json(context);
  message = reader.message();
  return message.empty();
}

}  // namespace ptcvm::cli
