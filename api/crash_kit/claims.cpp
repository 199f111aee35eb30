#include "api/crash_kit/claims.h"

#include <algorithm>

namespace ptcvm::crash {
namespace {

std::string named(const LedgerEntry& entry) { return entry.tool + ' ' + entry.args + " (" + entry.key + ")"; }

std::set<std::string> names_of(std::span<const LedgerEntry> entries) {
  std::set<std::string> out;
  for (const LedgerEntry& entry : entries) out.insert(named(entry));
  return out;
}
std::set<std::string> ids_of(std::span<const Task> tasks) {
  std::set<std::string> out;
  for (const Task& task : tasks) out.insert(task.id);
  return out;
}

}  // namespace

void Claims::log_only_grows(std::span<const Fact> before, std::span<const Fact> after) {
  const auto same = [](const Fact& a, const Fact& b) { return a.line == b.line; };
  if (before.size() <= after.size() && std::equal(before.begin(), before.end(), after.begin(), same)) return;
  complain("what the log held before a kill is not its beginning afterwards");
}

void Claims::is_in_log(std::span<const Fact> facts, const std::string& key, const std::string& value) {
  for (const Fact& fact : facts) {
    if (fact.key == key && fact.value == value) return;
  }
  complain("lost: " + key + " = " + value + " was written, and is not in the log");
}

void Claims::asked_rightly(const Calls& before, bool has_asked, const Calls& now) {
  for (const auto& [key, call] : before) {
    if (!call.is_open()) continue;
    const bool must = call.effect != "reconcilable" && call.is_asked_for();
    if (must && !has_asked) complain("nobody was asked about " + key);
    if (!must || !has_asked) continue;
    const auto after = now.find(key);
    if (after == now.end() || after->second.state != CallState::InDoubt) complain(key + " is not in doubt");
  }
  for (const auto& [key, call] : now) {
    if (call.state != CallState::InDoubt) continue;
    const auto earlier = before.find(key);   // a new call is in doubt when its tool says so itself
    const bool is_new = earlier == before.end() || earlier->second.attempts < call.attempts;
    if (!is_new && !earlier->second.is_open()) complain("asked about a known call: " + key);
    if (!call.is_asked_for()) complain("asked about a call that can be repeated: " + key);
  }
}

void Claims::ledger_is_log(const Calls& calls, std::span<const LedgerEntry> entries) {
  std::map<std::string, std::uint64_t> counts;
  for (const LedgerEntry& entry : entries) {
    const auto call = calls.find(entry.key);
    if (call == calls.end()) {
      complain("it happened, and the log has no intent: " + named(entry));
    } else if (call->second.tool != entry.tool || call->second.args != entry.args) {
      complain("the log has another call under the key of " + named(entry));
    }
    ++counts[entry.key];
  }
  for (const auto& [key, call] : calls) {
    const std::uint64_t count = counts.contains(key) ? counts.at(key) : 0;
    const std::string what = call.tool + ' ' + call.args + " (" + key + ")";
    if (call.is_open()) complain("the run has ended, and nobody knows about " + what);
    if (call.is_done() && count == 0) complain("the log has it, and it did not happen: " + what);
    if (call.state == CallState::NotDone && !call.by_person && count > 0) complain("taken as not done: " + what);
    if (call.is_asked_for() && count > 1 + call.excused) {
      complain("it happened " + std::to_string(count) + " times, and nobody allowed that: " + what);
    }
  }
}

void Claims::same_as_undisturbed(const Row& row, const Row& undisturbed) {
  difference(names_of(undisturbed.effects), names_of(row.effects), "effect");
  difference(ids_of(undisturbed.journal), ids_of(row.journal), "task");
}

void Claims::difference(const std::set<std::string>& wanted, const std::set<std::string>& seen,
                        const std::string& what) {
  for (const std::string& one : wanted) {
    if (!seen.contains(one)) complain(what + " is missing: " + one);
  }
  for (const std::string& one : seen) {
    if (!wanted.contains(one)) complain(what + " is there only because of the kill: " + one);
  }
}

}  // namespace ptcvm::crash
