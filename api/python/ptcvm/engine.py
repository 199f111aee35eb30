"""Engines compile programs; programs are what runs begin with."""
import ctypes

from . import _abi
from ._library import Handle, Text, lib, made, struct, taken, text_of, texts
from .checking import missing_names, tell
from .options import restore_options, run_options
from .run import Run, Session
from .stored_run import StoredRun


class Program(Handle):
    """A compiled program. It never changes, and any number of runs and threads may use it."""

    def __init__(self, handle):
        super().__init__("program", handle)

    @property
    def source(self):
        """The text that the program was compiled from."""
        with self._lock:
            return text_of(lib.ptcvm_program_source(self._open()))

    @property
    def sha256(self):
        """The hash of the bytecode, in hexadecimal digits."""
        return taken(self._made("program_sha256")).decode()

    @property
    def tools(self):
        """The names of the tools that the program calls."""
        return texts(self._made("program_tools"))

    def bytecode(self):
        """Returns the program as bytes, for Engine.load()."""
        return taken(self._made("program_bytecode"))


class Engine(Handle):
    """Compiles programs and keeps them. Any number of threads may use an engine at once."""

    def __init__(self):
        super().__init__("engine", made("engine_new", None))
        self._known = {}                       # what missing_names() keeps

    def compile(self, source, *, name="", tools=None, defined=(), strict_task_ids=False, optimize=True):
        """Returns a Program. InvalidProgram says where the source is wrong; nothing is executed. With `tools` a call
        of another tool is an error."""
        names = (_abi.Text * max(len(defined), 1))(*map(Text, defined))
        options = struct(_abi.CompileOptions, name=Text(name), tools=tools and tools._open(),
                         defined=ctypes.addressof(names), defined_count=len(defined),
                         strict_task_ids=int(strict_task_ids), no_optimize=int(not optimize))
        return Program(self._made("engine_compile", Text(source), ctypes.byref(options)))

    def load(self, bytecode):
        """Returns a Program from the bytes of Program.bytecode(), which may come from anywhere."""
        return Program(self._made("engine_load", Text(bytecode)))

    def check(self, source, **options):
        """Returns every error of a source and what looks like a slip, as a list of Finding, and executes nothing. The
        options are as for start(): the check knows `data` and `tools`."""
        with self.session(**options) as session:
            return session.check(source)

    def _missing(self, source, data):
        """Returns a Finding for each name of data/ that the data lacks."""
        with self._lock:
            return missing_names(self._open(), self._known, source, data)

    def start(self, program, *, strict_data=False, **options):
        """Returns a Run at the beginning of a program, or of a source text. run_options() has the other options. Each
        name of data/ that the data lacks is a MissingData warning, and with strict_data an InvalidProgram."""
        if isinstance(program, str):
            with self.compile(program, tools=options.get("tools")) as compiled:
                return self.start(compiled, strict_data=strict_data, **options)
        with run_options(**options) as made_options:
            missing = self._missing(program.source, options.get("data"))
            tell(missing, strict_data)
            handle = self._made("run_start", program._open(), made_options.reference)
            return Run(handle, made_options, missing)

    def restore(self, snapshot, **options):
        """Returns a Run that goes on where the snapshot was taken. The bytes may come from anywhere."""
        with restore_options(**options) as made_options:
            handle = self._made("run_restore", Text(snapshot), made_options.reference)
            return Run(handle, made_options)

    def session(self, *, strict_data=False, **options):
        """Returns a Session: one program after another with the same definitions."""
        with run_options(**options) as made_options:
            return Session(self._made("session_new", made_options.reference), made_options, strict_data)

    def restore_session(self, snapshot, *, strict_data=False, **options):
        """Returns a Session that goes on where the snapshot was taken."""
        with restore_options(**options) as made_options:
            return Session(self._made("session_restore", Text(snapshot), made_options.reference), made_options,
                           strict_data)

    def stored(self, store, source=None, *, strict_data=False, **options):
        """Returns a StoredRun: the run of this id in a store. Without a source it goes on with what the store has. A
        run that begins is checked for names of data/, as start() does."""
        return StoredRun.of(self, store, source, options, strict_data)
