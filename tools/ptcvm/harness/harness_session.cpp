#include "tools/ptcvm/harness/harness_session.h"

#include <boost/json.hpp>
#include <iostream>

#include "agents/harness/conversation_json.h"
#include "agents/harness/peer_transport.h"
#include "agents/harness/turn.h"
#include "drivers/http/web_guard.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/harness/harness_remote.h"
#include "tools/ptcvm/text/json_file.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {

namespace json = boost::json;

namespace {

// Prints each message; the script that reads it carries it.
class PrintedTransport final : public harness::Transport {
 public:
  Result<json::object> send(const json::object& message) override {
    std::cout << json::serialize(json::object{{"message", message}}) << '\n';
    const std::string state = harness::turn_after(harness::next_state_of(message)).sender;
    return json::object{{"history", json::array{message}}, {"status", {{"state", state}}}};
  }
  Result<std::optional<json::object>> task() override { return std::optional<json::object>{}; }
  Result<std::optional<bool>> arrived(std::string_view) override { return std::optional<bool>{}; }
};

}  // namespace

// A decision that is written with others later is on the disk when the command ends.
HarnessSession::~HarnessSession() {
  if (conversation_) static_cast<void>(HostLog(conversation_->log()).flush());
}

harness::Author HarnessSession::author() const { return {now_millis(), arguments_.store.by}; }

std::optional<int> HarnessSession::open(StoreUse use) {
  int status = kSuccess;
  store_ = store_of(arguments_.store, use, status);
  if (!store_) return status;
  auto opened = harness::Conversation::open(HostLog::of(*store_, arguments_.store.id));
  if (!opened) return refuse_error(opened.error());
  if (use == StoreUse::Existing && opened->view().log_seq() == 0) {
    return refuse_input("the store has no conversation " + arguments_.store.id + "; begin it with harness run or say");
  }
  conversation_ = *std::move(opened);
  if (!arguments_.remote.empty()) {
    std::string message;
    transport_ = remote_transport(arguments_.remote, *conversation_, message);
    if (transport_ == nullptr) return refuse_input(message);
  } else if (arguments_.peer.empty()) {
    transport_ = std::make_unique<PrintedTransport>();
  } else {
    auto peer = harness::Conversation::open(HostLog::of(*store_, arguments_.peer));
    if (!peer) return refuse_error(peer.error());
    transport_ = std::make_unique<harness::PeerTransport>(*std::move(peer), now_millis, arguments_.store.id,
                                                          &*conversation_);
  }
  outbox_ = std::make_unique<harness::Outbox>(*conversation_, transport_.get(), [](std::int64_t) {},
                                              drivers::random_secret);
  outbox_->trace().planner_type = arguments_.planner.empty() ? "off" : arguments_.planner;
  if (const auto recovered = outbox_->recover(author()); !recovered) return refuse_error(recovered.error());
  return std::nullopt;
}

int HarnessSession::report() {
  const auto read = conversation_->refresh();
  if (!read) return refuse_error(read.error());
  const harness::ConversationView& view = conversation_->view();
  json::object state = harness::state_json(view, {});
  const json::string status = state.at("status").as_string();
  const bool waits = status == "draft" || status == "question" || status == "waiting" || status == "frozen";
  if (status == "frozen") {
    std::cerr << "ptcvm: planning is frozen, because the conversation has " << view.counted()
              << " facts; regenerate, or begin another conversation\n";
  }
  std::cout << json::serialize(state) << '\n';
  return waits ? kSuspended : kSuccess;
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
