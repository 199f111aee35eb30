// Command lines as inputs: words, standard input and two files. The command line runs in this process, in a scratch
// folder with files of each kind; it starts no process and opens no connection.
//
// The text of an input: a word in each line up to an empty line ("\x1f" is the empty word), then standard input, the
// file "a" and the file "b", with kNextPart between.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/random.h"

namespace ptc::fuzz {

struct CommandLineInput {
  static constexpr char kNextPart = '\x1e';
  static CommandLineInput read(std::string_view bytes);
  std::string text() const;

  std::vector<std::string> words;
  std::string standard_input, a, b;
};

// Makes the arguments of one command from the table of options: what the command needs, and some options more, most
// with the values that the table shows. The files of these values are in the scratch folder.
std::vector<std::string> command_words(test::Random& random);
// Changes words: another option, another value, a word less, one twice, another order.
void change_words(std::vector<std::string>& words, test::Random& random);

// Runs the command line. The exit status must be one of those that are documented, a usage error must change no file,
// and a refusal must say something.
void try_command_line(std::string_view bytes);

}  // namespace ptc::fuzz
