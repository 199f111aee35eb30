#!/usr/bin/env python3
"""Snapshots on the command line that are sealed: for whom they open, in which order, with which keys.

usage: sealed_snapshot_test.py PTCVM   (the program under test)"""
import os
import shlex
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

from ptcvm_process import SnapshotTest, ptcvm

PROGRAM = SnapshotTest.PROGRAM
TOOL = SnapshotTest.TOOL


class Sealed(SnapshotTest):
    def setUp(self):
        super().setUp()
        self.ring = self.path("ring.json")
        self.assertEqual(ptcvm("keys", "new", self.ring, "--id", "a")[0], 0)
        self.seal = ("--keys", self.ring, "--tenant", "acme")

    def sealed(self, *options):
        return self.park(PROGRAM, *self.seal, "--run-id", "run-17", *options, name="sealed")

    def verify(self, state, *options):
        status, out, err = ptcvm("snapshot", "verify", state, *options)
        return status, out + err

    def test_a_ring_that_others_can_read_is_refused(self):
        ring, store = self.path("my ring.json"), self.path("s.db")
        ptcvm("keys", "new", ring, "--id", "a", "--algorithm", "ed25519")
        os.chmod(ring, 0o640)
        for command in (("keys", "list", ring), ("eval", "1", "--store", store, "--id", "r", "--keys", ring),
                        ("run", self.file("p.ptc", '(println "done")'), "--snapshot", self.path("s"), "--keys", ring)):
            status, out, err = ptcvm(*command)
            self.assertEqual((status, out), (65, ""), err)
            self.assertIn(f"`chmod 600 '{ring}'`", err)
        self.assertFalse(os.path.exists(store))
        os.chmod(ring, 0o600)
        self.assertEqual(ptcvm("keys", "export", ring, "--public", "-o", self.path("public.json"))[0], 0)
        os.chmod(self.path("public.json"), 0o644)
        self.assertEqual(ptcvm("keys", "list", self.path("public.json"))[0], 0)

    def test_the_next_command_has_the_ring_and_the_tenant(self):
        program, state = self.file("p.ptc", "(inc (await (tool/page {})))"), self.path("s.ptcs")
        status, _, told = ptcvm("run", program, "--async-tool", "page", "--snapshot", state, *self.seal)
        self.assertEqual(status, 75, told)
        command = shlex.split(told.splitlines()[-1].replace("JSON", "41"))
        self.assertEqual(ptcvm(*command[1:])[:2], (0, "42\n"))

    def test_it_opens_for_whom_it_was_sealed(self):
        state = self.sealed()
        self.assertEqual(self.verify(state, *self.seal), (0, state + ": good\n"))
        self.assertEqual(self.verify(state, *self.seal, "--expect-run", "run-17", "--expect-sequence", "1")[0], 0)
        for options, words in (((), "is sealed: give its key ring with --keys"),
                               (("--keys", self.ring), "wrong_tenant"),
                               (("--keys", self.ring, "--tenant", "other"), "wrong_tenant"),
                               ((*self.seal, "--expect-run", "run-18"), "wrong_run"),
                               ((*self.seal, "--expect-sequence", "2"), "rolled_back"),
                               ((*self.seal, "--expect-sequence", "0"), "wrong_sequence"),
                               (("--keys", self.path("no-ring"), "--tenant", "acme"), "cannot read")):
            status, told = self.verify(state, *options)
            self.assertEqual(status, 1, told)
            self.assertIn(words, told)
            status, out, err = ptcvm("resume", state, *TOOL, *options)
            self.assertEqual((status, out), (65, ""))
            self.assertIn(words, err)

    def test_another_ring_and_a_changed_file(self):
        other = self.path("other.json")
        ptcvm("keys", "new", other, "--id", "b")
        state = self.sealed()
        self.assertIn("unknown_key", self.verify(state, "--keys", other, "--tenant", "acme")[1])
        impostor = self.path("impostor.json")
        ptcvm("keys", "new", impostor, "--id", "a")
        self.assertIn("bad_signature", self.verify(state, "--keys", impostor, "--tenant", "acme")[1])
        changed = bytearray(self.bytes_of(state))
        changed[-100] ^= 1
        self.assertRegex(self.verify(self.write("changed", bytes(changed)), *self.seal)[1], "bad_signature|damaged")
        cut = self.write("cut", self.bytes_of(state)[:200])
        self.assertRegex(self.verify(cut, *self.seal)[1], "damaged|not_sealed")

    def test_a_plain_file_is_refused_when_a_seal_is_wanted(self):
        status, told = self.verify(self.park(PROGRAM), *self.seal)
        self.assertEqual(status, 1)
        self.assertIn("not_sealed", told)

    def test_each_suspension_counts_up(self):
        first, second = self.sealed(), self.path("second")
        status, _, err = ptcvm("resume", first, *TOOL, *self.seal, "--resolve", "op1=1", "--snapshot", second)
        self.assertEqual(status, 75, err)
        self.assertEqual(self.verify(second, *self.seal, "--expect-sequence", "2", "--expect-run", "run-17")[0], 0)
        self.assertIn("rolled_back", self.verify(first, *self.seal, "--expect-sequence", "2")[1])
        self.assertIn("wrong_sequence", self.verify(second, *self.seal, "--expect-sequence", "1")[1])
        answer = ("--resolve", 'op2.0.1={"text": "A"}', "--resolve", 'op2.1.1={"text": "B"}')
        self.assertEqual(ptcvm("resume", second, *TOOL, *self.seal, "--expect-sequence", "2", *answer)[:2],
                         (0, '[3 ["A" "B"] 1]\n'))

    def test_rotation_and_revocation(self):
        old, new = self.sealed(), self.path("new")
        self.assertEqual(ptcvm("keys", "rotate", self.ring, "--id", "b", "--algorithm", "ed25519")[0], 0)
        self.assertEqual(self.verify(old, *self.seal)[0], 0)
        self.assertEqual(ptcvm("resume", old, *TOOL, *self.seal, "--resolve", "op1=1", "--snapshot", new)[0], 75)
        public = self.path("public.json")
        ptcvm("keys", "export", self.ring, "--public", "-o", public)
        self.assertEqual(self.verify(new, "--keys", public, "--tenant", "acme")[0], 0)
        self.assertEqual(ptcvm("keys", "revoke", self.ring, "--id", "a")[0], 0)
        self.assertIn("revoked_key", self.verify(old, *self.seal)[1])
        self.assertEqual(self.verify(new, *self.seal)[0], 0)
        status, out, err = ptcvm("resume", new, *TOOL, "--keys", public, "--tenant", "acme",
                                 "--snapshot", self.path("again"))
        self.assertEqual((status, out), (65, ""))
        self.assertIn("has no key that signs", err)

    def test_commands_at_once_lose_no_key(self):
        names = [f"k{n}" for n in range(16)]
        with ThreadPoolExecutor(len(names)) as pool:
            ended = pool.map(lambda name: ptcvm("keys", "rotate", self.ring, "--id", name), names)
            self.assertEqual([status for status, _, _ in ended], [0] * len(names))
        listed = [line.split()[0] for line in ptcvm("keys", "list", self.ring)[1].splitlines()[1:]]
        self.assertEqual(sorted(listed), sorted(["a", *names]))

    def test_a_ring_without_a_signing_key_parks_nothing(self):
        ptcvm("keys", "revoke", self.ring, "--id", "a")
        state = self.path("sealed")
        status, out, err = ptcvm("eval", "(await (tool/call))", *TOOL, *self.seal, "--snapshot", state)
        self.assertEqual((status, out), (65, ""))
        self.assertIn("has no key that signs", err)
        self.assertFalse(os.path.exists(state))

    def test_other_commands_open_it(self):
        state = self.sealed()
        self.assertIn("run run-17", ptcvm("snapshot", "show", state, *self.seal)[1])
        self.assertEqual(self.document(state, *self.seal)["run"], "run-17")
        self.assertEqual(ptcvm("snapshot", "diff", state, state, *self.seal), (0, "", ""))
        self.assertIn("needs", ptcvm("snapshot", "show", state, "--tenant", "acme")[2].replace("requires", "needs"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
