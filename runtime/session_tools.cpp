// Tool calls of a session: finding the tool, the cache of answers, and what goes back into the run.
//
// Calls of parallel branches that wait at the same time are all made: none sees the answer to another, and of equal
// calls the last answer is the one that stays in the cache.
#include "runtime/result_rounding.h"
#include "runtime/session.h"
#include "vm/value/print.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxOperationId = 200;

std::string handle_text(std::string_view id) {
  std::string text = "(pending ";
  append_quoted(text, id);
  return text + ')';
}

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
  return run_->answer_pending(request.id, std::move(answer));
}

void Session::reply_resolved(const ToolRequest& request, ToolReply reply) {
  const Settlement::Kind kind = reply.failed ? Settlement::Kind::Error : Settlement::Kind::Ok;
  run_->answer_resolved(request.id, {kind, reply.result, std::move(reply.message)});
}

void Session::serve_tools() {
  const std::span<const ToolRequest> waiting = run_->tool_requests();
  const std::vector<ToolRequest> requests(waiting.begin(), waiting.end());
  for (const ToolRequest& request : requests) serve_tool(request);
  for (auto& [key, answer] : fresh_answers_) {
    const auto [at, is_new] = tool_cache_.emplace(std::move(key), answer);
    if (is_new) continue;
    heap().release(at->second);
    at->second = answer;
  }
  fresh_answers_.clear();
}

void Session::serve_tool(const ToolRequest& request) {
  if (written_size(heap(), request.args, kMaxWrittenSize) >= kMaxWrittenSize) {
    run_->answer_fault(request.id, FaultKind::InvalidToolArgs, "the arguments are too large to be written out", {});
    return;
  }
  ToolOutcome record;
  record.name = request.tool;
  append_edn(record.args_edn, request.args, heap());
  const auto start = Clock::now();
  const auto report = [&](std::string error) {
    if (observer_ == nullptr) return;
    record.failed = !error.empty();
    record.error = std::move(error);
    record.micros = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
    observer_->on_tool(record);
  };

  const Tool* tool = tools_.find(request.tool);
  if (tool == nullptr) {
    std::string message = unknown_tool_message(request.tool, tools_);
    report(message);
    run_->answer_fault(request.id, FaultKind::UnknownTool, std::move(message), {});
    return;
  }

  std::string key;
  if (tool->definition.cache) {
    key = tool->definition.name + ' ' + record.args_edn;
    if (const auto found = tool_cache_.find(key); found != tool_cache_.end()) {
      record.cached = true;
      if (observer_ != nullptr) append_edn(record.result_edn, found->second, heap());
      report({});
      run_->answer(request.id, retained(found->second), true);
      return;
    }
  }

  const AsyncMode mode = tool->definition.async;
  if (mode != AsyncMode::No && !run_->admit_operation(request.id)) return;
  if (!run_->admit(request.id)) return;
  const CallMeta meta{run_->run_id(), run_->turn(), request.task_id, request.call_path, request.key};
  const ToolCall call{tool->definition.name, request.args, heap(), deadline_, cancelled_, meta};
  ToolReply reply = tool->handler(call);
  if (!utf8_is_valid(reply.message)) reply.message = utf8_repaired(reply.message);
  if (auto complaint = reply.failed ? std::nullopt : plain_data_complaint(heap(), reply.result)) {
    heap().release(reply.result);
    reply = ToolReply::error(std::move(*complaint));
  }
  if (reply.failed && reply.fault != FaultKind::ToolError) {
    report(reply.message);
    run_->answer_fault(request.id, reply.fault, std::move(reply.message), {});
    return;
  }
  if (!reply.failed && reply.operation_id.size() > kMaxOperationId) {
    heap().release(reply.result);
    reply = ToolReply::error("the id of its operation is longer than " + std::to_string(kMaxOperationId) + " bytes");
  }
  if (reply.is_pending) {
    const Operation* operation = reply_pending(request, mode, std::move(reply));
    record.result_edn = operation == nullptr ? "" : handle_text(operation->id);
    report(operation == nullptr ? "the id of its operation is in use" : "");
    return;
  }
  if (mode == AsyncMode::Yes) {     // done at once: still a handle, so that programs have one shape
    report(reply.failed ? failure_message(tool->definition.name, reply.message) : "");
    reply_resolved(request, std::move(reply));
    return;
  }
  if (reply.failed) {
    std::string message = failure_message(tool->definition.name, reply.message);
    report(message);
    run_->answer_error(request.id, std::move(message));
    return;
  }
  if (tool->definition.cache) fresh_answers_.emplace_back(std::move(key), retained(reply.result));
  if (observer_ != nullptr) append_edn(record.result_edn, reply.result, heap());
  report({});
  run_->answer(request.id, reply.result);
}

}  // namespace ptc
