#include "agents/chain/driver_program.h"

#include "ptcvm/convert.hpp"

namespace ptcvm::chain {

namespace {

constexpr std::string_view kDriver = R"ptc(
; Whatever was paid for is a task: a process that dies pays for nothing twice.
(defn named [what] (str task-id "/" what))

(defn reply [revision attempt problem results]
  (task (named (str "plan@" revision "." attempt))
    (tool/chain_plan {"revision" revision "attempt" attempt "problem" problem "results" results})))

(defn check [revision attempt problem results]
  (tool/chain_check {"revision" revision "attempt" attempt "results" results
                     "reply" (reply revision attempt problem results)}))

; A plan that is not right is asked for once more, with the reason.
(defn planned [revision results]
  (let [first-one (check revision 1 nil results)]
    (if (get first-one "again")
      (check revision 2 (get first-one "again") results)
      first-one)))

(defn report [revision results notes error]
  (task (named (str "report@" revision))
    (tool/chain_report {"revision" revision "results" results "notes" notes "error" error})))

(let [intent (task (named "intent") (tool/chain_intent {}))
      context (task (named "context") (tool/chain_context {}))]
  (tool/chain_begin {"intent" intent "context" context}))

(loop [revision 1 results nil notes []]
  (let [plan (planned revision results)
        before (max 1 (dec revision))]
    (cond
      (get plan "error") (report before results notes (get plan "error"))
      (get plan "refused") (report before results (conj notes (get plan "refused")) nil)
      :else
        (let [ran (tool/chain_steps {"revision" revision})]
          (if (get ran "replan")
            (recur (inc revision) (get ran "results") (into notes (get ran "notes")))
            (report revision (get ran "results") notes (get ran "error")))))))
)ptc";

std::string title(std::string_view what, std::string_view task_id) {
  return "; " + std::string(what) + "\n(def task-id " + Value::of(task_id).to_edn() + ")\n";
}

}  // namespace

std::string driver_source(std::string_view task_id) {
  return title("Drives a task: intent, context, plan, steps, replanning, report.", task_id) + std::string(kDriver);
}

std::string feedback_source(std::string_view task_id) {
  return title("Keeps what a person says about a finished task.", task_id) +
         "(task (str task-id \"/feedback\") (tool/chain_feedback {\"reply\" (await-signal \"reply\")}))\n";
}

}  // namespace ptcvm::chain
