"""One process as the operating system sees it: its peak of resident memory, and the processor time that it takes after
a deadline. This file is run as a small process of its own: requests are lines of JSON on its standard input, answers
lines of JSON on its standard output. A process inherits the peak of the process that starts it, so this one imports
little, and stays below 16 MB.

The peak is the larger one of two figures: what the kernel reports when the process ends (the largest of the process
and of the tools that it waited for), and, for a process that starts tools, the largest sum over all of them that was
seen in /proc.

Time after the deadline is processor time, read from the clock of the process at the deadline and when it has ended. A
busy machine can make that figure smaller and never larger. Patience is processor time, too, so that a process that had
no processor is not blamed for it; MOST_WALL_S ends a process that waits.
"""
import json
import os
import select
import signal
import sys
import time

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
SAMPLE_S = 0.004
LATE_STEP_S = 0.010
MOST_WALL_S = 30.0
SHOWN_BYTES = 4096     # of standard error


def processor_seconds(pid):
    """Returns the processor time that a process has taken so far; its children do not count."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e9


def resident_bytes(pid, parent_program=None):
    """Returns the memory of a process and of all that it started, as far as they are still there.

    A process that has not begun its own program yet borrows the pages of its parent, which are counted there.
    """
    total = 0
    try:
        program = os.readlink(f"/proc/{pid}/exe")
        if program == parent_program:
            return 0
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            total = int(file.read().split()[1]) * PAGE_BYTES
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                total += sum(resident_bytes(child, program) for child in file.read().split())
    except (OSError, IndexError):
        return total
    return total


class MeasuredProcess:
    """A process that is started at once. `deadline_s` counts from the start and includes what starting takes."""

    def __init__(self, command, deadline_s, patience_s, error, stdin=os.devnull, starts_tools=False):
        self._deadline_s, self._patience_s, self._samples = deadline_s, patience_s, starts_tools
        self._peak_bytes, self._error = 0, error
        files = [(os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                 (os.POSIX_SPAWN_OPEN, 2, error, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
        self._start = time.monotonic()
        self._pid = os.posix_spawn(command[0], command, os.environ, file_actions=files, setpgroup=0)
        self._file = os.pidfd_open(self._pid)
        self._poll = select.poll()
        self._poll.register(self._file, select.POLLIN)

    def finish(self):
        """Waits until the process has ended or its patience has, and returns the members of a Measurement."""
        cpu_at_deadline = None
        ended = self._wait_until(self._start + self._deadline_s)
        if not ended:
            cpu_at_deadline = processor_seconds(self._pid)
            ended = self._wait_while_late(cpu_at_deadline + self._patience_s)
        cpu_s, wall_s = processor_seconds(self._pid), time.monotonic() - self._start
        os.killpg(self._pid, signal.SIGKILL)  # the process when it has not ended, and tools that it left behind
        _, status, usage = os.wait4(self._pid, 0)
        os.close(self._file)
        with open(self._error, "rb") as file:
            shown = file.read(SHOWN_BYTES).decode("utf-8", "replace")
        return {"status": os.waitstatus_to_exitcode(status), "error": shown,
                "peak_bytes": max(self._peak_bytes, usage.ru_maxrss * 1024),
                "late_cpu_s": 0.0 if cpu_at_deadline is None else cpu_s - cpu_at_deadline,
                "late_wall_s": wall_s - self._deadline_s, "wall_s": wall_s,
                "cpu_s": usage.ru_utime + usage.ru_stime, "was_killed": not ended}

    def _wait_while_late(self, most_cpu_s):
        last_moment = time.monotonic() + MOST_WALL_S
        while not self._wait_until(time.monotonic() + LATE_STEP_S):
            if processor_seconds(self._pid) > most_cpu_s or time.monotonic() > last_moment:
                return False
        return True

    def _wait_until(self, moment):
        while True:
            left_s = moment - time.monotonic()
            if left_s <= 0:
                return bool(self._poll.poll(0))
            step_s = min(left_s, SAMPLE_S) if self._samples else left_s
            if self._poll.poll(step_s * 1000 + 0.5):
                return True
            if self._samples:
                self._peak_bytes = max(self._peak_bytes, resident_bytes(self._pid))


for line in sys.stdin:
    print(json.dumps(MeasuredProcess(**json.loads(line)).finish()), flush=True)
