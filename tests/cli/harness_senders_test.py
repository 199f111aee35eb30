#!/usr/bin/env python3
"""settle, while a process sends the message: it would go out twice. One process sends to an agent that is slow, and
another one settles.

usage: harness_senders_test.py PTCVM   (the program under test)"""
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import unittest

from harness_page import Page
from ptcvm_process import PTCVM, CommandLineTest, ptcvm


class SlowAgent:
    """Takes requests, and answers none of them until it is told to hang up."""

    def __init__(self, test):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(16)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/a2a/payer"
        self.sent = []          # bodies of message/send
        self.waiting = []
        self.arrived = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()
        test.addCleanup(self.listener.close)

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.take, args=(connection,), daemon=True).start()

    def take(self, connection):
        got = b""
        while b"\r\n\r\n" not in got:
            got += connection.recv(65536)
        if b"message/send" not in got:
            while got.startswith(b"POST") and b"jsonrpc" not in got:
                got += connection.recv(65536)
        if b"message/send" in got:
            self.sent.append(got)
            self.waiting.append(connection)
            self.arrived.set()
            return
        connection.close()

    def hang_up(self):
        for connection in self.waiting:
            connection.close()
        self.waiting.clear()


class SendersTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.kept = ("--store", os.path.join(self.folder.name, "talk.db"), "--id", "clinic")
        self.agent = SlowAgent(self)
        planner = self.file("plan.ptc", '(propose {:type :compose_intent :composeId "c1" :text "hi"})')
        self.harness("say", "hello")
        self.harness("run", "--planner", planner, status=75)
        self.sender = subprocess.Popen([PTCVM, "harness", "approve", *self.kept, "--remote", self.agent.url],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end_sender)
        self.assertTrue(self.agent.arrived.wait(30))

    def end_sender(self):
        self.sender.kill()
        self.sender.communicate()

    def harness(self, *words, status=0):
        got, out, self.err = ptcvm("harness", *words, *self.kept)
        self.assertEqual(got, status, (words, out, self.err))
        return json.loads(out.splitlines()[-1])

    def test_a_message_that_a_living_process_sends_is_not_settled(self):
        for outcome in ("lost", "arrived"):
            line = self.harness("settle", "c1", outcome, status=65)
            self.assertEqual((line["status"], line["in_flight"]), ("in_flight", ["c1"]))
            self.assertIn(f"the message is being sent by {line['settle'][0]['sender']}", self.err)
            self.assertIn(f"process {self.sender.pid},", self.err)
        self.assertEqual(len(self.agent.sent), 1)

    def test_a_page_offers_to_settle_only_what_nobody_sends(self):
        page = Page(*self.kept)
        self.addCleanup(page.end, signal.SIGKILL)
        state = page.state("clinic")
        self.assertEqual((state["in_flight"], state["being_sent"]), (["c1"], ["c1"]))
        self.agent.hang_up()
        page.wait_for("clinic", lambda state: state["being_sent"] == [])

    def test_a_process_that_has_stopped_leaves_the_message_to_people(self):
        self.agent.hang_up()
        self.sender.communicate(timeout=60)
        line = self.harness("settle", "c1", "lost", status=75)
        self.assertEqual((line["status"], line["draft"]["composeId"], line["settle"]), ("draft", "c1", []))

    def test_a_message_whose_sender_died_is_settled_at_once(self):
        self.end_sender()
        line = self.harness("settle", "c1", "arrived")
        self.assertEqual((line["status"], line["in_flight"]), ("turn", []))

    def test_a_command_beside_the_sender_sends_nothing(self):
        self.harness("whisper", "be brief", status=75)
        self.harness("run", "--planner", "simple-demo", "--remote", self.agent.url, status=75)
        self.assertEqual(len(self.agent.sent), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
