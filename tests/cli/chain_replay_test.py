#!/usr/bin/env python3
"""ptcvm chain replay, export and import: a task against its own log, and what stays of tasks in another store.

usage: chain_replay_test.py PTCVM   (the program under test)"""
import json
import os
import unittest

import chain_test
from chain_test import INTENT, step
from ptcvm_process import ptcvm


class Replay(chain_test.ChainTest):
    def replay(self, *more):
        status, out, err = self.chain("replay", *self.kept("--output", "json", *more))
        self.assertNotEqual(out, "", err)
        return status, json.loads(out)

    def done(self, plans, *tools, more=()):
        tools = self.tools(*tools) if tools else self.tools()
        script = self.script(INTENT, *({"steps": plan} for plan in plans))
        return self.chain("run", "Greet", "--tools", tools, "--model", script, *self.kept(*more))

    def test_a_task_is_the_same_again_and_nothing_is_called(self):
        self.done([[step("a", args={"text": "x"}),
                    step("b", args={"text": {"$result": "a"}}, verification=["contains:hel"])]])
        made = self.made()
        status, said = self.replay()
        self.assertEqual((status, said["same"], said["misses"], said["unused"]), (0, True, [], []), said)
        self.assertGreater(said["score"], 0.7)
        self.assertEqual(self.made(), made)

    def test_failures_replans_and_approvals_are_replayed(self):
        self.done([[step("a", "bad"), step("b", requiresConfirmation=True)],
                   [step("a", "say"), step("b", requiresConfirmation=True)]],
                  self.shell("say", "echo '\"hello\"'"), self.shell("bad", "exit 1"))
        self.assertEqual(self.chain("answer", *self.kept("b", "yes"))[0], 0)
        status, said = self.replay()
        self.assertEqual((status, said["same"], said["misses"], said["report"]["revision"]), (0, True, [], 2), said)

    def test_a_call_that_failed_and_was_made_again_under_the_same_key_is_replayed(self):
        flag = os.path.join(self.folder.name, "flag")
        self.done([[step("a", "twice")], [step("a", "twice")]],
                  self.shell("twice", f"if [ -e {flag} ]; then echo 1; else touch {flag}; exit 1; fi"))
        status, said = self.replay()
        self.assertEqual((status, said["same"], said["misses"]), (0, True, []), said)

    def test_agents_of_steps_and_a_person_who_wants_another_plan_are_replayed(self):
        tools = self.tools(self.shell("say", "echo '\"hello\"'"), self.shell("bad", "exit 1"))
        script = self.script(INTENT, {"steps": [{"id": "think", "type": "action", "description": "Think"},
                                                step("b", "bad")]},
                             {"program": "(return 42)"}, {"steps": []},
                             {"steps": [{"id": "think", "type": "action", "description": "Think"}, step("b", "say")]})
        self.chain("run", "Greet", "--tools", tools, "--model", script, *self.kept())
        self.chain("replan", *self.kept("do it otherwise"))
        status, said = self.replay()
        self.assertEqual((status, said["same"], said["misses"]), (0, True, []), said)
        self.assertEqual(said["report"]["steps"][0]["output"], "42")

    def test_another_plan_has_named_misses(self):
        self.done([[step("a", args={"text": "x"}), step("b", args={"text": "y"})]])
        other = self.file("other.json", json.dumps({"steps": [
            step("a", args={"text": "x"}), step("b", args={"text": "changed"}),
            step("c", args={"text": "new"}, dependsOn=[])]}))
        status, said = self.replay("--plan", other)
        self.assertEqual(status, 1)
        missed = [(miss["what"], miss["step"]) for miss in said["misses"]]
        self.assertIn(("tool", "b"), missed)
        self.assertIn(("tool", "c"), missed)
        self.assertNotIn(("tool", "a"), missed)
        self.assertIn('say {"text":"changed"}', [miss["detail"] for miss in said["misses"]])
        self.assertEqual(len(said["unused"]), 1, "the call of b as it was")
        self.assertLess(said["score"], 0.2)
        _, out, _ = self.chain("replay", *self.kept("--plan", other))
        self.assertIn('miss: tool at b: say {"text":"changed"}', out)

    def test_another_strategy_has_named_misses(self):
        self.done([[step("a", args={"text": "x"})]])
        denies = self.file("denies.json", json.dumps({"constraints": {"deniedTools": ["say"]}}))
        asks = self.file("asks.json", json.dumps({"constraints": {"mustConfirmBefore": ["say"]}}))
        status, said = self.replay("--strategy", denies)
        self.assertEqual(said["report"]["rootCause"]["reason"], "DENIED_TOOL")
        self.assertEqual([miss["what"] for miss in said["misses"]], ["replan"], "the planner was never asked again")
        self.assertEqual((status, len(said["unused"])), (1, 1))
        status, said = self.replay("--strategy", asks)
        self.assertIn(("confirm", "a"), [(miss["what"], miss["step"]) for miss in said["misses"]])

    def test_what_cannot_be_replayed_is_refused(self):
        self.done([[step("a", requiresConfirmation=True)]])
        self.assertEqual(self.chain("replay", *self.kept())[0], 65, "it waits for a person")
        self.assertEqual(self.chain("replay", "--store", self.store, "--id", "other")[0], 65)


class Archive(chain_test.ChainTest):
    def in_other(self, *args):
        return ptcvm("chain", args[0], "--store", os.path.join(self.folder.name, "other.db"), *args[1:])

    def test_what_stays_of_tasks_is_carried_to_another_store(self):
        self.run_task([step("a")], *self.kept(), text="Install the parser")
        self.chain("feedback", *self.kept("rating=positive; correction=use pnpm"))
        self.chain("facts", "--store", self.store, "The page needs a footer", "--key", "footer")
        status, lines, err = self.chain("export", "--store", self.store)
        self.assertEqual(status, 0, err)
        task, fact = [json.loads(line) for line in lines.splitlines()]
        self.assertEqual((task["kind"], task["taskId"], task["input"], len(task["reports"]), len(task["traces"])),
                         ("task", "t", "Install the parser", 1, 1))
        self.assertEqual((fact["kind"], fact["key"], fact["content"]), ("fact", "footer", "The page needs a footer"))
        path = self.file("tasks.jsonl", lines)
        self.assertEqual(self.in_other("import", path)[:2], (0, "2 taken, 0 there already\n"))
        self.assertEqual(self.in_other("import", path)[:2], (0, "0 taken, 2 there already\n"))
        self.assertEqual(self.in_other("export")[1], lines)
        found = self.in_other("facts")[1]
        self.assertIn("use pnpm", found)
        self.assertIn("footer", found)
        self.assertIn("footer", self.in_other("facts", "--search", "pages")[1])

    def test_lines_that_are_no_records_are_refused_and_nothing_is_taken(self):
        self.run_task([step("a")], *self.kept())
        good = self.chain("export", "--store", self.store)[1]
        record = json.loads(good)
        for name, changed in (("version", {**record, "version": 2}), ("report", {**record, "reports": [{}]}),
                              ("input", {**record, "input": 1}), ("kind", {"kind": "x"}), ("list", [])):
            path = self.file("bad.jsonl", good + json.dumps(changed) + "\n")
            status, _, err = self.in_other("import", path)
            self.assertEqual(status, 65, name)
            self.assertIn("bad.jsonl:2: RECORD_INVALID", err, name)
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "other.db")))

    def test_a_task_that_the_store_has_is_not_replaced(self):
        self.run_task([step("a")], *self.kept())
        lines = self.chain("export", "--store", self.store)[1]
        self.assertEqual(self.chain("import", "--store", self.store, self.file("t.jsonl", lines))[:2],
                         (0, "0 taken, 1 there already\n"))


if __name__ == "__main__":
    unittest.main(argv=["chain_replay_test.py"])
