#include "conversation.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <utility>

#include "agents/loop/stored_events.h"
#include "ptcvm/json.hpp"

namespace loop = ptcvm::loop;
namespace json = boost::json;
using loop::Operation;
using loop::OperationKind;

namespace {

constexpr std::int64_t kLeaseMs = std::int64_t{24} * 3600 * 1000;   // the store notices a process that is gone

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

// Takes the stream of one request. When a page is slow, it has no place, and the stream waits.
class Conversation::Reply : public ptcvm::drivers::HttpReceiver {
 public:
  Reply(std::weak_ptr<Conversation> conversation, std::string path)
      : conversation_(std::move(conversation)), path_(std::move(path)) {
    reply_.status = 0;
  }
  void take_head(int status, const ptcvm::wire::Headers& headers) override {
    reply_.status = status;
    reply_.headers = headers;
  }
  bool take_bytes(std::string_view bytes) override {
    const auto conversation = conversation_.lock();
    if (conversation == nullptr) return true;
    if (!conversation->feed_.has_room()) return false;
    if (reply_.status == 200) conversation->run_->chunk(path_, bytes);
    reply_.body += bytes;
    return true;
  }
  void take_end(const std::optional<ptcvm::drivers::HttpFailure>& failure) override {
    reply_.is_cut = failure.has_value();
    if (failure && reply_.status == 0) reply_.body = failure->message;
    if (const auto conversation = conversation_.lock()) conversation->take_reply(path_, reply_);
  }

 private:
  std::weak_ptr<Conversation> conversation_;
  std::string path_;
  loop::ModelReply reply_;
};

Conversation::Conversation(House house, std::string id)
    : house_(house), id_(std::move(id)), attempt_(house.io) {
  feed_.set_on_event([this] {
    for (boost::asio::steady_timer* const waiter : waiters_) waiter->cancel();
  });
  feed_.set_on_room([this] {
    for (const auto& [path, call] : coming_) model_->resume(call);
  });
}

ptcvm::Result<loop::Agent> Conversation::made_agent() {
  loop::AgentOptions options;
  options.model = house_.models.choice;
  options.on_token = [this](std::string_view agent, std::string_view text) { feed_.on_token(agent, text); };
  return loop::Agent::make(house_.engine, house_.definition, std::move(options));
}

ptcvm::Result<void> Conversation::open() {
  const auto known = loop::StoredAgent::stored_definition(house_.store, id_);
  if (!known) return known.error();
  return *known ? begin("{}") : ptcvm::Result<void>();
}

// Counts the replies that the run has used, for a script that is read from its beginning.
ptcvm::Result<std::size_t> Conversation::used_replies() const {
  std::size_t replies = 0;
  for (std::uint64_t after = 0;;) {
    const auto page = loop::stored_events(house_.store, id_, after);
    if (!page) return page.error();
    replies += static_cast<std::size_t>(std::count_if(
        page->events.begin(), page->events.end(),
        [](const loop::RunEvent& event) { return event.kind == loop::RunEventKind::ModelEnd && event.is_ok; }));
    if (page->is_all) return replies;
    after = page->seen;
  }
}

// Begins a run with this data, or goes on with the run of the store, which has data of its own.
ptcvm::Result<void> Conversation::begin(std::string data_json) {
  const auto agent = made_agent();
  if (!agent) return agent.error();
  loop::StoredAgentOptions options;
  options.start.id = id_;
  options.start.data_json = std::move(data_json);
  options.lease_ms = kLeaseMs;
  options.clock = now_ms;
  auto run = loop::StoredAgent::open(*agent, house_.store, std::move(options));
  if (!run) return run.error();
  const auto replies = used_replies();
  if (!replies) return replies.error();
  model_ = house_.models.make(*replies);
  run_.emplace(std::move(*run));
  return go_on();
}

ptcvm::Result<void> Conversation::say(std::string_view text) {
  if (!run_) return begin(json::serialize(json::object{{"message", text}}));
  if (auto said = run_->input(text); !said) return said;
  return go_on();
}

ptcvm::Result<void> Conversation::answer(std::string_view path, bool allow, std::string_view why) {
  if (!run_) return ptcvm::Error{ptcvm::Errc::unknown_operation, "the conversation has not begun", std::nullopt, {}};
  auto answered = allow ? run_->resolve(path, ptcvm::Value::of(true)) : run_->reject(path, why);
  return answered ? go_on() : answered;
}

// Steps the run and does what it asks for, until it waits for somebody.
ptcvm::Result<void> Conversation::go_on() {
  for (bool has_called = true; has_called;) {
    has_called = false;
    if (const auto state = run_->step(); !state) return state.error();
    if (auto published = publish(); !published) return published;
    for (const Operation& order : run_->take_orders()) {
      if (order.kind == OperationKind::Model) {
        ask(order);
        continue;
      }
      if (auto called = call_tool(order); !called) return called;
      has_called = true;
    }
  }
  wait_for_next_attempt();
  return {};
}

void Conversation::ask(const Operation& request) {
  coming_[request.path] = model_->ask(request, std::make_shared<Reply>(weak_from_this(), request.path));
}

void Conversation::take_reply(const std::string& path, const loop::ModelReply& reply) {
  coming_.erase(path);
  if (auto told = run_->resolve_model(path, reply); !told) return complain(told.error());
  if (auto went_on = go_on(); !went_on) complain(went_on.error());
}

ptcvm::Result<void> Conversation::call_tool(const Operation& call) {
  const auto answer = house_.bank.call(call.tool, call.key, call.args_json);
  if (!answer) return run_->reject(call.path, answer.error().message);
  return run_->resolve(call.path, ptcvm::Value::of(*answer));
}

// Tells the readers what the log has new, and what is waited for when that has changed.
ptcvm::Result<void> Conversation::publish() {
  for (bool is_all = false; !is_all;) {
    auto page = loop::stored_events(house_.store, id_, seen_);
    if (!page) return page.error();
    for (loop::RunEvent& event : page->events) feed_.tell(std::move(event));
    seen_ = page->seen;
    is_all = page->is_all;
  }
  std::string now;
  const auto events = present();
  for (const loop::RunEvent& event : events) now += server_sent_event(event);
  if (std::exchange(told_, now) == now) return {};
  for (const loop::RunEvent& event : events) feed_.tell(event);
  return {};
}

std::vector<loop::RunEvent> Conversation::present() const {
  if (!run_) return {};
  std::vector<loop::RunEvent> events = {loop::waiting(run_->run())};
  if (run_->run().state() == loop::AgentState::Ended) events.push_back(loop::ended(run_->run()));
  return events;
}

// A provider may ask to be tried again later.
void Conversation::wait_for_next_attempt() {
  std::optional<std::int64_t> due;
  for (const Operation& operation : run_->run().operations()) {
    if (operation.kind == OperationKind::Timer) due = std::min(due.value_or(operation.due_ms), operation.due_ms);
  }
  if (!due) return;
  attempt_.expires_after(std::chrono::milliseconds(std::max<std::int64_t>(0, *due - now_ms())));
  attempt_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || self == nullptr) return;
    auto went_on = self->run_->advance();
    if (went_on) went_on = self->go_on();
    if (!went_on) self->complain(went_on.error());
  });
}

// A store that fails, or another process that has taken the run: the page is told, and the next process goes on.
void Conversation::complain(const ptcvm::Error& error) {
  std::cerr << "embed-chat: conversation " << id_ << ": " << error.message << '\n';
  feed_.tell({loop::RunEventKind::Ended, {}, error.message, R"({"reason": "server_failed"})", false});
}
