"""Trials: a program, how it is run and under what limits, and what is wrong with how it ended.

A trial has no say in the verdict. Every trial must end within its memory and 24 MiB, take no more than 50 ms of
processor time after its deadline, and end with an exit status that ptcvm documents.
"""
import dataclasses
import os
import re
import shutil

from databases import Databases
from watchers import Watchers

MEBIBYTE = 1 << 20
BESIDE_BYTES = 24 * MEBIBYTE   # what a process may take beside the memory limit of its run
LATE_CPU_S = 0.050
DOCUMENTED = {0, 1, 65, 69, 74, 75}   # not 2: then the words of the trial are wrong, and it tries nothing
ATTEMPTS = 5                   # what is near is measured again: a shared machine disturbs time, and memory varies
NEAR_BYTES = 2 * MEBIBYTE      # by so much between two runs of one program
NO_END = "10000000000000"      # of fuel and jumps, where the deadline is to end the program
FAULT = re.compile(r"^error\[([a-z_]+)\]", re.M)


@dataclasses.dataclass
class Trial:
    name: str
    program: str
    memory_bytes: int
    timeout_ms: int
    how: str = "run"                    # run, compiled, resumed (what the program that waits takes to go on, from
                                        # $dir/s.ptcs or the run r of its store), or the words of another command,
                                        # which get no limits
    options: tuple = ()                 # $dir is the folder of the trial, $database an empty store in PostgreSQL
    files: dict = dataclasses.field(default_factory=dict)
    ends: tuple = ()                    # faults, or "ok"; empty: any end will do

    def starts_tools(self):
        return any(option.startswith("--tool") for option in self.options)

    def has_deadline(self):
        """Returns whether the process knows its time. Another command may take so much processor time."""
        return self.how in ("run", "compiled", "resumed")

    def has_database(self):
        return "$database" in self.options


@dataclasses.dataclass
class Verdict:
    trial: Trial
    end: str              # the fault, "ok", "suspended" or what became of the process
    over_bytes: int       # peak above the memory limit
    late_cpu_s: float
    late_wall_s: float
    was_starved: bool     # the machine was so busy that a good verdict says little
    complaints: list

    def is_good(self):
        return not self.complaints

    def figures(self):
        return (f"{self.over_bytes / MEBIBYTE:+8.1f} MiB  {self.late_cpu_s * 1000:7.1f} ms cpu  "
                f"{self.late_wall_s * 1000:7.1f} ms wall  {self.end}")


class Bench:
    """Runs trials with one ptcvm, each in a folder of its own that is removed afterwards."""

    def __init__(self, ptcvm, folder, patience_s):
        self._ptcvm, self._folder, self._watchers = os.path.abspath(ptcvm), folder, Watchers()
        self._databases = Databases(self._ptcvm)
        self._patience_s, self.start_s = patience_s, 0.0
        alone = [self._measure(Trial("start", "1", 16 * MEBIBYTE, 10_000), "start") for _ in range(5)]
        if any(measured.status != 0 for measured in alone):
            raise RuntimeError(f"{ptcvm} does not run the program 1: {alone[0].error}")
        self.least_peak_bytes = min(measured.peak_bytes for measured in alone)
        self.start_s = min(measured.wall_s for measured in alone)

    def close(self):
        self._watchers.close()
        self._databases.close()

    def judge(self, trial, key):
        """Runs a trial, and again, at most ATTEMPTS times, when it is a little late or a little too large."""
        for _ in range(ATTEMPTS):
            verdict = self._verdict(trial, self._measure(trial, key))
            is_near = (LATE_CPU_S < verdict.late_cpu_s <= 4 * LATE_CPU_S or
                       BESIDE_BYTES < verdict.over_bytes <= BESIDE_BYTES + NEAR_BYTES)
            if not is_near:
                break
        return verdict

    def _measure(self, trial, key):
        place = os.path.join(self._folder, key)
        os.makedirs(place)
        try:
            for name, text in {**trial.files, "program.ptc": trial.program}.items():
                with open(os.path.join(place, name), "w", encoding="utf-8") as file:
                    file.write(text)
                os.chmod(file.name, 0o600)   # key rings must be private
            command, stdin = self._command(trial, place)
            time_s = trial.timeout_ms / 1000 + self.start_s
            patience_s = self._patience_s if trial.has_deadline() else self._patience_s + time_s
            return self._watchers.measure(
                command, deadline_s=time_s, patience_s=patience_s,
                error=os.path.join(place, "error"), stdin=stdin, starts_tools=trial.starts_tools())
        finally:
            shutil.rmtree(place)

    def _command(self, trial, place):
        program = os.path.join(place, "program.ptc")
        options = [option.replace("$dir", place) for option in trial.options]
        if trial.has_database():
            url = self._databases.new_url()
            options = [url if option == "$database" else option for option in options]
        limits = ["--memory-bytes", str(trial.memory_bytes), "--timeout-ms", str(trial.timeout_ms)]
        if trial.how == "resumed":
            return self._resuming(place, program, limits, options), os.devnull
        if trial.how not in ("run", "compiled"):
            return [self._ptcvm, *trial.how.split(), *options], program
        if trial.how == "compiled":
            source, program = program, program + "p"
            if self._prepare(place, "compile", source, "-o", program) != 0:
                program = source   # what cannot be compiled must be refused in time, too
        return [self._ptcvm, "run", program, *limits, *options], os.devnull

    def _prepare(self, place, *words):
        """Runs a command that is not measured, and returns its exit status."""
        return self._watchers.measure([self._ptcvm, *words], deadline_s=120, patience_s=0,
                                      error=os.path.join(place, "error")).status

    def _resuming(self, place, program, limits, options):
        status = self._prepare(place, "run", program, *limits, *options)
        if status != 75:
            raise RuntimeError(f"{program} does not wait: status {status}")
        sealed = [word for name in ("--keys", "--tenant") if name in options
                  for word in (name, options[options.index(name) + 1])]
        if "--store" not in options:
            return [self._ptcvm, "resume", os.path.join(place, "s.ptcs"), "--resolve", "op1=1", *limits, *sealed]
        store = ["--store", options[options.index("--store") + 1]]
        status = self._prepare(place, "resolve", *store, "r", "op1", "1", *sealed)
        if status != 0:
            raise RuntimeError(f"op1 of {program} cannot be resolved: status {status}")
        return [self._ptcvm, "resume", *store, "r", *limits, *sealed]

    def _verdict(self, trial, measured):
        fault = FAULT.search(measured.error)
        end = {0: "ok", 75: "suspended"}.get(measured.status, f"status {measured.status}")
        if measured.was_killed:
            end = "not ended"
        elif fault and measured.status != 0:
            end = fault.group(1)
        over = measured.peak_bytes - trial.memory_bytes
        late_cpu_s = measured.late_cpu_s
        if not trial.has_deadline():
            late_cpu_s = max(0.0, measured.cpu_s - trial.timeout_ms / 1000 - self.start_s)
        complaints = []
        if over > BESIDE_BYTES:
            complaints.append(f"memory: {over / MEBIBYTE:.1f} MiB above the limit")
        if late_cpu_s > LATE_CPU_S:
            complaints.append(f"late: {late_cpu_s * 1000:.0f} ms of processor time after the deadline")
        if measured.was_killed:
            complaints.append("not ended")
        elif measured.status not in DOCUMENTED:
            complaints.append(f"ended with status {measured.status}: {measured.error[:200]!r}")
        elif trial.ends and end not in trial.ends:
            complaints.append(f"ended with {end}, not with {' or '.join(trial.ends)}")
        return Verdict(trial, end, over, late_cpu_s, measured.late_wall_s,
                       measured.cpu_s < measured.wall_s / 2, complaints)
