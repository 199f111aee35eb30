"""ptcvm runs programs that outlive their process. docs/python.md is the guide.

    import ptcvm
    tools = ptcvm.Tools()
    tools.add("add", "(a :int, b :int) -> :int", lambda a, b: a + b)
    run = ptcvm.Engine().start("(tool/add {:a 1 :b data/b})", tools=tools, data={"b": 2})
    print(run.run())
"""
from ._library import from_edn, lib, text_of, to_edn
from .checking import Finding, MissingData
from .engine import Engine, Program
from .errors import CallFrame, Error, Failed, Fault, InvalidProgram, Suspended, UnknownOutcome
from .run import Run, Session
from .sealing import Key, KeyRing, Opened, looks_sealed, open_sealed, seal
from .signature import Signature
from .snapshot_view import SnapshotView
from .store import Store
from .stored_run import Outcome, StoredRun
from .tools import Ask, Call, Change, Deny, DidNotHappen, Happened, Tools
from .values import Elements, Entries, Keyword, Pending, Tagged

__version__ = text_of(lib.ptcvm_version())
__all__ = ["Ask", "Call", "CallFrame", "Change", "Deny", "DidNotHappen", "Elements", "Engine", "Entries", "Error",
           "Failed", "Fault", "Finding", "Happened", "InvalidProgram", "Key", "KeyRing", "Keyword", "MissingData",
           "Opened", "Outcome", "Pending", "Program", "Run", "Session", "Signature", "SnapshotView", "Store",
           "StoredRun", "Suspended", "Tagged", "Tools", "UnknownOutcome", "from_edn", "looks_sealed", "open_sealed",
           "seal", "to_edn"]
