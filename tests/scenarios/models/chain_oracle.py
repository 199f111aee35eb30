#!/usr/bin/env python3
"""Makes random tasks, and says by the rules of the task chain what must become of them.

chain_oracle.py RUNNER COUNT [--seed N] [--store memory|sqlite] [--parallel N]: writes COUNT cases with what must hold,
runs `RUNNER chain FILE` over them, and prints the cases that do not hold. The rules below are written from the
description of the chain and share no code with the engine: steps in plan order, one after another (N at once: the order
of their calls does not count); failures skip what is downstream; a revision may change what failed and what is
downstream of it; a process that dies repeats only what may be repeated.
"""
import argparse
import json
import random
import subprocess
import sys
import tempfile

DEFAULT_CRITERION = "Validate tool output for this step."
REPEATABLE = ("pure", "idempotent", "keyed")


class Parked(Exception):
    """The task waits for a person who says nothing."""


def upstream(steps, index):
    seen = set()
    todo = list(steps[index]["dependsOn"])
    place = {step["id"]: at for at, step in enumerate(steps)}
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += steps[place[one]]["dependsOn"]
    return seen


class Task:
    """Executes one case by the rules."""

    def __init__(self, given):
        self.given = given
        self.made, self.calls, self.args = {}, [], {}
        self.asked, self.denied, self.approved = 0, set(), set()
        self.committed = {}          # tool and arguments -> output
        self.crashes = list(given.get("crash", []))
        self.doubted = False
        self.notes = []
        self.planner_calls = 1

    def dies(self, point):
        if point in self.crashes:
            self.crashes.remove(point)
            return True
        return False

    def outcome(self, tool, place):
        outcomes = self.given["tools"][tool]
        return outcomes[min(place, len(outcomes) - 1)]

    def call(self, step, args):
        """Returns (output, error)."""
        tool = step["tool"]
        place = self.made.get(tool, 0)
        self.made[tool] = place + 1
        self.calls.append(tool)
        self.args.setdefault(tool, []).append(args)
        if self.dies("in_call " + step["id"]):
            if self.given["effects"].get(tool, "unsafe") in REPEATABLE:
                return self.call(step, args)
            self.doubted = True
            said = self.given.get("doubt")
            if said is None:
                raise Parked
            if said == "happened":
                return self.outcome(tool, 0).get("ok"), None
            return self.call(step, args)
        outcome = self.outcome(tool, place)
        if "echo" in outcome:
            return args.get(outcome["echo"]), None
        if "ok" in outcome:
            return outcome["ok"], None
        return None, outcome.get("err", outcome.get("throw"))

    def refusal(self, step, args):
        given = self.given
        if step["tool"] in given["deniedTools"]:
            return "DENIED_TOOL"
        high = step.get("riskLevel") == "high"
        wants = step.get("requiresConfirmation", high) or step["tool"] in given["mustConfirmBefore"]
        if not wants:
            return None
        about = step["tool"] + json.dumps(args, sort_keys=True)
        if about in self.approved:
            return None
        if about in self.denied:
            return "USER_DENIED"
        if "ask" not in given:
            return "CONFIRMATION_UNAVAILABLE"
        self.asked += 1
        if given["ask"] == "never":
            raise Parked
        (self.approved if given["ask"] == "yes" else self.denied).add(about)
        return None if given["ask"] == "yes" else "USER_DENIED"

    @staticmethod
    def unmet(criteria, text):
        unmet = []
        for criterion in criteria:
            if criterion.startswith("contains:") and criterion[9:].lower() not in text.lower():
                unmet.append(criterion)
            if criterion.startswith("not_contains:") and criterion[13:].lower() in text.lower():
                unmet.append(criterion)
            if criterion.startswith("min_length:") and len(text.strip()) < int(criterion[11:]):
                unmet.append(criterion)
        return unmet

    @staticmethod
    def text(output):
        if output is None or isinstance(output, str):
            return output or ""
        return json.dumps(output, separators=(",", ":"))

    def judged(self, step, output, text):
        unmet = self.unmet(step["verification"], text)
        if not unmet:
            return {"status": "completed", "output": output}
        named = ", ".join(f'"{one}"' for one in unmet)
        return {"status": "failed", "error": f"Verification failed for {step['id']}. Unmet checks: {named}. "
                                             f"Output snippet: {text.strip() or '(empty output)'}"}

    def attempt(self, step, results):
        if step["type"] == "thought":
            return {"status": "completed", "output": None}
        if step["type"] == "system":
            joined = "\n".join(self.text(results[on].get("output")) for on in step["dependsOn"])
            return self.judged(step, None, joined)
        args = {name: results[arg["$result"]]["output"] if isinstance(arg, dict) else arg
                for name, arg in step.get("args", {}).items()}
        refusal = self.refusal(step, args)
        if refusal:
            return {"status": "failed", "error": refusal}
        key = step["id"] + "#" + step["tool"] + json.dumps(step.get("args", {}), sort_keys=True)
        if step.get("reset"):
            self.committed.pop(key, None)
        if key not in self.committed:
            output, error = self.call(step, args)
            if error is not None:
                return {"status": "failed", "error": error}
            self.committed[key] = output
        return self.judged(step, self.committed[key], self.text(self.committed[key]))

    def revision(self, steps, before):
        results = {}
        for step in steps:
            known = before.get(step["id"])
            if known and known["status"] == "completed":
                results[step["id"]] = known
                continue
            bad = [results[on] for on in step["dependsOn"] if results[on]["status"] != "completed"]
            if bad:
                root, reason = bad[0]["root"], bad[0]["reason"]
                results[step["id"]] = {"status": "skipped", "root": root, "reason": reason,
                                       "error": f"Skipped due to upstream failure ({root}): {reason}"}
                continue
            result = self.attempt(step, results)
            if result["status"] == "failed":
                result.update(root=step["id"], reason=result["error"])
            results[step["id"]] = result
        return results

    @staticmethod
    def only_lowers(was, now, result):
        """Whether other checks shall pass what failed the old ones, with nothing done again."""
        if now is None or not result.get("error", "").startswith("Verification failed for "):
            return False
        if now["verification"] == was["verification"] or now["type"] != was["type"]:
            return False
        if was["type"] == "system":
            return set(now["dependsOn"]) == set(was["dependsOn"])
        same_call = now["tool"] == was["tool"] and now.get("args", {}) == was.get("args", {})
        return same_call and not now.get("reset")

    def replanned(self, steps, results, revision):
        """Returns the steps of the next revision, or None when the failure stays."""
        given = self.given
        if given.get("replan") is False or revision >= given["maxRevisions"]:
            return None
        if not any(result["status"] == "failed" for result in results.values()):
            return None
        self.planner_calls += 1
        if revision - 1 >= len(given["replans"]):
            self.notes.append("REPLAN_UNAVAILABLE")
            return None
        after = normalized(given["replans"][revision - 1])
        kept = {step["id"]: step for step in after}
        for step in steps:   # a step that is completed is not done again
            before = {name: value for name, value in step.items() if name != "reset"}
            if results[step["id"]]["status"] == "completed" and kept.get(step["id"]) != before:
                self.notes.append("REPLAN_TOUCHES_COMPLETED")
                return None
        if any(self.only_lowers(step, kept.get(step["id"]), results[step["id"]]) for step in steps):
            self.notes.append("REPLAN_CHANGES_CHECKS")
            return None
        self.notes += [f"Failure at {one}: {result['error']}" for one, result in results.items()
                       if result["status"] == "failed"]
        return after

    def run(self):
        steps, results, revision = normalized(self.given["plan"]), {}, 1
        try:
            results = self.revision(steps, {})
            while True:
                after = self.replanned(steps, results, revision)
                if after is None:
                    break
                revision += 1
                steps, results = after, self.revision(after, results)
        except Parked:
            return {"task": "parked", "success": False, "calls": self.calls, "asked": self.asked, "reports": 0,
                    "parked_in_doubt": self.doubted}
        return self.told(steps, results, revision)

    def told(self, steps, results, revision):
        status = [results[step["id"]]["status"] for step in steps]
        success = all(one == "completed" for one in status)
        failed, done = status.count("failed"), status.count("completed")
        outputs = [self.text(results[step["id"]].get("output")).strip() for step in steps]
        errors = {one: result["error"] for one, result in results.items() if "error" in result}
        told = {"task": "completed", "success": success, "revision": revision, "calls": self.calls,
                "calls_args": self.args, "asked": self.asked, "reports": 1, "planner_calls": self.planner_calls,
                "steps": [[step["id"], one] for step, one in zip(steps, status)], "error_of": errors,
                "outputs": [output for output in outputs if output], "notes_contain": self.notes,
                "recorded_effects": len(self.committed), "parked_in_doubt": self.doubted,
                "summary": f"Completed {done}/{len(steps)} steps." if success else
                           f"Task failed with {failed} failed step(s)."}
        dangerous = any(step.get("riskLevel") == "high" for step in steps)
        told["feedback_asked"] = "ask" in self.given and (
            not success or dangerous or self.given["userConfirmation"] >= 0.8)
        return told


def normalized(plan):
    """Fills in what a planner leaves out; the random plans are valid."""
    steps = []
    for index, one in enumerate(plan):
        step = dict(one)
        step.setdefault("type", "action")
        if "dependsOn" not in step:
            step["dependsOn"] = [steps[-1]["id"]] if index else []
        step["dependsOn"] = [steps[-1]["id"] if on == "prev" else on for on in step["dependsOn"]]
        step.setdefault("verification", [DEFAULT_CRITERION] if step["type"] == "action" else [])
        steps.append(step)
    return steps


def random_step(rng, plan, index):
    step = {"id": f"s{index + 1}", "description": f"do {index + 1}"}
    earlier = [one["id"] for one in plan]
    if earlier and rng.random() < 0.85:
        step["dependsOn"] = rng.sample(earlier, rng.randint(0, min(3, len(earlier))))
        if step["dependsOn"] and rng.random() < 0.1:
            step["dependsOn"] = ["prev"]
    kind = rng.random()
    if kind < 0.1:
        return step | {"type": "thought"}
    if kind < 0.2:
        criterion = rng.choice(["contains:ok", "not_contains:bad", "min_length:2"])
        return step | {"type": "system", "verification": [criterion]}
    step["tool"] = f"t{index + 1}"
    if rng.random() < 0.6:
        step["args"] = {"n": rng.randint(0, 2)}
    above = sorted(upstream(normalized(plan + [step | {"type": "action"}]), index))
    above = [one for one in above if "tool" in plan[int(one[1:]) - 1]]
    if above and rng.random() < 0.5:
        step.setdefault("args", {})["from-it"] = {"$result": rng.choice(above)}
    if rng.random() < 0.4:
        step["verification"] = rng.sample(["contains:ok", "not_contains:bad", "min_length:2", "looks fine"],
                                          rng.randint(1, 2))
    if rng.random() < 0.15:
        step["requiresConfirmation"] = rng.random() < 0.7
    if rng.random() < 0.1:
        step["riskLevel"] = rng.choice(["low", "medium", "high"])
    return step


def random_outcome(rng):
    kind = rng.random()
    if kind < 0.6:
        return {"ok": rng.choice(["ok", "okay, fine", "bad", "", "x", {"a-b": "ok"}, [1, None], 7])}
    if kind < 0.7:
        return {"echo": rng.choice(["n", "from-it"])}
    return {rng.choice(["err", "throw"]): rng.choice(["down", "no such thing"])}


def revised(rng, plan):
    """Changes steps at random; the rules say whether they may be changed."""
    steps = json.loads(json.dumps(plan))
    for step in steps:
        if rng.random() < 0.3 and "tool" in step:
            change = rng.random()
            if change < 0.6:
                step.setdefault("args", {})["n"] = rng.randint(3, 9)
            elif change < 0.8:
                step["reset"] = True
            else:
                step["verification"] = ["looks fine"]
    return steps


def random_case(rng, number, parallel):
    plan = []
    for index in range(rng.randint(1, 7)):
        plan.append(random_step(rng, plan, index))
    if not any("tool" in step for step in plan):
        plan[0] = {"id": "s1", "tool": "t1", "description": "do 1"}
        for step in plan[1:]:
            step.get("args", {}).pop("from-it", None)
    tools = {step["tool"]: [random_outcome(rng) for _ in range(rng.randint(1, 3))] for step in plan if "tool" in step}
    given = {"plan": plan, "tools": tools, "maxRevisions": rng.randint(1, 3),
             "userConfirmation": rng.choice([0, 0.79, 0.8]),
             "effects": {tool: rng.choice(["unsafe", "idempotent", "keyed", "pure"]) for tool in tools},
             "deniedTools": [tool for tool in tools if rng.random() < 0.05],
             "mustConfirmBefore": [tool for tool in tools if rng.random() < 0.1],
             "replans": [revised(rng, plan) for _ in range(rng.randint(0, 2))]}
    if rng.random() < 0.2:
        given["replan"] = False
    if rng.random() < 0.7:
        given["ask"] = rng.choice(["yes", "yes", "no", "never"])
    if parallel > 1:   # how far others have come when a process dies or a person says nothing is left open
        given["parallel"] = parallel
        if given.get("ask") == "never":
            given["ask"] = "no"
    elif rng.random() < 0.4:
        points = ["before_report", "after_report"]
        points += [f"{point} {step['id']}" for step in plan for point in ("after_commit", "in_call", "while_asking")]
        given["crash"] = rng.sample(points, rng.randint(1, 3))
        if rng.random() < 0.6:
            given["doubt"] = rng.choice(["happened", "not_happened"])
    return {"id": f"random-{number}", "kind": "run", "given": given, "then": Task(given).run()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", default="memory")
    parser.add_argument("--parallel", type=int, default=1)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    with tempfile.NamedTemporaryFile("w+", suffix=".jsonl") as file:
        cases = {}
        for number in range(asked.count):
            case = random_case(rng, number, asked.parallel)
            cases[case["id"]] = case
            file.write(json.dumps(case) + "\n")
        file.flush()
        ran = subprocess.run([asked.runner, "chain", file.name, "--store", asked.store], capture_output=True, text=True)
    lines = ran.stdout.splitlines()
    for line in lines[:-1]:
        verdict = json.loads(line)
        if not verdict["ok"]:
            print(verdict["why"], json.dumps(cases[verdict["id"]]), sep="\n")
    print(lines[-1] if lines else ran.stderr)
    print("of the random tasks,", sum(case["then"]["success"] for case in cases.values()), "succeed,",
          sum(case["then"]["task"] == "parked" for case in cases.values()), "wait for a person,",
          sum(case["then"].get("revision", 1) > 1 for case in cases.values()), "are replanned")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
