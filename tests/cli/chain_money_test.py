#!/usr/bin/env python3
"""ptcvm chain: what the models of a task may cost, the agents of its steps with them.

usage: chain_money_test.py PTCVM   (the program under test)"""
import json
import unittest

import chain_test
from chain_cost_test import used
from chain_test import INTENT, step
from ptcvm_process import ptcvm

PRICES = {"*": {"input": 1, "output": 1}}


def agent(name, after=()):
    return {"id": name, "type": "action", "description": f"Think of {name}", "dependsOn": list(after)}


class MoneyTest(chain_test.ChainTest):
    """A token is a millionth of money: a reply with 90 tokens of input and 10 of output costs 100."""

    def setUp(self):
        super().setUp()
        self.prices = "--prices", self.file("prices.json", json.dumps(PRICES))

    def costing(self, *replies):
        return self.script_of(*(used(reply, 90, 10) for reply in replies))

    def script_of(self, *lines):
        return "scripted:" + self.file("script.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def begin(self, limit, *replies, more=(), kept=(), tools=None):
        words = ("--limit", f"money={limit}") if limit else ()
        status, out, err = self.chain("run", "Greet", "--tools", tools or self.tools(), "--output", "json", "--model",
                                      self.costing(*replies), *self.prices, *words, *more, *kept)
        return status, json.loads(out) if out else None, err

    def cost(self, *words):
        status, out, err = self.chain("cost", *self.kept("--json", *words))
        self.assertEqual(status, 0, err)
        return json.loads(out)["sum"]["money"]


class Limit(MoneyTest):
    def test_a_task_whose_money_is_used_up_asks_nobody_and_says_why(self):
        """100 for the intent."""
        status, report, err = self.begin(100, INTENT, {"steps": [step("a")]}, kept=self.kept())
        self.assertEqual((status, report["error"]), (1, "BUDGET_EXHAUSTED: the limit money (100) is used up"), err)
        self.assertEqual((report["cost"]["modelCalls"], self.cost(), self.made()), (1, 0.0001, []))

    def test_a_limit_that_is_not_reached_changes_nothing(self):
        replies = INTENT, {"steps": [agent("a")]}, {"program": "(return \"salve\")"}
        limited = self.begin(300, *replies)[1]
        self.assertEqual(limited["outputs"], ["salve"])
        for report in (limited, unlimited := self.begin(None, *replies)[1]):
            report.pop("createdAt")
            report.pop("durationMs")
            for one in report["steps"]:
                one.pop("durationMs", None)
        self.assertEqual(limited, unlimited)

    def test_the_agent_of_a_step_may_use_what_is_left(self):
        """200 for intent and plan; the agent asks once and is refused the next time, and so is the planner."""
        status, report, err = self.begin(250, INTENT, {"steps": [agent("a")]}, {"program": "(def w 1)"},
                                         {"program": "(return w)"}, kept=self.kept())
        self.assertEqual((status, report["success"]), (1, False), err)
        self.assertIn("budget_exhausted: the limit money (50) is used up", json.dumps(report))
        self.assertIn("BUDGET_EXHAUSTED: the limit money (250) is used up", report["error"])
        self.assertEqual((report["cost"]["modelCalls"], self.cost()), (3, 0.0003))

    def test_agents_share_what_is_left(self):
        """400 for intent, plan and the agent of a; the agent of b is not asked for the first time."""
        plan = {"steps": [agent("a"), agent("b", ["a"])]}
        status, report, err = self.begin(400, INTENT, plan, {"program": "(def w 1)"}, {"program": "(return w)"},
                                         {"program": "(return 2)"}, kept=self.kept())
        self.assertEqual((status, [one["status"] for one in report["steps"]]), (1, ["completed", "failed"]), err)
        self.assertIn("BUDGET_EXHAUSTED", report["steps"][1]["error"])
        self.assertEqual((report["cost"]["modelCalls"], self.cost()), (4, 0.0004))

    def test_agents_at_once_lower_each_others_limits(self):
        plan = {"steps": [agent("a"), agent("b")]}
        turns = [{"program": "(def w 1)"}] * 8
        _, report, err = self.begin(500, INTENT, plan, *turns, more=("--revisions", "1"), kept=self.kept())
        self.assertEqual([one["status"] for one in report["steps"]], ["failed", "failed"], err)
        self.assertIn("budget_exhausted", report["steps"][0]["error"])
        self.assertLessEqual(self.cost(), 0.0006, "one request may be under way when the last money goes")

    def test_checks_that_a_model_should_judge_stay_pending(self):
        plan = {"steps": [step("a", verification=["it is kind"])]}
        status, report, err = self.begin(200, INTENT, plan, [True], more=("--verify", "model"))
        self.assertEqual((status, report["success"], report["cost"]["modelCalls"]), (0, True, 2), err)
        self.assertEqual(report["steps"][0]["verificationStatus"], "pending")

    def test_a_reply_without_its_tokens_ends_the_task(self):
        model = self.script_of(used(INTENT, 90, 10), {"text": json.dumps({"steps": [agent("a")]})})
        status, out, err = self.chain("run", "Greet", "--tools", self.tools(), "--output", "json", "--model", model,
                                      *self.prices, "--limit", "money=1000")
        self.assertEqual(status, 1, err)
        self.assertIn("BUDGET_EXHAUSTED: the limit money (1000) cannot be kept: nobody knows", json.loads(out)["error"])


class Words(MoneyTest):
    def test_a_limit_needs_the_price_of_the_model(self):
        other = "--prices", self.file("other.json", json.dumps({"gpt": {}}))
        status, _, err = self.chain("run", "Greet", "--tools", self.tools(), "--model", self.costing(INTENT), *other,
                                    "--limit", "money=5")
        self.assertEqual((status, "no price of the model scripted" in err), (65, True), err)
        status, _, err = self.chain("run", "Greet", "--tools", self.tools(), "--model", self.costing(INTENT), "--limit",
                                    "money=5")
        self.assertEqual(status, 2, err)

    def test_limits_that_a_task_has_not_are_refused_by_name(self):
        for words, why in (("tokens=5", "a task has no limit tokens; it has money"), ("money=0", "LIMIT=NUMBER"),
                           ("money", "LIMIT=NUMBER")):
            status, _, err = self.chain("run", "Greet", "--tools", self.tools(), "--model", self.costing(INTENT),
                                        *self.prices, "--limit", words)
            self.assertEqual((status, why in err), (65, True), err)


class Kept(MoneyTest):
    def test_the_store_keeps_the_limit_and_the_prices(self):
        """The task waits for a person; another process goes on, and the second revision is refused."""
        tools = self.tools(self.shell("say", "exit 1"))
        strategy = "--strategy", self.file("s.json", json.dumps({"constraints": {"mustConfirmBefore": ["say"]}}))
        status, _, err = self.begin(200, INTENT, {"steps": [step("a")]}, {"steps": [step("a")]}, more=strategy,
                                    kept=self.kept(), tools=tools)
        self.assertEqual(status, 75, err)
        status, out, err = self.chain("answer", *self.kept("a", "yes", "--output", "json"))
        self.assertEqual((status, json.loads(out)["error"]),
                         (1, "BUDGET_EXHAUSTED: the limit money (200) is used up"), err)
        self.assertEqual(self.cost(), 0.0002)
        self.assertIn("the same report", self.chain("replay", *self.kept())[1])

    def test_a_person_may_add_to_the_limit(self):
        self.begin(200, INTENT, {"steps": [agent("a")]}, {"program": "(return 1)"}, kept=self.kept())
        self.script_of(*(used(reply, 90, 10) for reply in
                         (*[INTENT] * 2, {"steps": [agent("a")]}, {"program": "(return \"salve\")"})))
        status, out, err = self.chain("replan", *self.kept("go on", "--raise", "money=100",
                                                           "--raise", "money=100", "--output", "json"))
        self.assertEqual((status, json.loads(out)["outputs"]), (0, ["salve"]), err)
        self.assertEqual(self.cost(), 0.0004)
        self.assertIn("the same report", self.chain("replay", *self.kept())[1])
        status, _, err = self.chain("replan", *self.kept("again", "--raise", "turns=1"))
        self.assertEqual((status, "a task has no limit turns" in err), (65, True), err)

    def test_a_task_without_a_limit_has_nothing_to_raise(self):
        self.begin(None, INTENT, {"steps": [step("a")]}, kept=self.kept())
        status, _, err = self.chain("replan", *self.kept("again", "--raise", "money=1"))
        self.assertEqual((status, "the task has no limit of money" in err), (65, True), err)

    def test_another_limit_for_a_task_that_was_begun_is_refused(self):
        self.begin(100, INTENT, kept=self.kept())
        status, _, err = self.begin(900, INTENT, kept=self.kept())
        self.assertEqual((status, "was begun with another limit of money" in err), (65, True), err)

    def test_a_task_cost_what_it_cost_when_it_ran(self):
        tools = self.tools(self.shell("say", "exit 1"))
        strategy = "--strategy", self.file("s.json", json.dumps({"constraints": {"mustConfirmBefore": ["say"]}}))
        self.begin(None, INTENT, {"steps": [step("a")]}, {"steps": []}, more=strategy, kept=self.kept(), tools=tools)
        self.assertEqual(self.cost(), 0.0002)
        dear = "--prices", self.file("dear.json", json.dumps({"*": {"input": 10, "output": 10}}))
        self.chain("answer", *self.kept("a", "yes", *dear))
        self.assertEqual((self.cost(), self.cost(*dear), self.cost(*self.prices)), (0.0012, 0.003, 0.0003))

    def test_the_cost_of_an_agent_names_the_command_for_tasks(self):
        self.begin(None, INTENT, {"steps": [step("a")]}, kept=self.kept())
        status, _, err = ptcvm("agent", "cost", *self.kept())
        self.assertEqual((status, "ptcvm chain cost shows what a task has cost" in err), (65, True), err)


if __name__ == "__main__":
    unittest.main(argv=["chain_money_test"])
