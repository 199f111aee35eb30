#!/usr/bin/env python3
"""ptcvm agent with a server of models: keys, streams, retries, interrupts.

usage: agent_server_test.py PTCVM   (the program under test)"""
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import unittest

from agent_test import PAY, AgentTest
from ptcvm_process import PTCVM

KEY = "key-that-nobody-may-see-4711"
PAYING = {**PAY, "tools": [{**PAY["tools"][0], "command": ["sh", "-c", "cat > /dev/null; echo '\"r\"'"]}]}
PROGRAM = '(return {:receipt (tool/pay {:to "ann"})})'


def call(program):
    return {"index": 0, "id": "c1", "type": "function",
            "function": {"name": "run_program", "arguments": json.dumps({"program": program})}}


def document(program):
    message = {"role": "assistant", "content": None, "tool_calls": [call(program)]}
    return json.dumps({"id": "r", "object": "chat.completion", "model": "m",
                       "usage": {"prompt_tokens": 70, "completion_tokens": 9},
                       "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]})


def stream(text, program):
    deltas = [{"role": "assistant", "content": part} for part in text] + [{"tool_calls": [call(program)]}]
    events = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return "".join(f"data: {json.dumps({'id': 'r', **event})}\n\n" for event in events) + "data: [DONE]\n\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        status, headers, text = self.server.replies.pop(0)
        if text is None:   # the reply never comes
            self.server.asked.set()
            self.server.ended.wait(30)
            self.close_connection = True
            return
        if callable(text):   # writes the reply itself
            self.close_connection = True
            return text(self)
        self.send_response(status)
        for name, value in {"content-length": len(text.encode()), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Server(AgentTest):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.seen, self.server.replies = [], []
        self.server.asked, self.server.ended = threading.Event(), threading.Event()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.ended.set)
        self.kept = ("--store", self.place("s.db"), "--id", "r")

    def environment(self):
        proxies = ("http_proxy", "https_proxy", "all_proxy")
        clean = {name: value for name, value in os.environ.items() if name.lower() not in proxies}
        return {**clean, "PTCVM_MODEL_KEY": KEY}

    def model(self, protocol="chat"):
        return f"{protocol}:m@http://127.0.0.1:{self.server.server_port}/v1"

    def command(self, *args):
        return [PTCVM, "agent", "run", self.json("a.json", PAYING), "--model", self.model(), *args]

    def ask_server(self, *replies, args=()):
        self.server.replies = list(replies)
        done = subprocess.run(self.command(*args), capture_output=True, text=True, timeout=240, check=False,
                              env=self.environment())
        return done.returncode, json.loads(done.stdout.splitlines()[-1]), done.stdout, done.stderr

    def test_the_server_gets_the_key_and_no_file_has_it(self):
        refused = json.dumps({"error": {"message": "slow down"}})
        files = ("--trace", self.place("t.jsonl"), "--record", self.place("r.jsonl"), *self.kept, "--progress")
        status, line, out, err = self.ask_server((429, {"retry-after-ms": 1}, refused),
                                                 (200, {"content-type": "application/json"}, document(PROGRAM)),
                                                 args=files)
        self.assertEqual((status, line["return"]), (0, {"receipt": "r"}), err)
        self.assertEqual([headers["authorization"] for _, headers, _ in self.lowered()], ["Bearer " + KEY] * 2)
        subprocess.run([PTCVM, "agent", "show", *self.kept, "--output", "document"], capture_output=True, check=True)
        written = {path.name: path.read_bytes() for path in pathlib.Path(self.folder.name).iterdir()}
        self.assertLessEqual({"t.jsonl", "r.jsonl", "s.db"}, set(written))
        written.update({"standard output": out.encode(), "standard error": err.encode()})
        self.assertEqual([name for name, content in written.items() if KEY.encode() in content], [])

    def lowered(self):
        return [(path, {name.lower(): value for name, value in headers.items()}, body)
                for path, headers, body in self.server.seen]

    def test_a_refusal_for_good_is_llm_error_without_the_key(self):
        refused = json.dumps({"error": {"message": "no such key"}})
        status, line, out, err = self.ask_server((401, {}, refused))
        self.assertEqual((status, line["fail"]["reason"], len(self.server.seen)), (1, "llm_error", 1))
        for part in ("401", "no such key"):
            self.assertIn(part, line["fail"]["message"])
        self.assertNotIn(KEY, out + err)

    def test_a_stream_is_shown_and_read(self):
        status, line, out, err = self.ask_server(
            (200, {"content-type": "text/event-stream"}, stream(["I pay ", "Ann."], PROGRAM)), args=["--stream"])
        self.assertEqual((status, line["return"]), (0, {"receipt": "r"}), err)
        self.assertEqual(out.splitlines()[0], "I pay Ann.")
        self.assertIs(self.server.seen[0][2]["stream"], True)

    def test_a_request_that_a_kill_lost_is_in_the_cost(self):
        prices = ("--prices", self.json("p.json", {"m": {"input": 2, "output": 8}}))
        self.server.replies = [(0, {}, None)]
        with subprocess.Popen(self.command(*self.kept, *prices), env=self.environment(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as run:
            self.assertTrue(self.server.asked.wait(60))
            run.kill()
        _, line, _, err = self.ask_server((200, {}, document(PROGRAM)), args=(*self.kept, *prices))
        self.assertEqual((line["return"], line["usage"]["model_calls"]), ({"receipt": "r"}, 2), err)
        cost = json.loads(subprocess.run([PTCVM, "agent", "cost", *self.kept, "--json"], capture_output=True,
                                         check=True).stdout)
        self.assertEqual((cost["sum"]["calls"], round(cost["sum"]["money"] * 1e6)), (2, line["usage"]["money"]))

    def test_a_recorded_conversation_needs_no_server(self):
        recorded = self.place("r.jsonl")
        _, first, _, _ = self.ask_server((200, {}, document(PROGRAM)), args=["--record", recorded])
        status, line, _, err = self.agent("run", self.json("a.json", PAYING), "--model", "replay:" + recorded)
        self.assertEqual((status, line), (0, first), err)

    def test_a_reply_without_an_end_is_too_long(self):
        sent = []

        def flood(handler):
            handler.send_response(200)
            handler.end_headers()
            try:
                for _ in range(1_000):
                    handler.wfile.write(b" " * (1 << 20))
                    sent.append(1)
            except OSError:
                return

        for args in ((), ("--stream",)):
            del sent[:]
            status, line, _, err = self.ask_server((200, {}, flood), args=args)
            self.assertEqual((status, line["fail"]["reason"]), (1, "llm_error"), (line, err))
            self.assertIn("more than 16777216 bytes", line["fail"]["message"])
            self.assertLess(len(sent), 100)

    def test_the_deadline_of_an_agent_ends_the_wait_for_its_model(self):
        def drip(handler):
            handler.send_response(200)
            handler.end_headers()
            try:
                while not self.server.ended.wait(0.05):
                    handler.wfile.write(b": ping\n\n")
            except OSError:
                return

        agent = self.json("d.json", {"name": "d", "prompt": "x", "signature": "() -> :int",
                                     "limits": {"deadline_ms": 700}})
        refused = json.dumps({"error": {"message": "slow down"}})
        for reply in ((200, {}, None), (200, {}, drip), (429, {"retry-after": 3600}, refused)):
            self.server.replies = [reply]
            done = subprocess.run([PTCVM, "agent", "run", agent, "--model", self.model()], capture_output=True,
                                  text=True, timeout=240, check=False, env=self.environment())
            line = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual(line["fail"]["reason"], "mission_timeout", (line, done.stderr))
        self.assertEqual(len(self.server.seen), 3, "no further request after the deadline")

    def test_an_interrupt_suspends_and_the_run_goes_on(self):
        self.server.replies = [(200, {}, None), (200, {}, document(PROGRAM))]
        process = subprocess.Popen(self.command(*self.kept), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment())
        self.assertTrue(self.server.asked.wait(240))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240)
        self.assertEqual((process.returncode, json.loads(out.splitlines()[-1])["pending"]), (75, ["model"]), err)
        done = subprocess.run(self.command(*self.kept), capture_output=True, text=True, timeout=240, check=False,
                              env=self.environment())
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["return"], {"receipt": "r"}, done.stderr)

    def test_an_address_that_cannot_be_read_is_refused_with_65(self):
        for model in ("chat:", "soap:m", "chat:m@ftp://x"):
            done = subprocess.run([PTCVM, "agent", "run", self.json("a.json", PAYING), "--model", model],
                                  capture_output=True, text=True, timeout=240, check=False, env=self.environment())
            self.assertEqual((done.returncode, done.stdout), (65, ""), model)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
