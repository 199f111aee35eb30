#!/usr/bin/env python3
"""The HTTP example under load and under kill -9: RUNS runs wait at the same time, each is finished exactly once by its
webhook, in random order; a webhook may come twice, and a process may die in the middle.

usage: http_service_test.py EXECUTABLE RUNS"""
import concurrent.futures
import http.client
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

EXECUTABLE, RUNS = sys.argv.pop(1), int(sys.argv.pop(1))
CLIENTS = 16
PROGRAM = """
(let [answer (await (tool/approve {:order data/order}))]
  (if (get answer "ok")
    {:order data/order :by (get answer "by") :done (tool/ship {:order data/order})}
    (fail (str data/order " was rejected"))))"""


class Service:
    """A process of the service, and connections to it, one a thread."""

    def __init__(self, folder):
        self.ledger = pathlib.Path(folder) / "ledger.txt"
        self.process = subprocess.Popen([EXECUTABLE, pathlib.Path(folder) / "runs.db", self.ledger],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        self.local = threading.local()
        self.connections = []

    def call(self, method, path, body=None):
        """Status and body. An OSError or HTTPException when the service is gone."""
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=240)
            self.connections.append(self.local.connection)
        self.local.connection.request(method, path, None if body is None else json.dumps(body))
        response = self.local.connection.getresponse()
        return response.status, json.loads(response.read())

    def start(self, order):
        return self.call("POST", "/runs", {"program": PROGRAM, "data": {"order": order}})

    def resolve(self, run, value, operation="op1"):
        return self.call("POST", f"/runs/{run}/operations/{operation}", {"value": value})

    def end(self, how):
        self.process.send_signal(how)
        status = self.process.wait(timeout=240)
        self.process.stdout.close()
        for connection in self.connections:
            connection.close()
        return status

    def shipped(self):
        return [line.split()[1] for line in self.ledger.read_text().splitlines()]


class HttpService(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="ptcvm-http-"))
        self.service = Service(self.folder)
        self.addCleanup(lambda: self.service.process.poll() is None and self.service.end(signal.SIGKILL))
        self.clients = self.enterContext(concurrent.futures.ThreadPoolExecutor(CLIENTS))

    def begin(self, count):
        """Ids of runs that wait all at the same time, by order."""
        runs = {}
        orders = [f"order-{n}" for n in range(count)]
        for order, (status, body) in zip(orders, self.clients.map(self.service.start, orders)):
            self.assertEqual((status, body["state"]), (202, "suspended"), body)
            self.assertEqual([(o["id"], o["tool"], o["args"]) for o in body["operations"]],
                             [("op1", "approve", {"order": order})])
            runs[order] = body["id"]
        return runs

    def check_all_done(self, runs):
        def look(item):
            for _ in range(600):      # one that was interrupted may still be under way
                status, body = self.service.call("GET", f"/runs/{item[1]}")
                if status != 202:
                    break
                time.sleep(0.1)
            return item[0], (status, body)

        for order, (status, body) in self.clients.map(look, runs.items()):
            self.assertEqual((status, body.get("result")),
                             (200, {"order": order, "by": "me", "done": f"shipped {order}"}), body)
        self.assertEqual(sorted(self.service.shipped()), sorted(runs))

    def test_each_of_many_runs_is_finished_once_by_its_webhook(self):
        runs = self.begin(RUNS)
        self.assertFalse(self.service.ledger.exists())
        # Twice each, from several clients, in any order.
        hooks = [run for run in runs.values() for _ in range(2)]
        random.Random(1).shuffle(hooks)
        answers = list(self.clients.map(lambda run: self.service.resolve(run, {"ok": True, "by": "me"}), hooks))
        self.assertEqual({status for status, _ in answers} - {200, 202}, set())
        for run in list(runs.values())[:20]:
            status, _ = self.service.resolve(run, {"ok": False})
            self.assertEqual(status, 409)
        self.check_all_done(runs)
        self.assertEqual(self.service.end(signal.SIGTERM), 0)

    def test_a_killed_service_goes_on_where_it_was(self):
        runs = self.begin(RUNS)
        hooks = list(runs.values())
        random.Random(2).shuffle(hooks)
        answered = []

        def hook(run):
            try:
                status, _ = self.service.resolve(run, {"ok": True, "by": "me"})
            except (OSError, http.client.HTTPException):
                return run
            self.assertIn(status, (200, 202))
            answered.append(run)
            if len(answered) == RUNS // 2:
                self.service.process.kill()
            return None

        lost = [run for run in self.clients.map(hook, hooks) if run is not None]
        self.assertEqual(self.service.end(signal.SIGKILL), -signal.SIGKILL)
        self.assertGreaterEqual(len(answered), RUNS // 2)
        self.assertGreater(len(lost), 0)

        self.service = Service(self.folder)
        # A sender repeats what nobody confirmed; and something that was confirmed, to be sure.
        for status, body in self.clients.map(lambda run: self.service.resolve(run, {"ok": True, "by": "me"}),
                                             lost + answered[:20]):
            self.assertIn(status, (200, 202), body)
        self.check_all_done(runs)

    def test_what_is_wrong_is_refused(self):
        def status_of(method, path, body=None):
            return self.service.call(method, path, body)[0]

        run = self.begin(1)["order-0"]
        self.assertEqual(status_of("GET", "/runs/none"), 404)
        self.assertEqual(status_of("GET", "/elsewhere"), 404)
        self.assertEqual(status_of("PUT", "/runs", {}), 405)
        self.assertEqual(status_of("POST", "/runs", {}), 400)
        self.assertEqual(status_of("POST", "/runs", {"program": "(+ 1"}), 422)
        self.assertEqual(status_of("POST", "/runs", {"program": "(tool/none {})"}), 422)
        self.assertEqual(status_of("POST", f"/runs/{run}/operations/op9", {"value": 1}), 404)
        self.assertEqual(status_of("POST", f"/runs/{run}/operations/op1", {}), 400)
        status, body = self.service.call("POST", "/runs", {"program": "(loop [] (recur))"})
        self.assertEqual((status, body["state"]), (200, "failed"), body)
        self.assertEqual(self.service.call("POST", "/runs", {"program": "(+ 1 2)"})[1]["result"], 3)
        status, body = self.service.resolve(run, {"ok": False})
        self.assertEqual((status, body["state"]), (200, "failed"), body)
        self.assertEqual(self.service.resolve(run, {"ok": False})[0], 200)
        self.assertEqual(status_of("POST", "/runs", {"program": "x" * 100_000}), 413)


if __name__ == "__main__":
    unittest.main()
