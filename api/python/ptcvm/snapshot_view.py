"""Snapshots for readers: what a suspended program waits for and holds, without its tools and without running it."""
import ctypes
import json

from . import _abi
from ._library import Handle, Text, checked, lib, made, struct, taken, text_of, texts, value_of

PLACES = {_abi.BETWEEN_TURNS: "between_turns", _abi.TURN_SUSPENDED: "turn_suspended",
          _abi.BETWEEN_STEPS: "between_steps"}
FIBER_STATES = {getattr(_abi, "FIBER_" + name.upper()): name
                for name in ("ready", "waits_for_tool", "waits_for_operations", "waits_for_task", "waits_for_branches",
                             "finished", "faulted")}


class Members:
    """A record with attributes."""

    def __init__(self, **members):
        self.__dict__.update(members)

    def __repr__(self):
        return f"<{type(self).__name__} {self.__dict__}>"


class SnapshotFacts(Members):
    """run_id, turn, format, place, fuel, tool_calls, suspensions, print_bytes, memory_bytes."""


class SnapshotOperation(Members):
    """id, tool, args, status, result, reason, task_id, since_ms, due_ms, deadline_ms, is_sleep, is_awaited. Times that
    are not set are None."""


class SnapshotFiber(Members):
    """A program or a branch: parent (None for the program), state, fault, source_name, line, column, excerpt,
    frames."""


class SnapshotFrame(Members):
    """function, line, column, and locals by name."""


class SnapshotView(Handle):
    """A snapshot, bytes or JSON from anywhere. Error "invalid_snapshot" or "too_large": `detail` names the reason."""

    def __init__(self, engine, snapshot, *, max_bytes=0):
        super().__init__("snapshot", engine._made("snapshot_open", Text(snapshot), max_bytes))

    def facts(self):
        """Returns the SnapshotFacts."""
        with self._lock:
            seen = struct(_abi.SnapshotFacts)
            checked(lib.ptcvm_snapshot_get_facts(self._open(), ctypes.byref(seen)))
            numbers = ("turn", "format", "fuel", "tool_calls", "suspensions", "print_bytes", "memory_bytes")
            return SnapshotFacts(run_id=text_of(seen.run_id), place=PLACES[seen.place],
                                 **{name: getattr(seen, name) for name in numbers})

    def operations(self):
        """Returns the operations of the run as a list of SnapshotOperation."""
        with self._lock:
            return [self._operation(index) for index in range(lib.ptcvm_snapshot_operation_count(self._open()))]

    def _operation(self, index):
        seen = struct(_abi.SnapshotOperation)
        checked(lib.ptcvm_snapshot_operation_at(self._open(), index, ctypes.byref(seen)))
        members = {name: text_of(getattr(seen, name)) for name in ("id", "tool", "status", "reason", "task_id")}
        times = {name: getattr(seen, name) or None for name in ("since_ms", "due_ms", "deadline_ms")}
        return SnapshotOperation(**members, **times, args=value_of(seen.args), result=value_of(seen.result),
                                 is_sleep=bool(seen.is_sleep), is_awaited=bool(seen.is_awaited))

    def definitions(self):
        """Returns the definitions by name. Functions are Tagged."""
        return self._values(_abi.DEFINITIONS)

    def journal(self):
        """Returns the results of tasks by their ids."""
        return self._values(_abi.JOURNAL)

    def _values(self, which):
        with self._lock:
            own = self._open()
            return {text_of(lib.ptcvm_snapshot_value_name(own, which, index)):
                    value_of(lib.ptcvm_snapshot_value(own, which, index))
                    for index in range(lib.ptcvm_snapshot_value_count(own, which))}

    def fibers(self):
        """Returns the program and its branches as a list of SnapshotFiber, with their frames, innermost first."""
        with self._lock:
            return [self._fiber(index) for index in range(lib.ptcvm_snapshot_fiber_count(self._open()))]

    def _fiber(self, index):
        seen = struct(_abi.SnapshotFiber)
        checked(lib.ptcvm_snapshot_fiber_at(self._open(), index, ctypes.byref(seen)))
        return SnapshotFiber(parent=None if seen.parent < 0 else seen.parent, state=FIBER_STATES[seen.state],
                             fault=text_of(seen.fault), source_name=text_of(seen.source_name), line=seen.line,
                             column=seen.column, excerpt=taken(self._made("snapshot_excerpt", index)).decode(),
                             frames=[self._frame(frame) for frame in
                                     range(lib.ptcvm_snapshot_frame_count(self._open(), index))])

    def _frame(self, index):
        seen = struct(_abi.SnapshotFrame)
        checked(lib.ptcvm_snapshot_frame_at(self._open(), index, ctypes.byref(seen)))
        return SnapshotFrame(function=text_of(seen.function), line=seen.line, column=seen.column,
                             locals={text_of(lib.ptcvm_snapshot_local_name(self._open(), index, local)):
                                     value_of(lib.ptcvm_snapshot_local(self._open(), index, local))
                                     for local in range(seen.local_count)})

    def prints(self):
        """Returns what the program has printed in its turn."""
        return texts(self._made("snapshot_prints"))

    def to_bytes(self):
        """Returns the snapshot as Run.snapshot() would."""
        return taken(self._made("snapshot_bytes"))

    def to_json(self):
        """Returns the whole snapshot as a dict; docs/snapshots.md explains its members."""
        return json.loads(taken(self._made("snapshot_json")))
