#!/usr/bin/env python3
"""An answer that is larger than --result-bytes is refused where it is given. One that a log has ends its operation.

usage: large_answer_test.py PTCVM   (the program under test)
"""
import os
import subprocess
import unittest

from ptcvm_process import PTCVM, SnapshotTest, ptcvm


class LargeAnswers(SnapshotTest):
    def setUp(self):
        super().setUp()
        self.store = ("--store", self.path("s.db"))
        self.program = self.path("p.ptc")
        with open(self.program, "w", encoding="utf-8") as file:
            file.write('(let [x (await-signal "go")] (count x))')
        with open(self.path("large.json"), "w", encoding="utf-8") as file:
            file.write('"' + "a" * 1_100_000 + '"')
        self.large = "@" + self.path("large.json")

    def park(self, *options):
        self.assertEqual(ptcvm("run", self.program, *self.store, "--id", "r", *options)[0], 75)

    def test_it_is_refused_by_every_name_and_another_one_counts(self):
        self.park()
        for command in (("journal", "put", *self.store, "r", "go"), ("resolve", *self.store, "r", "op1"),
                        ("resolve", *self.store, "r", "go")):
            status, _, err = ptcvm(*command, self.large)
            self.assertEqual(status, 65, (command, err))
            self.assertTrue(err.startswith("ptcvm: result_too_large: "), err)
        self.assertEqual(ptcvm("journal", "put", *self.store, "r", "go", '"abc"')[0], 0)
        status, out, err = ptcvm("resume", *self.store, "r")
        self.assertEqual((status, out.strip()), (0, "3"), err)

    def test_a_file_is_refused_before_it_is_read(self):
        """12 MB of small values took 322 MB. What is not read takes no memory."""
        self.park()
        lists = "@" + self.write_list("{}", 4_000_000)
        agent = self.agent_that_waits()
        for command in (("resume", *self.store, "r", "--resolve", "op1=" + lists),
                        ("resolve", *self.store, "r", "op1", lists), ("journal", "put", *self.store, "r", "go", lists),
                        (*agent, "--resolve", "op1=" + lists),
                        ("resume", self.park_in_file(), "--resolve", "op1=" + lists)):
            status, peak, err = self.measured(*command)
            self.assertEqual(status, 65, (command, err))
            self.assertIn("result_too_large", err)
            self.assertLess(peak, 40 << 20, command)
        for run, text, count, status in (("other", "{}", 4_000_000, 0), ("large", "{}", 14_000_000, 65)):
            put = ("journal", "put", *self.store, run, "task", "@" + self.write_list(text, count), "--force")
            got, peak, err = self.measured(*put)
            self.assertEqual((got, "memory_exceeded" in err), (status, status == 65), err)
            self.assertLess(peak, (256 + 24) << 20)

    def test_values_that_do_not_fit_the_memory_of_the_run_are_refused(self):
        self.park("--memory-bytes", str(4 << 20))
        self.write_list('{"a":1}', 120_000)
        status, peak, err = self.measured("resolve", *self.store, "r", "op1", "@" + self.path("list.json"))
        self.assertEqual((status, "memory_exceeded" in err), (65, True), err)
        self.assertLess(peak, (4 + 24) << 20)

    def test_a_snapshot_says_how_long_its_answers_may_be(self):
        for options, status in (((), 65), (("--result-bytes", "2000000"), 0)):
            state = self.park_in_file(*options)
            got, _, err = ptcvm("resume", state, "--resolve", "op1=" + self.large)
            self.assertEqual(got, status, err)

    def write_list(self, item, count):
        """Piece by piece: what this process has in memory counts for the processes that it starts."""
        with open(self.path("list.json"), "w", encoding="utf-8") as file:
            file.write("[")
            for _ in range(count // 1000):
                file.write((item + ",") * 1000)
            file.write(item + "]")
        return self.path("list.json")

    def park_in_file(self, *options):
        state = self.path("s.ptcs")
        self.assertEqual(ptcvm("run", self.program, "--snapshot", state, *options)[0], 75)
        return state

    def agent_that_waits(self):
        """Words of `agent resume` for a run whose program waits for op1."""
        agent = self.path("agent.json")
        with open(agent, "w", encoding="utf-8") as file:
            file.write('{"prompt": "p", "tools": [{"name": "ask", "signature": "() -> :any", "mode": "async"}]}')
        script = self.path("script.jsonl")
        with open(script, "w", encoding="utf-8") as file:
            file.write('{"program": "(return (await (tool/ask {})))"}\n')
        self.assertEqual(ptcvm("agent", "run", agent, "--model", "scripted:" + script, *self.store, "--id", "a")[0], 75)
        return "agent", "resume", *self.store, "--id", "a", "--model", "scripted:" + script

    def measured(self, *args):
        """Status, peak resident bytes, and standard error."""
        with open(self.path("err"), "w+", encoding="utf-8") as err:
            process = subprocess.Popen([PTCVM, *args], stdout=subprocess.DEVNULL, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            peak = 0 if "PTC_SANITIZED" in os.environ else usage.ru_maxrss * 1024
            return process.returncode, peak, err.read()

    def test_the_limit_of_the_run_counts(self):
        self.park("--result-bytes", "2000000")
        self.assertEqual(ptcvm("journal", "put", *self.store, "r", "go", self.large)[0], 0)
        status, out, err = ptcvm("resume", *self.store, "r")
        self.assertEqual((status, out.strip()), (0, "1100000"), err)

    def test_one_that_was_taken_before_the_run_began_ends_the_wait(self):
        self.assertEqual(ptcvm("journal", "put", *self.store, "r", "go", self.large, "--force")[0], 0)
        status, _, err = ptcvm("run", self.program, *self.store, "--id", "r", timeout=240)
        self.assertEqual(status, 1, err)
        self.assertIn("its result is larger than 1048576 bytes", err)


if __name__ == "__main__":
    unittest.main(argv=["large_answer_test.py"])
