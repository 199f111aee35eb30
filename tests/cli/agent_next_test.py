#!/usr/bin/env python3
"""ptcvm agent: a run that waits says what for, and what to type next. Every printed command works as it is printed.

usage: agent_next_test.py PTCVM   (the program under test)"""
import json
import os
import re
import shlex
import subprocess
import sys
import unittest

from agent_test import PAY, AgentTest
from ptcvm_process import PTCVM, ptcvm

TOOL = PAY["tools"][0]
UNSAFE = {**PAY, "tools": [{**TOOL, "effect": "unsafe"}]}
PAYS = {"program": '(return {:receipt (tool/pay {:to "ann"})})'}
SAYS_WHY = {"program": '(return {:receipt "none"})', "expect": {"newest": {"contains": ["no money"]}}}
REPLACED = {"JSON": '"r-1"', "WHY": "no money", "NUMBER": "1"}


class Waiting(AgentTest):
    def setUp(self):
        super().setUp()
        self.kept = ("--store", self.place("s.db"), "--id", "may 1")

    def begin(self, agent, *turns, **more):
        return self.waits(("run", self.json("a.json", agent), "--model", self.script(*turns), *self.kept), **more)

    def waits(self, words, pending=None):
        """Runs a command that ends with a run that waits. Returns what it says, and the commands that it prints."""
        status, line, _, err = self.agent(*words)
        self.assertEqual((status, line["status"]), (75, "suspended"), err)
        if pending:
            self.assertEqual(line["pending"], pending)
        self.assertIn("ptcvm: may 1 waits for:\n", err)
        return err, [shlex.split(command) for command in re.findall(r"^      ptcvm agent (.*)$", err, re.M)]

    def type(self, command, **replaced):
        """Types a printed command, with something in the place of each word in capitals."""
        words = [re.sub(r"\b([A-Z]+)$", lambda word: {**REPLACED, **replaced}[word[1]], word) for word in command]
        return self.agent(*words)

    def returns(self, command, value, **replaced):
        status, line, _, err = self.type(command, **replaced)
        self.assertEqual((status, line and line["return"]), (0, value), err)


class Next(Waiting):
    def test_an_approval(self):
        asking = {**PAY, "tools": [{**TOOL, "ask": True, "command": ["echo", '"r-1"']}]}
        err, (yes, _) = self.begin(asking, PAYS, pending=["approve:pay"])
        self.assertIn('  approve:pay: whether to call pay {"to":"ann"}\n', err)
        self.returns(yes, {"receipt": "r-1"})

    def test_an_approval_that_is_refused(self):
        asking = {**PAY, "tools": [{**TOOL, "ask": True, "command": ["echo", '"r-1"']}]}
        _, (_, no) = self.begin(asking, PAYS, SAYS_WHY)
        self.returns(no, {"receipt": "none"})

    def test_a_call_that_a_person_answers(self):
        _, (answer, _) = self.begin(PAY, PAYS, pending=["pay"])
        self.returns(answer, {"receipt": "r-1"})

    def test_an_unsafe_call_that_a_person_answers(self):
        _, (answer, _) = self.begin(UNSAFE, PAYS, pending=["pay"])
        self.returns(answer, {"receipt": "r-1"})

    def test_an_unsafe_call_that_a_person_could_not_make(self):
        _, (_, failed) = self.begin(UNSAFE, PAYS, SAYS_WHY, pending=["pay"])
        self.returns(failed, {"receipt": "none"})

    def test_an_answer_that_comes_later(self):
        later = {**PAY, "tools": [{**TOOL, "mode": "async"}]}
        _, (answer, _) = self.begin(later, {"program": '(return {:receipt (await (tool/pay {:to "ann"}))})'})
        self.returns(answer, {"receipt": "r-1"})

    def test_a_signal(self):
        err, (answer,) = self.begin({**PAY, "tools": []}, {"program": '(return {:receipt (await-signal "slip")})'})
        self.assertIn("  input: the signal slip\n", err)
        self.returns(answer, {"receipt": "r-1"})

    def test_a_limit(self):
        agent = {**PAY, "tools": [], "max_turns": 1, "on_exhausted": "ask"}
        err, (more, _) = self.begin(agent, {"program": "(str 1)"}, {"program": '(return {:receipt "r-1"})'})
        self.assertIn("  budget: the limits max_turns (1) and retry_turns (0) are used up\n", err)
        self.returns(more, {"receipt": "r-1"})

    def test_a_limit_of_the_tree(self):
        agent = {**PAY, "tools": [], "limits": {"model_calls": 1}, "on_exhausted": "ask"}
        _, (more, _) = self.begin(agent, {"program": "(str 1)"}, {"program": '(return {:receipt "r-1"})'})
        self.assertIn("model_calls=NUMBER", more)
        self.returns(more, {"receipt": "r-1"})

    def test_a_limit_that_is_not_raised(self):
        agent = {**PAY, "tools": [], "max_turns": 1, "on_exhausted": "ask"}
        _, (_, end) = self.begin(agent, {"program": "(str 1)"})
        status, line, _, err = self.type(end)
        self.assertEqual((status, line["fail"]["reason"]), (1, "max_turns_exceeded"), err)

    def test_a_time(self):
        os.mkdir(self.place("box"))
        self.file("box/1.reply.json", json.dumps({"program": '(do (sleep 900000) (return {:receipt "r"}))'}))
        err, (resume,) = self.waits(("run", self.json("a.json", {**PAY, "tools": []}), "--model",
                                     "mailbox:" + self.place("box"), *self.kept))
        self.assertRegex(err, r"  timer: a time, until .*Z \(in 1[45] min\)\n")
        self.waits(resume, pending=["timer"])

    def test_a_call_in_doubt(self):
        dying = {**PAY, "tools": [{**TOOL, "effect": "unsafe", "command": ["sh", "-c", "kill -9 $PPID"]}]}
        run = ("run", self.json("a.json", dying), "--model", self.script(PAYS), *self.kept)
        self.assertEqual(ptcvm("agent", *run)[0], -9)
        err, (happened, _) = self.waits(run, pending=["doubt:pay"])
        self.assertIn('  doubt:pay: whether this call happened: pay {"to":"ann"}\n', err)
        self.returns(happened, {"receipt": "r-1"})

    def test_a_call_whose_tool_died(self):
        calls = self.file("calls", "")
        command = ["sh", "-c", f"echo paid >> {calls}; kill -9 $$"]
        agent = {**PAY, "tools": [{**TOOL, "effect": "unsafe", "command": command}]}
        _, (_, again) = self.begin(agent, PAYS, pending=["doubt:pay"])
        resume = ("resume", *self.kept)
        self.waits(resume, pending=["doubt:pay"])
        with open(calls, encoding="utf-8") as made:
            self.assertEqual(made.read(), "paid\n")
        # The person says that it did not happen: it is made again.
        _, (happened, _) = self.waits(again, pending=["doubt:pay@2"])
        with open(calls, encoding="utf-8") as made:
            self.assertEqual(made.read(), "paid\npaid\n")
        self.waits(resume, pending=["doubt:pay@2"])
        self.returns(happened, {"receipt": "r-1"})

    def test_a_call_of_a_child(self):
        agent = {"prompt": "Let the desk pay.", "signature": "() -> {receipt :string}", "children": {"desk": PAY}}
        _, (answer, _) = self.begin(agent, {"program": "(return (tool/desk {}))"}, {**PAYS, "for": "desk"},
                                    pending=["desk/pay"])
        self.returns(answer, {"receipt": "r-1"})

    def test_resume_says_it_again(self):
        self.begin(PAY, PAYS)
        _, (answer, _) = self.waits(("resume", *self.kept), pending=["pay"])
        self.returns(answer, {"receipt": "r-1"})

    def test_the_shell_takes_the_command(self):
        _, (command, _) = self.begin(PAY, PAYS)
        typed = "ptcvm agent " + shlex.join(command).replace("pay=JSON", "'pay=\"r-1\"'")
        done = subprocess.run(["sh", "-c", 'ptcvm() { "$PTCVM" "$@"; }; ' + typed], capture_output=True, text=True,
                              env={**os.environ, "PTCVM": PTCVM}, check=False)
        self.assertEqual(json.loads(done.stdout)["return"], {"receipt": "r-1"}, done.stderr)

    def test_a_run_that_nothing_keeps_says_how_to_keep_it(self):
        status, _, _, err = self.agent("run", self.json("a.json", PAY), "--model", self.script(PAYS))
        self.assertEqual((status, err.count("\n")), (75, 1))
        self.assertIn("the run waits and is not kept; run it with --store and --id, or --snapshot, to go on later", err)


class Lists(Waiting):
    """What `ptcvm runs` and `ptcvm journal` say of a run that waits."""

    def shown(self, *words):
        status, out, err = ptcvm(*words, *self.kept)
        self.assertEqual(status, 0, err)
        return out

    def test_runs_shows_the_names_with_which_it_is_answered(self):
        self.begin(PAY, PAYS)
        run = json.loads(ptcvm("runs", *self.kept[:2], "--json")[1])
        self.assertEqual((run["state"], run["waits_for"]), ("waiting", "pay"))

    def test_the_journal_says_since_when_it_waits(self):
        self.begin(PAY, PAYS)
        (line,) = [line for line in self.shown("journal", "show").splitlines() if line.startswith("pay ")]
        self.assertRegex(line, r"waiting +\d+ s ago")

    def test_the_mission_log_has_calls_in_doubt(self):
        dying = {**PAY, "tools": [{**TOOL, "effect": "unsafe", "command": ["sh", "-c", "kill -9 $PPID"]}]}
        run = ("run", self.json("a.json", dying), "--model", self.script(PAYS), *self.kept)
        self.assertEqual(ptcvm("agent", *run)[0], -9)
        self.waits(run)
        self.assertIn('- [in doubt] doubt:pay: pay {"to" "ann"}', self.shown("journal", "log"))
        self.assertRegex(self.shown("journal", "show"), r'pay \{"to" "ann"\} +in_doubt +doubt:pay')


class Costs(Waiting):
    def test_cost_without_prices_is_not_known(self):
        self.begin(PAY, PAYS)
        prices = self.json("p.json", {"other": {"input": 2}})
        for options in ((), ("--prices", prices)):
            status, out, err = ptcvm("agent", "cost", *self.kept, *options)
            self.assertEqual((status, [line.split()[-1] for line in out.splitlines()]), (0, ["money", "?", "?"]))
            self.assertIn("there is no price of scripted, so the cost is not known; give --prices FILE", err)
            cost = json.loads(ptcvm("agent", "cost", *self.kept, *options, "--json")[1])
            self.assertEqual([line["money"] for line in (*cost["lines"], cost["sum"])], [None, None])

    def test_a_program_in_the_place_of_a_model_costs_nothing(self):
        program = self.file("p.ptc", '(return {:receipt "r"})')
        self.agent("run", self.json("a.json", PAY), "--model", "program:" + program, *self.kept)
        status, out, err = ptcvm("agent", "cost", *self.kept, "--json")
        self.assertEqual((status, json.loads(out)["sum"]["money"], err), (0, 0, ""))


if __name__ == "__main__":
    unittest.main(argv=["agent_next_test"])
