#include "agents/loop/agent_sequence.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agents/loop/agent_names.h"
#include "agents/loop/prompt.h"
#include "ptcvm/signature.hpp"

namespace ptcvm::loop {

namespace {

struct Step {
  std::string name;
  std::vector<SignatureField> wants;              // parameters, or what the prompt names
  std::optional<Signature> signature;
};

Error chain_error(const std::string& message) {
  return {Errc::invalid_value, "chain_error: " + message, std::nullopt, {}};
}

// Returns what a step works on: its parameters, or else what its prompt names.
Result<Step> step_of(const AgentDefinition& definition, std::string name) {
  Step step;
  step.name = std::move(name);
  if (!definition.signature.empty()) {
    auto read = Signature::parse(definition.signature);
    if (!read) return chain_error(step.name + ": " + read.error().message);
    step.signature = *std::move(read);
  }
  if (step.signature && step.signature->has_params()) {
    step.wants = step.signature->params();
    return step;
  }
  const auto names = template_names(definition.prompt);
  if (!names) return chain_error(step.name + ": " + names.error().message);
  for (const std::string& named : *names) {
    const std::string first = named.substr(0, named.find('.'));
    const auto known = std::ranges::find(step.wants, first, &SignatureField::name);
    if (known == step.wants.end()) step.wants.push_back({first, ":any", false});
  }
  return step;
}

// Returns the type without the mark of what may be missing.
std::string_view bare(std::string_view type) { return type.ends_with('?') ? type.substr(0, type.size() - 1) : type; }

// A number may be handed to a parameter of the other kind; the value is checked when it is there.
bool may_fit(std::string_view given, std::string_view wanted) {
  given = bare(given);
  wanted = bare(wanted);
  const auto is_number = [](std::string_view type) { return type == ":int" || type == ":float"; };
  const auto is_plain = [](std::string_view type) { return type.find_first_of("[{") == std::string_view::npos; };
  if (given == wanted || given == ":any" || wanted == ":any" || given == ":map" || wanted == ":map") return true;
  return (is_number(given) && is_number(wanted)) || (!is_plain(given) && !is_plain(wanted));
}

Result<void> check_handover(const Step& step, const Step& next) {
  if (next.wants.empty()) return {};
  const std::string result = step.signature ? step.signature->result_type() : ":any";
  if (result == ":any" || result == ":map") return {};   // the value is checked when it is there
  const std::vector<SignatureField> given = step.signature->result_fields();
  for (const SignatureField& wanted : next.wants) {
    const auto found = std::ranges::find(given, wanted.name, &SignatureField::name);
    if (found == given.end()) {
      if (wanted.is_optional) continue;
      return chain_error(next.name + " wants the argument \"" + wanted.name + "\", and " + step.name +
                         ", the agent before it, returns " + result + " without it");
    }
    if (may_fit(found->type, wanted.type)) continue;
    return chain_error(next.name + " wants the argument \"" + wanted.name + "\" as " + wanted.type + ", and " +
                       step.name + ", the agent before it, returns it as " + found->type);
  }
  return {};
}

// Writes the call of a step. `from` is the name of the value that the step before returned, or "" for data of the run.
// `more` is written behind the arguments.
std::string call_of(const Step& step, const std::string& from, const std::string& more = {}) {
  std::string call = "(tool/" + step.name + " {";
  for (const SignatureField& wanted : step.wants) {
    const std::string value = from.empty() ? "data/" + wanted.name : "(get " + from + " \"" + wanted.name + "\")";
    call += "\"" + wanted.name + "\" " + value + " ";
  }
  return call + more + "})";
}

std::string program_of(const std::vector<Step>& steps) {
  std::string program = "(let [", from;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string name = "r" + std::to_string(i + 1);
    program += (i == 0 ? "" : "\n      ") + name + " " + call_of(steps[i], from);
    from = name;
  }
  return program + "]\n  (return " + from + "))";
}

template <class Number>
void add(Number& sum, Number more) {
  sum = more > std::numeric_limits<Number>::max() - sum ? std::numeric_limits<Number>::max() : sum + more;
}

// A sequence may use what its steps may use together, and one turn for its program.
AgentLimits limits_of(const std::vector<AgentDefinition>& steps) {
  AgentLimits limits;
  limits.max_turns = limits.turns = 1;
  limits.model_calls = limits.tool_calls = 0;
  limits.tokens = 0;
  limits.depth = 0;
  for (const AgentDefinition& step : steps) {
    add(limits.turns, step.limits.turns);
    add(limits.model_calls, step.limits.model_calls);
    add(limits.tool_calls, step.limits.tool_calls);
    add(limits.tokens, step.limits.tokens);
    limits.depth = std::max(limits.depth, step.limits.depth);
  }
  ++limits.depth;
  limits.observation_bytes = 0;   // it shows nothing to a model
  return limits;
}

std::string params_text(const std::vector<SignatureField>& fields) {
  std::string params;
  for (const SignatureField& wanted : fields) {
    params += (params.empty() ? "" : ", ") + wanted.name + " " + wanted.type;
  }
  return params;
}

std::string signature_of(const std::vector<Step>& steps) {
  const std::optional<Signature>& last = steps.back().signature;
  return "(" + params_text(steps.front().wants) + ") -> " + (last ? last->result_type() : ":any");
}

// The name of the data in which a worker gets the plan that was made for it. The model does not see it as data.
constexpr std::string_view kPlanData = "_plan";

// A plan is a list, or a map with the list in it.
bool may_be_plan(const Signature& signature) {
  const std::string type = signature.result_type();
  if (type == ":any" || type == ":map" || type.starts_with('[')) return true;
  const auto fields = signature.result_fields();
  return std::ranges::any_of(fields, [](const auto& field) { return field.name == "steps" || field.name == "plan"; });
}

}  // namespace

Result<AgentDefinition> planned_agent(AgentDefinition planner, AgentDefinition worker) {
  if (!worker.plan.empty() || !worker.plan_from.empty()) return chain_error("the agent has a plan and a planner");
  auto work = step_of(worker, is_agent_name(worker.name) ? worker.name : "worker");
  if (!work) return work.error();
  if (planner.signature.empty()) {
    planner.signature = "(" + params_text(work->wants) + ") -> {steps [{id :string, text :string}]}";
  }
  const bool keeps_name = is_agent_name(planner.name) && planner.name != work->name;
  auto plan = step_of(planner, keeps_name ? planner.name : "planner");
  if (!plan) return plan.error();
  if (plan->name == work->name) return chain_error("the planner and the agent are both called " + work->name);
  if (!may_be_plan(*plan->signature)) {
    return chain_error(plan->name + " returns " + plan->signature->result_type() + ", and a plan is a list of steps");
  }
  AgentDefinition out;
  out.name = plan->name + "-then-" + work->name;
  out.limits = limits_of({planner, worker});
  std::vector<SignatureField> wants = work->wants;
  for (const SignatureField& wanted : plan->wants) {
    if (std::ranges::find(wants, wanted.name, &SignatureField::name) == wants.end()) wants.push_back(wanted);
  }
  const std::string result = work->signature ? work->signature->result_type() : ":any";
  out.signature = "(" + params_text(wants) + ") -> " + result;
  out.program = "(let [plan " + call_of(*plan, {}) + "]\n  (return " +
                call_of(*work, {}, "\"" + std::string(kPlanData) + "\" plan") + "))";
  worker.plan_from = kPlanData;
  if (work->signature && work->signature->has_params()) {
    const std::string params = params_text(work->wants);
    worker.signature = "(" + params + (params.empty() ? "" : ", ") + std::string(kPlanData) + " :any) -> " + result;
  }
  out.children[plan->name] = std::make_shared<AgentDefinition>(std::move(planner));
  out.children[work->name] = std::make_shared<AgentDefinition>(std::move(worker));
  return out;
}

Result<AgentDefinition> agent_sequence(std::vector<AgentDefinition> steps) {
  if (steps.empty()) return chain_error("a sequence has at least one step");
  if (steps.size() == 1) return std::move(steps.front());
  std::vector<Step> read;
  AgentDefinition out;
  for (const AgentDefinition& definition : steps) {
    const std::string usual = "step-" + std::to_string(read.size() + 1);
    const bool keeps_name = is_agent_name(definition.name) && !out.children.contains(definition.name);
    auto step = step_of(definition, keeps_name ? definition.name : usual);
    if (!step) return step.error();
    if (!read.empty()) {
      if (const auto checked = check_handover(read.back(), *step); !checked) return checked.error();
    }
    if (!out.children.emplace(step->name, nullptr).second) return chain_error("two steps are called " + step->name);
    out.name += (out.name.empty() ? "" : "-then-") + step->name;
    read.push_back(*std::move(step));
  }
  out.limits = limits_of(steps);
  out.signature = signature_of(read);
  out.program = program_of(read);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    out.children[read[i].name] = std::make_shared<AgentDefinition>(std::move(steps[i]));
  }
  return out;
}

}  // namespace ptcvm::loop
