"""Verdicts in a file, so that a long run can stop and go on: one line of JSON for each trial, written at once."""
import dataclasses
import json
import os

from trials import Verdict

FIGURES = ("end", "over_bytes", "late_cpu_s", "late_wall_s", "was_starved", "complaints")


class Progress:
    """Knows the verdicts of a file. Trials of names that the file does not have are to be run."""

    def __init__(self, path):
        self._path, self._known = path, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if line.endswith("\n"):            # the last line of a run that was killed may be cut
                        row = json.loads(line)
                        self._known[row["name"]] = row

    def left(self, trials):
        return [trial for trial in trials if trial.name not in self._known]

    def verdicts(self, trials):
        """Returns what the file says of these trials."""
        rows = ((trial, self._known.get(trial.name)) for trial in trials)
        return [Verdict(trial, **{name: row[name] for name in FIGURES}) for trial, row in rows if row]

    def add(self, verdict):
        row = {name: value for name, value in dataclasses.asdict(verdict).items() if name in FIGURES}
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"name": verdict.trial.name, **row}) + "\n")
