#include "agents/chain/risk.h"

#include <algorithm>
#include <array>
#include <boost/json/value.hpp>
#include <initializer_list>
#include <optional>

#include "agents/chain/ascii_text.h"
#include "agents/chain/path_rules.h"
#include "agents/chain/shell_words.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::size_t kSignatureBytes = 80;   // the part of a command that is shown

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

RiskAssessment high(std::string signature) { return {true, std::move(signature)}; }

// Which arguments of a tool name files that it writes, moves or deletes.
struct FileTool {
  std::string_view tool;
  std::array<std::string_view, 3> targets;   // members of the arguments; the empty ones do not count
};
constexpr std::array<FileTool, 12> kFileTools = {{
    {"fs_write_file", {"path"}},       {"fs_write", {"path"}},
    {"fs_delete_file", {"path"}},      {"fs_delete_directory", {"path"}},
    {"fs_delete", {"path"}},           {"fs_copy_file", {"to", "path", "destination"}},
    {"fs_copy", {"to", "path", "destination"}}, {"fs_move_file", {"from", "to", "path"}},
    {"fs_move", {"from", "to", "path"}}, {"fs_archive", {"outputPath"}},
    {"fs_unarchive", {"outputDir"}},   {"fs_create_directory", {"path"}},
}};

std::optional<RiskAssessment> path_risk(std::string_view path, const PathRules& paths) {
  const std::string full = paths.absolute(path);
  if (paths.is_relative(path) && goes_up(path)) return high("fs_write_rel:" + full);
  switch (paths.class_of(full)) {
    case PathClass::Denied: return high("fs_write_deny:" + full);
    case PathClass::Protected: return high("fs_write:" + full);
    case PathClass::Allowed:
    case PathClass::Other: break;
  }
  return std::nullopt;
}

std::optional<RiskAssessment> file_risk(std::string_view tool, const json::object& args, const SafetyRules& rules) {
  const auto is_tool = [&](const FileTool& row) { return row.tool == tool; };
  const auto known = std::find_if(kFileTools.begin(), kFileTools.end(), is_tool);
  if (known == kFileTools.end()) return std::nullopt;
  const PathRules paths(rules);
  for (const std::string_view name : known->targets) {
    const json::value* const target = name.empty() ? nullptr : args.if_contains(name);
    if (target == nullptr || !target->is_string()) continue;
    if (auto risk = path_risk(std::string_view(target->get_string()), paths)) return risk;
  }
  return RiskAssessment{};
}

constexpr std::array<std::string_view, 14> kDestructive = {"del", "erase", "rd", "rmdir", "rm", "remove-item", "move",
                                                           "mv", "ren", "rename", "unlink", "shred", "truncate", "dd"};
constexpr std::array<std::string_view, 6> kPermission = {"chmod", "chown", "chgrp", "icacls", "takeown", "setfacl"};
// Words before a command that another command is behind.
constexpr std::array<std::string_view, 9> kPrefixes = {"sudo", "doas",    "env",  "nohup", "nice",
                                                       "time", "command", "exec", "xargs"};
// Commands that run text which nobody looks at here.
constexpr std::array<std::string_view, 7> kInterpreters = {"sh", "bash", "zsh", "dash", "eval", "find", "python"};

std::string command_name(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return lowercase(slash == std::string_view::npos ? word : word.substr(slash + 1));
}

// Judges one line of a shell.
class CommandRisk {
 public:
  CommandRisk(std::string_view line, const PathRules& paths) : line_(line), paths_(paths) {}

  RiskAssessment assess() {
    for (const SimpleCommand& command : simple_commands(line_)) look_at(command);
    const std::string shown(line_.substr(0, kSignatureBytes));
    if (changes_permissions_) return high("shell_permission:" + shown);
    if (!denied_.empty()) return high("shell_deny:" + denied_);
    if (has_unknown_) return high("shell_unknown:" + shown);
    if (!protected_.empty()) return high("shell_destructive:" + protected_);
    return {};
  }

 private:
  void look_at(const SimpleCommand& command) {
    for (const ShellWord& file : command.written_files) {
      if (file.text != "/dev/null") look_at_target(file);
    }
    std::size_t first = 0;
    while (first < command.words.size() && is_before_command(command.words[first].text)) ++first;
    if (first == command.words.size()) return;
    const std::string name = command_name(command.words[first].text);
    if (is_one_of(name, kPermission)) changes_permissions_ = true;
    if (is_one_of(name, kInterpreters)) look_at_hidden(command, first);
    if (!is_one_of(name, kDestructive)) return;
    bool has_target = false;
    for (std::size_t i = first + 1; i < command.words.size(); ++i) {
      const ShellWord& word = command.words[i];
      if (word.text.starts_with('-') && !word.is_unknown) continue;
      has_target = true;
      look_at_target(word);
    }
    if (!has_target) has_unknown_ = true;
  }

  static bool is_before_command(std::string_view word) {
    return is_one_of(command_name(word), kPrefixes) || word.starts_with('-') || word.find('=') != word.npos;
  }

  // A command that is an argument of another one: a destructive word in it counts, and its targets are unknown.
  void look_at_hidden(const SimpleCommand& command, std::size_t first) {
    for (std::size_t i = first + 1; i < command.words.size(); ++i) {
      for (const SimpleCommand& inner : simple_commands(command.words[i].text)) {
        for (const ShellWord& word : inner.words) {
          const std::string name = command_name(word.text);
          if (is_one_of(name, kDestructive) || name == "-delete") has_unknown_ = true;
          if (is_one_of(name, kPermission)) changes_permissions_ = true;
        }
        if (!inner.written_files.empty()) has_unknown_ = true;
      }
    }
  }

  void look_at_target(const ShellWord& target) {
    if (target.is_unknown || goes_up(target.text)) {
      has_unknown_ = true;
      return;
    }
    const std::string full = paths_.absolute(target.text);
    switch (paths_.class_of(full)) {
      case PathClass::Denied: denied_ = full; return;
      case PathClass::Allowed: return;
      case PathClass::Protected: protected_ = full; return;
      case PathClass::Other: break;
    }
    if (paths_.is_relative(target.text)) has_unknown_ = true;
  }

  std::string_view line_;
  const PathRules& paths_;
  std::string denied_, protected_;
  bool has_unknown_ = false, changes_permissions_ = false;
};

bool is_named(std::string_view tool, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [tool](std::string_view name) {
    return name.ends_with('*') ? tool.starts_with(name.substr(0, name.size() - 1)) : tool == name;
  });
}

RiskAssessment risk_of_call(std::string_view tool, const json::object& args, const SafetyRules& rules) {
  const auto& external = rules.external_tools;
  if (std::find(external.begin(), external.end(), tool) != external.end()) {
    return high("external_mcp:" + std::string(tool));
  }
  if (auto risk = file_risk(tool, args, rules)) return *risk;
  if (tool == "shell_execute") {
    const json::value* const command = args.if_contains("command");
    if (command == nullptr || !command->is_string()) return {};
    const PathRules paths(rules);
    return CommandRisk(std::string_view(command->get_string()), paths).assess();
  }
  if (tool == "git_push" || tool == "browser_upload") return high(std::string(tool));
  return {};
}

}  // namespace

std::vector<std::string> written_paths(std::string_view tool, const json::object& args) {
  const auto is_tool = [&](const FileTool& row) { return row.tool == tool; };
  const auto known = std::find_if(kFileTools.begin(), kFileTools.end(), is_tool);
  if (known == kFileTools.end() || tool.find("delete") != std::string_view::npos) return {};
  // A copy names its source "path" when it names its target "to".
  for (const std::string_view name : {"outputPath", "outputDir", "to", "destination", "path"}) {
    const bool is_target = std::find(known->targets.begin(), known->targets.end(), name) != known->targets.end();
    const json::value* const target = is_target ? args.if_contains(name) : nullptr;
    if (target != nullptr && target->is_string()) return {std::string(target->get_string())};
  }
  return {};
}

RiskAssessment assess_risk(std::string_view tool, const json::object& args, const SafetyRules& rules, Trust trust) {
  RiskAssessment risk = risk_of_call(tool, args, rules);
  if (risk.is_high || trust == Trust::Usual) return risk;
  if (!is_named(tool, rules.guarded_tools) || is_named(tool, rules.reading_tools)) return risk;
  return high("verification_failure_guard:" + std::string(tool));
}

}  // namespace ptcvm::chain
