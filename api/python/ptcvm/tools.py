"""Tools: the callables that programs may call, and the hooks that judge calls."""
import ctypes
import inspect
import itertools
import threading

from . import _abi
from ._library import Handle, Text, Written, checked, lib, made, struct, text_of, value_of
from .callables import require_fit
from .errors import UnknownOutcome
from .values import Pending

EFFECTS = {"unsafe": _abi.UNSAFE, "pure": _abi.PURE, "idempotent": _abi.IDEMPOTENT, "keyed": _abi.KEYED,
           "reconcilable": _abi.RECONCILABLE}
MODES = {"sync": _abi.SYNC, "async": _abi.ASYNC, "auto": _abi.AUTO}


class Happened:
    """What `reconcile` returns for a call that happened: its answer."""

    def __init__(self, answer):
        self.answer = answer


class DidNotHappen:
    """What `reconcile` returns for a call that did not happen."""


class Deny:
    """What `before_tool` returns for a call that shall fail."""

    def __init__(self, reason):
        self.reason = reason


class Ask:
    """What `before_tool` returns for a call that waits until somebody decides."""

    def __init__(self, question):
        self.question = question


class Change:
    """What `before_tool` returns for a call that shall be made with other arguments."""

    def __init__(self, args):
        self.args = args


class Call:
    """The facts of one call. expired() and report_partial() work until the callable returns."""

    def __init__(self, handle):
        self._handle = handle
        self.name = text_of(lib.ptcvm_call_name(handle))
        self.args = value_of(lib.ptcvm_call_args(handle))
        self.run_id = text_of(lib.ptcvm_call_run_id(handle))
        self.turn = lib.ptcvm_call_turn(handle)
        self.task_id = text_of(lib.ptcvm_call_task_id(handle))
        self.idempotency_key = text_of(lib.ptcvm_call_idempotency_key(handle))
        self.attempt = lib.ptcvm_call_attempt(handle)

    def expired(self):
        """Returns whether the answer has become useless."""
        return self._handle is None or bool(lib.ptcvm_call_is_expired(self._handle))

    def report_partial(self, value):
        """Keeps a value that the program gets when the call runs out of time. The last value counts."""
        if self._handle is not None:
            with Written(value) as view:
                checked(lib.ptcvm_call_report_partial(self._handle, view))

    def _answer(self, value):
        if isinstance(value, Pending):
            return checked(lib.ptcvm_call_answer_pending(self._handle, Text(str(value))))
        with Written(value) as view:
            return checked(lib.ptcvm_call_answer(self._handle, view))


class Interruption(threading.local):
    """Keeps what is no error of a tool, such as KeyboardInterrupt, until the step that called the tool raises it."""
    raised = None


interruption = Interruption()


def text_of_exception(error):
    return str(error) or type(error).__name__


def answered(handle, work):
    """Lets `work` answer a call. Nothing is raised into the library."""
    call = None
    try:
        if interruption.raised is not None:   # the turn ends: no further call is made
            raise interruption.raised
        call = Call(handle)
        work(call)
    except UnknownOutcome as error:
        lib.ptcvm_call_answer_unknown(handle, Text(str(error)))
    except BaseException as error:            # pylint: disable=broad-except
        if not isinstance(error, Exception):
            interruption.raised = error
        lib.ptcvm_call_answer_error(handle, Text(text_of_exception(error)))
    finally:
        if call is not None:
            call._handle = None


class Callbacks:
    """The callables that the library knows by numbers. The library says when it needs one no more."""

    def __init__(self):
        self.numbers = itertools.count(1)
        self.known = {}

    def add(self, entry):
        number = next(self.numbers)
        self.known[number] = entry
        return number


callbacks = Callbacks()
CallFn = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
DestroyFn = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@CallFn
def on_call(number, handle):
    tool = callbacks.known[number]
    answered(handle, lambda call: call._answer(tool.function(call, **call.args) if tool.wants_call
                                               else tool.function(**call.args)))


@CallFn
def on_reconcile(number, handle):
    def ask(call):
        found = callbacks.known[number].reconcile(call)
        if isinstance(found, Happened):
            call._answer(found.answer)
        elif isinstance(found, DidNotHappen) or found is DidNotHappen:
            checked(lib.ptcvm_call_did_not_happen(handle))
        elif found is not None:
            raise TypeError(f"reconcile returned {found!r:.80}; return Happened(answer), DidNotHappen or None")
    answered(handle, ask)


@CallFn
def on_before(number, handle):
    try:
        verdict = callbacks.known[number](Call(handle))
        if isinstance(verdict, Change):
            with Written(verdict.args) as view:
                return checked(lib.ptcvm_call_change(handle, view))
        if isinstance(verdict, Ask):
            return checked(lib.ptcvm_call_ask(handle, Text(verdict.question)))
        if verdict is not None and not isinstance(verdict, Deny):
            raise TypeError(f"before_tool returned {verdict!r:.80}; return Deny, Ask, Change or None")
        if verdict is not None:
            lib.ptcvm_call_deny(handle, Text(verdict.reason))
    except BaseException as error:            # pylint: disable=broad-except
        if not isinstance(error, Exception):
            interruption.raised = error
        lib.ptcvm_call_deny(handle, Text(text_of_exception(error)))
    return None


@DestroyFn
def on_destroy(number):
    callbacks.known.pop(number, None)


def address(function):
    return ctypes.cast(function, ctypes.c_void_p)


class Tool:
    """One callable with what the library does not keep."""

    def __init__(self, function, wants_call, reconcile):
        self.function, self.wants_call, self.reconcile = function, wants_call, reconcile


def millis(seconds):
    return round(seconds * 1000)


def chosen(table, name, what):
    if name not in table:
        raise ValueError(f"{what} is {name!r}; it is one of {', '.join(table)}")
    return table[name]


def tool_options(*, mode="sync", effect="unsafe", description="", question="", cache=False, attempts=1,
                 first_delay=0.1, max_delay=30.0, deadline=0.0, checks_signature=True):
    """Returns the options of a tool as a struct. Times are seconds."""
    return struct(_abi.ToolOptions, description=Text(description), question=Text(question),
                  effect=chosen(EFFECTS, effect, "effect"), mode=chosen(MODES, mode, "mode"), cache=int(cache),
                  max_attempts=attempts, first_delay_ms=millis(first_delay), max_delay_ms=millis(max_delay),
                  deadline_ms=millis(deadline), no_signature_check=int(not checks_signature))


class Coroutine:
    """A coroutine function that answers the calls of a tool. `is_later` when the program gets a handle first."""

    def __init__(self, function, *, mode="sync", attempts=1, first_delay=0.1, max_delay=30.0, **_):
        self.function, self.is_later = function, mode != "sync"
        self.attempts, self.first_delay, self.max_delay = attempts, first_delay, max_delay


class Tools(Handle):
    """The tools that programs may call. A run keeps the list as it was when the run was made."""

    def __init__(self):
        super().__init__("tools", made("tools_new"))
        self._coroutines = {}                 # coroutine functions by the names of their tools

    def add(self, name, signature, function, *, wants_call=False, reconcile=None, **options):
        """Adds a tool. What `function` returns is the answer; what it raises is a tool_error with the same text. A
        coroutine function is called by `await run`. With wants_call the first argument is the Call. TypeError: the
        function cannot take the arguments of the signature by their names."""
        if not callable(function):
            raise TypeError(f"the tool {name} needs a callable; a tool without one is for defer()")
        if options.get("checks_signature", True):
            require_fit(name, signature, function, wants_call)
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):
            if wants_call or reconcile:
                raise TypeError(f"the tool {name} is a coroutine function, which has neither wants_call nor reconcile")
            self.defer(name, signature, **options)
            self._coroutines[name] = Coroutine(function, **options)
            return function
        given = tool_options(**options)
        if reconcile is not None:
            given.reconcile = address(on_reconcile).value
        number = callbacks.add(Tool(function, wants_call, reconcile))
        self._call("tools_add", Text(name), Text(signature), on_call, number, on_destroy, ctypes.byref(given))
        self._coroutines.pop(name, None)
        return function

    def tool(self, signature, name=None, **options):
        """Returns a decorator that adds a function under its own name, or under `name`."""
        def decorate(function):
            documented = {"description": inspect.getdoc(function) or "", **options}
            return self.add(name or function.__name__, signature, function, **documented)
        return decorate

    def defer(self, name, signature, **options):
        """Adds a tool without a callable. Its calls wait in calls() until the host answers them."""
        self._call("tools_defer", Text(name), Text(signature), ctypes.byref(tool_options(**options)))
        self._coroutines.pop(name, None)
