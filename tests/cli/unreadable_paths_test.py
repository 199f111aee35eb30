#!/usr/bin/env python3
"""A path that the system refuses to look at is bad input, not the end of the process.

usage: unreadable_paths_test.py PTCVM   (the program under test)
"""
import os
import unittest

from ptcvm_process import SnapshotTest, ptcvm

COMMANDS = (("runs", "--store"), ("resume", "r", "--store"), ("work", "--store"), ("journal", "show", "r", "--store"),
            ("doubt", "list", "--store"), ("agent", "show", "a", "--store"), ("chain", "list", "--store"),
            ("harness", "log", "c", "--store"), ("queue", "ls", "--store"), ("store", "prune", "--store"),
            ("nodes", "--store"), ("progress", "r", "--store"), ("schedule", "ls", "--store"),
            ("eval", "1", "--store"), ("eval", "1", "--memory"), ("eval", "1", "--journal"),
            ("check", "-", "--memory"), ("resume",), ("agent", "run", "--id", "a", "--model"))


class Paths(SnapshotTest):
    def refused(self, path, **more):
        for command in COMMANDS:
            place = "mailbox:" + path if command[-1] == "--model" else path
            with self.subTest(command=" ".join(command)):
                status, _, err = ptcvm(*command, place, stdin="1", **more)
                self.assertIn(status, (2, 65, 74), err)
                self.assertTrue(err)

    def test_a_name_that_is_too_long(self):
        self.refused(self.path("x" * 300))

    def test_a_link_to_itself(self):
        link = self.path("link")
        os.symlink("link", link)
        self.refused(link)

    def test_a_variable_with_such_a_name(self):
        os.environ["PTCVM_STORE"] = self.path("x" * 300)
        self.addCleanup(os.environ.pop, "PTCVM_STORE", None)
        self.assertIn(ptcvm("runs")[0], (65, 74))


if __name__ == "__main__":
    unittest.main(argv=["unreadable_paths_test.py"])
