#!/usr/bin/env python3
"""ptcvm harness: the wish to begin an empty conversation outlives a planner that fails.

usage: harness_begin_test.py PTCVM   (the program under test)"""
import signal
import sys
import unittest

from conversation_case import ConversationCase
from harness_page import Page

DRAFT = '(propose {:type :compose_intent :composeId "c1" :text "At noon"})'


class BeginTest(ConversationCase):
    """One error of the planner used the wish up: nothing but `clear` let the conversation begin."""

    def setUp(self):
        super().setUp()
        self.failing, self.plan = self.file("fail.ptc", '(fail "no")'), self.file("plan.ptc", DRAFT)

    def test_a_planner_that_failed_tries_again(self):
        state = self.told("run", "--planner", self.failing, "--begin", status=1)[0]
        self.assertEqual((state["status"], state["given_up"]["attempts"]), ("given_up", 3))

    def test_regenerating_lets_it_begin(self):
        self.told("run", "--planner", self.failing, "--begin", status=1)
        self.told("regenerate")
        self.assertEqual(self.told("run", "--planner", self.plan, status=75)[0]["drafts"], ["c1"])

    def test_the_wish_again_lets_it_begin(self):
        self.told("run", "--planner", self.failing, "--begin", status=1)
        self.assertEqual(self.told("run", "--planner", self.plan, "--begin", status=75)[0]["drafts"], ["c1"])

    def test_a_planner_that_proposes_nothing_after_it_failed_has_not_given_up(self):
        """The status stayed given_up."""
        self.told("run", "--planner", self.failing, "--begin", status=1)
        state = self.told("run", "--planner", self.file("nothing.ptc", "nil"), "--begin")[0]
        self.assertEqual((state["status"], state["given_up"]), ("idle", None))

    def test_a_run_whose_last_pass_went_well_ends_well(self):
        """It ended with 1: the error was the last fact."""
        count = self.file("count", "")
        tool = self.file("once.sh", f"cat >/dev/null; echo x >> {count}; test $(wc -l < {count}) -gt 1 && echo 1")
        plan = self.file("once.ptc", "(do (tool/once {}) nil)")
        state, err = self.told("run", "--planner", plan, "--tool", f"once=sh {tool}", "--tool-effect", "once=pure",
                               "--begin")
        self.assertEqual((state["status"], "the planner failed" in err), ("idle", False), err)

    def test_only_what_helps_is_recommended(self):
        err = self.told("run", "--planner", self.failing, "--begin", status=1)[1]
        self.assertEqual(("harness regenerate" in err, "harness whisper" in err), (True, False))

    def test_a_planner_that_proposes_nothing_runs_once(self):
        """It ran a thousand times, and its calls were made each time."""
        ledger, nothing = self.file("ledger", ""), self.file("nothing.ptc", "(do (tool/pay {:a 1}) nil)")
        pay = self.file("pay.sh", f"cat >/dev/null; echo x >> {ledger}; echo 1")
        words = ["--planner", nothing, "--tool", f"pay=sh {pay}"]
        self.told("run", *words, "--begin")
        self.told("run", *words)
        with open(ledger, encoding="utf-8") as lines:
            self.assertEqual(lines.read(), "x\n")

    def test_a_page_begins_again(self):
        self.told("run", "--planner", self.failing, "--begin", status=1)
        page = Page("--store", self.store, "--id", "clinic")
        self.addCleanup(page.end, signal.SIGKILL)
        self.assertEqual(page.act("clinic", "begin")[0], 200)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
