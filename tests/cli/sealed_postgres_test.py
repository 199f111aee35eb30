#!/usr/bin/env python3
"""Sealed runs in PostgreSQL, as a user types them: everything that sealed_store_test.py says of files except the edits,
which are others here; two processes at once on one run; and workers.

usage: sealed_postgres_test.py PTCVM   (the program under test)"""
import subprocess
import sys
import unittest

import sealed_store_test
from postgres_server import PostgresServer
from ptcvm_process import PTCVM, ptcvm
from worker_process import PostgresStores, WorkerTest

SERVER = None


def setUpModule():
    global SERVER
    SERVER = PostgresServer()
    status, _, err = ptcvm("store", "migrate", "--store", SERVER.new_database("runs"))
    assert status == 0, err


def tearDownModule():
    SERVER.stop()


def emptied():
    SERVER.sql("TRUNCATE ptcvm.run, ptcvm.fact, ptcvm.open_call, ptcvm.parked, ptcvm.waiting, "
               "ptcvm.job, ptcvm.node, ptcvm.queue, ptcvm.schedule, ptcvm.dependent RESTART IDENTITY", "runs")


class SealedDatabase(sealed_store_test.SealedStore):
    def setUp(self):
        super().setUp()
        emptied()
        self.store = SERVER.url("runs")

    def test_a_changed_database_is_refused_by_name(self):
        forged = self.bytes_of(self.park("(await (tool/call {}))", name="forged")).hex()
        for name, change in (
                ("parked_changed", f"UPDATE ptcvm.parked SET snapshot = decode('{forged}', 'hex') WHERE run = 1"),
                ("parked_changed", "DELETE FROM ptcvm.parked WHERE run = 1"),
                ("fact_changed", "UPDATE ptcvm.fact SET body = (SELECT body FROM ptcvm.fact WHERE run = 2 AND seq = 2) "
                                 "WHERE run = 1 AND seq = 2"),
                ("fact_missing", "DELETE FROM ptcvm.fact WHERE run = 1 AND seq = 2"),
                ("wrong_run", "UPDATE ptcvm.run SET log = 'x' WHERE id = 1; "
                              "UPDATE ptcvm.run SET log = 'r' WHERE id = 2"),
                ("not_sealed", "UPDATE ptcvm.run SET seal = NULL WHERE id = 1")):
            emptied()
            self.parked("r")
            self.parked("s")
            SERVER.sql(change, "runs")
            self.assert_refused(self.resume(*self.seal, "--resolve", "op1=1"), name)
            self.assert_refused(ptcvm("journal", "put", "--store", self.store, "r", "go", "2", *self.seal), name)
            status, out, _ = ptcvm("runs", "--store", self.store, "--json", *self.seal)
            self.assertEqual(status, 65)
            self.assertIn("refused " + name, out)

    test_a_copy_is_sealed_when_it_is_imported = None   # copies are files

    def test_two_processes_at_once_write_to_one_run(self):
        self.parked()
        writers = [subprocess.Popen([PTCVM, "journal", "put", "--store", self.store, "r", f"s{i}", "2", "--force",
                                     *self.seal], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for i in range(6)]
        for writer in writers:
            _, err = writer.communicate()
            self.assertEqual(writer.returncode, 0, err)
        log = ptcvm("journal", "export", "--store", self.store, "r", *self.seal)[1]
        self.assertEqual(len([line for line in log.splitlines() if '"external_value"' in line]), 6)
        status, _, err = self.resume(*self.seal, "--resolve", "op1=1")
        self.assertEqual(status, 75, err)

    def test_a_sealed_run_comes_from_a_file_and_goes_back(self):
        database, self.store = self.store, self.path("runs.db")
        self.parked()
        for source, target in ((self.store, database), (database, self.store)):
            status, _, err = ptcvm("runs", "move", "r", "--store", source, "--to", target, *self.seal)
            self.assertEqual(status, 0, err)
        status, _, err = self.resume(*self.seal, "--resolve", "op1=1")
        self.assertEqual(status, 75, err)


class SealedWorkers(PostgresStores, WorkerTest):
    def setUp(self):
        super().setUp()
        self.ring = self.folder.name + "/ring.json"
        self.ok("keys", "new", self.ring, "--id", "a")
        self.keys = ("--keys", self.ring)
        self.seal = (*self.keys, "--tenant", "acme")

    def sql(self, text):
        self.server.sql(text, self.store.split("?")[0].rsplit("/", 1)[1])

    def assert_refused(self, answer, name):
        status, out, err = answer
        self.assertEqual((status, out), (65, ""), err)
        self.assertIn(name, err)

    def test_a_worker_with_the_ring_executes_runs_of_all_tenants(self):
        self.enqueue("a", "(+ 1 2)", *self.seal)
        self.enqueue("b", "(+ 1 2)", *self.keys)
        self.assertNotIn("claimed", self.work(), "a worker without the ring leaves them alone")
        self.assertEqual(self.work(*self.keys).count("ended"), 2)
        self.assertEqual(ptcvm("runs", "--store", self.store, *self.seal)[0], 0)
        put = ("journal", "put", "--store", self.store, "a", "x", "2", "--force")
        self.assert_refused(ptcvm(*put), "store_wrong_tenant")
        self.assert_refused(ptcvm(*put, "--tenant", "acme"), "keys_needed")

    def test_a_worker_gives_up_what_is_not_sealed_or_was_changed(self):
        self.enqueue("plain", "1", "--tenant", "acme")
        self.enqueue("changed", "1", *self.seal)
        self.sql("SELECT ptcvm.enqueue_program('by-sql', '(+ 1 2)', tenant => 'acme'); "
                   "UPDATE ptcvm.fact SET time_ms = 1 WHERE run = (SELECT id FROM ptcvm.run WHERE log = 'changed')")
        self.assertEqual(self.work(*self.keys).count("given_up"), 3)
        runs = self.runs()
        self.assertEqual({run["queue_state"] for run in runs.values()}, {"dead"})
        self.assertIn("not_sealed", runs["plain"]["reason"])
        self.assertIn("not_sealed", runs["by-sql"]["reason"])
        self.assertIn("fact_changed", runs["changed"]["reason"])

    def test_a_worker_with_another_ring_gives_nothing_up(self):
        self.enqueue("a", "(+ 1 2)", *self.seal)
        other = self.folder.name + "/other.json"
        self.ok("keys", "new", other, "--id", "k2")
        worker = self.worker("--keys", other)
        self.assertIn("unknown_key", worker.until("failed", run="a")["text"])
        self.assertNotIn("given_up", worker.stop())
        worker = self.worker(*self.keys)
        worker.until("ended", run="a")
        worker.stop()

    def test_a_run_waits_and_goes_on_on_another_worker(self):
        self.enqueue("w", '(inc (await-signal "go"))', *self.seal)
        self.assertIn("waiting", self.work(*self.keys))
        status, _, err = ptcvm("journal", "put", "--store", self.store, "w", "go", "2", *self.seal)
        self.assertEqual(status, 0, err)
        self.assertIn("ended", self.work(*self.keys))
        self.assertEqual(self.runs()["w"]["state"], "ended ok")

    def test_a_run_is_cancelled_with_the_ring_only(self):
        self.enqueue("a", "1", *self.seal)
        order = ("runs", "cancel", "a", "--reason", "why", "--tenant", "acme", "--store", self.store)
        self.assert_refused(ptcvm(*order), "keys_needed")
        self.assertEqual(ptcvm(*order, "--keys", self.ring)[0], 0)
        self.work(*self.keys)
        self.assertEqual(self.runs()["a"]["queue_state"], "dead")

    def test_a_schedule_that_somebody_changed_does_not_fire(self):
        program = self.file("p.ptc", "1")
        for name in ("good", "bad"):
            status, _, err = ptcvm("schedule", "put", name, program, "--cron", "* * * * *", "--store", self.store,
                                   *self.seal)
            self.assertEqual(status, 0, err)
        self.sql("UPDATE ptcvm.schedule SET next_ms = next_ms - 60000; "
                   "UPDATE ptcvm.schedule SET queue = 'x' WHERE name = 'bad'")
        worker = self.worker(*self.keys)
        worker.until("scheduled")
        events = worker.stop()
        self.assertIn("seal_refused", events)
        out = ptcvm("schedule", "ls", "--store", self.store, "--keys", self.ring)[1]
        self.assertIn("refused schedule_changed", out)
        self.assertEqual({run.split("/")[0] for run in self.runs()}, {"good"})


del sealed_store_test.SealedStore   # its tests of a file are another program

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
