#!/usr/bin/env python3
"""What becomes of a message in flight is settled once, and a draft whose message the log has as sent was sent.

usage: harness_settle_test.py PTCVM   (the program under test)"""
import json
import shlex
import signal
import subprocess
import sys
import unittest

from conversation_case import ConversationCase
from harness_page import Page
from ledger_agent import LedgerAgent
from ptcvm_process import PTCVM, ptcvm

DRAFT = '(propose {:type :compose_intent :composeId "c1" :text "one"})'


class SettleTest(ConversationCase):
    def setUp(self):
        super().setUp()
        self.agent = LedgerAgent()
        self.addCleanup(self.agent.close)

    def in_flight(self, conversation="clinic"):
        """Begins a conversation whose message c1 is in flight. Returns the id of the message."""
        self.told("say", "hello", conversation=conversation)
        self.told("run", "--planner", self.file("plan.ptc", DRAFT), conversation=conversation, status=75)
        self.agent.fate = "hang up"
        line, _ = self.approve(conversation, status=65)
        self.agent.fate = None
        return line["settle"][0]["messageId"]

    def approve(self, conversation="clinic", status=0):
        return self.told("approve", "c1", "--remote", self.agent.url, conversation=conversation, status=status)

    def facts(self, *words, conversation="clinic"):
        out = ptcvm("harness", "log", *words, "--store", self.store, "--id", conversation)[1]
        return [json.loads(line) for line in out.splitlines()]

    def lost_and_told(self):
        """Lets a person say that c1 was lost, and the agent tell that it has it. Returns the id of the message."""
        self.told("say", "hello")
        other = '(propose {:type :compose_intent :composeId "c0" :text "zero"})'
        self.told("run", "--planner", self.file("other.ptc", other), status=75)
        self.told("approve", "--remote", self.agent.url)   # now the task is known
        first = self.in_flight()
        self.told("settle", "c1", "lost", status=75)
        self.agent.history = [{"kind": "message", "messageId": first, "role": "user",
                               "parts": [{"kind": "text", "text": "one"}]}]
        return first

    def test_two_people_who_settle_at_once_do_one_of_the_two(self):
        """Both were told that it was done, and the draft went out again."""
        for number in range(12):
            name = f"t{number}"
            self.in_flight(name)
            words = [PTCVM, "harness", "settle", "--store", self.store, "--id", name, "c1"]
            both = [subprocess.Popen([*words, outcome], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    for outcome in ("arrived", "lost")]
            ends = [(process.communicate(timeout=240), process.returncode) for process in both]
            self.assertEqual([status == 65 for _, status in ends].count(True), 1, ends)
            arrived = ends[0][1] != 65
            sent = [fact for fact in self.facts(conversation=name) if fact["type"] == "message_sent"]
            self.assertEqual(len(sent), int(arrived), ends)
            self.agent.ledger.clear()
            self.approve(name, status=65 if arrived else 0)
            self.assertEqual(len(self.agent.ledger), int(not arrived))

    def test_a_draft_whose_message_the_agent_tells_was_sent(self):
        """A person said that it was lost. The draft could be sent again, under another id."""
        first = self.lost_and_told()
        self.told("run", "--planner", "simple-demo", "--remote", self.agent.url)
        self.agent.ledger.clear()
        self.assertIn("draft already sent", self.approve(status=65)[1])
        self.assertEqual(self.agent.ledger, [])
        of_draft = [fact["composeId"] for fact in self.facts() if fact.get("messageId") == first]
        self.assertEqual(of_draft, ["c1"])

    def test_a_lost_draft_is_looked_for_before_it_is_sent_again(self):
        """The agent had it, and got it once more."""
        self.lost_and_told()
        self.agent.ledger.clear()
        self.assertIn("draft already sent", self.approve(status=65)[1])
        self.assertEqual(self.agent.ledger, [])

    def test_the_command_that_sends_a_lost_draft_names_the_agent(self):
        """It had no --remote: as it was written, it counted the draft as sent, and the agent got nothing."""
        self.in_flight()
        _, err = self.told("settle", "c1", "lost", status=75)
        command = next(line.strip() for line in err.splitlines() if " approve " in line)
        self.assertIn(f"--remote {self.agent.url}", command)
        self.agent.ledger.clear()
        self.assertEqual(ptcvm(*shlex.split(command)[1:])[0], 0)
        self.assertEqual(len(self.agent.ledger), 1)

    def test_a_message_that_is_printed_says_so_when_an_agent_got_the_others(self):
        self.in_flight()
        self.told("settle", "c1", "lost", status=75)
        err = self.told("approve", "c1")[1]
        self.assertIn(f"{self.agent.url} does not get it", err)

    def test_a_page_says_that_nothing_carries_a_message(self):
        """It counted the draft as sent, and said nothing."""
        self.in_flight()
        for name, options, said in (("clinic", (), f"{self.agent.url} got earlier messages"),
                                    ("clinic", ("--remote", self.agent.url), ""), ("clinic", ("--a2a",), ""),
                                    ("fresh", (), "This server carries no messages")):
            page = Page("--store", self.store, "--id", name, *options)
            self.addCleanup(page.end, signal.SIGKILL)
            notice = page.state(name)["delivery"]
            self.assertEqual((said in notice, notice == ""), (True, said == ""), (name, options))

    def test_the_log_has_no_password_of_an_agent(self):
        self.told("say", "hello")
        self.told("run", "--planner", self.file("plan.ptc", DRAFT), status=75)
        self.agent.fate = "hang up"
        self.told("approve", "--remote", self.agent.url.replace("://", "://me:secret@"), status=65)
        self.assertNotIn("secret", json.dumps(self.facts("--all")))

    def test_the_log_names_the_draft_of_a_message_that_was_settled(self):
        first = self.in_flight()
        self.told("settle", "c1", "arrived")
        for words in ((), ("--all",)):
            said = [fact for fact in self.facts(*words) if fact["type"] == "message_sent"]
            self.assertEqual([(fact["messageId"], fact.get("composeId")) for fact in said], [(first, "c1")], words)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
