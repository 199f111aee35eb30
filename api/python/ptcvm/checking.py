"""Checks of programs before they run: what check() finds, and names of data/ that the data lacks."""
import ctypes
import pathlib
import sys
import warnings
from collections.abc import Mapping

from . import _abi
from ._library import Text, checked, diagnostic_facts, lib, made, struct
from .errors import InvalidProgram, _Located
from .options import run_options

PACKAGE = str(pathlib.Path(__file__).parent)
MOST_KEPT = 256                                # answers of check() that one engine remembers


class Finding(_Located):
    """One thing that a check found. `is_error` says whether the program cannot begin, or fails where the place is
    reached; `kind` names what it is. str() is the whole text for people, with the line and a caret."""

    def __init__(self, facts, is_error):
        self._take(facts)
        self.is_error = is_error

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<{'error' if self.is_error else 'warning'} {self.kind} at {self.line}:{self.column}>"


class MissingData(UserWarning):
    """A program names data/… that its data lacks, so that the name is nil. `finding` says where, and `finding.hint` has
    the nearest name."""

    def __init__(self, finding):
        super().__init__(str(finding))
        self.finding = finding


def findings_in(session, source):
    """Returns the findings of a source, by the handle of a session."""
    handle = made("session_check", session, Text(source))
    try:
        return [finding_at(handle, index) for index in range(lib.ptcvm_findings_count(handle))]
    finally:
        lib.ptcvm_findings_free(handle)


def finding_at(handle, index):
    seen = struct(_abi.Diagnostic)
    checked(lib.ptcvm_findings_at(handle, index, ctypes.byref(seen)))
    return Finding(diagnostic_facts(seen), bool(lib.ptcvm_findings_is_error(handle, index)))


def missing_in(session, source):
    """Returns the findings about names of data/ that the data of a session lacks. A source that ends inside of a form
    has none."""
    if "data/" not in source:
        return []
    found = findings_in(session, source)
    if any(finding.is_incomplete for finding in found):
        return []
    return [finding for finding in found if finding.kind == "missing_data"]


def missing_names(engine, known, source, data):
    """Returns what missing_in() finds for a run with this data. Only the names of the data count, and `known`, a dict,
    keeps the last answers of the engine."""
    if "data/" not in source:
        return []
    names = dict.fromkeys(data) if isinstance(data, Mapping) else dict(data or ())
    question = (source, frozenset(names))
    if question not in known:
        with run_options(data=names) as options:
            session = made("session_new", engine, options.reference)
        try:
            found = missing_in(session, source)
        finally:
            lib.ptcvm_session_free(session)
        if len(known) >= MOST_KEPT:
            known.clear()
        known[question] = found
    return known[question]


def tell(missing, strict):
    """Warns of names of data/ that the data lacks, at the place of the caller of this package; strict refuses them."""
    if strict and missing:
        raise InvalidProgram(vars(missing[0]))
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    for finding in missing:
        warnings.warn(MissingData(finding), stacklevel=level)
