#include "agents/planner/kept_calls.h"

#include <algorithm>
#include <utility>

#include "agents/loop/document_text.h"
#include "agents/loop/doubt_names.h"
#include "ptcvm/json.hpp"

namespace ptcvm::planner {

using harness::CallEnd;
using harness::Fact;
using harness::FactType;
using harness::PlannerCall;

namespace {

constexpr std::string_view kApprove = "approve:";

// Returns the path of the question whether a call may be made.
std::string approval_path(const std::string& call) {
  const std::size_t name = call.rfind('/') + 1;   // 0 without a slash
  return call.substr(0, name).append(kApprove).append(call.substr(name));
}

// Returns the answer as one word in small letters, without spaces and marks at its end.
std::string word_of(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != '.' && c != '!') word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return word;
}

}  // namespace

bool has_lasting_effect(Effect effect) { return effect != Effect::Pure && effect != Effect::Idempotent; }

std::string call_key(const std::string& run, const std::string& path) {
  const std::string call = loop::doubted_call(path);
  return run + "/" + (call.empty() ? path : call);
}

std::string question_id(const std::string& run, const std::string& path, std::size_t round) {
  return run + "/" + path + (round == 1 ? "" : "/" + std::to_string(round));
}

const Fact* answer_to(const harness::ConversationView& view, std::string_view qid) {
  for (auto fact = view.facts().rbegin(); fact != view.facts().rend(); ++fact) {
    if (fact->type == FactType::user_answer && harness::text_of(fact->body, "qid") == qid) return &*fact;
  }
  return nullptr;
}

bool says_yes(std::string_view text) {
  const std::string word = word_of(text);
  return word == "yes" || word == "y" || word == "true" || word == "ok";
}

bool says_no(std::string_view text) {
  const std::string word = word_of(text);
  return word == "no" || word == "n";
}

std::string wrong_result(std::string_view text) {
  if (!Value::from_json(text)) return "was no JSON; a text is written in quotation marks, as \"noon\"";
  const std::string doubled = doubled_member(text);
  return doubled.empty() ? doubled : "has the member " + doubled + " twice";
}

void KeptCalls::enter(harness::PlanContext& context, std::string run) {
  if (run != run_) promised_.clear();
  context_ = &context;
  run_ = std::move(run);
}

// Returns the first call that was given up, had these arguments, returned, and has not answered a call of this run.
const PlannerCall* KeptCalls::same_call(std::string_view tool, std::string_view args_json) const {
  for (const PlannerCall* const made : calls().given_up(tool)) {
    const bool is_same = made->end == CallEnd::Returned && made->args_json == args_json;
    if (is_same && !calls().is_used(*made, run_)) return made;
  }
  return nullptr;
}

// Several calls may be judged before the first one is made: each earlier call answers one of them.
HookVerdict KeptCalls::judge(const loop::AgentTool& tool, ToolCall& call) {
  if (context_ == nullptr || !has_lasting_effect(tool.effect)) return HookVerdict::allow();
  const std::vector<const PlannerCall*> made = calls().given_up(tool.name);
  if (made.empty()) return HookVerdict::allow();
  const std::string key(call.idempotency_key()), args_json = call.args().to_json();
  for (const PlannerCall* const one : made) {
    const bool is_same = one->end == CallEnd::Returned && one->args_json == args_json;
    const bool is_promised = std::ranges::any_of(promised_, [&](const auto& promise) {
      return promise.second == one->key && promise.first != key;
    });
    if (!is_same || is_promised || calls().is_used(*one, run_)) continue;
    promised_[key] = one->key;
    return HookVerdict::allow();
  }
  return HookVerdict::ask("May " + tool.name + " be called again?");
}

bool KeptCalls::is_known(const loop::Operation& call) const {
  if (call.definition == nullptr || !has_lasting_effect(call.definition->effect)) return false;
  return same_call(call.tool, call.args_json) != nullptr;
}

std::string KeptCalls::earlier_calls(const loop::Operation& call) const {
  const std::vector<const PlannerCall*> made = calls().given_up(call.tool);
  if (made.empty()) return {};
  const PlannerCall& last = *made.back();
  std::string text = call.tool + " was called with " + last.args_json + " for a proposal that was dropped, and it ";
  return text + (last.end == CallEnd::Returned ? "returned " : "failed: ") + last.outcome + ". ";
}

bool KeptCalls::is_allowed_by_person(const loop::Operation& call) const {
  const std::string question = approval_path(call.path);
  for (std::size_t round = 1;; ++round) {
    const Fact* const answer = answer_to(context_->view(), question_id(run_, question, round));
    if (answer == nullptr) return false;
    if (says_yes(harness::text_of(answer->body, "text"))) return true;
  }
}

std::optional<Result<Value>> KeptCalls::call(const loop::Operation& call) {
  if (call.definition == nullptr || !has_lasting_effect(call.definition->effect)) return driver_.call(call);
  PlannerCall begins{.key = call_key(run_, call.path), .run = run_, .tool = call.tool, .args_json = call.args_json};
  const bool is_allowed = is_allowed_by_person(call);
  const PlannerCall* const same = is_allowed ? nullptr : same_call(call.tool, call.args_json);
  if (same != nullptr) {
    begins.answered_by = same->key;
    const std::string outcome = same->outcome;
    context_->call_begins(begins);
    context_->call_ended(begins.key, CallEnd::Returned, outcome);
    return Value::from_json(outcome);
  }
  if (!is_allowed && !calls().given_up(call.tool).empty()) {
    const std::string why = earlier_calls(call) + "A person has to allow another call.";
    return Result<Value>(Error{Errc::refused, why, std::nullopt, {}});
  }
  context_->call_begins(begins);
  std::optional<Result<Value>> answer = driver_.call(call);
  if (!answer) return answer;   // it ends later
  std::string outcome = *answer ? (*answer)->to_json() : answer->error().message;
  loop::mend_text(outcome);
  context_->call_ended(begins.key, *answer ? CallEnd::Returned : CallEnd::Failed, outcome);
  return answer;
}

}  // namespace ptcvm::planner
