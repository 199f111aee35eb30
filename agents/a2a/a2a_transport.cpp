#include "agents/a2a/a2a_transport.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "agents/a2a/refusals.h"
#include "agents/a2a/task_server.h"
#include "agents/harness/conversation/ingestion.h"
#include "agents/harness/facts/json_members.h"
#include "ptcvm/json.hpp"

namespace ptcvm::a2a {

namespace json = boost::json;
using harness::object_at;
using harness::text_of;

namespace {

Error refuse_answer(std::string message, std::string_view detail) {
  return {Errc::wrong_state, std::move(message), std::nullopt, detail};
}

Error refuse_failure(const json::object& failure) {
  const json::value* const code = failure.if_contains("code");
  std::string said(text_of(failure, "message"));
  std::ranges::replace_if(said, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');   // on one line
  const std::string_view detail = detail_of_failure(failure);
  const std::string what = detail == harness::kMayBeSent ? "the server answered with the error ("
                                                         : "the server refused the request (";
  return refuse_answer(what + (code == nullptr ? "no code" : json::serialize(*code)) +
                           "): " + said,
                       detail);
}

// Returns whether the answer is the one to the request. By JSON-RPC 2.0 the id is null exactly when the server could
// not find the id in the request: with an error that says that it was no JSON, or no request.
bool is_answer_to(const json::object& answer, std::uint64_t id) {
  const json::value* const named = answer.if_contains("id");
  if (named == nullptr) return false;
  if (named->is_null()) {
    const json::object* const failure = object_at(answer, "error");
    return failure != nullptr && is_of_unread_request(*failure);
  }
  return named->is_number() && harness::number_of(answer, "id") == static_cast<double>(id);
}

// An answer that is no JSON-RPC, or the one to another request, says nothing of what became of the request.
Result<json::object> result_of(std::string_view body, std::uint64_t id) {
  boost::system::error_code error;
  const json::value answer = json::parse(body, error);
  if (error || !answer.is_object()) {
    return refuse_answer("the server answered with something that is no JSON-RPC", harness::kMayBeSent);
  }
  if (const std::string doubled = doubled_member(body); !doubled.empty()) {
    return refuse_answer("the server wrote the member " + doubled + " twice", harness::kMayBeSent);
  }
  if (const json::value* const version = answer.get_object().if_contains("jsonrpc");
      version == nullptr || *version != json::value("2.0")) {
    return refuse_answer("the server answered with something that is no JSON-RPC 2.0: jsonrpc is " +
                             (version == nullptr ? "missing" : json::serialize(*version)),
                         harness::kMayBeSent);
  }
  if (!is_answer_to(answer.get_object(), id)) {
    return refuse_answer("the server answered another request: the id of this one is " + std::to_string(id),
                         harness::kMayBeSent);
  }
  const auto has = [&answer](std::string_view member) {
    const json::value* const value = answer.get_object().if_contains(member);
    return value != nullptr && !value->is_null();
  };
  if (has("error") && has("result")) {
    return refuse_answer("the answer of the server has an error and a result", harness::kMayBeSent);
  }
  if (const json::object* const failure = object_at(answer.get_object(), "error")) return refuse_failure(*failure);
  const json::object* const result = object_at(answer.get_object(), "result");
  if (result == nullptr) return refuse_answer("the answer of the server has no result", harness::kMayBeSent);
  return *result;
}

// A server may answer with a message in the place of a task. What is neither says nothing of the request.
Result<json::object> task_in(json::object result) {
  if (text_of(result, "kind") == "message") {
    if (text_of(result, "messageId").empty() || harness::array_at(result, "parts") == nullptr) {
      return refuse_answer("the server answered with a message that has no messageId or no parts", harness::kMayBeSent);
    }
    return json::object{{"kind", "task"},
                        {"id", text_of(result, "taskId")},
                        {"status", {{"state", "input-required"}, {"message", std::move(result)}}}};
  }
  const json::object* const status = object_at(result, "status");
  if (status != nullptr && !text_of(*status, "state").empty()) return result;
  return refuse_answer("the server answered with something that is neither a task with a state nor a message",
                       harness::kMayBeSent);
}

bool has_message(const json::object& task, std::string_view id) {
  const json::object* const status = object_at(task, "status");
  const json::object* const last = status == nullptr ? nullptr : object_at(*status, "message");
  if (last != nullptr && text_of(*last, "messageId") == id) return true;
  const json::array* const history = harness::array_at(task, "history");
  return history != nullptr && std::ranges::any_of(*history, [id](const json::value& message) {
    return message.is_object() && text_of(message.get_object(), "messageId") == id;
  });
}

}  // namespace

// Returns the task of the answer.
Result<json::object> A2aTransport::call(std::string_view method, json::object params) {
  const json::object request{
      {"jsonrpc", "2.0"}, {"id", ++calls_}, {"method", method}, {"params", std::move(params)}};
  const Result<std::string> body = post_(json::serialize(request));
  if (!body) return body.error();
  Result<json::object> result = result_of(*body, calls_);
  return result ? task_in(*std::move(result)) : result;
}

Result<json::object> A2aTransport::send(const json::object& message) {
  if (!address_.empty() && conversation_.view().remote() != address_) {
    const auto noted =
        conversation_.note(std::string(harness::kRemoteNote), "", {{"url", address_}}, {clock_(), {}});
    if (!noted) return noted.error();
  }
  json::object sent = message;
  const std::string task_id = conversation_.view().task_id();
  if (!task_id.empty()) sent["taskId"] = task_id;
  Result<json::object> result =
      call("message/send", {{"message", std::move(sent)}, {"configuration", {{"blocking", false}}}});
  if (!result) return result;
  const std::string_view id = text_of(*result, "id");
  if (!id.empty() && id != task_id) {
    const auto noted = conversation_.note(std::string(harness::kTaskNote), "", {{"id", id}}, {clock_(), {}});
    if (!noted) return noted.error();
  }
  return result;
}

Result<std::optional<json::object>> A2aTransport::call_task(std::string_view method) {
  const std::string id = conversation_.view().task_id();
  if (id.empty()) return std::optional<json::object>{};
  Result<json::object> task = call(method, {{"id", id}});
  if (!task) return task.error();
  return std::optional<json::object>{*std::move(task)};
}

Result<std::optional<json::object>> A2aTransport::task() { return call_task("tasks/get"); }

Result<std::optional<json::object>> A2aTransport::cancel() { return call_task("tasks/cancel"); }

Result<std::optional<bool>> A2aTransport::arrived(std::string_view message_id) {
  const Result<std::optional<json::object>> task = call_task("tasks/get");
  if (!task) return std::optional<bool>{};
  if (*task && has_message(**task, message_id)) return std::optional<bool>{true};
  return std::optional<bool>{};   // it may be on its way
}

bool A2aTransport::takes_each_id_once() const {
  if (is_once_) return *is_once_;
  const Result<json::object> card = fetch_card_();
  if (card) is_once_ = a2a::takes_each_id_once(*card);
  return is_once_.value_or(false);
}

}  // namespace ptcvm::a2a
