#!/usr/bin/env python3
"""Drafts and questions of conversations: each draft is sent once or dismissed once, and its id is its own; a question
has the options that its program gave.

usage: harness_drafts_test.py PTCVM   (the program under test)"""
import json
import os
import subprocess
import sys
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm

SAME_ID = '(propose {:type :compose_intent :composeId "c1" :text (str "answer " (count (facts/public)))})'


class DraftsTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder.name, "talk.db")

    def harness(self, command, *args, conversation="clinic", status=0):
        """The last line of standard output."""
        got, out, err = ptcvm("harness", command, "--store", self.store, "--id", conversation, *args)
        self.assertEqual(got, status, (out, err))
        return json.loads(out.splitlines()[-1])

    def facts(self, conversation):
        out = ptcvm("harness", "log", "--store", self.store, "--id", conversation)[1]
        return [json.loads(line)["type"] for line in out.splitlines()]

    def plan(self, **options):
        return self.harness("run", "--planner", self.file("plan.ptc", SAME_ID), status=75, **options)["draft"]

    def test_a_draft_of_an_id_that_was_used_is_another_draft(self):
        """It counted as the one that was sent or dismissed before, and nobody could send it or give it up."""
        self.harness("say", "hello")
        first = self.plan()
        self.harness("dismiss")
        self.harness("whisper", "once more")
        second = self.plan()
        self.assertEqual((first["composeId"], second["composeId"].startswith("c1-")), ("c1", True))
        self.harness("approve")
        self.harness("say", "and now?")
        third = self.plan()
        self.assertEqual((third["text"], len({first["composeId"], second["composeId"], third["composeId"]})),
                         ("answer 3", 3))
        self.assertEqual(self.harness("approve")["state"], "working")

    def test_approving_and_dismissing_at_once_do_one_of_the_two(self):
        for number in range(12):
            name = f"t{number}"
            self.harness("say", "hello", conversation=name)
            self.plan(conversation=name)
            words = [PTCVM, "harness", None, "--store", self.store, "--id", name]
            both = [subprocess.Popen([word or command for word in words], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE) for command in ("approve", "dismiss")]
            ends = [(process.communicate(timeout=240), process.returncode) for process in both]
            sent = "message_sent" in self.facts(name)
            self.assertEqual([status == 0 for _, status in ends], [sent, not sent], ends)
            self.assertEqual(b'"message"' in ends[0][0][0], sent, ends)

    def ask(self, options, status):
        program = f'(propose {{:type :compose_intent :text (ask "When?" {options})}})'
        got, out, err = ptcvm("harness", "run", "--store", self.store, "--id", "clinic", "--planner",
                              self.file("ask.ptc", program))
        self.assertEqual(got, status, err)
        return json.loads(out.splitlines()[-1])["question"], err

    def test_a_question_keeps_its_options(self):
        self.harness("say", "hello")
        question = self.ask('{:qid "q1" :required true :placeholder "noon" :choices ["noon" "one"]}', 75)[0]
        self.assertEqual(question, {"qid": "q1", "prompt": "When?", "required": True, "placeholder": "noon",
                                    "choices": ["noon", "one"]})

    def test_who_forgets_everything_is_asked_again(self):
        """The question was open although its program had the old answer, and took no answer."""
        self.harness("say", "hello")
        self.ask('{:qid "q1"}', 75)
        self.harness("answer", "q1", "noon", status=75)
        self.assertIsNone(self.harness("clear")["question"])
        self.harness("say", "hello again")
        self.assertEqual(self.ask('{:qid "q1"}', 75)[0]["qid"], "q1@1")
        self.harness("answer", "q1@1", "one", status=75)
        self.ask('{:qid "q1"}', 75)
        state = self.harness("whisper", "thanks", status=75)
        self.assertEqual((state["draft"]["text"], state["question"]), ("one", None))

    def test_an_option_that_is_not_known_or_of_another_type_fails_the_pass(self):
        self.harness("say", "hello")
        for options, said in (('{:requird true}', "there is no option requird; there are qid, required, placeholder"),
                              ('{:required "yes"}', 'the member \\"required\\" must be true or false'),
                              ('{:choices "noon"}', 'the member \\"choices\\" must be a list of texts'),
                              ('{:qid 5}', 'the member \\"qid\\" must be a text')):
            self.harness("whisper", "try again")
            question, err = self.ask(options, 1)
            self.assertIsNone(question)
            self.assertIn(said.replace('\\"', '"'), err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
