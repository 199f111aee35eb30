#!/usr/bin/env python3
"""Takes charges and counts away one at a time, and asks whether the tests of limits notice.

  run_mutants.py FOLDER [--filter PATTERN] [--preset release]

FOLDER becomes a work tree of the last commit, with a build. Each row of mutants.tsv changes one file there, builds
ptcvm, ptc_cost_search or ptc_limits_test, and runs what must find the change. Exit status 0 exactly when everything
passes without a change, and each change is found. A build takes minutes, so this is done by hand
(docs/security-limits.md).
"""
import argparse
import fnmatch
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
TARGETS = {"rows": "ptcvm_cli", "found": "ptc_cost_search", "growth": "ptc_limits_test"}


class Mutant:
    def __init__(self, line):
        self.name, self.file, self.taken, put, self.finder = line.split("\t")
        self.put = "" if put == "-" else put

    def apply_to(self, text):
        """Returns the text with the change. The place must be there exactly once."""
        lines = text.split("\n")
        places = [number for number, line in enumerate(lines) if line == self.taken]
        if len(places) != 1:
            raise ValueError(f"{self.name}: {self.file} has the line {len(places)} times, not once")
        lines[places[0]] = self.put
        return "\n".join(lines)


class Copy:
    """A work tree with a build, where files are changed and changed back."""

    def __init__(self, folder, preset):
        self._folder, self._build = folder, os.path.join(folder, "build", preset)
        if not os.path.isdir(folder):
            run(ROOT, "git", "worktree", "add", "--detach", folder, "HEAD")
        run(folder, "cmake", "--preset", preset)

    def change(self, mutant):
        path = os.path.join(self._folder, mutant.file)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        changed = mutant.apply_to(text)
        write(path, changed)
        return lambda: write(path, text)

    def build_for(self, finder):
        run(self._folder, "cmake", "--build", self._build, "-j2", "--target", TARGETS[finder.split()[0]])

    def finds(self, finder):
        """Returns what the tests say is bad, as lines."""
        kind, _, pattern = finder.partition(" ")
        limits = os.path.join(self._folder, "tests", "limits")
        if kind == "found":
            command = [os.path.join(self._build, "tests", "limits", "cost", "ptc_cost_search"),
                       "--found", os.path.join(limits, "cost", "found.tsv")]
        elif kind == "growth":
            command = [os.path.join(self._build, "tests", "ptc_limits_test"), "--growth",
                       os.path.join(limits, "growth.tsv"), os.path.join(limits, "others.tsv"),
                       os.path.join(self._folder, "docs", "security-limits.md")]
        else:
            command = [sys.executable, os.path.join(limits, "outside", "run_outside.py"),
                       os.path.join(self._build, "bin", "ptcvm"), kind, "--filter", pattern, "--patience", "3"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = ended.stdout.split("\n")
        bad = [f"{line} {after.strip()}" for line, after in zip(lines, lines[1:] + [""]) if line.startswith("BAD")]
        if (ended.returncode != 0) != bool(bad):
            bad.append(f"status {ended.returncode}: {ended.stdout[-300:]} {ended.stderr[-300:]}")
        return bad


def run(folder, *command):
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {ended.returncode}\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read_mutants(pattern):
    with open(os.path.join(HERE, "mutants.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    return [mutant for mutant in map(Mutant, rows) if fnmatch.fnmatchcase(mutant.name, pattern)]


def main():
    parser = argparse.ArgumentParser(description="Do the tests of limits notice what is taken away?")
    parser.add_argument("folder")
    parser.add_argument("--filter", default="*")
    parser.add_argument("--preset", default="release")
    arguments = parser.parse_args()
    mutants = read_mutants(arguments.filter)
    copy = Copy(os.path.abspath(arguments.folder), arguments.preset)
    wrong = 0
    for finder in sorted({mutant.finder for mutant in mutants}):
        copy.build_for(finder)
        bad = copy.finds(finder)
        wrong += len(bad)
        print(f"nothing taken away, {finder}: {'; '.join(bad) or 'good'}", flush=True)
    for mutant in mutants:
        change_back = copy.change(mutant)
        try:
            copy.build_for(mutant.finder)
            bad = copy.finds(mutant.finder)
        finally:
            change_back()
        wrong += 0 if bad else 1
        print(f"{mutant.name} ({mutant.file}): {'found: ' + '; '.join(bad) if bad else 'NOT FOUND'}", flush=True)
    print(f"{len(mutants)} taken away, {wrong} complaints")
    return 1 if wrong or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
