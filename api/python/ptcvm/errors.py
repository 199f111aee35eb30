"""What can go wrong. Every exception of this package is an Error, except TypeError for wrong arguments."""
import typing


class Error(Exception):
    """Something that the host did wrong, or that failed around it. `status` is a stable name, such as "busy"."""

    def __init__(self, status, message, detail=""):
        super().__init__(message)
        self.status = status
        self.message = message
        self.detail = detail                  # the name within the status, such as "rolled_back", or ""


class _Located:
    """What is said about a place of a source."""

    def _take(self, facts):
        """Makes the members of a diagnostic attributes."""
        for name in ("kind", "message", "hint", "source_name", "line", "column", "begin", "end", "text", "found"):
            setattr(self, name, facts[name])
        self.is_limit = bool(facts["is_limit"])
        self.is_incomplete = bool(facts["is_incomplete"])


class _AtAPlace(Error, _Located):
    """An error of a program. str() is the whole text for people, with the line and a caret."""

    def __init__(self, status, facts):
        super().__init__(status, facts["text"] or facts["message"])
        self._take(facts)


class CallFrame(typing.NamedTuple):
    """A call that a program was in when it failed. `kind`: "function", "builtin" and "tool" (the place is the call),
    "task" (around the frames before it), "branch" of pmap or pcalls, "omitted" (name: how many frames are left out)."""
    kind: str
    name: str                                 # "program" for the top level, "fn" for a function without a name
    source_name: str
    line: int                                 # counts from 1; 0 when there is no place
    column: int


class InvalidProgram(_AtAPlace):
    """The source cannot be compiled, and nothing was executed."""

    def __init__(self, facts):
        super().__init__("invalid_program", facts)


class Fault(_AtAPlace):
    """The program failed: `kind` names the fault, such as "type_error"; `line` and `column` say where; `stack` has the
    calls around the place, innermost first, and `found` the value that did not fit, as text, or ""."""

    def __init__(self, facts, stack=()):
        super().__init__("failed", facts)
        self.stack = list(stack)


class Failed(Error):
    """The program ended with (fail value)."""

    def __init__(self, value):
        super().__init__("failed", f"the program failed: {value!r}")
        self.value = value


class Suspended(Error):
    """The run cannot go on by itself. `run` says what it waits for: calls(), pending(), questions(), wake_time()."""

    def __init__(self, run, message):
        super().__init__("suspended", message)
        self.run = run


class UnknownOutcome(Exception):
    """A tool raises this when nobody knows whether the call happened. The effect of the tool decides what follows."""
