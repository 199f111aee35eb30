"""ptcvm for Python by ctypes: what <ptcvm/ptcvm.h> declares, as classes.

    with Engine() as engine, Tools() as tools:
        tools.add("add", "(a :int, b :int) -> :int", lambda a, b: a + b)
        with engine.compile("(tool/add {:a 1 :b data/b})") as program, engine.start(program, tools, {"b": 2}) as run:
            run.step()
            print(run.result())

Values cross as JSON. What fails raises Error. Objects own handles of the library: use them in `with`, or close() them.
A run belongs to one thread at a time. The library is found by its name, or where PTCVM_LIBRARY says."""
import ctypes
import json
import os
from ctypes import POINTER, byref, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

ABI_VERSION = 1
ALL_FUEL = 2 ** 64 - 1
SYNC, ASYNC, AUTO = range(3)
STATES = ("completed", "returned", "failed", "suspended", "yielded")


class Text(ctypes.Structure):
    """Bytes with a length: a text that goes in, and keeps its bytes, or one that the library lends."""
    _fields_ = [("data", c_void_p), ("size", c_size_t)]

    def __init__(self, text=b""):
        self.kept = text.encode() if isinstance(text, str) else bytes(text)
        super().__init__(ctypes.cast(ctypes.c_char_p(self.kept), c_void_p), len(self.kept))

    def __bytes__(self):
        return ctypes.string_at(self.data, self.size) if self.size else b""

    def __str__(self):
        return bytes(self).decode()


class View(ctypes.Structure):
    _fields_ = [("word", c_uint64 * 3)]


class Sized(ctypes.Structure):
    """A struct with its size in front; all that is not given is 0."""

    def __init__(self, **members):
        self.kept = members                   # the struct itself holds addresses only
        super().__init__(struct_size=ctypes.sizeof(type(self)), **members)


class Diagnostic(Sized):
    _fields_ = [("struct_size", c_size_t), ("kind", Text), ("message", Text), ("hint", Text), ("source_name", Text),
                ("line", c_uint32), ("column", c_uint32), ("begin", c_uint32), ("end", c_uint32),
                ("is_limit", c_int32), ("is_incomplete", c_int32), ("text", Text)]


class CompileOptions(Sized):
    _fields_ = [("struct_size", c_size_t), ("name", Text), ("tools", c_void_p), ("defined", POINTER(Text)),
                ("defined_count", c_size_t), ("strict_task_ids", c_int32), ("max_symbols", c_uint32),
                ("no_optimize", c_int32), ("reserved", c_int32)]


class ToolOptions(Sized):
    _fields_ = [("struct_size", c_size_t), ("description", Text), ("question", Text), ("effect", c_int32),
                ("mode", c_int32), ("cache", c_int32), ("max_attempts", c_uint32), ("first_delay_ms", c_int64),
                ("max_delay_ms", c_int64), ("deadline_ms", c_int64), ("reconcile", c_void_p),
                ("no_signature_check", c_int32), ("reserved", c_int32)]


class RunOptions(Sized):
    _fields_ = [("struct_size", c_size_t), ("id", Text), ("tools", c_void_p), ("limits", c_void_p), ("data", View),
                ("data_json", Text), ("signature", Text), ("has_time", c_int32), ("no_journal", c_int32),
                ("time_ms", c_int64), ("event_capacity", c_size_t), ("event_forms", c_int32), ("reserved", c_int32),
                ("before_tool", c_void_p), ("before_tool_data", c_void_p), ("pauses_at_calls", c_int32),
                ("is_out_of_time", c_int32)]


class RestoreOptions(Sized):
    _fields_ = [("struct_size", c_size_t), ("tools", c_void_p), ("limits", c_void_p), ("max_bytes", c_size_t),
                ("has_time", c_int32), ("reserved", c_int32), ("time_ms", c_int64), ("event_capacity", c_size_t),
                ("event_forms", c_int32), ("reserved2", c_int32), ("before_tool", c_void_p),
                ("before_tool_data", c_void_p), ("pauses_at_calls", c_int32), ("reserved3", c_int32)]


class WaitingCall(Sized):
    _fields_ = [("struct_size", c_size_t), ("id", c_uint64), ("tool", Text), ("key", Text), ("task_id", Text),
                ("question", Text), ("args", View), ("attempt", c_uint64), ("is_deferred", c_int32),
                ("reserved", c_int32)]


class PendingOperation(Sized):
    _fields_ = [("struct_size", c_size_t), ("id", Text), ("tool", Text), ("args", View), ("progress", View),
                ("since_ms", c_int64), ("deadline_ms", c_int64), ("is_awaited", c_int32), ("reserved", c_int32)]


CallFn = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
ERROR = POINTER(c_void_p)
OUT = POINTER(c_void_p)
# name: what it returns, and its arguments. A function with None returns nothing; call() below checks a status.
STATUS = object()
DECLARATIONS = {
    "version": (Text,),
    "abi_version": (c_uint32,),
    "status_name": (Text, c_int32),
    "error_message": (Text, c_void_p),
    "error_diagnostic": (c_int32, c_void_p, POINTER(Diagnostic)),
    "error_free": (None, c_void_p),
    "buffer_text": (Text, c_void_p),
    "buffer_free": (None, c_void_p),
    "texts_count": (c_size_t, c_void_p),
    "texts_at": (Text, c_void_p, c_size_t),
    "texts_free": (None, c_void_p),
    "view_json": (STATUS, View, OUT, ERROR),
    "engine_new": (STATUS, c_void_p, OUT, ERROR),
    "engine_free": (None, c_void_p),
    "engine_compile": (STATUS, c_void_p, Text, POINTER(CompileOptions), OUT, ERROR),
    "program_free": (None, c_void_p),
    "tools_new": (STATUS, OUT, ERROR),
    "tools_free": (None, c_void_p),
    "tools_add": (STATUS, c_void_p, Text, Text, CallFn, c_void_p, c_void_p, POINTER(ToolOptions), ERROR),
    "tools_defer": (STATUS, c_void_p, Text, Text, POINTER(ToolOptions), ERROR),
    "call_args": (View, c_void_p),
    "call_answer_json": (STATUS, c_void_p, Text, ERROR),
    "call_answer_error": (c_int32, c_void_p, Text),
    "run_start": (STATUS, c_void_p, c_void_p, POINTER(RunOptions), OUT, ERROR),
    "run_restore": (STATUS, c_void_p, Text, POINTER(RestoreOptions), OUT, ERROR),
    "run_free": (None, c_void_p),
    "run_step": (c_int32, c_void_p, c_uint64),
    "run_result": (View, c_void_p),
    "run_diagnostic": (c_int32, c_void_p, POINTER(Diagnostic)),
    "run_prints": (STATUS, c_void_p, OUT, ERROR),
    "run_snapshot": (STATUS, c_void_p, c_int32, OUT, ERROR),
    "run_call_count": (c_size_t, c_void_p),
    "run_call_at": (c_int32, c_void_p, c_size_t, POINTER(WaitingCall)),
    "run_pending_count": (c_size_t, c_void_p),
    "run_pending_at": (c_int32, c_void_p, c_size_t, POINTER(PendingOperation)),
    "run_answer_json": (STATUS, c_void_p, c_uint64, Text, ERROR),
    "run_answer_error": (STATUS, c_void_p, c_uint64, Text, ERROR),
    "run_answer_pending": (STATUS, c_void_p, c_uint64, Text, ERROR),
    "run_resolve_json": (STATUS, c_void_p, Text, Text, ERROR),
    "run_resolve_error": (STATUS, c_void_p, Text, Text, ERROR),
}


class Error(Exception):
    def __init__(self, status, message, diagnostic=None):
        super().__init__(diagnostic or message)
        self.status = status                  # "invalid_program" …
        self.diagnostic = diagnostic          # with place and hint, of a program


def load(path=None):
    library = ctypes.CDLL(path or os.environ.get("PTCVM_LIBRARY", "libptcvm.so.0"))
    for name, (result, *arguments) in DECLARATIONS.items():
        function = getattr(library, "ptcvm_" + name)
        function.restype = c_int32 if result is STATUS else result
        function.argtypes = arguments
    if library.ptcvm_abi_version() < ABI_VERSION:
        raise ImportError(f"ptcvm {library.ptcvm_version()} is older than this module")
    return library


lib = load()


def call(name, *arguments):
    """Calls a function whose last parameter is an error."""
    error = c_void_p()
    status = getattr(lib, "ptcvm_" + name)(*arguments, byref(error))
    if status == 0:
        return
    try:
        found = Diagnostic()
        text = str(found.text) if lib.ptcvm_error_diagnostic(error, byref(found)) else None
        raise Error(str(lib.ptcvm_status_name(status)), str(lib.ptcvm_error_message(error)), text)
    finally:
        lib.ptcvm_error_free(error)


def made(name, *arguments):
    """Calls a function that makes something."""
    out = c_void_p()
    call(name, *arguments, byref(out))
    return out


def taken(buffer):
    """The bytes of a buffer, which is freed."""
    try:
        return bytes(lib.ptcvm_buffer_text(buffer))
    finally:
        lib.ptcvm_buffer_free(buffer)


def from_view(view):
    return json.loads(taken(made("view_json", view)))


class Handle:
    def __init__(self, kind, handle):
        self.free = getattr(lib, f"ptcvm_{kind}_free")
        self.handle = handle

    def close(self):
        handle, self.handle = self.handle, None
        self.free(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Tools(Handle):
    """What programs may call. It must live as long as the runs that use it: they keep a reference to it."""

    def __init__(self):
        super().__init__("tools", made("tools_new"))
        self.callbacks = []                   # ctypes forgets them otherwise

    def add(self, name, signature, function, mode=SYNC):
        """`function` gets the arguments by name and returns what JSON can say. What it raises, the program sees."""
        def answer(_, a_call):
            try:
                args = from_view(lib.ptcvm_call_args(a_call))
                call("call_answer_json", a_call, Text(json.dumps(function(**args))))
            except Exception as error:        # nothing may be raised into the library
                lib.ptcvm_call_answer_error(a_call, Text(str(error)))
        callback = CallFn(answer)
        self.callbacks.append(callback)
        call("tools_add", self.handle, Text(name), Text(signature), callback, None, None, byref(ToolOptions(mode=mode)))

    def defer(self, name, signature, mode=SYNC):
        """A tool whose calls come out of Run.calls(), and are answered there."""
        call("tools_defer", self.handle, Text(name), Text(signature), byref(ToolOptions(mode=mode)))


class Engine(Handle):
    def __init__(self):
        super().__init__("engine", made("engine_new", None))

    def compile(self, source, name="", tools=None):
        options = CompileOptions(name=Text(name), tools=tools and tools.handle)
        return Handle("program", made("engine_compile", self.handle, Text(source), byref(options)))

    def start(self, program, tools=None, data=None, run_id="run"):
        data_json = Text("" if data is None else json.dumps(data))
        options = RunOptions(id=Text(run_id), tools=tools and tools.handle, data_json=data_json)
        return Run(made("run_start", self.handle, program.handle, byref(options)), tools)

    def restore(self, snapshot, tools=None):
        options = RestoreOptions(tools=tools and tools.handle)
        return Run(made("run_restore", self.handle, Text(snapshot), byref(options)), tools)


class Run(Handle):
    def __init__(self, handle, tools):
        super().__init__("run", handle)
        self.tools = tools

    def step(self, fuel=ALL_FUEL):
        """Goes on until the run is over, waits, or fuel is used up; one of STATES."""
        return STATES[lib.ptcvm_run_step(self.handle, fuel)]

    def result(self):
        """Of a run that is over; a program that failed raises."""
        found = Diagnostic()
        if lib.ptcvm_run_diagnostic(self.handle, byref(found)):
            raise Error(str(found.kind), str(found.message), str(found.text))
        return from_view(lib.ptcvm_run_result(self.handle))

    def prints(self):
        texts = made("run_prints", self.handle)
        try:
            return [str(lib.ptcvm_texts_at(texts, i)) for i in range(lib.ptcvm_texts_count(texts))]
        finally:
            lib.ptcvm_texts_free(texts)

    def calls(self):
        """(id, tool, args) of each call that waits for answer()."""
        out = []
        for index in range(lib.ptcvm_run_call_count(self.handle)):
            seen = WaitingCall()
            lib.ptcvm_run_call_at(self.handle, index, byref(seen))
            out.append((seen.id, str(seen.tool), from_view(seen.args)))
        return out

    def answer(self, call_id, value):
        call("run_answer_json", self.handle, call_id, Text(json.dumps(value)))

    def answer_error(self, call_id, message):
        call("run_answer_error", self.handle, call_id, Text(message))

    def answer_pending(self, call_id, operation=""):
        call("run_answer_pending", self.handle, call_id, Text(operation))

    def pending(self):
        """(id, tool, args) of each operation that waits for resolve()."""
        out = []
        for index in range(lib.ptcvm_run_pending_count(self.handle)):
            seen = PendingOperation()
            lib.ptcvm_run_pending_at(self.handle, index, byref(seen))
            out.append((str(seen.id), str(seen.tool), from_view(seen.args)))
        return out

    def resolve(self, operation, value):
        call("run_resolve_json", self.handle, Text(operation), Text(json.dumps(value)))

    def resolve_error(self, operation, reason):
        call("run_resolve_error", self.handle, Text(operation), Text(reason))

    def snapshot(self):
        return taken(made("run_snapshot", self.handle, 0))
