#!/usr/bin/env python3
"""What the built libraries hold: the lean one no compiler, the shared one exports ptcvm and nothing else.

usage: archives_test.py PTCVM RUN_LEAN LEAN_ARCHIVE COMPILER_ARCHIVE [SHARED_LIBRARY]"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PTCVM, RUN_LEAN, LEAN, COMPILER = sys.argv[1:5]
SHARED = sys.argv[5] if len(sys.argv) > 5 else None
SUSPENDED = 75
# What libptcvm.so may export, demangled: the C functions, public C++, and what the compiler makes for its types.
EXPORTED = re.compile(r"(ptcvm_\w+|PTCVM_0"
                      r"|((typeinfo|typeinfo name|vtable) for )?ptcvm::.*"
                      r"|.* ptcvm::[\w:~]+(<.*>)?\(.*)$")


def answer(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def symbols(*options):
    """(kind, name) of each symbol that nm shows; names are mangled."""
    text = subprocess.run(["nm", "-P", *options], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return {(row[1], row[0]) for row in rows if len(row) > 1 and len(row[1]) == 1}


class Lean(unittest.TestCase):
    def test_has_no_symbol_of_the_compiler(self):
        strong = {name for kind, name in symbols("--defined-only", COMPILER) if kind in "TDRB"}
        self.assertGreater(len(strong), 50)     # symbols of the compiler itself: else this test looks at nothing
        self.assertEqual({name for _, name in symbols(LEAN) if name in strong}, set())

    def test_runs_bytecode(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder, "sum.ptc"), pathlib.Path(folder, "sum.ptcp")
            source.write_text("(reduce + (map (fn [n] (* n n)) (range 5)))")
            self.assertEqual(answer(PTCVM, "compile", source, "-o", program)[0], 0)
            self.assertEqual(answer(RUN_LEAN, "run", program), (0, "30", ""))
            self.assertEqual(answer(RUN_LEAN, "run", source)[0], 2)      # no bytecode: refused by the verifier

    def test_goes_on_from_a_snapshot(self):
        with tempfile.TemporaryDirectory() as folder:
            state = pathlib.Path(folder, "state.ptcs")
            program = '(let [half (* 3 7)] (sleep 3600000) (println "awake") (* 2 half))'
            self.assertEqual(answer(PTCVM, "eval", program, "--snapshot", state)[0], SUSPENDED)
            self.assertEqual(answer(RUN_LEAN, "resume", state), (0, "42", ""))

    def test_source_text_is_refused_with_the_reason(self):
        status, _, complaint = answer(RUN_LEAN, "source", "(+ 1 2)")
        self.assertEqual(status, 2)
        self.assertTrue(complaint.startswith("not_available: this library has no compiler"), complaint)


@unittest.skipIf(SHARED is None, "no shared library was built")
class Shared(unittest.TestCase):
    def exported(self):
        _, text, _ = answer("nm", "-DC", "--defined-only", SHARED)
        return [line.split(None, 2)[2] for line in text.splitlines()]

    def test_exports_ptcvm_and_nothing_else(self):
        names = self.exported()
        self.assertIn("ptcvm::version()@@PTCVM_0", names)
        names = [re.sub(r"@@PTCVM_\d+$", "", name) for name in names]
        self.assertEqual([name for name in names if not EXPORTED.match(name)], [])
        self.assertEqual([name for name in names if re.search(r"\bptc::|::Impl::", name)], [])

    def test_c_functions_are_those_of_the_headers_and_stay_in_their_node(self):
        tree = pathlib.Path(__file__).resolve().parents[2]
        header = "\n".join(path.read_text() for path in sorted((tree / "include/ptcvm").glob("*.h")))
        versions = (tree / "api/ptcvm.map").read_text()
        declared = set(re.findall(r"^PTCVM_EXPORT [^;(]*?\b(ptcvm_\w+)\(", header, re.M))
        first = set(re.findall(r"\b(ptcvm_\w+);", re.search(r"^PTCVM_0 \{(.*?)^\};", versions, re.M | re.S).group(1)))
        exported = {name for name in self.exported() if name.startswith("ptcvm_")}
        self.assertGreater(len(declared), 100)
        self.assertEqual(exported, {f"{name}@@PTCVM_0" for name in declared})
        self.assertEqual(first, declared)

    def test_is_named_by_its_abi(self):
        _, text, _ = answer("readelf", "-dW", SHARED)
        self.assertIn("soname: [libptcvm.so.0]", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
