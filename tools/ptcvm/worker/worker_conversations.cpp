#include "tools/ptcvm/worker/worker_conversations.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agents/harness/conversation/settled_doubts.h"
#include "agents/harness/people/conversation_json.h"
#include "agents/harness/planners/program_planner.h"
#include "agents/harness/sending/log_transport.h"
#include "agents/harness/sending/peer_transport.h"
#include "drivers/http/web_guard.h"
#include "ptcvm/engine.hpp"
#include "tools/ptcvm/calls/program_tools.h"
#include "tools/ptcvm/harness/conversation_job.h"
#include "tools/ptcvm/harness/conversation_model.h"
#include "tools/ptcvm/harness/harness_pass.h"
#include "tools/ptcvm/harness/harness_planners.h"
#include "tools/ptcvm/text/kept_limits.h"
#include "tools/ptcvm/worker/worker_host_ends.h"

namespace ptcvm::cli {
namespace {

// One turn of one conversation.
class ConversationTurn {
 public:
  ConversationTurn(const Store& store, const AgentWork& work, const HostTurn& turn)
      : store_(store), work_(work), turn_(turn), id_(turn.run), rates_({.requests = work.rate}, store),
        gives_({work.commands, rates_, turn.leave, turn.abandon, turn.now_ms}) {}

  HostTurnEnd execute() {
    auto job = read_conversation_job(turn_.source);
    if (!job) return turn_given_up(job.error().message);
    job_ = *std::move(job);
    if (const auto opened = open(); !opened) return turn_refused(opened.error());
    std::string message;
    if (!make_planner(message)) return turn_failed(message);
    for (;;) {
      try {
        const auto planned = plan();
        if (!planned) return left_by(planned.error());
        if (auto end = leave(std::nullopt)) return *std::move(end);
      } catch (const PassLeft& left) {
        if (auto end = leave(left)) return *std::move(end);
      } catch (const StoreRefused& refused) {
        return turn_refused(refused.error);
      }
    }
  }

 private:
  harness::Author author() const { return {turn_.now_ms(), {}}; }
  const harness::ConversationView& view() const { return conversation_->view(); }

  // Takes the log out of its place of waiting, and settles what was being sent when a worker died.
  Result<void> open() {
    auto opened = harness::Conversation::open(HostLog::of(turn_.store, id_));
    if (!opened) return opened.error();
    conversation_ = *std::move(opened);
    log_.emplace(conversation_->log());
    const auto token = conversation_->claim(turn_.now_ms(), kLeaseMs);
    if (!token) return token.error();
    if (!*token) return Error{Errc::busy, "somebody else writes to the conversation", std::nullopt, {}};
    token_ = **token;
    const auto parked = log_->parked();
    if (!parked) return parked.error();
    if (*parked) {
      if (auto resumed = log_->resumed(HostCut::blind(token_), {}); !resumed) return resumed.error();
    }
    if (auto made = make_transport(); !made) return made;
    outbox_.emplace(*conversation_, transport_.get(), [this](std::int64_t ms) { pause(ms); }, drivers::random_secret,
                    turn_.now_ms);
    outbox_->trace().planner_type = job_.agent ? "agent" : job_.planner.empty() ? "program" : job_.planner;
    if (auto settled = outbox_->recover(author()); !settled) return settled;
    harness_.emplace(*conversation_);
    const bool begins = job_.begins && view().is_unbegun() && !view().is_kickoff_armed();
    return begins ? conversation_->arm_kickoff(author()) : Result<void>();
  }

  // Messages go to the conversation of the other side, or into the log, where a server shows them to a client.
  Result<void> make_transport() {
    if (job_.peer.empty()) {
      transport_ = std::make_unique<harness::LogTransport>();
      return {};
    }
    auto peer = harness::PeerTransport::open(store_, job_.peer, turn_.now_ms, *conversation_);
    if (!peer) return peer.error();
    transport_ = *std::move(peer);
    return {};
  }

  void pause(std::int64_t ms) const {
    constexpr std::int64_t kSlice = 20;
    for (std::int64_t waited = 0; waited < ms && !turn_.leave.load(); waited += kSlice) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kSlice));
    }
  }

  // Opens the model anew for each turn: what it had under way belongs to the conversation.
  bool make_planner(std::string& message) {
    if (!job_.asks_model()) return make_without_model(message);
    auto model = open_model(work_.model, work_.stream, {}, message);
    if (!model) return message = "the model cannot be asked: " + message, false;
    if (job_.agent) {
      planner_ = agent_planner({*job_.agent, *std::move(model), work_.prices}, turn_.store, id_, &gives_, message);
      return planner_ != nullptr;
    }
    model_.emplace(*std::move(model), turn_.store, *conversation_, gives_);
    const auto ask = [this](const harness::ModelQuestion& question) { return model_->ask(question); };
    planner_ = cli::make_planner({job_.planner, job_.config, ask}, turn_.store, *conversation_, message);
    return planner_ != nullptr;
  }

  bool make_without_model(std::string& message) {
    if (!job_.planner.empty()) {
      planner_ = cli::make_planner({job_.planner, job_.config, {}}, turn_.store, *conversation_, message);
      return planner_ != nullptr;
    }
    auto tools = program_tools(work_.tools, turn_.abandon, message);
    if (!tools) return false;
    harness::FactProgramOptions options;
    options.id = harness::planner_run(id_);
    options.source = job_.program;
    options.tools = *std::move(tools);
    options.limits = smaller_limits(Limits(), work_.most_limits);
    planner_ = std::make_unique<harness::ProgramPlanner>(
        harness::FactProgram(Engine(), turn_.store, *conversation_, std::move(options)), turn_.now_ms);
    return true;
  }

  // Plans until the planner waits for somebody.
  Result<void> plan() {
    if (turn_.leave.load()) throw PassLeft{};
    if (auto sent = outbox_->set_mode(job_.mode, author()); !sent) return sent;
    if (auto told = harness::tell_settled_doubts(*conversation_, turn_.store, author()); !told) return told;
    const PassParts parts{*conversation_, *outbox_, *harness_, *planner_, turn_.now_ms};
    for (int pass = 0; pass < kMostPasses; ++pass) {
      if (turn_.leave.load()) throw PassLeft{};
      const auto more = plan_once(parts, author());
      if (!more) return more.error();
      if (!*more) return {};
    }
    return {};
  }

  // A message that could not be sent stays with its draft, and people see why.
  HostTurnEnd left_by(const Error& error) {
    if (error.code == Errc::store_failed) return turn_refused(error);
    auto end = leave(std::nullopt);
    return end ? *std::move(end) : turn_in_the_middle(error.message);
  }

  // Leaves the log. nullopt: something has come, and the planner goes on.
  std::optional<HostTurnEnd> leave(const std::optional<PassLeft>& left) {
    harness_.emplace(*conversation_);   // gives a pass back that was left
    if (turn_.abandon.load()) return turn_in_the_middle("its calls were open");
    const bool is_soon = left && left->due_ms == 0;
    const auto over = left ? std::nullopt : idle_until();
    if (over && turn_.now_ms() >= *over) return ended();
    HostParked parked;
    parked.observed_seq = view().log_seq();
    parked.wait_keys = wait_keys();
    parked.deadline_ms = left ? std::max(left->due_ms, turn_.now_ms()) : earliest(over, view().next_timer());
    const auto result = log_->park({token_, view().log_seq()}, {}, parked);
    if (!result) return turn_refused(result.error());
    if (!result->is_parked) {
      const auto read = conversation_->refresh();
      return read ? std::nullopt : std::optional(turn_refused(read.error()));
    }
    if (is_soon) return turn_in_the_middle("");
    HostTurnEnd end;
    end.text = harness::waits_for(view(), {});
    return end;
  }

  std::optional<HostTurnEnd> ended() {
    const HostFact fact = harness::host_fact(HostFactClass::Control, std::string(harness::kEndNote), "", {}, author());
    const auto done = log_->ended(HostCut::blind(token_), {&fact, 1});
    if (!done) return turn_refused(done.error());
    return turn_ended();
  }

  // A letter wakes the log; the other keys say to people what the conversation waits for.
  std::vector<std::string> wait_keys() const {
    std::vector<std::string> keys{harness::letter_key(view().letters() + 1)};
    for (const std::string& draft : view().unsent_drafts()) keys.push_back("answer/approve:" + draft);
    const harness::Fact* const question = view().question_to_answer();
    if (question != nullptr) keys.push_back("answer/" + std::string(harness::text_of(question->body, "qid")));
    return keys;
  }

  static std::optional<std::int64_t> earliest(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    return a && b ? std::min(*a, *b) : a ? a : b;
  }

  // Returns when the conversation is over if nobody says anything; nullopt: something is open, or it is never over.
  std::optional<std::int64_t> idle_until() const {
    const std::string_view waits = harness::waits_for(view(), {});
    const bool is_open = waits == "draft" || waits == "question" || waits == "waiting" || view().in_flight() != 0;
    if (!job_.idle_ms || is_open || view().facts().empty()) return std::nullopt;
    return view().facts().back().time_ms + *job_.idle_ms;
  }

  static constexpr std::int64_t kLeaseMs = 60'000;   // the lease of the worker counts
  const Store& store_;
  const AgentWork& work_;
  const HostTurn& turn_;
  const std::string id_;
  loop::RateLimits rates_;
  const PlannerWork gives_;
  ConversationJob job_;
  std::optional<harness::Conversation> conversation_;
  std::optional<HostLog> log_;
  std::uint64_t token_ = 0;
  std::unique_ptr<harness::Transport> transport_;
  std::optional<harness::Outbox> outbox_;
  std::optional<harness::Harness> harness_;
  std::optional<ConversationModel> model_;
  std::unique_ptr<harness::Planner> planner_;
};

class ConversationHost final : public WorkerHost {
 public:
  ConversationHost(const Store& store, const AgentWork& work) : store_(store), work_(work) {}
  HostTurnEnd execute(const HostTurn& turn) override { return ConversationTurn(store_, work_, turn).execute(); }

 private:
  const Store store_;
  const AgentWork& work_;
};

}  // namespace

std::function<std::unique_ptr<WorkerHost>()> conversation_hosts(const Store& store, const AgentWork& work) {
  return [store, &work]() -> std::unique_ptr<WorkerHost> { return std::make_unique<ConversationHost>(store, work); };
}

}  // namespace ptcvm::cli
