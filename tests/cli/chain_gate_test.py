#!/usr/bin/env python3
"""ptcvm chain: what a person is asked before a call, and what an answer covers.

usage: chain_gate_test.py PTCVM   (the program under test)"""
import json
import sys
import unittest

import chain_test
from chain_test import step


class Questions(chain_test.ChainTest):
    def asking(self, *texts):
        return [step(name, dependsOn=[], args={"text": text}, requiresConfirmation=True)
                for name, text in zip("abc", texts)]

    def test_an_answer_counts_for_each_question_about_the_same_call(self):
        _, _, err = self.run_task(self.asking("x", "y", "x"), *self.kept("--revisions", "1"))
        for name, text in zip("abc", "xyx"):
            self.assertIn(f'Step {name} wants to call say {{"text":"{text}"}}. Say yes, always, or no.', err)
        status, _, err = self.chain("answer", *self.kept(), "a", "yes")
        self.assertEqual((status, self.made()), (75, ["say", "say"]), err)
        self.assertIn('Step b wants to call say {"text":"y"}. Say yes, always, or no.', err)
        self.assertNotIn("Step c", err)
        status, out, err = self.chain("answer", *self.kept("--output", "json"), "b", "no")
        self.assertEqual((status, [row["status"] for row in json.loads(out)["steps"]]),
                         (1, ["completed", "failed", "completed"]), err)

    def test_an_approval_for_good_answers_questions_that_other_tasks_have_asked(self):
        self.assertEqual(self.run_task(self.asking("x"), "--store", self.store, "--id", "u")[0], 75)
        self.assertEqual(self.run_task(self.asking("x"), *self.kept())[0], 75)
        self.assertEqual(self.chain("answer", *self.kept(), "a", "always")[0], 0)
        status, _, err = self.run_task(self.asking("x"), "--store", self.store, "--id", "u")
        self.assertEqual((status, self.made()), (0, ["say", "say"]), err)

    def writing(self, name):
        return {**self.shell(name, "echo 1"), "signature": "(path :string, text :string?) -> :any"}

    def test_a_yes_to_a_write_is_none_to_a_delete(self):
        guarded = self.file("s.json", json.dumps({"safety": {"userDataDirs": ["/data"]}}))
        tools = [self.writing(name) for name in ("fs_write_file", "fs_delete_file")]
        plan = [step("a", "fs_write_file", args={"path": "/data/x", "text": "1"}),
                step("b", "fs_write_file", args={"path": "/data/x", "text": "2"}),
                step("c", "fs_delete_file", args={"path": "/data/x"})]
        self.run_task(plan, *self.kept("--strategy", guarded), tools=tools)
        status, _, err = self.chain("answer", *self.kept(), "a", "yes")
        self.assertEqual((status, self.made()), (75, ["fs_write_file"] * 2), err)
        self.assertIn("Step c wants to call fs_delete_file", err)

    def test_a_tool_that_must_be_confirmed_is_confirmed_for_each_call(self):
        strict = self.file("s.json", json.dumps({"safety": {"userDataDirs": ["/data"]},
                                                 "constraints": {"mustConfirmBefore": ["fs_write_file"]}}))
        plan = [step("a", "fs_write_file", args={"path": "/data/x", "text": "1"}),
                step("b", "fs_write_file", args={"path": "/data/x", "text": "2"})]
        self.run_task(plan, *self.kept("--strategy", strict), tools=[self.writing("fs_write_file")])
        status, _, err = self.chain("answer", *self.kept(), "a", "yes")
        self.assertEqual((status, self.made()), (75, ["fs_write_file"]), err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
