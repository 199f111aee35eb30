#include "agents/chain/risk.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
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
RiskAssessment high_command(std::string signature) { return {true, std::move(signature), true}; }

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
    if (target == nullptr) continue;
    if (!target->is_string()) return high("fs_write_unknown:" + json::serialize(*target).substr(0, kSignatureBytes));
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
constexpr std::array<std::string_view, 6> kInterpreters = {"sh", "bash", "zsh", "dash", "eval", "find"};
// Languages whose programs on the command line are not read here.
constexpr std::array<std::string_view, 8> kLanguages = {"python", "python2", "python3", "perl",
                                                        "ruby",   "node",    "php",     "awk"};
// Commands that write no file which they are given as an argument.
constexpr auto kReaders = std::to_array<std::string_view>(
    {"ls",   "cat",  "head", "tail",     "grep", "egrep",  "fgrep",     "rg",     "wc",    "stat",    "file",
     "du",   "df",   "echo", "printf",   "pwd",  "less",   "more",      "diff",   "cmp",   "test",    "[",   "find",
     "type", "date", "uname", "tree",    "cut",  "md5sum", "sha256sum", "cksum",  "which", "readlink", "realpath",
     "cd",   "true", "false", "basename", "dirname", "sleep", "jq",     "strings", "hexdump"});
// Commands that write their last argument only.
constexpr std::array<std::string_view, 4> kCopiers = {"cp", "ln", "install", "scp"};
// What git removes or moves.
constexpr std::array<std::string_view, 3> kGitDestructive = {"clean", "rm", "mv"};

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
    if (changes_permissions_) return high_command("shell_permission:" + shown);
    if (!denied_.empty()) return high_command("shell_deny:" + denied_);
    if (has_unknown_) return high_command("shell_unknown:" + shown);
    if (!protected_.empty()) return high_command("shell_destructive:" + protected_);
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
    if (command.words[first].is_unknown) has_unknown_ = true;
    if (name == "cd") return enter(command, first);
    if (is_one_of(name, kPermission)) changes_permissions_ = true;
    if (is_one_of(name, kInterpreters)) look_at_hidden(command, first);
    if (is_one_of(name, kLanguages) && has_program(command, first)) has_unknown_ = true;
    if (!only_reads(name, command)) look_for_guarded_paths(command, first, is_one_of(name, kCopiers));
    if (is_destructive(name, command, first)) look_at_targets(command, first);
  }

  static bool only_reads(std::string_view name, const SimpleCommand& command) {
    if (name != "sort") return is_one_of(name, kReaders);
    const auto writes = [](const ShellWord& word) {
      return word.text.starts_with("-o") || word.text.starts_with("--o");
    };
    return std::none_of(command.words.begin(), command.words.end(), writes);
  }

  // Returns what git is to do: the first word behind its options.
  static std::string_view git_verb(const SimpleCommand& command, std::size_t first) {
    for (std::size_t i = first + 1; i < command.words.size(); ++i) {
      const std::string_view word = command.words[i].text;
      if (!word.starts_with('-')) return word;
      if (word == "-C" || word == "-c") ++i;
    }
    return {};
  }

  static bool is_destructive(std::string_view name, const SimpleCommand& command, std::size_t first) {
    if (name == "git") return is_one_of(git_verb(command, first), kGitDestructive);
    if (name != "rsync") return is_one_of(name, kDestructive);
    const auto deletes = [](const ShellWord& word) { return word.text.starts_with("--del"); };
    return std::any_of(command.words.begin(), command.words.end(), deletes);
  }

  // Whether a program in another language is on the command line: -c, -e, -r, or the first word for awk.
  static bool has_program(const SimpleCommand& command, std::size_t first) {
    if (command_name(command.words[first].text) == "awk") return true;
    const auto is_program = [](const ShellWord& word) {
      const std::string_view text = word.text;
      return text.size() >= 2 && text[0] == '-' && text[1] != '-' && text.find_first_of("ceEr", 1) != text.npos;
    };
    return std::any_of(command.words.begin() + static_cast<std::ptrdiff_t>(first), command.words.end(), is_program);
  }

  // Relative paths of later commands begin at the new folder.
  void enter(const SimpleCommand& command, std::size_t first) {
    const ShellWord* const folder = first + 1 < command.words.size() ? &command.words[first + 1] : nullptr;
    if (folder == nullptr || folder->is_unknown || folder->text == "-") {
      is_lost_ = true;
      return;
    }
    folder_ = place_of(folder->text);
  }

  std::string place_of(std::string_view text) const {
    return paths_.absolute(folder_.empty() || !paths_.is_relative(text) ? std::string(text)
                                                                         : folder_ + '/' + std::string(text));
  }

  // A path may be behind an option: "-o/u/a", "--output=/u/a".
  void look_for_guarded_paths(const SimpleCommand& command, std::size_t first, bool is_copier) {
    for (std::size_t i = first + 1; i < command.words.size(); ++i) {
      std::string_view text = command.words[i].text;
      if (is_copier && !text.starts_with('-') && i + 1 != command.words.size()) continue;
      if (text.starts_with('-')) {
        const std::size_t begin = text.find_first_of("/~");
        text = begin == text.npos ? std::string_view() : text.substr(begin);
      }
      if (text.empty()) continue;
      const std::string full = place_of(text);
      const PathClass kind = paths_.class_of(full);
      if (kind == PathClass::Denied) denied_ = full;
      const bool is_own = paths_.is_relative(text) && folder_.empty();   // the working folder may be guarded
      if (kind == PathClass::Protected && !is_own) protected_ = full;
    }
  }

  void look_at_targets(const SimpleCommand& command, std::size_t first) {
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
    if (is_lost_ && paths_.is_relative(target.text)) has_unknown_ = true;
    const std::string full = place_of(target.text);
    switch (paths_.class_of(full)) {
      case PathClass::Denied: denied_ = full; return;
      case PathClass::Allowed: return;
      case PathClass::Protected: protected_ = full; return;
      case PathClass::Other: break;
    }
    if (paths_.holds_guarded(full)) protected_ = full;
    if (paths_.is_relative(target.text)) has_unknown_ = true;
  }

  std::string_view line_;
  const PathRules& paths_;
  std::string denied_, protected_;
  std::string folder_;                        // where a `cd` before went; empty: nowhere
  bool is_lost_ = false;                      // nobody knows where it went
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
    if (command == nullptr) return {};
    if (!command->is_string()) {
      return high_command("shell_unknown:" + json::serialize(*command).substr(0, kSignatureBytes));
    }
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
