#!/usr/bin/env python3
"""Drafts and questions of conversations: each draft is sent once or dismissed once, and its id is its own; a question
has the options that its program gave.

usage: harness_drafts_test.py PTCVM   (the program under test)"""
import json
import subprocess
import sys
import unittest

from conversation_case import ConversationCase
from ptcvm_process import PTCVM, ptcvm

SAME_ID = '(propose {:type :compose_intent :composeId "c1" :text (str "answer " (count (facts/public)))})'


class DraftsTest(ConversationCase):
    def harness(self, *words, **more):
        return self.told(*words, **more)[0]

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

    def test_what_a_person_writes_after_a_whisper_stays(self):
        """The whisper dismissed it, although it was said of the draft before."""
        self.harness("say", "hello")
        first = self.plan()
        self.harness("whisper", "be brief", status=75)
        own = self.harness("edit", first["composeId"], "my own words", status=75)["draft"]
        self.assertEqual(self.plan(), own)
        self.harness("whisper", "no, you write it", status=75)
        self.assertEqual(self.plan()["text"], "answer 1")

    def test_two_people_who_write_at_once_have_two_drafts(self):
        for number in range(6):
            name = f"t{number}"
            self.harness("say", "hello", conversation=name)
            first = self.plan(conversation=name)["composeId"]
            words = [PTCVM, "harness", "edit", "--store", self.store, "--id", name, first]
            both = [subprocess.Popen([*words, text], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    for text in ("one", "two")]
            ends = [process.communicate(timeout=240) and process.returncode for process in both]
            drafts = self.harness("whisper", "?", conversation=name, status=75)["drafts"]
            self.assertEqual((len(set(drafts)), first in drafts), (ends.count(75), False), (ends, drafts))

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

    def at_once(self, name, *commands):
        """Status and standard output of commands that begin together."""
        both = [subprocess.Popen([PTCVM, "harness", command, "--store", self.store, "--id", name, *words],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for command, *words in commands]
        return [(process.communicate(timeout=240)[0], process.returncode) for process in both]

    def test_who_approves_second_hears_that_the_draft_was_sent(self):
        """It was "compose not found; no draft waits", and the draft had been there."""
        self.harness("say", "hello")
        self.plan()
        self.harness("approve")
        for command in ("approve", "dismiss"):
            err = ptcvm("harness", command, "--store", self.store, "--id", "clinic")[2]
            self.assertIn("no draft waits; the newest one, c1, was sent", err)

    def test_approving_and_editing_at_once_do_one_of_the_two(self):
        for number in range(12):
            name = f"t{number}"
            self.harness("say", "hello", conversation=name)
            self.plan(conversation=name)
            (_, approved), (_, edited) = self.at_once(name, ("approve", "c1"), ("edit", "c1", "my own words"))
            sent = "message_sent" in self.facts(name)
            self.assertEqual((approved == 0, edited == 75), (sent, not sent), name)

    def test_editing_and_dismissing_at_once_do_one_of_the_two(self):
        """Both were told that it was done."""
        for number in range(12):
            name = f"t{number}"
            self.harness("say", "hello", conversation=name)
            self.plan(conversation=name)
            (_, edited), (_, dismissed) = self.at_once(name, ("edit", "c1", "my own words"), ("dismiss", "c1"))
            waiting = ptcvm("harness", "whisper", "--store", self.store, "--id", name, "?")[1]
            waits = len(json.loads(waiting)["drafts"])
            self.assertEqual((edited == 75, dismissed == 0), (waits == 1, waits == 0), (name, waiting))

    def test_regenerating_and_clearing_at_once_do_both(self):
        """Both wrote under one key: what was not written said that it was done."""
        for number in range(12):
            name = f"t{number}"
            self.harness("say", "hello", conversation=name)
            self.plan(conversation=name)
            ends = self.at_once(name, ("clear",), ("regenerate",))
            self.assertEqual(([status for _, status in ends], self.facts(name)), ([0, 0], []), ends)

    def test_facts_in_their_order_have_times_in_their_order(self):
        """A message was stamped with the time before the pass that wrote its draft."""
        self.harness("say", "hello")
        program = f'(do (task "t" (tool/slow)) {SAME_ID})'
        self.harness("run", "--planner", self.file("plan.ptc", program), "--tool", "slow=sleep 0.2", "--peer", "payer",
                     "--mode", "auto")
        for name in ("clinic", "payer"):
            out = ptcvm("harness", "log", "--all", "--store", self.store, "--id", name)[1]
            times = [json.loads(line)["time"] for line in out.splitlines()]
            self.assertEqual(times, sorted(times), out)

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
