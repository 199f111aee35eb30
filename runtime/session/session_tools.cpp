// Tool calls of a session: finding the tool, the cache of answers, and what goes back into the run.
//
// Calls of parallel branches that wait at the same time are all made: none sees the answer to another, and of equal
// calls the last answer is the one that stays in the cache.
#include "runtime/calls/further_attempt.h"
#include "runtime/text/result_rounding.h"
#include "runtime/session/session.h"
#include "runtime/signature/coercion.h"
#include "vm/value/print.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxOperationId = 200;

std::string failure_message(std::string_view tool, const std::string& reason) {
  return "Tool '" + std::string(tool) + "' failed: " + reason;
}

}  // namespace

const Operation* Session::reply_pending(const ToolRequest& request, AsyncMode mode, ToolReply reply) {
  PendingReply answer;
  answer.id = std::move(reply.operation_id);
  answer.immediate = reply.result;
  answer.ttl_ms = reply.ttl_ms;
  answer.use = mode == AsyncMode::Yes    ? PendingReply::Use::Handle
               : mode == AsyncMode::Auto ? PendingReply::Use::WaitAtCall
                                         : PendingReply::Use::Unexpected;
  return run_.answer_pending(request.id, std::move(answer));
}

void Session::reply_resolved(const ToolRequest& request, ToolReply reply) {
  const Settlement::Kind kind = reply.failed ? Settlement::Kind::Error : Settlement::Kind::Ok;
  run_.answer_resolved(request.id, {kind, reply.result, std::move(reply.message)});
}

void Session::serve_tools() {
  const std::span<const ToolRequest> waiting = run_.tool_requests();
  const std::vector<ToolRequest> requests(waiting.begin(), waiting.end());
  for (const ToolRequest& request : requests) serve_tool(request);
  keep_fresh_answers();
}

void Session::keep_fresh_answers() {
  for (auto& [key, answer] : fresh_answers_) {
    const auto [at, is_new] = tool_cache_.emplace(std::move(key), answer);
    if (is_new) continue;
    heap().release(at->second);
    at->second = answer;
  }
  fresh_answers_.clear();
}

// False arguments, unknown tools and what hooks refuse fail here; a call that has to wait stays among the requests.
void Session::serve_tool(const ToolRequest& request) {
  if (handed_.contains(request.id)) return;
  const auto retrying = retries_.find(request.id);
  if (retrying != retries_.end() && Clock::now() < retrying->second.due) return;
  if (written_size(heap(), request.args, kMaxWrittenSize) >= kMaxWrittenSize) {
    run_.answer_fault(request.id, FaultKind::InvalidToolArgs, "the arguments are too large to be written out", {});
    return;
  }
  const Tool* tool = registry().find(request.tool);
  if (tool == nullptr) {
    std::string message = unknown_tool_message(request.tool, registry());
    outbox_.answered(request, heap(), {.error = message});
    run_.answer_fault(request.id, FaultKind::UnknownTool, std::move(message), {});
    return;
  }
  std::string key;
  if (tool->definition.cache) {
    key = tool->definition.name + ' ';
    append_edn(key, request.args, heap());
    if (const auto found = tool_cache_.find(key); found != tool_cache_.end()) {
      outbox_.answered(request, heap(), {.borrowed = found->second, .cached = true});
      run_.answer(request.id, retained(found->second), true);
      return;
    }
  }
  Owned args(heap(), retained(request.args));
  if (!bind(request, *tool, args)) return;
  const ToolCall call{tool->definition.name, args.get(), heap(), clock_.step_deadline(), clock_.cancel_flag(),
                      meta_of(run_, request)};
  const bool was_judged = retrying != retries_.end() && gate_.approval_of(request) == nullptr;
  ToolVerdict verdict = was_judged ? ToolVerdict() : gate_.judge(request, call);
  if (verdict.kind == ToolVerdict::Kind::Ask) return;
  if (verdict.kind == ToolVerdict::Kind::Deny) {
    return finish_call(request, *tool, ToolReply::error("refused: " + verdict.text), {}, 0);
  }
  if (verdict.kind == ToolVerdict::Kind::Change) {
    args.reset(verdict.args);
    if (!bind(request, *tool, args)) return;
  }
  call_tool(request, *tool, args.get(), std::move(key));
}

// Converts the arguments to what the signature says. False: they do not fit, and the call has failed.
bool Session::bind(const ToolRequest& request, const Tool& tool, Owned& args) {
  const Signature* const contract = tool.definition.contract.get();
  if (contract == nullptr) return true;
  const CoercionResult fitted = bind_arguments(heap(), *contract, args.take());
  args.reset(fitted.value);
  if (fitted.ok()) return true;
  std::string message = tool.definition.name + ": " + mismatch_text(fitted.mismatches);
  outbox_.answered(request, heap(), {.error = message});
  run_.answer_fault(request.id, FaultKind::InvalidToolArgs, std::move(message),
                     "it takes " + render_signature(*contract));
  return false;
}

void Session::call_tool(const ToolRequest& request, const Tool& tool, Value args, std::string key) {
  const AsyncMode mode = tool.definition.async;
  if (mode != AsyncMode::No && !run_.admit_operation(request.id)) return;
  if (hands_out_) return hand_out(request, tool, args, std::move(key));
  if (tool.definition.deferred) {
    if (run_.tool_calls_left() == 0) (void)run_.admit(request.id);
    return;
  }
  const auto retrying = retries_.find(request.id);
  const std::uint64_t attempt = retrying == retries_.end() ? 1 : retrying->second.attempts + 1;
  if (attempt == 1 && !run_.admit(request.id)) return;
  outbox_.called(request, heap(), attempt);
  const auto start = Clock::now();
  ToolReply reply =
      tool.handler({tool.definition.name, args, heap(), clock_.step_deadline(), clock_.cancel_flag(),
                    meta_of(run_, request), attempt});
  if (reply.attempt == 0) reply.attempt = attempt;
  const std::uint64_t micros = micros_since(start);
  if (is_retried(request, tool, reply, micros)) return;
  retries_.erase(request.id);
  finish_call(request, tool, std::move(reply), std::move(key), micros);
}

// Calls in flight are not counted yet: a call for which the limits have no room waits until those are answered.
void Session::hand_out(const ToolRequest& request, const Tool& tool, Value args, std::string key) {
  if (run_.tool_calls_left() <= handed_.size()) {
    if (handed_.empty()) (void)run_.admit(request.id);
    return;
  }
  const bool is_sync = tool.definition.async == AsyncMode::No;
  const std::size_t most = run_.limits().pending_operations;
  if (!is_sync && !handed_.empty() && operations().waiting_count() + handed_.size() >= most) return;
  handed_.try_emplace(request.id, Handed{&tool, KeptValue(heap(), retained(args)), std::move(key)});
}

const ToolRequest* Session::request_of(std::uint64_t request_id) const {
  for (const ToolRequest& request : run_.tool_requests()) {
    if (request.id == request_id) return &request;
  }
  return nullptr;
}

std::vector<Session::HandedCall> Session::handed_calls() const {
  std::vector<HandedCall> calls;
  for (const auto& [id, handed] : handed_) {
    const ToolRequest* const request = request_of(id);
    if (request == nullptr) continue;
    calls.push_back({id, handed.tool, handed.args.get(), meta_of(run_, *request), request->span});
  }
  return calls;
}

void Session::note_call(std::uint64_t request_id, std::uint64_t attempt) {
  if (const ToolRequest* const request = request_of(request_id)) outbox_.called(*request, heap(), attempt);
}

void Session::note_retry(std::uint64_t request_id, std::string_view error, std::uint64_t attempt,
                         std::int64_t pause_ms, std::uint64_t micros) {
  if (const ToolRequest* const request = request_of(request_id)) {
    outbox_.retried(*request, heap(), error, attempt, pause_ms, micros);
  }
}

bool Session::is_retried(const ToolRequest& request, const Tool& tool, const ToolReply& reply, std::uint64_t micros) {
  if (!wants_further_attempt(tool, reply, reply.attempt)) return false;
  const std::int64_t pause = retry_pause_ms(tool.definition.retry, request.key, reply.attempt);
  retries_[request.id] = {reply.attempt, Clock::now() + std::chrono::milliseconds(pause)};
  outbox_.retried(request, heap(), reply.message, reply.attempt, pause, micros);
  return true;
}

std::optional<Deadline> Session::next_retry() const {
  std::optional<Deadline> first;
  for (const auto& [request, retrying] : retries_) {
    if (!first || retrying.due < *first) first = retrying.due;
  }
  return first;
}

// Takes the reply's values.
void Session::finish_call(const ToolRequest& request, const Tool& tool, ToolReply reply, std::string key,
                          std::uint64_t micros) {
  const AsyncMode mode = tool.definition.async;
  if (!utf8_is_valid(reply.message)) reply.message = utf8_repaired(reply.message);
  if (auto complaint = reply.failed ? std::nullopt : plain_data_complaint(heap(), reply.result)) {
    heap().release(reply.result);
    reply = ToolReply::error(std::move(*complaint));
  }
  if (const Signature* const contract = tool.definition.contract.get();
      contract != nullptr && !reply.failed && !reply.is_pending && !reply.is_partial) {
    CoercionResult fitted = coerce_type(heap(), contract->result, reply.result, "answer");
    reply.result = fitted.value;
    if (!fitted.ok()) {
      heap().release(reply.result);
      reply = ToolReply::error("its answer does not fit its signature: " + mismatch_text(fitted.mismatches));
    }
  }
  if (reply.failed && reply.fault != FaultKind::ToolError) {
    outbox_.answered(request, heap(), {.error = reply.message, .micros = micros});
    run_.answer_fault(request.id, reply.fault, std::move(reply.message), {});
    return;
  }
  if (!reply.failed && reply.operation_id.size() > kMaxOperationId) {
    heap().release(reply.result);
    reply = ToolReply::error("the id of its operation is longer than " + std::to_string(kMaxOperationId) + " bytes");
  }
  if (reply.is_pending) {
    const ToolRequest served = request;
    const Operation* operation = reply_pending(request, mode, std::move(reply));
    if (operation == nullptr) {
      outbox_.answered(served, heap(), {.error = "the id of its operation is in use", .micros = micros});
    } else {
      outbox_.answered(served, heap(), {.operation = operation->id, .micros = micros});
    }
    return;
  }
  const std::string failure = reply.failed ? failure_message(tool.definition.name, reply.message) : std::string();
  outbox_.answered(request, heap(),
                   {.borrowed = reply.failed ? Value::absent() : reply.result, .error = failure, .micros = micros});
  if (mode == AsyncMode::Yes) {     // done at once: still a handle, so that programs have one shape
    reply_resolved(request, std::move(reply));
  } else if (reply.failed) {
    run_.answer_error(request.id, failure);
  } else {
    if (tool.definition.cache && !key.empty()) fresh_answers_.emplace_back(std::move(key), retained(reply.result));
    run_.answer(request.id, reply.result);
  }
}

}  // namespace ptc
