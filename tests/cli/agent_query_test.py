#!/usr/bin/env python3
"""ptcvm agent: programs that ask a model one question with llm-query.

usage: agent_query_test.py PTCVM   (the program under test)"""
import json
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

ASKING = {"name": "q", "prompt": "Do", "signature": "() -> :any", "llm_query": True}


class Queries(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.kept = ("--store", self.folder.name + "/runs.db", "--id", "r")

    def run_agent(self, program, *answers, agent=None, words=()):
        lines = [{"program": program, "usage": {"input": 100, "output": 10}}]
        lines += [answer if isinstance(answer, dict) else {"text": answer, "for": "llm-query"} for answer in answers]
        script = self.file("script.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        file = self.file("agent.json", json.dumps({**ASKING, **(agent or {})}))
        return self.line_of("run", file, "--model", "scripted:" + script, *words)

    def line_of(self, *words):
        status, out, err = ptcvm("agent", *words)
        return status, json.loads(out.splitlines()[-1]) if out else {}, err

    def test_a_program_asks_and_goes_on_with_the_text(self):
        status, line, err = self.run_agent(
            '(return (count (tool/llm-query {:prompt "How many in {{x}}?" :x "abc"})))', "three")
        self.assertEqual((status, line["return"], line["usage"]["model_calls"]), (0, 5, 2), err)

    def test_the_template_has_the_other_arguments(self):
        asked = {"text": "yes", "for": "llm-query", "expect": {"newest": {"contains": ["Is ann in [1]?"]}}}
        status, line, err = self.run_agent(
            '(return (tool/llm-query {:prompt "Is {{who.name}} in {{{where}}}?" :who {:name "ann"} :where "[1]"}))',
            asked)
        self.assertEqual((status, line["return"]), (0, "yes"), err)

    def test_a_signature_makes_the_answer_a_value(self):
        for signature in ('"{n :int}"', '"() -> {n :int}"'):
            status, line, err = self.run_agent(
                f'(return (:n (tool/llm-query {{:prompt "Count" :signature {signature}}})))', '{"n": 7}')
            self.assertEqual((status, line["return"]), (0, 7), err)
        status, line, err = self.run_agent('(return (+ 1 (tool/llm-query {:prompt "Count" :signature :int})))', "41")
        self.assertEqual((status, line["return"]), (0, 42), err)

    def test_an_answer_that_does_not_fit_is_an_error_of_the_call(self):
        status, line, err = self.run_agent(
            '(return (+ 1 (tool/llm-query {:prompt "Count" :signature "{n :int}"})))', "many",
            {"program": '(return "mended")'})
        self.assertEqual((status, line["return"]), (0, "mended"), err)

    def test_arguments_that_are_wrong_are_named(self):
        for arguments, said in (("{}", ":prompt must be a text"), ("{:prompt 5}", ":prompt must be a text"),
                                ('{:prompt "a" :signature "{"}', ":signature"), ('{:prompt "{{#"}', "no template"),
                                ('{:prompt "a" :llm "other"}', ":llm can only be :caller"),
                                ('{:prompt "a" :response_template "(+ 1 1)"}', ":response_template")):
            mended = {"program": "(return 1)", "expect": {"newest": {"contains": [said]}}}
            status, line, err = self.run_agent(f"(return (tool/llm-query {arguments}))", mended)
            self.assertEqual((status, line["return"], line["usage"]["model_calls"]), (0, 1, 2), (arguments, err))

    def test_many_questions_at_once_take_no_turns(self):
        program = ('(return (reduce + 0 (pmap (fn [i] (tool/llm-query {:prompt "{{i}}" :i i :signature :int}))'
                   " (range 30))))")
        status, line, err = self.run_agent(program, *["2"] * 30)
        self.assertEqual((status, line["return"], line["usage"]["model_calls"], line["usage"]["tree_turns"]),
                         (0, 60, 31, 1), err)

    def test_questions_count_for_the_budget_of_model_calls(self):
        status, line, err = self.run_agent(
            '(return (mapv (fn [i] (tool/llm-query {:prompt "{{i}}" :i i})) (range 5)))', *["x"] * 5,
            agent={"limits": {"model_calls": 3}})
        self.assertEqual((status, line["fail"]["reason"]), (1, "budget_exhausted"), (line, err))

    def test_a_store_keeps_the_answers_and_a_replay_asks_nobody(self):
        agent = {"tools": [{"name": "go", "signature": "() -> :int", "effect": "keyed"}]}
        program = '(return (+ (tool/llm-query {:prompt "a" :signature :int}) (tool/go {})))'
        answer = {"text": "5", "for": "llm-query", "usage": {"input": 7, "output": 1}}
        status, line, err = self.run_agent(program, answer, agent=agent, words=self.kept)
        self.assertEqual((status, line["pending"]), (75, ["go"]), err)
        status, line, err = self.line_of("resume", *self.kept, "--resolve", "go=37")
        self.assertEqual((status, line["return"], line["usage"]["model_calls"]), (0, 42, 2), err)
        prices = self.file("p.json", json.dumps({"scripted": {"input": 1_000_000}}))
        cost = json.loads(ptcvm("agent", "cost", *self.kept, "--prices", prices, "--json")[1])
        self.assertEqual([(row["agent"], row["input"]) for row in cost["lines"]], [("", 100), ("llm-query", 7)])
        status, line, err = self.line_of("replay", *self.kept)
        self.assertEqual((status, line["return"]), (0, 42), err)

    def test_questions_may_have_a_model_of_their_own(self):
        other = "scripted:" + self.file("other.jsonl", json.dumps({"text": "cheap", "for": "llm-query"}) + "\n")
        program = '(return (tool/llm-query {:prompt "a"}))'
        status, line, err = self.run_agent(program, words=("--child-model", "llm-query=" + other, *self.kept))
        self.assertEqual((status, line["return"]), (0, "cheap"), err)
        status, _, err = self.run_agent("(return 1)", agent={"llm_query": False},
                                        words=("--child-model", "llm-query=" + other))
        self.assertEqual(status, 65, err)

    def test_a_compiled_agent_asks_nobody(self):
        script = self.file("s.jsonl", "".join(json.dumps(line) + "\n" for line in (
            {"program": '(return (tool/llm-query {:prompt "a"}))'}, {"text": "x", "for": "llm-query"})))
        file = self.file("agent.json", json.dumps(ASKING))
        status, _, err = ptcvm("agent", "compile", file, "--model", "scripted:" + script, "--out",
                               self.folder.name + "/o.ptc")
        self.assertNotEqual(status, 0)
        self.assertIn("llm_required", err)

    def test_the_name_is_taken(self):
        for agent in ({"tools": [{"name": "llm-query", "signature": "() -> :int"}]},
                      {"children": {"llm-query": {"prompt": "x", "signature": "() -> :int"}}}):
            status, _, err = self.run_agent("(return 1)", agent=agent)
            self.assertEqual(status, 65, err)
            self.assertIn('"llm_query" is true', err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
