#include "tools/ptcvm/command_line/option_table.h"

#include <array>
#include <charconv>
#include <string>

namespace ptcvm::cli {
namespace {

// The words of the column `value`.
constexpr OptionValue Flag{OptionValueKind::Flag}, Some{OptionValueKind::Some}, Any{OptionValueKind::Any};
constexpr OptionValue Whole(std::uint64_t least, std::uint64_t most) { return {OptionValueKind::Whole, least, most}; }

constexpr auto kOptionRows = std::to_array<OptionRow>({
#define OPTION(...) OptionRow{__VA_ARGS__},
#define NEEDS_ONE(...)
#define NEEDS_VALUE(...)
#include "tools/ptcvm/command_line/options.def"
#undef NEEDS_VALUE
#undef NEEDS_ONE
#undef OPTION
});

constexpr auto kOptionConditions = std::to_array<OptionCondition>({
#define OPTION(...)
#define NEEDS_ONE(commands, name, others) {commands, name, others, ""},
#define NEEDS_VALUE(commands, name, other, value) {commands, name, other, value},
#include "tools/ptcvm/command_line/options.def"
#undef NEEDS_VALUE
#undef NEEDS_ONE
#undef OPTION
});

// Returns the command of that name below the application; names of commands below commands have a space between.
CLI::App* command_of(CLI::App& app, std::string_view name) {
  const std::size_t space = name.find(' ');
  CLI::App* const command = app.get_subcommand(std::string(name.substr(0, space)));
  return space == std::string_view::npos ? command : command_of(*command, name.substr(space + 1));
}

std::string whole_number_problem(const OptionRow& row, std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = !text.empty() && error == std::errc() && stop == text.data() + text.size();
  if (is_whole && number >= row.value.least && number <= row.value.most) return "";
  return "must be a whole number from " + std::to_string(row.value.least) + " to " + std::to_string(row.value.most) +
         "; found " + (text.empty() ? "nothing" : std::string(text));
}

std::string value_problem(const OptionRow& row, std::string_view text) {
  switch (row.value.kind) {
    case OptionValueKind::Flag:
    case OptionValueKind::Any: return "";
    case OptionValueKind::Some: return text.empty() ? "must not be empty: give a value, or leave it out" : "";
    case OptionValueKind::Whole: return whole_number_problem(row, text);
  }
  return "";
}

void apply(CLI::App& command, const OptionRow& row) {
  CLI::Option& option = *command.get_option(std::string(row.name));
  if (row.value.kind == OptionValueKind::Some || row.value.kind == OptionValueKind::Whole) {
    const auto problem = [&row](const std::string& text) { return value_problem(row, text); };
    option.check(CLI::Validator(problem, ""));
  }
  for_each_listed(row.needs, [&](std::string_view other) { option.needs(command.get_option(std::string(other))); });
  for_each_listed(row.excludes, [&](std::string_view other) {
    if (CLI::Option* const found = command.get_option_no_throw(std::string(other))) option.excludes(found);
  });
}

// Returns "--snapshot or --store", or "--durability group".
std::string wanted_by(const OptionCondition& condition) {
  std::string wanted;
  for_each_listed(condition.others, [&](std::string_view name) {
    wanted.append(wanted.empty() ? "" : " or ").append(name);
    if (!condition.value.empty()) wanted.append(" ").append(condition.value);
  });
  return wanted;
}

// The parser has read all options of the command when it looks at their values. An option that an environment variable
// gives has a value in the commands beside it, too.
std::string condition_problem(const CLI::App& command, const OptionCondition& condition) {
  bool is_met = !command.parsed();
  for_each_listed(condition.others, [&](std::string_view name) {
    const CLI::Option& other = *command.get_option(std::string(name));
    const bool has_value = condition.value.empty() || (other.count() > 0 && other.results().back() == condition.value);
    is_met = is_met || (other.count() > 0 && has_value);
  });
  return is_met ? "" : "has no effect without " + wanted_by(condition) + ": give both, or leave it out";
}

void apply(CLI::App& command, const OptionCondition& condition) {
  CLI::Option& option = *command.get_option(std::string(condition.name));
  const auto problem = [&command, &condition](const std::string&) { return condition_problem(command, condition); };
  option.check(CLI::Validator(problem, ""));
  option.description(option.get_description() + "; only with " + wanted_by(condition));   // the parser shows the rows
}

}  // namespace

std::span<const OptionRow> option_rows() { return kOptionRows; }
std::span<const OptionCondition> option_conditions() { return kOptionConditions; }

void apply_option_table(CLI::App& app, std::string_view only) {
  const auto apply_all = [&app, only](const auto& rows) {
    for (const auto& row : rows) {
      for_each_listed(row.commands, [&](std::string_view name) {
        if (only.empty() || name.substr(0, name.find(' ')) == only) apply(*command_of(app, name), row);
      });
    }
  };
  apply_all(option_rows());
  apply_all(option_conditions());
}

std::string empty_value_in(std::span<char* const> arguments) {
  for (const std::string_view argument : arguments.subspan(arguments.empty() ? 0 : 1)) {
    if (argument == "--") break;
    if (!argument.starts_with("--") || !argument.ends_with('=')) continue;
    const std::string_view name = argument.substr(0, argument.size() - 1);
    if (name.find_first_not_of("-abcdefghijklmnopqrstuvwxyz") == std::string_view::npos) {
      return std::string(name) + ": must not be empty: give a value, or leave it out";
    }
  }
  return "";
}

}  // namespace ptcvm::cli
