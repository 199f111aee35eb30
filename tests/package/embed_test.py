#!/usr/bin/env python3
"""What hosts in C and in other languages see: examples/embed-c built with C11 compilers against the built libraries,
and examples/embed-python on the interpreter of the system, over the Python package.

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
    def setUp(self):
        super().setUp()
        self.done(run(GIVEN.source / "tools/python-wheel", "--library", GIVEN.shared, "--output", self.folder,
                      "--unpacked"))

    def python(self, *arguments):
        place = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(self.folder),
                 "PYTHONMALLOC": "debug"}   # freed memory does not keep its bytes
        return run(PYTHON, "-W", "error", *arguments, env=place, cwd=self.folder)

    def code(self, text):
        return self.done(self.python("-c", "import ctypes\nfrom ptcvm import _abi\n" + text)).splitlines()

    def test_suspends_in_one_process_and_goes_on_in_another(self):
        main = PYTHON_EXAMPLE / "main.py"
        text = self.done(self.python(main, "ask", "state.ptcs", 7))
        text += self.done(self.python(main, "answer", "state.ptcs", "yes"))
        self.assertEqual(text, shown(PYTHON_EXAMPLE / "README.md"))
        other = self.done(self.python(main, "answer", "state.ptcs", "no"))     # the bytes are still there
        self.assertIn("approved: False", other)

    def test_structs_and_constants_are_those_of_the_header(self):
        header = re.sub(r"//.*", "", HEADER.read_text() + HEADER.with_name("limits.h").read_text())
        structs = {"".join(map(str.capitalize, name.split("_"))): f"ptcvm_{name}"
                   for name in re.findall(r"^typedef struct ptcvm_(\w+) \{", header, re.M)}
        constants = [name for body in re.findall(r"^enum \{(.*?)\};", header, re.M | re.S)
                     for name in re.findall(r"PTCVM_(\w+)", body)]
        self.assertGreater(len(structs), 25)
        self.assertGreater(len(constants), 80)
        members = dict(line.split(": ") for line in self.code(
            f"for name in {list(structs)}: print(name + ':', *[field[0] for field in getattr(_abi, name)._fields_])"))
        c = "\n".join(f'printf("{name} size %zu\\n", sizeof({structs[name]}));'
                      + "".join(f'printf("{name} {m} %zu\\n", offsetof({structs[name]}, {m}));' for m in text.split())
                      for name, text in members.items())
        c += "".join(f'printf("{name} %d\\n", (int)PTCVM_{name});' for name in constants)
        source = self.folder / "layout.c"
        source.write_text(f"#include <ptcvm/ptcvm.h>\n#include <stdio.h>\nint main(void) {{\n{c}\nreturn 0; }}\n")
        self.done(run("gcc", *STRICT, source, "-o", self.folder / "layout"))
        seen = self.code(f"for name in {list(structs)}:\n"
                         "  s = getattr(_abi, name)\n  print(name, 'size', ctypes.sizeof(s))\n"
                         "  for field in s._fields_: print(name, field[0], getattr(s, field[0]).offset)\n"
                         f"for name in {constants}: print(name, getattr(_abi, name))")
        self.assertEqual(seen, self.done(run(self.folder / "layout")).splitlines())

    def test_needs_the_standard_library_only(self):
        for path in (GIVEN.source / "api/python/ptcvm").glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
                    [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
                for name in names:
                    self.assertIn(name.partition(".")[0], sys.stdlib_module_names)


def load_tests(loader, _tests, _pattern):
    """Sanitizers look for leaks themselves, and no interpreter loads a sanitized library."""
    classes = [CProgram] if GIVEN.sanitize else [CProgram, Valgrind, PythonProgram]
    return unittest.TestSuite(map(loader.loadTestsFromTestCase, classes))


if __name__ == "__main__":
    for needed in ("gcc",) if GIVEN.sanitize else ("gcc", "clang", "valgrind", PYTHON):
        if not shutil.which(needed):
            sys.exit(f"{needed} is missing: tools/install-dependencies")
    unittest.main(argv=sys.argv[:1])
