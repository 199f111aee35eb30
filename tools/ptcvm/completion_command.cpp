// ptcvm completion: shell scripts made from the tree of commands and options, so that they cannot go stale.
#include <algorithm>
#include <iostream>

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/terminal.h"

namespace ptcvm {
namespace {

std::vector<const CLI::App*> parts_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

// Of the command and of its parts, each once.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* part : parts_of(command)) {
    for (std::string& name : option_names(*part)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  }
  if (!names.empty()) return names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
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
         "compdef _ptcvm ptcvm\n";
}

}  // namespace

void add_completion_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  command->footer("Examples:\n  source <(ptcvm completion bash)\n  ptcvm completion zsh > ~/.zfunc/_ptcvm");
  command->callback([&app, shell, &status] {
    std::cout << (*shell == "bash" ? bash_script(app) : zsh_script(app));
    status = kSuccess;
  });
}

}  // namespace ptcvm
