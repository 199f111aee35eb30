// The table of options (options.def) and what is made from it: checks of values, needs and excludes of the parser,
// which --help and the man pages show.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <span>
#include <string_view>

namespace ptcvm::cli {

enum class OptionValueKind : std::uint8_t { Flag, Some, Any, Whole };

struct OptionValue {
  OptionValueKind kind{};
  std::uint64_t least = 0, most = 0;          // for Whole
};

// One row: an option or argument, in all of the commands that have it alike. Lists have commas between.
struct OptionRow {
  std::string_view commands, name;
  OptionValue value;
  std::string_view example, needs, excludes;
};

// The option needs one of the others; with a value: the only other one, with that value.
struct OptionCondition {
  std::string_view commands, name, others, value;
};

std::span<const OptionRow> option_rows();
std::span<const OptionCondition> option_conditions();

// Calls visit(text) for each element of a list of the table.
template <class Visit>
void for_each_listed(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    visit(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : list.find_first_not_of(", ", comma));
  }
}

// Gives each option below the application what its row says. With `only`, the rows of that command and of its parts
// count, otherwise the rows of all commands; the commands must be there.
void apply_option_table(CLI::App& app, std::string_view only = "");

// Returns "", or why the arguments of the process are refused before they are parsed: an option is given as "--name=",
// and the parser would take the next argument for the value.
std::string empty_value_in(std::span<char* const> arguments);

}  // namespace ptcvm::cli
