#!/usr/bin/env python3
"""ptcvm harness: what tools of planners did is not done again, and what became of a call in doubt wakes the planner.

usage: harness_calls_test.py PTCVM   (the program under test)

Each tool writes what it is called with into a ledger, a file."""
import json
import os
import shlex
import subprocess
import sys
import time
import unittest

from harness_page import Page
from ptcvm_process import PTCVM, CommandLineTest, ptcvm, without_next_commands


class CallsTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder.name, "talk.db")
        self.kept = ("--store", self.store, "--id", "clinic")
        self.ledger_file = os.path.join(self.folder.name, "ledger")
        self.harness("say", "hello")

    def harness(self, command, *args, status=0):
        """The last line of standard output, or standard error of what is refused."""
        got, out, err = ptcvm("harness", command, *self.kept, *args)
        self.assertEqual(got, status, (out, err))
        return json.loads(out.splitlines()[-1]) if out and status != 65 else err

    def ledger(self):
        if not os.path.exists(self.ledger_file):
            return []
        with open(self.ledger_file, encoding="utf-8") as file:
            return file.read().splitlines()

    def killed(self, *args):
        """Kills a process of the command when its tool is at work."""
        before = len(self.ledger())
        process = subprocess.Popen([PTCVM, "harness", *args], stdout=subprocess.DEVNULL)
        while len(self.ledger()) == before:
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.kill()
        process.wait()


class AgentCallsTest(CallsTest):
    """An agent that books. The n-th program that a conversation needs is the n-th line of its script."""

    def agent(self, effect="unsafe", hangs=False, fails=False, **members):
        answer = "exit 3" if fails else "exec sleep 1000" if hangs else "echo '\"n-7\"'"
        command = ["sh", "-c", f"read args; echo $args >> {self.ledger_file}; {answer}"]
        return {"prompt": "Answer.", "signature": "(status :string, facts [:map]) -> :any",
                "tools": [{"name": "book", "signature": "(at :string) -> :string", "effect": effect,
                           "command": command, **members}]}

    def words(self, agent, programs):
        script = self.file("script.jsonl", "".join(json.dumps({"program": line}) + "\n" for line in programs))
        return ("run", *self.kept, "--planner", "agent:" + self.file("agent.json", json.dumps(agent)), "--model",
                "scripted:" + script)

    def plan(self, agent, *programs, status=75):
        got, out, err = ptcvm("harness", *self.words(agent, programs))
        self.assertEqual(got, status, (out, err))
        return json.loads(out.splitlines()[-1])

    @staticmethod
    def book(at):
        return f'(return (str "It is " (tool/book {{:at "{at}"}})))'

    def test_regenerating_asks_the_model_anew_and_gives_the_answer_of_the_same_call(self):
        for effect in ("unsafe", "keyed", "reconcilable"):
            with self.subTest(effect=effect):
                self.kept = (*self.kept[:3], effect)
                self.harness("say", "hello")
                before = len(self.ledger())
                one, two = self.book("noon"), self.book("noon").replace("It is", "Booked:")
                self.assertEqual(self.plan(self.agent(effect), one)["draft"]["text"], "It is n-7")
                for _ in range(2):
                    self.harness("regenerate")
                    state = self.plan(self.agent(effect), one, two, two)
                    self.assertEqual(state["draft"]["text"], "Booked: n-7")
                self.assertEqual(len(self.ledger()) - before, 1)

    def test_a_call_that_may_be_repeated_is_repeated(self):
        for effect in ("pure", "idempotent"):
            self.kept = (*self.kept[:3], effect)
            self.harness("say", "hello")
            before = len(self.ledger())
            self.plan(self.agent(effect), self.book("noon"))
            self.harness("regenerate")
            self.plan(self.agent(effect), self.book("noon"), self.book("noon"))
            self.assertEqual(len(self.ledger()) - before, 2)

    def test_another_call_after_regenerating_is_a_question(self):
        self.plan(self.agent(), self.book("noon"))
        self.harness("regenerate")
        programs = (self.book("noon"), self.book("one"))
        asked = self.plan(self.agent(), *programs)["question"]
        for said in ("noon", "dropped", "n-7", "one"):
            self.assertIn(said, asked["prompt"])
        self.assertEqual(len(self.ledger()), 1)
        self.harness("answer", asked["qid"], "yes", status=75)
        self.assertEqual(self.plan(self.agent(), *programs)["draft"]["text"], "It is n-7")
        self.assertEqual([json.loads(line)["at"] for line in self.ledger()], ["noon", "one"])

    def test_the_second_of_two_same_calls_is_a_question(self):
        twice = '(return (str (tool/book {:at "noon"}) (tool/book {:at "noon"})))'
        self.plan(self.agent(), self.book("noon"))
        self.harness("regenerate")
        asked = self.plan(self.agent(), self.book("noon"), twice)["question"]
        self.assertIn("noon", asked["prompt"])
        self.harness("answer", asked["qid"], "no", status=75)
        self.plan(self.agent(), self.book("noon"), twice, '(return "as you wish")')
        self.assertEqual(len(self.ledger()), 1)

    def test_a_call_that_failed_is_a_question(self):
        caught = '(return (try (tool/book {:at "noon"}) (catch :default e "it failed")))'
        self.plan(self.agent(fails=True), '(tool/book {:at "noon"})', '(return "it failed")')
        self.harness("regenerate")
        state = self.plan(self.agent(fails=True), caught, caught, self.book("noon"))
        self.assertIn("failed", state["question"]["prompt"])
        self.assertEqual(len(self.ledger()), 1)

    def test_a_call_that_was_allowed_once_needs_no_second_yes_for_its_answer(self):
        agent = self.agent(ask=True)
        asked = self.plan(agent, self.book("noon"))["question"]
        self.harness("answer", asked["qid"], "yes", status=75)
        self.plan(agent, self.book("noon"))
        self.harness("regenerate")
        self.assertEqual(self.plan(agent, self.book("noon"), self.book("noon"))["draft"]["text"], "It is n-7")
        self.assertEqual(len(self.ledger()), 1)

    def test_regenerating_gives_a_question_up_and_the_model_decides_anew(self):
        agent = self.agent(ask=True)
        self.plan(agent, self.book("noon"))
        state = self.harness("regenerate")
        self.assertEqual((state["status"], state["question"]), ("idle", None))
        self.assertEqual(self.plan(agent, self.book("noon"), '(return "No need")')["draft"]["text"], "No need")
        self.assertEqual(self.ledger(), [])

    def test_a_draft_that_is_sent_ends_the_matter(self):
        self.plan(self.agent(), self.book("noon"))
        self.harness("approve")
        self.harness("say", "The same again, please")
        self.plan(self.agent(), self.book("noon"), self.book("noon"))
        self.harness("regenerate")
        self.plan(self.agent(), *[self.book("noon")] * 3)
        self.assertEqual(len(self.ledger()), 2)

    def test_a_whisper_that_dismisses_the_draft_repeats_no_call(self):
        self.plan(self.agent(), self.book("noon"))
        self.harness("whisper", "be brief", status=75)
        self.plan(self.agent(), self.book("noon"), self.book("noon"))
        self.assertEqual(len(self.ledger()), 1)

    def test_while_a_call_is_in_doubt_regenerating_is_refused(self):
        agent, programs = self.agent(hangs=True), (self.book("noon"),)
        self.killed(*self.words(agent, programs))
        err = self.harness("regenerate", status=65)
        for said in ("book", "noon", "let the planner go on"):
            self.assertIn(said, err)
        asked = self.plan(agent, *programs)["question"]
        err = self.harness("regenerate", status=65)
        self.assertIn("answer the question " + asked["qid"], err)
        self.assertIn(shlex.join(["ptcvm", "harness", "answer", *self.kept, asked["qid"], "JSON"]), err)
        self.harness("answer", asked["qid"], '"n-7"', status=75)
        self.assertIn("let the planner go on", self.harness("regenerate", status=65))
        self.assertEqual(self.plan(agent, *programs)["draft"]["text"], "It is n-7")
        self.harness("regenerate")
        self.assertEqual(self.plan(agent, *programs, self.book("noon"))["draft"]["text"], "It is n-7")
        self.assertEqual(len(self.ledger()), 1)

    def test_an_answer_that_is_broken_json_is_asked_for_again(self):
        """The call had the broken text as its result."""
        agent, programs = self.agent(hangs=True), (self.book("noon"),)
        self.killed(*self.words(agent, programs))
        first = self.plan(agent, *programs)["question"]
        self.harness("answer", first["qid"], '"n-7', status=75)
        asked = self.plan(agent, *programs)["question"]
        self.assertEqual((asked["qid"] == first["qid"], "The last answer was no JSON" in asked["prompt"]),
                         (False, True))
        self.harness("answer", asked["qid"], '"n-7"', status=75)
        self.assertEqual(self.plan(agent, *programs)["draft"]["text"], "It is n-7")

    def test_an_answer_is_json_with_each_member_once(self):
        agent, programs = self.agent(hangs=True, signature="(at :string) -> :any"), (self.book("noon"),)
        self.killed(*self.words(agent, programs))
        for text, said in (("yes", "a text is written in quotation marks"), ("NaN", "was no JSON"),
                           ('{"id": 1, "id": 2}', "has the member /id twice")):
            self.harness("answer", self.plan(agent, *programs)["question"]["qid"], text, status=75)
            self.assertIn(said, self.plan(agent, *programs)["question"]["prompt"])
        self.harness("answer", self.plan(agent, *programs)["question"]["qid"], '"yes"', status=75)
        self.assertEqual(self.plan(agent, *programs)["draft"]["text"], "It is yes")

    def test_while_a_call_is_in_doubt_nothing_is_forgotten(self):
        """The doubt was forgotten, too, and the call was made again."""
        agent, programs = self.agent(hangs=True), (self.book("noon"),)
        self.killed(*self.words(agent, programs))
        asked = self.plan(agent, *programs)["question"]
        err = self.harness("clear", status=65)
        self.assertIn("answer the question " + asked["qid"], err)
        self.assertIn(shlex.join(["ptcvm", "harness", "answer", *self.kept, asked["qid"], "JSON"]), err)
        self.harness("answer", asked["qid"], '"n-7"', status=75)
        self.assertIn("let the planner go on", self.harness("clear", status=65))
        self.plan(agent, *programs)
        self.assertEqual(self.harness("clear")["facts"], 0)
        self.harness("say", "The same, please")
        self.plan(self.agent(), *programs * 2)
        self.assertEqual(len(self.ledger()), 2)

    def test_a_call_in_doubt_goes_over_into_a_task_of_the_other_side(self):
        agent, programs = self.agent(hangs=True), (self.book("noon"),)
        self.killed(*self.words(agent, programs))
        first = self.plan(agent, *programs)["question"]["qid"]
        page = Page(*self.kept, "--a2a")
        self.addCleanup(page.end)
        said = {"kind": "message", "role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": "Another"}]}
        answer = page.call("POST", "/a2a/clinic", {"jsonrpc": "2.0", "id": 1, "method": "message/send",
                                                   "params": {"message": said}})[1]
        self.assertEqual((answer["result"]["id"], page.end()), ("init:clinic#1", 0))
        asked = self.plan(agent, *programs)["question"]
        self.assertEqual(("noon" in asked["prompt"], asked["qid"] == first), (True, False))
        self.harness("answer", asked["qid"], '"n-7"', status=75)
        self.assertEqual(self.plan(agent, *programs, '(return "As before")')["draft"]["text"], "It is n-7")
        self.assertEqual(len(self.ledger()), 1)

    def test_a_call_in_doubt_that_did_not_happen_is_made(self):
        self.killed(*self.words(self.agent(hangs=True), [self.book("noon")]))
        os.remove(self.ledger_file)   # nothing came of it
        agent = self.agent(hangs=True)
        asked = self.plan(agent, self.book("noon"))["question"]
        self.harness("answer", asked["qid"], "no", status=75)
        self.killed(*self.words(agent, [self.book("noon")]))
        again = self.plan(agent, self.book("noon"))["question"]
        self.assertNotEqual(again["qid"], asked["qid"])
        self.harness("answer", again["qid"], '"n-8"', status=75)
        self.assertEqual(self.plan(agent, self.book("noon"))["draft"]["text"], "It is n-8")
        self.assertEqual(len(self.ledger()), 1)

    def test_doubt_settle_says_it_to_the_conversation(self):
        agent = self.agent(hangs=True)
        self.killed(*self.words(agent, [self.book("noon")]))
        self.plan(agent, self.book("noon"))
        status, out, err = ptcvm("doubt", "list", "--store", self.store)
        command = next(line for line in out.splitlines() if "--did-not" in line)
        self.assertIn("ptcvm doubt settle", command, err)
        words = command.split()[1:-1]
        self.assertEqual(ptcvm(*words, "--give-up")[0], 65)
        self.assertEqual(ptcvm(*words, "--happened", '"n-9"')[0], 0)
        self.assertEqual(self.plan(agent, self.book("noon"))["draft"]["text"], "It is n-9")
        self.assertEqual(ptcvm(*words, "--did-not")[0], 65)
        self.assertEqual(len(self.ledger()), 1)


class ProgramCallsTest(CallsTest):
    PROGRAM = '(propose {:type :compose_intent :text (str "It is " (task "book" (tool/book {:at "noon"})))})'

    EFFECT = "unsafe"

    def words(self, hangs):
        answer = "exec sleep 1000" if hangs else "echo '\"n-7\"'"
        command = ["sh", "-c", f"read args; echo $args >> {self.ledger_file}; {answer}"]
        tools = self.file("tools.json", json.dumps([{"name": "book", "signature": "(at :string) -> :string",
                                                     "effect": self.EFFECT, "command": command}]))
        return ("run", *self.kept, "--planner", self.file("plan.ptc", self.PROGRAM), "--tools", tools)

    def plan(self, hangs=False, status=75):
        got, out, err = ptcvm("harness", *self.words(hangs))
        self.assertEqual(got, status, (out, err))
        return json.loads(out.splitlines()[-1])

    def in_doubt(self):
        self.killed(*self.words(True))
        state = self.plan()
        self.assertEqual((state["status"], [doubt["run"] for doubt in state["in_doubt"]]),
                         ("waiting", ["clinic/planner"]))

    def test_a_doubt_that_is_settled_wakes_the_planner(self):
        for words, text, calls in ((("--happened", '"n-9"'), "It is n-9", 1), (("--did-not",), "It is n-7", 2)):
            with self.subTest(words):
                self.kept = (*self.kept[:3], "x" + words[0])
                self.harness("say", "hello")
                before = len(self.ledger())
                self.killed(*self.words(True))
                self.plan()
                run = self.kept[3] + "/planner"
                self.assertEqual(ptcvm("doubt", "settle", "--store", self.store, run, *words)[0], 0)
                self.assertEqual(self.plan()["draft"]["text"], text)
                self.assertEqual(len(self.ledger()) - before, calls)

    def test_while_a_call_is_in_doubt_regenerating_is_refused(self):
        self.in_doubt()
        err = self.harness("regenerate", status=65)
        for said in ("in doubt", "clinic~1planner/task:book", "ptcvm doubt list"):
            self.assertIn(said, err)
        command = next(line for line in err.splitlines() if "--happened" in line)
        self.assertEqual(ptcvm(*shlex.split(command)[1:-1], '"n-9"')[0], 0)
        self.assertEqual(self.plan()["draft"]["text"], "It is n-9")
        self.harness("regenerate")
        self.assertEqual(self.plan()["draft"]["text"], "It is n-9")
        self.assertEqual(len(self.ledger()), 1)

    def test_right_after_a_process_died_regenerating_is_refused_and_the_next_commands_are_there(self):
        self.killed(*self.words(True))
        err = self.harness("regenerate", status=65)
        self.assertIn("clinic~1planner/task:book#0 of the planner is in doubt", err)
        self.assertIn(f"      ptcvm harness run --store {self.store} --id clinic --planner PLANNER\n", err)
        status, out, whispered = ptcvm("harness", "whisper", *self.kept, "hurry")
        self.assertEqual((status, [doubt["run"] for doubt in json.loads(out)["in_doubt"]]), (0, ["clinic/planner"]))
        command = next(line for line in whispered.splitlines() if "--happened" in line)
        self.assertIn(command + "\n", err)
        self.assertEqual(ptcvm(*shlex.split(command)[1:-1], '"n-9"')[0], 0)
        self.assertEqual(self.harness("regenerate")["in_doubt"], [])
        self.assertEqual(self.plan()["draft"]["text"], "It is n-9")
        self.assertEqual(len(self.ledger()), 1)

    def test_while_a_call_is_being_made_regenerating_is_refused(self):
        process = subprocess.Popen([PTCVM, "harness", *self.words(True)], stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while not self.ledger():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        self.assertIn("is being made: wait until it is done", self.harness("regenerate", status=65))

    def test_a_keyed_call_that_was_cut_off_is_not_being_made(self):
        """Who regenerated was told to wait, and nobody made the call."""
        self.EFFECT = "keyed"
        self.killed(*self.words(True))
        err = self.harness("regenerate", status=65)
        self.assertIn("clinic~1planner/task:book#0 of the planner was cut off: let the planner go on", err)
        self.assertIn(f"      ptcvm harness run --store {self.store} --id clinic --planner PLANNER\n", err)
        self.assertEqual(self.plan()["draft"]["text"], "It is n-7")
        self.harness("regenerate")

    def notes(self):
        out = ptcvm("harness", "log", *self.kept, "--all")[1]
        return [line["type"] for line in map(json.loads, out.splitlines()) if line["type"].startswith("program_call")]

    def test_a_call_is_in_the_log_of_the_conversation_before_it_is_made(self):
        """Who regenerated looked into the log of the program, and a call could begin behind that look."""
        self.killed(*self.words(True))
        self.assertEqual(self.notes(), ["program_call_begun"])
        run = self.kept[3] + "/planner"
        self.assertEqual(ptcvm("doubt", "settle", "--store", self.store, run, "--happened", '"n-9"')[0], 0)
        self.assertEqual(self.notes(), ["program_call_begun", "program_call_ended"])

    def test_a_program_that_was_regenerated_beside_its_calls_makes_them_once(self):
        for number in range(8):
            self.kept = (*self.kept[:3], f"t{number}")
            self.harness("say", "hello")
            before = len(self.ledger())
            both = [subprocess.Popen([PTCVM, "harness", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    for words in (self.words(False), ("regenerate", *self.kept))]
            for process in both:
                self.assertIn(process.wait(timeout=240), (0, 65, 75))
            self.assertEqual(self.plan()["draft"]["text"], "It is n-7")
            self.assertEqual(len(self.ledger()) - before, 1)

    def test_a_call_outside_of_a_task_gives_a_warning(self):
        self.PROGRAM = ('(let [a (tool/book {:at "noon"}) b (tool/book {:at "one"})]'
                        ' (propose {:type :compose_intent :text (str a b (task "t" (tool/book {:at "two"})))}))')
        err = ptcvm("harness", *self.words(False))[2]
        self.assertEqual(err.count("warning: the planner called book outside of a task"), 1, err)
        self.kept = (*self.kept[:3], "other")
        self.harness("say", "hello")
        self.PROGRAM = ProgramCallsTest.PROGRAM
        self.assertEqual(without_next_commands(ptcvm("harness", *self.words(False))[2]), "")

    def test_a_whisper_leaves_a_call_in_doubt(self):
        self.in_doubt()
        self.harness("whisper", "hurry", status=75)
        self.assertEqual(self.plan()["status"], "waiting")
        self.assertEqual(len(self.ledger()), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
