// Cases of programs that are parked at every point where they can be. One store goes on from the parked state; another
// one has the log alone, so the program runs again from the top. Both must write the same facts.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <sstream>

#include "ptcvm/json.hpp"
#include "ptcvm/stored_run.hpp"
#include "tests/scenarios/coherence_layers.h"

namespace ptcvm::scenarios {

namespace json = boost::json;

namespace {

constexpr const char* kRun = "run";
constexpr std::size_t kMostSuspensions = 50;
constexpr std::int64_t kBeginMs = 1'700'000'000'000;

// Programs that wait in each way that there is.
constexpr const char* kCorpus[] = {
    "(await-signal \"a\")",
    "(do (task \"t\" (tool/inc {})) (str (await-signal \"a\") (await-signal \"b\")))",
    "(let [a (tool/call {:who \"x\"}) b (tool/call {:who \"y\"})] (str (await b) (await a)))",
    "(task \"outer\" (do (tool/inc {}) (task \"inner\" (await (tool/call {:n 1}))) (await-signal \"s\")))",
    "(loop [i 0 all []] (if (< i 4) (recur (inc i) (conj all (task (str \"n\" i) (await (tool/call {:i i}))))) all))",
    "(do (task \"t\" (tool/inc {})) (fail (str \"no \" (await-signal \"a\"))))",
    "(await-signal \"a\" {:timeout-ms 500 :default \"late\"})",
    "(do (def x (await-signal \"a\")) (def f (fn [n] (+ n 1))) (str x (f 1) (await-signal \"b\") x))",
    "(mapv (fn [i] (task (str \"m\" i) (do (tool/inc {:i i}) (await (tool/call {:i i}))))) [1 2 3])",
    "(return {:first (await-signal \"a\") :second (await (tool/call {}))})",
};

// One store of the two.
class Side {
 public:
  Side(const ScenarioStore& store, std::string program) : store_(store), program_(std::move(program)) {}

  StoredOutcome go_on(std::int64_t now_ms) {
    Store store = store_.open();
    StoredOptions options;
    options.id = kRun;
    options.time_ms = kBeginMs;   // the turn began then, in whatever process
    options.clock = [now_ms] { return now_ms; };
    return run_stored(Engine(), store, scripted_tools(program_, counts_), program_, options).value();
  }

  // Answers the first thing that the program waits for; a wait with a deadline is left alone.
  void answer(const StoredOutcome& outcome, std::size_t round) {
    const StoredWait& wait = outcome.pending.at(round % outcome.pending.size());
    if (wait.deadline_ms == 0) {
      store_.open().resolve(kRun, wait.key, Value::of(json::value("v" + std::to_string(round))), "outside").value();
    }
  }

  void begin_as(const Side& other) { store_.open().import_log(kRun, other.log()).value(); }
  std::string log() const { return store_.open().log_json(kRun).value(); }
  const CallCounts& counts() const { return counts_; }

 private:
  const ScenarioStore& store_;
  std::string program_;
  CallCounts counts_;
};

// Returns the facts of the log after the first ones, except those which say how the run was opened, and without their
// places and writers. The time of what came from outside is the time of this test.
json::array facts_after(const std::string& log, std::size_t known) {
  json::array facts;
  std::istringstream lines(log.substr(known));
  for (std::string line; std::getline(lines, line);) {
    json::object fact = json::parse(line).as_object();
    const std::string kind = text(fact.at("kind"));
    if (kind == "run_resumed" || kind == "run_started") continue;
    fact.erase("seq");
    fact.erase("writer");
    if (text(fact.at("author")) != "host") fact.erase("time_ms");
    facts.push_back(std::move(fact));
  }
  return facts;
}

Why same_facts(const json::array& fast, const json::array& slow) {
  for (std::size_t i = 0; i < std::min(fast.size(), slow.size()); ++i) {
    if (auto why = differs("fact " + std::to_string(i + 1), fast[i], slow[i])) return why;
  }
  return fast.size() == slow.size() ? std::nullopt
                                    : Why("there are " + std::to_string(fast.size()) + " facts, and " +
                                          std::to_string(slow.size()) + " of the program that ran again");
}

Why same_both_ways(const std::string& program, StoreType type) {
  const ScenarioStore store(type);
  Side fast(store, program);
  std::int64_t now_ms = kBeginMs;
  StoredOutcome outcome = fast.go_on(now_ms);
  std::size_t round = 0;
  for (; outcome.end == StoredEnd::Suspended && round < kMostSuspensions; ++round) {
    const ScenarioStore copy(type);
    Side slow(copy, program);
    slow.begin_as(fast);
    const std::size_t known = fast.log().size(), known_slow = slow.log().size();
    now_ms += 1'000;
    fast.answer(outcome, round);
    slow.answer(outcome, round);
    const StoredOutcome again = slow.go_on(now_ms);
    outcome = fast.go_on(now_ms);
    if (auto why = same_facts(facts_after(fast.log(), known), facts_after(slow.log(), known_slow))) {
      return *why + ", after suspension " + std::to_string(round + 1);
    }
    if (auto why = differs("value", json::value(outcome.outcome.value.to_json()),
                          json::value(again.outcome.value.to_json()))) {
      return why;
    }
  }
  if (round == 0) return "the program does not wait";
  return outcome.end == StoredEnd::Suspended ? Why("the program waits for ever") : std::nullopt;
}

}  // namespace

Why coherence_rerun_case(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"property", "programs"})) return why;
  std::vector<std::string> programs(std::begin(kCorpus), std::end(kCorpus));
  if (scenario.given.at("programs").is_array()) programs = texts(scenario.given, "programs");
  bool is_equal = true;
  std::string first;
  for (const std::string& program : programs) {
    const Why why = same_both_ways(program, scenario.store.type());
    if (why && is_equal) first = program + ": " + *why;
    is_equal = is_equal && !why;
  }
  const Why why = members_hold(scenario.then, {{"equal", is_equal}});
  return why && !first.empty() ? Why(first) : why;
}

}  // namespace ptcvm::scenarios
