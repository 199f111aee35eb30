// What is between a call and its tool: hooks that judge it, questions about it, and calls that the host answers.
//
// A verdict other than "allow" is kept under the key of its call, and travels in snapshots and in the log. So a call is
// judged once: when its run is restored or run again the verdict is there, and it holds for the arguments that were
// judged and no others.
#include "runtime/session/record_texts.h"
#include "runtime/session/session.h"

namespace ptc {

std::vector<WaitingCall> Session::waiting_calls() {
  std::vector<WaitingCall> calls;
  RecordTexts texts(heap());
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

bool Session::answer_call(std::uint64_t request_id, ToolReply reply, std::uint64_t micros) {
  const ToolRequest* const request = request_of(request_id);
  const Tool* const tool = request == nullptr ? nullptr : registry().find(request->tool);
  const bool is_asked = request != nullptr && gate_.question_about(*request) != nullptr;
  const auto handed = handed_.find(request_id);
  if (tool == nullptr || is_asked || (!tool->definition.deferred && handed == handed_.end())) {
    heap().release(reply.result);
    return false;
  }
  std::string cache_key;
  if (handed != handed_.end()) {
    cache_key = std::move(handed->second.cache_key);
    handed_.erase(handed);
  }
  const ToolRequest served = *request;
  if (run_.admit(request_id)) {
    finish_call(served, *tool, std::move(reply), std::move(cache_key), micros);
  } else {
    heap().release(reply.result);
  }
  if (run_.tool_requests().empty()) keep_fresh_answers();
  return true;
}

}  // namespace ptc
