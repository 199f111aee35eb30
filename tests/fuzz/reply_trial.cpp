#include "fuzz/reply_trial.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>

#include "agents/wire/reply_reader.h"
#include "agents/wire/request.h"
#include "fuzz/fuzz_target.h"

namespace ptc::fuzz {

namespace {

namespace wire = ptcvm::wire;
using wire::Reply;
using wire::ReplyReader;

Reply read(const ReplyReader::Answer& answer, std::string_view bytes, std::size_t piece, ReplyReader::End end) {
  ReplyReader reader(answer);
  for (std::size_t at = 0; at < bytes.size(); at += piece) reader.feed(bytes.substr(at, piece));
  return reader.finish(end, 0);
}

std::string shown(const Reply& reply) {
  std::string text = reply.text + '|' + reply.thinking.value_or("-") + '|' + reply.refusal.value_or("-") + '|' +
                     reply.stop.value_or("-") + '|' + reply.end + '|' + (reply.is_complete ? "complete" : "open");
  for (const wire::ToolCall& call : reply.tool_calls) {
    text += '|' + call.id + '|' + call.name + '|' + call.arguments_text.value_or("-");
  }
  for (const std::string& item : reply.items) text += '|' + item;
  return text + '|' + boost::json::serialize(reply.content) + '|' + (reply.error ? reply.error->message : "");
}

void expect_nothing_to_execute(const Reply& reply) {
  if (reply.error) promise(!reply.is_complete && reply.tool_calls.empty(), "an error, and a call");
}

void send_back(wire::Protocol protocol, const Reply& reply) {
  wire::Request request;
  request.items = {wire::UserText{"go on"},
                   wire::ModelTurn{"server", protocol, reply.content, reply.text, reply.tool_calls}};
  for (const wire::ToolCall& call : reply.tool_calls) request.items.push_back(wire::ToolResult{call.id, "done", false});
  promise(!wire::conversation_fault(request.items), "calls that cannot be answered");
  for (const auto to : {wire::Protocol::Chat, wire::Protocol::Responses, wire::Protocol::Messages}) {
    boost::system::error_code error;
    boost::json::parse(wire::write_request(to, "server", request), error);
    promise(!error, "a request that is no JSON");
  }
}

}  // namespace

void try_reply(wire::Protocol protocol, const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  ReplyReader::Answer answer;
  answer.protocol = protocol;
  answer.is_stream = data[0] % 2 == 0;
  if (data[0] == UINT8_MAX) answer.status = 429;
  const std::size_t piece = 1 + data[0] / 2U;
  const std::string_view bytes = text_of(data, size).substr(1);
  const Reply whole = read(answer, bytes, std::max<std::size_t>(bytes.size(), 1), ReplyReader::End::Proper);
  expect_nothing_to_execute(whole);
  promise(shown(whole) == shown(read(answer, bytes, piece, ReplyReader::End::Proper)), "read otherwise in pieces");
  expect_nothing_to_execute(read(answer, bytes, piece, ReplyReader::End::Cut));
  if (whole.is_complete) send_back(protocol, whole);
}

}  // namespace ptc::fuzz
