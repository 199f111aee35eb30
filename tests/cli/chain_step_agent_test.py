#!/usr/bin/env python3
"""ptcvm chain: steps that an agent does, because they name no tool.

usage: chain_step_agent_test.py PTCVM   (the program under test)"""
import json
import pathlib
import unittest

import chain_test
from chain_test import INTENT
from ptcvm_process import ptcvm


class StepAgent(chain_test.ChainTest):
    def agent_task(self, *replies, **step_members):
        plan = [{"id": "a", "type": "action", "description": "Think of a word", **step_members}]
        return self.chain("run", "Greet", "--tools", self.tools(), "--output", "json", "--revisions", "1", "--model",
                          self.script(INTENT, {"steps": plan}, *replies), *self.kept())

    def test_an_action_without_a_tool_is_done_by_an_agent(self):
        prompt = {"program": "(def word \"salve\")", "expect": {"newest": {"contains": ["Think of a word"]}}}
        status, out, err = self.agent_task(prompt, {"program": "(return (str word \"!\"))"})
        self.assertEqual((status, json.loads(out)["outputs"]), (0, ["salve!"]), err)
        self.assertEqual(json.loads(out)["cost"]["toolCalls"], 0)

    def test_every_request_of_such_an_agent_is_in_the_cost(self):
        usage = {"usage": {"input": 10, "output": 2}}
        status, out, err = self.agent_task({"program": "(def word 1)", **usage}, {"program": "(return word)", **usage})
        cost = json.loads(out)["cost"]
        self.assertEqual((status, cost["modelCalls"], cost["inputTokens"], cost["outputTokens"]), (0, 4, 20, 4), err)

    def test_an_agent_calls_the_tools_of_the_task_and_their_calls_are_in_the_cost(self):
        program = {"program": "(return [(tool/say {:text \"a\"}) (tool/say {:text \"b\"})])"}
        status, out, err = self.agent_task(program)
        report = json.loads(out)
        self.assertEqual((status, json.loads(report["outputs"][0])), (0, ["hello", "hello"]), err)
        self.assertEqual((self.made(), report["cost"]["toolCalls"]), (["say", "say"], 2))
        self.assertIn("the same report", self.chain("replay", *self.kept())[1])

    def test_nothing_is_planned_again_by_itself_behind_a_call_that_is_given_up(self):
        again = {"steps": [{"id": "b", "type": "action", "description": "Greet again"}]}
        self.in_doubt(again, {"program": "(return (tool/say {:text \"a\"}))"})

    def test_a_call_in_doubt_fails_the_step_when_nobody_can_be_asked(self):
        tools = self.tools(self.shell("say", "kill -9 $$", effect="unsafe"))
        plan = {"steps": [{"id": "a", "type": "action", "description": "Greet"}]}
        call = {"program": "(return (tool/say {:text \"a\"}))"}
        status, out, err = self.chain("run", "Greet", "--tools", tools, "--output", "json", "--model",
                                      self.script(INTENT, plan, call, call))
        self.assertEqual((status, self.made()), (1, ["say"]), err)
        self.assertIn("IN_DOUBT", out)

    def in_doubt(self, *replies):
        """Runs a task whose agent has a call in doubt, and gives the call up."""
        once = self.calls + ".killed"
        tools = self.tools(self.shell("say", f"test -e {once} || {{ touch {once}; kill -9 $$; }}; echo 1",
                                      effect="unsafe"), self.shell("cry", "echo 2", effect="unsafe"))
        plan = {"steps": [{"id": "a", "type": "action", "description": "Greet"}]}
        script = self.script(INTENT, plan, {"program": "(return (tool/say {:text \"a\"}))"}, *replies)
        status, out, err = self.chain("run", "Greet", "--tools", tools, "--output", "json", "--model", script,
                                      *self.kept())
        self.assertEqual((status, self.made()), (75, ["say"]), err)
        status, out, err = self.chain("answer", *self.kept(), "a", "--give-up", "--output", "json")
        self.assertEqual((status, self.made()), (1, ["say"]), err)
        self.assertIn("IN_DOUBT", out)

    def replan(self):
        return self.chain("replan", "again", *self.kept(), "--output", "json")

    def test_an_agent_of_a_later_revision_does_not_make_such_a_call_again(self):
        plan = {"steps": [{"id": "a", "type": "action", "description": "Greet again"}]}
        hears = {"program": "(return (tool/cry {:text \"a\"}))",
                 "expect": {"newest": {"contains": ["CONFIRMATION_UNAVAILABLE"]}}}
        self.in_doubt(plan, {"program": "(return (tool/say {:text \"a\"}))"}, hears)
        status, out, err = self.replan()
        self.assertEqual((status, self.made()), (0, ["say", "cry"]), err)
        self.assertEqual(json.loads(out)["outputs"], ["2"])

    def test_a_person_is_asked_before_a_later_revision_makes_such_a_call(self):
        plan = {"steps": [{"id": "b", "type": "action", "description": "Greet", "tool": "say", "args": {"text": "a"}}]}
        for said, made, status in (("yes", ["say", "say"], 0), ("always", ["say", "say"], 0), ("no", ["say"], 1)):
            with self.subTest(said=said):
                self.store = f"{self.folder.name}/{said}.db"
                for left in pathlib.Path(self.folder.name).glob("calls*"):
                    left.unlink()
                self.in_doubt(plan, {"steps": []})
                waits, _, err = self.replan()
                self.assertEqual((waits, self.made()), (75, ["say"]), err)
                asks = "Nobody knows whether an agent of the task has called say before. Look, then say yes or no."
                self.assertIn(asks, err)
                self.assertIn(asks, self.chain("show", *self.kept())[1])
                ended, _, err = self.chain("answer", *self.kept(), "b", said)
                self.assertEqual((ended, self.made()), (status, made), err)
                self.assertEqual(self.chain("approvals", "--store", self.store)[1], "")
                replayed, out, err = self.chain("replay", *self.kept())
                self.assertEqual((replayed, out.splitlines()[0]), (0, "the same report as in the log"), err)

    def failing_behind_a_call(self, second, *replies, **more):
        """The agent of the first revision has paid, and fails; `second` is the plan of the next revision."""
        tools = self.tools(self.shell("say", "echo 1", effect="unsafe"), self.shell("cry", "echo 2", effect="unsafe"))
        first = {"steps": [{"id": "a", "type": "action", "description": "Greet"}]}
        fails = {"program": "(def said (tool/say {:text \"a\"}))"}, {"program": "(fail {:reason :lost :message \"x\"})"}
        return self.chain("run", "Greet", "--tools", tools, "--output", "json", "--model",
                          self.script(INTENT, first, *fails, second, *replies), *self.kept(), **more)

    def test_an_agent_of_a_later_revision_does_not_repeat_what_a_failed_one_has_done(self):
        plan = {"steps": [{"id": "a", "type": "action", "description": "Greet again"}]}
        hears = {"program": "(return (tool/cry {:text \"a\"}))",
                 "expect": {"newest": {"contains": ["CONFIRMATION_UNAVAILABLE"]}}}
        status, out, err = self.failing_behind_a_call(plan, {"program": "(return (tool/say {:text \"a\"}))"}, hears)
        self.assertEqual((status, self.made()), (0, ["say", "cry"]), err)
        self.assertIn("lost: behind calls of say, which may not be called twice: x", out)

    def test_a_person_is_asked_before_a_later_revision_repeats_it(self):
        plan = {"steps": [{"id": "b", "type": "action", "description": "Greet", "tool": "say", "args": {"text": "a"}}]}
        waits, _, err = self.failing_behind_a_call(plan)
        self.assertEqual((waits, self.made()), (75, ["say"]), err)
        self.assertIn("An agent of the task that failed has called say before. Look, then say yes or no.", err)
        ended, _, err = self.chain("answer", *self.kept(), "b", "yes")
        self.assertEqual((ended, self.made()), (0, ["say", "say"]), err)
        replayed, out, err = self.chain("replay", *self.kept())
        self.assertEqual((replayed, out.splitlines()[0]), (0, "the same report as in the log"), err)

    def test_what_may_be_repeated_is_not_kept_from_a_later_revision(self):
        tools = self.tools(self.shell("say", "echo 1", effect="idempotent"))
        first = {"steps": [{"id": "a", "type": "action", "description": "Greet"}]}
        says = {"program": "(def said (tool/say {:text \"a\"}))"}
        script = self.script(INTENT, first, says, {"program": "(fail {:reason :lost})"}, first,
                             {"program": "(return (tool/say {:text \"a\"}))"})
        status, _, err = self.chain("run", "Greet", "--tools", tools, "--output", "json", "--model", script,
                                    *self.kept())
        self.assertEqual((status, self.made()), (0, ["say", "say"]), err)

    def test_the_run_of_such_an_agent_is_a_part_of_the_task(self):
        self.in_doubt()
        self.replan()                                    # the script has no plan: there is the log of the wish, too
        rows = ptcvm("runs", "--store", self.store, "--json")[1].splitlines()
        self.assertEqual([json.loads(row)["id"] for row in rows], ["t"])
        rows = ptcvm("runs", "--store", self.store, "--json", "--parts")[1].splitlines()
        agent = next(name for name in (json.loads(row)["id"] for row in rows) if "/task:" in name)
        for words in (("resume",), ("agent", "resume"), ("agent", "show"), ("doubt", "settle")):
            more = ("--did-not",) if words[0] == "doubt" else ()
            status, _, err = ptcvm(*words, "--store", self.store, "--id", agent, *more)
            self.assertEqual(status, 65, err)
            self.assertIn("is the agent of a step", err)
            self.assertIn("ptcvm chain show", err)

    def strict(self, section, name, value):
        return "--strategy", self.file("strict.json", json.dumps({section: {name: value}}))

    def assert_refused(self, error, *more):
        """The agent of a step calls `say`, hears of the error, and gives up."""
        plan = [{"id": "a", "type": "action", "description": "Greet"}]
        hears = {"program": "(return \"gave up\")", "expect": {"newest": {"contains": [error]}}}
        script = self.script(INTENT, {"steps": plan}, {"program": "(return (tool/say {:text \"a\"}))"}, hears)
        status, out, err = self.chain("run", "Greet", "--tools", self.tools(), "--output", "json", "--revisions", "1",
                                      "--model", script, *more)
        self.assertEqual((status, self.made()), (0, []), err)
        self.assertEqual(json.loads(out)["outputs"], ["gave up"])

    def test_an_agent_does_not_call_what_the_task_denies(self):
        self.assert_refused("DENIED_TOOL", *self.strict("constraints", "deniedTools", ["say"]))

    def test_nobody_is_asked_in_the_middle_of_an_agent(self):
        self.assert_refused("CONFIRMATION_UNAVAILABLE", *self.kept(),
                            *self.strict("constraints", "mustConfirmBefore", ["say"]))

    def test_the_arguments_of_such_a_step_are_data_of_its_agent(self):
        status, out, err = self.agent_task({"program": "(return (upcase data/word))"}, args={"word": "ave"})
        self.assertEqual((status, json.loads(out)["outputs"]), (0, ["AVE"]), err)

    def test_a_description_is_no_template(self):
        prompt = {"program": "(return 1)", "expect": {"newest": {"contains": ["Use { {word"]}}}
        status, _, err = self.agent_task(prompt, description="Use {{word}} {{#x}")
        self.assertEqual(status, 0, err)

    def test_an_agent_that_fails_fails_its_step_by_name(self):
        status, out, err = self.agent_task({"program": "(fail {:reason :no_word :message \"none left\"})"})
        self.assertEqual((status, json.loads(out)["steps"][0]["error"]), (1, "no_word: none left"), err)

    def test_a_program_that_waits_for_nobody_fails_its_step_by_name(self):
        status, out, err = self.agent_task({"program": "(return (await-signal \"s\"))"})
        self.assertEqual(status, 1, err)
        self.assertIn("NOBODY_ANSWERS", json.loads(out)["steps"][0]["error"])

    def test_a_later_revision_begins_the_agent_again(self):
        plan = {"steps": [{"id": "a", "type": "action", "description": "Think of a word"}]}
        script = self.script(INTENT, plan, {"program": "(fail \"none\")"}, plan, {"program": "(return \"salve\")"})
        status, out, err = self.chain("run", "Greet", "--tools", self.tools(), "--output", "json", "--model", script)
        self.assertEqual((status, json.loads(out)["outputs"]), (0, ["salve"]), err)

    def test_an_agent_goes_on_where_the_process_before_has_left_it(self):
        status, _, err = self.agent_task({"program": "(def word \"salve\")"})
        self.assertEqual(status, 1, err)
        self.assertIn("script_used_up", err)
        status, out, err = self.agent_task({"program": "(def word \"salve\")"}, {"program": "(return word)"})
        self.assertEqual((status, json.loads(out)["outputs"]), (0, ["salve"]), err)

    def test_a_request_that_nobody_was_sent_is_in_the_cost_once(self):
        for _ in range(3):
            _, _, err = self.agent_task({"program": "(def word 1)"})
            self.assertIn("script_used_up", err)
        status, out, err = self.agent_task({"program": "(def word 1)"}, {"program": "(return word)"})
        self.assertEqual((status, json.loads(out)["cost"]["modelCalls"]), (0, 4), err)


if __name__ == "__main__":
    unittest.main(argv=["chain_step_agent_test.py"])
