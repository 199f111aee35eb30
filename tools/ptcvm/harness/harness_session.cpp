#include "tools/ptcvm/harness/harness_session.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>

#include "agents/harness/conversation/settled_doubts.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/facts/turn.h"
#include "agents/harness/people/conversation_json.h"
#include "agents/harness/sending/peer_transport.h"
#include "drivers/http/web_guard.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/harness/harness_remote.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/doubt_text.h"
#include "tools/ptcvm/text/json_file.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/shell_arguments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {

namespace json = boost::json;

namespace {

// Prints each message; the script that reads it carries it.
class PrintedTransport final : public harness::Transport {
 public:
  // The conversation must outlive the transport. When a server got earlier messages, a person may have forgotten it.
  explicit PrintedTransport(const harness::Conversation& conversation) : conversation_(conversation) {}
  Result<json::object> send(const json::object& message) override {
    const std::string& remote = conversation_.view().remote();
    if (!remote.empty()) {
      complain("the message is printed, and " + remote + " does not get it: a script carries it; --remote sends one");
    }
    std::cout << json::serialize(json::object{{"message", message}}) << std::endl;
    if (!std::cout) {
      return Error{Errc::wrong_state, "the message is not sent: standard output cannot be written", std::nullopt, {}};
    }
    const std::string state = harness::turn_after(harness::next_state_of(message)).sender;
    return json::object{{"history", json::array{message}}, {"status", {{"state", state}}}};
  }
  Result<std::optional<json::object>> task() override { return std::optional<json::object>{}; }
  Result<std::optional<bool>> arrived(std::string_view) override { return std::optional<bool>{}; }
  std::string place() const override { return "output"; }

 private:
  const harness::Conversation& conversation_;
};

// Returns what the person can type next: what to do with each draft that waits, and how to answer the question unless
// planning is frozen. "" when nothing of that waits. show_flights() has the commands for messages in flight.
std::string next_of_conversation(const HarnessArguments& arguments, const harness::ConversationView& view) {
  const std::string& id = arguments.store.id;
  const auto command = [&](std::string_view name, const std::string& words) {
    const std::string where = store_words(arguments.store) + " --id " + shell_quoted(id);
    return "      ptcvm harness " + std::string(name) + ' ' + where + words + '\n';
  };
  const auto shown = [](const json::object& fact, std::string_view member) {
    return one_line(cut_text(std::string(harness::text_of(fact, member)))) + '\n';
  };
  std::string other_side;
  if (!arguments.peer.empty()) other_side = " --peer " + shell_quoted(arguments.peer);
  const std::string& remote = arguments.remote.empty() && other_side.empty() ? view.remote() : arguments.remote;
  if (!remote.empty()) other_side = " --remote " + shell_quoted(remote);
  std::string text;
  for (const std::string& draft : view.unsent_drafts()) {
    const harness::DraftState* const state = view.draft(draft);
    const harness::Fact* const fact = state == nullptr ? nullptr : view.fact_at(state->seq);
    if (fact == nullptr || !state->in_flight.empty()) continue;
    text += "  the draft " + one_line(draft) + ": " + shown(fact->body, "text");
    text += "    send it:\n" + command("approve", ' ' + shell_quoted(draft) + other_side);
    text += "    give it up:\n" + command("dismiss", ' ' + shell_quoted(draft));
  }
  const bool is_frozen = harness::waits_for(view, {}) == "frozen";   // no planner would read the answer
  if (const harness::Fact* const question = is_frozen ? nullptr : view.question_to_answer()) {
    const std::string qid(harness::text_of(question->body, "qid"));
    text += "  the question " + one_line(qid) + ": " + shown(question->body, "prompt");
    text += command("answer", ' ' + shell_quoted(qid) + " TEXT");
  }
  if (text.empty()) return text;
  text.pop_back();
  return id + " waits for:\n" + text;
}

// Returns whether the planner of another conversation may have a run of that name: X/planner, X/planner-0-1-2.
bool is_of_planner(std::string_view id) {
  const std::size_t slash = id.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return false;
  std::string_view part = id.substr(slash);
  constexpr std::string_view kPlanner = "/planner";
  if (!part.starts_with(kPlanner)) return false;
  part.remove_prefix(kPlanner.size());
  return part.empty() || (part.front() == '-' && part.find_first_not_of("-0123456789") == std::string_view::npos);
}

}  // namespace

// A decision that is written with others later is on the disk when the command ends.
HarnessSession::~HarnessSession() {
  if (conversation_) static_cast<void>(HostLog(conversation_->log()).flush());
}

harness::Author HarnessSession::author() const { return {now_millis(), arguments_.store.by}; }

std::optional<int> HarnessSession::open(StoreUse use, bool for_planning) {
  int status = kSuccess;
  store_ = store_of(arguments_.store, use, status);
  if (!store_) return status;
  auto opened = harness::Conversation::open(HostLog::of(*store_, arguments_.store.id));
  if (!opened) return refuse_error(opened.error());
  if (use == StoreUse::Existing && opened->view().log_seq() == 0) {
    return refuse_input("the store has no conversation " + arguments_.store.id + "; begin it with harness run or say");
  }
  if (const auto is_one = check_conversation(*store_, *opened); !is_one) return refuse_error(is_one.error());
  const auto doubts = store_->doubts(harness::planner_run(arguments_.store.id));
  if (!doubts && for_planning) return refuse_error(doubts.error());
  conversation_ = *std::move(opened);
  if (!arguments_.remote.empty()) {
    std::string message;
    transport_ = remote_transport(arguments_.remote, *conversation_, message);
    if (transport_ == nullptr) return refuse_input(message);
  } else if (arguments_.peer.empty()) {
    transport_ = std::make_unique<PrintedTransport>(*conversation_);
  } else {
    auto opened_peer = peer_transport(*store_, arguments_.peer, *conversation_);
    if (!opened_peer) return refuse_error(opened_peer.error());
    transport_ = *std::move(opened_peer);
  }
  outbox_ = std::make_unique<harness::Outbox>(*conversation_, transport_.get(), [](std::int64_t) {},
                                              drivers::random_secret, now_millis);
  outbox_->trace().planner_type = arguments_.planner.empty() ? "off" : arguments_.planner;
  if (const auto recovered = outbox_->recover(author()); !recovered) return refuse_error(recovered.error());
  return std::nullopt;
}

// Returns a command for this conversation, as words of a shell.
std::string HarnessSession::command(std::string_view name) const {
  return "ptcvm harness " + std::string(name) + ' ' + store_words(arguments_.store) + " --id " +
         shell_quoted(arguments_.store.id);
}

void HarnessSession::show_flights() const {
  for (const harness::Sending& sending : harness::sends_in_flight(conversation_->view())) {
    const std::string settle = "\n      " + command("settle") + ' ' + shell_quoted(sending.compose_id);
    const harness::DraftState& draft = conversation_->view().drafts().at(sending.compose_id);
    const bool is_sent_now = harness::may_be_sending(*conversation_, draft, now_millis());
    std::cerr << "  the message of the draft " << sending.compose_id << " is in flight: "
              << (is_sent_now ? draft.sender + " sends it; when that has stopped, and nobody knows whether it arrived:"
                              : "nobody knows whether it arrived")
              << "\n    it arrived:" << settle << " arrived\n"
              << "    it did not, and the draft may be sent again:" << settle << " lost\n";
  }
}

void HarnessSession::show_call() const {
  const std::string run = harness::planner_run(arguments_.store.id);
  const auto doubts = store_->doubts(run);
  for (const JournalCall& doubt : doubts ? *doubts : std::vector<JournalCall>()) {
    std::cerr << doubt_text(arguments_.store, run, doubt) << '\n';
  }
  const std::string qid = conversation_->view().question_about_call();
  if (!qid.empty()) {
    std::cerr << "  answer the question about the call, with its result as JSON, or no:\n      " << command("answer")
              << ' ' << shell_quoted(qid) << " JSON\n";
  }
  if (conversation_->view().is_job()) return;   // a worker goes on by itself
  std::cerr << "  then let the planner go on:\n      " << command("run") << " --planner PLANNER\n";
}

void HarnessSession::show_frozen() const {
  const harness::ConversationView& view = conversation_->view();
  const bool is_enough = view.counted_after_regenerating() < harness::EvaluateRules().most_facts;
  std::cerr << "ptcvm: planning is frozen, because the conversation has " << view.counted() << " facts; "
            << (is_enough ? "what the planner did since the last message can be forgotten"
                          : "begin another conversation, or forget everything that was said")
            << ":\n      " << command(is_enough ? "regenerate" : "clear") << '\n';
}

void HarnessSession::show_given_up() const {
  const json::object& error = conversation_->view().given_up()->body;
  std::cerr << "ptcvm: the planner failed: " << harness::text_of(error, "code") << ": "
            << one_line(std::string(harness::text_of(error, "message"))) << "\n  it failed " << harness::kMostAttempts
            << " times, and does not try again by itself; ";
  const bool may_be_told = !conversation_->view().is_unbegun();   // a conversation with a whisper has begun
  std::cerr << (may_be_told ? "tell it what to do otherwise, or let it begin anew:\n" : "let it begin anew:\n");
  if (may_be_told) std::cerr << "      " << command("whisper") << " TEXT\n";
  std::cerr << "      " << command("regenerate") << '\n';
  const json::object* const fault = harness::object_at(error, "fault");
  if (fault != nullptr && harness::text_of(*fault, "kind") == "unknown_tool") {
    std::cerr << "  a program has the tools that --tool NAME=COMMAND and --tools FILE give it\n";
  }
  if (conversation_->view().is_job()) return;   // a worker plans by itself
  std::cerr << "  then let it plan:\n      " << command("run") << " --planner PLANNER\n";
}

int HarnessSession::refuse(const Error& error) {
  const int status = refuse_error(error);
  const bool is_readable = error.code != Errc::store_failed && error.code != Errc::seal_refused;
  if (is_readable) report(error.detail == harness::kCallUnknown);
  return status;
}

void HarnessSession::end_refused() {
  if (has_reported_) return;
  if (conversation_) report();
  if (has_reported_) return;
  json::object state = harness::state_json(harness::ConversationView(), {});
  state["status"] = "none";
  std::cout << json::serialize(state) << std::endl;
}

int in_session(const HarnessArguments& arguments, const std::function<int(HarnessSession&)>& act) {
  HarnessSession session(arguments);
  const int status = act(session);
  if (status == kBadInput || status == kBusy) session.end_refused();
  return status;
}

int HarnessSession::report(bool also_call) {
  const auto read = conversation_->refresh();
  if (!read) return refuse_error(read.error());
  const harness::ConversationView& view = conversation_->view();
  const std::string run = harness::planner_run(arguments_.store.id);
  const auto doubts = store_->doubts(run);
  if (!doubts) return refuse_error(doubts.error());
  json::object state = harness::state_json(view, {});
  json::array& in_doubt = state.at("in_doubt").as_array();
  for (const JournalCall& doubt : *doubts) {   // a process that died told the conversation nothing of it
    const json::value line = json::object{{"run", run}, {"key", doubt.key}};
    if (std::ranges::find(in_doubt, line) == in_doubt.end()) in_doubt.push_back(line);
  }
  const json::string status = state.at("status").as_string();
  const bool waits = status != "over" && status != "turn" && status != "idle";
  show_flights();
  if (also_call || !doubts->empty()) show_call();
  std::cout << json::serialize(state) << std::endl;
  has_reported_ = true;
  const std::string next = waits ? next_of_conversation(arguments_, view) : "";
  if (!next.empty()) complain(next);
  if (status == "frozen") show_frozen();   // last: it ends with the command that lets planning go on
  if (status == "given_up") show_given_up();
  return waits ? kSuspended : kSuccess;
}

Result<bool> is_conversation(const Store& store, const std::string& log) {
  constexpr std::size_t kLookAt = 5;
  const auto facts = HostLog::of(store, log).read(0, kLookAt);
  if (!facts) return facts.error();
  return std::ranges::any_of(*facts, [](const HostFact& fact) {
    return fact.is_of_host && (harness::find_fact_type(fact.name) || fact.name == harness::kSetupNote ||
                               fact.name == harness::kKickoffNote);
  });
}

Result<void> check_new_conversation(const std::string& id) {
  if (!is_of_planner(id)) return {};
  return Error{Errc::invalid_value,
               "no conversation begins under the id " + id + ": runs of the planner of " + id.substr(0, id.rfind('/')) +
                   " have such names; name another one",
               std::nullopt,
               {}};
}

Result<void> check_conversation(const Store& store, const harness::Conversation& conversation) {
  const harness::ConversationView& view = conversation.view();
  const std::string& id = conversation.log().id();
  if (view.log_seq() == 0) return check_new_conversation(id);
  if (view.is_job() || view.generation() != 0) return {};
  const auto is_one = is_conversation(store, id);
  if (!is_one) return is_one.error();
  if (*is_one) return {};
  return Error{Errc::wrong_state,
               id + " is no conversation: the store has a run of that name (`ptcvm runs` lists it); name another one",
               std::nullopt,
               {}};
}

Result<std::unique_ptr<harness::Transport>> peer_transport(const Store& store, const std::string& peer,
                                                           const harness::Conversation& own) {
  if (peer == own.log().id()) return harness::error_of_own_peer(peer);
  const auto other = harness::Conversation::open(HostLog::of(store, peer));
  if (!other) return other.error();
  if (const auto is_one = check_conversation(store, *other); !is_one) return is_one.error();
  auto opened = harness::PeerTransport::open(store, peer, now_millis, own);
  if (!opened) return opened.error();
  return std::unique_ptr<harness::Transport>(*std::move(opened));
}

std::string heard_id(const harness::ConversationView& view) {
  constexpr std::size_t kDigits = 8;
  return "heard-" + std::to_string(view.log_seq() + 1) + "-" + drivers::random_secret().substr(0, kDigits);
}

std::optional<json::object> json_file(const std::string& path, std::string& message) {
  auto value = read_json_file(path, FileBound(), message);
  if (!value) return std::nullopt;
  if (value->is_object()) return std::move(value->get_object());
  message = path + ": the file must have one JSON object";
  return std::nullopt;
}

}  // namespace ptcvm::cli
