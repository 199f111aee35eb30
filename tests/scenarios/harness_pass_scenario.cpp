// Cases of scheduling: which facts make the planner run, and what of its output is written. Time is virtual.
#include <memory>
#include <stdexcept>

#include "agents/harness/pass/harness.h"
#include "tests/scenarios/fact_tokens.h"
#include "tests/scenarios/harness_layers.h"

namespace ptcvm::scenarios {

namespace json = boost::json;

namespace {

// One process that takes part: a conversation of its own, and a harness. A pass may take virtual time.
struct Process {
  harness::Conversation conversation;
  harness::Harness harness;
  std::optional<harness::PlanOutput> thinking;   // what the planner will give
  std::int64_t done_ms = 0;                      // when the planner gives it

  Process(harness::Conversation opened, const harness::HarnessOptions& options)
      : conversation(std::move(opened)), harness(conversation, options) {}
};

class PassFixture {
 public:
  PassFixture(const json::object& given, const ScenarioStore& store) : given_(given), store_(store) {
    const json::value* const task = given.if_contains("existing_task");
    options_.rules.has_task = task != nullptr && *task != json::value(false);
    if (const json::value* const cap = given.if_contains("cap")) {
      options_.rules.most_facts = harness::most_facts_of({cap, 1});
    }
    const json::value* const crash = given.if_contains("crash");
    crashes_ = crash != nullptr;
    if (crashes_ && text(*crash) != "before_commit") throw std::runtime_error("unknown crash: " + text(*crash));
    if (given.contains("latch") && given.at("latch") == json::value(true)) {
      harness::Conversation conversation = outside();
      check(conversation.arm_kickoff(author()));
      check(HostLog(conversation.log()).flush());
    }
    if (const json::value* const facts = given.if_contains("facts")) add(*facts);
    const json::value* const count = given.if_contains("processes");
    processes_.resize(count == nullptr ? 1 : count->to_number<std::size_t>());
    for (std::size_t i = 0; i < processes_.size(); ++i) start(i);
  }

  Why perform(const json::value& step) {
    if (step.is_string()) return perform_named(step.get_string());
    const json::object& object = step.as_object();
    const auto& [name, value] = *object.begin();
    if (object.size() != 1) return "a step with more than one member";
    if (name == "add") add(value);
    else if (name == "wait") wait(value.to_number<std::int64_t>());
    else if (name == "rewind_to") rewind_to(value.to_number<std::size_t>());
    else if (name == "expect") return expect(value.as_object());
    else return "unknown step: " + std::string(name);
    return std::nullopt;
  }

  Why expect(const json::object& then) { return members_hold(then, state()); }

 private:
  template <class T>
  static void check(const Result<T>& result) {
    if (!result) throw std::runtime_error(result.error().message);
  }
  harness::Author author(std::string by = {}) const { return {now_ms_, std::move(by)}; }
  HostLog log() const { return HostLog::of(store_.open(), "conversation"); }
  // Opens the conversation as another process does, after everything that the processes wrote is on the disk.
  harness::Conversation outside() const {
    for (const auto& process : processes_) {
      if (process) check(HostLog(process->conversation.log()).flush());
    }
    return harness::Conversation::open(log()).value();
  }
  Process& first() { return *processes_.front(); }

  void start(std::size_t i) { processes_[i] = std::make_unique<Process>(outside(), options_); }
  void restart() {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      processes_[i].reset();
      start(i);
    }
  }

  Why perform_named(std::string_view name) {
    if (name == "schedule") schedule(first());
    else if (name == "drain") drain(first());
    else if (name == "run") schedule(first()), drain(first());
    else if (name == "run_both") run_both();
    else if (name == "rebuild" || name == "restart_process") restart();
    else return "unknown step: " + std::string(name);
    return std::nullopt;
  }

  void add(const json::value& tokens) {
    harness::Conversation conversation = outside();
    check(conversation.observe(tokens_.read(tokens), author("outside")));
    check(HostLog(conversation.log()).flush());
  }

  void rewind_to(std::size_t count) {
    harness::Conversation conversation = outside();
    const auto& facts = conversation.view().facts();
    const std::uint64_t to = count == 0 ? 0 : facts.at(count - 1).seq;
    check(conversation.rewind(to, harness::RewindKeeps::Nothing, author("outside")));
    check(HostLog(conversation.log()).flush());
  }

  void schedule(Process& process) {
    process.harness.schedule();
    begin(process);
  }

  // Begins a pass when one is wanted. The planner thinks until done_ms.
  void begin(Process& process) {
    while (process.harness.wants_pass()) {
      const auto verdict = process.harness.begin(now_ms_);
      if (!verdict && verdict.error().code == Errc::busy) return;
      check(verdict);
      if (*verdict == harness::Verdict::Freeze) is_frozen_ = true;
      if (*verdict != harness::Verdict::Freeze) is_frozen_ = false;
      if (*verdict == harness::Verdict::Run) {
        think(process);
        return;
      }
      note(process.harness.last_end());
    }
  }

  void think(Process& process) {
    process.done_ms = now_ms_;
    ++calls_;
    try {
      process.thinking = harness::PlanOutput::proposed(planned(process));
    } catch (const std::runtime_error& error) {
      process.thinking = harness::PlanOutput::failed(error.what());
    }
  }

  // Returns what the planner gives at this call.
  std::vector<harness::ProposedFact> planned(Process& process) {
    const json::value* const outputs = given_.if_contains("planner");
    if (outputs == nullptr || outputs->as_array().empty()) return {};
    const json::array& list = outputs->as_array();
    const json::value& output = list[std::min(static_cast<std::size_t>(calls_ - 1), list.size() - 1)];
    if (output.is_string() && output.get_string() == "throw") throw std::runtime_error("thrown");
    if (!output.is_object()) return tokens_.read(output);
    std::vector<harness::ProposedFact> facts;
    for (const auto& [name, value] : output.as_object()) {
      if (name == "adds") add(value);
      else if (name == "slow") process.done_ms = now_ms_ + value.to_number<std::int64_t>();
      else if (name == "effects") make_effects(process, value);
      else if (name == "out" && value.is_array()) facts = tokens_.read(value);
      else if (name == "out") throw std::runtime_error("thrown");
      else throw std::logic_error("unknown member of a planner: " + std::string(name));
    }
    return facts;
  }

  void make_effects(Process& process, const json::value& tokens) {
    for (const json::value& token : tokens.as_array()) {
      for (const harness::ProposedFact& fact : tokens_.read(token)) {
        const std::string key = token_of(fact.type, fact.body);
        process.harness.task(key, [&]() -> json::value {
          ++tool_runs_;
          process.harness.record(key, fact);
          return true;
        });
      }
    }
  }

  void finish(Process& process) {
    if (crashes_) {
      crashes_ = false;
      throw Killed{};
    }
    const auto end = process.harness.finish(*std::exchange(process.thinking, std::nullopt), now_ms_);
    check(end);
    note(end.value());
  }

  void note(const std::optional<harness::PassEnd>& end) {
    if (end == harness::PassEnd::Committed) appends_.emplace_back("ok");
    if (end == harness::PassEnd::Conflict) appends_.emplace_back("conflict");
  }

  // Lets the process do what it can do until that time.
  void run_until(Process& process, std::int64_t until_ms) {
    try {
      for (begin(process); process.thinking && process.done_ms <= until_ms; begin(process)) {
        now_ms_ = std::max(now_ms_, process.done_ms);
        finish(process);
      }
    } catch (const Killed&) {
      restart();
    }
  }

  void drain(Process& process) { run_until(process, INT64_MAX); }

  void wait(std::int64_t ms) {
    const std::int64_t until = now_ms_ + ms;
    for (std::size_t i = 0; i < processes_.size(); ++i) run_until(*processes_[i], until);
    now_ms_ = until;
  }

  // Both begin before one of them ends.
  void run_both() {
    for (const auto& process : processes_) schedule(*process);
    for (std::size_t i = 0; i < processes_.size(); ++i) drain(*processes_[i]);
  }

  json::object state() {
    const harness::Conversation conversation = outside();
    const harness::ConversationView& view = conversation.view();
    const harness::Fact* const question = view.open_question();
    json::value open, hud;
    if (question != nullptr) open = harness::text_of(question->body, "qid");
    if (const auto& shown = first().harness.current_hud()) hud = json::array{shown->phase, shown->title};
    json::array tokens = tokens_of(view);
    json::value last = tokens.empty() ? json::value() : tokens.back();
    return {{"calls", calls_},
            {"facts", std::move(tokens)},
            {"last_fact", std::move(last)},
            {"appends", appends_},
            {"hud", std::move(hud)},
            {"open_question", std::move(open)},
            {"frozen", is_frozen_},
            {"drafts_alive", view.unsent_drafts().size()},
            {"tool_runs", tool_runs_}};
  }

  const json::object& given_;
  const ScenarioStore& store_;
  FactTokens tokens_;
  harness::HarnessOptions options_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::int64_t now_ms_ = 1'700'000'000'000, calls_ = 0, tool_runs_ = 0;
  json::array appends_;
  bool crashes_ = false, is_frozen_ = false;
};

}  // namespace

Why harness_pass_layer(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"facts", "planner", "latch", "existing_task", "durable", "cap", "crash",
                                       "processes"})) {
    return why;
  }
  PassFixture fixture(scenario.given, scenario.store);
  for (const json::value& step : scenario.when) {
    if (auto why = fixture.perform(step)) return why;
  }
  return fixture.expect(scenario.then);
}

}  // namespace ptcvm::scenarios
