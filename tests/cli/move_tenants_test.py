#!/usr/bin/env python3
"""Forks, copies and runs that move stay with their tenant, and a copy is no job, as a user types it: between files and
databases.

usage: move_tenants_test.py PTCVM   (the program under test)"""
import sys
import unittest

import moves_test
from ptcvm_process import ptcvm

setUpModule, tearDownModule = moves_test.setUpModule, moves_test.tearDownModule


class Tenants(moves_test.MoveTest):
    def pairs(self):
        return (self.store, self.other()), (self.database(), self.database())

    def test_a_fork_of_a_tenants_run_has_a_name_below_it(self):
        for store in (self.store, self.database()):
            self.ok("enqueue", self.program, "--store", store, "--id", "job", "--tenant", "acme")
            fork = ("runs", "fork", "job", "--at", "1", "--store", store, "--tenant", "acme", "--as")
            err = self.refused(*fork, "job-again")
            self.assertIn("store_wrong_tenant: the run job is a tenant's, and no job says so of job-again", err)
            self.assertIn("it needs a name below a run of that tenant", err)
            self.ok(*fork, "job/again")
            resume = ("resume", "job/again", "--store", store, *self.tools)
            self.assertIn("store_wrong_tenant", self.refused(*resume))
            self.assertEqual(ptcvm(*resume, "--tenant", "acme")[0], 75)

    def test_a_part_does_not_come_to_a_run_of_another_tenant(self):
        for store, to in self.pairs():
            with self.subTest(store=store, to=to):
                self.ok("enqueue", self.program, "--store", store, "--id", "a/b", "--tenant", "acme")
                self.ok("enqueue", self.program, "--store", to, "--id", "a", "--tenant", "evil")
                for tenant in ("acme", "evil"):
                    move = ("runs", "move", "a/b", "--store", store, "--to", to)
                    self.assertIn("store_wrong_tenant", self.refused(*move, "--tenant", tenant))
                self.assertEqual((self.state(store, "a/b"), self.state(to, "a/b")), ("queued", None))

    def test_a_copy_is_of_the_tenant_of_its_run(self):
        for number, store in enumerate((self.store, self.database())):
            copies = self.other(f"{number}.db") if number == 0 else self.database()
            self.ok("enqueue", self.program, "--store", store, "--id", "job", "--tenant", "acme")
            self.ok("runs", "pull", "job", "--store", store, "--to", copies, "--tenant", "acme")
            for tenant in ((), ("--tenant", "evil")):
                for words in (("journal", "show", "job"), ("resume", "job", "--recorded", *self.tools)):
                    self.assertIn("store_wrong_tenant", self.refused(*words, "--store", copies, *tenant))
            self.ok("journal", "show", "job", "--store", copies, "--tenant", "acme")

    def test_a_copy_is_no_job(self):
        for number, store in enumerate((self.store, self.database())):
            copies = self.other(f"{number}.db") if number == 0 else self.database()
            self.ok("enqueue", self.program, "--store", store, "--id", "job", "--queue", "orders")
            self.ok("runs", "pull", "job", "--store", store, "--to", copies)
            jobs = self.file("jobs.jsonl", '{"id": "new"}\n{"id": "job"}\n')
            for words in (("--id", "job"), ("--id", "bill", "--after", "job"), ("--bulk", jobs)):
                err = self.refused("enqueue", self.program, *words, "--store", copies)
                self.assertIn("run_is_copy: job is a copy for reading, and no job: its run is in the store", err)
            for words in (("cancel", "job", "--reason", "x"), ("retry", "job")):
                self.assertIn("run_is_copy", self.refused("runs", *words, "--store", copies))
            self.assertEqual((self.state(copies, "job"), self.state(copies, "bill")), ("copy", None))
            self.assertIn('"state":"copy","facts":2', self.ok("runs", "--store", copies, "--json"))
            self.assertNotIn("orders", self.ok("queue", "ls", "--store", copies))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
