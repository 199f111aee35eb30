#!/usr/bin/env python3
"""What hosts in C and in other languages see: examples/embed-c built with C11 compilers against the built libraries,
and examples/embed-python on the interpreter of the system.

usage: embed_test.py SOURCE_FOLDER ARCHIVE [--shared LIBRARY] [--sanitize]

A sanitized build has no valgrind and no ctypes (ASan must be loaded first); its archive and the program are built and
run with the sanitizers instead."""
import argparse
import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PARSER = argparse.ArgumentParser()
PARSER.add_argument("source", type=pathlib.Path)
PARSER.add_argument("archive", type=pathlib.Path)
PARSER.add_argument("--shared", type=pathlib.Path)
PARSER.add_argument("--sanitize", action="store_true")
GIVEN = PARSER.parse_args()
HEADER = GIVEN.source / "include/ptcvm/ptcvm.h"
C_EXAMPLE = GIVEN.source / "examples/embed-c"
PYTHON_EXAMPLE = GIVEN.source / "examples/embed-python"
PYTHON = "/usr/bin/python3"
SANITIZERS = ["-fsanitize=address,undefined"]
COMPILERS = ["gcc"] if GIVEN.sanitize else ["gcc", "clang"]
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{GIVEN.source / 'include'}"]


def run(*command, **more):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **more)


def shown(readme):
    """What a page says that the program prints."""
    return re.search(r"```console\n(.*?)```", readme.read_text(), re.S).group(1)


def libraries():
    """Names and linker arguments of the libraries that are there."""
    found = run("pkg-config", "--libs", "re2", "libutf8proc", "libsodium").stdout.split()
    static = [GIVEN.archive, *found, "-lboost_json", "-lstdc++", "-lm", "-pthread"]
    yield "static", static + (SANITIZERS if GIVEN.sanitize else [])
    if GIVEN.shared:
        yield "shared", [GIVEN.shared, f"-Wl,-rpath,{GIVEN.shared.parent}"]


class Embedding(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ptcvm-embed-")))

    def done(self, completed):
        self.assertEqual(completed.returncode, 0, completed.stdout + completed.stderr)
        return completed.stdout

    def built(self, compiler, arguments):
        program = self.folder / "approval"
        self.done(run(compiler, *STRICT, C_EXAMPLE / "main.c", "-o", program, *arguments))
        return program


class CProgram(Embedding):
    def test_runs_with_every_compiler_and_library(self):
        wanted = shown(C_EXAMPLE / "README.md")
        for compiler in COMPILERS:
            for name, arguments in libraries():
                with self.subTest(compiler=compiler, library=name):
                    self.assertEqual(self.done(run(self.built(compiler, arguments))), wanted)

    def test_is_a_cpp_program_too(self):
        for compiler in ("g++", "clang++")[:len(COMPILERS)]:
            for standard in ("c++11", "c++20"):
                self.done(run(compiler, "-x", "c++", f"-std={standard}", *STRICT[1:], "-fsyntax-only",
                              C_EXAMPLE / "main.c"))


class Valgrind(Embedding):
    def test_leaks_and_touches_nothing(self):
        for name, arguments in libraries():
            with self.subTest(library=name):
                checked = run("valgrind", "-q", "--leak-check=full", "--show-leak-kinds=definite,indirect,possible",
                              "--errors-for-leak-kinds=definite,indirect,possible", "--error-exitcode=1",
                              self.built("gcc", arguments))
                self.assertEqual((self.done(checked), checked.stderr), (shown(C_EXAMPLE / "README.md"), ""))


class PythonProgram(Embedding):
    def python(self, *arguments):
        place = {**os.environ, "PTCVM_LIBRARY": str(GIVEN.shared), "PYTHONDONTWRITEBYTECODE": "1",
                 "PYTHONPATH": str(PYTHON_EXAMPLE), "PYTHONMALLOC": "debug"}   # freed memory does not keep its bytes
        return run(PYTHON, *arguments, env=place, cwd=self.folder)

    def code(self, text):
        return self.done(self.python("-W", "error", "-c", "from ptcvm import *\nimport ptcvm\n" + text)).splitlines()

    def test_suspends_in_one_process_and_goes_on_in_another(self):
        main = PYTHON_EXAMPLE / "main.py"
        text = self.done(self.python(main, "ask", "state.ptcs", 7))
        text += self.done(self.python(main, "answer", "state.ptcs", "yes"))
        self.assertEqual(text, shown(PYTHON_EXAMPLE / "README.md"))
        other = self.done(self.python(main, "answer", "state.ptcs", "no"))     # the bytes are still there
        self.assertIn("'approved': False", other)

    def test_structs_are_those_of_the_header(self):
        structs = {"Text": "ptcvm_text", "View": "ptcvm_view", "Diagnostic": "ptcvm_diagnostic",
                   "CompileOptions": "ptcvm_compile_options", "ToolOptions": "ptcvm_tool_options",
                   "RunOptions": "ptcvm_run_options", "RestoreOptions": "ptcvm_restore_options",
                   "WaitingCall": "ptcvm_waiting_call", "PendingOperation": "ptcvm_pending_operation"}
        members = dict(line.split(": ") for line in self.code(
            f"for name in {list(structs)}: print(name + ':', *[field[0] for field in getattr(ptcvm, name)._fields_])"))
        c = "\n".join(f'printf("{name} size %zu\\n", sizeof({structs[name]}));'
                      + "".join(f'printf("{name} {m} %zu\\n", offsetof({structs[name]}, {m}));' for m in text.split())
                      for name, text in members.items())
        source = self.folder / "layout.c"
        source.write_text(f"#include <ptcvm/ptcvm.h>\n#include <stdio.h>\nint main(void) {{\n{c}\nreturn 0; }}\n")
        self.done(run("gcc", *STRICT, source, "-o", self.folder / "layout"))
        seen = self.code(f"for name in {list(structs)}:\n"
                         "  s = getattr(ptcvm, name)\n  print(name, 'size', ctypes.sizeof(s))\n"
                         "  for field in s._fields_: print(name, field[0], getattr(s, field[0]).offset)")
        self.assertEqual(seen, self.done(run(self.folder / "layout")).splitlines())

    def test_errors_are_exceptions(self):
        lines = self.code("""
engine, tools = Engine(), Tools()
def seen(work):
    try: print("no error:", work())
    except Error as error: print(error.status, "|", str(error).splitlines()[0])
seen(lambda: engine.compile("(+ 1"))
seen(lambda: tools.add("t", "(q :strin)", print))
seen(lambda: engine.restore(b"junk"))
def bad(): raise ValueError("the disk is full")
tools.add("bad", "() -> :any", bad)
run = engine.start(engine.compile("(tool/bad)", tools=tools), tools)
print(run.step()); seen(run.result)
seen(lambda: run.answer(1, 2)); seen(lambda: run.resolve("op9", 2))
run = engine.start(engine.compile("(+ data/n 1)"), data={"n": 41}, run_id="r" * 1000)
run.step(); seen(run.result)
""")
        self.assertEqual([line.split(" |")[0] for line in lines],
                         ["invalid_program", "invalid_signature", "invalid_snapshot", "failed", "tool_error",
                          "wrong_state", "unknown_operation", "no error: 42"])
        self.assertIn("the disk is full", lines[4])

    def test_needs_the_standard_library_only(self):
        for path in PYTHON_EXAMPLE.glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
                    [node.module] if isinstance(node, ast.ImportFrom) else []
                for name in names:
                    self.assertTrue(name == "ptcvm" or name in sys.stdlib_module_names, name)


def load_tests(loader, _tests, _pattern):
    """Sanitizers look for leaks themselves, and no interpreter loads a sanitized library."""
    classes = [CProgram] if GIVEN.sanitize else [CProgram, Valgrind, PythonProgram]
    return unittest.TestSuite(map(loader.loadTestsFromTestCase, classes))


if __name__ == "__main__":
    for needed in ("gcc",) if GIVEN.sanitize else ("gcc", "clang", "valgrind", PYTHON):
        if not shutil.which(needed):
            sys.exit(f"{needed} is missing: tools/install-dependencies")
    unittest.main(argv=sys.argv[:1])
