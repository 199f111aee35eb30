#include "runtime/session/gate.h"

#include <algorithm>
#include <utility>

#include "runtime/session/tool_requests.h"
#include "runtime/text/edn.h"
#include "vm/value/print.h"

namespace ptc {

using State = Approval::State;

std::string Gate::key_of(const ToolRequest& request) const {
  return hooks_.key_of ? hooks_.key_of(meta_of(run_, request)) : request.key;
}

ToolVerdict Gate::judge(const ToolRequest& request, const ToolCall& call) {
  if (!hooks_.before && approvals_.empty()) return {};
  std::string key = key_of(request);
  const auto known = approvals_.find(key);
  if (known != approvals_.end()) return verdict_again(known->second, call);
  return hooks_.before ? judge_first(std::move(key), call) : ToolVerdict();
}

ToolVerdict Gate::judge_first(std::string key, const ToolCall& call) {
  ToolVerdict verdict = hooks_.before(call);
  if (verdict.kind == ToolVerdict::Kind::Allow) return verdict;
  Approval approval{State::Open, std::string(call.name), {}, verdict.text};
  append_edn(approval.args_edn, call.args, run_.heap());
  if (verdict.kind == ToolVerdict::Kind::Deny) approval.state = State::Denied;
  if (verdict.kind == ToolVerdict::Kind::Change) {
    approval.state = State::Changed;
    approval.text.clear();
    append_edn(approval.text, verdict.args, run_.heap());
  }
  const auto kept = approvals_.emplace(std::move(key), std::move(approval)).first;
  outbox_.judged(kept->first, kept->second);
  return verdict;
}

ToolVerdict Gate::verdict_again(const Approval& approval, const ToolCall& call) {
  std::string args;
  append_edn(args, call.args, run_.heap());
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
      auto changed = read_edn(run_.heap(), approval.text);
      if (const auto* value = std::get_if<Value>(&changed)) return {ToolVerdict::Kind::Change, *value, {}};
      return {ToolVerdict::Kind::Deny, Value::nil(), "its changed arguments cannot be read"};
    }
  }
  return {};
}

const Approval* Gate::approval_of(const ToolRequest& request) const {
  if (approvals_.empty()) return nullptr;
  const auto known = approvals_.find(key_of(request));
  return known == approvals_.end() ? nullptr : &known->second;
}

const Approval* Gate::question_about(const ToolRequest& request) const {
  const Approval* const known = approval_of(request);
  return known != nullptr && known->state == State::Open ? known : nullptr;
}

bool Gate::waits_for_decisions_only() const {
  const auto requests = run_.tool_requests();
  return !requests.empty() && std::ranges::all_of(requests, [this](const ToolRequest& request) {
    return question_about(request) != nullptr;
  });
}

std::optional<std::string> Gate::decide(std::string_view key, bool is_allowed, std::string reason,
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

std::vector<std::string> Gate::saved() const {
  std::vector<std::string> saved;
  for (const auto& [key, approval] : approvals_) {
    saved.push_back(key);
    saved.push_back(approval_edn(approval));
  }
  return saved;
}

void Gate::restore(const std::vector<std::string>& saved) {
  approvals_.clear();
  for (std::size_t i = 0; i + 1 < saved.size(); i += 2) {
    if (auto approval = read_approval(saved[i + 1])) load(saved[i], std::move(*approval));
  }
}

}  // namespace ptc
