// Cases of the journal, of drafts and of sending, with a transport that keeps what it is given.
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "agents/harness/conversation/kickoff.h"
#include "agents/harness/facts/turn.h"
#include "agents/harness/sending/outbox.h"
#include "tests/scenarios/fact_tokens.h"
#include "tests/scenarios/harness_layers.h"

namespace ptcvm::scenarios {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostFacts = 200;

// Takes messages, loses attempts, and may see the process die after a message arrived.
class FakeTransport final : public harness::Transport {
 public:
  // "fail": so many attempts fail first. "crash": the first one that arrives kills the process. "fates": what becomes
  // of the attempts after that, in order; all later ones arrive.
  explicit FakeTransport(const json::object& given) {
    if (given.contains("fail")) fates_.assign(given.at("fail").to_number<std::size_t>(), "net");
    if (given.contains("crash")) fates_.emplace_back("crash_after");
    if (given.contains("fates")) {
      for (const json::value& fate : given.at("fates").as_array()) fates_.push_back(text(fate));
    }
    takes_once_ = given.contains("takes_once");
    knows_ = !given.contains("forgets");
  }

  Result<json::object> send(const json::object& message) override {
    ++attempts;
    message_ids.insert(text(message.at("messageId")));
    const std::string fate = next_fate_ < fates_.size() ? fates_[next_fate_++] : "arrives";
    if (fate == "net") return Error{Errc::not_available, "net", std::nullopt, {}};
    if (fate == "refused") return Error{Errc::wrong_state, "refused", std::nullopt, {}};
    if (fate == "crash_before") throw Killed{};
    if (fate == "settled") return overtaken(message);
    if (fate == "vanished") return Error{Errc::wrong_state, "no answer", std::nullopt, harness::kMayBeSent};
    const bool is_there = arrived(text(message.at("messageId"))).value() == true;
    if (!takes_once_ || !is_there) sent.push_back(message);
    if (fate == "crash_after") throw Killed{};
    if (fate == "settled_there") return overtaken(message);
    if (fate == "lost") return Error{Errc::wrong_state, "no answer", std::nullopt, harness::kMayBeSent};
    if (fate != "arrives") throw std::invalid_argument("unknown fate: " + fate);
    return *task().value();
  }
  Result<std::optional<json::object>> task() override {
    if (sent.empty()) return std::optional<json::object>{};
    const json::object& metadata = sent.back().at("metadata").as_object();
    const std::string state = harness::turn_after(text(metadata.at("nextState"))).sender;
    json::array history(sent.begin(), sent.end());
    json::object task{{"id", "task"}, {"history", std::move(history)}, {"status", {{"state", state}}}};
    return std::optional<json::object>{std::move(task)};
  }
  Result<std::optional<bool>> arrived(std::string_view message_id) override {
    for (const json::object& message : sent) {
      if (text(message.at("messageId")) == message_id) return std::optional<bool>{true};
    }
    return knows_ ? std::optional<bool>{false} : std::optional<bool>{};
  }
  bool takes_each_id_once() const override { return takes_once_; }

  std::int64_t attempts = 0;
  std::set<std::string> message_ids;
  std::vector<json::object> sent;
  std::function<void(const json::object& message)> said_lost;   // a person says that the message was lost

 private:
  // Stands still for so long that a person says what became of the message.
  Result<json::object> overtaken(const json::object& message) const {
    said_lost(message);
    return Error{Errc::wrong_state, "no answer", std::nullopt, harness::kMayBeSent};
  }

  std::vector<std::string> fates_;
  std::size_t next_fate_ = 0;
  bool takes_once_ = false, knows_ = true;
};

bool is_true(const json::object& object, std::string_view name) {
  const json::value* const found = object.if_contains(name);
  return found != nullptr && *found == json::value(true);
}

class StoreFixture {
 public:
  StoreFixture(const json::object& given, const ScenarioStore& store)
      : store_(store), transport_(given) {
    if (given.contains("crash") && text(given.at("crash")) != "in_send") throw std::invalid_argument("unknown crash");
    transport_.said_lost = [this](const json::object& message) { say_lost(text(message.at("messageId"))); };
    if (given.contains("mode")) mode_ = harness::find_send_mode(text(given.at("mode"))).value();
    start();
  }

  Why perform(const json::value& step) {
    try {
      if (step.is_string()) return perform_named(step.get_string());
      return perform_object(step.as_object());
    } catch (const Killed&) {
      return std::nullopt;   // the next step restarts the process
    }
  }

  Why expect(const json::object& then) { return members_hold(then, state()); }

 private:
  struct Process {
    harness::Conversation conversation;
    harness::Outbox outbox;
    harness::Kickoff kickoff;
    Process(harness::Conversation opened, harness::Transport& transport)
        : conversation(std::move(opened)), outbox(conversation, &transport, [](std::int64_t) {}) {}
  };

  harness::Author author() const { return {1'700'000'000'000, {}}; }
  harness::Conversation& conversation() { return process_->conversation; }
  const harness::ConversationView& view() {
    conversation().refresh().value();
    return conversation().view();
  }

  void start() {
    process_.reset();
    auto opened = harness::Conversation::open(HostLog::of(store_.open(), "conversation"));
    process_ = std::make_unique<Process>(std::move(opened).value(), transport_);
    process_->outbox.recover(author()).value();
    process_->outbox.set_mode(mode_, author()).value();
  }

  Why perform_named(std::string_view name) {
    if (name == "restart_process") start();
    else if (name == "tick") process_->outbox.tick(author()).value();
    else if (name == "rewind") conversation().regenerate(author()).value();
    else return "unknown step: " + std::string(name);
    return std::nullopt;
  }

  Why perform_object(const json::object& step) {
    if (step.contains("append")) return append(step);
    if (step.contains("send")) return send(step);
    if (step.contains("kickoff")) return kickoff(step);
    if (step.contains("expect")) return expect(step.at("expect").as_object());
    if (step.size() != 1) return "a step with more than one member";
    const auto& [name, value] = *step.begin();
    if (name == "rewind_error") return failed_as(conversation().regenerate(author()), value);
    if (name == "manual_draft") last_ = harness::draft_by_hand(conversation(), text(value), author()).value();
    else if (name == "draft_via") return draft_via(value == json::value(true));
    else if (name == "in_flight") begin_flight(text(value));
    else if (name == "dismiss") dismiss(value);
    else if (name == "arrived") settle(value, harness::KnownFate::Arrived);
    else if (name == "lost") settle(value, harness::KnownFate::Lost);
    else if (name == "mode") process_->outbox.set_mode(mode_ = *harness::find_send_mode(text(value)), author()).value();
    else return "unknown step: " + std::string(name);
    return std::nullopt;
  }

  // Writes what another process writes for a person, while this one is stopped.
  void say_lost(const std::string& message_id) {
    HostLog(process_->conversation.log()).flush().value();   // the store may not have written all yet
    auto other = harness::Conversation::open(HostLog::of(store_.open(), "conversation")).value();
    const std::string id(other.view().draft_of_message(message_id));
    const std::uint32_t resumed = other.view().draft(id)->resumed;
    const std::uint64_t token = other.claim(author().now_ms, 1'000).value().value();
    const std::string process = resumed == 0 ? "" : "/" + std::to_string(resumed);
    other.effect(token, "send_failed/" + message_id + process, "send_failed",
                 {{"composeId", id},
                  {"messageId", message_id},
                  {"resumed", resumed},
                  {"error", "the message did not arrive, as a person said"}},
                 author())
        .value();
    other.release(token).value();
  }

  Why append(const json::object& step) {
    if (auto why = only(step, {"append", "cas", "ok", "latch"})) return why;
    const auto batch = tokens_.read(step.at("append"));
    std::optional<std::uint64_t> cut;
    if (const json::value* const base = step.if_contains("cas")) {
      // The base counts the facts that count; a base ahead of them was never there.
      const std::size_t count = base->to_number<std::size_t>();
      if (count > view().facts().size()) {
        const Why why = differs("ok", step.at("ok"), false);
        return why ? why : latch_is(step);
      }
      cut = count == view().facts().size() ? view().log_seq() : count == 0 ? 0 : view().facts()[count - 1].seq;
    }
    const bool ok = conversation().append(batch, cut, author()).value();
    for (const harness::ProposedFact& fact : batch) {
      if (ok && fact.type == harness::FactType::compose_intent) last_ = harness::text_of(fact.body, "composeId");
    }
    if (ok) process_->outbox.batch_written(batch, kMostFacts, author()).value();
    if (const json::value* const expected = step.if_contains("ok")) {
      if (auto why = differs("ok", *expected, ok)) return why;
    }
    return latch_is(step);
  }

  Why latch_is(const json::object& step) {
    const json::value* const expected = step.if_contains("latch");
    return expected == nullptr ? std::nullopt : differs("latch", *expected, view().is_kickoff_armed());
  }

  Why draft_via(bool by_hand) {
    if (by_hand) {
      last_ = harness::draft_by_hand(conversation(), "d", author()).value();
      return std::nullopt;
    }
    return append({{"append", json::array{"draft:c" + std::to_string(view().log_seq() + 1)}}});
  }

  std::string named(const json::value& id) const { return text(id) == "last" ? last_ : text(id); }

  void dismiss(const json::value& id) {
    conversation()
        .observe({{harness::FactType::compose_dismissed, {{"composeId", named(id)}}}}, author())
        .value();
  }

  void settle(const json::value& id, harness::KnownFate fate) {
    static_cast<void>(harness::settle_by_hand(conversation(), text(id), fate, author()));   // also when nothing flies
  }

  void begin_flight(const std::string& message_id) {
    const std::uint64_t token = conversation().claim(author().now_ms, 1'000).value().value();
    conversation()
        .effect(token, "send/in_flight/" + message_id, "send_started",
                {{"composeId", last_.empty() ? "c-in-flight" : last_}, {"messageId", message_id}}, author())
        .value();
    conversation().release(token).value();
  }

  static Why failed_as(const Result<void>& result, const json::value& expected) {
    if (result) return "no error, expected " + json::serialize(expected);
    if (result.error().message.find(text(expected)) != std::string::npos) return std::nullopt;
    return differs("error", expected, json::value(result.error().message));
  }

  Why send(const json::object& step) {
    if (auto why = only(step, {"send", "next", "error"})) return why;
    std::optional<std::string> next;
    if (step.contains("next")) next = text(step.at("next"));
    const Result<void> sent = process_->outbox.send(named(step.at("send")), next, author());
    if (step.contains("error")) return failed_as(sent, step.at("error"));
    if (!sent) return "send: " + sent.error().message;
    return std::nullopt;
  }

  Why kickoff(const json::object& step) {
    if (auto why = only(step, {"kickoff", "latch", "nonce"})) return why;
    const json::object& state = step.at("kickoff").as_object();
    if (auto why = only(state, {"ready", "adapter"})) return why;
    const harness::PlannerReadiness readiness{
        .is_ready = is_true(state, "ready"), .has_adapter = is_true(state, "adapter")};
    process_->kickoff.begin(conversation(), readiness, author()).value();
    if (step.contains("nonce")) {
      if (auto why = differs("nonce", step.at("nonce"), process_->kickoff.nonce())) return why;
    }
    return latch_is(step);
  }

  json::object state() {
    json::array types, approved_ids, journal_types;
    bool linked = false;
    json::value send_error;
    for (const harness::Fact& fact : view().facts()) {
      types.emplace_back(harness::fact_info(fact.type).name);
      if (fact.type == harness::FactType::message_sent) linked = !harness::text_of(fact.body, "composeId").empty();
    }
    for (const auto& [id, draft] : view().drafts()) {
      if (draft.is_approved) approved_ids.emplace_back(id);
      if (!draft.send_error.empty()) send_error = draft.send_error;
    }
    json::object got{{"seq", view().facts().size()},
                     {"facts", tokens_of(view())},
                     {"fact_types", std::move(types)},
                     {"sends", transport_.sent.size()},
                     {"attempts", transport_.attempts},
                     {"distinct_message_ids", transport_.message_ids.size()},
                     {"in_flight", view().in_flight()},
                     {"approved", approved_ids.size()},
                     {"approved_ids", std::move(approved_ids)},
                     {"send_error", std::move(send_error)},
                     {"linked", linked}};
    if (!transport_.sent.empty()) add_trace(transport_.sent.back().at("metadata").as_object(), got);
    return got;
  }

  static void add_trace(const json::object& metadata, json::object& got) {
    got["next_state"] = metadata.at("nextState");
    const json::object& trace = metadata.at("urn:ptcvm:planner-trace:v1").as_object();
    json::array types;
    for (const json::value& fact : trace.at("journal").as_array()) types.push_back(fact.at("type"));
    got["journal_types"] = std::move(types);
    // Cases write "off" as YAML does.
    got["planner_type"] = trace.at("plannerType") == json::value("off") ? json::value(false) : trace.at("plannerType");
  }

  const ScenarioStore& store_;
  FakeTransport transport_;
  FactTokens tokens_;
  harness::SendMode mode_ = harness::SendMode::Approve;
  std::unique_ptr<Process> process_;
  std::string last_;
};

}  // namespace

Why harness_store_layer(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"fail", "mode", "crash", "fates", "takes_once", "forgets"})) return why;
  StoreFixture fixture(scenario.given, scenario.store);
  for (const json::value& step : scenario.when) {
    if (auto why = fixture.perform(step)) return why;
  }
  return fixture.expect(scenario.then);
}

}  // namespace ptcvm::scenarios
