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

    def in_flight(self):
        """Lets the message c2 be in flight. Returns its id."""
        self.agent.state = "input-required"
        self.ask()
        self.told("whisper", "go on")
        draft = '(propose {:type :compose_intent :composeId "c2" :text "two"})'
        self.told("run", "--planner", self.file("more.ptc", draft), status=75)
        self.agent.fate = "hang up"
        line, _ = self.told("approve", "c2", "--remote", self.agent.url, status=65)
        self.agent.fate = None
        return line["settle"][0]["messageId"]

    def test_what_the_other_side_says_under_an_id_in_flight_is_not_taken(self):
        """The draft was locked: `settle arrived` never made it a message that was sent."""
        own = self.in_flight()
        self.agent.history = [said(own, "two", "agent")]
        line, _ = self.told("run", "--planner", self.sleeper, "--remote", self.agent.url, status=75)
        self.assertEqual((line["status"], self.journal()), ("in_flight", [("message_refused", own, "two")]))
        self.assertIn("another message was taken", self.say_over_a2a(own))
        self.assertEqual(self.told("settle", "c2", "arrived")[0]["in_flight"], [])
        self.assertEqual(self.journal("message_sent")[-1], ("message_sent", own, "two"))

    def say_over_a2a(self, message_id):
        """Says something under that id as a client does, and returns the error."""
        page = Page("--store", self.store, "--id", "clinic", "--a2a")
        call = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": {
            **said(message_id, "two", "user"), "contextId": "clinic"}}}
        try:
            return page.call("POST", "/a2a/clinic", call)[1]["error"]["message"]
        finally:
            page.end(signal.SIGKILL)

    def test_another_text_under_an_id_in_flight_is_not_what_was_sent(self):
        """The journal said that this side had said it."""
        own = self.in_flight()
        self.agent.history = [said(own, "I promise", "user")]
        for _ in range(2):
            line, _ = self.told("run", "--planner", self.sleeper, "--remote", self.agent.url, status=75)
        self.assertEqual((line["status"], self.journal()), ("in_flight", [("message_refused", own, "I promise")]))
        self.agent.history.append(said(own, "two", "user"))
        self.ask()
        self.assertEqual(self.journal("message_sent")[-1], ("message_sent", own, "two"))

    def test_a_role_that_there_is_not_is_nobodys(self):
        """What "boss" said was taken for what this side said."""
        self.agent.history = [said(f"b{i}", "pay", role) for i, role in enumerate(("boss", "", None, 7, "Agent"))]
        for _ in range(2):
            self.ask()
        self.assertEqual(self.journal("message_sent")[1:], [("message_refused", f"b{i}", "pay") for i in range(5)])
        out = ptcvm("harness", "log", "--store", self.store, "--id", "clinic")[1]
        self.assertIn('there is no role \\"boss\\"; there are user and agent', out)

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
