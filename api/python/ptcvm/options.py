"""Options and limits as structs of the library, with everything that they borrow. Internal."""
import ctypes
import difflib
import functools
import inspect

from . import _abi
from ._library import Text, Written, checked, lib, struct
from .tools import address, callbacks, on_before

LIMITS = [name for name, _ in _abi.Limits._fields_ if name not in ("struct_size", "reserved")]


def limits_of(given):
    """Returns limits by name as a struct: the defaults, except what is given."""
    limits = struct(_abi.Limits)
    checked(lib.ptcvm_limits_default(ctypes.byref(limits)))
    for name, value in given.items():
        if name not in LIMITS:
            near = difflib.get_close_matches(name, LIMITS, 1)
            raise TypeError(f"there is no limit {name}" + (f"; did you mean {near[0]}?" if near else ""))
        if not isinstance(value, int) or value < 0:
            raise TypeError(f"the limit {name} is {value!r}; it is a number of its unit, 0 or more")
        setattr(limits, name, value)
    return limits


class Options:
    """Options as a struct, with everything that they borrow. The hook is kept until the run is freed."""

    def __init__(self, kind, tools, limits, before_tool, data=None, **members):
        self.coroutines = dict(tools._coroutines) if tools else {}
        self.has_time = bool(members.get("has_time"))
        if limits:
            self.limits = limits_of(limits)
            members["limits"] = ctypes.addressof(self.limits)
        if tools is not None and any(name == "tools" for name, _ in kind._fields_):
            members["tools"] = tools._open()
        self.struct = struct(kind, **members)
        self.written = None
        if data is not None:
            self.written = Written(data, times_as_text=False)
            self.struct.data = self.written.__enter__()
        self.hook, self.is_kept = None, False
        if before_tool:
            self.hook = callbacks.add(before_tool)
            self.struct.before_tool = address(on_before).value
            self.struct.before_tool_data = self.hook
        self.reference = ctypes.byref(self.struct)

    def keep(self):
        """Says that a run has the hook now, and returns what frees the hook with the run."""
        self.is_kept = True
        return self.hook

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.written:
            self.written.__exit__()
        if self.hook and not self.is_kept:
            callbacks.known.pop(self.hook, None)


def time_members(time_ms):
    return {"has_time": int(time_ms is not None), "time_ms": time_ms or 0}


def named(options_of):
    """Refuses options that the function does not have, with the nearest name."""
    known = list(inspect.signature(options_of).parameters)

    @functools.wraps(options_of)
    def checked_options(**options):
        for name in options:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"the options are {', '.join(known)}"
                raise TypeError(f"there is no option {name}; {hint}")
        return options_of(**options)

    return checked_options


@named
def run_options(*, tools=None, data=None, limits=None, id="run", signature="", time_ms=None, journal=True,
                before_tool=None, events=0):
    """Returns the options of a run. `events` is the number of events that may wait in next_event(); 0: no events."""
    return Options(_abi.RunOptions, tools, limits, before_tool, data, id=Text(id), signature=Text(signature),
                   no_journal=int(not journal), event_capacity=events, **time_members(time_ms))


@named
def restore_options(*, tools=None, limits=None, max_bytes=0, time_ms=None, before_tool=None, events=0):
    """Returns the options with which a run is restored. The run gets the smaller of these limits and its own."""
    return Options(_abi.RestoreOptions, tools, limits, before_tool, max_bytes=max_bytes, event_capacity=events,
                   **time_members(time_ms))


@named
def stored_options(*, tools=None, data=None, limits=None, id="run", signature="", name="", lease=60.0, again=False,
                   time_ms=None, before_tool=None, keeps_session=False, parallel_calls=0, events=0):
    """Returns the options of a stored run. `lease` is in seconds; `parallel_calls` 0 means that there is no bound."""
    return Options(_abi.StoredOptions, tools, limits, before_tool, data, id=Text(id), signature=Text(signature),
                   name=Text(name), lease_ms=round(lease * 1000), again=int(again), keeps_session=int(keeps_session),
                   parallel_calls=parallel_calls, event_capacity=events, **time_members(time_ms))
