#include "tools/ptcvm/worker/worker_chains.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/chain/risk/confirmation.h"
#include "agents/chain/run/chain_log.h"
#include "agents/chain/run/question_log.h"
#include "ptcvm/queues.hpp"
#include "tools/ptcvm/agent/agent_store.h"
#include "tools/ptcvm/chain/chain_driver.h"
#include "tools/ptcvm/chain/chain_job.h"
#include "tools/ptcvm/chain/chain_job_log.h"
#include "tools/ptcvm/chain/chain_memory.h"
#include "tools/ptcvm/text/kept_limits.h"
#include "tools/ptcvm/worker/worker_host_ends.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;
using chain::ChainOperation;
using chain::OperationKind;

// One turn of one chain.
class ChainTurn {
 public:
  ChainTurn(const Engine& engine, const Store& store, const AgentWork& work, const StoreOptions& place,
            const HostTurn& turn)
      : engine_(engine), store_(store), work_(work), place_(place), turn_(turn), id_(turn.run),
        rates_({.requests = work.rate}, store) {}

  HostTurnEnd execute() {
    if (const auto taken = take_setup(); !taken) return turn_refused(taken.error());
    if (!has_begun_ && turn_.leave.load()) return turn_in_the_middle("it was not begun");
    if (const std::string larger = larger_limit(*setup_.limits, work_.most_limits); !larger.empty()) {
      return turn_failed("the run has larger limits than this worker allows: " + larger);
    }
    std::string message;
    if (!take_commands(message)) return turn_failed(message);
    auto model = open_model(work_.model, work_.stream, {}, message);
    if (!model) return turn_failed("the model cannot be asked: " + message);
    model_ = *std::move(model);
    if (setup_.money.most != 0) message = missing_price({model_.choice.name}, work_.prices);
    if (!message.empty()) return turn_failed(message);
    auto budget = ChainBudget::read(turn_.store, id_, {setup_.money.most, work_.prices});
    if (!budget) return turn_refused(budget.error());
    budget_ = *std::move(budget);
    if (!has_begun_) {
      if (const auto kept = keep_setup(turn_.store, id_, setup_); !kept) return turn_refused(kept.error());
    }
    auto log = ChainJobLog::open(turn_.store, id_, model_.source->keeps_requests(""), turn_.now_ms);
    if (!log) return turn_refused(log.error());
    log_ = *std::move(log);
    if (const auto skipped = skip_used_replies(); !skipped) return turn_refused(skipped.error());
    for (;;) {
      if (const auto end = leave(drive())) return *end;
    }
  }

 private:
  // A task keeps the setup with which a worker began it: what its planner was told.
  Result<void> take_setup() {
    auto kept = kept_setup(turn_.store, id_);
    if (!kept) return kept.error();
    has_begun_ = kept->has_value();
    auto setup = *kept ? Result<ChainSetup>(**std::move(kept)) : read_chain_job(turn_.source);
    if (!setup) return setup.error();
    setup_ = *std::move(setup);
    if (setup_.limits) return {};
    retell_tools(setup_, work_.tools);
    setup_.limits = smaller_limits(loop::default_program_limits(), work_.most_limits);
    return {};
  }

  // Takes the commands of the worker for the tools of the task.
  bool take_commands(std::string& message) {
    for (const loop::AgentTool& tool : setup_.agent_tools()) {
      const auto found = work_.commands.find(tool.name);
      if (found == work_.commands.end()) {
        message = "this worker has no command for the tool " + tool.name;
        return false;
      }
      add_command(tools_, tool.name, CommandTool(found->second, false));
    }
    return true;
  }

  // A script answers nothing twice: what it said to the chain and to the agents of its steps is passed over.
  Result<void> skip_used_replies() {
    if (!model_.source->has_virtual_time()) return {};
    std::size_t used = log_->answers();
    constexpr std::size_t kRunsAtOnce = 500;
    const std::string parts = agent_runs();
    std::string after = parts;
    for (bool is_over = false; !is_over;) {
      const auto page = turn_.store.runs(after, kRunsAtOnce);
      if (!page) return page.error();
      is_over = page->size() < kRunsAtOnce;
      for (const StoredRunInfo& run : *page) {
        after = run.id;
        if (!run.id.starts_with(parts)) {
          is_over = true;
          break;
        }
        const auto replies = used_replies(turn_.store, run.id);
        if (!replies) return replies.error();
        used += replies->size();
      }
    }
    model_.source->skip("", used);
    return {};
  }

  Result<chain::ChainOptions> options() const {
    std::string message;
    auto options = setup_.options(id_, message);
    if (!options) return Error{Errc::invalid_value, message, std::nullopt, {}};
    for (chain::ChainTool& tool : options->tools) {
      tool.effect = chosen_effect(work_.tools, tool.name).value_or(tool.effect);
    }
    options->policy.has_person = true;
    options->clock = turn_.now_ms;
    options->memory_bytes = setup_.limits->memory_bytes;
    auto approved = approved_signatures(turn_.store, own_place());
    if (!approved) return approved.error();
    options->policy.approved_signatures = *std::move(approved);
    const auto has_context = chain::has_context(turn_.store, id_);
    if (!has_context) return has_context.error();
    if (!*has_context) {   // a task goes on without a memory, too
      static_cast<void>(recall_context(turn_.store, own_place(), setup_.input, id_, options->context));
    }
    return *std::move(options);
  }

  // Returns the store as the tenant of the run sees it.
  StoreOptions own_place() const {
    StoreOptions own = place_;
    const auto queued = queued_run(store_, id_);
    if (queued && *queued && !(*queued)->tenant.empty()) own.tenant = (*queued)->tenant;
    return own;
  }

  std::string agent_runs() const { return id_ + "/agents/"; }

  StepAgentTask agents_of(const chain::ChainOptions& options) const {
    StepAgentTask task{.tools = setup_.agent_tools(), .policy = options.policy, .program_limits = *setup_.limits};
    for (loop::AgentTool& tool : task.tools) tool.command.clear();
    task.effect_of = [this](std::string_view tool) { return chosen_effect(work_.tools, tool); };
    task.keeps_requests = [this](std::string_view agent) { return model_.source->keeps_requests(agent); };
    task.clock = turn_.now_ms;
    task.runs = agent_runs();
    task.budget = &*budget_;
    return task;
  }

  // Drives the chain until it ends, waits for what nobody has said, or must be left.
  ChainDriver::End drive() {
    const auto failed = [](const Error& error) {
      return ChainDriver::End{ChainDriver::End::Kind::Failed, error, {}};
    };
    auto made = options();
    if (!made) return failed(made.error());
    const std::size_t parallel = made->parallel;
    StepAgentTask agents = agents_of(*made);
    auto started = chain::ChainRun::start(engine_, turn_.store, *std::move(made));
    if (!started) return failed(started.error());
    chain::ChainRun run = *std::move(started);
    ChainDriver driver({.engine = engine_,
                        .store = turn_.store,
                        .model = *model_.source,
                        .choice = model_.choice,
                        .tools = tools_,
                        .agents = std::move(agents),
                        .parallel = parallel,
                        .interrupted = turn_.abandon,
                        .on_moment = {},
                        .on_tick = {},
                        .on_reply = [this](const ChainReply& reply) { return budget_->keep(turn_.store, id_, reply); },
                        .log = &*log_,
                        .rates = &rates_,
                        .draining = &turn_.leave,
                        .clock = turn_.now_ms,
                        .budget = &*budget_});
    ChainDriver::End end;
    for (bool goes_on = true; goes_on;) {
      end = driver.drive(run);
      if (end.kind != ChainDriver::End::Kind::Waits) break;
      const auto read = read_letters(run);
      if (!read) return failed(read.error());
      goes_on = *read;
    }
    operations_ = run.operations();
    if (const auto& outcome = run.outcome()) report_ = outcome->report;
    return end;
  }

  // Tells the chain what people have said about what it waits for. Returns whether that was something.
  Result<bool> read_letters(chain::ChainRun& run) {
    if (auto heard = log_->hear(); !heard) return heard.error();
    bool has_said = false;
    for (const ChainOperation& operation : run.operations()) {
      for (const ChainLetter& letter : log_->letters()) {
        if (letter.key != operation.key) continue;
        const auto told = tell(run, operation, letter);
        if (!told) return told.error();
        has_said = *told || has_said;
        if (*told) break;
      }
    }
    return has_said;
  }

  // Returns whether the letter is about the operation.
  Result<bool> tell(chain::ChainRun& run, const ChainOperation& operation, const ChainLetter& letter) {
    Result<void> said;
    if (operation.kind == OperationKind::Doubt) {
      if (!letter.doubt || letter.attempt != operation.attempt) return false;
      said = run.settle(operation.id, *letter.doubt, letter.output);
    } else {
      if (operation.kind != OperationKind::Question || letter.answer.empty()) return false;
      if (chain::read_confirmation(letter.answer).is_lasting) {   // first: the answer is not read again
        said = approve_signature(turn_.store, own_place(), operation.signature, true, letter.by);
      }
      if (said) said = run.answer(operation.id, json::value(letter.answer));
    }
    if (!said && said.error().code == Errc::store_failed) return said.error();
    return static_cast<bool>(said);   // a letter that the chain refuses changes nothing
  }

  // Leaves the run as the drive has ended. nullopt: something has arrived, and the chain goes on.
  std::optional<HostTurnEnd> leave(const ChainDriver::End& end) {
    using Kind = ChainDriver::End::Kind;
    if (end.kind == Kind::Failed) return failed(*end.error);
    if (end.kind == Kind::Ended) return ended();
    if (turn_.abandon.load()) return turn_in_the_middle("its calls were open");
    const std::vector<std::string> names = waits();
    std::vector<std::string> keys;
    for (const std::string& name : names) keys.push_back("answer/" + name);
    const bool is_soon = end.kind == Kind::Interrupted;
    const auto parked = log_->park(keys, is_soon ? std::optional(turn_.now_ms()) : end.due_ms);
    if (!parked) return failed(parked.error());
    if (!*parked) return std::nullopt;
    if (end.kind == Kind::ModelFailed) return turn_failed("the model: " + end.message);
    if (is_soon) return turn_in_the_middle("");
    HostTurnEnd out;
    for (const std::string& name : names) out.text += (out.text.empty() ? "" : ", ") + name;
    const auto is_doubt = [](const ChainOperation& operation) { return operation.kind == OperationKind::Doubt; };
    if (std::ranges::any_of(operations_, is_doubt)) out.kind = HostTurnEnd::Kind::InDoubt;
    return out;
  }

  // Returns what people are asked, as lists show it.
  std::vector<std::string> waits() const {
    std::vector<std::string> out;
    for (const ChainOperation& operation : operations_) {
      const bool is_of_agent = !operation.path.empty();
      if (is_of_agent) out.push_back(chain::asked_question(operation).name);
      if (operation.kind == OperationKind::Doubt && !is_of_agent) out.push_back("doubt:" + operation.step);
      if (operation.kind == OperationKind::Question) out.push_back("confirm:" + operation.step);
    }
    return out;
  }

  // A worker that has lost the run may have been told late what became of a call: the next one looks again.
  HostTurnEnd failed(const Error& error) const {
    if (error.detail == "store_fenced") {
      static_cast<void>(ChainJobLog::tell(store_, id_, {}, turn_.now_ms()));   // without it, a person says it
    }
    return turn_refused(error);
  }

  // A task without success is not tried again: that would cost again.
  HostTurnEnd ended() {
    if (const auto done = log_->end(); !done) return turn_refused(done.error());
    if (report_.at("success").as_bool()) return turn_ended();
    return turn_given_up("the task ended without success: " + std::string(report_.at("summary").as_string()));
  }

  const Engine& engine_;
  const Store& store_;
  const AgentWork& work_;
  const StoreOptions& place_;
  const HostTurn& turn_;
  const std::string id_;
  loop::RateLimits rates_;
  bool has_begun_ = false;                   // a worker has begun the task before
  ChainSetup setup_;
  CommandTools tools_;
  OpenedModel model_;
  std::optional<ChainBudget> budget_;
  std::optional<ChainJobLog> log_;
  std::vector<ChainOperation> operations_;   // that were open when the drive ended
  json::object report_;
};

class ChainHost final : public WorkerHost {
 public:
  ChainHost(const Engine& engine, const Store& store, const AgentWork& work, const StoreOptions& place)
      : engine_(engine), store_(store), work_(work), place_(place) {}
  HostTurnEnd execute(const HostTurn& turn) override {
    return ChainTurn(engine_, store_, work_, place_, turn).execute();
  }

 private:
  const Engine& engine_;
  const Store store_;
  const AgentWork& work_;
  const StoreOptions& place_;
};

}  // namespace

std::function<std::unique_ptr<WorkerHost>()> chain_hosts(const Engine& engine, const Store& store,
                                                         const AgentWork& work, const StoreOptions& place) {
  return [&engine, store, &work, &place]() -> std::unique_ptr<WorkerHost> {
    return std::make_unique<ChainHost>(engine, store, work, place);
  };
}

}  // namespace ptcvm::cli
