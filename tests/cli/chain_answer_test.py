#!/usr/bin/env python3
"""ptcvm chain answer: an answer counts for the question that was shown, and once.

usage: chain_answer_test.py PTCVM   (the program under test)"""
import json
import re
import shlex
import unittest

import chain_test
from chain_test import INTENT, step
from ptcvm_process import ptcvm


class Answers(chain_test.ChainTest):
    def begun(self, *plans, more=()):
        """A task whose first plan asks; the tool bad fails."""
        tools = self.tools(self.shell("say", "echo '\"hello\"'"), self.shell("bad", "exit 1"))
        status, _, err = self.chain("run", "Greet", "--tools", tools, "--model",
                                    self.script(INTENT, *({"steps": plan} for plan in plans)), *self.kept(), *more)
        self.assertEqual(status, 75, err)
        return err

    def asked(self, text):
        """The words of the command that a text prints."""
        return shlex.split(re.search(r"ptcvm (chain answer .*)", text).group(1))

    def answer(self, name, said):
        return self.chain("answer", *self.kept(name, said))

    def test_show_prints_the_command_that_answers_this_question(self):
        err = self.begun([step("a", requiresConfirmation=True, args={"text": "x"})])
        status, out, _ = self.chain("show", *self.kept())
        self.assertEqual(status, 0)
        self.assertIn('Step a wants to call say {"text":"x"}. Say yes, always, or no.', out)
        words = self.asked(out)
        self.assertEqual(words, self.asked(err))
        self.assertRegex(words[-2], "^a@[0-9a-f]{8}$")
        self.assertEqual(ptcvm(*words)[0], 0)
        self.assertEqual(self.made(), ["say"])

    def test_an_old_yes_approves_no_new_call(self):
        asks = step("a", "bad", requiresConfirmation=True, args={"text": "harmless"})
        other = step("a", requiresConfirmation=True, args={"text": "everything"})
        first = self.asked(self.begun([asks], [other]))
        self.assertEqual(ptcvm(*first)[0], 75, "it has failed, and the next revision asks")
        self.assertEqual(self.made(), ["bad"])
        status, _, err = ptcvm(*first)
        self.assertEqual(status, 75, "the same answer twice is one: the task goes on, and waits: " + err)
        status, _, err = self.answer(first[-2], "no")
        self.assertEqual((status, "already_resolved" in err, "before: yes" in err), (65, True, True), err)
        status, _, err = self.answer("a", "yes")
        self.assertEqual((status, "stale answer: step a has asked before" in err), (65, True), err)
        status, _, wrong = self.answer("a@00000000", "yes")
        self.assertEqual((status, "stale answer" in wrong), (65, True), wrong)
        self.assertEqual(self.made(), ["bad"])
        self.assertEqual(ptcvm(*self.asked(err))[0], 0)
        self.assertEqual(self.made(), ["bad", "say"])

    def rows(self, *options):
        lines = ptcvm("runs", "--store", self.store, "--json", *options)[1].splitlines()
        return {row["id"]: (row["state"], row["waits_for"]) for row in map(json.loads, lines)}

    def test_a_task_is_one_row_of_runs(self):
        name = self.asked(self.begun([step("a", requiresConfirmation=True)]))[-2]
        self.assertEqual(self.rows(), {"t": ("waiting", name)})
        parts = {"t/setup", "t/steps"}
        self.assertEqual(set(self.rows("--parts")), {"t", *parts})
        status, out, err = ptcvm("work", "--store", self.store, "--once")
        self.assertEqual((status, out), (0, ""))
        self.assertEqual(err, f"ptcvm: note: t is a task, and ptcvm work leaves it alone: it waits for {name}, and "
                              f"`ptcvm chain answer --store {self.store} --id t {name} yes` answers and goes on with "
                              "it\n")
        self.assertEqual(ptcvm("eval", "1", "--store", self.store, "--id", "u/steps")[0], 0)
        self.assertEqual(self.answer("a", "yes")[0], 0)
        self.assertEqual(self.rows(), {"t": ("ended ok", ""), "u/steps": ("ended ok", "")})

    def test_a_task_in_doubt_says_so_in_runs(self):
        tools = self.tools(self.shell("say", "kill -9 $$", effect="unsafe"))
        plan = {"steps": [step("a")]}
        self.assertEqual(self.chain("run", "Greet", "--tools", tools, "--model", self.script(INTENT, plan),
                                    *self.kept())[0], 75)
        (state, waits), = self.rows().values()
        self.assertEqual(state, "in doubt")
        self.assertRegex(waits, "^a@[0-9a-f]{8}$")
        self.assertEqual(self.chain("answer", *self.kept("a", "--happened", '"hello"'))[0], 0)
        self.assertEqual(self.rows(), {"t": ("ended ok", "")})

    def test_words_that_are_no_answer_are_refused(self):
        self.begun([step("a", requiresConfirmation=True)])
        for said in ("ye", "true", "no, not that one"):
            self.assertEqual(self.answer("a", said)[0], 65, said)
        self.assertEqual(self.answer("a", "yes")[0], 0)

    def test_a_question_has_one_answer_by_whatever_name(self):
        self.begun([step("a", requiresConfirmation=True)])
        waits = "waits for an answer"
        lines = ptcvm("runs", "--store", self.store, "--parts", "--json")[1].splitlines()
        key = next(line for line in lines if "t/steps" in line)
        key = re.search(r'confirm/1/a/[^"\\]*', key).group(0)
        for words in (("resolve", "t/steps", key, "null"), ("resolve", "t/steps", key, "false"),
                      ("resolve", "t/steps", key, "--fail", "no"), ("resolve", "t/steps", key, "--cancel"),
                      ("journal", "put", "t/steps", key, '"yes"', "--force")):
            status, _, err = ptcvm(*words, "--store", self.store)
            self.assertEqual((status, "ptcvm chain answer" in err), (65, True), (words, err))
        self.assertIn(waits, self.chain("show", *self.kept())[1])
        self.assertEqual(self.answer("a", "yes")[0], 0)
        self.assertNotIn(waits, self.chain("show", *self.kept())[1])
        status, _, err = self.answer("a", "no")
        self.assertEqual((status, "already_resolved" in err), (65, True), err)

    def test_a_second_doubt_about_a_step_is_another_one(self):
        tools = [self.shell("say", "kill -9 $$", effect="unsafe")]
        status, _, err = self.run_task([step("a")], *self.kept(), tools=tools)
        self.assertEqual(status, 75, err)
        first = self.asked(err)
        command = first[:first.index("--happened")]
        status, _, err = ptcvm(*command, "--did-not")
        self.assertEqual((status, self.made()), (75, ["say", "say"]), err)
        status, _, stale = ptcvm(*command, "--did-not")
        self.assertEqual((status, "stale answer" in stale), (65, True), stale)
        self.assertEqual(self.chain("answer", *self.kept("a", "--did-not"))[0], 65)
        self.assertEqual(self.made(), ["say", "say"])
        again = self.asked(err)
        self.assertEqual(ptcvm(*again[:again.index("--happened")], "--happened", '"done"')[0], 0)

    def test_what_a_person_says_of_a_call_fits_its_signature(self):
        count = {**self.shell("count", "kill -9 $$", effect="unsafe"), "signature": "() -> :int"}
        self.assertEqual(self.run_task([step("a", "count")], *self.kept(), tools=[count])[0], 75)
        status, _, err = self.chain("answer", *self.kept("a", "--happened", '"many"'))
        self.assertEqual((status, "ANSWER_INVALID: answer: expected int" in err), (65, True), err)
        self.assertEqual(self.chain("answer", *self.kept("a", "--happened", "3"))[0], 0)


if __name__ == "__main__":
    unittest.main(argv=["chain_answer_test.py"])
