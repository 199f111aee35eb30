"""Follows docs/adding-a-limit.md in a copy of the tree: adds the row and the place that looks at it, builds the command
line without optimization, and shows the new limit in the help, in a batch request, in the log, in both faces of a
snapshot, in C++ and in C, and refused out of its range.

    adding_a_limit_test.py ROOT FOLDER C++-COMPILER

FOLDER holds the copy and what is built of it; a second run builds only what changed.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT, FOLDER, CXX = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
TREE, BUILD, STATES = FOLDER / "tree", FOLDER / "build", FOLDER / "states"
PARTS = ("CMakeLists.txt", "cmake", "schema", "compiler", "vm", "runtime", "include", "api", "agents", "drivers",
         "tools", "docs/reference")
TWO_STEPS = '(do (step-done "a" "1") (step-done "b" "2"))'
REFUSAL = "the limit summaries must be a whole number from 0 to 4294967295 (summaries); found 4294967296"


def steps():
    """The blocks of the page, by the file that they change."""
    page = (ROOT / "docs/adding-a-limit.md").read_text()
    found = re.findall(r"<!-- step: (\S+) -->\n *```\w*\n(.*?)\n *```\n", page, re.S)
    return {path: re.sub(r"^   ", "", block, flags=re.M) for path, block in found}


def changed(path, text):
    """The file as the page wants it."""
    blocks = steps()
    if path == "schema/limits.def":
        before = "\n// EARLIER(name"
        return text.replace(before, blocks[path] + "\n" + before, 1)
    if path == "vm/builtins/journal.cpp":
        before = "  if (!call.reserve(bytes)) return false;\n"
        return text.replace(before, blocks[path].rstrip() + "\n" + before, 1)
    return text


def write_if_other(path, data):
    """An equal file keeps its time, so that it is not built again."""
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def copy_tree():
    made = {"schema/limits.fbs", "include/ptcvm/limits.hpp", "include/ptcvm/limits.h", "docs/reference/limits.md",
            "schema/snapshot.schema.json"}
    for part in PARTS:
        top = ROOT / part
        for source in [top] if top.is_file() else sorted(p for p in top.rglob("*") if p.is_file()):
            path = source.relative_to(ROOT).as_posix()
            if path in made and (TREE / path).exists():
                continue                                   # the build of the copy writes it
            data = source.read_bytes()
            if path in steps():
                data = changed(path, data.decode()).encode()
                assert data != source.read_bytes(), f"the step for {path} finds no place"
            write_if_other(TREE / path, data)
            os.chmod(TREE / path, source.stat().st_mode)


def build():
    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    run("cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
        "-DPTC_BUILD_TESTS=OFF", "-DPTC_BUILD_AGENTS=OFF", "-DPTC_BUILD_SHARED=OFF", "-DPTC_INSTALL=OFF",
        "-DPTC_BUILD_POSTGRES=OFF",
        f"-DCMAKE_CXX_COMPILER={CXX}")
    run("cmake", "--build", BUILD, "--target", "ptc_limits")
    run("cmake", "--build", BUILD, "--target", "ptcvm_cli")


def ptcvm(*arguments, stdin=""):
    done = subprocess.run([BUILD / "bin/ptcvm", *map(str, arguments)], input=stdin, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def compiles(language, text):
    done = subprocess.run([CXX, "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{TREE / 'include'}",
                           "-"], input=text, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


class AddedLimit(unittest.TestCase):
    def test_help_has_it(self):
        self.assertRegex(ptcvm("run", "--help")[1], r"--summaries N\s+Bounds the summaries of steps of a turn")

    def test_its_place_looks_at_it(self):
        self.assertEqual(ptcvm("eval", TWO_STEPS, "--summaries", "2")[0], 0)
        status, _, err = ptcvm("eval", TWO_STEPS, "--summaries", "1")
        self.assertEqual(status, 1)
        self.assertIn("memory_exceeded", err)

    def test_an_option_out_of_range_is_refused_by_name(self):
        self.assertIn(REFUSAL, ptcvm("eval", "1", "--summaries", "4294967296")[2])

    def test_a_batch_request_has_it(self):
        request = {"id": 1, "source": TWO_STEPS, "limits": {"summaries": 1}}
        self.assertIn("memory_exceeded", ptcvm("batch", stdin=json.dumps(request) + "\n")[1])
        request["limits"]["summaries"] = 4294967296
        self.assertIn(REFUSAL, ptcvm("batch", stdin=json.dumps(request) + "\n")[1])

    def park(self, *options):
        STATES.mkdir(exist_ok=True)
        state = STATES / "state.ptcs"
        state.unlink(missing_ok=True)
        program = STATES / "waits.ptc"
        program.write_text(f"(do (await (tool/ask {{}})) {TWO_STEPS})")
        self.assertEqual(ptcvm("run", program, "--async-tool", "ask", "--snapshot", state, *options)[0], 75)
        return state

    def test_both_faces_of_a_snapshot_keep_it(self):
        resume = ("--async-tool", "ask", "--resolve", "op1=1")
        binary = self.park("--summaries", "1")
        status, text, err = ptcvm("snapshot", "json", binary)
        self.assertEqual(status, 0, err)
        self.assertEqual(json.loads(text)["limits"]["summaries"], 1)
        face = STATES / "state.json"
        face.write_text(text)
        for state in (binary, face):
            status, _, err = ptcvm("resume", state, *resume)
            self.assertEqual(status, 1)
            self.assertIn("memory_exceeded", err)
        self.assertIn("memory_exceeded", ptcvm("resume", self.park(), *resume, "--summaries", "1")[2])

    def test_a_snapshot_out_of_range_is_refused(self):
        state = json.loads(ptcvm("snapshot", "json", self.park("--summaries", "1"))[1])
        state["limits"]["summaries"] = 4294967296
        face = STATES / "broken.json"
        face.write_text(json.dumps(state))
        self.assertIn("snapshot_invalid", ptcvm("resume", face, "--async-tool", "ask", "--resolve", "op1=1")[2])

    def test_a_default_is_not_written(self):
        state = json.loads(ptcvm("snapshot", "json", self.park())[1])
        self.assertNotIn("summaries", state["limits"])

    def test_the_log_of_a_durable_run_keeps_it(self):
        STATES.mkdir(exist_ok=True)
        store = STATES / "runs.db"
        for left in STATES.glob("runs.db*"):
            left.unlink()
        program = STATES / "waits.ptc"
        program.write_text(f"(do (await (tool/ask {{}})) {TWO_STEPS})")
        told = ("--store", store, "--async-tool", "ask")
        self.assertEqual(ptcvm("run", program, *told, "--id", "r", "--summaries", "1")[0], 75)
        status, _, err = ptcvm("resume", *told, "r", "--resolve", "op1=1")
        self.assertEqual(status, 1, err)
        self.assertIn("memory_exceeded", err)

    def test_the_structs_of_cpp_and_c_have_it(self):
        good, err = compiles("c++", '#include "ptcvm/limits.hpp"\nstatic_assert(ptcvm::Limits{}.summaries == 10000);\n')
        self.assertTrue(good, err)
        good, err = compiles("c", '#include "ptcvm/limits.h"\nuint64_t of(const ptcvm_limits* l);\n'
                                  "uint64_t of(const ptcvm_limits* l) { return l->summaries; }\n")
        self.assertTrue(good, err)

    def test_the_reference_page_has_it(self):
        self.assertIn("| `summaries` |", (TREE / "docs/reference/limits.md").read_text())


if __name__ == "__main__":
    copy_tree()
    build()
    unittest.main(argv=sys.argv[:1])
