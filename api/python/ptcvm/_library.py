"""The library, loaded, and what every call of the library needs: texts, errors, handles. Internal."""
import ctypes
import os
import pathlib
import threading
import weakref

from . import _abi
from .errors import CallFrame, Error, Fault, InvalidProgram
from .values import edn_of, value_of_edn

DIAGNOSTIC_NUMBERS = ("line", "column", "begin", "end", "is_limit", "is_incomplete")


def load():
    place = os.environ.get("PTCVM_LIBRARY") or pathlib.Path(__file__).with_name("libptcvm.so.0")
    library = ctypes.CDLL(str(place))
    if library.ptcvm_abi_version() < _abi.ABI_VERSION:
        raise ImportError(f"the library {place} is older than this package; install both from one wheel")
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        function = getattr(library, "ptcvm_" + name)
        function.restype, function.argtypes = result, arguments
    return library


lib = load()


class Text(_abi.Text):
    """A text that goes in, and keeps its bytes."""

    def __init__(self, text=""):
        self.kept = text.encode() if isinstance(text, str) else bytes(text)
        super().__init__(ctypes.cast(ctypes.c_char_p(self.kept), ctypes.c_void_p), len(self.kept))


def bytes_of(lent):
    return ctypes.string_at(lent.data, lent.size) if lent.size else b""


def text_of(lent):
    return bytes_of(lent).decode()


def struct(kind, **members):
    """Returns a struct with these members; all others are 0. The struct keeps the texts alive."""
    made = kind(**members)
    made.struct_size = ctypes.sizeof(kind)
    made.kept = members
    return made


def diagnostic_facts(found):
    """Returns the members of a diagnostic by their names."""
    facts = {name: text_of(getattr(found, name)) for name in ("kind", "message", "hint", "source_name", "text",
                                                                 "found")}
    return {**facts, **{name: getattr(found, name) for name in DIAGNOSTIC_NUMBERS}}


def fault_of(kind, handle):
    """Returns the fault of a "run" or of a "stored" outcome, or None."""
    found, frame, stack = struct(_abi.Diagnostic), struct(_abi.CallFrame), []
    if not getattr(lib, f"ptcvm_{kind}_diagnostic")(handle, ctypes.byref(found)):
        return None
    while getattr(lib, f"ptcvm_{kind}_call_frame")(handle, len(stack), ctypes.byref(frame)):
        names = (text_of(getattr(frame, name)) for name in ("kind", "name", "source_name"))
        stack.append(CallFrame(*names, frame.line, frame.column))
    return Fault(diagnostic_facts(found), stack)


def error_of(status, error):
    found = struct(_abi.Diagnostic)
    if status == _abi.INVALID_PROGRAM and lib.ptcvm_error_diagnostic(error, ctypes.byref(found)):
        return InvalidProgram(diagnostic_facts(found))
    message = text_of(lib.ptcvm_error_message(error))
    name = text_of(lib.ptcvm_status_name(status))
    return Error(name, message or name.replace("_", " "), text_of(lib.ptcvm_error_detail(error)))


def call(name, *arguments):
    """Calls a function whose last parameter is an error, and raises the error."""
    error = ctypes.c_void_p()
    status = getattr(lib, "ptcvm_" + name)(*arguments, ctypes.byref(error))
    if status != _abi.OK:
        try:
            raise error_of(status, error)
        finally:
            lib.ptcvm_error_free(error)


def made(name, *arguments):
    """Calls a function that makes something, and returns the handle."""
    out = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(out))
    return out.value


def checked(status):
    """Raises an Error for the status of a function that has no other error."""
    if status != _abi.OK:
        name = text_of(lib.ptcvm_status_name(status))
        raise Error(name, name.replace("_", " "))


def taken(buffer):
    """Returns the bytes of a buffer, and frees it."""
    try:
        return bytes_of(lib.ptcvm_buffer_text(buffer))
    finally:
        lib.ptcvm_buffer_free(buffer)


def texts(handle):
    """Returns the texts of a list, and frees it."""
    try:
        return [text_of(lib.ptcvm_texts_at(handle, index)) for index in range(lib.ptcvm_texts_count(handle))]
    finally:
        lib.ptcvm_texts_free(handle)


def said(value):
    """Returns what is said to a run as EDN text."""
    return Text(edn_of(value, times_as_text=True))


def value_of(view):
    """Returns a view as a value of Python."""
    return value_of_edn(taken(made("view_edn", view)).decode())


class Written:
    """A value of Python as a value of the library, for the time of a `with`, which gives the view. Answers and what
    else is said to a run have times as text."""

    def __init__(self, value, *, times_as_text=True):
        self.handle = made("value_from_edn", Text(edn_of(value, times_as_text=times_as_text)))

    def __enter__(self):
        return lib.ptcvm_value_view(self.handle)

    def __exit__(self, *_):
        lib.ptcvm_value_free(self.handle)


class Handle:
    """Owns something of the library. The object frees it when nobody refers to the object any more, or in close()."""

    def __init__(self, kind, handle):
        self._lock = threading.RLock()        # one thread at a time uses the object
        self._handle = handle
        self._finalizer = weakref.finalize(self, getattr(lib, f"ptcvm_{kind}_free"), handle)

    def _open(self):
        if self._handle is None:
            raise Error("wrong_state", f"the {type(self).__name__} is closed")
        return self._handle

    def _call(self, name, *arguments):
        with self._lock:
            return call(name, self._open(), *arguments)

    def _made(self, name, *arguments):
        with self._lock:
            return made(name, self._open(), *arguments)

    def close(self):
        """Frees the object now. Closing again does nothing."""
        with self._lock:
            self._handle = None
            self._finalizer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def to_edn(value):
    """Returns a value as the text that the language prints and reads. TypeError: the language has no such value."""
    with Written(value, times_as_text=False) as view:
        return taken(made("view_edn", view)).decode()


def from_edn(text):
    """Returns the value of an EDN text. Error "invalid_value": the message says where the text is wrong."""
    handle = made("value_from_edn", Text(text))
    try:
        return value_of(lib.ptcvm_value_view(handle))
    finally:
        lib.ptcvm_value_free(handle)


def shown_args(args):
    """Returns the arguments that a person has seen as the text with which the library compares them, or None."""
    if args is None:
        return None
    with Written(args) as view:
        return Text(taken(made("view_edn", view)))
