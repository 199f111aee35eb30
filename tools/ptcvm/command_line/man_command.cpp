// ptcvm man: the pages of the manual, for `man -l -` or for a package.
#include <filesystem>
#include <iostream>

#include "tools/ptcvm/command_line/command_tree.h"
#include "tools/ptcvm/command_line/man_page.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {
namespace {

int write_all(const CLI::App& app, const std::filesystem::path& folder) {
  std::vector<const CLI::App*> commands = parts_of(app);
  commands.push_back(&app);
  std::error_code ignored;                      // writing says what is wrong with the folder
  std::filesystem::create_directories(folder, ignored);
  for (const CLI::App* command : commands) {
    std::string message;
    if (!write_file(folder / (man_page_name(app, *command) + ".1"), man_page(app, *command), message)) {
      complain(message);
      return kBadInput;
    }
  }
  return kSuccess;
}

int print_one(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : parts_of(app)) {
    if (command->get_name() != name) continue;
    std::cout << man_page(app, *command);
    return kSuccess;
  }
  complain("no command " + name);
  return kUsage;
}

}  // namespace

void add_man_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("man", "Print a page of the manual, in troff");
  auto name = std::make_shared<std::string>(), folder = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "What the page is about (default: ptcvm itself)");
  command->add_option("--into", *folder, "Write all pages to this folder instead")
      ->type_name("FOLDER");
  command->footer("Examples:\n  ptcvm man run | man -l -\n  ptcvm man --into ~/.local/share/man/man1");
  command->callback([&app, name, folder, &status] {
    if (!folder->empty()) {
      status = write_all(app, *folder);
    } else if (!name->empty()) {
      status = print_one(app, *name);
    } else {
      std::cout << man_page(app, app);
      status = kSuccess;
    }
  });
}

}  // namespace ptcvm::cli
