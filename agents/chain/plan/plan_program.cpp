#include "agents/chain/plan/plan_program.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "agents/chain/check/verification.h"
#include "agents/chain/plan/gate.h"
#include "agents/chain/plan/plan_branches.h"
#include "agents/chain/plan/step_values.h"
#include "agents/chain/text/short_hash.h"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

// What every plan program begins with, after its title and the names of its tasks.
constexpr std::string_view kFunctions = R"ptc((def settled {})   ; what became of each step, by id
(def rows [])      ; what a branch has settled

; A value as arguments of tools carry it: names in collections stay as they are.
(defn carried [value path]
  (if (or (seq path) (map? value) (vector? value))
    {"json" (json/generate-string value) "path" path}
    value))

; What became of a step. The task of a step in another branch is open or over: its row is waited for.
(defn row-of [id] (or (get settled id) (task (name-of id) nil)))

; What a step gave, for the arguments of a later one.
(defn result [id & path] (carried (get (row-of id) "value") path))

; Steps: what to call, after which steps, under which key. (call-made …) has a function that makes the arguments.
(defn step [id deps] {:id id :deps deps})
(defn call [id deps key tool args] {:id id :deps deps :key key :call tool :args args})
(defn call-made [id deps key tool make] {:id id :deps deps :key key :call tool :make make})
(defn gated [s] (assoc s :gated true))
(defn judged [s] (assoc s :checked true))
(defn waiting [s] (assoc s :waits true))      ; it depends on steps of other branches
(defn awaited [s] (assoc s :awaited true))    ; steps of other branches depend on it

; Arguments with results in them are made when the step begins.
(defn args-of [s] (if (:make s) ((:make s)) (:args s)))

(defn bad [was] (when (not= "completed" (get was "status")) was))
(defn blocked-by [s]
  (if (:waits s)
    (some bad (pmap row-of (:deps s)))
    (some (fn [id] (bad (get settled id))) (:deps s))))

(defn skipped [was]
  {"status" "skipped" "root" (get was "root") "reason" (get was "reason")
   "error" (str "Skipped due to upstream failure (" (get was "root") "): " (get was "reason"))})

(defn failed [id reason]
  {"status" "failed" "error" reason "root" id "reason" reason})

; Checks what a step gave: "completed" with what nobody decided, or "failed".
(defn checked [s outputs given]
  (if (:checked s)
    (let [verdict (tool/chain_verify {"step" (:id s) "outputs" (map (fn [o] (carried o [])) outputs)})
          said (get verdict "verdict")
          given (if said (assoc given "verdict" said "judgeTokens" (get verdict "tokens")) given)]
      (if (get verdict "error")
        (merge given (failed (:id s) (get verdict "error")))
        (merge given {"status" "completed" "pending" (get verdict "pending")})))
    (merge given {"status" "completed"})))

; Makes the call of a step, once.
(defn called [s] (task (:key s) ((:call s) (args-of s))))

(defn broken [id gave]
  (merge {"broken" true} (select-keys gave ["ms" "tokens" "modelCalls" "toolCalls"]) (failed id (get gave "error"))))

; A step that its call completed, without another task.
(defn by-call [id key gave] (assoc gave "status" "completed" "id" id "task" key))
(defn by-task [id row] (assoc row "id" id "task" (name-of id)))

(defn done [s]
  (let [gave (called s)]
    (if (get gave "error") (broken (:id s) gave) (checked s [(get gave "value")] gave))))

(defn attempted [s]
  (let [refusal (when (:gated s) (tool/chain_gate {"step" (:id s) "args" (args-of s)}))]
    (cond
      refusal (failed (:id s) refusal)
      (:key s) (done s)
      :else (checked s (map (fn [id] (get (row-of id) "value")) (:deps s)) {}))))

; A call that went well is all there is to a step that nobody gates, checks or waits for.
(defn settle [s]
  (if (:awaited s)
    (by-task (:id s) (task (name-of (:id s)) (let [was (blocked-by s)] (if was (skipped was) (attempted s)))))
    (let [was (blocked-by s)
          plain (and (not was) (:key s) (not (:gated s)) (not (:checked s)))
          gave (when plain (called s))]
      (if (and plain (not (get gave "error")))
        (by-call (:id s) (:key s) gave)
        (by-task (:id s) (task (name-of (:id s))
                           (cond was (skipped was) plain (broken (:id s) gave) :else (attempted s))))))))

(defn keep-row [row] (def settled (assoc settled (get row "id") row)))
(defn in-turn [s] (let [row (settle s)] (keep-row row) (def rows (conj rows row))))

; Branches that run at once. Each is a function that settles its steps in turn.
(defn at-once [& branches]
  (doseq [row (apply concat (pmap (fn [branch] (def rows []) (branch) rows) branches))] (keep-row row)))

; A step that an earlier revision completed.
(defn kept [id name] (keep-row (assoc (task name nil) "id" id "task" name)))
(defn kept-call [id key] (keep-row (by-call id key (task key nil))))

)ptc";

std::string quoted(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(),
                                    [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  return is_plain ? '"' + std::string(text) + '"' : Value::of(text).to_edn();
}

std::string list_source(const std::vector<std::string>& list) {
  std::string text = "[";
  for (const std::string& item : list) {
    if (text.size() > 1) text += ' ';
    text += quoted(item);
  }
  return text + ']';
}

std::string result_source(const json::object& result) {
  std::string text = "(result " + quoted(std::string_view(result.at("$result").as_string()));
  if (const json::value* const path = result.if_contains("path"); path != nullptr && path->is_array()) {
    for (const json::value& part : path->get_array()) {
      text += ' ' + (part.is_string() ? quoted(part.get_string()) : json::serialize(part));
    }
  }
  return text + ')';
}

std::string value_source(const json::value& value);

std::string object_source(const json::object& object) {
  if (object.contains("$result")) return result_source(object);
  const std::vector<std::string> names = program_names(object);
  auto name = names.begin();
  std::string text = "{";
  for (const auto& member : object) {
    if (text.size() > 1) text += ' ';
    text += quoted(*name++) + ' ' + value_source(member.value());
  }
  return text + '}';
}

std::string value_source(const json::value& value) {
  if (const json::object* const object = value.if_object()) return object_source(*object);
  if (const json::array* const array = value.if_array()) {
    std::string text = "[";
    for (const json::value& item : *array) {
      if (text.size() > 1) text += ' ';
      text += value_source(item);
    }
    return text + ']';
  }
  return value.is_string() ? quoted(value.get_string()) : Value::of(value).to_edn();
}

std::string call_source(const PlanStep& step) {
  if (!step.tool.empty()) return object_source(step.args);
  return object_source({{"prompt", step.description}, {"args", step.args}});
}

std::string key_of(const PlanStep& step, std::string_view task_id, const std::string& call) {
  return std::string(task_id) + '/' + step.id + '#' + short_hash(step.tool + '\n' + call);
}

// `args` is call_source() of the step.
std::string step_source(const Plan& plan, const PlacedStep& placed, const PlanProgramRules& rules,
                        std::string_view key, const std::string& args) {
  const PlanStep& step = plan.steps[placed.step];
  std::vector<std::string> deps;
  for (const std::size_t on : step.depends_on) deps.push_back(plan.steps[on].id);
  const std::string names = quoted(step.id) + ' ' + list_source(deps);
  std::string text = "(step " + names + ')';
  if (step.type == StepType::Action) {
    const bool is_made = has_result(step.args);
    text = (is_made ? "(call-made " : "(call ") + names + ' ' + quoted(key) + " tool/" + program_tool(step.tool) +
           (is_made ? " (fn [] " + args + ")" : ' ' + args) + ')';
    if (needs_gate(step, *rules.policy, rules.history.trust)) text = "(gated " + text + ')';
  }
  if (is_checked(step, rules.verifier)) text = "(judged " + text + ')';
  if (placed.waits) text = "(waiting " + text + ')';
  return placed.is_awaited ? "(awaited " + text + ')' : text;
}

std::string one_line(std::string_view text) {
  std::string line(text.substr(0, 120));
  std::replace_if(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return line;
}

}  // namespace

ChainPolicy policy_after(ChainPolicy policy, const PlanHistory& history) {
  policy.doubted_tools.insert(policy.doubted_tools.end(), history.doubted_tools.begin(), history.doubted_tools.end());
  policy.called_tools.insert(policy.called_tools.end(), history.called_tools.begin(), history.called_tools.end());
  return policy;
}

bool is_settled_by_call(const PlanStep& step, const ChainPolicy& policy, Verifier verifier, Trust trust) {
  return step.type == StepType::Action && !needs_gate(step, policy, trust) && !is_checked(step, verifier);
}

bool is_checked(const PlanStep& step, Verifier verifier) {
  const std::vector<std::string>& criteria = step.verification;
  if (step.type == StepType::Thought || criteria.empty()) return false;
  if (verifier != Verifier::Nobody) return true;
  return std::any_of(criteria.begin(), criteria.end(), is_decided_by_grammar);
}

std::string program_tool(std::string_view tool) {
  if (tool.empty()) return "chain_agent";
  const bool is_plain = std::all_of(tool.begin(), tool.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  const bool begins_well = tool.front() > '9' || tool.front() < '0';
  if (is_plain && begins_well && !tool.starts_with("chain_") && !tool.starts_with("tool_")) return std::string(tool);
  return "tool_" + short_hash(tool);
}

std::string effect_key(const PlanStep& step, std::string_view task_id) {
  return key_of(step, task_id, call_source(step));
}

std::string_view step_of_key(std::string_view key, std::string_view task_id) {
  if (!key.starts_with(task_id) || key.size() <= task_id.size() || key[task_id.size()] != '/') return {};
  key.remove_prefix(task_id.size() + 1);
  const std::size_t hash = key.rfind('#');
  return hash == std::string_view::npos ? std::string_view() : key.substr(0, hash);
}

namespace {

// Writes the groups of a plan: a group with one branch step by step, another one as branches.
class GroupWriter {
 public:
  GroupWriter(const Plan& plan, const PlanProgramRules& rules, const std::vector<std::string>& keys,
              const std::vector<std::string>& calls)
      : plan_(plan), rules_(rules), keys_(keys), calls_(calls) {}

  std::string source(const PlanGroup& group) const {
    std::string text;
    if (group.size() == 1) {
      for (const PlacedStep& placed : group.front()) text += in_turn(placed, "") + '\n' + pause();
      return text;
    }
    text = "(at-once";
    for (const PlanBranch& branch : group) {
      text += "\n  (fn []";
      for (const PlacedStep& placed : branch) text += '\n' + in_turn(placed, "    ");
      text += ')';
    }
    return text + ")\n" + pause();
  }

 private:
  std::string in_turn(const PlacedStep& placed, std::string_view indent) const {
    return std::string(indent) + "; " + one_line(plan_.steps[placed.step].description) + '\n' + std::string(indent) +
           "(in-turn " + step_source(plan_, placed, rules_, keys_[placed.step], calls_[placed.step]) + ')';
  }
  std::string pause() const { return rules_.yields_between_steps ? "(tool/chain_settled {})\n" : ""; }

  const Plan& plan_;
  const PlanProgramRules& rules_;
  const std::vector<std::string>& keys_;
  const std::vector<std::string>& calls_;
};

}  // namespace

std::string plan_source(const Plan& plan, const PlanProgramRules& rules) {
  const std::string revision = std::to_string(rules.revision);
  std::string text = "; Plan of the task " + one_line(rules.task_id) + ", revision " + revision + ".\n";
  text += "(defn name-of [id] (str " + quoted(rules.task_id + '/') + " id " + quoted('@' + revision) + "))\n";
  text += kFunctions;
  const auto& completed = rules.history.completed;
  std::vector<std::string> ids, keys, calls;
  std::vector<bool> is_done;
  bool has_resets = false;
  for (const PlanStep& step : plan.steps) {
    ids.push_back(step.id);
    const auto kept = completed.find(step.id);
    is_done.push_back(kept != completed.end());
    const bool is_action = step.type == StepType::Action;
    const std::string& call = calls.emplace_back(is_action ? call_source(step) : std::string());
    const std::string& key = keys.emplace_back(is_action ? key_of(step, rules.task_id, call) : std::string());
    if (is_done.back()) {
      const bool is_call = !step_of_key(kept->second, rules.task_id).empty();
      text += (is_call ? "(kept-call " : "(kept ") + quoted(step.id) + ' ' + quoted(kept->second) + ")\n";
    } else if (!key.empty() && (step.is_reset || rules.history.failed_effects.contains(key))) {
      const bool has_failed = rules.history.failed_effects.contains(key);
      text += "(task-reset " + quoted(key) + (has_failed ? " \"the call failed\")\n" : " \"the plan says so\")\n");
      has_resets = true;
    }
  }
  // A program that runs again from the top finds what was done since its resets only after a call.
  if (has_resets) text += "(tool/chain_settled {})\n";
  const GroupWriter writer(plan, rules, keys, calls);
  for (const PlanGroup& group : plan_groups(plan, is_done, rules.parallel > 1)) text += writer.source(group);
  return text + "(map (fn [id] (get settled id)) " + list_source(ids) + ")\n";
}

}  // namespace ptcvm::chain
