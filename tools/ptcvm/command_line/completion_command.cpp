// ptcvm completion: shell scripts made from the tree of commands and options, so that they cannot go stale.
#include <algorithm>
#include <iostream>

#include "tools/ptcvm/command_line/command_tree.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {
namespace {

// Returns the options of the command and of its parts, each once.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  const auto add = [&names](std::vector<std::string> more) {
    for (std::string& name : more) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  };
  for (const CLI::Option* option : options_of(command)) add(names_of(*option));
  for (const CLI::App* part : parts_of(command)) add(option_names(*part));
  return names;
}

std::vector<std::string> part_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* part : parts_of(command)) names.push_back(part->get_name());
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string bash_script(const CLI::App& app) {
  std::vector<std::string> commands;
  std::string cases;
  for (const CLI::App* command : parts_of(app)) {
    commands.push_back(command->get_name());
    cases += "    " + command->get_name() + ") words=\"" + joined(option_names(*command)) + "\"";
    const std::string parts = joined(part_names(*command));
    cases += parts.empty() ? " ;;\n" : " parts=\"" + parts + "\" ;;\n";
  }
  return "_ptcvm() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" words=\"\" parts=\"\"\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W \"" + joined(commands) + " --help --version\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"${COMP_WORDS[1]}\" in\n" + cases +
         "  esac\n"
         "  if [ \"$COMP_CWORD\" -eq 2 ] && [ -n \"$parts\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$parts --help\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"$current\" in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _ptcvm ptcvm\n";
}

std::string quoted_for_zsh(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == ':' || c == '[' || c == ']') {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh_script(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : parts_of(app)) {
    commands += "    '" + command->get_name() + ":" + quoted_for_zsh(command->get_description()) + "'\n";
    cases += "    " + command->get_name() + ") _arguments";
    for (const std::string& option : option_names(*command)) cases += " '" + option + "'";
    const std::string parts = joined(part_names(*command));
    if (!parts.empty()) cases += " '1:command:(" + parts + ")'";
    cases += " '*:file:_files' ;;\n";
  }
  return "#compdef ptcvm\n"
         "_ptcvm() {\n"
         "  local -a commands=(\n" + commands +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe 'command' commands\n"
         "    return\n"
         "  fi\n"
         "  local command=\"${words[2]}\"\n"
         "  shift words; (( CURRENT-- ))\n"
         "  case \"$command\" in\n" + cases +
         "  esac\n"
         "}\n"
         // In a file of $fpath the first call is what loads it.
         "if [ \"$funcstack[1]\" = _ptcvm ]; then _ptcvm \"$@\"; else compdef _ptcvm ptcvm; fi\n";
}

std::string quoted_for_fish(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// One line an option: fish shows the description beside the name.
void add_fish_options(const CLI::App& command, const std::string& condition, std::string& script) {
  for (const CLI::Option* option : options_of(command)) {
    script += "complete -c ptcvm -n " + quoted_for_fish(condition);
    for (const std::string& name : option->get_lnames()) script += " -l " + name;
    for (const std::string& name : option->get_snames()) script += " -s " + name;
    if (option->get_type_size() != 0) script += " -r";
    script += " -d " + quoted_for_fish(option->get_description()) + "\n";
  }
}

void add_fish_parts(const CLI::App& command, const std::string& condition, std::string& script) {
  for (const CLI::App* part : parts_of(command)) {
    script += "complete -c ptcvm -n " + quoted_for_fish(condition) + " -f -a " + part->get_name() + " -d " +
              quoted_for_fish(part->get_description()) + "\n";
  }
}

std::string fish_script(const CLI::App& app) {
  std::string script;
  add_fish_parts(app, "__fish_use_subcommand", script);
  add_fish_options(app, "__fish_use_subcommand", script);
  for (const CLI::App* command : parts_of(app)) {
    const std::string seen = "__fish_seen_subcommand_from " + command->get_name();
    const std::string parts = joined(part_names(*command));
    if (parts.empty()) {
      add_fish_options(*command, seen, script);
      continue;
    }
    add_fish_parts(*command, seen + "; and not __fish_seen_subcommand_from " + parts, script);
    for (const CLI::App* part : parts_of(*command)) {
      add_fish_options(*part, seen + "; and __fish_seen_subcommand_from " + part->get_name(), script);
    }
  }
  return script;
}

}  // namespace

void add_completion_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n  source <(ptcvm completion bash)\n  ptcvm completion zsh > ~/.zfunc/_ptcvm\n"
      "  ptcvm completion fish > ~/.config/fish/completions/ptcvm.fish");
  command->callback([&app, shell, &status] {
    const auto script = *shell == "bash" ? bash_script : *shell == "zsh" ? zsh_script : fish_script;
    std::cout << script(app);
    status = kSuccess;
  });
}

}  // namespace ptcvm::cli
