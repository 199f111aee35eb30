"""Stores keep runs that survive their process, and take what people and other processes say to them."""
import ctypes
import json
import time

from . import _abi
from ._library import Handle, Text, Written, checked, lib, made, said, shown_args, struct, taken, text_of, texts
from .stored_run import DOUBT_ANSWERS
from .tools import chosen

STATES = {_abi.STORED_RUNNING: "running", _abi.STORED_PARKED: "parked", _abi.STORED_ENDED: "ended",
          _abi.STORED_MOVING: "moving", _abi.STORED_MOVED: "moved"}


class RunInStore:
    """One line of Store.runs(). Times are ms since 1970; deadline_ms is None for a run that does not wake by itself."""

    def __init__(self, seen):
        self.id, self.state, self.is_woken = text_of(seen.id), STATES[seen.state], bool(seen.is_woken)
        self.deadline_ms = seen.deadline_ms or None
        self.started_ms, self.changed_ms = seen.started_ms, seen.changed_ms

    def __repr__(self):
        return f"<run {self.id}: {self.state}>"


class Store(Handle):
    """Keeps runs. Any number of threads may use a store, and processes may share its file."""

    def __init__(self, path=None, *, grouped=False, window=0.005, busy_timeout=5.0, keys=None, tenant=""):
        """Opens a file of SQLite, and makes it when it is not there; without a path the store is in memory. With
        grouped=True the writes of a window share one sync, and a crash can take back the last window. Times are
        seconds. With `keys`, a KeyRing, each log is sealed and checked; `tenant` is whose logs they are."""
        if path is None:
            handle = made("store_in_memory")
        else:
            options = struct(_abi.SqliteOptions, is_grouped=int(grouped), window_ms=round(window * 1000),
                             busy_timeout_ms=round(busy_timeout * 1000), keys=keys and keys._open(),
                             tenant=Text(tenant))
            handle = made("store_open_sqlite", Text(str(path)), ctypes.byref(options))
        super().__init__("store", handle)

    def resolve(self, run, operation, value, *, by=""):
        """Ends an operation of a run with a value, and wakes the run. `by` names the speaker."""
        with Written(value) as view:
            self._call("store_resolve", Text(run), Text(operation), view, Text(by))

    def resolve_error(self, run, operation, reason, *, by=""):
        """Ends an operation with an error."""
        self._call("store_resolve_error", Text(run), Text(operation), Text(reason), Text(by))

    def resolve_cancelled(self, run, operation, reason="", *, by=""):
        """Ends an operation that nobody will do."""
        self._call("store_resolve_cancelled", Text(run), Text(operation), Text(reason), Text(by))

    def progress(self, run, operation, value, *, by=""):
        """Sets what the handle of an operation shows until it is resolved."""
        with Written(value) as view:
            self._call("store_progress", Text(run), Text(operation), view, Text(by))

    def put(self, run, id, value, *, by=""):
        """Puts a value under an id: (task "id" …) has the value, and (await-signal "id") gets it."""
        with Written(value) as view:
            self._call("store_put", Text(run), Text(id), view, Text(by))

    def decide(self, run, key, allowed, reason="", *, by="", args=None):
        """Decides a question of a run, by its key. With `args` the decision holds for these arguments only."""
        seen = shown_args(args)
        self._call("store_decide", Text(run), Text(key), int(allowed), Text(reason), Text(by),
                   seen and ctypes.addressof(seen))

    def settle(self, run, key, answer, result=None, *, by=""):
        """Says what became of a call in doubt: "happened" with its result, "did_not", or "give_up"."""
        with Written(result) as view:
            self._call("store_settle", Text(run), Text(key), chosen(DOUBT_ANSWERS, answer, "answer"), view, Text(by))

    def reset_task(self, run, task, reason="", *, by=""):
        """Opens a task again: the run does it when it reaches it next."""
        self._call("store_reset_task", Text(run), Text(task), Text(reason), Text(by))

    def journal(self, run):
        """Returns what the log of a run says: run, turn, over, tasks, effects, operations."""
        return json.loads(taken(self._made("store_journal_json", Text(run))))

    def log(self, run):
        """Returns every fact of a run as a dict."""
        return [json.loads(line) for line in self.log_lines(run).splitlines()]

    def log_lines(self, run):
        """Returns every fact of a run as a line of JSON, for import_log()."""
        return taken(self._made("store_log_json", Text(run))).decode()

    def import_log(self, run, lines):
        """Writes the lines of log_lines() as the log of a run that is not there yet."""
        self._call("store_import_log", Text(run), Text(lines))

    def woken(self, *, now_ms=None, most=1000):
        """Returns the ids of runs that somebody should run again: an answer has come, or their time."""
        now = round(time.time() * 1000) if now_ms is None else now_ms
        return texts(self._made("store_woken", now, most))

    def runs(self, *, after="", most=1000):
        """Returns runs sorted by id, after the id `after`."""
        with self._lock:
            listed = self._made("store_runs", Text(after), most)
        try:
            out = []
            for index in range(lib.ptcvm_stored_runs_count(listed)):
                seen = struct(_abi.StoredRun)
                checked(lib.ptcvm_stored_runs_at(listed, index, ctypes.byref(seen)))
                out.append(RunInStore(seen))
            return out
        finally:
            lib.ptcvm_stored_runs_free(listed)
