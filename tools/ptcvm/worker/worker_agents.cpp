#include "tools/ptcvm/worker/worker_agents.h"

#include <optional>
#include <utility>

#include "agents/loop/stored_agent.h"
#include "tools/ptcvm/agent/agent_driver.h"
#include "tools/ptcvm/agent/agent_job.h"
#include "tools/ptcvm/agent/agent_store.h"
#include "tools/ptcvm/text/kept_limits.h"
#include "tools/ptcvm/worker/worker_host_ends.h"

namespace ptcvm::cli {
namespace {

std::string path_list(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) out += (out.empty() ? "" : ", ") + path;
  return out;
}

// One turn of one agent.
class AgentTurn {
 public:
  AgentTurn(const Engine& engine, const Store& store, const AgentWork& work, const HostTurn& turn)
      : engine_(engine), work_(work), turn_(turn), id_(turn.run), rates_({.requests = work.rate}, store) {}

  HostTurnEnd execute() {
    auto job = read_agent_job(turn_.source);
    if (!job) return turn_given_up(job.error().message);
    if (const auto told = take_definition(job->agent); !told) return turn_refused(told.error());
    if (!has_begun_ && turn_.leave.load()) return turn_in_the_middle("it was not begun");
    if (const auto taken = take_limits(); !taken) return turn_refused(taken.error());
    if (const std::string larger = larger_limit(limits_, work_.most_limits); !larger.empty()) {
      return turn_failed("the run has larger limits than this worker allows: " + larger);
    }
    idle_ms_ = job->idle_ms;
    std::string message;
    if (!open_models(job->agent, message)) return turn_failed("the model cannot be asked: " + message);
    if (const auto opened = open(*std::move(job)); !opened) return turn_refused(opened.error());
    const auto effects = [this](std::string_view tool) { return effect_of(tool); };
    AgentDriver driver({*source_, work_.commands, turn_.abandon, {}, rates_, &turn_.leave, 0, turn_.now_ms, effects});
    virtual_now_ = [&driver] { return driver.now_ms(); };
    for (;;) {
      if (const auto end = leave(driver.drive(*handle_))) return *end;
    }
  }

 private:
  // A run keeps the definition with which a worker began it.
  Result<void> take_definition(loop::AgentDefinition& agent) {
    const auto stored = loop::StoredAgent::stored_definition(turn_.store, id_);
    if (!stored) return stored.error();
    has_begun_ = stored->has_value();
    if (!*stored) return retell_tools(agent, work_.tools), Result<void>();
    auto read = loop::read_agent_text(**stored);
    if (!read) return read.error();
    agent = *std::move(read);
    return {};
  }

  // A run keeps the limits with which a worker began it, so that its programs do the same when they run again.
  Result<void> take_limits() {
    const auto kept = kept_command(turn_.store, id_);
    if (!kept && kept.error().code != Errc::invalid_value) return kept.error();
    limits_ = kept ? kept->limits : smaller_limits(loop::default_program_limits(), work_.most_limits);
    return {};
  }

  std::optional<Effect> effect_of(std::string_view tool) const { return chosen_effect(work_.tools, tool); }

  // Opens the models anew for each turn: what they had under way belongs to the run.
  bool open_models(const loop::AgentDefinition& agent, std::string& message) {
    for (const std::string& text : work_.child_models) {
      std::string ignored;                   // an agent without such a child
      read_child_models(agent, {text}, children_, ignored);
    }
    auto model = open_model(work_.model, work_.stream, {}, message);
    if (!model) return false;
    choice_ = std::move(model->choice);
    source_ = open_child_models(agent, children_, std::move(model->source), work_.stream, {}, message);
    return source_ != nullptr;
  }

  Result<void> open(AgentJob job) {
    loop::AgentOptions options;
    options.model = choice_;
    options.program_limits = limits_;
    options.prices = work_.prices;
    options.model_of = [this](std::string_view path) -> std::optional<loop::ModelChoice> {
      const ChildModel* const found = find_child_model(children_, path);
      return found == nullptr ? std::nullopt : std::optional(found->choice);
    };
    auto agent = loop::Agent::make(engine_, std::move(job.agent), std::move(options));
    if (!agent) return agent.error();
    const KeptCommand command{work_.model, work_.stream, {}, choice_, children_, 0, limits_, work_.prices};
    auto kept = keep_command(turn_.store, id_, command, turn_.now_ms());
    if (kept) kept = keep_choice(turn_.store, id_, choice_, children_, turn_.now_ms());
    if (!kept) return kept;
    const auto replies = used_replies(turn_.store, id_);
    if (!replies) return replies.error();
    for (const std::string& path : *replies) source_->skip(path, 1);
    loop::StoredAgentOptions wanted;
    wanted.start.id = id_;
    wanted.start.data_json = std::move(job.data_json);
    wanted.keeps_requests = [this](std::string_view path) { return source_->keeps_requests(path); };
    wanted.effect_of = [this](std::string_view tool) { return effect_of(tool); };
    wanted.clock = [this] { return virtual_now_ ? virtual_now_() : turn_.now_ms(); };
    if (has_begun_) {
      auto answered = agent_of_log(engine_, turn_.store, id_);
      if (!answered) return answered.error();
      wanted.agent_at = *std::move(answered);
    }
    auto stored = loop::StoredAgent::open(*agent, turn_.store, std::move(wanted));
    if (!stored) return stored.error();
    handle_.emplace(std::move(*stored));
    return {};
  }

  // Leaves the run as the drive has ended. nullopt: something has arrived, and the agent goes on.
  std::optional<HostTurnEnd> leave(const AgentDriver::End& end) {
    using End = AgentDriver::End::Kind;
    if (end.kind == End::StoreFailed) return turn_of_store_error(end.reason, end.message);
    if (turn_.abandon.load()) return turn_in_the_middle("its calls were open");   // its orders are in the log
    loop::AgentParking how;
    how.is_soon = end.kind == End::Interrupted;
    how.idle_ms = idle_ms_;
    const auto left = handle_->stored().park(how);
    if (!left) return turn_refused(left.error());
    if (*left == loop::AgentLeft::Arrived) return std::nullopt;
    const std::string reason = end.kind == End::ModelFailed ? end.reason : "";
    const auto noted = keep_mark(turn_.store, id_, mark_of(handle_->run()), reason, turn_.now_ms());
    if (!noted) return turn_refused(noted.error());
    if (end.kind == End::ModelFailed) return turn_failed(end.reason + ": " + end.message);
    if (how.is_soon) return turn_in_the_middle("");
    return *left == loop::AgentLeft::Ended ? ended() : waiting();
  }

  HostTurnEnd ended() const {
    const loop::AgentOutcome outcome = handle_->run().outcome();
    if (!outcome.is_ok) return turn_given_up(outcome.reason + ": " + outcome.message);
    return turn_ended();
  }

  HostTurnEnd waiting() const {
    HostTurnEnd end;
    end.text = path_list(handle_->run().pending());
    for (const loop::Operation& operation : handle_->run().operations()) {
      if (operation.kind == loop::OperationKind::Doubt) end.kind = HostTurnEnd::Kind::InDoubt;
    }
    return end;
  }

  const Engine& engine_;
  const AgentWork& work_;
  const HostTurn& turn_;
  const std::string id_;
  loop::RateLimits rates_;
  std::optional<std::int64_t> idle_ms_;
  Limits limits_;
  bool has_begun_ = false;                   // a worker has begun the run before
  loop::ModelChoice choice_;
  ChildModels children_;
  std::unique_ptr<ModelSource> source_;
  std::optional<KeptAgent> handle_;
  std::function<std::int64_t()> virtual_now_;
};

class AgentHost final : public WorkerHost {
 public:
  AgentHost(const Engine& engine, const Store& store, const AgentWork& work)
      : engine_(engine), store_(store), work_(work) {}
  HostTurnEnd execute(const HostTurn& turn) override { return AgentTurn(engine_, store_, work_, turn).execute(); }

 private:
  const Engine& engine_;
  const Store store_;
  const AgentWork& work_;
};

}  // namespace

std::function<std::unique_ptr<WorkerHost>()> agent_hosts(const Engine& engine, const Store& store,
                                                         const AgentWork& work) {
  return [&engine, store, &work]() -> std::unique_ptr<WorkerHost> {
    return std::make_unique<AgentHost>(engine, store, work);
  };
}

}  // namespace ptcvm::cli
