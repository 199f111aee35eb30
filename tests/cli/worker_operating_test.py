#!/usr/bin/env python3
"""What operators ask and say: health, metrics, ptcvm queue, nodes, runs cancel, store prune, on an SQLite file.

usage: worker_operating_test.py PTCVM   (the program under test)"""
import contextlib
import json
import os
import signal
import socket
import sqlite3
import sys
import time
import unittest

from ptcvm_process import ptcvm
from worker_process import PATIENCE, WorkerTest


class Health(WorkerTest):
    def test_state_and_numbers(self):
        for n in range(3):
            self.enqueue(f"r{n}", "(tool/t {})", "--queue", 'odd"\\name')
        self.enqueue("a", "1")
        worker = self.worker("--health", "127.0.0.1:0", "--node", "shop-1")
        worker.until("ended", run="a")
        status, text = worker.ask("/health")
        self.assertEqual(status, 200, text)
        health = json.loads(text)
        self.assertEqual((health["status"], health["name"], health["lease_ms"]), ("ok", "shop-1", 15000))
        self.assertEqual(worker.metric("ptcvm_worker_claims_total"), 1)
        self.assertEqual(worker.metric("ptcvm_worker_ended_total"), 1)
        self.assertGreater(worker.metric("ptcvm_worker_commits_total"), 0)
        self.assertEqual(worker.metric('ptcvm_worker_queue_runs{queue="odd\\"\\\\name",state="ready"}'), 3)
        lines = [line for line in worker.ask("/metrics")[1].splitlines() if not line.startswith("#")]
        numbers = {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}
        for calls in ("ptcvm_worker_claim_seconds", "ptcvm_worker_write_seconds"):
            self.assertGreater(numbers[calls + "_sum"], 0)
            self.assertGreater(numbers[calls + "_count"], 0)
            self.assertEqual(numbers[calls + '_bucket{le="+Inf"}'], numbers[calls + "_count"])
            self.assertLessEqual(numbers[calls + '_bucket{le="0.0025"}'], numbers[calls + '_bucket{le="0.005"}'])
        self.assertIn('mode="poll"', worker.ask("/metrics")[1])
        for line in worker.ask("/metrics")[1].splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) \S+ .+|[a-z_]+(\{([a-z_]+="([^"\\]|\\.)*",?)+\})? -?[0-9.]+)$')
        self.assertEqual(worker.ask("/")[0], 404)
        self.assertEqual(worker.ask("/health", "PUT")[0], 405)
        for path in ("/health", "/metrics"):
            self.assertEqual(worker.ask(path, "HEAD"), (200, ""), path)
        worker.stop()

    def test_how_long_a_run_was_woken_before_its_claim(self):
        self.enqueue("never", "1")
        self.enqueue("sleeps", "(sleep 2000)")   # so long that also a slow machine parks it before it is due
        self.enqueue("asks", '(await-signal "go")')
        worker = self.worker("--health", "0")
        worker.until("waiting", run="asks")
        self.ok("journal", "put", "asks", "go", "1", "--store", self.store)
        self.until_runs(lambda runs: all(run["queue_state"] == "done" for run in runs.values()))
        self.assertEqual(worker.metric("ptcvm_worker_wake_seconds_count"), 2)
        self.assertEqual(worker.metric('ptcvm_worker_wake_seconds_bucket{le="+Inf"}'), 2)
        self.assertGreaterEqual(worker.metric("ptcvm_worker_wake_seconds_sum"), 0)
        worker.stop()

    def test_a_name_of_another_place_is_refused(self):
        worker = self.worker("--health", "0")
        place = worker.until("health")["text"].removeprefix("http://")
        with socket.create_connection(("127.0.0.1", int(place.split(":")[1]))) as one:
            one.sendall(b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            self.assertRegex(one.makefile().readline(), r"^HTTP/1.1 4\d\d ")
        worker.stop()

    def test_a_worker_that_drains_says_so(self):
        go = self.folder.name + "/go"
        ledger, tool = self.ledger_tool(after=f'while ! [ -e "{go}" ]; do sleep 0.05; done')
        self.enqueue("a", "(tool/pay {:i 1})")
        worker = self.worker("--health", "0", *tool)
        self.until_lines(ledger, 1)
        worker.ask("/health")
        worker.send(signal.SIGTERM)
        worker.until("draining")
        status, text = worker.ask("/health")
        self.assertEqual((status, json.loads(text)["status"]), (503, "draining"))
        self.assertEqual(worker.ask("/health", "HEAD"), (503, ""))
        for _ in range(PATIENCE * 20):
            (node,) = map(json.loads, self.ok("nodes", "--json", "--store", self.store).splitlines())
            if node["state"] == "draining":
                break
            time.sleep(0.05)
        self.assertEqual(node["state"], "draining")
        self.file("go", "")
        worker.ended()

    def test_a_place_that_cannot_be_is_refused(self):
        for place in ("nowhere", "127.0.0.1:", "127.0.0.1:70000", ":x"):
            status, _, err = ptcvm("worker", "--store", self.store, "--health", place)
            self.assertEqual(status, 2)
            self.assertRegex(err, rf"--health: .*found {place}")


class Operating(WorkerTest):
    def queues(self):
        lines = self.ok("queue", "ls", "--store", self.store, "--json").splitlines()
        return {queue["queue"]: queue for queue in map(json.loads, lines)}

    def test_a_paused_queue_gives_nothing(self):
        self.enqueue("a", "1", "--queue", "q")
        self.ok("queue", "pause", "q", "--store", self.store)
        self.assertNotIn("claimed", self.work("--queue", "q"))
        self.assertIn("paused", self.ok("queue", "ls", "--store", self.store))
        self.ok("queue", "resume", "q", "--store", self.store)
        self.assertIn("claimed", self.work("--queue", "q"))

    def test_a_queue_that_was_not_there_is_said_to_be_new(self):
        self.enqueue("a", "1", "--queue", "orders")
        new = "ptcvm: there was no queue order; it is made now, and empty (ptcvm queue ls)\n"
        for name, said in (("orders", ""), ("order", new)):
            status, _, err = ptcvm("queue", "pause", name, "--store", self.store)
            self.assertEqual((status, err), (0, said))

    def test_limits_are_set_one_by_one(self):
        self.ok("queue", "limit", "q", "--slots", "3", "--rate", "2/m", "--burst", "4", "--store", self.store)
        self.ok("queue", "limit", "q", "--tenant-slots", "1", "--store", self.store)
        queue = self.queues()["q"]
        names = ("slots", "tenant_slots", "starts_per_hour", "burst")
        self.assertEqual([queue[name] for name in names], [3, 1, 120, 4])
        self.ok("queue", "limit", "q", "--slots", "none", "--rate", "none", "--store", self.store)
        self.assertEqual([self.queues()["q"][name] for name in ("slots", "starts_per_hour")], [None, None])
        for words in (("--slots", "many"), ("--rate", "5"), ("--rate", "5/d"), ("--tenant-slots", "-1")):
            status, _, err = ptcvm("queue", "limit", "q", *words, "--store", self.store)
            self.assertEqual(status, 2, words)
            self.assertIn(words[0], err)

    def test_a_rate_holds_over_workers(self):
        self.ok("queue", "limit", "default", "--rate", "1/h", "--burst", "2", "--store", self.store)
        for n in range(5):
            self.enqueue(f"r{n}", "1")
        self.assertEqual((self.work() + self.work()).count("claimed"), 2)

    def test_a_worker_serves_its_queues_within_their_numbers(self):
        for n in range(3):
            self.enqueue(f"a{n}", "(tool/t {})", "--queue", "a")
        self.enqueue("b", "1", "--queue", "b")
        go = self.folder.name + "/go"
        ledger, tool = self.ledger_tool("t", after=f'while ! [ -e "{go}" ]; do sleep 0.05; done; echo 1')
        worker = self.worker("--queue", "a:2", "--queue", "b", *tool)
        worker.until("ended", run="b")
        self.until_lines(ledger, 2)
        self.assertEqual(self.queues()["a"]["held"], 2)
        self.file("go", "")
        worker.until("ended", run="a2")
        worker.stop()
        for queue in ("a:0", ":2", "a:x"):
            status, _, err = ptcvm("worker", "--store", self.store, "--queue", queue)
            self.assertEqual(status, 2)
            self.assertRegex(err, rf"--queue: .*found {queue}")

    def test_nodes_are_listed_and_drained(self):
        worker = self.worker("--node", "shop-1", "--lease", "1s")
        node = worker.until("joined")["node"]
        self.assertIn("shop-1", self.ok("nodes", "--store", self.store))
        (line,) = self.ok("nodes", "--store", self.store, "--json").splitlines()
        self.assertEqual((json.loads(line)["node"], json.loads(line)["state"]), (node, "alive"))
        self.ok("nodes", "--drain", str(node), "--store", self.store)
        worker.ended()
        self.assertEqual(ptcvm("nodes", "--store", self.store), (0, "", "no workers\n"))
        self.assertIn("gone", self.ok("nodes", "--all", "--store", self.store))
        status, _, err = ptcvm("nodes", "--drain", "99", "--store", self.store)
        self.assertEqual((status, "there is no node 99" in err), (65, True))

    def test_a_cancel_ends_a_run_that_waits_and_one_that_runs(self):
        self.enqueue("waits", "(await (tool/ask {}))", "--tenant", "acme")
        ledger, tool = self.ledger_tool(after="exec sleep 1000")
        tool += ("--async-tool", "ask")
        self.enqueue("runs", "(tool/pay {:i 1})")
        worker = self.worker("--lease", "1s", *tool)
        worker.until("waiting", run="waits")
        self.until_lines(ledger, 1)
        self.ok("runs", "cancel", "runs", "--reason", "enough", "--by", "Ann", "--store", self.store)
        self.assertIn("cancelled", worker.until("failed", run="runs")["text"])
        status, _, err = ptcvm("runs", "cancel", "waits", "--reason", "r", "--store", self.store)
        self.assertEqual((status, "another tenant's" in err), (65, True))
        self.assertEqual(self.ok("runs", "cancel", "waits", "--tenant", "acme", "--reason", "r", "--store", self.store),
                         "waits is cancelled\n")
        worker.stop()
        runs = self.runs()
        self.assertEqual([(runs[run]["queue_state"], runs[run]["reason"]) for run in ("runs", "waits")],
                         [("dead", "cancelled"), ("dead", "cancelled")])
        self.assertEqual(runs["waits"]["state"], "cancelled")
        self.assertIn("enough", self.ok("journal", "export", "runs", "--store", self.store))
        status, _, err = ptcvm("runs", "cancel", "nobody", "--reason", "r", "--store", self.store)
        self.assertEqual((status, err), (65, "ptcvm: no queue has a run nobody; `ptcvm runs` lists runs and their "
                                             "queues\n"))
        self.assertEqual(ptcvm("runs", "cancel", "runs", "--store", self.store)[0], 2, "a reason is wanted")

    def test_a_cancel_ends_what_no_worker_can_execute(self):
        self.enqueue("nope", "(tool/nope {})")
        self.enqueue("after", "1", "--after", "nope")
        self.assertEqual(self.ok("runs", "cancel", "nope", "--reason", "r", "--store", self.store),
                         "nope is cancelled\n")
        runs = self.runs()
        self.assertEqual([runs[run]["queue_state"] for run in ("nope", "after")], ["dead", "dependency_failed"])
        self.assertEqual(runs["nope"]["state"], "cancelled")

    def test_a_run_whose_log_is_damaged_is_given_up_and_others_go_on(self):
        self.enqueue("damaged", "1", "--prio", "-1", "--attempts", "1")
        self.enqueue("other", "2")
        with contextlib.closing(sqlite3.connect(self.store, isolation_level=None)) as store:
            store.execute("UPDATE fact SET body = x'2400000050544346' WHERE seq = 1 AND run = "
                          "(SELECT id FROM run WHERE log = 'damaged')")
        worker = self.worker("--slots", "1")
        runs = self.until_runs(lambda runs: runs["other"]["queue_state"] == "done")
        worker.stop()
        self.assertEqual(runs["damaged"]["queue_state"], "dead")
        self.assertIn("store_corrupt", runs["damaged"]["reason"])

    def test_old_runs_are_removed(self):
        for n in range(4):
            self.enqueue(f"r{n}", "1")
        self.enqueue("dead", "(fail 1)", "--attempts", "1")
        self.enqueue("waits", "(sleep 100000000)")
        self.work()
        self.assertEqual(self.ok("store", "prune", "--store", self.store), "removed 0 runs\n")
        status, _, err = ptcvm("store", "prune", "--store", self.store, "--older", "30")
        self.assertEqual(status, 2)
        self.assertIn("--older: must be a span with its unit", err)
        self.assertEqual(self.ok("store", "prune", "--store", self.store, "--older", "0s", "--most", "3"),
                         "removed 3 runs\n")
        self.assertEqual(self.ok("store", "prune", "--store", self.store, "--older", "0s"), "removed 1 run\n")
        self.assertEqual(set(self.runs()), {"dead", "waits"})
        self.assertEqual(self.ok("store", "prune", "--store", self.store, "--older", "0s", "--dead"), "removed 1 run\n")
        self.assertEqual(set(self.runs()), {"waits"})

    def test_a_worker_without_a_store_says_so(self):
        environment = dict(os.environ)
        self.addCleanup(os.environ.update, environment)
        os.environ.pop("PTCVM_STORE", None)
        self.assertIn("which store?", ptcvm("worker", "--until-empty")[2])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
