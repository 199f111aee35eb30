// What is between a call and its tool: hooks that judge it, questions about it, and calls that the host answers.
//
// A verdict other than "allow" is kept under the key of its call, and travels in snapshots and in the log. So a call is
// judged once: when its run is restored or run again the verdict is there, and it holds for the arguments that were
// judged and no others.
#include <algorithm>
#include <array>

#include "runtime/text/edn.h"
#include "runtime/session/record_texts.h"
#include "runtime/session/session.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

using State = Approval::State;

constexpr std::array<std::string_view, 4> kStateNames = {"open", "allowed", "changed", "denied"};

void append_entry(std::string& text, std::string_view name, std::string_view value) {
  append_quoted(text, name);
  text += ' ';
  append_quoted(text, value);
}

std::string text_at(Heap& heap, Value map, std::string_view name) {
  const Owned key(heap, string_of(heap, name));
  const Value found = map_find(map, key.get());
  return found.is_string() ? std::string(string_view_of(found)) : std::string();
}

}  // namespace

std::string_view approval_state_name(State state) { return kStateNames[static_cast<std::size_t>(state)]; }

std::optional<State> find_approval_state(std::string_view name) {
  const auto known = std::find(kStateNames.begin(), kStateNames.end(), name);
  if (known == kStateNames.end()) return std::nullopt;
  return static_cast<State>(known - kStateNames.begin());
}

std::string approval_edn(const Approval& approval) {
  std::string text = "{";
  append_entry(text, "args", approval.args_edn);
  text += ' ';
  append_entry(text, "state", approval_state_name(approval.state));
  text += ' ';
  append_entry(text, "text", approval.text);
  text += ' ';
  append_entry(text, "tool", approval.tool);
  return text + '}';
}

std::optional<Approval> read_approval(std::string_view edn) {
  Heap heap;
  auto read = read_edn(heap, edn);
  if (!std::holds_alternative<Value>(read) || !std::get<Value>(read).is_map()) return std::nullopt;
  const Value map = std::get<Value>(read);
  const auto state = find_approval_state(text_at(heap, map, "state"));
  if (!state) return std::nullopt;
  return Approval{*state, text_at(heap, map, "tool"), text_at(heap, map, "args"), text_at(heap, map, "text")};
}

CallMeta Session::meta_of(const ToolRequest& request) const {
  return {run_->run_id(), run_->turn(), request.task_id, request.call_path, request.key};
}

std::string Session::approval_key(const ToolRequest& request) const {
  return hooks_.key_of ? hooks_.key_of(meta_of(request)) : request.key;
}

ToolVerdict Session::gate(const ToolRequest& request, const ToolCall& call) {
  if (!hooks_.before && approvals_.empty()) return {};
  std::string key = approval_key(request);
  auto known = approvals_.find(key);
  std::string args;
  if (known == approvals_.end()) {
    if (!hooks_.before) return {};
    ToolVerdict verdict = hooks_.before(call);
    if (verdict.kind == ToolVerdict::Kind::Allow) return verdict;
    append_edn(args, call.args, heap());
    Approval approval{State::Open, std::string(call.name), args, verdict.text};
    if (verdict.kind == ToolVerdict::Kind::Deny) approval.state = State::Denied;
    if (verdict.kind == ToolVerdict::Kind::Change) {
      approval.state = State::Changed;
      approval.text.clear();
      append_edn(approval.text, verdict.args, heap());
    }
    known = approvals_.emplace(std::move(key), std::move(approval)).first;
    outbox_.judged(known->first, known->second);
    return verdict;
  }
  append_edn(args, call.args, heap());
  const Approval& approval = known->second;
  if (approval.tool != call.name || approval.args_edn != args) {
    return {ToolVerdict::Kind::Deny, Value::nil(),
            "it was judged as " + approval.tool + ' ' + approval.args_edn + ", now it is " + std::string(call.name) +
                ' ' + args};
  }
  switch (approval.state) {
    case State::Open: return {ToolVerdict::Kind::Ask, Value::nil(), approval.text};
    case State::Denied: return {ToolVerdict::Kind::Deny, Value::nil(), approval.text};
    case State::Allowed: break;
    case State::Changed: {
      auto changed = read_edn(heap(), approval.text);
      if (const auto* value = std::get_if<Value>(&changed)) return {ToolVerdict::Kind::Change, *value, {}};
      return {ToolVerdict::Kind::Deny, Value::nil(), "its changed arguments cannot be read"};
    }
  }
  return {};
}

std::optional<std::string> Session::decide(std::string_view key, bool is_allowed, std::string reason,
                                           const std::optional<std::string>& args_edn) {
  const auto found = approvals_.find(key);
  if (found == approvals_.end()) return "nobody asked about " + std::string(key);
  Approval& approval = found->second;
  const State wanted = is_allowed ? State::Allowed : State::Denied;
  if (approval.state != State::Open) {
    if (approval.state == wanted) return std::nullopt;
    return std::string(key) + " was decided before: " + std::string(approval_state_name(approval.state));
  }
  if (args_edn && *args_edn != approval.args_edn) {
    return "the question was about " + approval.args_edn + ", not about " + *args_edn;
  }
  approval.state = wanted;
  approval.text = std::move(reason);
  outbox_.judged(found->first, approval);
  return std::nullopt;
}

std::vector<WaitingCall> Session::waiting_calls() {
  std::vector<WaitingCall> calls;
  RecordTexts texts(heap());
  for (const ToolRequest& request : run_->tool_requests()) {
    if (retries_.contains(request.id)) continue;
    WaitingCall& call = calls.emplace_back();
    call.id = request.id;
    call.tool = request.tool;
    call.args_edn = texts.edn(request.args);
    call.args_json = texts.json(request.args);
    call.key = approval_key(request);
    call.task_id = request.task_id;
    call.line = request.span.line;
    call.column = request.span.column;
    const auto known = approvals_.find(call.key);
    if (known != approvals_.end() && known->second.state == State::Open) call.question = known->second.text;
  }
  return calls;
}

bool Session::waits_for_decisions_only() const {
  const auto requests = run_->tool_requests();
  return !requests.empty() && std::ranges::all_of(requests, [this](const ToolRequest& request) {
    const auto known = approvals_.find(approval_key(request));
    return known != approvals_.end() && known->second.state == State::Open;
  });
}

bool Session::answer_call(std::uint64_t request_id, ToolReply reply, std::uint64_t micros) {
  const ToolRequest* const request = request_of(request_id);
  const Tool* const tool = request == nullptr ? nullptr : registry().find(request->tool);
  const auto known = request == nullptr ? approvals_.end() : approvals_.find(approval_key(*request));
  const bool is_asked = known != approvals_.end() && known->second.state == State::Open;
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
  if (run_->admit(request_id)) {
    finish_call(served, *tool, std::move(reply), std::move(cache_key), micros);
  } else {
    heap().release(reply.result);
  }
  if (run_->tool_requests().empty()) keep_fresh_answers();
  return true;
}

}  // namespace ptc
