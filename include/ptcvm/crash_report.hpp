// What the crash kit has seen: a row for each run, and a table for people.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/crash_ledger.hpp"
#include "runtime/durable/durable_run.h"
#include "runtime/text/mission_log.h"

namespace ptc {

// One run, whose processes were killed here and there.
struct CrashRow {
  std::uint64_t boundary = 0;              // the point of the last kill; 0: none, or by time
  std::vector<std::string> deaths;         // where, in order
  bool finished = false;                   // it came to its end
  std::string ended;                       // how, in words
  int processes = 0;
  int asked = 0;                           // doubts that a person had to settle
  std::vector<LedgerEntry> effects;        // what happened, in order
  std::vector<LoggedTask> journal;         // what the log says in the end
  std::vector<std::string> complaints;     // claims that do not hold

  bool ok() const { return complaints.empty(); }
  // Effects that happened again under the key of an earlier one.
  std::size_t repeats() const {
    std::map<std::string_view, std::size_t> counts;
    for (const LedgerEntry& entry : effects) ++counts[entry.key];
    return effects.size() - counts.size();
  }
  // How often each effect happened: by tool and arguments.
  std::map<std::string, std::size_t> effect_counts() const {
    std::map<std::string, std::size_t> counts;
    for (const LedgerEntry& entry : effects) ++counts[entry.tool + ' ' + entry.args];
    return counts;
  }
};

struct CrashReport {
  std::vector<CrashRow> rows;              // the first one is the run without a kill

  bool ok() const {
    return !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const CrashRow& row) { return row.ok(); });
  }
  int asked() const {
    int sum = 0;
    for (const CrashRow& row : rows) sum += row.asked;
    return sum;
  }
  std::size_t repeats() const {
    std::size_t sum = 0;
    for (const CrashRow& row : rows) sum += row.repeats();
    return sum;
  }
  std::string table() const {
    std::string text = line("point", "killed", "processes", "asked", "effects", "repeats", "tasks", "ended");
    std::size_t failed = 0;
    for (const CrashRow& row : rows) {
      text += row_text(row);
      if (!row.ok()) ++failed;
    }
    return text + std::to_string(rows.size()) + " runs, " + std::to_string(asked()) + " questions, " +
           std::to_string(repeats()) + " repeated effects, " + std::to_string(failed) + " runs with complaints\n";
  }
  static std::string row_text(const CrashRow& row) {
    std::string where = row.deaths.empty() ? "-" : row.deaths.front();
    if (row.deaths.size() > 1) where += " and " + std::to_string(row.deaths.size() - 1) + " more";
    std::string text = line(std::to_string(row.boundary), where, std::to_string(row.processes),
                            std::to_string(row.asked), std::to_string(row.effects.size()),
                            std::to_string(row.repeats()), std::to_string(row.journal.size()),
                            row.finished ? row.ended.substr(0, 60) : "NOT ENDED");
    for (const std::string& complaint : row.complaints) text += "      ! " + complaint + '\n';
    return text;
  }

 private:
  template <class... Rest>
  static std::string line(const std::string& point, const std::string& where, const Rest&... rest) {
    constexpr std::size_t kWhere = 46;
    std::string text = padded(point, 6, true) + "  " + padded(where.substr(0, kWhere), kWhere, false);
    ((text += "  " + padded(rest, 7, true)), ...);
    return text + '\n';
  }
  static std::string padded(std::string text, std::size_t width, bool right) {
    if (text.size() >= width) return text;
    return right ? std::string(width - text.size(), ' ') + text : text + std::string(width - text.size(), ' ');
  }
};

// How a process ended, in a few words.
inline std::string crash_end_text(const DurableOutcome& out) {
  switch (out.end) {
    case DurableEnd::Ended:
    case DurableEnd::EndedBefore: {
      const bool failed = out.outcome.status == OutcomeStatus::Error;
      std::string text(outcome_status_name(out.outcome.status));
      return text + ' ' + (failed ? out.outcome.fault.message : out.outcome.value_edn);
    }
    case DurableEnd::Suspended: return "suspended";
    case DurableEnd::InDoubt: return "in doubt";
    case DurableEnd::Busy: return "held by " + out.holder.owner;
    case DurableEnd::StoreFailed: return "store failed: " + out.error.message;
    case DurableEnd::Refused: return out.message;
  }
  return {};
}

}  // namespace ptc
