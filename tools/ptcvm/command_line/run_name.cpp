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
    erase_option(out.words, names[0]);
    out.words.insert(out.words.begin() + static_cast<std::ptrdiff_t>(given.begin), *name);
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
