#!/usr/bin/env python3
"""Generated programs, in ptcvm and in Clojure: the same values, prints and definitions, except for listed divergences.

usage: against_clojure.py PTCVM [--count N] [--seed N] [--size N] [--show N]

The programs are those of `ptcvm gen --subset clojure`. One JVM runs them all (evaluate.clj, which says what is equal).
divergences.tsv lists what may differ and why; anything else is printed, and the exit status is 1. Without a `clojure`
on the machine nothing is compared and the exit status is 77, which ctest takes for "skipped"."""
import argparse
import collections
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77


class Divergence:
    """A row of divergences.tsv: regular expressions over what differs; empty ones match anything."""

    def __init__(self, line):
        self.name, self.what, self.program, self.ours, self.theirs, self.reason = line.split("\t")

    def explains(self, what, program, ours, theirs):
        pairs = [(self.program, program), (self.ours, ours), (self.theirs, theirs)]
        return self.what == what and all(re.search(pattern, text) for pattern, text in pairs)


def read_divergences():
    lines = (HERE / "divergences.tsv").read_text(encoding="utf-8").splitlines()
    return [Divergence(line) for line in lines if line and not line.startswith("#")]


def as_edn(request, answer):
    """A line for evaluate.clj. Strings of JSON are strings of EDN; commas are blanks."""
    value = answer["value_edn"] if answer["status"] == "ok" else answer["message"]
    parts = [request["id"], request["source"], answer["status"], value or "", answer["prints"], answer["memory_edn"]]
    return json.dumps(parts, ensure_ascii=False)


# Means something else in Clojure, where 1/2 is a ratio: a comparison that does not see that sees nothing.
CONTROL = {"id": "control", "source": "(/ 1 2)"}


def run(arguments, **options):
    return subprocess.run(arguments, check=True, text=True, encoding="utf-8", **options)


def compare(options):
    generated = run([options.ptcvm, "gen", "--subset", "clojure", "--seed", str(options.seed), "--count",
                     str(options.count), "--size", str(options.size), "--requests"], stdout=subprocess.PIPE).stdout
    generated += json.dumps(CONTROL) + "\n"
    answered = run([options.ptcvm, "batch"], input=generated, stdout=subprocess.PIPE).stdout
    requests = {request["id"]: request for request in map(json.loads, generated.splitlines())}
    answers = {answer["id"]: answer for answer in map(json.loads, answered.splitlines())}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as lines:
        for key, request in requests.items():
            lines.write(as_edn(request, answers[key]) + "\n")
        lines.seek(0)
        process = subprocess.Popen(["clojure", str(HERE / "evaluate.clj")], stdin=lines, stdout=subprocess.PIPE,
                                   text=True, encoding="utf-8")
        with process:
            for line in process.stdout:
                key, what, *texts = json.loads(line, strict=False)
                yield requests[key], what, texts
    if process.returncode != 0:
        raise SystemExit(f"clojure ended with status {process.returncode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptcvm", help="the command line under test")
    parser.add_argument("--count", type=int, default=2000, help="programs (2000)")
    parser.add_argument("--seed", type=int, default=1, help="of the first program (1)")
    parser.add_argument("--size", type=int, default=80, help="of each program (80)")
    parser.add_argument("--show", type=int, default=5, help="how many unlisted differences are printed (5)")
    options = parser.parse_args()
    if not shutil.which("clojure"):
        print("there is no clojure: nothing is compared")
        return SKIPPED
    divergences = read_divergences()
    listed = collections.Counter()
    compared, unlisted, control = 0, 0, False
    for request, what, texts in compare(options):
        if request == CONTROL:
            control = what == "value"
            continue
        compared += 1
        if what == "same":
            continue
        reason = next((d for d in divergences if d.explains(what, request["source"], *texts)), None)
        if reason:
            listed[reason.name] += 1
            continue
        unlisted += 1
        if unlisted <= options.show:
            print(f"seed {request['id']}: {what} differs\n  ptcvm   {texts[0]}\n  Clojure {texts[1]}")
            print(request["source"])
    for name, count in sorted(listed.items()):
        print(f"{count:6} {name}")
    print(f"{compared} programs compared, {sum(listed.values())} with listed divergences, {unlisted} with others")
    if not control:
        print("the control program, which differs, was not found to differ")
    return 0 if control and unlisted == 0 and compared == options.count else 1


if __name__ == "__main__":
    sys.exit(main())
