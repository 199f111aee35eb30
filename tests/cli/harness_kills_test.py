#!/usr/bin/env python3
"""Two servers of one conversation send drafts to one agent, and are killed at random moments. The agent keeps a ledger:
each draft arrives under one message id, and what somebody approved arrives in the end.

usage: harness_kills_test.py PTCVM [SECONDS [SEED]]"""
import http.client
import http.server
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 5.0
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 7

from harness_page import Page   # noqa: E402: it reads the first argument


class Ledger:
    """Messages that arrived: the texts by message id, and how often each came."""

    def __init__(self):
        self.lock = threading.Lock()
        self.texts, self.deliveries = {}, 0

    def take(self, message):
        with self.lock:
            self.deliveries += 1
            self.texts.setdefault(message["messageId"], message["parts"][0]["text"])

    def task(self):
        with self.lock:
            history = [{"kind": "message", "role": "user", "messageId": message_id,
                        "parts": [{"kind": "text", "text": text}]} for message_id, text in self.texts.items()]
        return {"kind": "task", "id": "task", "status": {"state": "input-required"}, "history": history}


def agent(ledger, chance):
    """A server of A2A that is slow, and that hangs up now and then, before or after it has taken a message."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def answer(self, body):
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            self.answer({"capabilities": {"extensions": [{"uri": "urn:ptcvm:message-ids-once:v1"}]}})

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if request["method"] == "message/send":
                fate = chance.random()
                if fate < 0.1:
                    return
                time.sleep(chance.random() * 0.05)
                ledger.take(request["params"]["message"])
                if fate < 0.25:
                    return
            self.answer({"jsonrpc": "2.0", "id": request["id"], "result": ledger.task()})

        def handle(self):
            try:
                super().handle()
            except (ConnectionError, OSError):
                pass   # the client was killed

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Sides:
    """The two servers, of which each may be away."""

    def __init__(self, store, remote):
        self.args = ("--store", store, "--id", "clinic", "--remote", remote)
        self.pages = [Page(*self.args), Page(*self.args)]
        self.kills = 0

    def kill(self, which):
        self.pages[which].end(signal.SIGKILL)
        self.pages[which] = Page(*self.args)
        self.kills += 1

    def act(self, which, action, **body):
        """Status and JSON, or None when the server was killed meanwhile."""
        try:
            return self.pages[which].act("clinic", action, **body)
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            return None

    def end(self):
        for page in self.pages:
            page.end(signal.SIGKILL)


def send_and_kill(sides, chance):
    """Drafts that somebody approved, until the time is over."""
    approved, number, until = set(), 0, time.monotonic() + SECONDS
    while time.monotonic() < until:
        number += 1
        made = sides.act(chance.randrange(2), "draft", text=f"draft {number}")
        if made is None or made[0] != 200:
            continue
        approved.add(f"draft {number}")
        wishes = [threading.Thread(target=sides.act, args=(which, "approve"), kwargs={"draft": made[1]["draft"]})
                  for which in (0, 1)]
        for wish in wishes:
            wish.start()
        if chance.random() < 0.7:
            time.sleep(chance.random() * 0.08)
            sides.kill(chance.randrange(2))
        for wish in wishes:
            wish.join()
    return approved


def settle(sides):
    """Waits until nothing is in flight; the servers send again what was."""
    for _ in range(600):
        state = sides.pages[0].state("clinic")
        if not state["in_flight"]:
            return state
        time.sleep(0.1)
    raise AssertionError(f"still in flight: {state['in_flight']}")


def main():
    chance = random.Random(SEED)
    ledger = Ledger()
    server = agent(ledger, random.Random(SEED + 1))
    with tempfile.TemporaryDirectory() as folder:
        sides = Sides(os.path.join(folder, "talk.db"), f"http://127.0.0.1:{server.server_port}")
        try:
            drafts = send_and_kill(sides, chance)
            journal = settle(sides)["journal"]
        finally:
            sides.end()
    arrived = sorted(ledger.texts.values())
    sent = sorted(fact["text"] for fact in journal if fact["type"] == "message_sent")
    assert len(arrived) == len(set(arrived)), f"sent twice: {[text for text in arrived if arrived.count(text) > 1]}"
    assert sent == arrived, f"the journal has {len(sent)} messages, the ledger {len(arrived)}"
    assert set(arrived) <= drafts and arrived, arrived
    print(f"{len(drafts)} drafts, {len(arrived)} messages in {ledger.deliveries} deliveries, {sides.kills} kills: "
          "none twice")


if __name__ == "__main__":
    main()
