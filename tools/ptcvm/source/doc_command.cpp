// ptcvm doc, apropos and explain.
#include <iostream>

#include "ptcvm/reference.hpp"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"

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

int explain(const std::vector<std::string>& names) {
  if (names.empty()) std::cout << explanation_index_text();
  int status = kSuccess;
  for (const std::string& name : names) {
    const std::string text = explanation_text(name);
    if (text.empty()) {
      complain(unknown_error_text(name));
      status = kProgramFailed;
      continue;
    }
    if (&name != &names.front()) std::cout << '\n';
    std::cout << text;
  }
  return status;
}

}  // namespace

void add_doc_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("doc", "Explain a function, special form, namespace or piece of syntax");
  command->prefix_command();      // takes every argument as it is: names look like options (->) and like lists ([ ])
  command->footer("Usage: ptcvm doc [NAME...]\n\nWithout a name it lists all names.\n\n"
                  "Examples:\n  ptcvm doc group-by\n  ptcvm doc clojure.string/join\n  ptcvm doc '#()' '->>'");
  command->callback([command, &status] {
    std::vector<std::string> names = command->remaining();
    std::erase(names, "--");
    if (names.empty()) std::cout << doc_index_text();
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

void add_explain_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("explain", "Explain an error, with an example and its cure");
  auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("NAME", *names, "Names in front of messages; without one, all are listed");
  command->footer("Examples:\n  ptcvm explain type_error\n  ptcvm explain snapshot_refused store_full");
  command->callback([names, &status] { status = explain(*names); });
}

}  // namespace ptcvm::cli
