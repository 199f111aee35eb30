// What must hold of a run whose processes were killed: claims about its log, its journal and the ledger. Each says what
// is wrong in one line, nothing when all is well.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ptcvm/crash_ledger.hpp"
#include "runtime/log/fact.h"
#include "runtime/log/run_log.h"
#include "schema/effect_class.h"

namespace ptc {

// All attempts of one call, that is of one idempotency key, as a log has them.
struct CrashCall {
  std::string tool, args;
  EffectClass effect{};
  std::uint64_t attempts = 0;
  std::uint64_t excused = 0;       // attempts that failed, or of which a person said that they did not happen
  bool by_person = false;          // the newest attempt was settled by a person
  EffectState state{};             // of the newest attempt

  bool is_open() const { return state == EffectState::Intended || state == EffectState::InDoubt; }
  bool is_done() const {
    return state == EffectState::Committed || state == EffectState::Partial || state == EffectState::Pending;
  }
  // Whether a repetition needs somebody's word.
  bool is_asked_for() const { return !is_called_again(effect); }
};
using CrashCalls = std::map<std::string, CrashCall>;   // by key

inline CrashCalls crash_calls(std::span<const Fact> facts) {
  CrashCalls calls;
  for (const Fact& fact : facts) {
    CrashCall& call = calls[fact.idempotency_key];
    if (fact.kind == FactKind::Intent && fact.number > call.attempts) {
      call.tool = fact.tool;
      call.args = fact.args;
      call.effect = read_effect_class(fact.effect);
      call.attempts = fact.number;
      call.by_person = false;
      call.state = EffectState::Intended;
    }
    const bool settles = fact.kind == FactKind::EffectSettled || fact.kind == FactKind::EffectDoubted ||
                         fact.kind == FactKind::DoubtSettled;
    const auto state = find_effect_state(fact.status);
    if (!settles || !state || fact.number != call.attempts || !call.is_open()) continue;
    call.state = *state;
    call.by_person = fact.author == FactAuthor::Person;
    if (*state == EffectState::Failed || (*state == EffectState::NotDone && call.by_person)) ++call.excused;
  }
  std::erase_if(calls, [](const auto& entry) { return entry.second.attempts == 0; });
  return calls;
}

inline RunLog crash_fold(std::span<const Fact> facts) {
  RunLog log;
  for (const Fact& fact : facts) log.add(fact);
  return log;
}

class CrashClaims {
 public:
  explicit CrashClaims(std::vector<std::string>& complaints) : complaints_(complaints) {}

  // A log grows, and that is all it does.
  void log_only_grows(std::span<const Fact> before, std::span<const Fact> after) {
    if (before.size() <= after.size() && std::equal(before.begin(), before.end(), after.begin())) return;
    complain("what the log held before a kill is not its beginning afterwards");
  }
  // What a store said to be written is there.
  void is_in_log(std::span<const Fact> facts, const std::string& key, const std::string& value) {
    for (const Fact& fact : facts) {
      if (fact.key == key && fact.value == value) return;
    }
    complain("lost: " + key + " = " + value + " was written, and is not in the log");
  }

  // Questions are asked where they must be: of calls of unsafe tools that were begun and not recorded, whatever the
  // outcome. Of calls of reconcilable ones they may be. Of nothing else.
  void asked_rightly(const CrashCalls& open_before, bool has_asked, const CrashCalls& now) {
    for (const auto& [key, call] : open_before) {
      if (!call.is_open()) continue;
      const bool must = effect_info(call.effect).in_doubt == InDoubt::AskPerson;
      if (must && !has_asked) complain("nobody was asked about " + key);
      if (must && has_asked && now.at(key).state != EffectState::InDoubt) complain(key + " is not in doubt");
    }
    for (const auto& [key, call] : now) {
      if (call.state != EffectState::InDoubt) continue;
      const auto before = open_before.find(key);   // a new call is in doubt when its tool says so itself
      const bool is_new = before == open_before.end() || before->second.attempts < call.attempts;
      if (!is_new && !before->second.is_open()) complain("asked about a known call: " + key);
      if (!call.is_asked_for()) complain("asked about a call that can be repeated: " + key);
    }
  }

  // The ledger and the journal of a run that has ended say the same.
  void ledger_is_journal(const CrashCalls& calls, std::span<const LedgerEntry> entries) {
    std::map<std::string, std::uint64_t> counts;
    for (const LedgerEntry& entry : entries) {
      const auto call = calls.find(entry.key);
      const std::string what = entry.tool + ' ' + entry.args + " (" + entry.key + ")";
      if (call == calls.end()) {
        complain("it happened, and the log has no intent: " + what);
      } else if (call->second.tool != entry.tool || call->second.args != entry.args) {
        complain("the log has another call under the key of " + what);
      }
      ++counts[entry.key];
    }
    for (const auto& [key, call] : calls) {
      const std::uint64_t count = counts.contains(key) ? counts.at(key) : 0;
      const std::string what = call.tool + ' ' + call.args + " (" + key + ")";
      if (call.is_open()) complain("the run has ended, and nobody knows about " + what);
      if (call.is_done() && count == 0) complain("the log has it, and it did not happen: " + what);
      if (call.state == EffectState::NotDone && !call.by_person && count > 0) complain("taken as not done: " + what);
      if (call.is_asked_for() && count > 1 + call.excused) {
        complain("it happened " + std::to_string(count) + " times, and nobody allowed that: " + what);
      }
    }
  }

  // The run came to the same effects, under the same keys, and to the same tasks as one that nothing has killed.
  void same_as_undisturbed(std::span<const LedgerEntry> entries, std::span<const LoggedTask> tasks,
                           std::span<const LedgerEntry> wanted, std::span<const LoggedTask> wanted_tasks) {
    difference(calls_of(wanted), calls_of(entries), "effect");
    difference(ids_of(wanted_tasks), ids_of(tasks), "task");
  }

 private:
  void complain(std::string what) { complaints_.push_back(std::move(what)); }

  static std::set<std::string> calls_of(std::span<const LedgerEntry> entries) {
    std::set<std::string> out;
    for (const LedgerEntry& entry : entries) out.insert(entry.tool + ' ' + entry.args + " (" + entry.key + ")");
    return out;
  }
  static std::set<std::string> ids_of(std::span<const LoggedTask> tasks) {
    std::set<std::string> out;
    for (const LoggedTask& task : tasks) out.insert(task.id);
    return out;
  }
  void difference(const std::set<std::string>& wanted, const std::set<std::string>& seen, const std::string& what) {
    for (const std::string& one : wanted) {
      if (!seen.contains(one)) complain(what + " is missing: " + one);
    }
    for (const std::string& one : seen) {
      if (!wanted.contains(one)) complain(what + " is there only because of the kill: " + one);
    }
  }

  std::vector<std::string>& complaints_;
};

}  // namespace ptc
