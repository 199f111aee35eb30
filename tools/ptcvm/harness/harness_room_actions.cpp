// What people do in a room.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/json.hpp>
#include <span>

#include "agents/harness/conversation/settled_doubts.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/people/conversation_json.h"
#include "agents/harness/people/people.h"
#include "tools/ptcvm/harness/harness_room.h"
#include "tools/ptcvm/harness/harness_session.h"
#include "tools/ptcvm/harness/harness_web_reply.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

const json::object kDone{{"ok", true}};

std::string text_in(const json::object& body, std::string_view member) {
  return std::string(harness::text_of(body, member));
}

std::string draft_in(const json::object& body, const harness::Conversation& conversation) {
  std::string named = text_in(body, "draft");
  return named.empty() ? std::string(conversation.view().unsent_draft()) : named;
}

Result<json::object> done(const Result<void>& result) {
  if (!result) return result.error();
  return kDone;
}

// Answers with the error. When a message in flight is in the way, "settle" has what somebody has to say first.
drivers::WebReply refusal(Error error, const harness::ConversationView& view) {
  const bool is_in_flight = error.detail == harness::kSendInFlight || error.detail == harness::kMayBeSent;
  const json::array settle = harness::settle_json(view);
  if (!is_in_flight || settle.empty()) return error_reply(error);
  for (const harness::Sending& sending : harness::sends_in_flight(view)) {
    error.message += "; first settle {\"draft\": \"" + sending.compose_id +
                     "\", \"outcome\": …} with the outcome \"arrived\" or \"lost\"";
  }
  drivers::WebReply reply = error_reply(error);
  return json_reply({{"error", error.message}, {"settle", settle}}, reply.status);
}

Error wrong_action(std::string message) { return {Errc::invalid_value, std::move(message), std::nullopt, {}}; }

}  // namespace

// What people can do, and the members of its body. approve() and open_link() answer later, and have no function here.
struct HarnessRoom::Action {
  std::string_view name;
  Act act;
  std::initializer_list<std::string_view> texts;           // must be there
  std::initializer_list<std::string_view> may_have = {};   // texts that may be missing
  std::string_view any = {};                               // may be missing, and of any kind

  // Returns why this is no body of the action, or "".
  std::string refuse(const json::object& body) const {
    for (const std::string_view member : texts) {
      if (!body.contains(member)) return std::string(member) + ": is missing, and must be a text";
    }
    for (const auto& [member, value] : body) {
      if (std::string_view(member) == any && !any.empty()) continue;
      const bool is_known = std::ranges::find(texts, std::string_view(member)) != texts.end() ||
                            std::ranges::find(may_have, std::string_view(member)) != may_have.end();
      if (!is_known) return std::string(member) + ": is no member of this body; there " + members();
      if (!value.is_string()) return std::string(member) + ": must be a text";
      if (!value.get_string().empty()) continue;
      if (member == "draft") return "draft: must not be empty; without this member the newest draft is meant";
      if (member == "messageId") return "messageId: must not be empty; without this member the message gets an id";
    }
    return {};
  }

 private:
  std::string members() const {
    std::string names;
    const auto add = [&names](std::string_view member) {
      if (!member.empty()) names.append(names.empty() ? "" : ", ").append(member);
    };
    for (const std::string_view member : texts) add(member);
    for (const std::string_view member : may_have) add(member);
    add(any);
    return names.empty() ? "are none" : "are " + names;
  }
};

Result<json::object> HarnessRoom::say(const json::object& body, const harness::Author& who) {
  std::string id = text_in(body, "messageId");
  if (id.empty()) id = heard_id(conversation_.view());
  if (body.contains("next") && text_in(body, "next").empty()) {
    return wrong_action("next: no message may ask for the state \"\"");
  }
  return done(harness::say_for_other_side(conversation_, std::move(id), text_in(body, "text"), text_in(body, "next"),
                                          who));
}

Result<json::object> HarnessRoom::whisper(const json::object& body, const harness::Author& who) {
  return done(harness::whisper(conversation_, text_in(body, "text"), who));
}

Result<json::object> HarnessRoom::answer(const json::object& body, const harness::Author& who) {
  return done(harness::answer(conversation_, text_in(body, "qid"), text_in(body, "text"), who));
}

Result<json::object> HarnessRoom::dismiss(const json::object& body, const harness::Author& who) {
  return done(harness::dismiss(conversation_, draft_in(body, conversation_), who));
}

Result<json::object> HarnessRoom::settle(const json::object& body, const harness::Author& who) {
  const auto fate = harness::find_known_fate(text_in(body, "outcome"));
  if (!fate) return wrong_action("outcome: must be \"arrived\" or \"lost\"");
  return done(harness::settle_by_hand(conversation_, text_in(body, "draft"), *fate, who));
}

Result<json::object> HarnessRoom::edit(const json::object& body, const harness::Author& who) {
  const auto id = harness::edit_draft(conversation_, draft_in(body, conversation_), text_in(body, "text"), who);
  if (!id) return id.error();
  return json::object{{"ok", true}, {"draft", *id}};
}

Result<json::object> HarnessRoom::draft(const json::object& body, const harness::Author& who) {
  const auto id = harness::draft_by_hand(conversation_, text_in(body, "text"), who);
  if (!id) return id.error();
  return json::object{{"ok", true}, {"draft", *id}};
}

Result<json::object> HarnessRoom::regenerate(const json::object&, const harness::Author& who) {
  if (const auto allowed = harness::may_regenerate(conversation_, house_.store, who); !allowed) return allowed.error();
  return done(harness::regenerate(conversation_, who));
}

Result<json::object> HarnessRoom::clear(const json::object&, const harness::Author& who) {
  return done(harness::clear(conversation_, who));
}

Result<json::object> HarnessRoom::begin(const json::object&, const harness::Author& who) {
  if (!conversation_.view().is_unbegun()) {
    return Error{Errc::wrong_state, "the conversation has begun already", std::nullopt, {}};
  }
  return done(conversation_.arm_kickoff(who));
}

Result<void> HarnessRoom::keep_setup(const harness::Author& who) {
  const auto kept = conversation_.note(std::string(harness::kSetupNote), "", setup_->note(), who);
  if (kept) tell_state();
  return kept;
}

Result<json::object> HarnessRoom::choose(const json::object& body, const harness::Author& who) {
  const std::string mode_name = text_in(body, "mode"), planner = text_in(body, "planner");
  const auto mode = mode_name.empty() ? setup_->choice().mode : harness::find_send_mode(mode_name);
  if (!mode) return wrong_action("mode: must be \"approve\" or \"auto\"");
  const std::string now(setup_->shown().at("planner").as_string());
  if (const auto chosen = setup_->choose(planner.empty() ? now : planner, *mode); !chosen) return chosen.error();
  return done(keep_setup(who));
}

Result<json::object> HarnessRoom::set_field(const json::object& body, const harness::Author& who) {
  const json::value* const value = body.if_contains("value");
  const auto set = setup_->set_field(text_in(body, "field"), value == nullptr ? json::value() : *value, who.now_ms);
  if (!set) return set.error();
  tell_state();
  json::object answer = kDone;
  const std::string wrong = setup_->field_error(text_in(body, "field"));
  if (!wrong.empty()) answer["field_error"] = wrong;
  return answer;
}

Result<json::object> HarnessRoom::apply(const json::object&, const harness::Author& who) {
  if (conversation_.view().in_flight() != 0) {
    return Error{Errc::wrong_state, "a message is being sent; apply the form when it has arrived", std::nullopt, {}};
  }
  if (const auto allowed = harness::may_regenerate(conversation_, house_.store, who); !allowed) return allowed.error();
  if (const auto applied = setup_->apply(); !applied) return applied.error();
  if (const auto rewound = harness::regenerate(conversation_, who); !rewound) return rewound.error();
  return done(keep_setup(who));
}

void HarnessRoom::act(const std::string& name, const json::object& body, const std::string& by,
                      const std::shared_ptr<drivers::WebExchange>& exchange) {
  static const Action kActions[] = {
      {"say", &HarnessRoom::say, {"text"}, {"next", "messageId"}},
      {"whisper", &HarnessRoom::whisper, {"text"}},
      {"answer", &HarnessRoom::answer, {"qid", "text"}},
      {"approve", nullptr, {}, {"draft", "next"}},
      {"dismiss", &HarnessRoom::dismiss, {}, {"draft"}},
      {"settle", &HarnessRoom::settle, {"draft", "outcome"}},
      {"edit", &HarnessRoom::edit, {"text"}, {"draft"}},
      {"draft", &HarnessRoom::draft, {"text"}},
      {"regenerate", &HarnessRoom::regenerate, {}},
      {"clear", &HarnessRoom::clear, {}},
      {"begin", &HarnessRoom::begin, {}},
      {"setup", &HarnessRoom::choose, {}, {"planner", "mode"}},
      {"field", &HarnessRoom::set_field, {"field"}, {}, "value"},
      {"apply", &HarnessRoom::apply, {}},
      {"link", nullptr, {"link"}},
  };
  const Action* const action = std::ranges::find(kActions, name, &Action::name);
  if (action == std::end(kActions)) return exchange->reply(error_reply(404, "there is no such action"));
  if (const std::string why = action->refuse(body); !why.empty()) return exchange->reply(error_reply(400, why));
  if (name == "approve") return approve(body, by, exchange);
  if (name == "link") return open_link(body, by, exchange);
  auto result = conversation_.refresh();
  const auto done = result ? (this->*action->act)(body, {now_millis(), by}) : result.error();
  exchange->reply(done ? json_reply(*done) : refusal(done.error(), conversation_.view()));
  tell();
  wake();
}

void HarnessRoom::approve(const json::object& body, const std::string& by,
                          std::shared_ptr<drivers::WebExchange> exchange) {
  std::optional<std::string> next;
  if (body.contains("next")) next = text_in(body, "next");
  if (next && !harness::is_next_state(*next)) {
    return exchange->reply(error_reply(400, "next: no message may ask for the state \"" + *next + '"'));
  }
  const auto send = [self = shared_from_this(), choice = setup_->choice(), draft = text_in(body, "draft"), next, by,
                     exchange] {
    const auto sent = self->worker_->approve(choice, draft, next, by);
    asio::post(self->house_.context, [self, sent, exchange] {
      --self->sending_;
      self->look();   // the refusal says what is in flight now
      exchange->reply(sent ? json_reply(kDone) : refusal(sent.error(), self->conversation_.view()));
      self->tell_state();
    });
  };
  ++sending_;
  asio::post(strand_, send);
}

void HarnessRoom::open_link(const json::object& body, const std::string& by,
                            std::shared_ptr<drivers::WebExchange> exchange) {
  const auto link = harness::read_fragment(text_in(body, "link"));
  if (!link) return exchange->reply(error_reply(link.error()));
  const auto open = [self = shared_from_this(), link = *link, by, exchange] {
    Result<void> opened = self->setup_->open_link(link);
    if (opened) opened = self->keep_setup({now_millis(), by});
    exchange->reply(opened ? json_reply(kDone) : error_reply(opened.error()));
    self->tell();
    self->wake();
  };
  const std::string url = setup_->missing_document(*link);
  if (url.empty()) return open();
  load(url, [self = shared_from_this(), url, open, exchange](Result<json::object> document) {
    if (!document) return exchange->reply(error_reply(document.error()));
    self->setup_->add_document(url, *std::move(document));
    open();
  });
}

}  // namespace ptcvm::cli
