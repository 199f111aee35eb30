#!/usr/bin/env python3
"""ptcvm chain cost: what the models of a task have cost, the agents of its steps with them.

usage: chain_cost_test.py PTCVM   (the program under test)"""
import json
import unittest

import chain_test
from chain_test import INTENT
from ptcvm_process import ptcvm

PRICES = {"*": {"input": 2, "cached": 0.5, "output": 8}}


def used(reply, given, output, cached=0):
    said = {"text": reply} if isinstance(reply, str) else reply if "program" in reply else {"text": json.dumps(reply)}
    return {**said, "usage": {"input": given, "cached": cached, "output": output}}


class Cost(chain_test.ChainTest):
    def run_with_agent(self, *replies):
        plan = {"steps": [{"id": "a", "type": "action", "description": "Think of a word"}]}
        lines = [used(INTENT, 100, 10), used(plan, 200, 20), *replies]
        script = self.file("script.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        status, _, err = self.chain("run", "Greet", "--tools", self.tools(), "--model", f"scripted:{script}",
                                    "--revisions", "1", *self.kept())
        self.assertEqual(status, 0, err)

    def cost(self, *more):
        status, out, err = self.chain("cost", *self.kept("--json", *more))
        self.assertEqual(status, 0, err)
        return json.loads(out), err

    def prices(self):
        return "--prices", self.file("prices.json", json.dumps(PRICES))

    def test_each_request_of_the_planner_and_of_agents_is_paid_for(self):
        self.run_with_agent(used({"program": "(def word \"salve\")"}, 1000, 30, 400),
                            used({"program": "(return word)"}, 50, 5))
        cost, _ = self.cost(*self.prices())
        lines = {line["for"]: line for line in cost["lines"]}
        self.assertEqual(sorted(lines), ["intent", "plan", "step a"])
        self.assertEqual((lines["intent"]["input"], lines["intent"]["money"]), (100, 0.00028))
        agent = lines["step a"]
        self.assertEqual((agent["calls"], agent["input"], agent["cached"], agent["output"]), (2, 1050, 400, 35))
        self.assertEqual(agent["money"], (600 * 2 + 400 * 0.5 + 30 * 8 + 50 * 2 + 5 * 8) / 1e6)
        self.assertEqual((cost["sum"]["calls"], cost["sum"]["input"]), (4, 1350))
        self.assertEqual(cost["sum"]["money"], round(sum(line["money"] for line in cost["lines"]), 6))

    def test_without_prices_the_money_is_not_known(self):
        self.run_with_agent(used({"program": "(return 1)"}, 10, 1))
        cost, err = self.cost()
        self.assertIsNone(cost["sum"]["money"])
        self.assertIn("there is no price of scripted", err)

    def test_a_reply_without_its_tokens_has_a_cost_that_nobody_knows(self):
        self.run_with_agent({"program": "(return 1)"})
        cost, err = self.cost(*self.prices())
        self.assertIsNone(cost["sum"]["money"])
        self.assertEqual([line["money"] is None for line in cost["lines"]], [False, False, True])
        self.assertIn("say nothing of their tokens", err)

    def test_it_is_a_table_for_people(self):
        self.run_with_agent(used({"program": "(return 1)"}, 10, 1))
        status, out, err = self.chain("cost", *self.kept(*self.prices()))
        self.assertEqual((status, out.splitlines()[0].split()), (0, ["for", "model", "calls", "input", "cached",
                                                                     "output", "money"]), err)
        self.assertEqual(out.splitlines()[-1].split(), ["sum", "3", "310", "0", "31", "0.000868"])

    def test_a_task_that_is_not_there_is_refused(self):
        self.run_with_agent(used({"program": "(return 1)"}, 10, 1))
        status, _, err = ptcvm("chain", "cost", "--store", self.store, "--id", "other")
        self.assertEqual((status, "the store has no task other" in err), (65, True), err)


if __name__ == "__main__":
    unittest.main(argv=["chain_cost_test"])
