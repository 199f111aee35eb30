#!/usr/bin/env python3
"""Jobs that an application enqueues in a transaction of its own, in each isolation level, as two sessions see it.

usage: host_transactions_test.py PTCVM   (the program under test)"""
import json
import queue
import subprocess
import sys
import threading
import unittest

from worker_process import PATIENCE, PostgresStores, WorkerTest

SERIALIZATION_FAILURE = "40001"


class Session:
    """A psql in a process of its own."""

    def __init__(self, test, server, url):
        self.process = subprocess.Popen([server.binaries + "/psql", url, "-tAqX", "-v", "VERBOSITY=sqlstate"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        test.addCleanup(self.end)

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def send(self, sql):
        self.process.stdin.write(sql + ";\n\\echo over\n")
        self.process.stdin.flush()

    def answer(self):
        """The lines that the server said; an error is a line that ends with its SQLSTATE."""
        out = []
        while (line := self.lines.get(timeout=PATIENCE)) != "over":
            out.append(line)
        return "\n".join(out)

    def do(self, sql):
        self.send(sql)
        return self.answer()

    def enqueue(self, run, tenant="acme"):
        return self.do(f"select ptcvm.enqueue_program('{run}', '1', tenant => '{tenant}')")

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class HostTransactions(PostgresStores, WorkerTest):
    LEVELS = ("read committed", "repeatable read", "serializable")

    def sessions(self):
        return Session(self, self.server, self.store), Session(self, self.server, self.store)

    def seen(self):
        """What the store has, besides the identity of the store: runs, facts and jobs."""
        return self.server.sql("select (select count(*) from ptcvm.run), (select count(*) from ptcvm.fact), "
                               "(select count(*) from ptcvm.job)", self.store.split("?")[0].split("/")[-1])

    def test_a_job_is_made_in_every_level(self):
        host, _ = self.sessions()
        for number, level in enumerate(self.LEVELS):
            host.do(f"begin isolation level {level}")
            self.assertEqual(host.enqueue(f"r{number}"), "t")
            self.assertEqual(host.enqueue(f"r{number}"), "f")
            self.assertEqual(host.do("commit"), "")
        self.assertEqual(self.work().count("ended"), 3)

    def test_an_id_that_came_after_the_snapshot_is_a_failure_to_try_again(self):
        host, other = self.sessions()
        for number, level in enumerate(self.LEVELS):
            host.do(f"begin isolation level {level}; select 1")
            self.assertEqual(other.enqueue(f"r{number}"), "t")
            before = self.seen()
            said = host.enqueue(f"r{number}")
            if level == "read committed":
                self.assertEqual(said, "f", "there already")
            else:
                self.assertIn(SERIALIZATION_FAILURE, said)
            host.do("rollback")
            self.assertEqual(self.seen(), before, "nothing is half done")
            self.assertEqual(host.enqueue(f"r{number}"), "f", "the second try sees it")

    def test_two_that_make_one_id_at_once_wait_and_one_is_told(self):
        host, other = self.sessions()
        for number, level in enumerate(self.LEVELS):
            for session in (host, other):
                session.do(f"begin isolation level {level}; select 1")
            self.assertEqual(host.enqueue(f"r{number}"), "t")
            other.send(f"select ptcvm.enqueue_program('r{number}', '1', tenant => 'acme')")
            host.do("commit")
            said = other.answer()
            self.assertEqual(said[-5:] if number else said, SERIALIZATION_FAILURE if number else "f")
            other.do("rollback")

    def test_a_run_that_came_after_the_snapshot_gets_no_part_of_another_tenant(self):
        host, other = self.sessions()
        for number, level in enumerate(self.LEVELS):
            host.do(f"begin isolation level {level}; select 1")
            self.assertEqual(other.enqueue(f"r{number}", "evil"), "t")
            said = host.enqueue(f"r{number}/part")
            self.assertIn("42501" if level == "read committed" else SERIALIZATION_FAILURE, said)
            host.do("rollback")

    def test_a_part_that_came_after_the_snapshot_makes_no_run_of_another_tenant(self):
        """The transaction cannot see the part. So the job ends when a worker would take it, and the reason says why."""
        host, other = self.sessions()
        for number, level in enumerate(self.LEVELS):
            host.do(f"begin isolation level {level}; select 1")
            self.assertEqual(other.enqueue(f"own{number}/part"), "t")
            self.assertEqual(host.enqueue(f"own{number}"), "t")
            self.assertEqual(other.enqueue(f"r{number}/part", "evil"), "t")
            said = host.enqueue(f"r{number}")
            if level == "read committed":
                self.assertIn("42501", said)
            else:
                self.assertEqual(said, "t")
            host.do("commit")
        host.do("begin isolation level repeatable read; select 1")
        self.assertEqual(other.enqueue("many2/part", "evil"), "t")
        self.assertEqual(host.do("select ptcvm.enqueue_program(id, '1', tenant => 'acme') "
                                 "from unnest(array['many1', 'many2']) id"), "t\nt")
        host.do("commit")
        events = self.work()
        self.assertEqual(events.count("ended"), 3 + 2 + 3 + 1 + 1, events)
        dead = {run: row["reason"] for run, row in self.runs().items() if row.get("queue_state") == "dead"}
        self.assertEqual(sorted(dead), ["many2", "r1", "r2"])
        self.assertTrue(all(reason.startswith("store_wrong_tenant: ") for reason in dead.values()), dead)

    def test_a_database_whose_transactions_begin_in_another_level(self):
        name = self.store.split("?")[0].split("/")[-1]
        tools = self.file("tools.json", '[{"name": "ask", "mode": "async"}]')
        for level in self.LEVELS[1:]:
            self.server.sql(f"alter database {name} set default_transaction_isolation = '{level}'")
            run = level.split()[0]
            self.enqueue(run, "(+ 1 (await (tool/ask {})))")
            lines = "\n".join(json.dumps({"id": f"{run}-{n}"}) for n in range(200))
            self.assertEqual(self.ok("enqueue", self.file("one.ptc", "1"), "--store", self.store, "--bulk",
                                     self.file("jobs.jsonl", lines)), "enqueued 200\n")
            events = self.work("--tools", tools)
            self.assertEqual((events.count("ended"), events.count("waiting")), (200, 1), events)
            self.ok("resolve", run, "op1", "41", "--store", self.store)
            self.assertEqual(self.work("--tools", tools).count("ended"), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
