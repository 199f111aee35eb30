#include "runtime/session/call_replies.h"

#include <utility>

#include "runtime/signature/coercion.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

constexpr std::size_t kMaxOperationId = 200;

std::string failure_message(std::string_view tool, const std::string& reason) {
  return "Tool '" + std::string(tool) + "' failed: " + reason;
}

PendingReply::Use use_of(AsyncMode mode) {
  switch (mode) {
    case AsyncMode::Yes: return PendingReply::Use::Handle;
    case AsyncMode::Auto: return PendingReply::Use::WaitAtCall;
    case AsyncMode::No: break;
  }
  return PendingReply::Use::Unexpected;
}

}  // namespace

void CallReplies::put_cached(const ToolRequest& request, Value borrowed) {
  outbox_.answered(request, run_.heap(), {.borrowed = borrowed, .cached = true});
  run_.answer(request.id, retained(borrowed), true);
}

void CallReplies::put_fault(const ToolRequest& request, FaultKind kind, std::string message, std::string hint,
                            std::uint64_t micros, std::string found) {
  outbox_.answered(request, run_.heap(), {.error = message, .micros = micros});
  run_.answer_fault(request.id, kind, std::move(message), std::move(hint), std::move(found));
}

void CallReplies::fail(ToolReply& reply, std::string message) {
  run_.heap().release(reply.result);
  reply = ToolReply::error(std::move(message));
}

void CallReplies::make_plain(ToolReply& reply) {
  if (!utf8_is_valid(reply.message)) reply.message = utf8_repaired(reply.message);
  if (reply.failed) return;
  if (auto complaint = plain_data_complaint(run_.heap(), reply.result)) fail(reply, std::move(*complaint));
}

void CallReplies::fit(const Tool& tool, ToolReply& reply) {
  const Signature* const contract = tool.definition.contract.get();
  if (contract == nullptr || reply.failed || reply.is_pending || reply.is_partial) return;
  CoercionResult fitted = coerce_type(run_.heap(), contract->result, reply.result, "answer");
  reply.result = fitted.value;
  if (fitted.ok()) return;
  fail(reply, "its answer does not fit its signature: " + mismatch_text(fitted.mismatches));
  reply.found = std::move(fitted.mismatches.front().found);
}

void CallReplies::put(const ToolRequest& request, const Tool& tool, ToolReply reply, std::string cache_key,
                      std::uint64_t micros) {
  const AsyncMode mode = tool.definition.async;
  refuse_too_large(run_.heap(), tool.definition.name, reply);
  make_plain(reply);
  fit(tool, reply);
  if (reply.failed && reply.fault != FaultKind::ToolError) {
    return put_fault(request, reply.fault, std::move(reply.message), {}, micros);
  }
  if (!reply.failed && reply.operation_id.size() > kMaxOperationId) {
    fail(reply, "the id of its operation is longer than " + std::to_string(kMaxOperationId) + " bytes");
  }
  if (reply.is_pending) return put_pending(request, mode, std::move(reply), micros);
  const std::string failure = reply.failed ? failure_message(tool.definition.name, reply.message) : std::string();
  outbox_.answered(request, run_.heap(),
                   {.borrowed = reply.failed ? Value::absent() : reply.result, .error = failure, .micros = micros});
  if (mode == AsyncMode::Yes) {     // done at once: still a handle, so that programs have one shape
    const Settlement::Kind kind = reply.failed ? Settlement::Kind::Error : Settlement::Kind::Ok;
    run_.answer_resolved(request.id, {kind, reply.result, std::move(reply.message)});
  } else if (reply.failed) {
    run_.answer_error(request.id, failure, std::move(reply.found));
  } else {
    if (tool.definition.cache && !cache_key.empty()) cache_.add(std::move(cache_key), reply.result);
    run_.answer(request.id, reply.result);
  }
}

void CallReplies::put_pending(const ToolRequest& request, AsyncMode mode, ToolReply reply, std::uint64_t micros) {
  PendingReply answer;
  answer.id = std::move(reply.operation_id);
  answer.immediate = reply.result;
  answer.ttl_ms = reply.ttl_ms;
  answer.use = use_of(mode);
  const Operation* const operation = run_.answer_pending(request.id, std::move(answer));
  if (operation == nullptr) {
    outbox_.answered(request, run_.heap(), {.error = "the id of its operation is in use", .micros = micros});
  } else {
    outbox_.answered(request, run_.heap(), {.operation = operation->id, .micros = micros});
  }
}

}  // namespace ptc
