#!/usr/bin/env python3
"""What a conversation says of itself: a message in flight and what settles it, a planner that gave up, a form.

usage: harness_status_test.py PTCVM   (the program under test)"""
import json
import pathlib
import signal
import sys
import unittest

from conversation_case import ConversationCase
from harness_page import Page
from ledger_agent import LedgerAgent
from ptcvm_process import ptcvm

NEGOTIATION = pathlib.Path(__file__).resolve().parents[2] / "examples/negotiation"
DRAFT = '(propose {:type :compose_intent :composeId "c1" :text "At noon"})'


class StatusCase(ConversationCase):
    def page(self, *args):
        page = Page("--store", self.store, "--id", "clinic", *args)
        self.addCleanup(page.end, signal.SIGKILL)
        return page

    def state_of_runs(self):
        out = ptcvm("runs", "--store", self.store, "--json")[1]
        return [(run["state"], run["waits_for"]) for run in map(json.loads, out.splitlines()) if run["id"] == "clinic"]


class InFlightTest(StatusCase):
    """The status was "draft", and what settles the message was told in words alone."""

    def setUp(self):
        super().setUp()
        self.agent = LedgerAgent()
        self.addCleanup(self.agent.close)
        self.agent.fate = "hang up"
        self.told("run", "--planner", self.file("plan.ptc", DRAFT), "--begin", status=75)

    def test_commands_say_it(self):
        self.told("approve", "--remote", self.agent.url, status=65)
        state = self.told("whisper", "well?", status=75)[0]
        settle = [{"draft": "c1", "messageId": self.agent.ledger[0][0], "outcomes": ["arrived", "lost"]}]
        self.assertEqual((state["status"], state["settle"]), ("in_flight", settle))
        self.assertEqual(self.state_of_runs(), [("waiting", "settle:c1")])
        state = self.told("settle", "c1", "lost", status=75)[0]
        self.assertEqual((state["status"], state["settle"]), ("draft", []))

    def test_a_message_that_is_refused_leaves_the_line_with_its_error(self):
        """A script got nothing on standard output."""
        self.agent.fate = "refuse"
        for url, said in ((self.agent.url, "the server refused the request"), ("http://127.0.0.1:9", "127.0.0.1:9")):
            state, err = self.told("approve", "c1", "--remote", url, status=65)
            self.assertIn(said, err)
            self.assertEqual((state["status"], said in state["draft"]["error"]), ("draft", True))

    def test_refusals_of_a_page_say_it(self):
        page = self.page("--remote", self.agent.url)
        settle = [{"draft": "c1", "messageId": None, "outcomes": ["arrived", "lost"]}]
        status, refused = page.act("clinic", "approve")
        settle[0]["messageId"] = self.agent.ledger[0][0]
        self.assertEqual((status, refused["settle"]), (409, settle))
        status, refused = page.act("clinic", "dismiss", draft="c1")
        self.assertEqual((status, refused["settle"]), (409, settle))
        state = page.state("clinic")
        self.assertEqual((state["status"], state["settle"]), ("in_flight", settle))


class SeveralQuestionsTest(StatusCase):
    """After the answer to the newest question nothing said which one was open: the status was "waiting"."""

    def answered_all(self, state, run):
        """The prompts that were shown, each one answered after the one before."""
        prompts, err = [], ""
        while state["status"] == "question":
            self.assertLess(len(prompts), 9)
            question = state["question"]
            prompts.append(question["prompt"])
            self.assertEqual(self.state_of_runs(), [("waiting", question["qid"])])
            state, err = self.told("answer", question["qid"], "yes", status=75)
            if state["status"] == "question":
                self.assertIn(f"answer --store {self.store} --id clinic", err)
                self.assertIn(state["question"]["qid"], err)
                self.assertEqual(run()["question"], state["question"])   # a pass between two answers
        return prompts

    def test_a_program_asks_several_at_once(self):
        plan = self.file("plan.ptc", """(let [all (pmap (fn [x] (ask x {:qid x})) ["a" "b" "c"])]
                                          (propose {:type :compose_intent :composeId "c1" :text (join "," all)}))""")
        run = lambda: self.told("run", "--planner", plan, status=75)[0]
        self.told("say", "hello")
        self.assertEqual(sorted(self.answered_all(run(), run)), ["a", "b", "c"])
        self.assertEqual(run()["draft"]["text"], "yes,yes,yes")

    def test_an_agent_asks_about_several_calls(self):
        agent = {"prompt": "Answer.", "signature": "(status :string, facts [:map]) -> :any", "tools": [
            {"name": "pay", "signature": "(x :int) -> :any", "effect": "keyed", "ask": True,
             "command": ["sh", "-c", "cat > /dev/null; echo 1"]}]}
        program = '(return (str "paid " (pmap (fn [x] (tool/pay {:x x})) [1 2 3])))'
        model = self.file("script.jsonl", json.dumps({"program": program}))
        agent = self.file("agent.json", json.dumps(agent))
        run = lambda: self.told("run", "--planner", "agent:" + agent, "--model", "scripted:" + model, status=75)[0]
        self.told("say", "hello")
        self.assertEqual(len(set(self.answered_all(run(), run))), 3)
        self.assertEqual(run()["draft"]["text"], "paid [1 1 1]")

    def test_a_page_shows_the_next_one(self):
        plan = self.file("plan.ptc", '(pmap (fn [x] (ask x {:qid x})) ["a" "b"])')
        self.told("say", "hello")
        first = self.told("run", "--planner", plan, status=75)[0]["question"]["qid"]
        page = self.page()
        self.assertEqual(page.act("clinic", "answer", qid=first, text="yes")[0], 200)
        self.assertEqual(page.state("clinic")["question"]["qid"], "a" if first == "b" else "b")


class GivenUpTest(StatusCase):
    """Nothing said that the planner would not try again by itself."""

    def setUp(self):
        super().setUp()
        self.told("say", "hello")
        self.failing = self.file("fail.ptc", '(fail "no")')
        self.err = self.told("run", "--planner", self.failing, status=1)[1]

    def test_a_command_says_what_lets_it_go_on(self):
        for said in ("harness whisper", "harness regenerate", "does not try again by itself"):
            self.assertIn(said, self.err)
        state, err = self.told("run", "--planner", self.failing, status=75)
        self.assertEqual((state["status"], state["given_up"]["attempts"], "harness whisper" in err),
                         ("given_up", 3, True))
        self.assertEqual(self.state_of_runs(), [("waiting", "whisper")])

    def test_what_lets_it_go_on(self):
        for name, words in (("clinic", ("whisper", "try")), ("clinic", ("regenerate",))):
            self.assertEqual(self.told(*words, conversation=name)[0]["status"], "idle")
            self.told("run", "--planner", self.failing, status=1)
        self.told("whisper", "once more")
        self.assertEqual(self.told("run", "--planner", self.file("plan.ptc", DRAFT), status=75)[0]["status"], "draft")

    def test_a_page_says_it(self):
        state = self.page().state("clinic")
        self.assertEqual((state["status"], state["hud"]["phase"], state["hud"]["title"]),
                         ("given_up", "waiting", "The planner failed 3 times"))
        self.assertIn("regenerate", state["hud"]["body"])


class OverTest(StatusCase):
    def test_a_draft_of_a_conversation_that_is_over_waits_for_nobody(self):
        """The status was "draft", with a command that was refused."""
        self.told("say", "hello")
        self.told("run", "--planner", self.file("plan.ptc", DRAFT), status=75)
        state, err = self.told("say", "bye", "--next", "completed")
        self.assertEqual((state["status"], "harness approve" in err), ("over", False))
        self.assertIn("the conversation is over", self.told("approve", "c1", status=65)[1])


class FormTest(StatusCase):
    def test_a_planner_that_there_is_not_is_named_without_a_link(self):
        status, answer = self.page().act("clinic", "setup", planner="nobody")
        self.assertEqual((status, answer["error"]), (400, 'there is no planner "nobody"'))

    def test_a_seed_of_a_later_version_is_refused(self):
        """It was read as if it were of this version."""
        page = self.page()
        for version in (0, 99, 1.5, -1):
            link = "#" + json.dumps({"planner": {"id": "llm-drafter"}, "seed": {"v": version, "targetWords": 50}})
            status, answer = page.act("clinic", "link", link=link)
            self.assertEqual((status, "seed.v: the version of a seed of llm-drafter" in answer["error"]), (400, True))
        self.assertEqual(page.act("clinic", "link", link=link.replace("-1", "1"))[0], 200)

    def test_a_planner_without_a_form_is_ready(self):
        page = self.page()
        self.assertEqual(page.act("clinic", "setup", planner="simple-demo")[0], 200)
        self.assertEqual(page.state("clinic")["setup"]["ready"], True)

    def test_a_value_that_is_no_option_is_refused(self):
        page = self.page("--planner", "scenario-v0.3", "--scenario", NEGOTIATION / "scenario.json",
                         "--replies", NEGOTIATION / "replies.jsonl")
        for field, value, said in (
                ("enabledCoreTools", ["nope"], 'enabledCoreTools: there is no "nope"; there are '),
                ("enabledTools", ["nope"], 'enabledTools: there is no "nope"'),
                ("myAgentId", "nobody", 'myAgentId: there is no "nobody"'),
                ("enabledCoreTools", "done", "enabledCoreTools: the value must be a list"),
                ("nope", 5, 'there is no field "nope"; there are scenarioUrl, ')):
            status, answer = page.act("clinic", "field", field=field, value=value)
            self.assertEqual((status, said in answer["error"]), (400, True), answer)

    def test_a_text_that_is_no_good_value_is_said_in_the_answer(self):
        page = self.page("--planner", "llm-drafter", "--replies", NEGOTIATION / "replies.jsonl")
        for words in ("5", -5, "many"):
            status, answer = page.act("clinic", "field", field="targetWords", value=words)
            self.assertEqual((status, answer.get("field_error")), (200, "must be 0, or a number from 10 to 1000"))
            self.assertEqual(page.act("clinic", "apply")[0], 409)
        self.assertEqual(page.act("clinic", "field", field="targetWords", value="50"), (200, {"ok": True}))
        self.assertEqual(page.act("clinic", "apply")[0], 200)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
