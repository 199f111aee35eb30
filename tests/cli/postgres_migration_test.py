#!/usr/bin/env python3
"""Stores in PostgreSQL that earlier versions wrote go on after ptcvm store migrate.

usage: postgres_migration_test.py PTCVM   (the program under test)

tests/postgres/stores/N.sql.gz is what pg_dump says of a store of version N. The program of that version made it:

    run waits.ptc --id waits --async-tool approve                            waits for a tool, behind a task
    eval '(task "done" 5)' --id over
    enqueue waits.ptc --id asks; worker --until-empty --async-tool approve   waits in the queue "default"
    enqueue q.ptc --id queued --queue orders --prio -3 --data {"n": 7}       (* 6 data/n)
    enqueue after.ptc --id after --after queued --after asks --queue orders  (+ 1 1)
    enqueue timer.ptc --id timer --in 10000h --queue orders                  (+ 2 2)

The files are kept: no later version writes them again. A store of version 9 has the tables of version 10."""
import gzip
import json
import pathlib
import sys
import unittest

from postgres_server import PostgresServer
from ptcvm_process import CommandLineTest, ptcvm

STORES = pathlib.Path(__file__).resolve().parent.parent / "postgres" / "stores"
TOOL = ("--async-tool", "approve")


class FromVersion12(CommandLineTest):
    VERSION = FILE = 12

    @classmethod
    def setUpClass(cls):
        cls.server = PostgresServer()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        super().setUp()
        self.database = self.id().rsplit(".", 1)[1][:60]
        self.url = self.server.new_database(self.database)
        self.server.sql(gzip.decompress((STORES / f"{self.FILE}.sql.gz").read_bytes()).decode(), self.database)
        self.server.sql(f"update ptcvm.meta set version = {self.VERSION}", self.database)

    def ptcvm(self, *words, status=0):
        got, out, err = ptcvm(*words, "--store", self.url)
        self.assertEqual(got, status, (words, out, err))
        return out if status == 0 else err

    def rows(self):
        return {row["id"]: row for row in map(json.loads, self.ptcvm("runs", "--json").splitlines())}

    def facts(self, run):
        return [json.loads(line) for line in self.ptcvm("journal", "export", run).splitlines()]

    def test_the_store_is_refused_until_it_is_migrated(self):
        self.assertIn(f"the store has version {self.VERSION}", self.ptcvm("runs", status=65))
        self.ptcvm("store", "migrate")
        self.ptcvm("store", "migrate")   # changes nothing
        self.assertEqual(len(self.rows()), 6)

    def test_a_run_that_waits_goes_on(self):
        self.ptcvm("store", "migrate")
        self.assertEqual(self.rows()["waits"]["state"], "waiting")
        self.ptcvm("resolve", "waits", "op1", '"yes"')
        self.assertIn('"21 yes"', self.ptcvm("resume", "waits", *TOOL))

    def test_facts_say_what_they_said(self):
        self.ptcvm("store", "migrate")
        kinds = [fact["kind"] for fact in self.facts("over")]
        self.assertEqual(kinds, ["run_started", "task_committed", "turn_ended"])
        self.assertEqual(self.ptcvm("eval", '(task "done" (/ 1 0))', "--id", "over"), "5\n")
        self.assertEqual(len(self.facts("over")), 5)

    def test_jobs_are_as_they_were(self):
        self.ptcvm("store", "migrate")
        jobs = {run: (row["queue"], row["queue_state"], row["priority"]) for run, row in self.rows().items()
                if "queue" in row}
        self.assertEqual(jobs, {"asks": ("default", "waiting", 0), "queued": ("orders", "ready", -3),
                                "after": ("orders", "blocked", 0), "timer": ("orders", "timer", 0)})

    def test_jobs_are_executed_each_after_those_before_it(self):
        self.ptcvm("store", "migrate")
        worker = ("worker", "--until-empty", "--queue", "orders", "--queue", "default", *TOOL)
        self.ptcvm(*worker)
        self.assertEqual(self.facts("queued")[-1]["value"], "42")
        self.assertEqual(self.rows()["after"]["queue_state"], "blocked")
        self.ptcvm("resolve", "asks", "op1", '"yes"')
        self.ptcvm(*worker)
        self.assertEqual((self.facts("asks")[-1]["value"], self.facts("after")[-1]["value"]), ('"21 yes"', "2"))
        self.assertEqual(self.rows()["timer"]["queue_state"], "timer")


class FromVersion11(FromVersion12):
    VERSION = FILE = 11


class FromVersion10(FromVersion11):
    VERSION = FILE = 10


class FromVersion9(FromVersion10):
    VERSION = 9


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
