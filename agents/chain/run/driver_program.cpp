#include "agents/chain/run/driver_program.h"

#include "ptcvm/convert.hpp"

namespace ptcvm::chain {

namespace {

constexpr std::string_view kDriver = R"ptc(
; Whatever was paid for is a task: a process that dies pays for nothing twice.
(defn named [what] (str task-id "/" what))

(defn reply [revision attempt problem]
  (task (named (str "plan@" revision "." attempt))
    (tool/chain_plan {"revision" revision "attempt" attempt "problem" problem})))

(defn check [revision attempt problem]
  (tool/chain_check {"revision" revision "attempt" attempt "reply" (reply revision attempt problem)}))

; A plan that is not right is asked for once more, with the reason.
(defn planned [revision]
  (let [first-one (check revision 1 nil)]
    (if (get first-one "again")
      (check revision 2 (get first-one "again"))
      first-one)))

(defn report [revision notes error]
  (task (named (str "report@" revision))
    (tool/chain_report {"revision" revision "notes" notes "error" error}))
  nil)

(let [intent (task (named "intent") (tool/chain_intent {}))
      context (task (named "context") (tool/chain_context {}))]
  (tool/chain_begin {"intent" intent "context" context}))

)ptc";

// Ends the program of a task.
constexpr std::string_view kLoop = R"ptc((loop [revision 1 notes []]
  (let [plan (planned revision)
        before (max 1 (dec revision))]
    (cond
      (get plan "error") (report before notes (get plan "error"))
      (get plan "refused") (report before (conj notes (get plan "refused")) nil)
      :else
        (let [ran (tool/chain_steps {"revision" revision})]
          (if (get ran "replan")
            (recur (inc revision) (into notes (get ran "notes")))
            (report revision notes (get ran "error")))))))
)ptc";

// Ends the program of a task that is planned again. Its first report tells the revision before when nothing else can be
// tried.
constexpr std::string_view kAskedLoop = R"ptc(
(defn report-of [revision executed notes error]
  (task (named (str "report@" revision))
    (tool/chain_report {"revision" revision "of" executed "notes" notes "error" error}))
  nil)

(loop [revision asked executed executed-before notes []]
  (let [plan (planned revision)]
    (cond
      (get plan "error") (report-of revision executed notes (get plan "error"))
      (and (get plan "refused") (= executed 0)) (report-of revision executed notes (get plan "refused"))
      (get plan "refused") (report-of revision executed (conj notes (get plan "refused")) nil)
      :else
        (let [ran (tool/chain_steps {"revision" revision})]
          (if (get ran "replan")
            (recur (inc revision) revision (into notes (get ran "notes")))
            (report revision notes (get ran "error")))))))
)ptc";

std::string title(std::string_view what, std::string_view task_id) {
  return "; " + std::string(what) + "\n(def task-id " + Value::of(task_id).to_edn() + ")\n";
}

}  // namespace

std::string driver_source(std::string_view task_id) {
  return title("Drives a task: intent, context, plan, steps, replanning, report.", task_id) + std::string(kDriver) +
         std::string(kLoop);
}

std::string driver_source(std::string_view task_id, std::uint32_t revision, std::uint32_t executed) {
  return title("Plans a task again: plan, steps, replanning, report.", task_id) + "(def asked " +
         std::to_string(revision) + ")\n(def executed-before " + std::to_string(executed) + ")\n" +
         std::string(kDriver) + std::string(kAskedLoop);
}

std::string feedback_source(std::string_view task_id) {
  return title("Keeps what a person says about a finished task.", task_id) +
         "(task (str task-id \"/feedback\") (tool/chain_feedback {\"reply\" (await-signal \"reply\")}))\n";
}

}  // namespace ptcvm::chain
