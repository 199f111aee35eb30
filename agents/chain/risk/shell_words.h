// Takes the line of a shell apart, as far as the risk rules need it: simple commands, their words, and the files behind
// redirections. What the shell would compute (variables, patterns, braces, substitutions) is marked as unknown, not
// computed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::chain {

struct ShellWord {
  std::string text;          // without quotes
  bool is_unknown = false;   // the shell would replace a part of it
  std::string known = {};    // unknown: the text before the first such part
};

struct SimpleCommand {
  std::vector<ShellWord> words;
  std::vector<ShellWord> written_files;   // behind > and >>
};

// Returns the simple commands of the line: those between ; & && | || and line ends, also inside of ( ), { }, $( ) and
// backticks. A command that is nested too deep to be looked at has an unknown name.
std::vector<SimpleCommand> simple_commands(std::string_view line);

}  // namespace ptcvm::chain
