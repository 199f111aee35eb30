// ptcvm doc and apropos.
#include <iostream>

#include "ptcvm/reference.hpp"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/terminal.h"

namespace ptcvm::cli {
namespace {

int show_doc(const std::vector<std::string>& names) {
  int status = kSuccess;
  bool first = true;
  for (const std::string& name : names) {
    const std::string text = doc_text(name);
    if (text.empty()) {
      complain(unknown_name_text(name));
      status = kProgramFailed;
      continue;
    }
    if (!first) std::cout << '\n';
    first = false;
    std::cout << text;
  }
  return status;
}

int show_matches(const std::string& word) {
  const std::string text = apropos_text(word);
  std::cout << text;
  if (!text.empty()) return kSuccess;
  complain("nothing mentions " + word);
  return kProgramFailed;
}

}  // namespace

void add_doc_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("doc", "Explain a function, special form, namespace or piece of syntax");
  command->prefix_command();      // takes every argument as it is: names look like options (->) and like lists ([ ])
  command->footer("Usage: ptcvm doc NAME...\n\n"
                  "Examples:\n  ptcvm doc group-by\n  ptcvm doc clojure.string/join\n  ptcvm doc '#()' '->>'");
  command->callback([command, &status] {
    std::vector<std::string> names = command->remaining();
    std::erase(names, "--");
    if (names.empty()) throw CLI::RequiredError("NAME");
    status = show_doc(names);
  });
}

void add_apropos_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("apropos", "List everything that mentions a word");
  auto word = std::make_shared<std::string>();
  command->add_option("WORD", *word, "Part of a name, a usage or a description")->required();
  command->footer("Examples:\n  ptcvm apropos split\n  ptcvm apropos date");
  command->callback([word, &status] { status = show_matches(*word); });
}

}  // namespace ptcvm::cli
