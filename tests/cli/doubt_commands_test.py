#!/usr/bin/env python3
"""The commands that `ptcvm doubt list` prints, typed as they are printed: sealed, cancelled, tenants.

usage: doubt_commands_test.py PTCVM   (the program under test)"""
import os
import shlex
import subprocess
import sys
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm

PROGRAM = '(task "pay" (tool/pay {:cents 5}))'
ANSWERS = {"--happened": ('"tx"', '"tx"\n'), "--did-not": ("", '"paid"\n')}


class DoubtCommands(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store, self.ring = (os.path.join(self.folder.name, name) for name in ("runs.db", "ring.json"))
        self.program = self.file("pay.ptc", PROGRAM)
        self.dies = ("--tool-shell", "pay=cat > /dev/null; kill -9 $$")
        self.pays = ("--tool-shell", "pay=cat > /dev/null; echo '\"paid\"'")

    def make_ring(self):
        self.assertEqual(ptcvm("keys", "new", self.ring, "--id", "a")[0], 0)

    def in_doubt(self, run, *options):
        """A run whose process died in the call."""
        status, out, err = ptcvm("run", self.program, run, "--store", self.store, *self.dies, *options)
        self.assertEqual(status, 75, err)
        self.assertIn("in_doubt", out)

    def queued_in_doubt(self, run, *options):
        status, _, err = ptcvm("enqueue", self.program, f"--id={run}", "--store", self.store, *options)
        self.assertEqual(status, 0, err)
        status, _, err = ptcvm("resume", "--store", self.store, *self.dies, *options, "--", run)
        self.assertEqual(status, 75, err)

    def listed(self, *options):
        """What the list prints: the lines of each run, by its name."""
        status, out, err = ptcvm("doubt", "list", "--store", self.store, *options)
        self.assertEqual((status, err), (0, ""))
        runs = {}
        for line in out.splitlines():
            if not line.startswith(" "):
                name = line
                runs[name] = []
            else:
                runs[name].append(line.strip())
        return runs

    def command(self, lines, option):
        found, = (line for line in lines if line.startswith("ptcvm doubt settle") and f" {option}" in line)
        return found

    def typed(self, line, **places):
        """Types a line into a shell. Only what is written in capitals is replaced."""
        for name, text in places.items():
            self.assertIn(name, line)
            line = line.replace(name, shlex.quote(text))
        path = os.path.dirname(PTCVM) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(["sh", "-c", line], env={**os.environ, "PATH": path}, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        return done.stdout

    def settle(self, lines, option, **places):
        answer, result = ANSWERS[option]
        self.typed(self.command(lines, option), **places, **({"JSON": answer} if answer else {}))
        return result

    def assert_ends(self, run, result, *options):
        status, out, err = ptcvm("resume", run, "--store", self.store, *self.pays, *options)
        self.assertEqual((status, out), (0, result), err)

    def test_commands_of_a_sealed_run_without_its_ring(self):
        self.make_ring()
        for option in ANSWERS:
            run, seal = option.strip("-"), ("--keys", self.ring)
            self.in_doubt(run, *seal)
            lines = self.listed()[run]
            self.assertEqual(lines[0], "the log is sealed: RING is its key ring, and default its tenant, if no other "
                                       "was named")
            result = self.settle(lines, option, RING=self.ring)
            self.assert_ends(run, result, *seal)
        self.assertEqual(ptcvm("doubt", "list", "--store", self.store), (0, "", "nothing is in doubt\n"))

    def test_commands_of_a_sealed_run_with_its_ring(self):
        self.make_ring()
        seal = ("--keys", self.ring, "--tenant", "acme")
        self.in_doubt("r", *seal)
        lines = self.listed(*seal)["r"]
        self.assertFalse([line for line in lines if "RING" in line], lines)
        self.assert_ends("r", self.settle(lines, "--happened"), *seal)

    def test_commands_of_a_job_of_a_tenant(self):
        self.queued_in_doubt("r", "--tenant", "acme")
        lines = self.listed()["r"]
        self.assert_ends("r", self.settle(lines, "--did-not"), "--tenant", "acme")

    def test_commands_of_a_cancelled_run_come_after_the_one_that_makes_it_ready(self):
        for option in ANSWERS:
            run = option[1:]
            self.queued_in_doubt(run)
            status, _, err = ptcvm("runs", "cancel", "--store", self.store, "--reason", "no", "--", run)
            self.assertEqual(status, 0, err)
            lines = self.listed()[run]
            self.assertEqual(lines[0], "the run was cancelled and takes no answers; this command makes it ready again, "
                                       "before the others:")
            status, _, err = ptcvm("doubt", "settle", "--store", self.store, "--did-not", "--", run)
            self.assertEqual(status, 65)
            self.assertIn(lines[1], err)
            self.typed(lines[1])
            result = self.settle(lines, option)
            status, out, err = ptcvm("resume", "--store", self.store, *self.pays, "--", run)
            self.assertEqual((status, out), (0, result), err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
