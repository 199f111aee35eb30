#include "agents/chain/plan/tool_signatures.h"

#include <algorithm>
#include <utility>

#include "agents/chain/plan/step_values.h"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

// Returns whether the path "args.NAME…" is about the argument of that name.
bool is_about(const std::string& path, std::string_view name) {
  const std::string begin = "args." + seen_name(std::string(name));
  const std::string seen = seen_name(path);
  return seen.starts_with(begin) && (seen.size() == begin.size() || seen[begin.size()] == '.' ||
                                     seen[begin.size()] == '[');
}

template <class Known>
std::string fault_text(const std::vector<SignatureMismatch>& mismatches, const Known& is_known) {
  std::string text;
  for (const SignatureMismatch& mismatch : mismatches) {
    if (is_known(mismatch.path)) continue;
    text += (text.empty() ? "" : "; ") + mismatch.path + ": " + mismatch.message;
  }
  return text;
}

std::string with_signature(std::string fault, std::string_view tool, const Signature& signature) {
  return fault.empty() ? fault : fault + "; the signature of " + std::string(tool) + " is " + signature.text();
}

std::string fault_text(const SignatureFit& fit, std::string_view tool, const Signature& signature) {
  return with_signature(fault_text(fit.mismatches, [](const std::string&) { return false; }), tool, signature);
}

}  // namespace

Result<ToolSignatures> ToolSignatures::of(const std::vector<ChainTool>& tools) {
  ToolSignatures made;
  for (const ChainTool& tool : tools) {
    if (tool.signature.empty()) continue;
    auto read = Signature::parse(tool.signature);
    if (!read) {
      Error error = std::move(read).error();
      error.message = "the tool " + tool.name + ": " + error.message;
      return error;
    }
    made.signatures_.insert_or_assign(tool.name, *std::move(read));
  }
  return made;
}

const Signature* ToolSignatures::find(std::string_view tool) const {
  const auto found = signatures_.find(tool);
  return found == signatures_.end() ? nullptr : &found->second;
}

std::string ToolSignatures::planned_fault(const PlanStep& step) const {
  const Signature* const signature = find(step.tool);
  if (signature == nullptr) return {};
  const SignatureFit fit = signature->fit_params(Value::of(json::value(args_with(step.args, {}))));
  const auto is_made_later = [&step](const std::string& path) {
    return std::any_of(step.args.begin(), step.args.end(), [&path](const auto& member) {
      return has_result(member.value()) && is_about(path, member.key());
    });
  };
  return with_signature(fault_text(fit.mismatches, is_made_later), step.tool, *signature);
}

std::variant<json::object, std::string> ToolSignatures::args_of(const PlanStep& step, const json::object& given) const {
  const json::object planned =
      step.tool.empty() ? json::object{{"prompt", step.description}, {"args", step.args}} : step.args;
  auto exact = exact_args(planned, given);
  json::object* const args = std::get_if<json::object>(&exact);
  if (args == nullptr) return std::string("RESULT_PATH_MISSING");
  const std::string fault = fit_args(step.tool, *args);
  if (!fault.empty()) return "ARGUMENTS_INVALID: " + fault;
  return std::move(*args);
}

std::string ToolSignatures::fit_args(std::string_view tool, json::object& args) const {
  const Signature* const signature = find(tool);
  if (signature == nullptr) return {};
  const SignatureFit fit = signature->fit_params(Value::of(json::value(args)));
  if (!fit.mismatches.empty()) return fault_text(fit, tool, *signature);
  if (!fit.is_changed) return {};
  const json::value fitted = to_json(fit.value);
  const json::object* const values = fitted.if_object();
  for (auto& member : args) {
    const json::value* const value = values == nullptr ? nullptr : values->if_contains(seen_name(member.key()));
    if (value != nullptr) member.value() = *value;
  }
  return {};
}

// A value that was cut would be taken for the whole one by the step that gets it.
std::string ToolSignatures::fit_output(std::string_view tool, json::value& answer, std::size_t most_bytes) const {
  const std::size_t bytes = output_bytes(answer);
  if (bytes > most_bytes) {
    return "OUTPUT_TOO_LARGE: the output has " + std::to_string(bytes) + " bytes; at most " +
           std::to_string(most_bytes) + " are taken";
  }
  const Signature* const signature = find(tool);
  if (signature == nullptr) return {};
  const SignatureFit fit = signature->fit_result(Value::of(answer), "answer");
  if (!fit.mismatches.empty()) return "ANSWER_INVALID: " + fault_text(fit, tool, *signature);
  if (fit.is_changed) answer = to_json(fit.value);
  return {};
}

std::string fit_output(const ChainOptions& options, std::string_view tool, json::value& output) {
  const auto signatures = options.checks_signatures ? ToolSignatures::of(options.tools) : ToolSignatures();
  return signatures ? signatures->fit_output(tool, output, options.most_output_bytes) : signatures.error().message;
}

}  // namespace ptcvm::chain
