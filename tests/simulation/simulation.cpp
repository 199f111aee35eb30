#include "tests/simulation/simulation.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptcvm/ptcvm.hpp"
#include "ptcvm/queues.hpp"
#include "tests/simulation/node.h"
#include "tests/simulation/person.h"
#include "tests/simulation/program.h"

namespace ptcvm::simulation {
namespace {

constexpr std::int64_t kSafetyMs = 40'000, kLivenessMs = 400'000, kArrivalMs = 25'000;
constexpr std::int64_t kLongestStopMs = 12'000;
constexpr std::int64_t kSureMs = kSafetyMs + 30'000;      // nothing that was stopped or slow is left
constexpr std::size_t kMostNodes = 4, kShortStory = 45;

class Simulation {
 public:
  Simulation(const Engine& engine, std::uint64_t seed, Mutant mutant, Telling telling)
      : engine_(engine), telling_(telling), story_(telling != Telling::Nothing), flows_(seed),
        has_failovers_(flows_.chance(4)), checker_(story_), server_(flows_, checker_, mutant, has_failovers_),
        person_(flows_, server_, story_, faults_) {
    faults_.lost_request = flows_.chance(2) ? 40 : 0;
    faults_.lost_answer = flows_.chance(2) ? 40 : 0;
    faults_.slow = flows_.chance(2) ? 60 : 0;
  }

  SeedResult run() {
    make_queue();
    server_.settle();
    for (int i = 0; i < 3; ++i) start_node();
    flows_.spawn([this] { bring_jobs(); });
    flows_.spawn([this] { disturb(); });
    flows_.spawn([this] { be_a_person(); });
    flows_.run([this] { return !story_.failure().empty() || is_over_; });
    SeedResult out;
    out.failure = story_.failure();
    out.story = story_.text(kShortStory, telling_ == Telling::Everything);
    out.commits = server_.last_commit();
    out.calls = calls_;
    out.failovers = failovers_;
    out.simulated_ms = flows_.now();
    end_everything();
    return out;
  }

 private:
  struct Run {
    std::string id;
    const Program* program;
    bool is_cancelled = false;
  };

  void make_queue() {
    ptc::QueueLimits limits;
    limits.name = "q";
    if (flows_.chance(3)) limits.slots = 1 + flows_.below(3);
    checker_.set_slots(limits.slots);
    (void)server_.commit<std::monostate>("", [this, limits] { return server_.store().queue()->set_queue(limits); });
    ptc::ScheduleRow schedule;
    schedule.name = "s";
    schedule.next_ms = 5'000;
    schedule.job.queue = "other";
    schedule.job.start.kind = ptc::FactKind::RunStarted;
    schedule.job.start.text = "1";
    (void)server_.commit<std::monostate>(
        "", [this, schedule] { return server_.store().queue()->set_schedule(schedule); });
  }

  void bring_jobs() {
    for (std::int64_t left = 3 + flows_.below(5); left > 0 && !is_over_; --left) {
      bring_job();
      flows_.sleep(flows_.below(kArrivalMs / left));
    }
    is_all_brought_ = true;
  }

  void bring_job() {
    const auto which = static_cast<std::size_t>(flows_.below(static_cast<std::int64_t>(programs().size())));
    const Run run{"r" + std::to_string(runs_.size()), &programs()[which]};
    checker_.expect_run(run.id, run.program->needs);
    story_.tell(flows_.now(), run.id, run.id + " is enqueued: " + run.program->source);
    ptc::Job job;
    job.log = run.id;
    job.queue = "q";
    job.needs = run.program->needs;
    job.most_attempts = *run.program->value == '\0' ? 2 : 1'000;
    job.start.kind = ptc::FactKind::RunStarted;
    job.start.text = run.program->source;
    job.start.number = 1;
    (void)server_.commit<std::vector<ptc::Enqueued>>(run.id, [this, job, now = server_.real_ms()] {
      return server_.store().queue()->enqueue({&job, 1}, now);
    });
    runs_.push_back(run);
  }

  // The tools of a node. Each call is in the ledger of the checker, takes its time, and may fail.
  Tools tools_of(Node* const& node, bool has_rare) {
    Tools tools;
    const auto add = [&](const char* name, Effect effect, Retry retry = {}) {
      const std::string tool = name;
      ToolOptions options;
      options.effect = effect;
      options.retry = retry;
      tools.add(tool, "(n :int) -> :int", [this, &node, tool](ToolCall& call) { return answer(*node, tool, call); },
                options).value();
    };
    add("keyed", Effect::Keyed);
    add("idem", Effect::Idempotent);
    add("unsafe", Effect::Unsafe);
    add("flaky", Effect::Idempotent, {.max_attempts = 5, .first_delay = std::chrono::milliseconds(1'500)});
    if (has_rare) add("rare", Effect::Keyed);
    ToolOptions later;
    later.effect = Effect::Idempotent;
    later.mode = ToolMode::Async;
    tools.add("ask", "(n :int?) -> :any", [](ToolCall& call) { return call.pending(); }, later).value();
    return tools;
  }

  ToolReply answer(Node& node, const std::string& tool, ToolCall& call) {
    if (node.is_dead()) return call.unknown("the process is dead");
    const std::string key(call.idempotency_key()), run(call.run_id());
    checker_.begins_call(node.number(), run, key, server_.real_ms());
    flows_.sleep(flows_.below(20));
    if (node.is_dead()) return call.unknown("the process is dead");
    ++calls_;
    story_.tell(flows_.now(), run, node.process().name + " calls " + tool + ": " + key);
    checker_.called(server_.store(), run, key, tool == "unsafe", checker_.has_lease(node.number(), server_.real_ms()));
    flows_.sleep(flows_.chance(6) ? flows_.below(15'000) : flows_.below(1'000));
    if (tool == "flaky" && checker_.calls_of(key) < 3) return call.error("not yet");
    return call.value(call.arg("n").as_int().value_or(0));
  }

  void start_node() {
    const std::string name = "node " + std::to_string(++started_);
    auto holder = std::make_unique<Node*>(nullptr);
    const bool has_rare = is_calm_ || started_ % 2 == 1;
    const Tools tools = tools_of(*holder, has_rare);
    nodes_.push_back(std::make_unique<Node>(flows_, server_, story_, faults_, engine_, tools, name));
    *holder = nodes_.back().get();
    holders_.push_back(std::move(holder));
    story_.tell(flows_.now(), "", name + " begins" + (has_rare ? "" : ", without the rare tool"));
    nodes_.back()->start();
  }

  std::vector<Node*> living_nodes() {
    std::vector<Node*> out;
    for (const auto& node : nodes_) {
      if (!node->is_dead()) out.push_back(node.get());
    }
    return out;
  }

  // The safety phase: something bad again and again. Then it is calm.
  void disturb() {
    while (flows_.now() < kSafetyMs && !is_over_) {
      flows_.sleep(200 + flows_.below(3'000));
      if (is_over_) return;
      const std::vector<Node*> living = living_nodes();
      if (living.empty()) {
        start_node();
      } else {
        harm(*living[static_cast<std::size_t>(flows_.below(static_cast<std::int64_t>(living.size())))], living.size());
      }
    }
    if (!is_over_) calm_down();
  }

  void harm(Node& node, std::size_t living) {
    switch (flows_.below(11)) {
      case 0:
      case 1: return node.kill();
      case 2:
      case 3: return stop(node);
      case 4:
      case 5: return cut(node);
      case 6: node.process().wall_offset_ms += flows_.below(60'000) - 30'000; return;
      case 7: return fail_over();
      case 8: return cancel_something();
      case 9:
        if (!node.is_draining()) node.drain();
        return;
      default:
        if (living < kMostNodes) start_node();
    }
  }

  void stop(Node& node) {
    node.process().asleep_until_ms = flows_.now() + 500 + flows_.below(kLongestStopMs - 500);
    tell_until(node, " is stopped until ", node.process().asleep_until_ms);
  }

  void cut(Node& node) {
    node.process().cut_until_ms = flows_.now() + flows_.below(10'000);
    tell_until(node, " is cut off until ", node.process().cut_until_ms);
  }

  void tell_until(Node& node, const char* what, std::int64_t until_ms) {
    story_.tell(flows_.now(), "", node.process().name + what + std::to_string(until_ms / 1'000) + " s");
  }

  void fail_over() {
    if (!has_failovers_) return;
    const auto lost = static_cast<std::size_t>(1 + flows_.below(30));
    story_.tell(flows_.now(), "", "a standby takes over, which lacks the last " + std::to_string(lost) + " commits");
    server_.lose(lost);
    ++failovers_;
  }

  void cancel_something() {
    if (runs_.empty() || !flows_.chance(2)) return;
    Run& run = runs_[static_cast<std::size_t>(flows_.below(static_cast<std::int64_t>(runs_.size())))];
    run.is_cancelled = true;
    person_.cancel(run.id);
  }

  void calm_down() {
    faults_ = {};
    is_calm_ = true;
    story_.tell(flows_.now(), "", "it is calm from now on");
    for (const auto& node : nodes_) node->process().asleep_until_ms = node->process().cut_until_ms = 0;
    start_node();
  }

  void kill_all() {
    for (Node* const node : living_nodes()) node->kill();
  }

  void be_a_person() {
    while (!is_over_) {
      flows_.sleep(1'500 + flows_.below(4'000));
      for (std::size_t i = 0; i < runs_.size(); ++i) {     // more may come meanwhile
        person_.look_after(std::string(runs_[i].id), flows_.now() > kSureMs);
      }
      if (is_calm_ && is_all_brought_ && !is_over_) judge();
    }
  }

  // Whether every run is over, and as it should be.
  void judge() {
    is_over_ = std::ranges::all_of(runs_, [this](const Run& run) { return is_run_over(run); });
    if (is_over_ || flows_.now() < kSafetyMs + kLivenessMs) return;
    is_over_ = true;
    for (const Run& run : runs_) {
      if (is_run_over(run)) continue;
      tell_log(run);
      return story_.fail(run.id, "liveness: " + run.id + " does not end: it is " + place(run));
    }
  }

  // What the run waits for, and its log.
  void tell_log(const Run& run) {
    if (!story_.is_told()) return;
    const auto parked = std::get<std::optional<ptc::Parked>>(server_.store().parked(run.id));
    for (const std::string& key : parked ? parked->wait_keys : std::vector<std::string>()) {
      story_.tell(flows_.now(), run.id, run.id + " waits for " + key);
    }
    const auto facts = std::get<std::vector<ptc::Fact>>(server_.store().read(run.id, 0, SIZE_MAX));
    for (const ptc::Fact& fact : facts) {
      const std::string where = "fact " + std::to_string(fact.seq) + " by claim " + std::to_string(fact.writer);
      const std::string what = std::string(ptc::fact_name(fact.kind)) + " " + fact.key + " " + fact.status;
      story_.tell(flows_.now(), run.id, where + ": " + what);
    }
  }

  std::string place(const Run& run) {
    const auto job = std::get<std::optional<ptc::JobRow>>(server_.store().queue()->job(run.id));
    if (!job) return "gone";
    const std::string by = job->state == ptc::JobState::Held ? " by node " + std::to_string(job->node) : "";
    return std::string(ptc::job_state_name(job->state)) + by;
  }

  bool is_run_over(const Run& run) {
    const auto job = std::get<std::optional<ptc::JobRow>>(server_.store().queue()->job(run.id));
    if (!job) {                                            // the commit that made the job was lost
      if (!checker_.has_lost_commits()) story_.fail(run.id, "I5: the job " + run.id + " is gone");
      return true;
    }
    if (job->state == ptc::JobState::Dead) {
      const bool may_be_dead = run.is_cancelled || *run.program->value == '\0';
      if (!may_be_dead) story_.fail(run.id, "liveness: " + run.id + " was given up: " + job->reason);
      return true;
    }
    if (job->state != ptc::JobState::Done) return false;
    const std::string value = value_of(run.id);
    if (value != run.program->value && !run.is_cancelled) {
      story_.fail(run.id, "liveness: " + run.id + " is done with " + value + " and not with " + run.program->value);
    }
    return true;
  }

  std::string value_of(const std::string& run) {
    std::string out;
    const auto facts = std::get<std::vector<ptc::Fact>>(server_.store().read(run, 0, SIZE_MAX));
    for (const ptc::Fact& fact : facts) {
      if (fact.kind == ptc::FactKind::TurnEnded) out = fact.status == "ok" ? fact.value : fact.status;
    }
    return out;
  }

  // Lets every flow end, so that nothing of the seed is left.
  void end_everything() {
    is_over_ = is_calm_ = true;
    person_.go_home();
    kill_all();
    flows_.run([] { return false; });
  }

  const Engine& engine_;
  const Telling telling_;
  Story story_;
  Flows flows_;
  const bool has_failovers_;
  Faults faults_;
  Checker checker_;
  Server server_;
  Person person_;
  std::deque<Run> runs_;                                   // a flow keeps a reference while others bring more
  std::vector<std::unique_ptr<Node*>> holders_;
  std::vector<std::unique_ptr<Node>> nodes_;
  int started_ = 0;
  bool is_calm_ = false, is_over_ = false, is_all_brought_ = false;
  std::uint64_t calls_ = 0, failovers_ = 0;
};

}  // namespace

SeedResult simulate(const Engine& engine, std::uint64_t seed, Mutant mutant, Telling telling) {
  return Simulation(engine, seed, mutant, telling).run();
}

}  // namespace ptcvm::simulation
