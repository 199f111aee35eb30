"""Runs and sessions: a program with its memory, stepped by the host."""
import ctypes

from . import _abi
from ._library import (Text, Written, call, checked, fault_of, lib, made, said, shown_args, struct, taken,
                       text_of, texts, value_of)
from .checking import findings_in, missing_in, tell
from .errors import Error, Failed
from .stepped import Stepped, Usage, WaitingCall, raise_interruption
from .values import value_of_edn

STATES = {_abi.COMPLETED: "completed", _abi.RETURNED: "returned", _abi.FAILED: "failed",
          _abi.SUSPENDED: "suspended", _abi.YIELDED: "yielded"}


class PendingOperation:
    """An operation that waits for resolve(). Times are ms since 1970; deadline_ms is None for an endless one."""

    def __init__(self, seen):
        self.id, self.tool = text_of(seen.id), text_of(seen.tool)
        self.args, self.progress = value_of(seen.args), value_of(seen.progress)
        self.since_ms, self.deadline_ms = seen.since_ms, seen.deadline_ms or None
        self.is_awaited = bool(seen.is_awaited)

    def __repr__(self):
        return f"<operation {self.id} of {self.tool} {self.args!r}>"


class CallRecord:
    """A call of a tool that has its answer, as texts."""

    def __init__(self, seen):
        self.tool, self.args_edn, self.result_edn, self.error = map(
            text_of, (seen.tool, seen.args_edn, seen.result_edn, seen.error))
        self.failed, self.is_cached = bool(seen.failed), bool(seen.is_cached)


class Run(Stepped):
    """One program with its memory. `await run` and run.run() give the result; step() goes on in slices. `missing_data`
    has a Finding for each name of data/ that the data lacks."""

    def __init__(self, handle, options, missing_data=()):
        super().__init__(handle, options)
        self.missing_data = list(missing_data)

    def step(self, fuel=_abi.ALL_FUEL):
        """Executes at most about `fuel` units of work and returns the state: "completed", "returned", "failed",
        "suspended" or "yielded". Other threads of Python go on meanwhile. Tools without callables wait in calls()."""
        with self._lock:
            run = self._free_run()
            self._is_stepping = True
            try:
                state = lib.ptcvm_run_step(run, fuel)
            finally:
                self._is_stepping = False
        raise_interruption()
        if state == _abi.NO_STATE:
            raise Error("out_of_memory", "there is no memory left for the run; close it")
        return STATES[state]

    @property
    def state(self):
        """The state after the last step."""
        with self._lock:
            return STATES[lib.ptcvm_run_get_state(self._free_run())]

    def result(self):
        """Returns the result of a run that is over. Raises Fault, or Failed for (fail value)."""
        with self._lock:
            run, state = self._free_run(), self.state
            if state in ("suspended", "yielded"):
                raise Error("wrong_state", f"the run is {state}; it has no result yet")
            fault = fault_of("run", run)
            if fault is not None:
                raise fault
            value = value_of(lib.ptcvm_run_result(run))
        if state == "failed":
            raise Failed(value)
        return value

    def prints(self):
        """Returns what the program printed, one text for each print."""
        return texts(self._made("prints"))

    def warnings(self):
        """Returns what the engine wants to say about the turn."""
        return texts(self._made("warnings"))

    def usage(self):
        """Returns what the turn has used."""
        seen = struct(_abi.Usage)
        with self._lock:
            checked(lib.ptcvm_run_get_usage(self._free_run(), ctypes.byref(seen)))
        return Usage(seen)

    def memory_bytes(self):
        """Returns the size of the heap now."""
        with self._lock:
            return lib.ptcvm_run_memory_bytes(self._free_run())

    def set_time(self, ms):
        """Sets the time that the program sees in the next steps, in ms since 1970."""
        with self._lock:
            lib.ptcvm_run_set_time(self._free_run(), ms)
            self._has_time = True
        self._wake()

    def park(self):
        """Reduces a run that waits to about the size of its snapshot, and returns whether the run waits."""
        with self._lock:
            return bool(lib.ptcvm_run_park(self._free_run()))

    def snapshot(self, *, by_hash=False):
        """Returns the whole run as bytes, for Engine.restore(). The same state gives the same bytes."""
        return taken(self._made("snapshot", int(by_hash)))

    def snapshot_json(self):
        """Returns the whole run as JSON for people, which Engine.restore() takes, too."""
        return taken(self._made("snapshot_json")).decode()

    def journal(self):
        """Returns the results of the tasks by their ids."""
        return value_of_edn(taken(self._made("journal_edn")).decode())

    def questions(self):
        """Returns the calls that wait for decide()."""
        return self._listed("question", _abi.WaitingCall, WaitingCall)

    def pending(self):
        """Returns the operations that wait for resolve()."""
        return self._listed("pending", _abi.PendingOperation, PendingOperation)

    def records(self):
        """Returns the calls of tools of this turn that have their answers."""
        return self._listed("record", _abi.CallRecord, CallRecord)

    def resolve(self, operation, value):
        """Ends an operation with a value. Resolving again in the same way changes nothing."""
        self._say("resolve_edn", Text(operation), said(value))

    def resolve_error(self, operation, reason):
        """Ends an operation with an error."""
        self._say("resolve_error", Text(operation), Text(reason))

    def resolve_cancelled(self, operation, reason=""):
        """Ends an operation that nobody will do."""
        self._say("resolve_cancelled", Text(operation), Text(reason))

    def progress(self, operation, value):
        """Sets what the handle of an operation shows until it is resolved."""
        with Written(value) as view:
            self._say("progress", Text(operation), view)

    def decide(self, key, allowed, reason="", *, args=None):
        """Decides a call of questions(), by its key. With `args` the decision holds for these arguments only."""
        seen = shown_args(args)
        self._say("decide", Text(key), int(allowed), Text(reason), seen and ctypes.addressof(seen))

    def take_cancelled(self):
        """Returns the operations that the program gave up since the last call, so that their tools can stop."""
        return texts(self._made("take_cancelled"))


class Session(Run):
    """Runs one program after another. Definitions, journal, waiting operations and *1 *2 *3 go from turn to turn."""
    _kind = "session"

    def __init__(self, handle, options, strict_data=False):
        super().__init__(handle, options)
        self._strict_data = strict_data

    def _run(self):
        return lib.ptcvm_session_run(self._open())

    def check(self, source):
        """Returns every error of a source and what looks like a slip, as a list of Finding, and executes nothing."""
        with self._lock:
            self._free_run()
            return findings_in(self._open(), source)

    def begin(self, source):
        """Begins the next turn, which the host steps, runs or awaits. Each name of data/ that the data lacks is a
        MissingData warning, and for a session with strict_data an InvalidProgram."""
        with self._lock:
            self._free_run()
            missing = missing_in(self._open(), source)
            tell(missing, self._strict_data)
            call("session_begin", self._open(), Text(source))
            self.missing_data = missing
        self._begin_driving()

    def eval(self, source):
        """Begins the next turn and returns its result, as run() does."""
        self.begin(source)
        return self.run()

    def definitions(self):
        """Returns the values that `def` stored, by their names."""
        with self._lock:
            self._free_run()
            return value_of_edn(taken(made("session_definitions_edn", self._open())).decode())
