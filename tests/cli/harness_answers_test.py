#!/usr/bin/env python3
"""What an answer of an agent says of a message that was sent: only one that surely says that it was not taken lets the
draft go out under another id.

usage: harness_answers_test.py PTCVM   (the program under test)"""
import http.server
import json
import signal
import sys
import threading
import unittest

from conversation_case import ConversationCase
from harness_page import Page

DRAFT = '(propose {:type :compose_intent :composeId "c1" :text "one"})'
TASK = {"kind": "task", "id": "t1", "status": {"state": "working"}}
MISSING = object()   # in the place of a member that the answer does not have
NOT_TAKEN = (400, 401, 403, 404, 405, 407, 410, 411, 413, 414, 415, 417, 421, 422, 426, 431)
SAY_NOTHING = (201, 202, 204, 206, 300, 301, 302, 303, 307, 308, 402, 406, 408, 409, 418, 425, 499, 500, 502, 503, 504)


class Agent:
    """Answers with `status`, and with the members of `answer` beside its id."""

    def __init__(self, test):
        self.status, self.answer, self.got = 200, {"result": TASK}, []
        agent = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.say(404, b"")

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if request["method"] == "message/send":
                    agent.got.append(request["params"]["message"]["messageId"])
                if agent.status == "hang up":
                    self.close_connection = True
                    return
                answer = {"jsonrpc": "2.0", "id": request["id"], **agent.answer}
                answer = {name: value for name, value in answer.items() if value is not MISSING}
                self.say(agent.status, json.dumps(answer).encode())

            def say(self, status, body):
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", "/elsewhere")
                if status != 204:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if status != 204:
                    self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        test.addCleanup(self.server.server_close)
        test.addCleanup(self.server.shutdown)


class AnswersTest(ConversationCase):
    def setUp(self):
        super().setUp()
        self.agent = Agent(self)
        self.plan = self.file("plan.ptc", DRAFT)
        self.count = 0

    def approve(self, status=200, answer=None):
        """Sends the draft of a new conversation. Returns the line, standard error and how often the agent got it."""
        self.count += 1
        name = f"t{self.count}"
        self.told("say", "hello", conversation=name)
        self.told("run", "--planner", self.plan, conversation=name, status=75)
        self.agent.status, self.agent.answer = status, answer or {"result": TASK}
        self.agent.got.clear()
        line, err = self.told("approve", "c1", "--remote", self.agent.url, conversation=name, status=65)
        return line, err, len(self.agent.got)

    def test_a_message_in_flight_to_one_agent_goes_to_nobody_else(self):
        self.approve("hang up")
        other = Agent(self)
        for place in (("--peer", "someone"), ("--remote", other.url), ()):
            line, _ = self.told("run", "--planner", self.plan, *place, conversation="t1", status=75)
            self.assertEqual(line["in_flight"], ["c1"], place)
        page = Page("--store", self.store)       # it would only have to write the message into the log
        page.wait_for("t1", lambda state: state["status"] == "in_flight")
        page.end(signal.SIGTERM)
        self.assertEqual(other.got, [])
        self.assertEqual(self.told("settle", "c1", "lost", conversation="t1", status=75)[0]["drafts"], ["c1"])

    def test_a_status_that_does_not_say_that_nothing_was_taken_leaves_the_message_in_flight(self):
        for status in SAY_NOTHING:
            line, err, times = self.approve(status)
            self.assertEqual((line["status"], times), ("in_flight", 1), (status, err))
            self.assertIn(f"the status {status}; the message stays in flight", err)

    def test_a_status_that_says_that_nothing_was_taken_gives_the_draft_back_after_one_attempt(self):
        for status in NOT_TAKEN:
            line, err, times = self.approve(status)
            self.assertEqual((line["status"], line["drafts"], times), ("draft", ["c1"], 1), (status, err))
            self.assertNotIn("stays in flight", err)

    def test_a_server_that_has_too_much_to_do_is_asked_three_times(self):
        line, _, times = self.approve(429)
        self.assertEqual((line["status"], times), ("draft", 3))

    def test_a_connection_that_ended_without_an_answer_was_there(self):
        """It was "There is no connection to …; the message stays in flight, because it may have arrived"."""
        err = self.approve("hang up")[1]
        self.assertIn(f"The connection ended before the answer of {self.agent.url[len('http://'):]}: ", err)
        self.assertNotIn("no connection", err)

    def test_an_error_that_is_none_leaves_the_message_in_flight(self):
        no = {"code": -32602, "message": "no"}
        for answer in ({"error": no, "result": TASK}, {"error": no, "result": 7}, {"error": "no"}, {"error": {}},
                       {"error": {"code": -1e99, "message": "no"}}, {"error": {"code": -32602, "message": 5}},
                       {"error": {"code": "-32602", "message": "no"}}, {"error": {"code": -32602}},
                       {"error": {"code": -32602.5, "message": "no"}}, {"error": {"code": -32000, "message": "no"}},
                       {"error": {"code": 7, "message": "no"}}, {"error": {"code": -32006, "message": "no"}}):
            line, err, times = self.approve(answer=answer)
            self.assertEqual((line["status"], times), ("in_flight", 1), (answer, err))

    def test_an_error_that_refuses_the_message_gives_the_draft_back(self):
        for code in (-32700, -32600, -32601, -32602, -32001, -32004, -32005):
            for more in ({}, {"result": None}):
                line, err, times = self.approve(answer={"error": {"code": code, "message": "no"}, **more})
                self.assertEqual((line["status"], times), ("draft", 1), (code, err))
                self.assertIn(f"the server refused the request ({code}): no\n", err)


    def test_an_answer_that_is_no_json_rpc_2_says_nothing(self):
        """A refusal in the words of another version gave the draft back."""
        no = {"error": {"code": -32602, "message": "no"}}
        for version in ("1.0", "2", 2.0, None, MISSING):
            for members in (no, {"result": TASK}):
                line, err, times = self.approve(answer={"jsonrpc": version, **members})
                self.assertEqual((line["status"], times), ("in_flight", 1), (version, err))
                self.assertIn("no JSON-RPC 2.0", err)

    def test_an_answer_without_an_id_refuses_only_what_could_not_be_read(self):
        for code, status in ((-32700, "draft"), (-32600, "draft"), (-32601, "in_flight"), (-32602, "in_flight"),
                             (-32001, "in_flight"), (-32050, "in_flight")):
            line, err, times = self.approve(answer={"id": None, "error": {"code": code, "message": "no"}})
            self.assertEqual((line["status"], times), (status, 1), (code, err))
        for name in (MISSING, "1", True):
            line, err, _ = self.approve(answer={"id": name, "error": {"code": -32600, "message": "no"}})
            self.assertEqual(line["status"], "in_flight", (name, err))

    def test_an_error_of_few_words_is_one(self):
        line, err, _ = self.approve(answer={"error": {"code": -32602, "message": ""}})
        self.assertEqual(line["status"], "draft", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
