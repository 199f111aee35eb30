// ptcvm doc and apropos.
#include <iostream>

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/reference.h"
#include "tools/ptcvm/terminal.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kNameColumn = 24;

int show_doc(const std::vector<std::string>& names) {
  int status = kSuccess;
  bool first = true;
  for (const std::string& name : names) {
    const auto entries = find_reference(name);
    for (const ReferenceEntry& entry : entries) {
      if (!first) std::cout << '\n';
      first = false;
      std::cout << reference_text(entry);
    }
    if (!entries.empty()) continue;
    std::string message = "nothing is named " + name;
    const auto similar = similar_names(name);
    for (std::size_t i = 0; i < similar.size(); ++i)
      message += (i == 0 ? ". Did you mean: " : ", ") + std::string(similar[i]);
    complain(message);
    status = kProgramFailed;
  }
  return status;
}

int show_matches(const std::string& word) {
  const auto entries = search_reference(word);
  for (const ReferenceEntry& entry : entries) {
    std::string line(entry.name);
    line.resize(std::max(kNameColumn, line.size() + 1), ' ');
    std::cout << line << entry.doc << '\n';
  }
  if (!entries.empty()) return kSuccess;
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
