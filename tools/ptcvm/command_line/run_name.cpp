#include "tools/ptcvm/command_line/run_name.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "tools/ptcvm/command_line/command_tree.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kIdOption = "--id";

// What the words of a command are to the parser.
struct ReadWords {
  std::vector<std::size_t> arguments;               // the places of the arguments
  std::vector<const CLI::Option*> options;          // the options that are given
  std::vector<std::size_t> names;                   // the places of the option that names the run
  bool has_unknown = false;                         // an option that the command does not have: the parser says so
};

bool is_argument(const std::string& word) {
  return word.size() < 2 || word[0] != '-' || std::isdigit(static_cast<unsigned char>(word[1])) != 0;
}

// Returns how many of the words after an option are its values.
std::size_t values_after(const CLI::Option& option, const std::vector<std::string>& words, std::size_t at) {
  const auto most = static_cast<std::size_t>(std::max(option.get_items_expected_max(), 0));
  const bool takes_more = option.get_allow_extra_args();
  std::size_t count = 0;
  while (at + 1 + count < words.size() && count < most && is_argument(words[at + 1 + count])) {
    ++count;
    if (!takes_more) break;
  }
  const bool has_any_value = count == 0 && option.get_items_expected_min() > 0 && at + 1 < words.size();
  return has_any_value ? 1 : count;
}

ReadWords read_words(const CLI::App& command, const std::vector<std::string>& words, std::size_t begin) {
  ReadWords read;
  bool has_options = true;
  for (std::size_t at = begin; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (has_options && word == "--") {
      has_options = false;
    } else if (!has_options || is_argument(word)) {
      read.arguments.push_back(at);
    } else {
      const std::size_t equals = word.find('=');
      const CLI::Option* const option = command.get_option_no_throw(word.substr(0, equals));
      read.has_unknown |= option == nullptr;
      if (option == nullptr) continue;
      read.options.push_back(option);
      if (option->check_name(kIdOption)) read.names.push_back(at);
      if (equals == std::string::npos) at += values_after(*option, words, at);
    }
  }
  return read;
}

// Returns the arguments that the command takes beside these options, in their order.
std::vector<const CLI::Option*> arguments_beside(const CLI::App& command, const ReadWords& read) {
  std::vector<const CLI::Option*> taken;
  for (const CLI::Option* argument : positionals_of(command)) {
    const auto& excluded = argument->get_excludes();
    const bool is_excluded = std::ranges::any_of(read.options, [&excluded](const CLI::Option* option) {
      return std::ranges::find(excluded, option) != excluded.end();
    });
    if (!is_excluded) taken.push_back(argument);
  }
  return taken;
}

// Returns the value of an option, or nullopt when the words end before it.
std::optional<std::string> value_at(const std::vector<std::string>& words, std::size_t at) {
  const std::size_t equals = words[at].find('=');
  if (equals != std::string::npos) return words[at].substr(equals + 1);
  return at + 1 < words.size() ? std::optional(words[at + 1]) : std::nullopt;
}

void erase_option(std::vector<std::string>& words, std::size_t at) {
  const auto from = words.begin() + static_cast<std::ptrdiff_t>(at);
  words.erase(from, from + (words[at].find('=') == std::string::npos ? 2 : 1));
}

std::string two_names(const CLI::App& command, const std::string& one, const std::string& other) {
  return "the " + named_thing(command) + " has two names, " + one + " and " + other +
         ": give one, as the argument ID or with --id ID";
}

// In `runs fork RUN --id NEW` the option names the new run, as it did before there was --as.
void name_new_run(const CLI::App& command, std::vector<std::string>& words, const ReadWords& read) {
  const bool is_fork = command.get_name() == "fork" && command.get_parent()->get_name() == "runs";
  if (!is_fork || read.names.empty() || read.arguments.empty()) return;
  const CLI::Option* const as = command.get_option_no_throw("--as");
  if (std::ranges::find(read.options, as) != read.options.end()) return;
  words[read.names[0]].replace(0, std::string(kIdOption).size(), "--as");
}

// The words of a command, and which of its arguments names the run.
struct Given {
  const ReadWords& read;
  std::size_t arguments;        // how many the command takes
  std::size_t place, begin;     // the number of the run among them; where they begin in the words
};

// Writes options with their value as one word: the parser lets an option whose value may be left out take a --.
std::vector<std::string> with_joined_values(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto is_option = [&](std::size_t k) { return k >= words.size() || !is_argument(words[k]); };
    const bool has_one_value = words[at].starts_with("--") && words[at].find('=') == std::string::npos &&
                               !is_option(at + 1) && is_option(at + 2);
    out.push_back(has_one_value ? words[at] + '=' + words[at + 1] : words[at]);
    if (has_one_value) ++at;
  }
  return out;
}

// Returns the words with the name, which looks like an option, as an argument behind -- and all options.
std::vector<std::string> with_dashed_name(std::vector<std::string> words, const std::string& name, const Given& given) {
  std::vector<std::string> options(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(given.begin));
  std::vector<std::string> arguments;
  const std::size_t option = given.read.names[0];
  const std::size_t after = option + (words[option].find('=') == std::string::npos ? 2 : 1);
  for (std::size_t at = given.begin; at < words.size(); ++at) {
    if (at >= option && at < after) continue;
    const bool is_given = std::ranges::find(given.read.arguments, at) != given.read.arguments.end();
    if (!is_given && words[at] == "--") continue;
    (is_given ? arguments : options).push_back(std::move(words[at]));
  }
  arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(std::min(given.place, arguments.size())), name);
  options = with_joined_values(options);
  options.emplace_back("--");
  options.insert(options.end(), arguments.begin(), arguments.end());
  return options;
}

// The option is given, perhaps beside the argument.
void take_option(const CLI::App& command, const CLI::Option& argument, const Given& given, RunName& out) {
  const std::vector<std::size_t>& names = given.read.names;
  const auto name = value_at(out.words, names[0]);
  if (!name) return;
  for (const std::size_t at : names) {
    const auto other = value_at(out.words, at);
    if (other && *other != *name) out.problem = two_names(command, *name, *other);
  }
  if (given.read.arguments.size() == given.arguments) {
    const std::string& other = out.words[given.read.arguments[given.place]];
    if (other != *name) out.problem = two_names(command, *name, other);
    if (out.problem.empty()) erase_option(out.words, names[0]);
  } else if (argument.get_required()) {
    if (is_argument(*name)) {
      erase_option(out.words, names[0]);
      out.words.insert(out.words.begin() + static_cast<std::ptrdiff_t>(given.begin), *name);
    } else {
      out.words = with_dashed_name(std::move(out.words), *name, given);
    }
  }
}

}  // namespace

const CLI::Option* run_argument(const CLI::App& command) {
  if (command.get_option_no_throw(kIdOption) == nullptr) return nullptr;
  for (const CLI::Option* argument : positionals_of(command)) {
    if (argument->get_name() == "ID" || argument->get_name() == "SNAPSHOT") return argument;
  }
  return nullptr;
}

std::string named_thing(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  const std::string of = parent == nullptr ? "" : parent->get_name();
  return of == "chain" ? "task" : of == "harness" ? "conversation" : "run";
}

RunName with_run_name(const CLI::App& command, std::vector<std::string> words, std::size_t begin) {
  const CLI::Option* const argument = run_argument(command);
  name_new_run(command, words, read_words(command, words, begin));
  const ReadWords read = read_words(command, words, begin);
  RunName out{std::move(words), !read.names.empty(), ""};
  const auto taken = arguments_beside(command, read);
  const auto found = std::ranges::find(taken, argument);
  const bool is_plain = argument != nullptr && found != taken.end() && argument->get_items_expected_max() <= 1;
  if (!is_plain || read.has_unknown) return out;
  const auto place = static_cast<std::size_t>(found - taken.begin());
  if (out.is_given) {
    take_option(command, *argument, {read, taken.size(), place, begin}, out);
  } else if (read.arguments.size() > place) {
    out.is_given = true;
    const auto at = out.words.begin() + static_cast<std::ptrdiff_t>(read.arguments[place]);
    const bool is_first_elsewhere = positionals_of(command)[place] != argument;   // to the parser
    if (is_first_elsewhere) out.words.insert(at, kIdOption);
  }
  return out;
}

}  // namespace ptcvm::cli
