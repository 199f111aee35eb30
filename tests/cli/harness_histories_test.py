#!/usr/bin/env python3
"""What a server of the other side says of a task: messages under ids that the conversation has already.

usage: harness_histories_test.py PTCVM   (the program under test)"""
import json
import os
import signal
import sys
import unittest

from conversation_case import ConversationCase
from harness_page import Page
from ledger_agent import LedgerAgent
from ptcvm_process import ptcvm


def said(message_id, text, role="agent", *parts):
    return {"kind": "message", "role": role, "messageId": message_id, "parts": [{"kind": "text", "text": text}, *parts]}


def file_part(name, data):
    return {"kind": "file", "file": {"name": name, "mimeType": "text/plain", "bytes": data}}


class HistoriesTest(ConversationCase):
    """A message of another text under an id was dropped, and nobody was told."""

    def setUp(self):
        super().setUp()
        self.agent = LedgerAgent()
        self.addCleanup(self.agent.close)
        self.sleeper = self.file("sleep.ptc", "(propose {:type :sleep})")
        self.told("run", "--planner", self.file("plan.ptc", '(propose {:type :compose_intent :text "one"})'), "--begin",
                  status=75)
        self.told("approve", "--remote", self.agent.url)

    def ask(self):
        """Takes in the history of the server."""
        self.told("run", "--planner", self.sleeper, "--remote", self.agent.url)

    def journal(self, *kinds):
        out = ptcvm("harness", "log", "--store", self.store, "--id", "clinic")[1]
        return [(fact["type"], fact["messageId"], fact["text"]) for fact in map(json.loads, out.splitlines())
                if fact["type"] in ("message_received", "message_refused", *kinds)]

    def test_two_texts_under_one_id_in_one_history(self):
        self.agent.history = [said("a1", "yes"), said("a1", "no"), said("a1", "perhaps"), said("a2", "well")]
        for _ in range(2):
            self.ask()
        self.assertEqual(self.journal(), [("message_received", "a1", "yes"), ("message_received", "a2", "well"),
                                          ("message_refused", "a1", "no")])

    def test_a_text_that_changes_later(self):
        self.agent.history = [said("a1", "yes")]
        self.ask()
        self.agent.history = [said("a1", "no")]
        for _ in range(2):
            self.ask()
        self.assertEqual(self.journal(), [("message_received", "a1", "yes"), ("message_refused", "a1", "no")])

    def test_what_this_side_said_is_told_otherwise(self):
        own = self.agent.ledger[0][0]
        self.agent.history = [said(own, "I promise", "user")]
        self.ask()
        self.agent.history = [said(own, "one", "agent")]
        self.ask()
        self.assertEqual(self.journal(), [("message_refused", own, "I promise")])

    def test_what_comes_without_an_id_is_taken_once(self):
        """It was dropped, and nobody was told."""
        yes, own = said("", "yes"), said("", "one", "user")
        del yes["messageId"], own["messageId"]
        self.agent.history = [own, yes, said(7, "no"), said(None, " ")]
        self.ask()
        self.agent.history = [own, yes, said(7, "no"), yes, said("", "look", "agent", file_part("a.txt", "aGk="))]
        for _ in range(2):
            self.ask()
        self.assertEqual([(kind, text) for kind, _, text in self.journal("message_sent")],
                         [("message_sent", "one"), ("message_received", "yes"), ("message_received", "no"),
                          ("message_received", "yes"), ("message_received", "look")])
        self.assertEqual(len({name for _, name, _ in self.journal()}), 4)

    def test_what_others_said_for_this_side_ends_no_matter(self):
        """A message that this side never sent let the agent make its unsafe call again."""
        ledger = os.path.join(self.folder.name, "booked")
        agent = {"prompt": "Answer.", "signature": "(status :string, facts [:map]) -> :any",
                 "tools": [{"name": "book", "signature": "() -> :string", "effect": "unsafe",
                            "command": ["sh", "-c", f"cat > /dev/null; echo booked >> {ledger}; echo '\"n-7\"'"]}]}
        program = json.dumps({"program": '(return (str "It is " (tool/book {})))'}) + "\n"
        words = ("run", "--planner", "agent:" + self.file("agent.json", json.dumps(agent)), "--model",
                 "scripted:" + self.file("script.jsonl", program * 8), "--remote", self.agent.url)
        self.agent.state = "input-required"
        self.agent.history = [said("a1", "When?")]
        self.told(*words, status=75)
        for message in (said("x1", "noted", "user"), said("x2", "noted", "tool")):
            self.told("regenerate")
            self.agent.history.append(message)
            self.told(*words, status=75)
            with open(ledger, encoding="utf-8") as file:
                self.assertEqual(file.read(), "booked\n")

    def test_a_file_of_other_bytes(self):
        self.agent.history = [said("a1", "look", "agent", file_part("a.txt", "aGk="))]
        self.ask()
        for part in ((), (file_part("a.txt", "aGk="),)):   # servers may leave files out
            self.agent.history = [said("a1", "look", "agent", *part)]
            self.ask()
        self.assertEqual(self.journal(), [("message_received", "a1", "look")])
        self.agent.history = [said("a1", "look", "agent", file_part("a.txt", "aG8="))]
        self.ask()
        self.assertEqual(self.journal(), [("message_received", "a1", "look"), ("message_refused", "a1", "look")])

    def test_another_conversation_says_it_anew(self):
        self.agent.history = [said("a1", "yes"), said("a1", "no")]
        self.ask()
        self.told("clear")
        self.assertEqual(self.journal(), [])

    def test_regenerating_keeps_it(self):
        self.agent.history = [said("a1", "yes"), said("a1", "no")]
        self.ask()
        self.told("regenerate")
        self.ask()
        self.assertEqual(self.journal()[-1], ("message_refused", "a1", "no"))
        self.assertEqual(len(self.journal()), 2)

    def test_a_page_says_it(self):
        page = Page("--store", self.store, "--id", "clinic", "--remote", self.agent.url)
        self.addCleanup(page.end, signal.SIGKILL)
        self.agent.history = [said("a1", "yes"), said("a1", "no")]
        state = page.wait_for("clinic", lambda state: any(fact["type"] == "message_refused"
                                                          for fact in state["journal"]))
        self.assertEqual([fact["text"] for fact in state["journal"] if fact["type"] == "message_refused"], ["no"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
