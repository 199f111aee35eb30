#!/usr/bin/env python3
"""Plays cases of agents in other ways.

    agent_variants.py RUNNER CASES kills        each case, killed at each boundary once and three times, and with hops
                                                after each step, comes to the same as without them
    agent_variants.py RUNNER CASES mutations    each case fails when a member of `then` or of an `expect` says something
                                                else, and when there is a member that nobody knows

With PTC_VARIANTS_ONE_IN=N each N-th of them is played.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

ONE_IN = int(os.environ.get("PTC_VARIANTS_ONE_IN", "1"))
BOUNDARIES = ["before_send", "awaiting", "after_reply", "in_tool", "after_tool", "before_turn"]


def any_agent(agent, holds):
    children = [child for child in agent.get("children", {}).values() if isinstance(child, dict)]
    return holds(agent) or any(any_agent(child, holds) for child in children)


def has_doubts(agent):
    return any(tool.get("effect", "unsafe") in ("unsafe", "reconcilable") for tool in agent.get("tools", []))


def counts_requests(agent):
    return bool({"model_calls", "tokens"} & set(agent.get("limits", {})))


def killed(case):
    """Yields the case with kills before its steps and with hops between them."""
    steps = case.get("when", ["run"])
    if any(isinstance(step, dict) and "kill" in step for step in steps):
        return
    for boundary in BOUNDARIES:
        if boundary == "in_tool" and any_agent(case["agent"], has_doubts):
            continue   # a person is asked then
        if boundary in ("before_send", "awaiting") and any_agent(case["agent"], counts_requests):
            continue   # what was lost is charged
        if any("delay_ms" in line for line in case["model"]):
            continue   # a reply that was lost comes later
        for times in (1, 3):
            yield dict(case, id=f"{case['id']}-{boundary}-{times}", when=[{"kill": boundary}] * times + steps,
                       then={"same_as_straight": True})
    hops = [step for one in steps for step in (one, "hop", "hop")]
    yield dict(case, id=case["id"] + "-hops", when=hops, then=dict(case["then"], same_as_straight=True))


def otherwise(name, value):
    """Yields values that a member of `then` must not be taken for."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str):
        yield value + "~"
    elif isinstance(value, list):
        yield value + (["mission"] if name == "prompt_lacks" else ["~"])
        if value and not name.startswith("prompt_"):
            yield value[1:]
    elif isinstance(value, dict):
        for key, inner in value.items():
            for other in otherwise(key, inner):
                yield dict(value, **{key: other})
        if name in ("return", "calls", "usage"):
            yield dict(value, unknown=1)


def other_expectations(name, value):
    if name in ("contains", "tools"):
        yield value + ["said nowhere"]
    elif name in ("newest", "static"):
        yield dict(value, contains=value.get("contains", []) + ["said nowhere"])
        yield dict(value, unknown=1)


def mutated(case):
    """Yields the case with one thing that is wrong."""
    for name, value in case["then"].items():
        if name == "same_as_straight" or (name == "prompt_lacks" and case["agent"].get("output") == "text"):
            continue
        for number, other in enumerate(otherwise(name, value)):
            yield dict(case, id=f"{case['id']}-{name}-{number}", then=dict(case["then"], **{name: other}))
    yield dict(case, id=case["id"] + "-then", then=dict(case["then"], unknown=1))
    yield dict(case, id=case["id"] + "-case", unknown=1)
    yield dict(case, id=case["id"] + "-step", when=case.get("when", ["run"]) + [{"unknown": 1}])
    for line, reply in enumerate(case["model"]):
        for name, value in reply.get("expect", {}).items():
            for number, other in enumerate(other_expectations(name, value)):
                changed = copy.deepcopy(case)
                changed["id"] = f"{case['id']}-line-{line}-{name}-{number}"
                changed["model"][line]["expect"][name] = other
                yield changed


def main():
    runner, file, mode = sys.argv[1:4]
    vary = {"kills": killed, "mutations": mutated}[mode]
    with open(file, encoding="utf-8") as lines:
        variants = [variant for line in lines for variant in vary(json.loads(line))]
    variants = variants[::ONE_IN]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as played:
        played.writelines(json.dumps(variant, ensure_ascii=False) + "\n" for variant in variants)
        played.flush()
        out = subprocess.run([runner, "agent", played.name, "--store", "memory"], capture_output=True, text=True,
                             check=False).stdout.splitlines()
    answers = [json.loads(line) for line in out[:-1]]
    wrong = [answer for answer in answers if answer["ok"] != (mode == "kills")]
    for answer in wrong[:20]:
        print(answer["id"], answer.get("why", "passed, and should have failed"))
    print(f"{len(answers)} variants, {len(wrong)} wrong")
    return 1 if wrong or len(answers) != len(variants) or len(answers) < 500 // ONE_IN else 0


if __name__ == "__main__":
    sys.exit(main())
