#!/usr/bin/env python3
"""Commands of tools that run at once: ptcvm run --parallel-tools, with and without a store.

The tools meet: each one waits until as many as the test wants are there, so a slow machine changes nothing.

usage: parallel_tools_test.py PTCVM   (the program under test)"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PTCVM = sys.argv.pop(1)

# Notes that it is there, waits until argv[2] tools are there, for at most argv[3] looks, and answers with the most
# tools that it has seen at once.
TOOL = """
import os, sys, time, json
place, wanted = sys.argv[1], int(sys.argv[2])
number = json.load(sys.stdin)["i"]
here = os.path.join(place, "here-%d" % number)
open(here, "w").close()
most = 0
for _ in range(int(sys.argv[3])):
    most = max(most, len([name for name in os.listdir(place) if name.startswith("here-")]))
    if most >= wanted or os.path.exists(os.path.join(place, "met")):
        break
    time.sleep(0.05)
if most >= wanted:
    open(os.path.join(place, "met"), "w").close()
os.remove(here)
print(most)
"""


class ParallelToolsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)
        (self.place / "tool.py").write_text(TOOL)

    def run_program(self, branches, wanted, looks, *options):
        (self.place / "p.ptc").write_text(f"(apply max (pmap #(tool/meet {{:i %}}) (range {branches})))")
        meeting = self.place / "meeting"
        meeting.mkdir()
        tool = f"meet={sys.executable} {self.place / 'tool.py'} {meeting} {wanted} {looks}"
        done = subprocess.run([PTCVM, "run", self.place / "p.ptc", "--tool", tool, *options],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout)

    def test_eight_commands_run_at_once(self):
        self.assertEqual(self.run_program(8, 8, 2_000), 8)

    def test_eight_commands_run_at_once_in_a_stored_run(self):
        self.assertEqual(self.run_program(8, 8, 2_000, "--store", self.place / "s.db", "--id", "r"), 8)

    def test_eight_commands_of_asynchronous_tools_run_at_once(self):
        for mode, call in (("async", "(await (tool/meet {:i %}))"), ("auto", "(tool/meet {:i %})")):
            for store in ([], ["--store", self.place / "s.db", "--id", mode]):
                meeting = self.place / f"{mode}-{len(store)}"
                meeting.mkdir()
                command = [sys.executable, str(self.place / "tool.py"), str(meeting), "8", "2000"]
                tools = self.place / "tools.json"
                tools.write_text(json.dumps([{"name": "meet", "mode": mode, "command": command}]))
                done = subprocess.run([PTCVM, "eval", f"(apply max (pmap #{call} (range 8)))", "--tools", tools,
                                       *store],
                                      capture_output=True, text=True, timeout=300, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, "8\n"), done.stderr)

    def test_no_more_commands_run_at_once_than_the_option_says(self):
        self.assertEqual(self.run_program(4, 3, 20, "--parallel-tools", "2"), 2)

    def test_no_more_commands_run_at_once_than_the_option_says_in_a_stored_run(self):
        store = ["--store", self.place / "s.db", "--id", "r"]
        self.assertEqual(self.run_program(4, 3, 20, "--parallel-tools", "2", *store), 2)

    def test_a_number_out_of_the_range_is_refused(self):
        for number in ("0", "-1", "1001", "many"):
            with self.subTest(number=number):
                done = subprocess.run([PTCVM, "eval", "1", "--parallel-tools", number],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
