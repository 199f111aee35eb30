#!/usr/bin/env python3
"""Every limit at the edges of its range, at every entrance of the command line: options, batch, snapshots, logs.

usage: limit_edges_test.py PTCVM   (the program under test)

The rows are read from schema/limits.def, so a new limit is tried by being in the table. PTC_EDGES_ONE_IN=N tries each
Nth edge of a limit, beginning with another edge for each limit: a process with sanitizers takes long to start."""
import json
import os
import re
import subprocess
import sys
import unittest

from ptcvm_process import PTCVM, CommandLineTest, SnapshotTest, ptcvm

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "schema", "limits.def")
NUMBERS = {"UINT32_MAX": 2**32 - 1, "UINT64_MAX": 2**64 - 1, "INT64_MAX": 2**63 - 1}
IN_SESSION = ("symbols", "timeout_ms")      # fields of the session in a snapshot
ONE_IN = int(os.environ.get("PTC_EDGES_ONE_IN", "1"))


def number(text):
    return NUMBERS[text] if text in NUMBERS else int(text)


def read_table():
    with open(TABLE, encoding="utf-8") as file:
        text = file.read()
    rows = [(m[1], number(m[2]), number(m[3]), number(m[4]))
            for m in re.finditer(r"^LIMIT\((\w+), \w+, (\w+), (\w+), (\w+),", text, re.M)]
    earlier = {(m[2], m[1]): m[3] for m in re.finditer(r'^EARLIER\((\w+), (\w+), "([^"]+)"\)', text, re.M)}
    return rows, earlier


ROWS, EARLIER = read_table()


def numbers_of(least, most):
    return sorted({-2**63, -1, 0, 1, least - 1, least, most, most + 1, 2**32, 2**63, 2**64, 10**30})


def chosen(place, edges):
    return edges[place % ONE_IN::ONE_IN]


class LimitEdges(SnapshotTest):
    def test_the_table_was_read(self):
        self.assertGreater(len(ROWS), 15)
        self.assertIn(("depth", 2000, 1, 2**32 - 1), ROWS)

    def check(self, place, name, edge, is_taken, message):
        """A refusal names the limit (or its place) and ends nothing."""
        with self.subTest(place=place, limit=name, edge=edge):
            self.assertEqual("" if is_taken else "refused", "refused" if message else "", message)
            if not is_taken:
                self.assertRegex(message, name.replace("_", "[_-]"))

    def test_options(self):
        others = ["", "x", "1e3", "1.0", " 1", "0x1", "+1", "nil"]
        for place, (name, _, least, most) in enumerate(ROWS):
            for option in {"--" + name.replace("_", "-"), "--" + EARLIER.get(("Option", name), name.replace("_", "-"))}:
                for edge in chosen(place, [*map(str, numbers_of(least, most)), *others]):
                    is_taken = re.fullmatch(r"\d+", edge) is not None and least <= int(edge) <= most
                    status, out, err = ptcvm("eval", "[(inc 1)]", option, edge)
                    self.assertIn(status, (0, 1) if is_taken else (2,), (option, edge, err))
                    self.check(option, name, edge, is_taken, "" if is_taken else err)
                    if not is_taken:
                        self.assertIn(f"from {least} to {most} ", err)
                        self.assertEqual(out, "")

    def test_every_command_with_limits_refuses_alike(self):
        state = self.park("(await (tool/call {}))")
        program = self.file("one.ptc", "1")
        ptcvm("eval", "(await-signal \"go\")", "--store", self.path("s.db"), "--id", "r")
        for command in (("run", program), ("eval", "1"), ("repl",), ("resume", state, *self.TOOL),
                        ("resume", "--store", self.path("s.db"), "r")):
            for name, _, least, most in ROWS:
                for edge in (least - 1, most + 1, ""):
                    status, _, err = ptcvm(*command, "--" + name.replace("_", "-"), str(edge))
                    self.assertEqual(status, 2, (command, name, edge))
                    self.check(command[0], name, edge, False, err)

    def test_members_of_requests(self):
        requests, expected = [], []
        for name, _, least, most in ROWS:
            for edge in [*numbers_of(least, most), "", "x", "1", 1.5, True, [], {}]:
                is_whole = isinstance(edge, int) and not isinstance(edge, bool)
                requests.append({"id": len(requests), "source": "[(inc 1)]", "limits": {name: edge}})
                expected.append((name, edge, is_whole and least <= edge <= most))
        answers = self.ask(*requests)
        self.assertEqual([a["id"] for a in answers], list(range(len(requests))))
        for answer, (name, edge, is_taken) in zip(answers, expected):
            text = json.dumps(answer)
            self.check("batch", name, edge, is_taken, text if "must be a whole number" in text else "")

    def test_the_json_face_of_snapshots(self):
        whole = self.document(self.park("(await (tool/call {}))"))
        for place, (name, _, least, most) in enumerate(ROWS):
            member = {"symbols": "max_symbols"}.get(name) or EARLIER.get(("Snapshot", name), name)
            section = "session" if name in IN_SESSION else "limits"
            for edge in chosen(place, [*numbers_of(least, most), "x", "", 1.5, True, None, [], {}]):
                changed = json.loads(json.dumps(whole))
                changed[section][member] = edge
                is_whole = isinstance(edge, int) and not isinstance(edge, bool)
                is_taken = is_whole and least <= edge <= most
                state = self.write("edge.json", json.dumps(changed).encode())
                status, _, err = ptcvm("resume", state, *self.TOOL, "--snapshot", self.path("next"))
                self.assertIn(status, (0, 1, 65, 75), (name, edge, err))
                # A state that needs more than its limits is refused, too, with another message.
                is_refused = status == 65 and ("must be a whole number" in err or "number out of range" in err)
                self.check("JSON", member if f"/{member}:" in err else name, edge, is_taken, err if is_refused else "")

    def test_logs(self):
        store = self.path("s.db")
        ptcvm("eval", '(await-signal "go")', "--store", store, "--id", "r", "--loop", "77777")
        exported = ptcvm("journal", "export", "--store", store, "r")[1]
        self.assertEqual(exported.count("77777"), 1)
        for place, (name, _, least, most) in enumerate(ROWS):
            for spelling in {name.replace("_", "-"), EARLIER.get(("Log", name), name.replace("_", "-"))}:
                for edge in chosen(place, [*map(str, numbers_of(least, most)), "\\\"x\\\"", "1.5", "nil", "true"]):
                    other = self.path(f"{place}.db")
                    run = f"r{abs(hash((spelling, edge)))}"
                    lines = exported.replace(":loop 77777", f":{spelling} {edge}")
                    self.assertNotEqual(lines, exported)
                    imported = ptcvm("journal", "import", "--store", other, run, self.file("log.jsonl", lines))
                    status, _, err = ptcvm("resume", "--store", other, run)
                    is_taken = re.fullmatch(r"\d+", edge) is not None and least <= int(edge) <= most
                    self.assertIn(status, (0, 1, 75) if is_taken else (65,), (spelling, edge, err, imported))
                    self.check("log", name, edge, is_taken, "" if is_taken else err)


class TheSmallerCounts(SnapshotTest):
    """The host's limit is the upper bound of every limit in a document."""

    def limits_of(self, state):
        document = self.document(state)
        return {name: document["session" if name in IN_SESSION else "limits"].get(
            {"symbols": "max_symbols"}.get(name) or EARLIER.get(("Snapshot", name), name), initial)
            for name, initial, _, _ in ROWS}

    def test_of_a_snapshot_and_the_options_of_resume(self):
        whole = self.park("(await (tool/call {}))")
        for name, initial, _, most in ROWS:
            document = self.document(whole)
            member = {"symbols": "max_symbols"}.get(name) or EARLIER.get(("Snapshot", name), name)
            document["session" if name in IN_SESSION else "limits"][member] = str(most)
            state = self.write("edited.json", json.dumps(document).encode())
            for given in (initial or 12345, (initial or 12345) // 2):
                status, _, err = ptcvm("resume", state, *self.TOOL, "--snapshot", self.path("next"),
                                       "--" + name.replace("_", "-"), str(given))
                self.assertEqual(status, 75, (name, err))
                self.assertEqual(int(self.limits_of(self.path("next"))[name]), given, name)

    # What passes a small limit after a wait, and the fault.
    PASSED = (("fuel", 50, "(reduce + (range 1000))", "fuel_exhausted"),
              ("depth", 9, "((fn f [n] (if (= n 0) 0 (inc (f (dec n))))) 99)", "recursion_limit_exceeded"),
              ("loop", 9, "(loop [i 0] (if (< i 99) (recur (inc i)) i))", "loop_limit_exceeded"),
              ("parallel_branches", 2, "(pmap inc [1 2 3])", "parallel_capacity_exceeded"),
              ("string_bytes", 9, '(str "abcdef" "ghijkl")', "string_limit_exceeded"),
              ("integer_bits", 64, "(* 99999999999 99999999999 99999999999)", "integer_limit_exceeded"),
              ("print_bytes", 9, '(println "abcdefghijkl")', "print_limit_exceeded"),
              ("regex_pattern_bytes", 2, '(re-find (re-pattern (str "a" "+b")) "aab")', "regex_limit_exceeded"),
              ("tool_calls", 0, '(tool/call {})', "tool_call_limit_exceeded"))

    def test_limits_given_to_resume_are_enforced(self):
        most = {name: most for name, _, _, most in ROWS}
        for name, small, source, fault in self.PASSED:
            option = "--" + name.replace("_", "-")
            source = f'(do (await-signal "go") {source})'
            state = self.park(source, option, str(most[name]))
            err = ptcvm("resume", state, *self.TOOL, "--resolve", "op1=1", option, str(small))[2]
            self.assertIn(fault, err)
            store = ("--store", self.path("s.db"))
            self.assertEqual(ptcvm("eval", source, *self.TOOL, *store, "--id", name, option, str(most[name]))[0], 75)
            err = ptcvm("resume", *store, name, *self.TOOL, "--resolve", "op1=1", option, str(small))[2]
            self.assertIn(fault, err)


class LongInput(CommandLineTest):
    def test_a_program_or_a_file_of_tools_is_read_no_further_than_its_limit(self):
        block = b"(+ 1 2)\n" * 8192
        for status, words in ((1, ("run", "-")), (1, ("check", "-")), (1, ("fmt", "-")),
                              (65, ("eval", "1", "--tools", "/dev/stdin"))):
            with subprocess.Popen([PTCVM, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, bufsize=0) as process:
                with self.assertRaises(BrokenPipeError, msg=words):
                    for _ in range(1024):                 # 64 MiB
                        process.stdin.write(block)
                said = process.stderr.read().decode()
            self.assertEqual(process.returncode, status, said)
            self.assertRegex(said, "more than 1048576 bytes|at most 1048576 bytes")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
