#!/usr/bin/env python3
"""ptcvm agent resume: words about a call in doubt count for the call that somebody was shown.

usage: agent_doubts_test.py PTCVM   (the program under test)"""
import json
import pathlib
import unittest

from ptcvm_process import CommandLineTest, ptcvm

# Pays, and kills the command of the run behind that while there is a file that says so.
PAY = """cat > /dev/null
echo paid >> "$0.ledger"
if rm "$0.kills" 2> /dev/null; then kill -9 $PPID; fi
echo 7
"""
KILLED = -9
PAYS = "(return (tool/pay {}))"


class Doubts(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.place = pathlib.Path(self.folder.name)
        self.tool = self.file("pay", PAY)
        self.pay = {"name": "pay", "signature": "() -> :int", "effect": "unsafe", "command": ["sh", self.tool]}
        self.kept = ("--store", str(self.place / "runs.db"), "--id", "r")

    def killed(self, *words):
        """A command that is killed in the call of the tool."""
        (self.place / "pay.kills").touch()
        status, _, err = ptcvm("agent", *words, *self.kept)
        self.assertEqual(status, KILLED, err)

    def begin(self, **members):
        """Begins a run whose process is killed in the call."""
        agent = {"name": "a", "prompt": "P", "signature": "() -> :int", "tools": [self.pay], **members}
        self.file("s.jsonl", json.dumps({"program": PAYS if "children" not in members else "(return (tool/kid {}))"}))
        self.killed("run", self.file("a.json", json.dumps(agent)), "--model", f"scripted:{self.place}/s.jsonl")

    def resume(self, *words):
        status, out, err = ptcvm("agent", "resume", *self.kept, *words)
        return status, json.loads(out.splitlines()[-1]), err

    def assert_shown(self, path, *words):
        """The command lists the doubt; the words do not count."""
        status, line, err = self.resume(*words)
        self.assertEqual((status, line.get("pending")), (75, [path]), err)
        return err

    def payments(self):
        return (self.place / "pay.ledger").read_text(encoding="utf-8").splitlines()

    def test_words_before_the_doubt_was_shown_are_not_taken(self):
        for words in (("--reject", "doubt:pay=it did not"), ("--resolve", "doubt:pay=3")):
            with self.subTest(words=words):
                self.kept = ("--store", str(self.place / f"{words[0]}.db"), "--id", "r")
                self.begin()
                paid = self.payments()
                err = self.assert_shown("doubt:pay", *words)
                self.assertIn("the answer to doubt:pay was not taken: nobody has been shown this call before", err)
                self.assertEqual(self.payments(), paid)
                status, line, err = self.resume(*words)
                self.assertEqual((status, line.get("return")), (0, 7 if words[0] == "--reject" else 3), err)
                self.assertNotIn("not taken", err)

    def test_words_about_a_call_do_not_count_for_the_next_one_of_its_path(self):
        self.begin()
        words = ("--reject", "doubt:pay=it did not")
        self.assert_shown("doubt:pay")
        self.killed("resume", *words)
        self.assert_shown("doubt:pay@2", *words)
        self.assert_shown("doubt:pay@2", *words)         # nor later, when somebody was shown the second doubt
        self.assertEqual(len(self.payments()), 2)
        status, line, err = self.resume("--resolve", "doubt:pay@2=5")
        self.assertEqual((status, line.get("return")), (0, 5), err)
        self.assertEqual(len(self.payments()), 2)

    def test_other_words_about_a_call_are_refused_for_the_next_one_of_its_path(self):
        self.begin()
        self.assert_shown("doubt:pay")
        self.killed("resume", "--reject", "doubt:pay=it did not")
        self.assert_shown("doubt:pay@2")
        status, _, err = ptcvm("agent", "resume", *self.kept, "--resolve", "doubt:pay=5")
        self.assertEqual((status, len(self.payments())), (65, 2), err)
        self.assertIn("already_resolved: doubt:pay", err)

    def test_the_calls_of_a_child_too(self):
        self.begin(tools=[], children={"kid": {"prompt": "Q", "signature": "() -> :int", "description": "d",
                                               "program": PAYS, "tools": [self.pay]}})
        words = ("--reject", "kid/doubt:pay=it did not")
        self.assert_shown("kid/doubt:pay", *words)
        self.killed("resume", *words)
        self.assert_shown("kid/doubt:pay@2", *words)
        self.assertEqual(len(self.payments()), 2)

    def test_other_answers_of_the_command_are_taken(self):
        self.begin()
        self.assert_shown("doubt:pay", "--reject", "doubt:pay=it did not", "--say", "Please hurry.")
        status, out, err = ptcvm("agent", "show", *self.kept, "--output", "document")
        self.assertEqual(status, 0, err)
        self.assertEqual(json.loads(out)["root"]["staged"], ["Please hurry."])


if __name__ == "__main__":
    unittest.main(argv=["agent_doubts_test"])
