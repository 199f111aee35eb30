#!/usr/bin/env python3
"""Tools whose effect class is corrected while a call is open: the stricter class counts, after a kill at the call.

usage: changed_class_test.py PTCVM   (the program under test)"""
import json
import os
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

LOOSE, STRICT = ("idempotent", "keyed"), ("unsafe", "reconcilable")


class ChangedClass(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store, self.ledger = (os.path.join(self.folder.name, name) for name in ("s.db", "ledger"))
        self.program = self.file("p.ptc", '(task "pay" (tool/pay {:cents 5}))')

    def calls(self):
        if not os.path.exists(self.ledger):
            return []
        with open(self.ledger, encoding="utf-8") as lines:
            return lines.read().splitlines()

    def tools(self, effect, line, reconcile=None):
        tool = {"name": "pay", "effect": effect,
                "command": ["sh", "-c", f"echo $PTCVM_IDEMPOTENCY_KEY >> {self.ledger}; {line}"]}
        if effect == "reconcilable":
            tool["reconcile"] = ["sh", "-c", reconcile or "exit 1"]
        return self.file("tools.json", json.dumps([tool]))

    def killed(self, effect, run):
        """A run whose process is killed in its call, of a tool of this class."""
        tools = self.tools(effect, "kill -9 $PPID")
        self.assertEqual(ptcvm("run", self.program, run, "--store", self.store, "--tools", tools)[0], -9)

    def resumed(self, effect, run, **more):
        tools = self.tools(effect, "echo 7", **more)
        return ptcvm("resume", run, "--store", self.store, "--tools", tools)

    def assert_in_doubt(self, answer, run, calls):
        status, out, err = answer
        self.assertEqual(status, 75, err)
        doubt, = json.loads(out)["doubts"]
        self.assertEqual(doubt["key"], f"{run}/task:pay#0")
        listed = ptcvm("doubt", "list", run, "--store", self.store, "--json")[1]
        self.assertEqual((json.loads(listed)["key"], json.loads(listed)["effect"]), (doubt["key"], doubt["effect"]))
        self.assertEqual(self.calls().count(doubt["key"]), calls)
        return doubt["effect"]

    def test_a_call_of_a_loose_class_is_in_doubt_when_the_class_is_strict_now(self):
        for before in LOOSE:
            for now in STRICT:
                run = f"{before}-{now}"
                self.killed(before, run)
                for _ in range(2):
                    self.assertEqual(self.assert_in_doubt(self.resumed(now, run), run, 1), now)

    def test_the_class_of_the_log_counts_when_the_tool_is_loose_again(self):
        self.killed("idempotent", "r")
        self.assert_in_doubt(self.resumed("unsafe", "r"), "r", 1)
        self.assertEqual(self.assert_in_doubt(self.resumed("idempotent", "r"), "r", 1), "unsafe")

    def test_a_call_that_was_begun_as_unsafe_stays_in_doubt(self):
        self.killed("unsafe", "r")
        self.assertEqual(self.assert_in_doubt(self.resumed("idempotent", "r"), "r", 1), "unsafe")

    def test_what_a_person_says_counts_once(self):
        for words, result, calls in ((("--happened", "9"), "9\n", 1), (("--did-not",), "7\n", 2)):
            run = words[0].strip("-")
            self.killed("idempotent", run)
            self.assert_in_doubt(self.resumed("unsafe", run), run, 1)
            status, _, err = ptcvm("doubt", "settle", run, "--store", self.store, *words)
            self.assertEqual(status, 0, err)
            self.assertEqual(self.resumed("unsafe", run)[:2], (0, result))
            self.assertEqual(self.calls().count(f"{run}/task:pay#0"), calls)

    def test_a_tool_that_can_be_asked_now_is_asked(self):
        self.killed("idempotent", "r")
        status, out, err = self.resumed("reconcilable", "r", reconcile="echo '{\"happened\": true, \"value\": 3}'")
        self.assertEqual((status, out), (0, "3\n"), err)
        self.assertEqual(self.calls(), ["r/task:pay#0"])

    def test_loose_classes_are_called_again_under_the_same_key(self):
        for before, now in (("idempotent", "keyed"), ("keyed", "idempotent"), ("idempotent", "idempotent")):
            run = f"{before}-{now}"
            self.killed(before, run)
            self.assertEqual(self.resumed(now, run)[:2], (0, "7\n"))
            self.assertEqual(self.calls().count(f"{run}/task:pay#0"), 2)

    def test_a_call_that_got_no_answer_is_in_doubt_when_the_class_is_strict_now(self):
        tools = self.tools("idempotent", "kill -9 $$")
        self.assertEqual(ptcvm("run", self.program, "r", "--store", self.store, "--tools", tools)[0], 1)
        for _ in range(2):
            answer = ptcvm("run", self.program, "r", "--store", self.store, "--tools", self.tools("unsafe", "echo 7"))
            self.assertEqual(self.assert_in_doubt(answer, "r", 1), "unsafe")
        self.assertEqual(ptcvm("doubt", "settle", "r", "--store", self.store, "--happened", "9")[0], 0)
        self.assertEqual(ptcvm("run", self.program, "r", "--store", self.store, "--tools",
                               self.tools("unsafe", "echo 7"))[:2], (0, "9\n"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
