#include "agents/mcp/mcp_client.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>
#include <new>
#include <utility>

#include "agents/mcp/bounded_memory.h"
#include "agents/mcp/call_result.h"
#include "ptcvm/version.hpp"

namespace ptcvm::mcp {

namespace json = boost::json;

namespace {

constexpr auto kVersions = std::to_array<std::string_view>({"2025-06-18", "2025-03-26", "2024-11-05"});
constexpr std::string_view kVersionOfBatches = "2025-03-26";
constexpr std::size_t kMostNotes = 200, kMostNoteBytes = 500, kMostShownBytes = 200, kMostCursorBytes = 4096;
constexpr std::size_t kMostGivenUp = 1'000, kMostArgumentDepth = 256;
constexpr int kMethodNotFound = -32601;

std::string shown(std::string_view text) { return std::string(text.substr(0, kMostShownBytes)); }
std::string shown(const json::value& value) { return shown(json::serialize(value)); }

const json::value* member(const json::object& object, std::string_view name) { return object.if_contains(name); }

std::string text_member(const json::object& object, std::string_view name) {
  const json::value* const found = member(object, name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

// Returns the id of a response when this client can have given it.
std::optional<std::uint64_t> own_id(const json::value& id) {
  if (id.is_int64() && id.get_int64() > 0) return static_cast<std::uint64_t>(id.get_int64());
  if (id.is_uint64()) return id.get_uint64();
  return std::nullopt;
}

// Returns "MESSAGE (CODE)", or nullopt for what is no error of JSON-RPC.
std::optional<std::string> error_text(const json::value& error) {
  if (!error.is_object()) return std::nullopt;
  const json::value* const code = member(error.get_object(), "code");
  const json::value* const message = member(error.get_object(), "message");
  if (code == nullptr || !code->is_number() || message == nullptr || !message->is_string()) return std::nullopt;
  return std::string(message->get_string()) + " (" + json::serialize(*code) + ')';
}

// Returns the arguments under the names of the server, or nullopt for a text that is no object. Arguments that are null
// are left out: an optional parameter of JSON Schema is missing, and not null.
std::optional<json::object> arguments_of(const McpCall& call) {
  json::parse_options options;
  options.max_depth = kMostArgumentDepth;
  boost::system::error_code error;
  json::value args = json::parse(call.args_json, error, {}, options);
  if (error || !args.is_object()) return std::nullopt;
  json::object out;
  for (auto& argument : args.get_object()) {
    if (argument.value().is_null()) continue;
    const auto renamed = std::ranges::find(call.renamed, argument.key(), [](const auto& names) { return names.first; });
    out[renamed == call.renamed.end() ? std::string(argument.key()) : renamed->second] = std::move(argument.value());
  }
  return out;
}

}  // namespace

void McpClient::fail(McpFault fault, std::string detail) {
  if (!failure_) failure_ = {fault, std::move(detail)};
  outgoing_.clear();
}

std::uint64_t McpClient::ask(Asked asked, std::string_view method, json::object params, std::uint64_t call) {
  const std::uint64_t id = ++last_id_;
  open_[id] = {asked, call};
  outgoing_.push_back(json::serialize(
      json::object{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}));
  return id;
}

void McpClient::notify(std::string_view method, json::object params) {
  json::object message{{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.empty()) message["params"] = std::move(params);
  outgoing_.push_back(json::serialize(message));
}

void McpClient::connect() {
  state_ = State::Connecting;
  ask(Asked::Initialize, "initialize",
      {{"protocolVersion", kVersions.front()},
       {"capabilities", json::object()},
       {"clientInfo", json::object{{"name", "ptcvm"}, {"version", version()}}}});
}

void McpClient::list_tools() {
  wants_list_ = true;
  if (is_ready()) ask_page({});
}

void McpClient::ask_page(const std::string& cursor) {
  json::object params;
  if (!cursor.empty()) params["cursor"] = cursor;
  ask(Asked::List, "tools/list", std::move(params));
}

void McpClient::call(std::uint64_t number, const McpCall& call) {
  if (is_ready()) return send_call(number, call);
  unsent_[number] = call;
}

void McpClient::send_call(std::uint64_t number, const McpCall& call) {
  auto arguments = arguments_of(call);
  if (!arguments) return ends_.push_back({number, true, "its arguments are not an object, or nested too deep"});
  json::object meta{{"progressToken", last_id_ + 1}};
  if (!call.key.empty()) meta["ptcvm/idempotencyKey"] = call.key;
  if (call.fencing_token != 0) meta["ptcvm/fencingToken"] = call.fencing_token;
  ask(Asked::Call, "tools/call",
      {{"name", call.tool}, {"arguments", *std::move(arguments)}, {"_meta", std::move(meta)}}, number);
}

void McpClient::cancel(std::uint64_t number, std::string_view reason) {
  unsent_.erase(number);
  const auto is_the_call = [number](const auto& open) {
    return open.second.asked == Asked::Call && open.second.call == number;
  };
  const auto found = std::ranges::find_if(open_, is_the_call);
  if (found == open_.end()) return;
  notify("notifications/cancelled", {{"requestId", found->first}, {"reason", reason}});
  given_up_.insert(found->first);
  if (given_up_.size() > kMostGivenUp) given_up_.erase(given_up_.begin());
  open_.erase(found);
}

bool McpClient::is_sent(std::uint64_t number) const { return !unsent_.contains(number); }

std::vector<std::string> McpClient::take_outgoing() { return std::exchange(outgoing_, {}); }
std::vector<CallEnd> McpClient::take_ends() { return std::exchange(ends_, {}); }
std::vector<std::string> McpClient::take_notes() { return std::exchange(notes_, {}); }

void McpClient::note(std::string text) {
  if (notes_.size() >= kMostNotes) return;
  if (text.size() > kMostNoteBytes) text = text.substr(0, kMostNoteBytes) + "…";
  notes_.push_back(std::move(text));
}

void McpClient::receive(std::string_view message, std::size_t most_bytes) {
  if (failure_) return;
  if (message.size() > kMostMessageBytes) {
    return fail(McpFault::TooLarge, "a message of " + std::to_string(message.size()) + " bytes; the most are " +
                                        std::to_string(kMostMessageBytes));
  }
  const std::size_t texts = 2 * message.size();   // an answer is made of the document: its text, and its text as JSON
  BoundedMemory memory(most_bytes - std::min(most_bytes, texts));
  try {
    receive_within(memory, message);
  } catch (const std::bad_alloc&) {
    fail(McpFault::NoMemory, "a message of " + std::to_string(message.size()) +
                                 " bytes takes more memory than there is for it");
  }
}

void McpClient::receive_within(BoundedMemory& memory, std::string_view message) {
  json::parse_options options;
  options.max_depth = kMostDepth;
  boost::system::error_code error;
  json::value parsed(&memory);
  {
    json::parser parser(&memory, options);       // what it needs meanwhile counts, too
    parser.reset(&memory);
    parser.write(message, error);
    if (error) return fail(McpFault::NotJson, error.message() + ": " + shown(message));
    parsed = parser.release();
  }
  message_bytes_ = memory.bytes();
  if (!parsed.is_array()) return take(parsed);
  if (version_ != kVersionOfBatches) return fail(McpFault::NotAMessage, "a batch in a version without batches");
  for (const json::value& one : parsed.get_array()) {
    take(one);
    if (failure_) return;
  }
}

void McpClient::take(const json::value& message) {
  if (!message.is_object()) return fail(McpFault::NotAMessage, "no object: " + shown(message));
  const json::object& object = message.get_object();
  if (text_member(object, "jsonrpc") != "2.0") {
    return fail(McpFault::NotAMessage, "no \"jsonrpc\": \"2.0\": " + shown(message));
  }
  const json::value* const method = member(object, "method");
  const json::value* const id = member(object, "id");
  if (method == nullptr) return take_response(object);
  if (!method->is_string()) return fail(McpFault::WrongMember, "method is not a text: " + shown(message));
  const std::string name(method->get_string());
  if (id == nullptr) return take_notification(object, name);
  take_request(object, name);
}

void McpClient::take_request(const json::object& message, const std::string& method) {
  const json::value& id = *member(message, "id");
  const bool is_id = id.is_string() || id.is_int64() || id.is_uint64();
  if (!is_id || json::serialize(id).size() > kMostShownBytes) {
    return fail(McpFault::WrongMember, "id of a request is no short text and no whole number: " + shown(id));
  }
  json::object answer{{"jsonrpc", "2.0"}, {"id", id}};
  if (method == "ping") {
    answer["result"] = json::object();
  } else {
    answer["error"] = {{"code", kMethodNotFound}, {"message", "this client has no method " + shown(method)}};
  }
  outgoing_.push_back(json::serialize(answer));
}

void McpClient::take_notification(const json::object& message, const std::string& method) {
  const json::value* const given = member(message, "params");
  if (given != nullptr && !given->is_object()) return fail(McpFault::WrongMember, method + ": params is not an object");
  static const json::object kNone;
  const json::object& params = given == nullptr ? kNone : given->get_object();
  if (method == "notifications/tools/list_changed") {
    note("the tools of the server have changed; this process keeps those that it has read");
  } else if (method == "notifications/progress") {
    const json::value* const done = member(params, "progress");
    const json::value* const total = member(params, "total");
    std::string text = "progress";
    if (done != nullptr && done->is_number()) text += ' ' + json::serialize(*done);
    if (total != nullptr && total->is_number()) text += " of " + json::serialize(*total);
    const std::string words = text_member(params, "message");
    note(words.empty() ? text : text + ": " + words);
  } else if (method == "notifications/message") {
    const json::value* const data = member(params, "data");
    const std::string level = text_member(params, "level");
    const bool is_text = data != nullptr && data->is_string();
    note((level.empty() ? "" : level + ": ") +
         (is_text ? std::string(data->get_string()) : data == nullptr ? "" : json::serialize(*data)));
  }
}

void McpClient::take_response(const json::object& message) {
  const json::value* const id = member(message, "id");
  const json::value* const result = member(message, "result");
  const json::value* const error = member(message, "error");
  if (id == nullptr || (result == nullptr) == (error == nullptr)) {
    return fail(McpFault::NotAMessage, "no method, and not one of result and error: " + shown(json::value(message)));
  }
  const auto number = own_id(*id);
  if (!number || *number > last_id_) {
    // An error without an id says that the server could not read a request: nobody knows which one.
    const std::string about = error == nullptr ? shown(*id) : shown(*id) + " (" + error_text(*error).value_or("") + ')';
    return fail(McpFault::UnknownId, "no request has the id " + about);
  }
  const auto found = open_.find(*number);
  if (found == open_.end()) {
    if (given_up_.erase(*number) > 0) return;
    return fail(McpFault::AnsweredTwice, "the request " + std::to_string(*number) + " has its answer already");
  }
  const Open open = found->second;
  open_.erase(found);
  if (result != nullptr) return take_result(open, *result);
  take_error(open, *error);
}

void McpClient::take_result(const Open& open, const json::value& result) {
  switch (open.asked) {
    case Asked::Initialize: return take_initialized(result);
    case Asked::List: return take_page(result);
    case Asked::Call: break;
  }
  auto read = read_call_result(result);
  if (auto* const failure = std::get_if<McpFailure>(&read)) {
    return fail(failure->fault, std::move(failure->detail));
  }
  auto& ended = std::get<CallResult>(read);
  ends_.push_back({open.call, ended.is_error, std::move(ended.text)});
}

void McpClient::take_error(const Open& open, const json::value& error) {
  const auto text = error_text(error);
  if (!text) return fail(McpFault::WrongMember, "error has no code and message: " + shown(error));
  if (open.asked != Asked::Call) {
    return fail(McpFault::Refused, (open.asked == Asked::List ? "tools/list: " : "initialize: ") + *text);
  }
  ends_.push_back({open.call, true, *text});
}

void McpClient::take_initialized(const json::value& result) {
  if (!result.is_object()) return fail(McpFault::WrongMember, "result of initialize is not an object");
  version_ = text_member(result.get_object(), "protocolVersion");
  if (std::ranges::count(kVersions, version_) == 0) {
    return fail(McpFault::WrongVersion, "the server speaks " + (version_.empty() ? "no version" : shown(version_)) +
                                            "; this client speaks 2025-06-18, 2025-03-26 and 2024-11-05");
  }
  const json::value* const capabilities = member(result.get_object(), "capabilities");
  if (capabilities == nullptr || !capabilities->is_object()) {
    return fail(McpFault::WrongMember, "capabilities of the server are not an object");
  }
  if (member(capabilities->get_object(), "tools") == nullptr) {
    return fail(McpFault::NoTools, "the server says that it has no tools");
  }
  state_ = State::Ready;
  notify("notifications/initialized", {});
  if (wants_list_) ask_page({});
  for (const auto& [number, call] : std::exchange(unsent_, {})) send_call(number, call);
}

bool McpClient::add_tools(const json::array& page) {
  for (const json::value& one : page) {
    if (tools_.size() >= kMostTools) {
      fail(McpFault::TooManyTools, "more than " + std::to_string(kMostTools) + " tools");
      return false;
    }
    auto read = read_mcp_tool(one, "tools[" + std::to_string(tools_.size()) + ']');
    if (auto* const failure = std::get_if<McpFailure>(&read)) {
      fail(failure->fault, std::move(failure->detail));
      return false;
    }
    auto& tool = std::get<McpTool>(read);
    if (std::ranges::count(tools_, tool.name, &McpTool::name) > 0) {
      fail(McpFault::SameTool, "two tools are called " + tool.name);
      return false;
    }
    tools_.push_back(std::move(tool));
  }
  return true;
}

void McpClient::take_page(const json::value& result) {
  listed_bytes_ += message_bytes_;
  if (listed_bytes_ > kMostListBytes) {
    return fail(McpFault::NoMemory, "the list of tools takes more than " + std::to_string(kMostListBytes) + " bytes");
  }
  const json::object* const object = result.if_object();
  const json::value* const page = object == nullptr ? nullptr : member(*object, "tools");
  if (page == nullptr || !page->is_array()) return fail(McpFault::WrongMember, "result.tools is not a list");
  if (!add_tools(page->get_array())) return;
  const json::value* const next = member(*object, "nextCursor");
  is_listed_ = next == nullptr || next->is_null();
  if (is_listed_) return;
  if (!next->is_string() || next->get_string().empty() || next->get_string().size() > kMostCursorBytes) {
    is_listed_ = false;
    return fail(McpFault::WrongMember, "result.nextCursor is not a text of 1 to 4096 bytes");
  }
  const std::string cursor(next->get_string());
  if (cursors_.size() + 1 >= kMostPages) {
    return fail(McpFault::EndlessList, "more than " + std::to_string(kMostPages) + " pages of tools");
  }
  if (!cursors_.insert(cursor).second) {
    return fail(McpFault::EndlessList, "the page " + shown(cursor) + " of tools leads back to itself");
  }
  ask_page(cursor);
}

}  // namespace ptcvm::mcp
