"""Runs of a store: they survive their process, and go on where the store says."""
import ctypes

from . import _abi
from ._library import (Text, Written, call, checked, fault_of, lib, made, said, shown_args, struct, text_of,
                       value_of)
from .checking import tell
from .errors import Error, Failed
from .options import stored_options
from .run import STATES
from .stepped import Stepped, Usage, raise_interruption
from .tools import Tools, chosen
from .values import value_of_edn

STEPS = {_abi.STEP_YIELDED: "yielded", _abi.STEP_WAITS: "waits", _abi.STEP_DONE: "done"}
ENDS = {_abi.STORED_END_ENDED: "ended", _abi.STORED_END_BEFORE: "before", _abi.STORED_END_SUSPENDED: "suspended",
        _abi.STORED_END_IN_DOUBT: "in_doubt"}
DOUBT_ANSWERS = {"happened": _abi.DOUBT_HAPPENED, "did_not": _abi.DOUBT_DID_NOT, "give_up": _abi.DOUBT_GIVE_UP}


class StoredWait:
    """One thing that a parked run waits for: an operation, a question or a doubt, by its key."""

    def __init__(self, seen):
        self.key, self.tool, self.question = map(text_of, (seen.key, seen.tool, seen.text))
        self.id = self.key
        edn = text_of(seen.args_edn)
        self.args = value_of_edn(edn) if edn else None
        self.is_awaited = True

    def __repr__(self):
        return f"<{self.key} of {self.tool} {self.args!r}>"


class Outcome:
    """How a step that was "done" ended. `end` is "ended", "before" (ended by an earlier process), "suspended" or
    "in_doubt"; `state` is the state of the turn."""

    def __init__(self, handle):
        self.end = ENDS[lib.ptcvm_stored_end(handle)]
        self.state = STATES[lib.ptcvm_stored_state(handle)]
        self.value = value_of(lib.ptcvm_stored_result(handle))
        self.fault = fault_of("stored", handle)
        self.prints = [text_of(lib.ptcvm_stored_print_at(handle, index))
                       for index in range(lib.ptcvm_stored_print_count(handle))]
        usage = struct(_abi.Usage)
        checked(lib.ptcvm_stored_get_usage(handle, ctypes.byref(usage)))
        self.usage = Usage(usage)
        self.pending = self._waits(handle, _abi.WAIT_PENDING)
        self.questions = self._waits(handle, _abi.WAIT_QUESTION)
        self.doubts = self._waits(handle, _abi.WAIT_DOUBT)
        wake = ctypes.c_int64()
        self.wake_time = wake.value if lib.ptcvm_stored_wake_time(handle, ctypes.byref(wake)) else None
        self.warning = text_of(lib.ptcvm_stored_warning(handle))

    @staticmethod
    def _waits(handle, what):
        out = []
        for index in range(lib.ptcvm_stored_wait_count(handle, what)):
            seen = struct(_abi.StoredWait)
            checked(lib.ptcvm_stored_wait_at(handle, what, index, ctypes.byref(seen)))
            out.append(StoredWait(seen))
        return out

    @property
    def is_over(self):
        """Whether the turn ended, now or before."""
        return self.end in ("ended", "before")

    def result(self):
        """Returns the result of a turn that is over. Raises Fault, or Failed for (fail value)."""
        if not self.is_over:
            raise Error("wrong_state", f"the run is {self.end.replace('_', ' ')}; it has no result yet")
        if self.fault is not None:
            raise self.fault
        if self.state == "failed":
            raise Failed(self.value)
        return self.value


class StoredRun(Stepped):
    """Steps a run of a store. What a step did is in the store before the step returns. When the process dies, the next
    StoredRun of the same id goes on; the effects of the tools say what becomes of open calls."""
    _kind = _prefix = "stepper"
    _has_handles = False          # a handle would not survive its coroutine; an open call does, with its effect

    @classmethod
    def of(cls, engine, store, source, options, strict_data):
        """Makes the stepper: of the source, or, without one, of what the store has."""
        tools = options.get("tools")
        if tools is None:
            with Tools() as none:
                return cls.of(engine, store, source, {**options, "tools": none}, strict_data)
        with stored_options(**options) as given:
            missing = cls._missing(engine, store, source, options)
            tell(missing, strict_data)
            with store._lock:
                places = (engine._open(), store._open(), tools._open())
                handle = made("stepper_start", *places, Text(source), given.reference) if source is not None else \
                    made("stepper_open", *places, given.reference)
            return cls(handle, given, missing)

    @staticmethod
    def _missing(engine, store, source, options):
        """Returns the names of data/ that the data lacks. A run that the store has keeps its own data."""
        missing = engine._missing(source or "", options.get("data"))
        return [] if missing and store.log_lines(options.get("id", "run")) else missing

    def __init__(self, handle, options, missing_data=()):
        super().__init__(handle, options)
        self.missing_data = list(missing_data)
        self.outcome = None                   # the Outcome of the last step that was "done"

    def step(self, fuel=_abi.ALL_FUEL):
        """Executes at most about `fuel` units of work and returns "yielded", "waits" (for answers to calls(), or for
        wake_time()) or "done" (see `outcome`). Calls no tools: make() does."""
        out = ctypes.c_int32()
        with self._lock:
            call("stepper_step", self._free_run(), fuel, ctypes.byref(out))
            self.outcome = None
            if out.value == _abi.STEP_DONE:
                handle = made("stepper_take_outcome", self._run())
                try:
                    self.outcome = Outcome(handle)
                finally:
                    lib.ptcvm_stored_free(handle)
        return STEPS[out.value]

    def make(self, call_id):
        """Calls the callable of a call of calls() in this thread, and answers with what it says."""
        with self._lock:
            stepper = self._free_run()
            self._is_stepping = True
            try:
                call("stepper_make", stepper, call_id)
            finally:
                self._is_stepping = False
        raise_interruption()

    def _advanced(self, fuel):
        state = self.step(fuel)
        self._take_events()
        did_something = state == "yielded"
        for waiting in self.calls() if state == "waits" else ():
            if not waiting.is_deferred:
                self.make(waiting.id)
                did_something = True
        return "yielded" if did_something else state, did_something

    def _is_over(self, state):
        return state == "done" and self.outcome.is_over

    def _open_outcome(self):
        if self.outcome is None:
            raise Error("wrong_state", "the run is not done; step it")
        return self.outcome

    def result(self):
        """Returns the result of a run that is over. Raises Fault, or Failed for (fail value)."""
        return self._open_outcome().result()

    def prints(self):
        """Returns what the turn printed, one text for each print."""
        return self._open_outcome().prints

    def usage(self):
        """Returns what the turn has used."""
        return self._open_outcome().usage

    def wake_time(self):
        """Returns when the host should step the run although no answer has come, in ms since 1970, or None."""
        return self.outcome.wake_time if self.outcome is not None else super().wake_time()

    def pending(self):
        """Returns the operations that a parked run waits for, each for resolve()."""
        return self.outcome.pending if self.outcome is not None else []

    def questions(self):
        """Returns the calls that wait for decide()."""
        return self.outcome.questions if self.outcome is not None else []

    def doubts(self):
        """Returns the calls that may or may not have happened, each for settle()."""
        return self.outcome.doubts if self.outcome is not None else []

    def take_cancelled(self):
        """Returns nothing: a store has no list of the operations that the program gave up."""
        return []

    def answer_unknown(self, call_id, message):
        """Says that nobody knows whether the call happened. The effect of its tool decides what follows."""
        self._say("answer_unknown", call_id, Text(message))

    def resolve(self, operation, value, *, by=""):
        """Ends an operation with a value. The run sees it in the next step. `by` names the speaker."""
        self._say("resolve_edn", Text(operation), said(value), Text(by))

    def resolve_error(self, operation, reason, *, by=""):
        """Ends an operation with an error."""
        self._say("resolve_error", Text(operation), Text(reason), Text(by))

    def resolve_cancelled(self, operation, reason="", *, by=""):
        """Ends an operation that nobody will do."""
        self._say("resolve_cancelled", Text(operation), Text(reason), Text(by))

    def progress(self, operation, value, *, by=""):
        """Sets what the handle of an operation shows until it is resolved."""
        with Written(value) as view:
            self._say("progress", Text(operation), view, Text(by))

    def decide(self, key, allowed, reason="", *, by="", args=None):
        """Decides a call of questions(), by its key. With `args` the decision holds for these arguments only."""
        seen = shown_args(args)
        self._say("decide", Text(key), int(allowed), Text(reason), Text(by), seen and ctypes.addressof(seen))

    def settle(self, key, answer, result=None, *, by=""):
        """Says what became of a call in doubt: "happened" with its result, "did_not", or "give_up"."""
        with Written(result) as view:
            self._say("settle", Text(key), chosen(DOUBT_ANSWERS, answer, "answer"), view, Text(by))
