"""The table of growth: what one element costs at four sizes, and whether that stays within the stated complexity."""
import json
import math
import os
import subprocess

SIZES = [1000, 10_000, 100_000, 1_000_000]
# How much more an element may cost when there are ten times as many, beyond the logarithm: caches end in between.
CACHES = 5.0


def measure(build, core):
    done = subprocess.run([str(build / "bench" / "ptc_growth_bench")], stdout=subprocess.PIPE, text=True, check=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    return json.loads(done.stdout)


def is_within(complexity, costs):
    for small, large, cost, more in zip(SIZES, SIZES[1:], costs, costs[1:]):
        if more is None:   # left out because it takes too long
            return complexity == "n²"
        stated = {"n": 1, "n log n": math.log(large) / math.log(small), "n²": large / small}[complexity]
        if more > cost * CACHES * stated:
            return False
    return True


def rows_of(measured):
    rows = [["ns for one element", "as a whole", "10³", "10⁴", "10⁵", "10⁶", "within"]]
    for case in measured["growth"]:
        costs = case["ns"]
        rows.append([case["name"], f"O({case['complexity']})"]
                    + ["-" if cost is None else f"{cost:.0f}" if cost >= 10 else f"{cost:.1f}" for cost in costs]
                    + ["yes" if is_within(case["complexity"], costs) else "**no**"])
    return rows


def freeing(measured):
    """One sentence about the longest steps."""
    found = measured["freeing"]
    return (f"{found['bytes'] / 1e9:.2f} GB, {found['steps']} steps of {found['fuel']} units: the longest step while "
            f"building takes {found['building_us'] / 1e3:.2f} ms, while freeing {found['freeing_us'] / 1e3:.2f} ms, "
            f"afterwards {found['after_us'] / 1e3:.3f} ms.")
