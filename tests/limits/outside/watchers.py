"""Small processes that start and measure other processes (measured_process.py), one for each thread that asks."""
import dataclasses
import json
import os
import subprocess
import sys
import threading

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "measured_process.py")


@dataclasses.dataclass
class Measurement:
    status: int          # exit status; negative: the signal that ended the process
    error: str           # how standard error begins
    peak_bytes: int
    late_cpu_s: float    # processor time after the deadline
    late_wall_s: float   # time on the wall after the deadline; negative when the process ended before it
    wall_s: float
    cpu_s: float         # processor time of the process and its tools
    was_killed: bool     # the process had used up the patience and had not ended


class Watchers:
    def __init__(self):
        self._of_thread, self._all = threading.local(), []

    def measure(self, command, **request):
        watcher = getattr(self._of_thread, "watcher", None)
        if watcher is None:
            watcher = subprocess.Popen([sys.executable, "-S", "-E", SCRIPT], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
            self._of_thread.watcher = watcher
            self._all.append(watcher)
        watcher.stdin.write(json.dumps({"command": command, **request}) + "\n")
        watcher.stdin.flush()
        return Measurement(**json.loads(watcher.stdout.readline()))

    def close(self):
        for watcher in self._all:
            watcher.stdin.close()
            watcher.wait()
            watcher.stdout.close()
