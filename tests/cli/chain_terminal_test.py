#!/usr/bin/env python3
"""ptcvm chain: the checklist of a task in a terminal, and the lines in a pipe.

usage: chain_terminal_test.py PTCVM   (the program under test)"""
import json
import re
import unittest

import chain_test
from chain_test import INTENT, step
from terminal import Terminal


class Checklist(chain_test.ChainTest):
    def begin(self, plans, *tools):
        script = self.script(INTENT, *({"steps": plan} for plan in plans))
        return Terminal(self.folder.name, "chain", "run", "Greet", "--tools", self.tools(*tools), "--model", script)

    def end(self, terminal):
        """Reads until the program ends."""
        while True:
            try:
                terminal.read()
            except AssertionError:
                terminal.process.wait()
                return terminal.screen.text()

    def test_a_terminal_shows_one_list_that_changes(self):
        terminal = self.begin([[step("a", dependsOn=[]), step("b", "slow", dependsOn=[])]],
                              self.shell("say", "echo '\"hello\"'"), self.shell("slow", "sleep 1; echo 1"))
        terminal.wait("[>] b: slow")
        screen = self.end(terminal)
        self.assertEqual(terminal.process.returncode, 0)
        list_part = screen[:screen.index("Task ")]
        for name, tool in (("a", "say"), ("b", "slow")):
            self.assertEqual(len(re.findall(rf"^\[.\] {name}: {tool}", list_part, re.M)), 1, screen)
            self.assertRegex(list_part, rf"(?m)^\[x\] {name}: {tool} \([0-9.]+ m?s\)$")
        self.assertNotIn("[>]", screen)
        self.assertGreater(terminal.seen.count("\x1b["), 3)
        self.assertGreater(len(set(re.findall(r"\[>\] b: slow ([0-9.]+ m?s)", terminal.seen))), 1, "the time goes on")

    def test_a_step_that_is_planned_again_changes_its_line(self):
        terminal = self.begin([[step("a", "bad")], [step("a", "say")]],
                              self.shell("say", "echo '\"hello\"'"), self.shell("bad", "exit 1"))
        screen = self.end(terminal)
        list_part = screen[:screen.index("Task ")]
        self.assertEqual(re.findall(r"^\[.\] a: \w+", list_part, re.M), ["[x] a: say"])
        self.assertIn("[!] a: bad", terminal.seen)

    def test_a_list_that_is_longer_than_the_terminal_is_cut(self):
        terminal = self.begin([[step(f"s{i}") for i in range(40)]], self.shell("say", "echo 1"))
        screen = self.end(terminal)
        self.assertEqual(terminal.process.returncode, 0)
        self.assertLess(screen[:screen.index("Task ")].count("\n"), 26, screen)
        self.assertIn("more steps", screen)

    def test_a_pipe_gets_lines_and_no_sequences(self):
        status, _, err = self.run_task([step("a", dependsOn=[])], "--progress")
        self.assertEqual(status, 0)
        self.assertNotIn("\x1b", err)
        self.assertEqual(re.sub(r"\(.*\)", "(…)", err).splitlines(),
                         ["intent: asks scripted", "plan: asks scripted", "[ ] a: say", "[x] a: say (…)"])


if __name__ == "__main__":
    unittest.main(argv=["chain_terminal_test.py"])
