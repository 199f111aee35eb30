#!/usr/bin/env python3
"""What is said of calls whose outcome nobody knows: which ones they are, why nobody knows, and the same in every list.

usage: tool_outcomes_test.py PTCVM   (the program under test)"""
import json
import os
import signal
import subprocess
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm


class ToolOutcomes(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = ("--store", os.path.join(self.folder.name, "runs.db"))

    def run_pay(self, script, *more):
        return ptcvm("eval", "(tool/pay {})", *self.store, "--id", "r", "--tool-shell", f"pay={script}", *more)

    def row(self):
        return json.loads(ptcvm("runs", *self.store, "--json")[1])

    def doubts(self):
        return [json.loads(line) for line in ptcvm("doubt", "list", *self.store, "--json")[1].splitlines()]

    def test_a_command_of_a_shell_that_a_signal_ended_is_in_doubt(self):
        for number in (9, 15, 11):
            with self.subTest(signal=number):
                status, out, err = ptcvm("eval", "(tool/pay {})", *self.store, "--id", f"r{number}", "--tool-shell",
                                         f"pay=sh -c 'kill -{number} $$'; exit $?")
                self.assertEqual(status, 75, err)
                self.assertEqual(json.loads(out)["status"], "in_doubt")
                self.assertIn(f"exit status {128 + number}: a command of it was ended by signal {number} (", err)

    def test_a_status_that_names_no_signal_says_that_the_tool_failed(self):
        for code in (1, 126, 127, 128, 255):
            with self.subTest(code=code):
                status, _, err = ptcvm("eval", "(tool/pay {})", *self.store, "--id", f"r{code}", "--tool-shell",
                                       f"pay=exit {code}")
                self.assertEqual((status, "tool_error" in err), (1, True), err)
        self.assertEqual(self.doubts(), [])

    def test_a_call_that_may_be_made_again_is_made_again_after_such_a_status(self):
        place = os.path.join(self.folder.name, "once")
        status, out, err = self.run_pay(f"[ -e {place} ] && echo 7 && exit; touch {place}; kill -9 $$",
                                        "--tool-effect", "pay=keyed")
        self.assertEqual(status, 1, err)
        self.assertEqual(self.row()["state"], "ended error")
        self.assertEqual(self.doubts(), [])
        (call,) = json.loads(ptcvm("journal", "show", *self.store, "r", "--json")[1])["effects"]
        self.assertEqual(call["state"], "failed")
        self.assertEqual(self.run_pay("echo 7", "--tool-effect", "pay=keyed")[:2], (0, "7\n"))

    def test_a_call_that_a_signal_cut_off_is_in_doubt_in_every_list(self):
        place = os.path.join(self.folder.name, "called")
        process = subprocess.Popen([PTCVM, "eval", "(tool/pay {})", *self.store, "--id", "r", "--tool-shell",
                                    f"pay=touch {place}; exec sleep 1000"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while not os.path.exists(place):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        self.assertNotEqual(process.wait(240), 0)
        (doubt,) = self.doubts()
        self.assertEqual((self.row()["state"], self.row()["waits_for"]), ("in doubt", doubt["key"] + "#1"))
        (call,) = json.loads(ptcvm("journal", "show", *self.store, "r", "--json")[1])["effects"]
        self.assertEqual(call["state"], "in_doubt")
        self.assertEqual(ptcvm("doubt", "settle", *self.store, "r", "--happened", "5")[0], 0)
        self.assertEqual(self.row()["state"], "ended error")
        self.assertEqual(self.doubts(), [])

    def reason_of(self, reconcile):
        """Ends a call without an answer, and asks a command that says nothing. Returns what is said then."""
        status, _, err = self.run_pay("kill -9 $$", "--tool-effect", "pay=reconcilable", "--tool-reconcile",
                                      f"pay=sh {self.file('asks.sh', reconcile)}")
        self.assertEqual(status, 75, err)
        return err

    def test_a_reconcile_command_that_fails_is_said(self):
        err = self.reason_of("echo the bank is closed >&2; exit 3")
        self.assertIn("the command that says whether pay happened (reconcile) gave nothing: the bank is closed", err)

    def test_a_reconcile_command_that_is_silent_about_its_failure_is_said(self):
        self.assertIn("gave nothing: exit status 3", self.reason_of("exit 3"))

    def test_a_reconcile_command_that_gives_no_json_is_said(self):
        self.assertIn("gave nothing: its output is no JSON: ", self.reason_of("echo paid"))

    def test_a_reconcile_command_that_does_not_know_is_said(self):
        self.assertIn('gave nothing: its output has no member "happened" that is true or false: {"x": 1}',
                      self.reason_of("""echo '{"x": 1}'"""))

    def test_the_reason_is_in_the_list_of_doubts_after_a_kill(self):
        place = os.path.join(self.folder.name, "called")
        asks = self.file("asks.sh", "exit 3")
        words = ("--tool-effect", "pay=reconcilable", "--tool-reconcile", f"pay=sh {asks}")
        process = subprocess.Popen([PTCVM, "eval", "(tool/pay {})", *self.store, "--id", "r", "--tool-shell",
                                    f"pay=touch {place}; exec sleep 1000", *words], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        while not os.path.exists(place):
            time.sleep(0.01)
        process.kill()
        process.wait()
        status, _, err = self.run_pay("echo 7", *words)
        self.assertEqual(status, 75, err)
        (doubt,) = self.doubts()
        self.assertEqual(doubt["why"],
                         "the command that says whether pay happened (reconcile) gave nothing: exit status 3")


if __name__ == "__main__":
    unittest.main(argv=["tool_outcomes_test"])
