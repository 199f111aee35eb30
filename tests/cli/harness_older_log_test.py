#!/usr/bin/env python3
"""A conversation that an earlier version wrote: its cursors are notes behind the decisions, and its send_started names
no sender (logs/conversation-with-cursor-notes.jsonl).

usage: harness_older_log_test.py PTCVM   (the program under test)"""
import json
import os
import pathlib
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

LOG = pathlib.Path(__file__).resolve().parent / "logs/conversation-with-cursor-notes.jsonl"


class OlderLogTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = ("--store", os.path.join(self.folder.name, "talk.db"))
        status, _, err = ptcvm("journal", "import", *self.store, "clinic", str(LOG))
        self.assertEqual(status, 0, err)

    def harness(self, *words, status=0):
        got, out, err = ptcvm("harness", *words, *self.store, "--id", "clinic")
        self.assertEqual(got, status, (out, err))
        return json.loads(out.splitlines()[-1])

    def test_a_message_in_flight_is_settled_at_once_and_no_trigger_is_planned_twice(self):
        in_flight = self.harness("whisper", "and polite", status=75)
        self.assertEqual((in_flight["status"], in_flight["in_flight"]), ("in_flight", ["c-9-1"]))
        lost = self.harness("settle", "c-9-1", "lost", status=75)
        self.assertEqual((lost["status"], lost["draft"]["composeId"]), ("draft", "c-9-1"))
        planner = self.file("plan.ptc", '(propose {:type :compose_intent :text "anew"})')
        anew = self.harness("run", "--planner", planner, status=75)   # the new whisper is a trigger
        self.assertEqual(anew["draft"]["text"], "anew")
        self.assertEqual(self.harness("dismiss")["status"], "idle")
        self.assertEqual(self.harness("run", "--planner", planner)["draft"], None)

    def test_triggers_of_the_notes_are_used_up(self):
        self.harness("settle", "c-9-1", "lost", status=75)
        self.harness("dismiss")
        planner = self.file("plan.ptc", '(propose {:type :compose_intent :text "anew"})')
        self.assertEqual(self.harness("run", "--planner", planner)["status"], "idle")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
