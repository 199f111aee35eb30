#!/usr/bin/env python3
"""Limits as seen from outside: programs in processes of their own, with what the operating system says of them.

  run_outside.py PTCVM rows [--filter TEXT]
  run_outside.py PTCVM grid (--full | --sample N [--seed S]) [--filter TEXT] [--progress FILE [--seconds N]]

Every trial must end within its memory limit and 24 MiB, and within 50 ms of processor time after its deadline. Rows are
the programs of rows.tsv. The grid is every builtin with large values at every place (grid.py); --sample takes N of its
cells, the same ones for a seed. --idle asks for 50 ms of time on the wall instead. --jobs N runs so many at once.
--keep FOLDER gets each program that failed. A program that takes --patience seconds of processor time
after its deadline is killed. --progress FILE gets each verdict; trials in it are not run again, and the others are run
in the order of the seed, so that what was run at any time is a fair sample. --seconds N stops after that time.

known.tsv lists what fails today, each with the reason. A trial that is listed and is good fails the run, so that the
list can only become shorter.
"""
import argparse
import concurrent.futures
import contextlib
import fnmatch
import os
import random
import sys
import tempfile
import time

import grid
import rows
from progress import Progress
from trials import LATE_CPU_S, MEBIBYTE, Bench

HERE = os.path.dirname(os.path.abspath(__file__))
WORST = 8


class Known:
    """What fails today: kind of trial, pattern of names, reason."""

    def __init__(self, path, kind):
        self._patterns = []
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    listed, pattern, reason = line.rstrip("\n").split("\t")
                    assert reason.strip(), f"{pattern} has no reason"
                    if listed == kind:
                        self._patterns.append(pattern)
        self._good, self._bad = set(), set()

    def take(self, verdict):
        """Returns whether this trial may fail."""
        matching = [pattern for pattern in self._patterns if fnmatch.fnmatchcase(verdict.trial.name, pattern)]
        if not (verdict.is_good() and verdict.was_starved):
            (self._good if verdict.is_good() else self._bad).update(matching)
        return bool(matching)

    def outdated(self):
        return sorted(self._good - self._bad)


def read_arguments():
    parser = argparse.ArgumentParser(description="Limits as seen from outside")
    parser.add_argument("ptcvm")
    parser.add_argument("kind", choices=("rows", "grid"))
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--filter", default="*", help="a pattern of names, as of files: 'get * loop'")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--without-postgres", action="store_true", help="leave out what needs a PostgreSQL server")
    parser.add_argument("--idle", action="store_true", help="the machine has nothing else to do")
    parser.add_argument("--keep", help="folder for the programs that failed")
    parser.add_argument("--patience", type=float, default=0.25,
                        help="seconds of processor time after the deadline (0.25)")
    parser.add_argument("--known", default=os.path.join(HERE, "known.tsv"))
    parser.add_argument("--progress", help="file of verdicts, to go on with")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="time on the wall after which no trial begins")
    parser.add_argument("--list", action="store_true", help="print the names of the trials and run none")
    return parser.parse_args()


def chosen(arguments):
    if arguments.kind == "rows":
        trials = list(rows.read(os.path.join(HERE, "rows.tsv")))
    else:
        trials = list(grid.cells(os.path.join(HERE, "..", "..", "..")))
        if arguments.sample is not None:
            trials = random.Random(arguments.seed).sample(trials, min(arguments.sample, len(trials)))
        elif not arguments.full and arguments.filter == "*":
            sys.exit("grid: say --full, --sample N or --filter")
    if arguments.without_postgres:
        trials = [trial for trial in trials if not trial.has_database()]
    return [trial for trial in trials if fnmatch.fnmatchcase(trial.name, arguments.filter)]


def keep(folder, verdict):
    os.makedirs(folder, exist_ok=True)
    name = verdict.trial.name.replace("/", "%").replace(" ", "_")
    lines = [f";; {verdict.trial.name}", f";; {'; '.join(verdict.complaints)}",
             f";; --memory-bytes {verdict.trial.memory_bytes} --timeout-ms {verdict.trial.timeout_ms} "
             + " ".join(verdict.trial.options), verdict.trial.program]
    with open(os.path.join(folder, name + ".ptc"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def run(bench, trials, arguments):
    """Judges all trials, says which are bad, and yields the verdicts."""
    began = time.monotonic()

    def judge(pair):
        in_time = time.monotonic() - began < arguments.seconds
        return bench.judge(pair[1], str(pair[0])) if in_time else None

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        verdicts = pool.map(judge, enumerate(trials))
        for count, verdict in enumerate(verdicts, 1):
            if verdict is None:
                continue
            if arguments.idle and verdict.late_wall_s > LATE_CPU_S and not verdict.complaints:
                verdict.complaints.append(f"late: {verdict.late_wall_s * 1000:.0f} ms after the deadline")
            if not verdict.is_good():
                print(f"BAD {verdict.trial.name}: {'; '.join(verdict.complaints)}", flush=True)
                if arguments.keep:
                    keep(arguments.keep, verdict)
            if count % 500 == 0:
                print(f"... {count} of {len(trials)}, {time.monotonic() - began:.0f} s", flush=True)
            yield verdict


def show_worst(title, verdicts, measure):
    print(f"\n{title}")
    for verdict in sorted(verdicts, key=measure, reverse=True)[:WORST]:
        print(f"  {verdict.figures():64} {verdict.trial.name}")


def main():
    arguments = read_arguments()
    trials = chosen(arguments)
    if arguments.list:
        print("\n".join(trial.name for trial in trials))
        return 0
    known = Known(arguments.known, arguments.kind)
    progress = Progress(arguments.progress) if arguments.progress else None
    if progress:
        random.Random(arguments.seed).shuffle(trials)
    # Memory file systems are no faster for programs, and spare the disk what tasks of megabytes write.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        with contextlib.closing(Bench(arguments.ptcvm, folder, arguments.patience)) as bench:
            verdicts = progress.verdicts(trials) if progress else []
            for verdict in run(bench, progress.left(trials) if progress else trials, arguments):
                verdicts.append(verdict)
                if progress:
                    progress.add(verdict)
    bad = [verdict for verdict in verdicts if not verdict.is_good()]
    unknown = [verdict for verdict in verdicts if not known.take(verdict) and not verdict.is_good()]
    outdated = known.outdated()
    show_worst("most memory above the limit", verdicts, lambda verdict: verdict.over_bytes)
    show_worst("most processor time after the deadline", verdicts, lambda verdict: verdict.late_cpu_s)
    for pattern in outdated:
        print(f"\nknown.tsv: all of {pattern} is good now; take the row out")
    for verdict in unknown:
        print(f"\nBAD {verdict.trial.name}: {'; '.join(verdict.complaints)}")
    print(f"\n{len(verdicts)} trials, {len(bad)} bad, {len(bad) - len(unknown)} of these are known; "
          f"the program 1 takes {bench.start_s * 1000:.0f} ms and {bench.least_peak_bytes / MEBIBYTE:.0f} MiB")
    # A sample has a few trials of each pattern, some of them at the edge: only all of them show that a pattern is good.
    is_whole = (arguments.kind == "rows" or arguments.full) and len(verdicts) == len(trials)
    return 1 if unknown or (outdated and is_whole) or not verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
