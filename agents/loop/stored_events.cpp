#include "agents/loop/stored_events.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>

#include "agents/loop/stored_facts.h"
#include "agents/wire/reply_reader.h"
#include "ptcvm/host_log.hpp"

namespace ptcvm::loop {

namespace json = boost::json;

namespace {

// Returns the text of a whole reply, or nullopt when the attempt gave none. A fact does not say which protocol its
// server spoke, and a reply is whole in one protocol only.
std::optional<std::string> text_of(const ModelReply& reply) {
  if (reply.status != 200 || reply.is_cut) return std::nullopt;
  using wire::Protocol;
  for (const Protocol protocol : {Protocol::Chat, Protocol::Responses, Protocol::Messages}) {
    wire::ReplyReader reader({protocol, !reply.body.starts_with('{'), reply.status, {}});
    reader.feed(reply.body);
    wire::Reply read = reader.finish(wire::ReplyReader::End::Proper, 0);
    if (read.is_complete && !read.error) return std::move(read.text);
  }
  return std::nullopt;
}

RunEvent model_end(const std::string& path, const json::object& body) {
  auto text = text_of(read_reply(body));
  return {RunEventKind::ModelEnd, path, text.value_or(""), {}, text.has_value()};
}

// Approvals and doubts are answered by people; their names have a colon, which names of tools have not.
bool is_tool(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.find(':') == std::string_view::npos;
}

RunEvent answer_event(const std::string& path, bool is_ok, const std::string& text) {
  RunEvent event = tool_end(path, is_ok, is_ok ? json_of_edn(text) : text);
  if (!is_tool(path)) event.kind = RunEventKind::Answered;
  return event;
}

std::optional<RunEvent> order_event(const HostFact& fact, const std::string& path, const json::object& body) {
  const bool is_model = path == "model" || path.ends_with("/model");
  if (fact.name == kIntent && is_model) return RunEvent{RunEventKind::ModelStart, path, {}, {}};
  if (fact.name == kIntent) return RunEvent{RunEventKind::ToolStart, path, {}, fact_text(body, "args")};
  if (fact.name == kModelSettled) return model_end(path, body);
  if (fact.name == kModelLost) return RunEvent{RunEventKind::ModelEnd, path, {}, {}, false};
  return std::nullopt;
}

std::optional<RunEvent> event_of(const HostFact& fact, const json::object& body) {
  const std::string path = fact_text(body, "path");
  if (fact.name == kStarted) return RunEvent{RunEventKind::Started, {}, {}, fact_text(body, "data")};
  if (fact.name == kInputGiven) return RunEvent{RunEventKind::Said, {}, fact_text(body, "text"), {}};
  if (fact.name == kResolved || fact.name == kRejected) {
    return answer_event(path, fact.name == kResolved, fact_text(body, "text"));
  }
  if (fact.name == kTurnTaken) {
    json::object turn;
    for (const char* const name : {"turn", "kind"}) {
      if (const json::value* const found = body.if_contains(name)) turn[name] = *found;
    }
    return RunEvent{RunEventKind::TurnEnd, {}, {}, json::serialize(turn)};
  }
  return order_event(fact, path, body);
}

}  // namespace

Result<StoredEvents> stored_events(const Store& store, const std::string& id, std::uint64_t after,
                                   std::size_t most_facts) {
  const auto facts = HostLog::of(store, id).read(after, most_facts);
  if (!facts) return facts.error();
  StoredEvents out;
  out.seen = after;
  out.is_all = facts->size() < most_facts;
  for (const HostFact& fact : *facts) {
    out.seen = fact.seq;
    if (!fact.is_of_host) continue;
    boost::system::error_code error;
    const json::value body = json::parse(fact.body, error);
    if (error || !body.is_object()) continue;
    if (auto event = event_of(fact, body.get_object())) {
      event->number = fact.seq;
      out.events.push_back(*std::move(event));
    }
  }
  return out;
}

}  // namespace ptcvm::loop
