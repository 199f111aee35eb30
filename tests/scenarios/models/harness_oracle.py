#!/usr/bin/env python3
"""Makes random schedules for the planner harness, and says by its rules what must come of them.

harness_oracle.py RUNNER COUNT [--seed N] [--store memory|sqlite]: writes COUNT cases of facts, passes, lost commits,
crashes, restarts and rewinds, with what must hold after each step; runs `RUNNER harness FILE` over them, and prints the
cases that do not hold. The rules are in harness_rules.py.
"""
import argparse
import collections
import json
import random
import subprocess
import sys
import tempfile

from harness_rules import World

AT_ONCE = 2_000
OPTIONS = {"runner": {}, "count": {"type": int}, "--seed": {"type": int, "default": 1},
           "--store": {"default": "memory"}}
OBSERVED = ["st", "st", "in", "in", "in", "out", "whisper", "whisper", "answer", "dismiss", "att", "call", "result",
            "draft", "question", "sleep", "agent_answer", "err"]
STEPS = (["run"] * 5 + ["schedule"] * 3 + ["add"] * 7 +
         ["drain", "wait", "wait", "rewind_to", "rebuild", "restart_process", "run_both"])


class Names:
    """Names of facts: mostly few, so that they meet."""

    def __init__(self, rng):
        self.rng, self.count = rng, 0

    def fact(self, kinds):
        kind = self.rng.choice(kinds)
        if kind == "sleep":
            return kind
        if kind == "st":
            return "st:" + self.rng.choice(["input-required"] * 9 + ["working"] * 3 + ["submitted", "completed"])
        if kind in ("result", "whisper"):
            self.count += 1
            return f"{kind}:n{self.count}"
        return f"{kind}:{self.rng.choice('abcdefgh' if kind in ('in', 'out', 'att', 'call') else 'abc')}"

    def observed(self):
        return self.fact(OBSERVED)

    def batch(self):
        chosen = self.rng.random()
        if chosen < 0.1:
            return "throw"
        if chosen < 0.2:
            return []
        batch = [self.fact(["call", "result", "err", "att"]) for _ in range(self.rng.choice([0, 0, 1, 2]))]
        if chosen < 0.3:
            batch.append(self.fact(["st", "in", "out", "whisper", "answer", "agent_answer", "dismiss"]))
        if chosen < 0.9:
            batch.append(self.fact(["draft", "question", "sleep", "draft"]))
        return batch

    def output(self):
        out = self.batch()
        if self.rng.random() < 0.6:
            return out
        output = {}
        if self.rng.random() < 0.4:
            output["adds"] = self.observed()
        if self.rng.random() < 0.4:
            effects = ["call:e1", "call:e2", "result:e1", "result:e2"]
            output["effects"] = self.rng.sample(effects, self.rng.randint(1, 3))
        if self.rng.random() < 0.5:
            output["slow"] = self.rng.randint(1, 20)
        output["out"] = out
        return output


def random_case(rng, number):
    names = Names(rng)
    begins = rng.choice([[], ["st:submitted"]] + [["in:a", "st:input-required"]] * 4)
    given = {"facts": begins + [names.observed() for _ in range(rng.choice([0, 0, 1, 3]))],
             "planner": [names.output() for _ in range(rng.randint(1, 5))], "cap": rng.choice([200, 200, 12, 25])}
    if rng.random() < 0.2:
        given["latch"] = True
    if rng.random() < 0.1:
        given["existing_task"] = True
    if rng.random() < 0.2:
        given["crash"] = "before_commit"
    if rng.random() < 0.3:
        given["processes"] = 2
    world, when = World(given), []
    for _ in range(rng.randint(3, 24)):
        step = rng.choice(STEPS)
        if step == "add":
            step = {"add": [names.observed() for _ in range(rng.choice([1, 1, 2]))]}
        elif step == "wait":
            step = {"wait": rng.randint(1, 15)}
        elif step == "rewind_to":
            step = {"rewind_to": rng.randint(0, len(world.journal.facts))}
        world.perform(step)
        when += [step, {"expect": world.seen()}]
    return {"id": f"random-{number}", "layer": "harness", "title": "random", "given": given, "when": when,
            "then": world.seen()}


def run(asked, cases):
    with tempfile.NamedTemporaryFile("w+", suffix=".jsonl") as file:
        file.writelines(json.dumps(case) + "\n" for case in cases)
        file.flush()
        ran = subprocess.run([asked.runner, "harness", file.name, "--store", asked.store], capture_output=True,
                             text=True)
    verdicts = [json.loads(line) for line in ran.stdout.splitlines()[:-1]]
    for case, verdict in zip(cases, verdicts):
        if not verdict["ok"]:
            print(verdict["why"], json.dumps(case), sep="\n")
    if len(verdicts) != len(cases):
        print(ran.stderr)
    return sum(verdict["ok"] for verdict in verdicts)


def passes_of(case):
    return {"passes": case["then"]["calls"], "of them lost": case["then"]["appends"].count("conflict")}


def main(make_case, counts_of):
    """Plays cases, and prints how many hold and what `counts_of` has counted in them."""
    parser = argparse.ArgumentParser()
    for name, how in OPTIONS.items():
        parser.add_argument(name, **how)
    asked = parser.parse_args()
    rng, passed, counts = random.Random(asked.seed), 0, collections.Counter()
    for begin in range(0, asked.count, AT_ONCE):
        cases = [make_case(rng, number) for number in range(begin, min(begin + AT_ONCE, asked.count))]
        passed += run(asked, cases)
        for case in cases:
            counts.update(counts_of(case))
    print(passed, "passed,", asked.count - passed, "failed;", *(f"{count} {what}" for what, count in counts.items()))
    return 0 if passed == asked.count else 1


if __name__ == "__main__":
    sys.exit(main(random_case, passes_of))
