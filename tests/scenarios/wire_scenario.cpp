// Cases of replies of model servers: `body` and `status` are read as `protocol`, whole and in pieces of 1, 7 and 4,096
// bytes, and what was read is compared with `expect`. A stream is also cut at every byte: before its terminal event
// nothing of it may be complete, and no call may come out of it. PTC_CUTS_ONE_IN=N cuts at each N-th byte.
#include <sodium.h>

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdlib>

#include "agents/wire/reply_reader.h"
#include "tests/scenarios/scenario_kind.h"

namespace ptcvm::scenarios {

namespace {

namespace json = boost::json;
using wire::Reply;
using wire::ReplyError;
using wire::ReplyReader;

constexpr std::int64_t kNow = 1'795'392'000'000;   // 2026-11-23

struct Case {
  ReplyReader::Answer answer;
  std::string body;
};

Reply read(const Case& scenario, std::size_t bytes, std::size_t piece, ReplyReader::End end) {
  ReplyReader reader(scenario.answer);
  const std::string_view body(scenario.body.data(), bytes);
  for (std::size_t at = 0; at < bytes; at += piece) reader.feed(body.substr(at, piece));
  return reader.finish(end, kNow);
}

json::value number(const std::optional<std::int64_t>& count) { return count ? json::value(*count) : json::value(); }
json::value text(const std::optional<std::string>& text) { return text ? json::value(*text) : json::value(); }

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  constexpr std::size_t kShown = 8;
  std::array<char, 2 * kShown + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), kShown);
  return hex.data();
}

std::string_view kind_name(wire::OpaquePart::Kind kind) {
  switch (kind) {
    case wire::OpaquePart::Kind::Signature: return "signature";
    case wire::OpaquePart::Kind::Redacted: return "redacted";
    case wire::OpaquePart::Kind::EncryptedContent: return "encrypted_content";
  }
  return {};
}

// The classes of errors that the clients of the providers throw.
std::string error_class(wire::Protocol protocol, const ReplyError& error) {
  const bool is_messages = protocol == wire::Protocol::Messages;
  if (error.kind == ReplyError::Kind::InStream) return "APIError";
  if (error.kind != ReplyError::Kind::Status) return is_messages ? "AnthropicError" : "OpenAIError";
  switch (error.status) {
    case 400: return "BadRequestError";
    case 401: return "AuthenticationError";
    case 403: return "PermissionDeniedError";
    case 404: return "NotFoundError";
    case 409: return "ConflictError";
    case 413: return is_messages ? "ContentTooLargeError" : "APIError";
    case 422: return "UnprocessableEntityError";
    case 429: return "RateLimitError";
    case 529: return is_messages ? "OverloadedError" : "InternalServerError";
    default: return error.status >= 500 ? "InternalServerError" : "APIError";
  }
}

json::value error_json(const Case& scenario, const std::optional<ReplyError>& error) {
  if (!error) return nullptr;
  // A quota that is used up is the one case in which the clients try again and this library does not.
  const bool retries = error->kind == ReplyError::Kind::Status
                           ? wire::status_allows_retry(error->status, scenario.answer.headers)
                           : error->is_retryable;
  json::object shown{{"type", error_class(scenario.answer.protocol, *error)},
                     {"status", error->status == 0 ? json::value() : json::value(error->status)},
                     {"code", error->code},
                     {"message", error->message},
                     {"retryable", retries}};
  if (retries) shown["retry_wait_ms"] = number(error->retry_wait_ms);
  return shown;
}

json::array calls_json(const Reply& reply) {
  json::array calls;
  for (const wire::ToolCall& call : reply.tool_calls) {
    json::object shown{{"id", call.id}, {"name", call.name}, {"args", call.arguments.value_or(nullptr)},
                       {"args_text", text(call.arguments_text)}};
    if (call.takes_text) shown["custom"] = true;
    calls.push_back(std::move(shown));
  }
  return calls;
}

json::value usage_json(const std::optional<wire::TokenUsage>& usage) {
  if (!usage) return nullptr;
  return {{"input", number(usage->input)},
          {"cached", number(usage->cached)},
          {"cache_write", number(usage->cache_written)},
          {"output", number(usage->output)},
          {"reasoning", number(usage->reasoning)}};
}

json::object reply_json(const Case& scenario, const Reply& reply) {
  json::array opaque;
  for (const wire::OpaquePart& part : reply.opaque) {
    opaque.push_back({{"item", part.item}, {"kind", kind_name(part.kind)}, {"sha256", sha256(part.bytes)}});
  }
  json::object shown{{"text", reply.error ? json::value() : json::value(reply.text)},
                     {"thinking", text(reply.thinking)},
                     {"refusal", text(reply.refusal)},
                     {"tool_calls", calls_json(reply)},
                     {"stop", text(reply.stop)},
                     {"stop_detail", reply.stop_detail},
                     {"usage", usage_json(reply.usage)},
                     {"usage_raw", reply.usage_raw},
                     {"items", json::array(reply.items.begin(), reply.items.end())},
                     {"opaque", std::move(opaque)},
                     {"complete", reply.is_complete},
                     {"end", reply.end},
                     {"error", error_json(scenario, reply.error)},
                     {"choices", reply.choices}};
  return shown;
}

// What is written beside a case to say how its expectation was made.
bool is_remark(std::string_view name) {
  return name == "oracle" || name == "sdk_error" || name == "sdk_note" || name == "cut_sdk" ||
         name == "content_is_list" || name == "function_call";
}

// Compares JSON with numbers by value: 0 and 0.0 are the same.
bool same(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) return a.to_number<double>() == b.to_number<double>();
  if (a.is_array() && b.is_array()) {
    return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(), b.get_array().end(), same);
  }
  if (!a.is_object() || !b.is_object()) return a == b;
  if (a.get_object().size() != b.get_object().size()) return false;
  for (const auto& [name, value] : a.get_object()) {
    const json::value* const other = b.get_object().if_contains(name);
    if (other == nullptr || !same(value, *other)) return false;
  }
  return true;
}

// The clients drop counts that they do not know, and the library keeps all of them.
bool has_members_of(const json::value& read, const json::value& expected) {
  if (!read.is_object() || !expected.is_object()) return same(read, expected);
  for (const auto& [name, value] : expected.get_object()) {
    const json::value* const got = read.get_object().if_contains(name);
    if (got == nullptr || !same(*got, value)) return false;
  }
  return true;
}

// The cases keep the first 200 characters of a message.
void cut_message(const json::value& wanted, json::object& read) {
  constexpr std::size_t kKept = 200;
  json::value* const error = read.if_contains("error");
  if (!error->is_object() || wanted.at("message").as_string().size() < kKept) return;
  json::string& message = error->get_object()["message"].as_string();
  if (message.size() > kKept) message.resize(kKept);
}

std::optional<std::string> compare(const json::object& expect, json::object& read) {
  for (const auto& [name, expected] : expect) {
    if (is_remark(name)) continue;
    const json::value* const got = read.if_contains(name);
    if (got == nullptr) return "unknown member of expect: " + std::string(name);
    json::value wanted = expected;
    if (name == "tool_calls") {
      for (json::value& call : wanted.as_array()) call.as_object().erase("sdk_partial_args");
    }
    if (name == "error" && !wanted.is_null()) cut_message(wanted, read);
    if (name == "usage_raw" ? !has_members_of(*got, wanted) : !same(*got, wanted)) {
      return std::string(name) + ": expected " + json::serialize(wanted) + ", got " + json::serialize(*got);
    }
  }
  return std::nullopt;
}

// Returns the number of bytes between two cuts: 1, or what PTC_CUTS_ONE_IN says, because sanitizers are slow.
std::size_t cut_distance() {
  static const std::size_t distance = [] {
    const char* const said = std::getenv("PTC_CUTS_ONE_IN");
    return said == nullptr ? std::size_t{1} : std::max<std::size_t>(1, std::strtoull(said, nullptr, 10));
  }();
  return distance;
}

bool executes_nothing(const Reply& reply) { return !reply.is_complete && reply.tool_calls.empty(); }

std::optional<std::string> hold_cuts(const Case& scenario, const json::object& object) {
  const auto offsets = [&](std::string_view name) {
    std::vector<std::size_t> found;
    const json::value* const member = object.if_contains(name);
    if (member == nullptr) return found;
    if (!member->is_array()) return std::vector{member->to_number<std::size_t>()};
    for (const json::value& offset : member->get_array()) found.push_back(offset.to_number<std::size_t>());
    return found;
  };
  std::size_t terminal = 0;
  for (const std::size_t at : offsets("cut_at")) terminal = std::max(terminal, at);
  for (std::size_t at = 0; at < scenario.body.size(); at += cut_distance()) {
    // Before the terminal event every end is a cut. Behind it only the caller knows whether the message was whole.
    if (!executes_nothing(read(scenario, at, 4096, ReplyReader::End::Cut)) && at <= terminal) {
      return "cut at byte " + std::to_string(at) + " and taken for whole";
    }
    if (at <= terminal && !executes_nothing(read(scenario, at, 4096, ReplyReader::End::Proper))) {
      return "ended at byte " + std::to_string(at) + " and taken for whole";
    }
  }
  for (const std::size_t at : offsets("cut_after_finish")) {
    if (!read(scenario, at, 4096, ReplyReader::End::Proper).is_complete) return "no [DONE] is needed at a proper end";
    if (!executes_nothing(read(scenario, at, 4096, ReplyReader::End::Cut))) return "cut before [DONE], taken for whole";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> wire_scenario(const json::object& object, const ScenarioStore&) {
  Case scenario;
  const auto protocol = wire::parse_protocol(object.at("protocol").as_string());
  if (!protocol) return "unknown protocol";
  scenario.answer.protocol = *protocol;
  scenario.answer.is_stream = object.at("stream").as_bool();
  scenario.answer.status = object.at("status").to_number<int>();
  for (const auto& [name, value] : object.at("headers").as_object()) {
    scenario.answer.headers.emplace_back(name, value.as_string());
  }
  scenario.body = object.at("body").as_string();
  const json::object& expect = object.at("expect").as_object();
  for (const std::size_t piece : {scenario.body.size() + 1, std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    const Reply reply = read(scenario, scenario.body.size(), piece, ReplyReader::End::Proper);
    json::object shown = reply_json(scenario, reply);
    if (auto why = compare(expect, shown)) return "in pieces of " + std::to_string(piece) + " bytes: " + *why;
  }
  if (!scenario.answer.is_stream || scenario.answer.status != 200) return std::nullopt;
  return hold_cuts(scenario, object);
}

}  // namespace ptcvm::scenarios
