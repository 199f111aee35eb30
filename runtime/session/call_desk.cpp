#include "runtime/session/call_desk.h"

#include <chrono>
#include <utility>

#include "runtime/session/record_texts.h"
#include "runtime/session/tool_requests.h"
#include "runtime/signature/coercion.h"
#include "runtime/text/written_size.h"

namespace ptc {

void CallDesk::begin_turn() {
  retries_.clear();
  handed_.clear();
}

void CallDesk::forget() {
  handed_.clear();
  cache_.forget();
}

void CallDesk::serve() {
  const std::span<const ToolRequest> waiting = run_.tool_requests();
  const std::vector<ToolRequest> requests(waiting.begin(), waiting.end());
  for (const ToolRequest& request : requests) serve(request);
  cache_.keep_fresh();
}

void CallDesk::serve(const ToolRequest& request) {
  if (handed_.contains(request.id) || retries_.is_pausing(request.id)) return;
  if (written_size(request.args, kMaxWrittenSize) >= kMaxWrittenSize) {
    run_.answer_fault(request.id, FaultKind::InvalidToolArgs, "the arguments are too large to be written out", {});
    return;
  }
  const Tool* const tool = registry().find(request.tool);
  if (tool == nullptr) {
    return replies_.put_fault(request, FaultKind::UnknownTool, unknown_tool_message(request.tool, registry()));
  }
  std::string key;
  if (tool->definition.cache) {
    key = cache_.key_of(tool->definition.name, request.args);
    if (const Value known = cache_.find(key); !known.is_absent()) return replies_.put_cached(request, known);
  }
  Owned args(run_.heap(), retained(request.args));
  if (!bind(request, *tool, args)) return;
  const bool was_allowed = retries_.contains(request.id) && gate_.approval_of(request) == nullptr;
  ToolVerdict verdict = was_allowed ? ToolVerdict() : gate_.judge(request, call_of(request, *tool, args.get(), 1));
  if (verdict.kind == ToolVerdict::Kind::Ask) return;
  if (verdict.kind == ToolVerdict::Kind::Deny) {
    return replies_.put(request, *tool, ToolReply::error("refused: " + verdict.text), {}, 0);
  }
  if (verdict.kind == ToolVerdict::Kind::Change) {
    args.reset(verdict.args);
    if (!bind(request, *tool, args)) return;
  }
  call(request, *tool, args.get(), std::move(key));
}

// Converts the arguments to what the signature says. Returns false when they do not fit, and the call has failed.
bool CallDesk::bind(const ToolRequest& request, const Tool& tool, Owned& args) {
  const Signature* const contract = tool.definition.contract.get();
  if (contract == nullptr) return true;
  CoercionResult fitted = bind_arguments(run_.heap(), *contract, args.take());
  args.reset(fitted.value);
  if (fitted.ok()) return true;
  replies_.put_fault(request, FaultKind::InvalidToolArgs,
                     tool.definition.name + ": " + mismatch_text(fitted.mismatches),
                     "it takes " + render_signature(*contract), 0, std::move(fitted.mismatches.front().found));
  return false;
}

ToolCall CallDesk::call_of(const ToolRequest& request, const Tool& tool, Value borrowed_args,
                           std::uint64_t attempt) const {
  return {tool.definition.name, borrowed_args, run_.heap(), clock_.step_deadline(), clock_.cancel_flag(),
          meta_of(run_, request), attempt};
}

void CallDesk::call(const ToolRequest& request, const Tool& tool, Value borrowed_args, std::string cache_key) {
  if (tool.definition.async != AsyncMode::No && !run_.admit_operation(request.id)) return;
  if (handed_.is_on()) return handed_.hand_out(request, tool, borrowed_args, std::move(cache_key));
  if (tool.definition.deferred) {
    if (run_.tool_calls_left() == 0) (void)run_.admit(request.id);
    return;
  }
  const std::uint64_t attempt = retries_.next_attempt(request.id);
  if (attempt == 1 && !run_.admit(request.id)) return;
  outbox_.called(request, run_.heap(), attempt);
  const auto start = std::chrono::steady_clock::now();
  ToolReply reply = tool.handler(call_of(request, tool, borrowed_args, attempt));
  if (reply.attempt == 0) reply.attempt = attempt;
  const std::uint64_t micros = micros_since(start);
  if (retries_.take(request, tool, reply, micros)) return;
  retries_.forget(request.id);
  replies_.put(request, tool, std::move(reply), std::move(cache_key), micros);
}

bool CallDesk::answer(std::uint64_t request_id, ToolReply taken, std::uint64_t micros) {
  const ToolRequest* const request = find_request(run_, request_id);
  const Tool* const tool = request == nullptr ? nullptr : registry().find(request->tool);
  const bool is_asked = request != nullptr && gate_.question_about(*request) != nullptr;
  if (tool == nullptr || is_asked || (!tool->definition.deferred && !handed_.contains(request_id))) {
    run_.heap().release(taken.result);
    return false;
  }
  std::string cache_key = handed_.take(request_id).value_or("");
  const ToolRequest served = *request;
  if (run_.admit(request_id)) {
    replies_.put(served, *tool, std::move(taken), std::move(cache_key), micros);
  } else {
    run_.heap().release(taken.result);
  }
  if (run_.tool_requests().empty()) cache_.keep_fresh();
  return true;
}

void CallDesk::note_call(std::uint64_t request_id, std::uint64_t attempt) {
  if (const ToolRequest* const request = find_request(run_, request_id)) outbox_.called(*request, run_.heap(), attempt);
}

void CallDesk::note_retry(std::uint64_t request_id, std::string_view error, std::uint64_t attempt,
                          std::int64_t pause_ms, std::uint64_t micros) {
  if (const ToolRequest* const request = find_request(run_, request_id)) {
    outbox_.retried(*request, run_.heap(), error, attempt, pause_ms, micros);
  }
}

std::vector<WaitingCall> CallDesk::waiting() const {
  std::vector<WaitingCall> calls;
  RecordTexts texts(run_.heap());
  for (const ToolRequest& request : run_.tool_requests()) {
    if (retries_.contains(request.id)) continue;
    WaitingCall& call = calls.emplace_back();
    call.id = request.id;
    call.tool = request.tool;
    call.args_edn = texts.edn(request.args);
    call.args_json = texts.json(request.args);
    call.key = gate_.key_of(request);
    call.task_id = request.task_id;
    call.line = request.span.line;
    call.column = request.span.column;
    if (const Approval* const question = gate_.question_about(request)) call.question = question->text;
  }
  return calls;
}

}  // namespace ptc
