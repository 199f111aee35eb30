#include "tools/ptcvm/harness/harness_room.h"

#include <boost/asio/post.hpp>
#include <boost/json.hpp>
#include <charconv>

#include "agents/harness/facts/json_members.h"
#include "agents/harness/people/conversation_json.h"
#include "agents/harness/sending/senders.h"
#include "tools/ptcvm/harness/harness_session.h"
#include "tools/ptcvm/harness/harness_web_reply.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::int64_t kAskAgainMs = 1'000;   // how often the other side is asked, and a busy log tried again

std::string event_of(std::string_view id, std::string_view name, const json::object& data) {
  std::string event = id.empty() ? "" : "id: " + std::string(id) + "\n";
  return event + "event: " + std::string(name) + "\ndata: " + json::serialize(data) + "\n\n";
}

// What "generation-seq" names; nullopt: it is no id of an event.
struct EventPlace {
  std::uint64_t generation = 0, seq = 0;
};
std::optional<EventPlace> event_place(std::string_view id) {
  EventPlace place;
  const char* const end = id.data() + id.size();
  const auto generation = std::from_chars(id.data(), end, place.generation);
  if (generation.ec != std::errc() || generation.ptr == end || *generation.ptr != '-') return std::nullopt;
  const auto seq = std::from_chars(generation.ptr + 1, end, place.seq);
  if (seq.ec != std::errc() || seq.ptr != end) return std::nullopt;
  return place;
}

// A planner that gave up says so until something comes.
std::optional<harness::Hud> hud_of(const std::optional<harness::Hud>& shown, const harness::ConversationView& view) {
  const harness::Fact* const error = view.given_up();
  if (shown || error == nullptr) return shown;
  return harness::Hud{"waiting", "The planner failed " + std::to_string(harness::kMostAttempts) + " times",
                      std::string(harness::text_of(error->body, "code")) + ": " +
                          std::string(harness::text_of(error->body, "message")) +
                          ". Whisper something or regenerate, and it tries again"};
}

json::value hud_json(const std::optional<harness::Hud>& hud) {
  if (!hud) return nullptr;
  return json::object{{"phase", hud->phase}, {"title", hud->title}, {"body", hud->body}};
}

}  // namespace

Result<std::shared_ptr<HarnessRoom>> HarnessRoom::open(const RoomHouse& house, const std::string& id) {
  auto conversation = harness::Conversation::open(HostLog::of(house.store, id));
  if (!conversation) return conversation.error();
  if (const auto is_one = check_conversation(house.store, *conversation); !is_one) return is_one.error();
  auto setup = RoomSetup::make(house.usual, house.mode);
  if (!setup) return setup.error();
  std::shared_ptr<HarnessRoom> room(new HarnessRoom(house, *std::move(conversation), *std::move(setup)));
  const auto& view = room->conversation_.view();
  room->setup_->take_note(view.setup());
  room->told_seq_ = view.log_seq();
  room->told_generation_ = view.generation();
  if (house.begins && view.is_unbegun() && !view.is_kickoff_armed()) {
    const auto armed = room->conversation_.arm_kickoff({now_millis(), {}});
    if (!armed) return armed.error();
  }
  const std::weak_ptr<HarnessRoom> weak = room;
  asio::io_context* const context = &house.context;
  const auto on_hud = [weak, context](const std::optional<harness::Hud>& hud) {
    asio::post(*context, [weak, hud] {
      if (const auto self = weak.lock()) self->show_hud(hud);
    });
  };
  room->worker_ = std::make_unique<RoomWorker>(house.store, id, house.usual, house.make_transport, on_hud);
  return room;
}

HarnessRoom::HarnessRoom(const RoomHouse& house, harness::Conversation conversation, std::unique_ptr<RoomSetup> setup)
    : house_(house),
      conversation_(std::move(conversation)),
      setup_(std::move(setup)),
      strand_(asio::make_strand(house.workers)) {}

json::object HarnessRoom::state() const {
  json::object state = harness::state_json(conversation_.view(), {});
  state["id"] = conversation_.log().id();
  state["hud"] = hud_json(hud_of(hud_, conversation_.view()));
  state["planning"] = is_planning_ && hud_.has_value();
  state["sending"] = sending_ > 0;
  state["being_sent"] = being_sent();
  state["delivery"] = delivery();
  state["notice"] = notice_;
  state["setup"] = setup_->shown();
  return state;
}

// Returns the drafts that some process may be sending now: nobody settles them.
json::array HarnessRoom::being_sent() const {
  json::array drafts;
  for (const auto& [id, draft] : conversation_.view().drafts()) {
    if (harness::may_be_sending(conversation_, draft, now_millis())) drafts.emplace_back(id);
  }
  return drafts;
}

// Returns what people must know before they approve, or "": a message that nothing here carries counts as sent.
std::string HarnessRoom::delivery() const {
  if (house_.has_other_side || house_.serves_a2a) return {};
  const std::string& remote = conversation_.view().remote();
  return (remote.empty() ? "This server carries no messages: "
                         : remote + " got earlier messages, and does not get this one: ") +
         "an approved message is written into the journal, counts as sent, and a script must carry it. "
         "--remote and --peer send messages.";
}

json::object HarnessRoom::shown() const {
  json::object all = state();
  json::array journal;
  for (const harness::Fact& fact : conversation_.view().facts()) journal.push_back(harness::fact_json(fact));
  all["journal"] = std::move(journal);
  return all;
}

std::string HarnessRoom::facts_event(std::uint64_t after, bool is_reset) const {
  const harness::ConversationView& view = conversation_.view();
  json::array facts;
  for (const harness::Fact& fact : view.facts()) {
    if (is_reset || fact.seq > after) facts.push_back(harness::fact_json(fact));
  }
  if (facts.empty() && !is_reset) return {};
  const std::string id = std::to_string(view.generation()) + "-" + std::to_string(view.log_seq());
  return event_of(id, "facts", {{"reset", is_reset}, {"facts", std::move(facts)}});
}

void HarnessRoom::join(const std::shared_ptr<drivers::WebExchange>& reader, std::string_view last_event) {
  const auto place = event_place(last_event);
  const harness::ConversationView& view = conversation_.view();
  const bool knows = place && place->generation == view.generation() && place->seq <= view.log_seq();
  drivers::WebReply head{200, "text/event-stream", "retry: 500\n\n", page_headers()};
  head.body += facts_event(knows ? place->seq : 0, !knows);
  head.body += event_of("", "state", state());
  reader->stream(std::move(head));
  readers_.insert(reader);
}

void HarnessRoom::tell_state() {
  if (readers_.empty()) return;
  const std::string event = event_of("", "state", state());
  for (const auto& reader : readers_) reader->write(event);
}

void HarnessRoom::tell() {
  const harness::ConversationView& view = conversation_.view();
  const bool is_reset = view.generation() != told_generation_;
  if (!is_reset && view.log_seq() == told_seq_) return;
  setup_->take_note(view.setup());
  const std::string event = facts_event(told_seq_, is_reset);
  told_seq_ = view.log_seq();
  told_generation_ = view.generation();
  for (const auto& reader : readers_) reader->write(event);
  tell_followers();
  tell_state();
}

void HarnessRoom::show_hud(std::optional<harness::Hud> hud) {
  hud_ = std::move(hud);
  tell_state();
}

void HarnessRoom::keep_open() {
  std::erase_if(readers_, [](const auto& reader) { return reader->is_gone(); });
  for (const auto& reader : readers_) reader->write(": still here\n\n");
  for (const Follower& follower : followers_) follower.exchange->write(": still here\n\n");
}

void HarnessRoom::look() {
  const auto read = conversation_.refresh();
  if (!read) {
    notice_ = read.error().message;
    return;
  }
  if (*read) {
    tell();
    is_wanted_ = true;
  }
  if (json::array sent = being_sent(); sent != being_sent_) {
    being_sent_ = std::move(sent);
    tell_state();
  }
  const std::int64_t now_ms = now_millis();
  if (house_.asks_other_side && now_ms >= next_look_ms_) is_wanted_ = true;
  if (!conversation_.view().due_timers(now_ms).empty()) is_wanted_ = true;
  if (is_wanted_ && now_ms >= next_look_ms_) wake();
  if (is_loading_) return;
  const auto due = setup_->due_load(now_ms);
  if (!due) return;
  is_loading_ = true;
  load(due->url, [self = shared_from_this(), due](Result<json::object> document) {
    self->is_loading_ = false;
    self->setup_->loaded(*due, std::move(document));
    self->tell_state();
  });
}

void HarnessRoom::wake() {
  is_wanted_ = true;
  if (is_planning_) return;
  is_planning_ = true;
  is_wanted_ = false;
  asio::post(strand_, [self = shared_from_this(), choice = setup_->choice()] {
    Result<void> done;
    if (self->house_.asks_other_side) done = self->worker_->tick(choice);
    const Result<void> planned = self->worker_->plan(choice, self->house_.stop);
    if (done) done = planned;
    asio::post(self->house_.context, [self, done] { self->planned(done); });
  });
}

void HarnessRoom::planned(Result<void> done) {
  is_planning_ = false;
  const bool is_busy = !done && done.error().code == Errc::busy;
  const std::string notice = done || is_busy ? std::string() : done.error().message;
  next_look_ms_ = !done || house_.asks_other_side ? now_millis() + kAskAgainMs : 0;
  if (is_busy) is_wanted_ = true;
  const bool is_new = notice != notice_;
  notice_ = notice;
  look();
  if (is_new) tell_state();
}

void HarnessRoom::load(const std::string& url, std::function<void(Result<json::object>)> then) {
  asio::post(house_.workers, [self = shared_from_this(), url, then = std::move(then)] {
    auto document = self->house_.fetch(url);
    asio::post(self->house_.context, [then, document = std::move(document)]() mutable { then(std::move(document)); });
  });
}

}  // namespace ptcvm::cli
