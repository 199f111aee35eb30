#!/usr/bin/env python3
"""Figures of the command line: tools that stay against a process a call, the generator, and calls at once.

usage: command_line.py PTCVM [FIGURE …]   (FIGURE: tools, gen, fan-out; without one all of them)

Each figure is a line: its name, what was measured, and what docs/performance.md asks for."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

CALLS = 1_000
STAYS = r"""
import json, sys
for line in sys.stdin:
    call = json.loads(line)
    print(json.dumps({"id": call["id"], "value": call["args"]["n"] + 1}), flush=True)
"""
ONCE = 'import json, sys; print(json.load(sys.stdin)["n"] + 1)'


def seconds_of(*command, output=subprocess.DEVNULL):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=output)
    return time.perf_counter() - start


def tools(ptcvm, folder):
    """One program makes the same calls of both tools, one after another, and says how long each half took."""
    path = os.path.join(folder, "tools.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump([{"name": "stays", "command": [sys.executable, "-c", STAYS], "process": "stays"},
                   {"name": "once", "command": [sys.executable, "-c", ONCE]}], out)
    trace = os.path.join(folder, "trace.jsonl")
    program = " ".join(f"(loop [n 0] (if (< n {CALLS}) (recur (tool/{name} {{:n n}})) n))"
                       for name in ("stays", "once"))
    seconds_of(ptcvm, "eval", program, "--tools", path, "--trace", trace, "--timeout-ms", "600000",
               "--tool-calls", str(2 * CALLS))
    took = {"stays": 0.0, "once": 0.0}
    with open(trace, encoding="utf-8") as lines:
        for event in map(json.loads, lines):
            if event["event"] == "tool_end":
                took[event["name"]] += event.get("micros", 0) / 1e6
    print(f"tools: {CALLS} calls of a Python tool: {took['stays']:.2f} s in a process that stays, {took['once']:.2f} s "
          f"in a process a call, ratio {took['once'] / took['stays']:.0f} (at least 10)")


def gen(ptcvm, folder):
    for count in (10_000, 100_000):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(os.path.join(folder, "programs.jsonl"), "w+b") as programs:
            took = seconds_of(ptcvm, "gen", "--seed", "1", "--count", str(count), output=programs)
            programs.seek(0)
            assert sum(1 for _ in programs) == count
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"gen: {count} programs in {took:.1f} s, {processor:.1f} s of processor time on {os.cpu_count()} "
              f"processors (at most 10 s for 100,000); the largest process so far had {after.ru_maxrss / 1024:.0f} MiB")


def fan_out(ptcvm, folder):
    took = seconds_of(ptcvm, "eval", "(pmap (fn [n] (tool/slow {:n n})) (range 8))", "--tool", "slow=sleep 1")
    print(f"fan-out: pmap over eight tools of 1 s took {took:.2f} s (about 1)")


def main():
    figures = {"tools": tools, "gen": gen, "fan-out": fan_out}
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[2:] or figures:
            figures[name](os.path.abspath(sys.argv[1]), folder)


if __name__ == "__main__":
    main()
