#include "agents/chain/risk/command_risk.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/chain/risk/path_rules.h"
#include "agents/chain/risk/shell_words.h"
#include "agents/chain/text/ascii_text.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::size_t kSignatureBytes = 80;   // the part of a command that is shown

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::ranges::find(words, word) != words.end();
}

RiskAssessment high_command(std::string signature) { return {true, std::move(signature), true}; }

constexpr std::array<std::string_view, 14> kDestructive = {"del", "erase", "rd", "rmdir", "rm", "remove-item", "move",
                                                           "mv", "ren", "rename", "unlink", "shred", "truncate", "dd"};
constexpr std::array<std::string_view, 6> kPermission = {"chmod", "chown", "chgrp", "icacls", "takeown", "setfacl"};
// Words before a command that another command is behind, and their options that have a value.
struct Prefix {
  std::string_view name, valued;
};
constexpr auto kPrefixes = std::to_array<Prefix>(
    {{"sudo", "ugUhpCrtT"}, {"doas", "uC"}, {"env", "uCS"}, {"nohup", ""}, {"nice", "n"}, {"time", "fo"},
     {"command", ""}, {"exec", "a"}, {"xargs", "IPLdnEsa"}});
// Commands that run text or other commands which nobody looks at here.
constexpr auto kInterpreters = std::to_array<std::string_view>(
    {"sh", "bash", "zsh", "dash", "eval", "find", "timeout", "busybox", "setsid", "ionice", "stdbuf", "chroot", "flock",
     "watch", "parallel", "ssh"});
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
// Readers that write the file which their option -o names.
constexpr std::array<std::string_view, 4> kReadersWithOutput = {"sort", "tree", "less", "more"};
// What find does besides looking. What it executes counts by its name.
constexpr std::array<std::string_view, 7> kFindWrites = {"-delete", "-fprint", "-fprint0", "-fprintf",
                                                         "-fls",    "-ok",     "-okdir"};
// What git removes or moves.
constexpr std::array<std::string_view, 3> kGitDestructive = {"clean", "rm", "mv"};

// Returns the paths in a word: the word itself, and those behind an option ("-o/u/a", "--output=/u/a"), in a text
// ("w /u/a") or in a list ("/u/a:/b").
std::vector<std::string_view> paths_in(std::string_view word, bool is_script) {
  constexpr std::string_view kBefore = " \t='\",:(;<>", kBehind = " \t'\",:;)<>";
  std::vector<std::string_view> paths;
  if (!word.starts_with('-')) paths.push_back(word);
  bool is_option = word.starts_with('-');
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (word[i] != '/' && word[i] != '~') continue;
    const char before = word[i - 1];
    const bool is_address = before == ':' && word.substr(i).starts_with("//");
    const bool is_written = is_script && (before == 'w' || before == 'W');
    const bool begins = is_option || is_written || kBefore.find(before) != kBefore.npos;
    if (begins && !is_address) paths.push_back(word.substr(i, word.find_first_of(kBehind, i) - i));
    is_option = false;
  }
  return paths;
}

std::string command_name(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return lowercase(slash == std::string_view::npos ? word : word.substr(slash + 1));
}

// Judges one line of a shell.
class CommandRisk {
 public:
  // `folder` is where the line is executed; "": in the working folder.
  CommandRisk(std::string_view line, std::string folder, const PathRules& paths)
      : line_(line), paths_(paths), folder_(std::move(folder)) {}

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
    const std::size_t first = begin_of(command);
    if (first == command.words.size()) return;
    const std::string name = command_name(command.words[first].text);
    if (command.words[first].is_unknown) has_unknown_ = true;
    if (name == "cd" || name == "pushd") return enter(command, first);
    if (is_one_of(name, kPermission)) changes_permissions_ = true;
    if (is_one_of(name, kInterpreters)) look_at_hidden(command, first);
    if (is_one_of(name, kLanguages) && has_program(command, first)) has_unknown_ = true;
    if (!only_reads(name, command)) {
      look_for_guarded_paths(command, first, name);
      if (name == "find") look_at_searched_folders(command, first);
    }
    if (is_destructive(name, command, first)) look_at_targets(command, first);
  }

  // Returns the number of the word that names the command.
  static std::size_t begin_of(const SimpleCommand& command) {
    const std::vector<ShellWord>& words = command.words;
    std::string_view valued;
    std::size_t at = 0;
    for (; at < words.size(); ++at) {
      const std::string_view word = words[at].text;
      const auto is_it = [name = command_name(word)](const Prefix& prefix) { return prefix.name == name; };
      const auto prefix = std::ranges::find_if(kPrefixes, is_it);
      if (prefix != kPrefixes.end()) {
        valued = prefix->valued;
      } else if (word.starts_with('-')) {
        if (word.size() == 2 && valued.find(word[1]) != valued.npos) ++at;
      } else if (word.find('=') == word.npos) {
        break;
      }
    }
    return std::min(at, words.size());
  }

  static bool only_reads(std::string_view name, const SimpleCommand& command) {
    if (name == "find") return only_searches(command);
    if (!is_one_of(name, kReadersWithOutput)) return is_one_of(name, kReaders);
    const auto writes = [](const ShellWord& word) {
      const std::string_view text = word.text;
      return text.starts_with("-o") || text.starts_with("-O") || text.starts_with("--o") || text.starts_with("--log");
    };
    return std::ranges::none_of(command.words, writes);
  }

  static bool only_searches(const SimpleCommand& command) {
    for (std::size_t i = 0; i < command.words.size(); ++i) {
      const std::string_view word = command.words[i].text;
      if (is_one_of(word, kFindWrites)) return false;
      if (word != "-exec" && word != "-execdir") continue;
      if (i + 1 == command.words.size() || !is_one_of(command_name(command.words[i + 1].text), kReaders)) return false;
    }
    return true;
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

  void look_for_guarded_paths(const SimpleCommand& command, std::size_t first, std::string_view name) {
    const bool is_copier = is_one_of(name, kCopiers);
    for (std::size_t i = first + 1; i < command.words.size(); ++i) {
      const ShellWord& word = command.words[i];
      if (is_copier && !word.text.starts_with('-') && i + 1 != command.words.size()) continue;
      if (word.is_unknown && !paths_.is_relative(word.known) && paths_.may_reach_guarded(word.known)) {
        has_unknown_ = true;
      }
      for (const std::string_view path : paths_in(word.text, name == "sed")) {
        const std::string full = place_of(path);
        const PathClass kind = paths_.class_of(full);
        if (kind == PathClass::Denied) denied_ = full;
        const bool is_own = paths_.is_relative(path) && folder_.empty();   // the working folder may be guarded
        if (kind == PathClass::Protected && !is_own) protected_ = full;
      }
    }
  }

  // Where find begins: what it executes may change everything below.
  void look_at_searched_folders(const SimpleCommand& command, std::size_t first) {
    for (std::size_t i = first + 1; i < command.words.size(); ++i) {
      const std::string_view word = command.words[i].text;
      if (word.starts_with('-') || word == "!") return;
      const std::string full = place_of(word);
      const bool is_allowed = paths_.class_of(full) == PathClass::Allowed;
      if (paths_.holds_denied(full)) denied_ = full;
      if (!is_allowed && paths_.holds_guarded(full)) protected_ = full;
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
      case PathClass::Allowed:
        if (paths_.holds_denied(full)) denied_ = full;
        return;
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

// Members of arguments, by what they have.
constexpr std::array<std::string_view, 5> kLineMembers = {"command", "cmd", "command_line", "commandLine", "script"};
constexpr std::array<std::string_view, 3> kWordMembers = {"args", "arguments", "argv"};
constexpr std::array<std::string_view, 6> kFolderMembers = {"cwd", "workdir", "workingDirectory", "working_directory",
                                                      "directory", "folder"};

template <std::size_t n>
const json::value* first_of(const json::object& args, const std::array<std::string_view, n>& names) {
  for (const std::string_view name : names) {
    if (const json::value* const found = args.if_contains(name)) return found;
  }
  return nullptr;
}

// Adds words that are arguments of the command. Returns false when they are no texts.
bool add_words(const json::value& words, std::string& line) {
  if (words.is_string()) line.append(1, ' ').append(std::string_view(words.get_string()));
  if (!words.is_array()) return words.is_string();
  for (const json::value& word : words.get_array()) {
    if (!word.is_string()) return false;
    line += " '";
    for (const char c : word.get_string()) {
      if (c == '\'') line += "'\\'";
      line += c;
    }
    line += '\'';
  }
  return true;
}

}  // namespace

RiskAssessment command_risk(const json::object& args, const SafetyRules& rules) {
  if (args.empty()) return {};
  const json::value* const command = first_of(args, kLineMembers);
  const json::value& told = command == nullptr ? json::value(args) : *command;
  const auto unknown = [&told] {
    return high_command("shell_unknown:" + json::serialize(told).substr(0, kSignatureBytes));
  };
  if (!told.is_string()) return unknown();
  std::string line(told.get_string());
  const json::value* const words = first_of(args, kWordMembers);
  if (words != nullptr && !add_words(*words, line)) return unknown();
  const PathRules paths(rules);
  const json::value* const folder = first_of(args, kFolderMembers);
  if (folder != nullptr && !folder->is_string()) return unknown();
  return CommandRisk(line, folder == nullptr ? "" : paths.absolute(folder->get_string()), paths).assess();
}

}  // namespace ptcvm::chain
