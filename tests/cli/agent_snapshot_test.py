#!/usr/bin/env python3
"""ptcvm agent run, resume and show --snapshot: a run whose document is a file.

usage: agent_snapshot_test.py PTCVM   (the program under test)"""
import json
import pathlib
import unittest

from ptcvm_process import CommandLineTest, ptcvm

PAYS = {"name": "a", "prompt": "P", "signature": "() -> :int",
        "tools": [{"name": "pay", "signature": "() -> :int", "effect": "unsafe", "ask": True}]}


class Snapshot(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.place = pathlib.Path(self.folder.name)
        self.model = "scripted:" + self.file("s.jsonl", json.dumps({"program": "(return (+ 1 (tool/pay {})))"}))
        tool = self.file("pay", "cat > /dev/null; echo paid >> \"$0.ledger\"; echo 7")
        PAYS["tools"][0]["command"] = ["sh", tool]
        self.agent = self.file("a.json", json.dumps(PAYS))

    def begin(self, name):
        """Begins a run that waits for a person; the file of the run."""
        snapshot = str(self.place / name)
        status, out, err = ptcvm("agent", "run", self.agent, "--model", self.model, "--snapshot", snapshot)
        self.assertEqual((status, json.loads(out)["pending"]), (75, ["approve:pay"]), err)
        self.assertIn(f"ptcvm agent resume --snapshot {snapshot}", err)
        return snapshot

    def resume(self, snapshot, *words):
        status, out, err = ptcvm("agent", "resume", "--snapshot", snapshot, "--model", self.model, *words)
        return status, out, err

    def test_both_faces_of_a_run_go_on_in_another_process(self):
        for name in ("run.json", "run.bin"):
            with self.subTest(name=name):
                snapshot = self.begin(name)
                status, out, err = self.resume(snapshot, "--resolve", "approve:pay=true")
                self.assertEqual((status, json.loads(out)["return"]), (0, 8), err)

    def test_the_json_face_is_what_people_read(self):
        document = json.loads(pathlib.Path(self.begin("run.json")).read_text(encoding="utf-8"))
        self.assertEqual(document["root"]["operations"][0]["tool"], "pay")

    def test_the_document_of_a_stored_run_is_such_a_file(self):
        kept = ("--store", str(self.place / "runs.db"), "--id", "r")
        self.assertEqual(ptcvm("agent", "run", self.agent, "--model", self.model, *kept)[0], 75)
        document = self.file("shown.json", ptcvm("agent", "show", *kept, "--output", "document")[1])
        status, out, err = self.resume(document, "--reject", "approve:pay=no", "--resolve", "approve:pay=true")
        self.assertEqual(status, 65, err)
        status, out, err = self.resume(document, "--resolve", "approve:pay=true")
        self.assertEqual((status, json.loads(out)["return"]), (0, 8), err)

    def test_show_says_what_the_run_waits_for(self):
        snapshot = self.begin("run.json")
        status, out, err = ptcvm("agent", "show", "--snapshot", snapshot)
        self.assertEqual((status, json.loads(out.splitlines()[-1])["pending"]), (0, ["approve:pay"]), err)
        status, out, err = ptcvm("agent", "show", "--snapshot", snapshot, "--output", "document")
        self.assertEqual(json.loads(out), json.loads(pathlib.Path(snapshot).read_text(encoding="utf-8")), err)

    def test_a_run_that_has_ended_does_nothing_again(self):
        snapshot = self.begin("run.json")
        self.resume(snapshot, "--resolve", "approve:pay=true")
        status, out, err = self.resume(snapshot)
        self.assertEqual((status, json.loads(out)["return"]), (0, 8), err)
        self.assertEqual((self.place / "pay.ledger").read_text(encoding="utf-8"), "paid\n")

    def test_a_call_that_may_have_happened_is_in_doubt(self):
        """The document of a stored run whose process was killed in the call."""
        tool = self.file("pay", "cat > /dev/null; echo paid >> \"$0.ledger\"; kill -9 $PPID")
        agent = {**PAYS, "tools": [{**PAYS["tools"][0], "ask": False, "command": ["sh", tool]}]}
        kept = ("--store", str(self.place / "runs.db"), "--id", "r")
        ptcvm("agent", "run", self.file("b.json", json.dumps(agent)), "--model", self.model, *kept)
        document = self.file("shown.json", ptcvm("agent", "show", *kept, "--output", "document")[1])
        status, out, err = self.resume(document)
        self.assertEqual((status, json.loads(out)["pending"]), (75, ["doubt:pay"]), err)
        self.assertEqual((self.place / "pay.ledger").read_text(encoding="utf-8"), "paid\n")
        status, out, err = self.resume(document, "--resolve", "doubt:pay=7")
        self.assertEqual((status, json.loads(out)["return"]), (0, 8), err)

    def test_a_file_without_a_run_is_refused(self):
        for text in ("{}", "nonsense", ""):
            status, _, err = self.resume(self.file("none.json", text))
            self.assertEqual(status, 65, err)

    def sealed(self, name, *words):
        """Begins a run whose file is sealed; the file."""
        ring = str(self.place / "ring.json")
        self.assertEqual(ptcvm("keys", "new", ring, "--id", "k")[0], 0)
        self.seal = ("--keys", ring, "--tenant", "acme")
        status, _, err = ptcvm("agent", "run", self.agent, "--model", self.model, "--snapshot",
                               str(self.place / name), *self.seal, *words)
        self.assertEqual(status, 75, err)
        self.assertIn(f"--snapshot {self.place / name} --keys {ring} --tenant acme --model", err)
        return str(self.place / name)

    def test_a_sealed_file_goes_on_with_its_ring_alone(self):
        for name in ("s.bin", "s.json"):
            with self.subTest(name=name):
                snapshot = self.sealed(name)
                ring = self.seal[:2]
                for words, why in (((), "is sealed: give its key ring with --keys"), (ring, "wrong_tenant"),
                                   ((*ring, "--tenant", "b"), "wrong_tenant")):
                    for told in (self.resume(snapshot, *words, "--resolve", "approve:pay=true"),
                                 ptcvm("agent", "show", "--snapshot", snapshot, *words)):
                        self.assertEqual(told[:2], (65, ""), told[2])
                        self.assertIn(why, told[2])
                shown = ptcvm("agent", "show", "--snapshot", snapshot, *self.seal)
                self.assertIn("approve:pay", shown[1], shown[2])
                verified = ptcvm("snapshot", "verify", snapshot, *self.seal, "--expect-sequence", "2")[1:]
                self.assertIn("rolled_back", "".join(verified))
                status, out, err = self.resume(snapshot, *self.seal, "--resolve", "approve:pay=true")
                self.assertEqual((status, json.loads(out)["return"]), (0, 8), err)
                verified = ptcvm("snapshot", "verify", snapshot, *self.seal, "--expect-sequence", "1")[1:]
                self.assertIn("wrong_sequence", "".join(verified))
                pathlib.Path(self.seal[1]).unlink()

    def test_an_older_file_of_the_run_is_not_taken_for_the_newest(self):
        """A person said no, and somebody puts the file from before in its place."""
        snapshot = pathlib.Path(self.sealed("s.json", "--id", "may"))
        older = snapshot.read_bytes()
        self.assertEqual(self.resume(str(snapshot), *self.seal, "--reject", "approve:pay=no")[0], 75)
        newest = snapshot.read_bytes()
        snapshot.write_bytes(older)
        for words, why in ((("--expect-sequence", "2"), "rolled_back"), (("--expect-run", "june"), "wrong_run"),
                           (("--expect-run", "agent"), "wrong_run")):
            for told in (self.resume(str(snapshot), *self.seal, *words, "--resolve", "approve:pay=true"),
                         ptcvm("agent", "show", "--snapshot", str(snapshot), *self.seal, *words)):
                self.assertEqual(told[:2], (65, ""), told[2])
                self.assertIn(why, told[2])
        self.assertEqual(snapshot.read_bytes(), older)
        self.assertFalse((self.place / "pay.ledger").exists())
        snapshot.write_bytes(newest)
        expected = ("--expect-run", "may", "--expect-sequence", "2")
        self.assertEqual(ptcvm("agent", "show", "--snapshot", str(snapshot), *self.seal, *expected)[0], 0)
        self.assertIn("wrong_sequence", self.resume(str(snapshot), *self.seal, "--expect-sequence", "1")[2])

    def test_runs_in_files_have_names_of_their_own(self):
        """The name begins the keys of calls, so no two runs have equal ones."""
        for name in ((), ("may",), ("--id", "june")):
            snapshot = self.place / "n.json"
            words = (*name, "--model", self.model, "--snapshot", str(snapshot))
            status, _, err = ptcvm("agent", "run", self.agent, *words)
            self.assertEqual(status, 75, err)
            document = json.loads(snapshot.read_text(encoding="utf-8"))
            named = name[-1] if name else "agent"
            self.assertEqual(document["id"], named)
            self.assertIn(f"run:{named}@", document["root"]["operations"][0]["key"])
        for words in (("may",), ("--id", "may")):
            self.assertEqual(ptcvm("agent", "run", self.agent, *words, "--model", self.model)[0], 2, words)

    def test_what_a_file_should_be_is_said_with_its_ring(self):
        snapshot = self.begin("plain.json")
        for words in (("--expect-sequence", "1"), ("--expect-run", "agent")):
            self.assertEqual(self.resume(snapshot, *words)[0], 2, words)

    def test_a_sealed_file_that_was_edited_is_refused_by_name(self):
        snapshot = pathlib.Path(self.sealed("s.json"))
        whole = snapshot.read_bytes()
        for at in range(0, len(whole), 97):
            snapshot.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            status, out, err = self.resume(str(snapshot), *self.seal, "--resolve", "approve:pay=true")
            self.assertEqual((status, out), (65, ""), err)
            self.assertRegex(err, "bad_signature|damaged|not_sealed|wrong_|unknown_key|unsupported_version|rolled_back")
        snapshot.write_bytes(whole[:-1])
        self.assertIn("damaged", self.resume(str(snapshot), *self.seal)[2])
        self.assertFalse((self.place / "pay.ledger").exists())
        snapshot.write_bytes(whole)
        self.assertEqual(self.resume(str(snapshot), *self.seal, "--resolve", "approve:pay=true")[0], 0)

    def test_a_plain_file_is_refused_where_sealed_ones_are_wanted(self):
        snapshot = self.begin("plain.json")
        self.sealed("s.json")
        status, _, err = self.resume(snapshot, *self.seal, "--resolve", "approve:pay=true")
        self.assertEqual(status, 65, err)
        self.assertIn("not_sealed", err)

    def test_a_ring_that_cannot_seal_is_refused_before_anything_is_done(self):
        self.sealed("s.json")
        half = str(self.place / "half.json")
        ring = str(self.place / "other.json")
        self.assertEqual(ptcvm("keys", "new", ring, "--id", "e", "--algorithm", "ed25519")[0], 0)
        self.assertEqual(ptcvm("keys", "export", ring, "--public", "-o", half)[0], 0)
        status, out, err = ptcvm("agent", "run", self.agent, "--model", self.model, "--snapshot",
                                 str(self.place / "n.json"), "--keys", half)
        self.assertEqual((status, out), (65, ""), err)
        self.assertIn("has no key that signs", err)
        self.assertFalse((self.place / "n.json").exists())

    def test_a_ring_with_nothing_to_seal_is_refused(self):
        status, _, err = ptcvm("agent", "run", self.agent, "--model", self.model, "--keys", "ring.json")
        self.assertEqual(status, 2, err)

    def test_a_store_and_a_file_exclude_each_other(self):
        for words in (("run", self.agent, "--model", self.model, "--id", "r"), ("resume",), ("show",)):
            status, _, err = ptcvm("agent", *words, "--snapshot", "f.json", "--store", "s.db")
            self.assertEqual(status, 2, err)


if __name__ == "__main__":
    unittest.main(argv=["agent_snapshot_test"])
