// Words of command lines, from the table of options.
#include <algorithm>

#include "fuzz/command_line_trial.h"
#include "tools/ptcvm/command_line/option_table.h"

namespace ptc::fuzz {
namespace {

using ptcvm::cli::OptionRow;
using ptcvm::cli::OptionValueKind;

constexpr std::string_view kValues[] = {
    "", "a", "b", "p.ptc", "d.json", "s.db", "t.db", "s.ptcs", "ring", "a.json", "t.json", "s.jsonl",
    "scripted:s.jsonl", "replay:r.jsonl", "program:p.ptc", "@a", "r", "g", "t", "c", "acme", "-1", "0", "1",
    "18446744073709551615", "18446744073709551616", "1e400", "nil", "[1 {:a 2}]", "{\"a\": 1}", "--", "-", "=", "x=",
    "=x", "op1=1", "none", "json", "\xff", "approve:pay=true"};

bool lists(std::string_view list, std::string_view wanted) {
  bool found = false;
  ptcvm::cli::for_each_listed(list, [&](std::string_view each) { found = found || each == wanted; });
  return found;
}

template <class T>
const T& one_of(const std::vector<T>& all, test::Random& random) {
  return all[random.below(all.size())];
}

const std::vector<std::string>& all_commands() {
  static const std::vector<std::string> commands = [] {
    std::vector<std::string> out;
    for (const OptionRow& row : ptcvm::cli::option_rows()) {
      ptcvm::cli::for_each_listed(row.commands, [&](std::string_view name) { out.emplace_back(name); });
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }();
  return commands;
}

std::string value_for(const OptionRow& row, test::Random& random) {
  if (!random.chance(25)) return std::string(row.example);
  return std::string(kValues[random.below(std::size(kValues))]);
}

void add_option(std::vector<std::string>& words, const OptionRow& row, test::Random& random) {
  const bool is_argument = !row.name.starts_with("-");
  if (!is_argument) words.emplace_back(row.name);
  if (is_argument || row.value.kind != OptionValueKind::Flag) words.push_back(value_for(row, random));
}

std::vector<const OptionRow*> rows_of(std::string_view command) {
  std::vector<const OptionRow*> rows;
  for (const OptionRow& row : ptcvm::cli::option_rows()) {
    if (lists(row.commands, command)) rows.push_back(&row);
  }
  return rows;
}

}  // namespace

std::vector<std::string> command_words(test::Random& random) {
  const std::string& command = one_of(all_commands(), random);
  std::vector<std::string> words;
  for (std::string_view rest = command; !rest.empty();) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    words.emplace_back(rest.substr(0, space));
    rest.remove_prefix(std::min(rest.size(), space + 1));
  }
  // Arguments, the store, ids and models are what commands ask for most often.
  for (const OptionRow* const row : rows_of(command)) {
    const bool is_wanted = !row->name.starts_with("-") || row->name == "--store" || row->name == "--id" ||
                           row->name == "--model" || row->name == "--tools" || row->name == "--planner";
    if (random.chance(is_wanted ? 95 : 15)) add_option(words, *row, random);
  }
  return words;
}

void change_words(std::vector<std::string>& words, test::Random& random) {
  for (std::uint64_t i = 1 + random.below(3); i > 0; --i) {
    const std::size_t at = words.empty() ? 0 : random.below(words.size());
    switch (words.empty() ? 0 : random.below(6)) {
      case 0: words = command_words(random); break;
      case 1: words[at] = kValues[random.below(std::size(kValues))]; break;
      case 2: words.erase(words.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 3: words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), words[random.below(words.size())]); break;
      case 4: std::swap(words[at], words[random.below(words.size())]); break;
      default: {
        const auto rows = ptcvm::cli::option_rows();
        add_option(words, rows[random.below(rows.size())], random);
        break;
      }
    }
  }
}

}  // namespace ptc::fuzz
