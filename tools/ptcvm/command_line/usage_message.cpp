#include "tools/ptcvm/command_line/usage_message.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "schema/closest_name.h"
#include "tools/ptcvm/command_line/command_tree.h"
#include "tools/ptcvm/command_line/run_name.h"

namespace ptcvm::cli {
namespace {

// The command that was parsed last: the one that the rest of the arguments belongs to.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  for (auto parsed = app.get_subcommands(); !parsed.empty(); parsed = command->get_subcommands()) {
    command = parsed.back();
  }
  return *command;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

// Returns whether the shorter name is the longer one without one letter; short names have no other likeness.
bool lacks_one_letter(std::string_view shorter, std::string_view longer) {
  if (shorter.size() > longer.size()) std::swap(shorter, longer);
  if (longer.size() != shorter.size() + 1) return false;
  const auto [in_shorter, in_longer] = std::ranges::mismatch(shorter, longer);
  return std::string_view(in_shorter, shorter.end()) == std::string_view(in_longer + 1, longer.end());
}

// Returns whether two names of three letters or more have one letter that is another.
bool has_another_letter(std::string_view one, std::string_view other) {
  if (one.size() != other.size() || one.size() < 3) return false;
  const auto [in_one, in_other] = std::ranges::mismatch(one, other);
  return in_one != one.end() && std::string_view(in_one + 1, one.end()) == std::string_view(in_other + 1, other.end());
}

std::string meant(const std::string& words) { return ". Did you mean: " + words + '?'; }

// Returns ". Did you mean: name?", or "" when no name is near. Names are compared without their dashes.
std::string nearest(const std::string& given, const std::vector<std::string>& known) {
  const auto bare = [](std::string_view name) {
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
  };
  std::vector<std::string_view> names;
  for (const std::string& name : known) {
    if (bare(name).size() > 1) names.push_back(bare(name));      // a letter is near to nothing
  }
  std::string_view closest = ptc::closest_name(bare(given), names);
  for (const std::string_view name : names) {
    const bool is_near = lacks_one_letter(bare(given), name) || has_another_letter(bare(given), name);
    if (closest.empty() && is_near) closest = name;
  }
  if (closest.empty()) return "";
  for (const std::string& name : known) {
    if (bare(name) == closest) return meant(name);
  }
  return "";
}

std::string unknown_option(const CLI::App& command, const std::string& given) {
  const std::string name = given.substr(0, given.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : options_of(command)) {
    const std::vector<std::string> names = names_of(*option);
    known.insert(known.end(), names.begin(), names.end());
  }
  return full_name(command) + " has no option " + name + nearest(name, known);
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

// Returns whether somebody left out the word `run`.
bool is_program(const CLI::App& app, const std::string& given) {
  std::error_code ignored;
  return app.get_parent() == nullptr && (given.ends_with(".ptc") || std::filesystem::is_regular_file(given, ignored));
}

std::string unknown_command(const CLI::App& app, const std::string& given) {
  const std::string text = full_name(app) + " has no command " + given;
  if (is_program(app, given)) return text + meant("run " + given);
  if (app.get_parent() == nullptr && given == "version") return text + meant("--version");
  const std::vector<std::string> known = names_of(parts_of(app));
  const std::string hint = nearest(given, known);
  if (!hint.empty()) return text + hint;
  std::string names;
  for (const std::string& name : known) names.append(names.empty() ? "" : ", ").append(name);
  return text + ". Commands: " + names;
}

// Why a command line is refused, and the name of the error.
struct Refusal {
  std::string why;
  std::string_view name;
};

// Returns what is wrong with the arguments that the parser left over, or nullopt when it left none.
std::optional<Refusal> about_rest(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  const std::vector<std::string> rest = app.remaining(true);
  for (const std::string& argument : rest) {
    const bool is_option = argument.size() > 1 && argument.starts_with('-');
    if (is_option) return Refusal{unknown_option(command, argument), "unknown_option"};
  }
  if (rest.empty()) return std::nullopt;
  if (rest.front() == "help") {
    return Refusal{full_name(app) + " has no command help" + meant(full_name(command) + " --help"), "unknown_command"};
  }
  if (command.get_require_subcommand_min() > 0) {
    return Refusal{unknown_command(command, rest.front()), "unknown_command"};
  }
  return Refusal{full_name(command) + " takes no further argument: " + rest.front() +
                     nearest(rest.front(), names_of(parts_of(command))),
                 "surplus_argument"};
}

// Returns what is said when an argument is missing of a command that is about a run, or "".
std::string about_run(const CLI::App& app, const CLI::Error& error) {
  const CLI::App& command = innermost(app);
  const CLI::Option* const run = run_argument(command);
  const std::vector<const CLI::Option*> arguments = positionals_of(command);
  const std::string_view why = error.what();
  const auto missing = std::ranges::find_if(arguments, [why](const CLI::Option* argument) {
    const bool is_first = why.starts_with(argument->get_name() + " ") || why.starts_with(argument->get_name() + ",");
    return is_first && why.ends_with(" is required");
  });
  if (run == nullptr || missing == arguments.end()) return "";
  if (*missing != run) {
    std::string names;
    for (const CLI::Option* argument : arguments) names += " " + argument->get_name();
    return std::string(why) + ": the arguments are" + names + ", and --id ID may stand for the first";
  }
  const CLI::Option* const store = command.get_option_no_throw("--store");
  const std::string spellings = "name as the argument ID, or with --id ID";
  if (run->get_name() == "SNAPSHOT" && (store == nullptr || store->empty())) {
    return "which snapshot? Give its file. Or which run of a store? Give --store FILE, and the " + spellings;
  }
  return "which " + named_thing(command) + "? Give its " + spellings;
}

// Writes "edn->0,json->1" or "{text,json}" as "edn or json".
std::string choices_text(std::string_view listed) {
  std::vector<std::string> words;
  listed = listed.substr(std::min(listed.find_first_not_of('{'), listed.size()));
  for (listed = listed.substr(0, listed.find('}')); !listed.empty();) {
    const std::string_view entry = listed.substr(0, listed.find(','));
    words.emplace_back(entry.substr(0, entry.find("->")));
    listed.remove_prefix(std::min(entry.size() + 1, listed.size()));
  }
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == words.size() ? " or " : ", ") + words[k];
  }
  return text;
}

// Says in words what the parser says of a value that its list lacks, or that is missing.
std::string in_words(const std::string& why) {
  constexpr std::string_view kCheck = ": Check ", kValueIn = " value in ", kNotIn = " not in {", kMissing = " missing";
  const std::size_t check = why.find(kCheck), value_in = why.find(kValueIn), not_in = why.find(kNotIn);
  const std::size_t colon = why.find(": ");
  if (check != std::string::npos && value_in != std::string::npos) {
    const std::size_t value = check + kCheck.size();
    return why.substr(0, check) + ": must be " + choices_text(why.substr(value_in + kValueIn.size())) + "; found " +
           why.substr(value, value_in - value);
  }
  if (not_in != std::string::npos && colon < not_in) {
    return why.substr(0, colon) + ": must be " + choices_text(why.substr(not_in + kNotIn.size())) + "; found " +
           why.substr(colon + 2, not_in - colon - 2);
  }
  const std::size_t required = why.find(" required ");
  if (required != std::string::npos && colon < required && why.ends_with(kMissing)) {
    const std::size_t type = required + std::string_view(" required ").size();
    return why.substr(0, colon) + ": a value is missing; write " + why.substr(0, colon) + ' ' +
           why.substr(type, why.size() - kMissing.size() - type);
  }
  return why;
}

// Returns what the parser says of options, of their values, and of what is missing.
Refusal about_parts(const CLI::App& app, const CLI::Error& error) {
  const std::string why = in_words(error.what()), name = error.get_name();
  if (name == "ExcludesError") return {why + ": leave one of them out", kOptionsExclude};
  if (name == "RequiresError") return {why + ": give both, or leave the first one out", "option_needs"};
  if (why.find(" has no effect without ") != std::string::npos) return {why, "option_needs"};
  if (name == "RequiredError") {
    const std::string run = about_run(app, error);
    return {run.empty() ? why : run, "missing_argument"};
  }
  return {why, name == "ArgumentMismatch" ? "missing_argument" : kWrongValue};
}

}  // namespace

std::string usage_message(const CLI::App* app, const CLI::Error& error) {
  // Arguments that are left over carry the name of their command instead of the name of the error.
  const bool is_about_rest = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
                             error.get_name() == "RequiredError";
  const auto rest = is_about_rest ? about_rest(*app) : std::nullopt;
  const Refusal refusal = rest ? *rest : about_parts(*app, error);
  return refusal_text(refusal.why, refusal.name);
}

std::string refusal_text(const std::string& why, std::string_view name) {
  return why + "\nRun with --help for more information; `ptcvm explain " + std::string(name) + "` has an example.\n";
}

}  // namespace ptcvm::cli
