#!/usr/bin/env python3
"""ptcvm agent: what a run has asked for and what that cost, and runs that ask nobody.

usage: agent_cost_test.py PTCVM   (the program under test)"""
import json
import os
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

USAGE = {"input": 100, "output": 50}             # 600 millionths
ASKS = {"name": "a", "prompt": "Do", "signature": "() -> :int"}
OWN = {"name": "own", "signature": "() -> :int", "program": "(return 4)"}


class AgentCostTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = ("--store", self.folder.name + "/runs.db", "--id")
        self.kept = (*self.store, "r")
        self.prices = ("--prices", self.json("p.json", {"scripted": {"input": 2, "output": 8}}))

    def json(self, name, value):
        return self.file(name, json.dumps(value))

    def script(self, *lines):
        return "scripted:" + self.file("s.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def line_of(self, *words):
        status, out, err = ptcvm("agent", *words)
        return status, json.loads(out.splitlines()[-1]) if out else None, err

    def cost(self, run="r", *words):
        return json.loads(ptcvm("agent", "cost", *self.store, run, "--json", *words)[1])


class Turns(AgentCostTest):
    def test_the_cost_of_a_fork_has_the_numbers_of_its_turns(self):
        turns = ({"program": "1", "usage": USAGE}, {"program": "2", "usage": USAGE}, {"program": "(return 3)"})
        self.line_of("run", self.json("a.json", ASKS), "--model", self.script(*turns), *self.kept)
        self.assertEqual([line["turn"] for line in self.cost()["lines"]], [1, 2, 3])
        self.assertEqual(self.line_of("fork", *self.kept, "--turns", "2", "--as", "f")[0], 0)
        again = self.script({"program": "5", "usage": USAGE}, {"program": "(return 6)"})
        status, line, err = self.line_of("resume", *self.store, "f", "--model", again)
        self.assertEqual((status, line["return"]), (0, 6), err)
        self.assertEqual([line["turn"] for line in self.cost("f")["lines"]], [3, 4])

    def test_a_request_that_has_no_reply_in_time_is_a_call(self):
        box = self.folder.name + "/box"
        os.mkdir(box)
        agent = self.json("a.json", {**ASKS, "limits": {"deadline_ms": 100}})
        status, line, err = self.line_of("run", agent, "--model", "mailbox:" + box, *self.kept)
        self.assertEqual((status, line["fail"]["reason"]), (1, "mission_timeout"), err)
        self.assertEqual((line["usage"]["model_calls"], self.cost()["sum"]["calls"]), (1, 1))


class Money(AgentCostTest):
    def test_a_request_whose_reply_nobody_waits_for_has_a_cost_that_nobody_knows(self):
        box = self.folder.name + "/box"
        os.mkdir(box)
        fails = {"name": "bad", "signature": "() -> :int", "effect": "pure",
                 "command": ["sh", "-c", f"until ls {box}/*.request.json; do sleep 0.05; done >&2; exit 1"]}
        agent = {**ASKS, "tools": [fails], "children": {"c": {"prompt": "C", "signature": "() -> :int"}}}
        model = self.script({"program": "(pcalls (fn [] (tool/c {})) (fn [] (tool/bad {})))", "usage": USAGE},
                            {"program": "(return 3)", "usage": USAGE})
        prices = self.json("b.json", {"*": {"input": 2, "output": 8}})
        status, line, err = self.line_of("run", self.json("a.json", agent), "--model", model, "--child-model",
                                         "c=mailbox:" + box, "--prices", prices, *self.kept)
        self.assertEqual((status, line["return"], line["usage"]["money"]), (0, 3, None), err)
        cost = self.cost()
        self.assertEqual({one["agent"]: (one["calls"], one["money"]) for one in cost["lines"]},
                         {"": (1, 0.0006), "c": (1, None)})
        self.assertEqual((cost["sum"]["calls"], cost["sum"]["money"]), (3, None))
        _, out, err = ptcvm("agent", "cost", *self.kept)
        self.assertEqual(("?" in out, "lost" in err), (True, True), (out, err))

    def test_money_that_nobody_knows_is_null(self):
        child = {"prompt": "C", "signature": "() -> :int"}
        agent = self.json("a.json", {**ASKS, "children": {"c": child}})
        other = self.file("o.jsonl", json.dumps({"program": "(return 2)", "for": "c"}) + "\n")   # without usage
        for words in (self.kept, ()):
            script = self.script({"program": "(return (tool/c {}))", "usage": USAGE})
            status, line, err = self.line_of("run", agent, "--model", script, "--child-model", "c=scripted:" + other,
                                             *self.prices, "--progress", *words)
            self.assertEqual((status, line["return"], line["usage"]["money"]), (0, 2, None), err)
        self.assertIsNone(self.line_of("show", *self.kept)[1]["usage"]["money"])
        self.assertIsNone(self.cost("r", *self.prices)["sum"]["money"])

    def test_money_that_is_known_is_a_number(self):
        script = self.script({"program": "(return 1)", "usage": USAGE})
        status, line, err = self.line_of("run", self.json("a.json", ASKS), "--model", script, *self.prices, *self.kept)
        self.assertEqual((status, line["usage"]["money"]), (0, 600), err)
        self.assertEqual(self.line_of("show", *self.kept)[1]["usage"]["money"], 600)


class Nobody(AgentCostTest):
    def test_an_agent_with_a_program_needs_no_model(self):
        agent = self.json("own.json", OWN)
        for words in ((), self.kept):
            status, line, err = self.line_of("run", agent, *words)
            self.assertEqual((status, line["return"], line["usage"]["model_calls"]), (0, 4, 0), err)
        self.assertEqual(self.line_of("replay", *self.kept)[1]["replay"]["same"], True)
        other = self.file("other.ptc", "(return 9)")
        status, line, err = self.line_of("replay", *self.kept, "--with-program", "1=" + other)
        self.assertEqual((status, line["return"]), (0, 9), err)
        status, line, err = self.line_of("replay", *self.kept, "--with-program", "2=" + other)
        self.assertEqual((status, line), (65, None), err)

    def test_what_it_needs_a_model_for_is_named(self):
        child = {"prompt": "C", "signature": "() -> :int"}
        agent = {**OWN, "program": "(return (tool/c {}))", "children": {"c": child}}
        for words in ((), self.kept):
            status, line, err = self.line_of("run", self.json("own.json", agent), *words)
            self.assertEqual((status, line["fail"]["reason"]), (1, "llm_required"), err)
            self.assertIn("c/model is asked, and there is no model; name one with --model", err)
        status, line, err = self.line_of("resume", *self.kept, "--model", self.script({"program": "(return 5)",
                                                                                      "for": "c"}))
        self.assertEqual((status, line["return"]), (0, 5), err)

    def test_other_agents_need_one(self):
        asks, own = self.json("a.json", ASKS), self.json("own.json", OWN)
        for words in ((asks,), (own, "--then", asks), (asks, *self.kept)):
            status, out, err = ptcvm("agent", "run", *words)
            self.assertEqual((status, out), (2, ""), words)
            self.assertIn("--model is required", err)

    def test_a_program_in_the_place_of_a_model_is_no_call(self):
        program = "program:" + self.file("p.ptc", "(return 1)")
        status, line, err = self.line_of("run", self.json("a.json", ASKS), "--model", program, *self.kept)
        self.assertEqual((status, line["return"], line["usage"]["model_calls"]), (0, 1, 0), err)
        self.assertEqual(self.line_of("show", *self.kept)[1]["usage"]["model_calls"], 0)
        self.assertEqual(self.line_of("replay", *self.kept)[1]["replay"]["same"], True)
        self.assertEqual(self.cost()["sum"]["calls"], 0)

    def test_why_a_program_in_the_place_of_a_model_failed_is_said(self):
        for source, why in (("(+ 1 nil)", "type_error: "), ('(return "x")', "does not fit :int")):
            program = "program:" + self.file("p.ptc", source)
            status, line, err = self.line_of("run", self.json("a.json", ASKS), "--model", program)
            self.assertEqual((status, line["fail"]["reason"]), (1, "llm_required"), err)
            self.assertIn(why, line["fail"]["message"])


class Programs(AgentCostTest):
    def test_only_an_agent_that_a_model_writes_for_is_compiled(self):
        out = self.folder.name + "/out.ptc"
        words = ("--model", self.script(), "--out", out)
        status, out_text, err = ptcvm("agent", "compile", self.json("own.json", OWN), *words)
        self.assertEqual((status, out_text), (65, ""))
        self.assertIn("the agent has a program", err)
        asks = self.json("a.json", ASKS)
        status, _, err = ptcvm("agent", "compile", asks, *words, "--then", asks)
        self.assertEqual(status, 2)
        self.assertIn("no option --then", err)

    def test_a_program_that_fails_in_a_replay_says_why(self):
        script = self.script({"program": "1"}, {"program": "(return 3)"})
        self.line_of("run", self.json("a.json", ASKS), "--model", script, *self.kept)
        for source, reason in (("(+ 1", "parse_error"), ("(+ 1 nil)", "type_error")):
            status, line, err = self.line_of("replay", *self.kept, "--with-program", "2=" + self.file("p.ptc", source))
            self.assertEqual((status, line["fail"]["reason"]), (1, reason), err)
            self.assertIn("the program of turn 2: ", line["fail"]["message"])


class Scripts(AgentCostTest):
    def test_a_request_that_is_not_as_expected_is_a_state_that_one_can_go_on_from(self):
        script = self.script({"program": "(return 3)", "expect": {"contains": ["Zoe"]}})
        status, line, err = self.line_of("run", self.json("a.json", ASKS), "--model", script, *self.kept)
        self.assertEqual((status, line["status"], line["fail"]["reason"]), (1, "error", "script_expectation"), err)
        self.assertIn("ptcvm agent resume --store", err)
        runs = ("runs", *self.kept[:2], "--json")
        for state in ((), ("--state", "failed"), ("--state", "failed script_expectation")):
            self.assertEqual(json.loads(ptcvm(*runs, *state)[1])["state"], "failed script_expectation")
        status, line, err = self.line_of("resume", *self.kept, "--model", self.script({"program": "(return 3)"}))
        self.assertEqual((status, line["return"]), (0, 3), err)
        self.assertEqual(json.loads(ptcvm(*runs)[1])["state"], "ended")


if __name__ == "__main__":
    unittest.main(argv=["agent_cost_test"])
