#include "ptcvm/crash_report.hpp"

#include <algorithm>
#include <string_view>

namespace ptcvm::crash {
namespace {

std::string padded(std::string text, std::size_t width, bool right) {
  if (text.size() >= width) return text;
  return right ? std::string(width - text.size(), ' ') + text : text + std::string(width - text.size(), ' ');
}

template <class... Rest>
std::string line(const std::string& point, const std::string& where, const Rest&... rest) {
  constexpr std::size_t kWhere = 46;
  std::string text = padded(point, 6, true) + "  " + padded(where.substr(0, kWhere), kWhere, false);
  ((text += "  " + padded(rest, 7, true)), ...);
  return text + '\n';
}

template <class Number, class Of>
Number sum_of(const std::vector<Row>& rows, Of of) {
  Number sum = 0;
  for (const Row& row : rows) sum += of(row);
  return sum;
}

}  // namespace

std::size_t Row::repeats() const {
  std::map<std::string_view, std::size_t> counts;
  for (const LedgerEntry& entry : effects) ++counts[entry.key];
  return effects.size() - counts.size();
}

std::map<std::string, std::size_t> Row::effect_counts() const {
  std::map<std::string, std::size_t> counts;
  for (const LedgerEntry& entry : effects) ++counts[entry.tool + ' ' + entry.args];
  return counts;
}

std::string Row::text() const {
  constexpr std::size_t kEnded = 60;
  std::string where = deaths.empty() ? "-" : deaths.front();
  if (deaths.size() > 1) where += " and " + std::to_string(deaths.size() - 1) + " more";
  std::string out = line(std::to_string(point), where, std::to_string(processes), std::to_string(asked),
                         std::to_string(effects.size()), std::to_string(repeats()), std::to_string(journal.size()),
                         finished ? ended.substr(0, kEnded) : "NOT ENDED");
  for (const std::string& complaint : complaints) out += "      ! " + complaint + '\n';
  return out;
}

bool Report::ok() const {
  return !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.ok(); });
}
std::size_t Report::kills() const {
  return sum_of<std::size_t>(rows, [](const Row& row) { return row.deaths.size(); });
}
int Report::asked() const {
  return sum_of<int>(rows, [](const Row& row) { return row.asked; });
}
std::size_t Report::repeats() const {
  return sum_of<std::size_t>(rows, [](const Row& row) { return row.repeats(); });
}

std::string Report::table() const {
  std::string text = line("point", "killed", "processes", "asked", "effects", "repeats", "tasks", "ended");
  for (const Row& row : rows) text += row.text();
  const auto failed = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.ok(); });
  return text + std::to_string(rows.size()) + " runs, " + std::to_string(kills()) + " kills, " +
         std::to_string(asked()) + " questions, " + std::to_string(repeats()) + " repeated effects, " +
         std::to_string(failed) + " runs with complaints\n";
}

}  // namespace ptcvm::crash
