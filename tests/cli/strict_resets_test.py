"""Runs that were begun with --strict-resets: whatever goes on with them, a reset of what had effects needs a reason."""
import contextlib
import sqlite3
import sys
import unittest

from ptcvm_process import ptcvm
from store_test import StoreTest


class StrictResets(StoreTest):
    def check_strict_resets_of_a_run(self, go_on):
        """Begins a run with --strict-resets, and goes on with it without the option."""
        source = '(do (task "a" (tool/pay {:n 1})) (await-signal "go") (task-reset "a") (task "a" (tool/pay {:n 2})))'
        self.assertEqual(self.run_it(source, more=["--strict-resets"])[0], 75)
        self.assertEqual(self.ask_store("journal", "put", "r", "go", "1")[0], 0)
        _, out, err = go_on(source)
        self.assertIn("reset_needs_reason", out + err)
        self.assertEqual(self.calls(), ["r/task:a#0"])

    def goes_on_by(self, *words):
        tool = ("--tool", f"pay={self.tool}", "--tool-effect", "pay=keyed")
        return lambda _: ptcvm(*words, "--store", self.store, *tool)

    def test_resume_keeps_strict_resets_of_the_run(self):
        self.check_strict_resets_of_a_run(self.goes_on_by("resume", "r"))

    def test_work_keeps_strict_resets_of_the_run(self):
        self.check_strict_resets_of_a_run(self.goes_on_by("work", "--once"))

    def test_the_same_command_keeps_strict_resets_of_the_run(self):
        self.check_strict_resets_of_a_run(self.run_it)

    def test_strict_resets_hold_from_the_top(self):
        def go_on(source):
            with contextlib.closing(sqlite3.connect(self.store)) as db, db:
                db.execute("DELETE FROM parked")
            return self.run_it(source)

        self.check_strict_resets_of_a_run(go_on)

    def test_a_reset_that_was_allowed_is_allowed_again_from_the_top(self):
        source = '(do (task "a" 1) (task-reset "a") (task "a" (tool/pay {:n 1})))'
        self.kill_in_call(source, more=["--strict-resets"])
        self.assertEqual(self.run_it(source), (0, '"tx"\n', ""))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
