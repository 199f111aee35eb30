#include "tools/ptcvm/command_line/command_tree.h"

namespace ptcvm::cli {
namespace {

std::vector<const CLI::Option*> all_options(const CLI::App& command, bool positional) {
  std::vector<const CLI::Option*> found;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() == positional) found.push_back(option);
  }
  for (const CLI::App* group : command.get_subcommands([](const CLI::App* sub) { return sub->get_name().empty(); })) {
    const auto inner = all_options(*group, positional);
    found.insert(found.end(), inner.begin(), inner.end());
  }
  return found;
}

}  // namespace

std::vector<const CLI::App*> parts_of(const CLI::App& command) {
  return command.get_subcommands(
      [](const CLI::App* sub) { return !sub->get_name().empty() && !sub->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) { return all_options(command, false); }

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) { return all_options(command, true); }

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

}  // namespace ptcvm::cli
