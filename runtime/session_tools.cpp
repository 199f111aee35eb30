// Tool calls of a session: finding the tool, the cache of answers, and what goes back into the run.
//
// Calls of parallel branches that wait at the same time are all made: none sees the answer to another, and of equal
// calls the last answer is the one that stays in the cache.
#include "runtime/result_rounding.h"
#include "runtime/session.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;

std::string failure_message(std::string_view tool, const std::string& reason) {
  return "Tool '" + std::string(tool) + "' failed: " + reason;
}

}  // namespace

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

  if (!run_->admit(request.id)) return;
  const ToolCall call{tool->definition.name, request.args, heap(), deadline_, cancelled_};
  ToolReply reply = tool->handler(call);
  Value offender = Value::nil();
  if (!reply.failed && !is_plain_data(heap(), reply.result, &offender)) {
    const Value refused = reply.result;      // offender is a part of it
    reply = ToolReply::error("its answer holds a " + std::string(type_word(offender)) + ", which is not plain data");
    heap().release(refused);
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
