#include "agents/replay/mailbox.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "agents/replay/json_place.h"
#include "agents/replay/script_line.h"
#include "agents/wire/json_member.h"
#include "ptcvm/json.hpp"

namespace ptcvm::replay {

namespace {

namespace json = boost::json;

constexpr std::string_view kRequestEnd = ".request.json", kReplyEnd = ".reply.json";

}  // namespace

std::string mailbox_request_name(std::size_t number) { return std::to_string(number).append(kRequestEnd); }

std::string mailbox_reply_name(std::size_t number) { return std::to_string(number).append(kReplyEnd); }

std::optional<std::size_t> mailbox_number(std::string_view file_name) {
  for (const std::string_view end : {kRequestEnd, kReplyEnd}) {
    if (!file_name.ends_with(end)) continue;
    const std::string_view digits = file_name.substr(0, file_name.size() - end.size());
    std::size_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec == std::errc() && read.ptr == digits.data() + digits.size() && number > 0) return number;
  }
  return std::nullopt;
}

std::string write_mailbox_request(std::size_t number, std::string_view key, const ModelCall& call) {
  boost::system::error_code error;
  json::value request = json::parse(call.body, error);
  const json::object file{{"number", number},
                          {"key", key},
                          {"path", call.path},
                          {"protocol", wire::protocol_name(call.protocol)},
                          {"callable", json::array(call.callable.begin(), call.callable.end())},
                          {"request", std::move(request)}};
  return json::serialize(file) + "\n";
}

std::optional<std::string> mailbox_key(std::string_view request) {
  boost::system::error_code error;
  const json::value file = json::parse(request, error);
  if (error) return std::nullopt;
  const auto key = wire::text_member(file, "key");
  return key ? std::optional<std::string>(*key) : std::nullopt;
}

Replayed<HttpAnswer> read_mailbox_reply(std::size_t number, std::string_view reply, const ModelCall& call) {
  const auto invalid = [&](const std::string& why) {
    return ReplayFailure{std::string(kMailboxInvalid), mailbox_reply_name(number) + ": " + why};
  };
  boost::system::error_code error;
  const json::value value = json::parse(reply, error);
  if (error) return invalid("the reply is no JSON: " + json_problem(reply, 1));
  const std::string doubled = doubled_member(reply);
  if (!doubled.empty()) return invalid("the member " + doubled + " is written twice");
  const auto read = read_script_line(value, number);
  if (const auto* const failure = std::get_if<ReplayFailure>(&read)) {
    return invalid(failure->message.substr(failure->message.find(": ") + 2));   // without the number of a line
  }
  const ScriptLine& line = std::get<ScriptLine>(read);
  if (!line.path.empty() || line.expect) return invalid("a reply has no \"for\" and no \"expect\"");
  return answer_of(line, call);
}

}  // namespace ptcvm::replay
