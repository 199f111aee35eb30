#include "agents/chain/risk/risk.h"

#include <algorithm>
#include <utility>

#include "agents/chain/risk/command_risk.h"
#include "agents/chain/risk/file_risk.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

RiskAssessment high(std::string signature) { return {true, std::move(signature)}; }

// What a tool that others run does depends on its arguments: an answer is about the call that was shown.
RiskAssessment high_call(std::string signature) { return {true, std::move(signature), true}; }

RiskAssessment risk_of_call(std::string_view tool, const json::object& args, const SafetyRules& rules) {
  if (std::ranges::find(rules.external_tools, tool) != rules.external_tools.end()) {
    return high_call("external_mcp:" + std::string(tool));
  }
  if (auto risk = file_risk(tool, args, rules)) return *std::move(risk);
  if (tool == "shell_execute") return command_risk(args, rules);
  if (tool == "git_push" || tool == "browser_upload") return high_call(std::string(tool));
  return {};
}

}  // namespace

RiskAssessment assess_risk(std::string_view tool, const json::object& args, const SafetyRules& rules, Trust trust) {
  RiskAssessment risk = risk_of_call(tool, args, rules);
  if (risk.is_high || trust == Trust::Usual) return risk;
  if (!is_named(tool, rules.guarded_tools) || is_named(tool, rules.reading_tools)) return risk;
  return high("verification_failure_guard:" + std::string(tool));
}

}  // namespace ptcvm::chain
