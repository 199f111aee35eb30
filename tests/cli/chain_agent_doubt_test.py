#!/usr/bin/env python3
"""ptcvm chain: calls of which the agent of a step does not know whether they happened. A person settles them.

usage: chain_agent_doubt_test.py PTCVM   (the program under test)"""
import json
import unittest

import chain_test
from chain_test import INTENT
from ptcvm_process import ptcvm

SAYS = {"program": "(return [data/word (tool/say {:text \"a\"})])"}


class AgentDoubt(chain_test.ChainTest):
    def begin(self, line, *replies, effect="unsafe", name="say"):
        """Runs a task whose agent calls a tool, and returns its status and its standard error. `line`: what the tool
        does in a shell; $PPID is the process of ptcvm."""
        self.declared = self.tools({**self.shell(name, line, effect=effect), "signature": "(text :string) -> :int"})
        step = {"id": "a", "type": "action", "description": "Greet", "args": {"word": "ave"}}
        self.model = self.script(INTENT, {"steps": [step]}, SAYS, *replies)
        return self.go_on()

    def go_on(self):
        status, _, err = self.chain("run", "Greet", "--tools", self.declared, "--model", self.model, *self.kept())
        return status, err

    def once(self, first, then="echo 7"):
        """A line that does the first thing the first time, and then the other."""
        mark = self.calls + ".once"
        return f"test -e {mark} || {{ touch {mark}; {first}; exit 1; }}; {then}"

    def answer(self, *words):
        return self.chain("answer", *self.kept(), *words, "--output", "json")

    def outputs(self, out):
        return json.loads(json.loads(out)["outputs"][0])

    def test_it_is_listed_with_its_path_and_the_task_waits(self):
        status, err = self.begin("kill -9 $$")
        asked = "Nobody knows whether the agent of step a has called say {\"text\":\"a\"}. Look, then say it:"
        self.assertEqual((status, self.made()), (75, ["say"]), err)
        self.assertIn(asked, err)
        shown = self.chain("show", *self.kept())[1]
        self.assertIn("waits for a call in doubt", shown)
        self.assertIn(asked + "\n  ptcvm chain answer --store", shown)
        self.assertIn("a/doubt:say --happened JSON | --did-not | --give-up", shown)
        self.assertIn("a call in doubt", self.chain("list", "--store", self.store)[1])
        row = json.loads(ptcvm("runs", "--store", self.store, "--json")[1])
        self.assertEqual((row["id"], row["state"]), ("t", "in doubt"))
        self.assertIn("a/doubt:say", json.dumps(row))

    def test_the_list_of_doubts_says_how_to_settle_it(self):
        self.begin("kill -9 $$")
        status, listed, err = ptcvm("doubt", "list", "--store", self.store)
        self.assertEqual(status, 0, err)
        self.assertIn(" t a/doubt:say --happened JSON", listed)
        self.assertNotIn("agent resume", listed)
        rows = ptcvm("doubt", "list", "--store", self.store, "--json")[1].splitlines()
        self.assertEqual([json.loads(row)["operation"] for row in rows], ["doubt:say"])
        self.answer("a/doubt:say", "--give-up")
        self.assertEqual(ptcvm("doubt", "list", "--store", self.store)[1], "")

    def test_running_the_task_again_asks_again_and_calls_nothing(self):
        self.begin("kill -9 $$")
        status, err = self.go_on()
        self.assertEqual((status, self.made()), (75, ["say"]), err)
        self.assertIn("a/doubt:say", err)

    def test_the_agent_goes_on_with_what_a_person_says_that_the_call_gave(self):
        self.begin("kill -9 $$")
        status, out, err = self.answer("a/doubt:say", "--happened", "7")
        self.assertEqual((status, self.made()), (0, ["say"]), err)
        self.assertEqual(self.outputs(out), ["ave", 7])
        replayed, out, err = self.chain("replay", *self.kept())
        self.assertEqual((replayed, out.splitlines()[0]), (0, "the same report as in the log"), err)

    def test_a_call_that_did_not_happen_is_made(self):
        self.begin(self.once("kill -9 $$"))
        status, out, err = self.answer("a", "--did-not")
        self.assertEqual((status, self.made(), self.outputs(out)), (0, ["say", "say"], ["ave", 7]), err)

    def test_a_reconcilable_tool_is_not_called_again_unasked(self):
        status, err = self.begin("kill -9 $$", effect="reconcilable")
        self.assertEqual((status, self.made()), (75, ["say"]), err)
        self.assertEqual(self.answer("a/doubt:say", "--happened", "7")[0], 0)
        self.assertEqual(self.made(), ["say"])

    def test_a_second_doubt_about_the_call_has_a_name_of_its_own(self):
        self.begin("kill -9 $$")
        status, _, err = self.answer("a/doubt:say", "--did-not")
        self.assertEqual((status, self.made()), (75, ["say", "say"]), err)
        self.assertIn("a/doubt:say@2", err)
        status, _, err = self.answer("a/doubt:say", "--happened", "1")
        self.assertEqual((status, self.made()), (65, ["say", "say"]), err)
        self.assertIn("already_resolved: a/doubt:say was answered before: it did not happen", err)
        status, _, err = self.answer("a", "--happened", "1")
        self.assertEqual(status, 65, err)
        self.assertIn("step a has asked before", err)
        status, out, err = self.answer("a/doubt:say@2", "--happened", "1")
        self.assertEqual((status, self.outputs(out)), (0, ["ave", 1]), err)

    def test_the_same_answer_twice_is_one_and_another_one_is_refused(self):
        self.begin("kill -9 $$")
        self.assertEqual(self.answer("a/doubt:say", "--happened", "7")[0], 0)
        status, out, err = self.answer("a/doubt:say", "--happened", "7")
        self.assertEqual((status, self.outputs(out)), (0, ["ave", 7]), err)
        status, _, err = self.answer("a/doubt:say", "--happened", "8")
        self.assertEqual(status, 65, err)
        self.assertIn("already_resolved: a/doubt:say was answered before: it happened: 7", err)

    def test_an_output_that_the_tool_cannot_give_is_refused_and_changes_nothing(self):
        self.begin("kill -9 $$")
        status, _, err = self.answer("a/doubt:say", "--happened", "\"seven\"")
        self.assertEqual(status, 65, err)
        self.assertIn("ANSWER_INVALID", err)
        self.assertIn("a/doubt:say", self.chain("show", *self.kept())[1])
        status, out, err = self.answer("a/doubt:say", "--happened", "7")
        self.assertEqual((status, self.outputs(out)), (0, ["ave", 7]), err)

    def test_a_doubt_that_nobody_has_is_refused(self):
        self.begin("kill -9 $$")
        status, _, err = self.answer("a/doubt:cry", "--did-not")
        self.assertEqual((status, self.made()), (65, ["say"]), err)
        self.assertIn("nobody asks a/doubt:cry", err)
        status, _, err = self.answer("a/doubt:say", "yes")
        self.assertEqual((status, self.made()), (65, ["say"]), err)

    def test_a_process_that_is_killed_in_the_call_leaves_a_doubt(self):
        status, err = self.begin(self.once("kill -9 $PPID"))
        self.assertEqual((status, self.made()), (-9, ["say"]), err)
        status, err = self.go_on()
        self.assertEqual((status, self.made()), (75, ["say"]), err)
        self.assertIn("a/doubt:say", err)
        status, out, err = self.answer("a/doubt:say", "--happened", "7")
        self.assertEqual((status, self.made(), self.outputs(out)), (0, ["say"], ["ave", 7]), err)

    def test_each_process_that_is_killed_in_the_call_leaves_a_doubt_of_its_own(self):
        self.assertEqual(self.begin("kill -9 $PPID")[0], -9)
        self.go_on()
        status, _, err = self.answer("a/doubt:say", "--did-not")
        self.assertEqual((status, self.made()), (-9, ["say", "say"]), err)
        status, err = self.go_on()
        self.assertEqual((status, self.made()), (75, ["say", "say"]), err)
        self.assertIn("a/doubt:say@2", err)
        status, _, err = self.answer("a/doubt:say@2", "--happened", "7")
        self.assertEqual((status, self.made()), (0, ["say", "say"]), err)

    def test_other_steps_go_on_beside_a_doubt_and_what_depends_on_it_goes_on_behind_it(self):
        tools = self.tools(self.shell("say", "kill -9 $$", effect="unsafe"), self.shell("cry", "echo 2"))
        steps = [{"id": "a", "type": "action", "description": "Greet", "args": {"word": "ave"}, "dependsOn": []},
                 {"id": "b", "type": "action", "description": "Cry", "tool": "cry", "dependsOn": []},
                 {"id": "c", "type": "action", "description": "Cry", "tool": "cry", "args": {"text": "c"},
                  "dependsOn": ["a"]}]
        status, _, err = self.chain("run", "Greet", "--tools", tools, "--model",
                                    self.script(INTENT, {"steps": steps}, SAYS), *self.kept())
        self.assertEqual((status, sorted(self.made())), (75, ["cry", "say"]), err)
        status, out, err = self.answer("a/doubt:say", "--happened", "7")
        self.assertEqual((status, sorted(self.made())), (0, ["cry", "cry", "say"]), err)


if __name__ == "__main__":
    unittest.main(argv=["chain_agent_doubt_test.py"])
