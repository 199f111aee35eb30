#!/usr/bin/env python3
"""ptcvm agent: what is refused before a model is asked, answers that come twice, and what lists and journals show.

usage: agent_says_test.py PTCVM   (the program under test)"""
import json
import os
import sys
import unittest

from agent_test import DATA, ORDERS, PAY, AgentTest
from ptcvm_process import ptcvm

ASKING = {**PAY, "tools": [{**PAY["tools"][0], "ask": True,
                            "command": ["sh", "-c", "cat > /dev/null; echo '\"r\"'"]}]}
CALL = {"program": '(def r (task "pay ann" (tool/pay {:to "ann"})))'}
END = {"program": "(return {:receipt r})"}


class Data(AgentTest):
    """Data that does not fit the signature of the agent is refused, and no model is asked."""

    def refused(self, data, *options):
        status, out, err = ptcvm("agent", *options, self.json("a.json", ORDERS), "--data", self.json("d.json", data),
                                 *(() if options[0] == "prompt" else ("--model", self.script())))
        self.assertEqual((status, out), (65, ""), err)
        self.assertIn("the data does not fit the signature of the agent: ", err)
        return err

    def test_a_value_of_another_type_is_named(self):
        self.assertIn("data.rows: expected list, got string", self.refused({**DATA, "rows": "none"}, "run"))

    def test_data_that_is_missing_is_named(self):
        self.assertIn("data.customer", self.refused({"rows": []}, "run"))

    def test_the_prompt_of_such_data_is_refused_too(self):
        self.assertIn("data.customer", self.refused({"rows": [], "customer": 5}, "prompt"))

    def test_more_data_is_no_fault(self):
        data = self.json("d.json", {**DATA, "note": "for you"})
        status, line, _, err = self.agent("run", self.json("a.json", ORDERS), "--data", data, "--model",
                                          self.script({"program": "(return {:count (count data/note)})"}))
        self.assertEqual((status, line["return"]), (0, {"count": 7}), err)


class Kept(AgentTest):
    def setUp(self):
        super().setUp()
        self.store = ("--store", self.place("s.db"))
        self.run_it = ("run", self.json("a.json", ASKING), "--model", self.script(CALL, END), *self.store, "may")
        self.assertEqual(self.agent(*self.run_it)[0], 75)

    def answer(self, *words):
        status, _, err = ptcvm("agent", "resume", "may", *self.store, *words)
        return status, err


class CommandsForPrograms(Kept):
    def test_they_name_the_command_that_goes_on_with_an_agent(self):
        for words in (("resume", "may"), ("resolve", "may", "approve:pay", "true"),
                      ("doubt", "settle", "may", "--did-not"), ("journal", "put", "may", "approve:pay", "true")):
            status, _, err = ptcvm(*words, *self.store)
            self.assertEqual(status, 65, (words, err))
            self.assertIn("may is the run of an agent: `ptcvm agent resume ", err)


class Answers(Kept):
    def test_an_approval_that_is_answered_otherwise_later_is_already_resolved(self):
        self.assertEqual(self.answer("--resolve", "approve:pay=true")[0], 0)
        for words in (("--resolve", "approve:pay=false"), ("--reject", "approve:pay=no")):
            status, err = self.answer(*words)
            self.assertEqual(status, 65, err)
            self.assertIn("already_resolved: approve:pay: the operation has another answer already", err)

    def test_an_answer_that_nobody_waits_for_has_a_name(self):
        status, err = self.answer("--resolve", "approve:none=true")
        self.assertEqual(status, 65)
        self.assertIn("unknown_operation: approve:none", err)


class Journal(Kept):
    def journal(self, *words):
        status, out, err = ptcvm("journal", *words, *self.store, "may")
        self.assertEqual(status, 0, err)
        return out

    def test_a_run_that_waits_shows_what_for(self):
        out = self.journal("show")
        self.assertIn("approve:pay", out)
        self.assertIn('{"to" "ann"}', out)

    def test_tasks_are_in_the_journal_and_in_the_mission_log(self):
        self.answer("--resolve", "approve:pay=true")
        self.assertIn("pay ann", self.journal("show"))
        self.assertIn("pay ann", self.journal("log"))
        self.assertEqual(self.journal("show", "--edn"), '{"pay ann" "r"}\n')
        shown = json.loads(self.journal("show", "--json"))
        self.assertEqual([task["id"] for task in shown["tasks"]], ["pay ann"])


class Lists(AgentTest):
    def test_runs_do_not_list_the_limits_of_rates(self):
        store = ("--store", self.place("s.db"))
        status, _, _, err = self.agent("run", self.json("a.json", PAY), "--model", self.script(
            {"program": '(return {:receipt "r"})'}), *store, "--id", "may", "--rate", "60")
        self.assertEqual(status, 0, err)
        listed = [json.loads(line)["id"] for line in ptcvm("runs", *store, "--json")[1].splitlines()]
        self.assertEqual(listed, ["may"])


class Keys(AgentTest):
    def test_a_key_that_is_missing_is_named_before_anything_is_sent(self):
        names = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PTCVM_MODEL_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL",
                 "PTCVM_MODEL_HEADERS")
        for name in names:
            if name in os.environ:
                self.addCleanup(os.environ.__setitem__, name, os.environ.pop(name))
        for model, name in (("chat:gpt", "OPENAI_API_KEY"), ("responses:gpt", "OPENAI_API_KEY"),
                            ("messages:claude", "ANTHROPIC_API_KEY")):
            status, out, err = ptcvm("agent", "run", self.json("a.json", PAY), "--model", model)
            self.assertEqual((status, out), (65, ""), err)
            self.assertIn(f"ptcvm: {name} is not set", err)
            self.assertIn("or PTCVM_MODEL_KEY", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
