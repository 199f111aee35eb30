"""What runs and stored runs have in common: calls, answers, events, cancelling, and one thread at a time. Internal."""
import ctypes
import json
import weakref

from . import _abi
from ._library import Handle, Text, call, checked, lib, made, said, struct, taken, text_of, value_of
from .driving import Driven
from .errors import Error
from .tools import callbacks, interruption


class WaitingCall:
    """A call that waits for answer(), or, as a question, for decide()."""

    def __init__(self, seen):
        self.id = seen.id
        self.tool, self.key, self.task_id, self.question = map(text_of, (seen.tool, seen.key, seen.task_id,
                                                                         seen.question))
        self.args = value_of(seen.args)
        self.attempt = seen.attempt
        self.is_deferred = bool(seen.is_deferred)

    def __repr__(self):
        return f"<call {self.id} of {self.tool} {self.args!r}>"


class Usage:
    """What a turn has used."""

    def __init__(self, seen):
        self.fuel, self.peak_bytes, self.active_micros = seen.fuel, seen.peak_bytes, seen.active_micros
        self.tool_calls, self.suspensions = seen.tool_calls, seen.suspensions

    def __repr__(self):
        return f"Usage({', '.join(f'{name}={value}' for name, value in vars(self).items())})"


def raise_interruption():
    """Raises what a tool raised and what is no error of a tool, such as KeyboardInterrupt."""
    raised, interruption.raised = interruption.raised, None
    if raised is not None:
        raise raised


def release(free, handle, hook):
    free(handle)
    callbacks.known.pop(hook, None)


class Stepped(Driven, Handle):
    """A run that the host steps. Functions of the library begin with `_prefix`."""
    _kind = _prefix = "run"

    def __init__(self, handle, options):
        Handle.__init__(self, self._kind, handle)
        Driven.__init__(self, options)
        hook = options.keep()
        if hook is not None:
            self._finalizer.detach()
            self._finalizer = weakref.finalize(self, release, getattr(lib, f"ptcvm_{self._kind}_free"), handle, hook)

    def _run(self):
        return self._open()

    def _free_run(self):
        """Returns the run, unless a tool that the run calls asks for it."""
        if self._is_stepping:
            raise Error("wrong_state", "a tool may not use the run that calls it, except cancel()")
        return self._run()

    def _call(self, name, *arguments):
        with self._lock:
            return call(f"{self._prefix}_{name}", self._free_run(), *arguments)

    def _made(self, name, *arguments):
        with self._lock:
            return made(f"{self._prefix}_{name}", self._free_run(), *arguments)

    def _function(self, name):
        return getattr(lib, f"ptcvm_{self._prefix}_{name}")

    def _listed(self, what, kind, record):
        with self._lock:
            run, out = self._free_run(), []
            for index in range(self._function(f"{what}_count")(run)):
                seen = struct(kind)
                checked(self._function(f"{what}_at")(run, index, ctypes.byref(seen)))
                out.append(record(seen))
            return out

    def cancel(self):
        """Makes the next step end with the fault "cancelled". Any thread may call this, and tools may."""
        with self._cancelling:
            if self._handle is not None:
                self._function("cancel")(self._run())
        self._wake()

    def close(self):
        """Frees the run now. Closing again does nothing."""
        with self._lock:
            if self._is_stepping:
                raise Error("wrong_state", "a tool may not close the run that calls it")
            with self._cancelling:
                super().close()

    @property
    def id(self):
        """The id of the run."""
        with self._lock:
            return text_of(self._function("id")(self._run()))

    def calls(self):
        """Returns the calls that wait for answer()."""
        return self._listed("call", _abi.WaitingCall, WaitingCall)

    def answer(self, call_id, value):
        """Answers a call of calls()."""
        self._say("answer_edn", call_id, said(value))

    def answer_error(self, call_id, message):
        """Makes a call of calls() fail with a tool_error."""
        self._say("answer_error", call_id, Text(message))

    def answer_pending(self, call_id, operation=""):
        """Says that a call of an async tool is answered later, by resolve() with this id; "": the run makes an id."""
        self._say("answer_pending", call_id, Text(operation))

    def wake_time(self):
        """Returns when the host should step a waiting run although no answer has come, in ms since 1970, or None."""
        out = ctypes.c_int64()
        with self._lock:
            return out.value if self._function("wake_time")(self._free_run(), ctypes.byref(out)) else None

    def next_event(self):
        """Returns the oldest event that waits, as a dict like a line of a trace, or None."""
        seen = struct(_abi.Event)
        with self._lock:
            run = self._free_run()
            if not self._function("next_event")(run, ctypes.byref(seen)):
                return None
            return json.loads(taken(made(f"{self._prefix}_event_json", run)))
