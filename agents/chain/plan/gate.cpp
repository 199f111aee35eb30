#include "agents/chain/plan/gate.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <string_view>
#include <vector>

#include "agents/chain/plan/call_name.h"

namespace ptcvm::chain {

namespace {

constexpr std::string_view kInDoubt = "in_doubt:", kCalled = "called:";

bool has(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool wants_person(const PlanStep& step, const ChainPolicy& policy) {
  return step.requires_confirmation || has(policy.confirmed_tools, step.tool);
}

std::string call_text(const PlanStep& step, const boost::json::object& args) {
  return step.tool + ' ' + boost::json::serialize(args);
}

}  // namespace

std::string question_text(const PlanStep& step, const boost::json::object& args, std::string_view signature) {
  const std::string wanted = "Step " + step.id + " wants to call " + call_text(step, args) + ". ";
  if (!is_about_doubt(signature)) return wanted + "Say yes, always, or no.";
  if (signature.starts_with(kCalled)) {
    return wanted + "An agent of the task that failed has called " + step.tool + " before. Look, then say yes or no.";
  }
  return wanted + "Nobody knows whether an agent of the task has called " + step.tool +
         " before. Look, then say yes or no.";
}

bool is_about_doubt(std::string_view signature) {
  return signature.starts_with(kInDoubt) || signature.starts_with(kCalled);
}

bool is_dangerous(const PlanStep& step, const boost::json::object& args, const SafetyRules& rules) {
  return step.risk == RiskLevel::High || (!step.tool.empty() && assess_risk(step.tool, args, rules).is_high);
}

bool needs_gate(const PlanStep& step, const ChainPolicy& policy, Trust trust) {
  if (wants_person(step, policy)) return true;
  if (step.tool.empty()) return false;
  return has(policy.denied_tools, step.tool) || has(policy.doubted_tools, step.tool) ||
         has(policy.called_tools, step.tool) || has_result(step.args) ||
         assess_risk(step.tool, step.args, policy.safety, trust).is_high;
}

GateVerdict judge_call(const PlanStep& step, const boost::json::object& args, const ChainPolicy& policy,
                       const Decisions& decisions, Trust trust) {
  using Kind = GateVerdict::Kind;
  if (has(policy.denied_tools, step.tool)) return {Kind::Refuse, "DENIED_TOOL", {}, {}};
  const RiskAssessment risk =
      step.tool.empty() ? RiskAssessment() : assess_risk(step.tool, args, policy.safety, trust);
  const bool is_in_doubt = has(policy.doubted_tools, step.tool);
  const bool is_doubted = is_in_doubt || has(policy.called_tools, step.tool);
  if (!risk.is_high && !is_doubted && !wants_person(step, policy)) return {};
  std::string signature = is_doubted     ? std::string(is_in_doubt ? kInDoubt : kCalled) + step.tool
                          : risk.is_high ? risk.signature
                                         : "call:" + step.tool;
  const bool is_exact = is_doubted || !risk.is_high || risk.covers_one_call || has(policy.confirmed_tools, step.tool);
  if (is_exact) signature += '#' + call_name(call_text(step, args));
  if (has(policy.approved_signatures, signature)) return {};
  if (const auto known = decisions.find(signature); known != decisions.end()) {
    return known->second ? GateVerdict() : GateVerdict{Kind::Refuse, "USER_DENIED", {}, {}};
  }
  if (!policy.has_person) return {Kind::Refuse, "CONFIRMATION_UNAVAILABLE", {}, {}};
  return {Kind::Ask, {}, signature, question_text(step, args, signature)};
}

GateVerdict judge_agent_call(std::string_view tool, const boost::json::object& args, const ChainPolicy& policy,
                             Trust trust) {
  PlanStep step;
  step.tool = tool;
  step.risk = usual_risk(tool);
  step.requires_confirmation = step.risk == RiskLevel::High;
  GateVerdict verdict = judge_call(step, args, policy, {}, trust);
  if (verdict.kind != GateVerdict::Kind::Ask) return verdict;
  return {GateVerdict::Kind::Refuse, "CONFIRMATION_UNAVAILABLE", {}, {}};
}

}  // namespace ptcvm::chain
