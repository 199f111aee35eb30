#!/usr/bin/env python3
"""Lists of runs in PostgreSQL: what they show, and that they ask the database for pages and not for each run.

usage: postgres_lists_test.py PTCVM   (the program under test)"""
import json
import threading
import unittest

from postgres_server import PostgresServer
from ptcvm_process import CommandLineTest, ptcvm

SERVER = None


def setUpModule():
    global SERVER
    SERVER = PostgresServer("fsync=off", "autovacuum=off")   # every transaction is one of a command
    status, out, err = ptcvm("store", "migrate", "--store", SERVER.new_database("runs"))
    assert (status, out, err) == (0, "made the store\n", ""), (status, out, err)


def tearDownModule():
    SERVER.stop()


def transactions():
    """Of all sessions that have ended. A session tells what it did before it goes."""
    while SERVER.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = 'runs'") != "0":
        threading.Event().wait(0.01)
    return int(SERVER.sql("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'runs'"))


class Lists(CommandLineTest):
    def setUp(self):
        super().setUp()
        SERVER.sql("TRUNCATE ptcvm.run, ptcvm.fact, ptcvm.open_call, ptcvm.parked, ptcvm.waiting, ptcvm.job, "
                   "ptcvm.queue RESTART IDENTITY", "runs")
        self.store = ("--store", SERVER.url("runs"))

    def begin(self, name, source, *words, status=0):
        done = ptcvm("eval", source, "--id", name, *self.store, *words)
        self.assertEqual(done[0], status, done)

    def five_runs(self, name):
        """One that has ended, two that wait, one in doubt, one in a queue."""
        self.begin(name + "-ended", "1")
        self.begin(name + "-waits", "(await (tool/ask {}))", "--async-tool", "ask", status=75)
        self.begin(name + "-signal", '(await-signal "go")', status=75)
        self.begin(name + "-doubt", '(task "t" (tool/pay {}))', "--tool-shell", "pay=kill -9 $PPID", status=-9)
        self.assertEqual(ptcvm("enqueue", self.file("p.ptc", "1"), "--id", name + "-queued", *self.store)[0], 0)

    def listed(self, *words):
        """(lines, transactions)"""
        before = transactions()
        status, out, err = ptcvm(*words, *self.store)
        self.assertEqual((status, err), (0, ""))
        return out.splitlines(), transactions() - before

    def test_runs_are_shown_with_what_they_wait_for(self):
        self.five_runs("a")
        runs = {run["id"]: run for run in map(json.loads, self.listed("runs", "--json")[0])}
        self.assertEqual({name: (run["state"], run["waits_for"]) for name, run in runs.items()},
                         {"a-ended": ("ended ok", ""), "a-waits": ("waiting", "op1"), "a-signal": ("waiting", "go"),
                          "a-doubt": ("interrupted", ""), "a-queued": ("queued", "")})
        self.assertEqual(runs["a-queued"]["queue_state"], "ready")
        self.assertNotIn("queue", runs["a-ended"])

    def test_doubts_are_shown(self):
        self.five_runs("a")
        (line,) = self.listed("doubt", "list", "--json")[0]
        self.assertEqual((json.loads(line)["run"], json.loads(line)["tool"]), ("a-doubt", "pay"))

    def test_fifteen_runs_cost_no_more_calls_than_five(self):
        lists = (("runs",), ("runs", "--json"), ("doubt", "list", "--json"))
        self.five_runs("a")
        few = [self.listed(*words)[1] for words in lists]
        self.five_runs("b")
        self.five_runs("c")
        many = [self.listed(*words)[1] for words in lists]
        self.assertEqual(many, few)
        self.assertLess(max(many), 10)

    def test_commands_about_doubts_cost_a_call_for_each_run_and_one_for_all(self):
        """The commands name the ring of a run, which each run is asked for, and its tenant and whether it was
        cancelled, for which all are asked at once. A statement that is given again is prepared, in one more."""
        self.five_runs("a")
        self.begin("a-doubts", "(pmap (fn [n] (tool/pay {:n n})) (range 5))", "--tool-shell", "pay=kill -9 $PPID",
                   status=-9)
        plain = self.listed("doubt", "list", "--json")[1]
        for name in "bc":
            self.five_runs(name)
        lines, calls = self.listed("doubt", "list")
        self.assertGreater(len([line for line in lines if "(unsafe" in line]), 4)
        self.assertLessEqual(calls - plain, 4 + 1 + 1)

    def test_a_log_with_many_facts_is_shown_too(self):
        self.begin("long", "(do " + " ".join(f'(task "t{n}" {n})' for n in range(150)) + " (tool/pay {}))",
                   "--tool-shell", "pay=kill -9 $PPID", status=-9)
        (line,) = self.listed("doubt", "list", "--json")[0]
        self.assertEqual(json.loads(line)["run"], "long")
        (line,) = self.listed("runs", "--json")[0]
        self.assertEqual(json.loads(line)["state"], "interrupted")


if __name__ == "__main__":
    unittest.main(argv=["postgres_lists_test"])
