#!/usr/bin/env python3
"""Makes random schedules of drafts and sendings, and says by its rules what must come of them.

sending_oracle.py RUNNER COUNT [--seed N] [--store memory|sqlite]: writes COUNT cases of drafts, attempts that are lost,
refused, killed or overtaken by people, restarts, dismissals, rewinds and what people settle, with what must hold after
each step; runs `RUNNER harness FILE` over them, and prints the cases that do not hold. The rules are in
sending_rules.py.
"""
import sys

from harness_oracle import main
from sending_rules import CHOSEN, World

FATES = ["arrives"] * 3 + ["net"] * 3 + ["refused", "lost", "lost", "vanished", "crash_before", "crash_after",
                                         "settled", "settled_there"]
STEPS = ["draft"] * 5 + ["send"] * 7 + ["dismiss"] * 2 + ["tick"] * 2 + ["in", "st", "whisper", "restart_process",
                                                                         "rewind", "mode", "arrived", "lost"]


def random_step(rng, world, number):
    kind = rng.choice(STEPS)
    known = sorted(world.drafts) or ["d0"]
    newest = max(world.drafts, key=lambda name: world.drafts[name].seq, default="d0")
    named = newest if rng.random() < 0.6 else rng.choice(known + ["nobody"])
    flying = [name for name in known if name in world.drafts and world.drafts[name].fate == "flies"]
    if flying and rng.random() < 0.1:
        return {"append": ["st:completed"], "ok": True}
    if flying and kind in ("arrived", "lost"):
        named = rng.choice(flying)
    if kind == "draft":
        return {"append": [f"draft:d{number}"], "ok": True}
    if kind in ("in", "whisper"):
        return {"append": [f"{kind}:{kind}{number}"], "ok": True}
    if kind == "st":
        return {"append": ["st:" + rng.choice(["input-required"] * 4 + ["working", "completed"])], "ok": True}
    if kind == "send":
        step = {"send": named}
        if rng.random() < 0.4:
            step["next"] = rng.choice(CHOSEN)
        return step
    if kind == "rewind":
        return {"rewind_error": "Cannot rewind while a send is in flight"} if flying else "rewind"
    if kind == "mode":
        return {"mode": rng.choice(["auto", "approve", "approve"])}
    return kind if kind in ("tick", "restart_process") else {kind: named}


def random_case(rng, number):
    given = {"fates": [rng.choice(FATES) for _ in range(rng.randint(0, 9))]}
    if rng.random() < 0.4:
        given["takes_once"] = True
    if rng.random() < 0.4:
        given["forgets"] = True
    if rng.random() < 0.2:
        given["mode"] = "auto"
    world, when = World(given), []
    for count in range(rng.randint(3, 20)):
        step = "restart_process" if world.killed else random_step(rng, world, count)
        world.perform(step)
        when.append(step)
        if not world.killed:
            when.append({"expect": world.seen()})
    while world.killed:
        when.append("restart_process")
        world.perform("restart_process")
    return {"id": f"random-{number}", "layer": "store", "title": "random", "given": given, "when": when,
            "then": world.seen()}


def sendings_of(case):
    return {"attempts": case["then"]["attempts"], "messages that stay in flight": case["then"]["in_flight"]}


if __name__ == "__main__":
    sys.exit(main(random_case, sendings_of))
