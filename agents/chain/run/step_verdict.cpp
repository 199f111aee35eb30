#include "agents/chain/run/step_verdict.h"

#include <boost/json/array.hpp>
#include <optional>
#include <utility>

#include "agents/chain/plan/step_values.h"
#include "agents/chain/text/model_json.h"

namespace ptcvm::chain {

namespace json = boost::json;

std::string joined_outputs(const json::object& args) {
  std::string text;
  const json::value* const outputs = args.if_contains("outputs");
  if (outputs == nullptr || !outputs->is_array()) return text;
  for (const json::value& output : outputs->get_array()) {
    const auto taken = taken_result(output);
    if (!text.empty()) text += '\n';
    if (const json::value* const value = std::get_if<json::value>(&taken)) text += output_text(*value);
  }
  return text;
}

json::value verdict_of(std::string_view step, const Verification& verification, std::string_view output) {
  json::value error;
  if (!verification.passed()) error = verification_message(step, verification, output);
  return json::object{{"error", std::move(error)},
                      {"pending", json::array(verification.pending.begin(), verification.pending.end())}};
}

json::object judge_args(const Verification& verification, std::string_view output) {
  return {{"output", output},
          {"unmet", json::array(verification.unmet.begin(), verification.unmet.end())},
          {"criteria", json::array(verification.pending.begin(), verification.pending.end())}};
}

json::value judged(std::string_view step, const json::object& judge_args, const json::value& reply) {
  Verification verification;
  for (const json::value& criterion : judge_args.at("unmet").as_array()) {
    verification.unmet.emplace_back(criterion.as_string());
  }
  const auto found = reply.is_string() ? find_json(std::string_view(reply.get_string())) : std::optional(reply);
  const json::array& criteria = judge_args.at("criteria").as_array();
  json::array verdict;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    const json::value* const said = found && found->is_array() ? found->get_array().if_contains(i) : nullptr;
    std::string criterion(criteria[i].as_string());
    const bool is_decided = said != nullptr && said->is_bool();
    verdict.push_back(json::object{{"criterion", criterion}, {"passes", is_decided ? *said : json::value()}});
    if (!is_decided) {
      verification.pending.push_back(std::move(criterion));
    } else if (!said->get_bool()) {
      verification.unmet.push_back(std::move(criterion));
    }
  }
  json::value answer = verdict_of(step, verification, std::string_view(judge_args.at("output").as_string()));
  answer.as_object()["verdict"] = std::move(verdict);
  return answer;
}

}  // namespace ptcvm::chain
