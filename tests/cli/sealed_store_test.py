#!/usr/bin/env python3
"""Runs in a store that are sealed: what somebody without the key ring did to the database is refused by its name.

usage: sealed_store_test.py PTCVM   (the program under test)"""
import os
import sqlite3
import sys
import unittest

from ptcvm_process import SnapshotTest, ptcvm

PROGRAM = '[(task "greet" (str "hel" "lo")) (await (tool/call {})) (await-signal "go")]'
TOOL = SnapshotTest.TOOL


class SealedStore(SnapshotTest):
    def setUp(self):
        super().setUp()
        self.ring = self.path("ring.json")
        self.assertEqual(ptcvm("keys", "new", self.ring, "--id", "a")[0], 0)
        self.seal = ("--keys", self.ring, "--tenant", "acme")
        self.store = self.path("runs.db")
        self.program = self.file("stored.ptc", PROGRAM)

    def run_it(self, *options, run="r"):
        return ptcvm("run", self.program, *TOOL, "--store", self.store, "--id", run, *options)

    def parked(self, run="r"):
        """A run that waits for its tool."""
        status, _, err = self.run_it(*self.seal, run=run)
        self.assertEqual(status, 75, err)

    def resume(self, *options, run="r"):
        return ptcvm("resume", "--store", self.store, run, *TOOL, *options)

    def change(self, *statements):
        database = sqlite3.connect(self.store)
        with database:
            for statement in statements:
                self.assertGreater(database.execute(statement).rowcount, 0, statement)
        database.close()

    def assert_refused(self, answer, name):
        status, out, err = answer
        self.assertEqual((status, out), (65, ""), err)
        self.assertIn(name, err)

    def test_a_sealed_run_waits_and_goes_on(self):
        self.parked()
        status, _, err = self.resume(*self.seal, "--resolve", "op1=1")
        self.assertEqual(status, 75, err)
        status, _, err = ptcvm("journal", "put", "--store", self.store, "r", "go", "2", *self.seal)
        self.assertEqual(status, 0, err)
        self.assertEqual(self.resume(*self.seal), (0, '["hello" 1 2]\n', ""))
        self.assertEqual(self.run_it(*self.seal), (0, '["hello" 1 2]\n', ""))

    def test_a_prompt_of_a_sealed_run_asks_for_its_ring(self):
        self.parked()
        status, out, err = ptcvm("repl", "r", "--store", self.store, *TOOL, stdin="1\n2\n")
        self.assertEqual((status, out), (65, ""))
        self.assertEqual(err.count("keys_needed: the log of r is sealed: give its key ring with --keys RING"), 1, err)
        self.assertNotIn("not over", err)

    def test_work_says_that_a_seal_refused_all_logs(self):
        self.parked()
        self.assertEqual(ptcvm("resolve", "r", "op1", "1", "--store", self.store, *self.seal)[0], 0)
        status, out, err = ptcvm("work", "--store", self.store, "--once")
        self.assertEqual(status, 65, err)
        self.assertIn("keys_needed", out)

    def test_work_with_a_ring_names_no_log_that_the_store_keeps_for_itself(self):
        self.parked()
        target = self.path("other.db")
        moved = ptcvm("runs", "move", "r", "--store", self.store, "--to", target, *self.seal)
        self.assertEqual(moved[0], 0, moved[2])
        for store in (self.store, target):
            status, out, err = ptcvm("work", "--store", store, *self.seal, "--once")
            self.assertEqual((status, out, err), (0, "", ""), store)

    def test_it_opens_for_whom_it_was_sealed(self):
        self.parked()
        other, impostor = self.path("other.json"), self.path("impostor.json")
        ptcvm("keys", "new", other, "--id", "b")
        ptcvm("keys", "new", impostor, "--id", "a")
        for options, name in (((), "keys_needed"), (("--keys", self.ring), "wrong_tenant"),
                              (("--keys", other, "--tenant", "acme"), "unknown_key"),
                              (("--keys", impostor, "--tenant", "acme"), "bad_signature"),
                              (("--keys", self.path("no-ring")), "cannot read"),
                              ((*self.seal, "--expect-run", "s"), "wrong_run"),
                              ((*self.seal, "--expect-sequence", "99"), "rolled_back"),
                              ((*self.seal, "--expect-sequence", "1"), "wrong_sequence")):
            self.assert_refused(self.resume(*options), name)
            self.assert_refused(self.run_it(*options), name)
        facts = len(ptcvm("journal", "export", "--store", self.store, "r", *self.seal)[1].splitlines())
        status, _, err = self.resume(*self.seal, "--expect-run", "r", "--expect-sequence", str(facts))
        self.assertEqual(status, 75, err)

    def test_a_changed_database_is_refused_by_name(self):
        forged = "x'" + self.bytes_of(self.park("(await (tool/call {}))", name="forged")).hex() + "'"
        for name, *statements in (
                ("parked_changed", f"UPDATE parked SET snapshot = {forged} WHERE run = 1"),
                ("parked_changed", "DELETE FROM parked WHERE run = 1"),
                ("fact_changed", "UPDATE fact SET body = (SELECT body FROM fact WHERE run = 2 AND seq = 2) "
                                 "WHERE run = 1 AND seq = 2"),
                ("fact_changed", "UPDATE fact SET key = NULL WHERE run = 1 AND key LIKE 'task/%'"),
                ("fact_missing", "DELETE FROM fact WHERE run = 1 AND seq = (SELECT max(seq) FROM fact WHERE run = 1)"),
                ("fact_missing", "DELETE FROM fact WHERE run = 1 AND seq = 2"),
                ("wrong_run", "UPDATE run SET log = 'x' WHERE id = 1", "UPDATE run SET log = 'r' WHERE id = 2"),
                ("not_sealed", "UPDATE run SET seal = NULL WHERE id = 1")):
            if os.path.exists(self.store):
                os.remove(self.store)
            self.parked("r")
            self.parked("s")
            self.change(*statements)
            self.assert_refused(self.resume(*self.seal, "--resolve", "op1=1"), name)
            self.assert_refused(self.run_it(*self.seal), name)
            self.assert_refused(ptcvm("journal", "put", "--store", self.store, "r", "go", "2", *self.seal), name)

    def test_a_run_that_was_begun_without_a_ring_is_refused_with_one(self):
        self.assertEqual(self.run_it()[0], 75)
        self.assert_refused(self.run_it(*self.seal), "not_sealed")
        self.assertEqual(self.run_it()[0], 75)

    def test_a_copy_is_sealed_when_it_is_imported(self):
        self.assertEqual(self.run_it()[0], 75)
        log = self.path("log.jsonl")
        status, out, err = ptcvm("journal", "export", "--store", self.store, "r")
        self.assertEqual(status, 0, err)
        self.write("log.jsonl", out.encode())
        self.store = self.path("sealed.db")
        status, _, err = ptcvm("journal", "import", "--store", self.store, "r", log, *self.seal)
        self.assertEqual(status, 0, err)
        self.assertEqual(self.run_it(*self.seal)[0], 75)
        self.assert_refused(self.run_it(), "keys_needed")

    def test_a_sealed_log_is_read_without_a_ring(self):
        self.parked()
        self.assertIn("greet", ptcvm("journal", "show", "--store", self.store, "r")[1])
        self.assertIn("r ", ptcvm("runs", "--store", self.store)[1])
        self.assert_refused(ptcvm("journal", "put", "--store", self.store, "r", "go", "2", "--force"), "keys_needed")
        self.assert_refused(ptcvm("resolve", "--store", self.store, "r", "op1", "2"), "keys_needed")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
