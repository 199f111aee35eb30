#!/usr/bin/env python3
"""What people do with runs of queues beside the workers: they end them, name their tenants, retry and remove them.

usage: worker_people_test.py PTCVM   (the program under test)"""
import json
import sqlite3
import time
import unittest

from ptcvm_process import ptcvm
from worker_process import PostgresStores, WorkerTest

ASKS = "(await (tool/ask {}))"
ASK = ("--async-tool", "ask")


class People(WorkerTest):
    """In SQLite."""

    def refused(self, *words, said):
        status, out, err = ptcvm(*words, "--store", self.store)
        self.assertEqual((status, out), (65, ""), (words, err))
        self.assertIn(said, err, words)

    def states(self):
        return {run: row["queue_state"] for run, row in self.runs().items() if "queue" in row}

    # A run that ends without a worker.

    def test_a_run_that_ends_by_a_command_is_done_in_its_queue(self):
        self.enqueue("waits", ASKS)
        self.enqueue("after", "2", "--after", "waits")
        self.assertIn("waiting", self.work(*ASK))
        self.ok("resolve", "waits", "op1", "5", "--store", self.store)
        self.assertEqual(self.ok("resume", "waits", *ASK, "--store", self.store), "5\n")
        self.assertEqual(self.states(), {"waits": "done", "after": "ready"})
        self.enqueue("new", "(+ 3 4)")
        program = self.file("new.ptc", "(+ 3 4)")
        self.assertEqual(self.ok("run", program, "--id", "new", "--store", self.store), "7\n")
        self.assertEqual(self.states()["new"], "done")
        (queue,) = map(json.loads, self.ok("queue", "ls", "--json", "--store", self.store).splitlines())
        self.assertEqual((queue["ready"], queue["waiting"]), (1, 0), "the job after the first one")

    def test_a_turn_that_fails_by_a_command_is_left_to_a_worker(self):
        self.enqueue("fails", ASKS + "(tool/pay {})")
        self.assertIn("waiting", self.work(*ASK, "--tool", "pay=echo 1"))
        self.ok("resolve", "fails", "op1", "5", "--store", self.store)
        status, _, _ = ptcvm("resume", "fails", *ASK, "--tool", "pay=exit 1", "--store", self.store)
        self.assertEqual(status, 1)
        self.assertEqual(self.states(), {"fails": "ready"})

    def test_a_run_that_was_cancelled_goes_on_after_a_retry_only(self):
        self.enqueue("a", ASKS)
        self.work(*ASK)
        self.ok("runs", "cancel", "a", "--reason", "no", "--store", self.store)
        for words in (("resume", "a", *ASK), ("run", self.file("a.ptc", ASKS), "--id", "a", *ASK)):
            self.refused(*words, said="run_cancelled")
        self.ok("runs", "retry", "a", "--store", self.store)
        self.ok("resolve", "a", "op1", "5", "--store", self.store)
        self.assertEqual(self.ok("resume", "a", *ASK, "--store", self.store), "5\n")

    # Tenants.

    def test_a_run_of_a_tenant_is_refused_without_its_name(self):
        self.enqueue("theirs", ASKS, "--tenant", "acme")
        self.work(*ASK)
        commands = [("journal", verb, "theirs", *words) for verb, *words in (
            ("show",), ("log",), ("export",), ("put", "x", "1", "--force"), ("reset", "t"))]
        commands += [("resolve", "theirs", "op1", "5"), ("resume", "theirs", *ASK), ("doubt", "list", "theirs"),
                     ("run", self.file("p.ptc", ASKS), "--id", "theirs", *ASK), ("runs", "retry", "theirs"),
                     ("runs", "cancel", "theirs", "--reason", "r"),
                     ("journal", "put", "theirs/steps", "x", "1", "--force"),
                     ("runs", "fork", "theirs", "--at", "1", "--as", "mine"),
                     ("runs", "move", "theirs", "--to", self.folder.name + "/mine.db"),
                     ("runs", "pull", "theirs", "--to", self.folder.name + "/mine.db")]
        for words in commands:
            for tenant in ((), ("--tenant", "evil")):
                self.refused(*words, *tenant, said="another tenant's")
        self.ok("journal", "show", "theirs", "--tenant", "acme", "--store", self.store)
        self.ok("resolve", "theirs", "op1", "5", "--tenant", "acme", "--store", self.store)
        self.assertEqual(self.ok("resume", "theirs", *ASK, "--tenant", "acme", "--store", self.store), "5\n")
        self.assertEqual(self.states(), {"theirs": "done"})

    def test_a_run_of_nobody_is_refused_with_a_name(self):
        self.enqueue("ours", ASKS)
        self.refused("journal", "show", "ours", "--tenant", "acme", said="store_wrong_tenant")
        self.ok("journal", "show", "ours", "--store", self.store)

    def test_what_a_command_shows_names_the_tenant(self):
        self.enqueue("theirs", ASKS, "--tenant", "acme inc")
        program = self.file("p.ptc", ASKS)
        status, _, err = ptcvm("run", program, "--id", "theirs", *ASK, "--tenant", "acme inc", "--store", self.store)
        self.assertEqual(status, 75)
        self.assertIn("--tenant 'acme inc'", err)

    # Retries, lists, old runs.

    def test_a_retry_of_nothing_is_refused(self):
        self.enqueue("done", "1")
        self.enqueue("fails", "(fail 1)", "--attempts", "1")
        self.enqueue("after", "1", "--after", "fails")
        self.work()
        self.refused("runs", "retry", "done", said="nothing is retried: done is done")
        self.refused("runs", "retry", "after", said="because the run fails was given up; retry that run")
        self.enqueue("ready", "1")
        self.refused("runs", "retry", "ready", said="nothing is retried: ready is ready")

    def test_a_job_that_ended_because_of_two_runs_names_the_one_that_still_is_given_up(self):
        for run in ("a", "x"):
            self.enqueue(run, "(tool/pay {})", "--attempts", "1")
        self.enqueue("b", "1", "--after", "a", "--after", "x")
        self.work("--tool", "pay=exit 1")
        self.assertEqual(self.runs()["b"]["queue_state"], "dependency_failed")
        self.ok("runs", "retry", "a", "--store", self.store)
        self.work("--tool", "pay=echo 1")
        self.assertEqual(self.runs()["b"]["reason"], "the run x was given up")
        self.ok("runs", "retry", "x", "--store", self.store)
        self.work("--tool", "pay=echo 1")
        self.assertEqual((self.states()["b"], self.runs()["b"]["reason"]), ("done", ""))

    def test_a_chain_of_runs_that_were_given_up_is_removed_at_once(self):
        self.enqueue("r0", "(fail 1)", "--attempts", "1")
        for n in range(1, 5):
            self.enqueue(f"r{n}", "1", "--after", f"r{n - 1}")
        self.work()
        self.assertEqual(set(self.states().values()), {"dead", "dependency_failed"})
        self.assertEqual(self.ok("store", "prune", "--older", "0s", "--dead", "--store", self.store),
                         "removed 5 runs\n")
        self.assertEqual(self.runs(), {})

    def test_a_copy_is_listed_as_one(self):
        self.enqueue("new", "1")
        self.enqueue("waits", ASKS)
        self.work("--queue", "other")
        ptcvm("run", self.file("waits.ptc", ASKS), "--id", "waits", *ASK, "--store", self.store)
        copies = self.folder.name + "/copies.db"
        for run in ("new", "waits"):
            self.ok("runs", "pull", run, "--store", self.store, "--to", copies)
        listed = map(json.loads, self.ok("runs", "--json", "--store", copies).splitlines())
        self.assertEqual({row["id"]: row["state"] for row in listed}, {"new": "copy", "waits": "copy"})

    def test_the_last_moment_of_a_schedule_is_the_newest_that_is_over(self):
        program = self.file("p.ptc", "1")
        for name, missed in (("latest", "last"), ("every", "all"), ("never", "none")):
            self.ok("schedule", "put", name, program, "--cron", "0 0 * * *", "--missed", missed, "--store", self.store)
        self.set_next((int(time.time()) // 86_400 - 3) * 86_400_000)   # three days ago, at midnight
        self.work()
        today = int(time.time()) // 86_400 * 86_400_000
        rows = {row["name"]: row for row in map(json.loads, self.ok(
            "schedule", "ls", "--json", "--store", self.store).splitlines())}
        for name, fired in (("latest", 1), ("every", 4), ("never", 0)):
            self.assertLessEqual(today - rows[name]["last_ms"], 0, rows[name])
            self.assertGreaterEqual(rows[name]["fired"], fired)

    def set_next(self, moment):
        with sqlite3.connect(self.store) as store:
            store.execute("UPDATE schedule SET next_ms = ?", (moment,))


class PeopleInPostgres(PostgresStores, People):
    """In PostgreSQL."""

    def set_next(self, moment):
        self.server.sql(f"UPDATE ptcvm.schedule SET next_ms = {moment}", self.store.split("/")[3].split("?")[0])


if __name__ == "__main__":
    unittest.main(argv=["worker_people_test"])
