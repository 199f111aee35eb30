#!/usr/bin/env python3
"""ptcvm harness: where a program that plans has failed, and what lists say of a conversation.

usage: harness_faults_test.py PTCVM   (the program under test)"""
import json
import re
import shlex
import sys
import unittest

from harness_test import ASKS, Talk
from ptcvm_process import ptcvm


class Listed(Talk):
    """What `ptcvm runs` says of a conversation without a queue: nobody holds it between two commands."""

    def run_line(self):
        lines = [json.loads(line) for line in ptcvm("runs", *self.kept[:2], "--json")[1].splitlines()]
        return next((run["state"], run["waits_for"]) for run in lines if run["id"] == "clinic")

    def test_it_waits_for_a_person_or_is_idle(self):
        self.harness("say", "When can we talk?")
        self.assertEqual(self.run_line(), ("idle", ""))
        self.plan(ASKS)
        self.assertEqual(self.run_line(), ("waiting", "q1"))
        self.harness("answer", "q1", "noon", status=75)
        self.assertEqual(self.run_line(), ("woken", "q1"))
        self.plan(ASKS)
        self.assertEqual(self.run_line(), ("waiting", "approve:c1"))
        self.assertEqual(ptcvm("harness", "approve", *self.kept, "--next", "completed")[0], 0)
        self.assertEqual(self.run_line(), ("over", ""))

    def test_a_program_waits_for_a_fact(self):
        self.harness("say", "hello")
        self.plan('(propose {:type :compose_intent :text (str (await-fact :tool_result "op1" 86400000))})')
        self.assertEqual(self.run_line(), ("waiting", "tool_result/op1"))
        self.assertNotIn("clinic ", ptcvm("runs", *self.kept[:2], "--state", "interrupted")[1])


class Next(Talk):
    """What a conversation waits for is said with the commands that answer it."""

    def commands(self, *words):
        status, _, err = ptcvm("harness", *words)
        self.assertEqual(status, 75)
        self.assertIn("ptcvm: clinic waits for:\n", err)
        return err, [shlex.split(line) for line in re.findall(r"^      ptcvm (.*)$", err, re.M)]

    def test_a_question_and_a_draft(self):
        self.harness("say", "When can we talk?")
        run = ("run", *self.kept, "--planner", self.file("plan.ptc", ASKS))
        err, (answer,) = self.commands(*run)
        self.assertIn("  the question q1: When?\n", err)
        self.assertEqual(ptcvm(*[word.replace("TEXT", "at noon") for word in answer])[0], 75)
        err, (approve, dismiss) = self.commands(*run)
        self.assertIn("  the draft c1: At at noon\n", err)
        self.assertEqual(ptcvm(*approve)[0], 0)
        self.assertIn("draft already sent", ptcvm(*dismiss)[2])

    def test_a_draft_is_given_up(self):
        self.harness("say", "hello")
        run = ("run", *self.kept, "--planner", self.file("plan.ptc", '(propose {:type :compose_intent :text "x"})'))
        _, (_, dismiss) = self.commands(*run)
        self.assertEqual(ptcvm(*dismiss)[0], 0)


class Faults(Talk):
    """A fault of a program that plans has its place in the program that a person wrote."""

    def fault(self, program):
        self.harness("say", "hello")
        status, _, err = ptcvm("harness", "run", *self.kept, "--planner", self.file("plan.ptc", program))
        self.assertEqual(status, 1, err)
        log = [json.loads(line) for line in ptcvm("harness", "log", *self.kept)[1].splitlines()]
        return err, log[-1]

    def at(self, program, place, name):
        """The program fails at the last place that looks like this."""
        err, fact = self.fault(program)
        before = program[:program.rindex(place)]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        self.assertIn(f"the planner failed: PLANNER_EXCEPTION: {name}: ", err)
        self.assertIn(f"(line {line}, column {column}", err)
        self.assertEqual([fact["fault"][member] for member in ("kind", "line", "column")], [name, line, column])
        return fact["fault"].get("stack", [])

    def test_on_the_first_line(self):
        self.at('(propose {:type :compose_intent :text (+ 1 "noon")})', '(+ 1', "type_error")

    def test_behind_characters_of_several_bytes(self):
        self.at('(do "dès" (facts/open-question) (facts/status) (+ 1 "noon"))', '(+ 1', "type_error")

    def test_in_a_function_of_another_line(self):
        stack = self.at('(defn total [n]\n  (facts/public) (+ n "noon"))\n(propose\n  {:type :sleep :n (total 1)})',
                        '(+ n', "type_error")
        self.assertEqual([(call["name"], call["line"]) for call in stack], [("total", 2), ("program", 4)])

    def test_in_a_word_of_planners(self):
        stack = self.at('(let [sure 5]\n  (confirm {}))', "(confirm", "invalid_tool_args")
        self.assertEqual([(call["kind"], call["name"]) for call in stack],
                         [("builtin", "confirm"), ("function", "program")])

    def test_of_a_name_that_is_not_there(self):
        self.at("(do 1\n  (propos {}))", "propos", "unbound_var")

    def test_of_a_bracket_that_is_open(self):
        self.at('(do 1 2)\n(do 1', "(do 1", "parse_error")

    def test_of_a_bracket_that_is_too_much(self):
        self.at("(do 1 2)\n(+ 1 2))", ")", "parse_error")

    def test_enqueue_says_the_place_too(self):
        path = self.file("plan.ptc", '(facts/status)\n(propos {})')
        status, _, err = ptcvm("enqueue", "c", "--conversation", path, *self.kept[:2])
        self.assertEqual(status, 65)
        self.assertIn(":2:2\n", err)
        self.assertIn("(propos {})", err)


class Planned(Talk):
    """What a planner may write, and what it needs."""

    def test_the_last_fact_of_a_type_is_asked_for_by_its_type(self):
        self.harness("say", "hello")
        for asked in (":message_received", '"message_received"', "{:type :message_received}", "kind"):
            text = f'(let [kind :message_received] (propose {{:type :sleep :reason (:text (facts/last {asked}))}}))'
            self.harness("whisper", asked)
            self.plan(text, status=0)
            self.assertIn('"type":"sleep","reason":"hello"', ptcvm("harness", "log", *self.kept)[1].splitlines()[-1])
        self.harness("whisper", "again")
        self.plan('(propose {:type :sleep :reason (str (facts/last :compose_intent))})', status=0)
        self.harness("whisper", "again")
        self.plan("(facts/last :draft)", status=1)
        last = json.loads(ptcvm("harness", "log", *self.kept)[1].splitlines()[-1])
        self.assertIn('there is no type of facts "draft"', last["message"])
        self.assertEqual((last["fault"]["line"], last["fault"]["column"]), (1, 1))

    def test_a_planner_without_its_model_is_refused_and_drafts_no_apology(self):
        self.harness("say", "hello")
        scenario = self.file("visit.json", json.dumps({"agents": [{"agentId": "a"}]}))
        for words in (("llm-drafter",), ("scenario-v0.3", "--scenario", scenario)):
            self.assertIn(words[0] + " needs a --model, or --replies FILE",
                          self.harness("run", "--planner", *words, status=65))
        self.assertEqual(self.types(), ["message_received", "status_changed"])

    def test_a_state_that_no_message_may_ask_for_fails_the_pass(self):
        self.harness("say", "hello")
        program = self.file("plan.ptc", '(propose {:type :compose_intent :text "x" :nextStateHint "asleep"})')
        self.harness("run", "--planner", program, status=1)
        self.assertEqual(self.types()[2:], ["planner_error"] * 3)
        self.assertIn('no message may ask for the state \\"asleep\\"', ptcvm("harness", "log", *self.kept)[1])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
