#include "tools/ptcvm/prompt/repl_words.h"

#include <algorithm>
#include <filesystem>

#include "ptcvm/reference.hpp"
#include "schema/closest_name.h"
#include "tools/ptcvm/source/source_tokens.h"

namespace ptcvm::cli {
namespace {

enum class ArgumentKind : std::uint8_t { Nothing, Name, File, Program, Operation };

struct CommandRow {
  ReplCommand id;
  std::string_view name, argument;
  ArgumentKind kind;
  std::string_view text;
};

constexpr CommandRow kReplCommands[] = {
#define REPL_COMMAND(id, name, argument, kind, text) {ReplCommand::id, name, argument, ArgumentKind::kind, text},
#include "tools/ptcvm/prompt/repl_commands.def"
#undef REPL_COMMAND
};

constexpr std::string_view kWordEnds = " \t\r\n";
constexpr std::string_view kBetweenWords = " \t\r\n,()[]{}\"';@^`";

void add_fitting(Completion& out, std::string_view typed, std::string_view before,
                 const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    std::string whole = std::string(before) + word;
    if (whole.starts_with(typed)) out.words.push_back(std::move(whole));
  }
}

// Some entries explain how names are built ("tool/NAME", "any other NS/NAME"): nobody types them so.
bool is_typed_so(std::string_view name) {
  return name.find(' ') == std::string_view::npos && !name.ends_with("/NAME") && name != "data/KEY" &&
         name != "ns/name";
}

void add_language(Completion& out, std::string_view typed, const ReplNames& names) {
  for (const ReferenceEntry& entry : search_reference(typed)) {
    if (entry.name.starts_with(typed) && is_typed_so(entry.name)) out.words.emplace_back(entry.name);
  }
  const std::size_t slash = typed.find('/');
  if (slash == 0 || slash == std::string_view::npos) return;
  const std::string_view space = typed.substr(0, slash + 1), begun = typed.substr(slash + 1);
  if (space == "data/" || space == "tool/") return;
  for (const ReferenceEntry& entry : search_reference(begun)) {
    const std::string qualified = std::string(space).append(entry.name);
    if (entry.name.starts_with(begun) && names.is_known(qualified)) out.words.push_back(qualified);
  }
}

void add_files(Completion& out, std::string_view typed) {
  const std::size_t slash = typed.rfind('/') + 1;   // npos + 1: the folder in which the prompt runs
  const std::string folder(typed.substr(0, slash));
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    const bool is_hidden = name.starts_with('.') && slash == typed.size();
    std::error_code unknown;
    if (!is_hidden) add_fitting(out, typed, folder, {name + (entry->is_directory(unknown) ? "/" : "")});
  }
}

void add_program_words(Completion& out, std::string_view line, const ReplNames& names) {
  const std::size_t begin = line.find_last_of(kBetweenWords) + 1;
  const std::string_view typed = line.substr(begin);
  out.typed_bytes = typed.size();
  if (typed.empty()) return;
  add_fitting(out, typed, "", names.defined);
  add_fitting(out, typed, "data/", names.data);
  add_fitting(out, typed, "tool/", names.tools);
  add_language(out, typed, names);
}

void add_argument(Completion& out, const CommandRow& row, std::string_view argument, const ReplNames& names) {
  out.typed_bytes = argument.size();
  switch (row.kind) {
    case ArgumentKind::Nothing:
      return;
    case ArgumentKind::Name:
      return add_language(out, argument, names);
    case ArgumentKind::File:
      return add_files(out, argument);
    case ArgumentKind::Program:
      return add_program_words(out, argument, names);
    case ArgumentKind::Operation:
      return add_fitting(out, argument, "", names.operations);
  }
}

}   // namespace

std::optional<ReplCommand> find_repl_command(std::string_view name) {
  if (name == "exit") return ReplCommand::Quit;
  for (const CommandRow& row : kReplCommands) {
    if (row.name == name) return row.id;
  }
  return std::nullopt;
}

std::string misused_repl_command(ReplCommand command, std::string_view argument) {
  for (const CommandRow& row : kReplCommands) {
    if (row.id != command) continue;
    const bool is_optional = row.argument.starts_with('[');
    const bool takes_one = !row.argument.empty();
    const std::string usage = ':' + std::string(row.name) + (takes_one ? " " : "") + std::string(row.argument);
    if (!takes_one && !argument.empty()) return usage + " takes nothing behind it";
    if (takes_one && !is_optional && argument.empty()) return "write " + usage + ": " + std::string(row.text);
  }
  return {};
}

std::string repl_help() {
  std::string out = "Type a program; it runs when its last form is closed. *1 *2 *3 are the last results.\n";
  for (const CommandRow& row : kReplCommands) {
    std::string left = "  :" + std::string(row.name) + (row.argument.empty() ? "" : " ") + std::string(row.argument);
    left.resize(std::max<std::size_t>(left.size() + 1, 20), ' ');
    out.append(left).append(row.text).append("\n");
  }
  return out + "Ctrl-C stops a running program, or forgets an unfinished one. Tab completes names and commands.\n";
}

std::string unknown_repl_command(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CommandRow& row : kReplCommands) names.push_back(row.name);
  const std::string_view near = ptc::closest_name(name, names);
  std::string out = "there is no command :" + std::string(name);
  if (!near.empty()) out.append(". Did you mean :").append(near).append("?");
  return out + (near.empty() ? ". " : " ") + ":help lists the commands; (do :" + std::string(name) +
         ") is the keyword as a program.";
}

Completion completion_of(std::string_view line, bool begins_program, const ReplNames& names) {
  Completion out;
  if (begins_program && line.starts_with(':')) {
    const std::size_t blank = line.find_first_of(kWordEnds);
    if (blank == line.npos) {
      out.typed_bytes = line.size();
      for (const CommandRow& row : kReplCommands) add_fitting(out, line, ":", {std::string(row.name)});
    } else {
      const std::size_t begin = std::min(line.find_first_not_of(kWordEnds, blank), line.size());
      for (const CommandRow& row : kReplCommands) {
        if (row.name == line.substr(1, blank - 1)) add_argument(out, row, line.substr(begin), names);
      }
    }
  } else {
    add_program_words(out, line, names);
  }
  std::ranges::sort(out.words);
  out.words.erase(std::unique(out.words.begin(), out.words.end()), out.words.end());
  return out;
}

std::vector<std::string> map_keys(std::string_view edn) {
  std::vector<std::string> keys;
  SourceTokens tokens(edn);
  std::size_t depth = 0, elements = 0;
  for (SourceToken token; tokens.next(token);) {
    if (depth == 1 && token.kind == SourceToken::Kind::Atom && token.text.starts_with('#') && token.text.size() > 1 &&
        token.text[1] >= 'a') {
      continue;   // a tag belongs to what follows
    }
    if (token.kind == SourceToken::Kind::Close) {
      if (depth > 0) --depth;
      continue;
    }
    if (depth == 1 && elements++ % 2 == 0 && token.text.size() > 1) {
      if (token.text.front() == ':') keys.emplace_back(token.text.substr(1));
      if (token.text.front() == '"') keys.emplace_back(token.text.substr(1, token.text.size() - 2));
    }
    if (token.kind == SourceToken::Kind::Open) ++depth;
  }
  return keys;
}

std::string stored_names_text(std::vector<std::string> names) {
  if (names.empty()) return "nothing is defined\n";
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  return text + "the store has the values: type a name to see one\n";
}

std::vector<std::string> names_defined_in(std::string_view source) {
  std::vector<std::string> names;
  SourceTokens tokens(source);
  std::string_view before;
  for (SourceToken token; tokens.next(token); before = token.text) {
    const bool is_named = token.kind == SourceToken::Kind::Atom;
    if (is_named && (before == "def" || before == "defn" || before == "defonce")) names.emplace_back(token.text);
  }
  return names;
}

}   // namespace ptcvm::cli
