#!/usr/bin/env python3
"""An answer that is larger than --result-bytes is refused where it is given. One that a log has ends its operation.

usage: large_answer_test.py PTCVM   (the program under test)
"""
import unittest

from ptcvm_process import SnapshotTest, ptcvm


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
            self.assertIn("result_too_large", err)
        self.assertEqual(ptcvm("journal", "put", *self.store, "r", "go", '"abc"')[0], 0)
        status, out, err = ptcvm("resume", *self.store, "r")
        self.assertEqual((status, out.strip()), (0, "3"), err)

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
