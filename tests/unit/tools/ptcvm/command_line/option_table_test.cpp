// The table of options against the command line that is made from it: every option has a row, and all pairs of options
// of every command go together exactly where the table says so.
#include "tools/ptcvm/command_line/option_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "schema/limits.h"
#include "tools/ptcvm/command_line/command_line.h"
#include "tools/ptcvm/command_line/command_tree.h"
#include "tools/ptcvm/command_line/usage_message.h"

namespace ptcvm::cli {
namespace {

bool lists(std::string_view list, std::string_view wanted) {
  bool found = false;
  for_each_listed(list, [&](std::string_view each) { found = found || each == wanted; });
  return found;
}

std::vector<std::string> elements_of(std::string_view list) {
  std::vector<std::string> out;
  for_each_listed(list, [&](std::string_view each) { out.emplace_back(each); });
  return out;
}

bool is_limit(const CLI::Option& option) {
  return std::any_of(ptc::kLimits.begin(), ptc::kLimits.end(), [&](const ptc::LimitInfo& limit) {
    const std::string earlier(ptc::earlier_spelling(limit, ptc::LimitPlace::Option));
    return option.check_lname(ptc::dashed_name(limit)) || (!earlier.empty() && option.check_lname(earlier));
  });
}

bool is_argument(const OptionRow& row) { return !row.name.starts_with("-"); }

struct Accepted {};

// An application that takes arguments and runs no command.
class IdleApplication : public CLI::App {
 public:
  IdleApplication() : CLI::App("", "ptcvm") {}

 private:
  void pre_callback() override { throw Accepted(); }
};

// The command line, and its answer to arguments: "", or why they are refused.
class CommandLine {
 public:
  CommandLine() {
    build_command_line(app_, status_);
    collect(app_, "");
  }

  std::string refusal(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());   // as parse() wants them
    try {
      app_.parse(arguments);
    } catch (const Accepted&) {
      return "";
    } catch (const CLI::Error& error) {
      return usage_message(&app_, error);
    }
    return "no command was run";
  }

  const std::map<std::string, CLI::App*>& commands() const { return commands_; }

 private:
  void collect(CLI::App& above, const std::string& path) {
    for (CLI::App* const command : above.get_subcommands([](CLI::App* sub) { return !sub->get_name().empty(); })) {
      const std::string name = path.empty() ? command->get_name() : path + ' ' + command->get_name();
      if (command->get_subcommands([](CLI::App* sub) { return !sub->get_name().empty(); }).empty()) {
        commands_.emplace(name, command);
      } else {
        collect(*command, name);
      }
    }
  }

  IdleApplication app_;
  int status_ = 0;
  std::map<std::string, CLI::App*> commands_;
};

// The rows of one command, and command lines made of them.
class CommandRows {
 public:
  explicit CommandRows(std::string name) : name_(std::move(name)) {
    for (const OptionRow& row : option_rows()) {
      if (lists(row.commands, name_)) rows_.push_back(&row);
    }
  }

  const std::vector<const OptionRow*>& rows() const { return rows_; }
  const OptionRow* find(std::string_view name) const {
    const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const OptionRow* row) { return row->name == name; });
    return at == rows_.end() ? nullptr : *at;
  }

  // The options, with what they and the command need.
  std::vector<const OptionRow*> completed(std::vector<const OptionRow*> wanted, const CLI::App& command) const {
    for (const OptionRow* row : rows_) {
      if (command.get_option(std::string(row->name))->get_required()) add(wanted, row);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (is_argument(*wanted[i])) add_before(wanted, *wanted[i]);
      for (const std::string& other : elements_of(wanted[i]->needs)) add(wanted, find(other));
      for (const OptionCondition& condition : option_conditions()) {
        if (condition.name != wanted[i]->name || !lists(condition.commands, name_)) continue;
        add(wanted, find(elements_of(condition.others).front()));
      }
    }
    if (name_ == "doubt settle" && !has_any(wanted, {"--happened", "--did-not", "--give-up"})) {
      add(wanted, find("--did-not"));
    }
    return wanted;
  }

  std::vector<std::string> arguments(const std::vector<const OptionRow*>& given) const {
    std::vector<std::string> out;
    std::string_view rest = name_;
    for (std::size_t space = 0; space != std::string_view::npos; rest.remove_prefix(std::min(rest.size(), space + 1))) {
      space = rest.find(' ');
      out.emplace_back(rest.substr(0, space));
      if (space == std::string_view::npos) break;
    }
    for (const OptionRow* row : rows_) {   // arguments in the order of the table, which is theirs
      if (is_argument(*row) && std::count(given.begin(), given.end(), row) > 0) out.emplace_back(row->example);
    }
    for (const OptionRow* row : given) {
      if (is_argument(*row)) continue;
      out.emplace_back(row->name);
      if (row->value.kind != OptionValueKind::Flag) out.emplace_back(row->example);
    }
    return out;
  }

 private:
  // An argument has its place behind other ones.
  void add_before(std::vector<const OptionRow*>& wanted, const OptionRow& last) const {
    for (const OptionRow* row : rows_) {
      if (row == &last) return;
      if (is_argument(*row)) add(wanted, row);
    }
  }
  static void add(std::vector<const OptionRow*>& rows, const OptionRow* row) {
    if (row != nullptr && std::count(rows.begin(), rows.end(), row) == 0) rows.push_back(row);
  }
  static bool has_any(const std::vector<const OptionRow*>& rows, std::initializer_list<std::string_view> names) {
    return std::any_of(rows.begin(), rows.end(), [&](const OptionRow* row) {
      return std::count(names.begin(), names.end(), row->name) > 0;
    });
  }

  std::string name_;
  std::vector<const OptionRow*> rows_;
};

// Returns the pairs of options that exclude each other.
std::vector<std::pair<std::string_view, std::string_view>> clashes(const std::vector<const OptionRow*>& given) {
  std::vector<std::pair<std::string_view, std::string_view>> out;
  for (const OptionRow* one : given) {
    for (const OptionRow* other : given) {
      if (lists(one->excludes, other->name)) out.emplace_back(one->name, other->name);
    }
  }
  return out;
}

bool names_a_clash(const std::string& why, const std::vector<const OptionRow*>& given) {
  const auto all = clashes(given);
  return std::any_of(all.begin(), all.end(), [&](const auto& clash) {
    return why.find(clash.first) != std::string::npos && why.find(clash.second) != std::string::npos;
  });
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += word + ' ';
  return out;
}

TEST(OptionTable, HasARowForEveryOptionAndNoOther) {
  CommandLine line;
  for (const auto& [name, command] : line.commands()) {
    const CommandRows rows(name);
    std::size_t known = 0;
    std::vector<const CLI::Option*> options = options_of(*command);
    const auto arguments = positionals_of(*command);
    options.insert(options.end(), arguments.begin(), arguments.end());
    for (const CLI::Option* option : options) {
      const std::string shown = option->get_name();
      if (option == command->get_help_ptr()) continue;
      const auto has_row = std::count_if(rows.rows().begin(), rows.rows().end(), [&](const OptionRow* row) {
        return command->get_option_no_throw(std::string(row->name)) == option;
      });
      EXPECT_EQ(has_row, is_limit(*option) && has_row == 0 ? 0 : 1) << name << ' ' << shown;
      known += static_cast<std::size_t>(has_row);
    }
    EXPECT_EQ(known, rows.rows().size()) << name;
  }
}

TEST(OptionTable, AllPairsGoTogetherExactlyWhereItSaysSo) {
  CommandLine line;
  std::size_t pairs = 0, refused = 0;
  for (const auto& [name, command] : line.commands()) {
    const CommandRows rows(name);
    for (std::size_t i = 0; i < rows.rows().size(); ++i) {
      for (std::size_t k = i; k < rows.rows().size(); ++k) {
        std::vector<const OptionRow*> wanted = {rows.rows()[i]};
        if (i != k) wanted.push_back(rows.rows()[k]);
        const auto given = rows.completed(std::move(wanted), *command);
        const auto words = rows.arguments(given);
        const std::string why = line.refusal(words);
        const bool clash = !clashes(given).empty();
        ++pairs;
        EXPECT_EQ(why.empty(), !clash) << joined(words) << ": " << why;
        if (why.empty() || !clash) continue;
        ++refused;
        EXPECT_TRUE(names_a_clash(why, given)) << joined(words) << ": " << why;
        EXPECT_NE(why.find("leave one of them out"), std::string::npos) << joined(words) << ": " << why;
      }
    }
  }
  EXPECT_GT(pairs, 1'000u);
  EXPECT_GT(refused, 50u);
}

TEST(OptionTable, WhatAnOptionNeedsIsAskedForByName) {
  CommandLine line;
  for (const auto& [name, command] : line.commands()) {
    const CommandRows rows(name);
    for (const OptionRow* row : rows.rows()) {
      for (const std::string& needed : elements_of(row->needs)) {
        auto given = rows.completed({row}, *command);
        std::erase(given, rows.find(needed));
        if (!clashes(given).empty()) continue;
        const std::string why = line.refusal(rows.arguments(given));
        EXPECT_NE(why, "") << name << ' ' << row->name << " without " << needed;
        EXPECT_NE(why.find("give both"), std::string::npos) << why;
      }
    }
  }
}

TEST(OptionTable, ConditionsAreAskedForByName) {
  CommandLine line;
  for (const OptionCondition& condition : option_conditions()) {
    for (const std::string& name : elements_of(condition.commands)) {
      const CommandRows rows(name);
      auto given = rows.completed({rows.find(condition.name)}, *line.commands().at(name));
      std::vector<std::string> words;
      if (condition.value.empty()) {
        for (const std::string& other : elements_of(condition.others)) std::erase(given, rows.find(other));
        words = rows.arguments(given);
      } else {   // the other option, with another value
        words = rows.arguments(given);
        const auto at = std::find(words.begin(), words.end(), condition.value);
        ASSERT_NE(at, words.end());
        *at = "sync";
      }
      const std::string why = line.refusal(words);
      for (const std::string& other : elements_of(condition.others)) {
        EXPECT_NE(why.find(other), std::string::npos) << joined(words) << ": " << why;
        const CLI::App& command = *line.commands().at(name);
        const std::string help = command.get_option(std::string(condition.name))->get_description();
        EXPECT_NE(help.find(other, help.find("only with")), std::string::npos) << name << ": " << help;
      }
      EXPECT_NE(why.find(std::string(condition.name) + ": has no effect without"), std::string::npos) << why;
    }
  }
}

// Seals say nothing about nodes and queues, and what removes rows signs nothing.
bool has_no_seals(std::string_view name) {
  return lists("nodes, store prune, schedule rm", name) || name.starts_with("queue ");
}
// Jobs have a tenant, which is the one of the seal.
bool is_of_jobs(std::string_view name) { return lists("worker, schedule ls", name); }

TEST(OptionTable, EveryCommandWithAStoreTakesAKeyRing) {
  CommandLine line;
  std::size_t count = 0;
  for (const auto& [name, command] : line.commands()) {
    if (command->get_option_no_throw("--store") == nullptr) continue;
    ++count;
    if (name == "store check" || name == "store migrate") continue;   // they look at the database and at no log
    if (has_no_seals(name)) continue;
    EXPECT_NE(command->get_option_no_throw("--keys"), nullptr) << name;
    if (is_of_jobs(name)) continue;
    EXPECT_NE(command->get_option_no_throw("--tenant"), nullptr) << name;
  }
  EXPECT_GT(count, 30u);
}

TEST(OptionTable, ValuesThatProtectNothingAreRefused) {
  CommandLine line;
  for (const auto& [name, command] : line.commands()) {
    const CommandRows rows(name);
    for (const OptionRow* row : rows.rows()) {
      const auto given = rows.completed({row}, *command);
      auto words = rows.arguments(given);
      const auto at = std::find(words.begin(), words.end(), row->example);
      const bool takes_all = row->value.kind == OptionValueKind::Flag || row->value.kind == OptionValueKind::Any;
      if (takes_all || at == words.end()) continue;
      std::vector<std::string> bad = {""};
      if (row->value.kind == OptionValueKind::Whole) {
        bad = {"", "-1", "1e3", "0x1", " 1", "+1", "1.0", "x", "18446744073709551616"};
        if (row->value.least > 0) bad.push_back(std::to_string(row->value.least - 1));
        if (row->value.most < UINT64_MAX) bad.push_back(std::to_string(row->value.most + 1));
      }
      for (const std::string& value : bad) {
        *at = value;
        EXPECT_NE(line.refusal(words), "") << joined(words) << " (" << row->name << ')';
      }
    }
  }
}

TEST(OptionTable, ACommandBuiltByItselfIsTheSame) {
  // In order of the words, since the parser names excluded options in the order of their addresses.
  const auto words_of_help = [](const CLI::App& app, const std::string& name) {
    std::istringstream help(app.get_subcommand(name)->help("", CLI::AppFormatMode::All));
    return std::multiset<std::string>(std::istream_iterator<std::string>(help), {});
  };
  CLI::App all("", "ptcvm");
  int status = 0;
  build_command_line(all, status);
  const auto commands = all.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
  EXPECT_GT(commands.size(), 30u);
  for (const CLI::App* const command : commands) {
    const std::string name = command->get_name();
    CLI::App one("", "ptcvm");
    build_command_line(one, status, name);
    EXPECT_EQ(one.get_subcommands([](const CLI::App*) { return true; }).size(), 1u) << name;
    EXPECT_EQ(words_of_help(one, name), words_of_help(all, name));
  }
}

TEST(OptionTable, OnlyTheCommandThatIsNamedIsBuilt) {
  const auto only_of = [](std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return std::string(only_command_of(arguments));
  };
  EXPECT_EQ(only_of({"ptcvm", "run", "p.ptc"}), "run");
  EXPECT_EQ(only_of({"ptcvm"}), "");
  EXPECT_EQ(only_of({"ptcvm", "--help"}), "");
  EXPECT_EQ(only_of({"ptcvm", "rnu", "p.ptc"}), "");
  EXPECT_EQ(only_of({"ptcvm", "completion", "bash"}), "") << "tells of all commands";
  EXPECT_EQ(only_of({"ptcvm", "man"}), "") << "tells of all commands";
}

TEST(OptionTable, AnEmptyValueBehindAnEqualsSignTakesNoOtherArgument) {
  std::string words[] = {"ptcvm", "run", "--store=", "p.ptc"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  EXPECT_EQ(empty_value_in(arguments), "--store: must not be empty: give a value, or leave it out");
  words[2] = "--data=a=";
  EXPECT_EQ(empty_value_in(arguments), "");
}

}  // namespace
}  // namespace ptcvm::cli
