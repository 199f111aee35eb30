#!/usr/bin/env python3
"""Conversations on workers, in SQLite and in PostgreSQL: what is said wakes them, and they go on at any worker.

usage: worker_harness_test.py PTCVM

The model is a script or a server in this process. Tools write what they do into a file."""
import json
import signal
import sys
import threading
import time
import unittest

from harness_page import Page
from worker_chains import LEASE
from worker_conversations import ASKS, ECHO, ConversationWorkerTest
from worker_process import PostgresStores

TOOLS = ('(let [n (task "quote" (tool/quote {:n 1})) paid (task "file" (tool/file {:text (str n)}))] '
         '(propose {:type :compose_intent :text (str "re " paid)}))')


class Conversations(ConversationWorkerTest):
    """In SQLite."""

    def test_a_message_is_answered(self):
        self.assertEqual(self.begin("clinic", ECHO), "clinic is enqueued\n")
        self.assertEqual(self.begin("clinic", ECHO), "clinic is there already\n")
        self.assertIn("waiting", self.work())
        self.assertEqual(self.state("clinic"), "waiting")
        self.assertNotIn("claimed", self.work(), "a conversation that waits costs a row")
        self.harness("say", "clinic", "hello")
        self.assertEqual(self.state("clinic"), "ready")
        self.assertIn("a job of a queue", self.harness("run", "clinic", "--planner", "simple-demo", status=65))
        self.work()
        self.assertEqual(self.texts("clinic", "compose_intent"), ["re hello"])
        self.assertIn("approve:c-", str(self.runs()["clinic"]["waits_for"]))
        self.assertEqual(self.harness("approve", "clinic")["state"], "working")
        self.assertEqual(self.state("clinic"), "ready")
        self.assertIn("waiting", self.work())
        self.harness("say", "clinic", "again")
        self.work()
        self.assertEqual(self.texts("clinic", "compose_intent"), ["re hello", "re again"])
        self.assertEqual(self.types("clinic").count("compose_intent"), 2)

    def test_a_person_answers_days_later_and_another_worker_goes_on(self):
        self.begin("clinic", ASKS)
        self.harness("say", "clinic", "When can we talk?")
        one = self.worker("--node", "one")
        self.assertEqual(one.until("waiting", run="clinic")["text"], "question")
        self.assertIn("q1", str(self.runs()["clinic"]["waits_for"]))
        one.stop()
        self.harness("answer", "clinic", "q1", "noon")
        two = self.worker("--node", "two")
        self.assertEqual(two.until("waiting", run="clinic")["text"], "draft")
        self.assertEqual(self.harness("approve", "clinic", "--next", "completed")["status"], "over")
        self.assertEqual(two.until("waiting", run="clinic")["text"], "over")
        two.stop()
        self.assertEqual(self.types("clinic"), ["message_received", "status_changed", "agent_question", "user_answer",
                                                "compose_intent", "message_sent", "status_changed"])

    def test_a_deadline_is_a_timer(self):
        self.begin("clinic", '(propose {:type :compose_intent :text (await-fact :tool_result "op1" 3000)})')
        self.harness("say", "clinic", "hello")
        worker = self.worker()
        text = worker.until("waiting", run="clinic")["text"]
        while text == "waiting":   # on a slow machine the deadline is over before the program is parked
            text = worker.until("waiting", run="clinic")["text"]
        worker.stop()
        self.assertEqual((text, self.texts("clinic", "compose_intent")), ("draft", ["timeout"]))
        self.assertIn("timer_fired", self.types("clinic"))

    def test_messages_of_two_processes_at_once_reach_two_workers(self):
        each = 6
        self.begin("clinic", ECHO, "--mode", "auto")
        workers = [self.worker("--node", str(number)) for number in range(2)]

        def say(who):
            for number in range(each):
                self.harness("say", "clinic", f"{who}-{number}")
        people = [threading.Thread(target=say, args=(who,)) for who in ("a", "b")]
        for person in people:
            person.start()
        for person in people:
            person.join()
        self.until_runs(lambda runs: runs["clinic"]["queue_state"] == "waiting")
        self.assertNotEqual(self.harness("log", "clinic")["a2a"], "input-required", "no message waits for a worker")
        self.harness("say", "clinic", "the last one")
        self.until_runs(lambda runs: runs["clinic"]["queue_state"] == "waiting")
        heard, sent = self.texts("clinic", "message_received"), self.texts("clinic", "message_sent")
        said = [f"{who}-{number}" for who in "ab" for number in range(each)]
        self.assertEqual((sorted(heard[:-1]), heard[-1], sent[-1]), (said, "the last one", "re the last one"))
        self.assertEqual(len(sent), len(set(sent)), "no message is answered twice")
        whole = self.facts("clinic", "--all")
        planned = [fact["plan_cursor"]["planned"]["inbound"] for fact in whole if "plan_cursor" in fact]
        self.assertEqual(planned, sorted(planned))
        self.assertNotEqual(planned, [])
        drafts = [fact["composeId"] for fact in whole if fact["type"] == "compose_intent"]
        self.assertEqual(len(drafts), len(set(drafts)), "no pass is there twice")
        for worker in workers:
            worker.stop()

    def test_what_comes_while_a_pass_is_under_way_is_planned_anew(self):
        self.begin("clinic", "llm-drafter")
        self.harness("say", "clinic", "hello")
        self.model.world.on_request = [lambda _: self.harness("whisper", "clinic", "be brief")]
        self.work("--model", self.url())
        self.assertEqual(self.texts("clinic", "compose_intent"), ["hello be brief"])
        self.assertEqual(sum(self.model.world.requests.values()), 2)

    def test_a_worker_needs_what_the_planner_needs(self):
        self.begin("talk", "llm-drafter")
        tools = self.sweep_tools(self.model.world.folder)
        self.begin("pay", TOOLS)
        for run in ("talk", "pay"):
            self.harness("say", run, "hello")
        self.assertNotIn("claimed", self.work(), "neither a model nor a tool")
        self.work(*tools)
        self.assertEqual((self.types("talk").count("compose_intent"), self.texts("pay", "compose_intent")),
                         (0, ["re file-done"]))
        self.work("--model", self.url())
        self.assertEqual(self.texts("talk", "compose_intent"), ["hello"])
        self.assertEqual(self.counted(), {"quote": 1, "file": 1})

    def test_the_commands_of_an_agent_that_plans_are_the_workers(self):
        agent = {"prompt": "Answer.", "signature": "(status :string, facts [:map]) -> :any",
                 "tools": [self.shell("say", "echo '\"theirs\"'")]}
        own = self.tools(self.shell("say", "echo '\"ours\"'"))
        self.begin("clinic", "agent:" + self.file("agent.json", json.dumps(agent)))
        self.harness("say", "clinic", "hello")
        script = self.script({"program": '(return (str "It is " (tool/say {:text "x"})))'})
        self.assertNotIn("claimed", self.work("--model", script))
        self.work("--model", script, *own)
        self.assertEqual(self.texts("clinic", "compose_intent"), ["It is ours"])
        self.assertNotIn("theirs", self.ok("journal", "export", "--store", self.store, "clinic"))

    def test_a_limit_of_money_counts_at_the_prices_of_the_worker(self):
        agent = {"prompt": "Answer.", "signature": "(status :string, facts [:map]) -> :any", "limits": {"money": 1000}}
        self.begin("clinic", "agent:" + self.file("agent.json", json.dumps(agent)))
        self.harness("say", "clinic", "hello")
        script = self.script({"program": '(return "Hi")', "usage": {"input": 100, "output": 50}})
        prices = self.file("prices.json", json.dumps({"*": {"input": 2, "output": 8}}))
        self.work("--model", script, "--prices", prices)
        self.assertEqual(self.texts("clinic", "compose_intent"), ["Hi"])

    def test_an_agent_that_plans_asks_the_person(self):
        agent = {"prompt": "Answer.", "signature": "(status :string, facts [:map]) -> :any",
                 "tools": [{**self.shell("say", "echo '\"n-7\"'"), "ask": True}]}
        own = self.tools(self.shell("say", "echo '\"n-7\"'"))
        script = self.script({"program": '(return (str "It is " (tool/say {:text "x"})))'}, {"program": "(return nil)"})
        self.begin("clinic", "agent:" + self.file("agent.json", json.dumps(agent)))
        self.harness("say", "clinic", "hello")
        self.work("--model", script, *own)
        self.assertEqual(self.calls(), [])
        question = next(fact for fact in self.facts("clinic") if fact["type"] == "agent_question")
        self.harness("answer", "clinic", question["qid"], "yes")
        self.work("--model", script, *own)
        self.assertEqual((self.texts("clinic", "compose_intent"), len(self.calls())), (["It is n-7"], 1))

    def test_two_jobs_talk_to_each_other(self):
        program = ('(let [n (count (facts/public))] (propose {:type :compose_intent :text (str "turn " n) '
                   ':nextStateHint (if (< n 6) "working" "completed")}))')
        self.begin("clinic", program, "--mode", "auto", "--peer", "payer")
        self.begin("payer", program, "--mode", "auto", "--peer", "clinic")
        self.harness("say", "clinic", "hello")
        self.work()
        self.assertEqual([self.facts(run)[-1]["a2a"] for run in ("clinic", "payer")], ["completed", "completed"])
        self.assertEqual(self.texts("clinic", "message_sent") + self.texts("payer", "message_sent"),
                         self.texts("payer", "message_received") + self.texts("clinic", "message_received")[1:])

    def test_an_attempt_to_send_has_an_end(self):
        self.begin("clinic", ECHO, "--mode", "auto")
        self.harness("say", "clinic", "hello")
        before_ms = time.time() * 1000
        self.work()
        lines = self.ok("journal", "export", "--store", self.store, "clinic").splitlines()
        started = [fact for fact in map(json.loads, lines) if fact["id"] == "send_started"]
        ends = [json.loads(fact["text"])["until"] for fact in started]
        self.assertEqual(len(ends), 1)
        self.assertTrue(before_ms + 60_000 < ends[0] < before_ms + 600_000, ends)

    def test_a_server_that_is_busy_is_asked_later_and_the_reply_is_paid_once(self):
        self.begin("clinic", "llm-drafter")
        self.harness("say", "clinic", "hello")
        self.model.world.answers = [(429, {"retry-after": "0"}), (503, {})]
        worker = self.worker("--model", self.url())
        worker.until("waiting", run="clinic", text="draft")
        worker.stop()
        self.assertEqual(self.texts("clinic", "compose_intent"), ["hello"])
        self.assertEqual(sum(self.model.world.requests.values()), 3)
        self.assertNotIn("planner_error", self.types("clinic"))

    def test_a_rate_holds_for_the_conversations_of_all_workers(self):
        for run in ("a", "b"):
            self.begin(run, "llm-drafter")
            self.harness("say", run, "hello")
        workers = [self.worker("--model", self.url(), "--rate", "60") for _ in range(2)]
        self.until_runs(lambda runs: all(runs[run]["queue_state"] == "waiting" for run in ("a", "b")))
        self.assertEqual(sum(self.model.world.requests.values()), 2)
        for worker in workers:
            worker.stop()

    def test_a_drain_in_the_middle_of_a_pass_keeps_the_reply(self):
        asked, goes_on = threading.Event(), threading.Event()

        def hold(_):
            asked.set()
            goes_on.wait(60)
        self.begin("clinic", "llm-drafter")
        self.harness("say", "clinic", "hello")
        self.model.world.on_request = [hold]
        worker = self.worker("--model", self.url())
        asked.wait(60)
        worker.send(signal.SIGTERM)
        worker.until("draining")
        goes_on.set()
        worker.ended()
        self.work("--model", self.url())
        self.assertEqual((self.texts("clinic", "compose_intent"), sum(self.model.world.requests.values())),
                         (["hello"], 1))

    def test_a_conversation_is_over_when_nobody_says_anything(self):
        self.begin("clinic", ECHO, "--mode", "auto", "--idle", "300ms")
        self.enqueue("after", "1", "--after", "clinic")
        self.harness("say", "clinic", "hello")
        worker = self.worker()
        worker.until("ended", run="clinic")
        worker.until("ended", run="after")
        worker.stop()
        self.assertEqual((self.texts("clinic", "message_sent"), self.state("clinic")), (["re hello"], "done"))
        self.assertIn("has ended", self.harness("say", "clinic", "hello?", status=65))

    def test_a_conversation_is_cancelled(self):
        self.begin("clinic", ASKS)
        self.harness("say", "clinic", "hello")
        self.work()
        self.ok("runs", "cancel", "clinic", "--store", self.store, "--reason", "no")
        self.assertEqual(self.state("clinic"), "dead")
        self.ok("runs", "retry", "clinic", "--store", self.store)
        self.harness("answer", "clinic", "q1", "noon")
        self.work()
        self.assertEqual(self.texts("clinic", "compose_intent"), ["At noon"])

    def test_a_planner_that_cannot_be_made_is_not_enqueued(self):
        words = ("--store", self.store, "--id", "c")
        self.assertIn("resolvedScenario", self.refused("enqueue", "--conversation", "scenario-v0.3", *words))
        self.assertIn("c.ptc", self.refused("enqueue", "--conversation", "c.ptc", *words))
        self.assertIn("c.ptc", self.refused("enqueue", "--conversation", self.file("c.ptc", "(let"), *words))

    def killed(self, run, planner, kind, what, *words):
        """Answers a message; a worker is killed at one place."""
        world = self.model.world
        self.begin(run, planner, "--mode", "auto")
        self.harness("say", run, "hello " + run)
        if kind == "tool":
            (world.folder / what).touch()
        world.kill_at_request = (sum(world.requests.values()) + 1, what) if kind == "request" else None
        dies = kind is not None
        while True:
            world.worker = worker = self.worker(*words, *LEASE)
            found = self.until_left(worker, run)
            if found != "killed":
                # Behind its last reply a worker can be faster than the signal.
                self.assertFalse(dies and what != "after", "nobody was killed")
                self.assertNotIn("in_doubt", found)
                worker.kill()
                return
            dies, world.kill_at_request = False, None

    def test_workers_that_are_killed_at_a_reply_pay_at_most_the_one_that_was_lost(self):
        for what in (None, "before", "after"):
            with self.subTest(what=what):
                run, world = f"talk-{what}", self.model.world
                before = sum(world.requests.values())
                self.killed(run, "llm-drafter", "request" if what else None, what, "--model", self.url())
                self.assertEqual(self.texts(run, "message_sent"), ["hello " + run])
                sent = sum(world.requests.values()) - before
                self.assertLessEqual(sent, 1 + (what is not None))
                noted = self.ok("journal", "export", "--store", self.store, run + "/model")
                self.assertEqual((noted.count("chain_asked"), noted.count("chain_lost")), (sent, sent - 1))

    def test_an_agent_that_plans_is_killed(self):
        tools = self.sweep_tools(self.model.world.folder)
        agent = {"prompt": "Answer.", "signature": "(status :string, facts [:map]) -> :any",
                 "tools": [{"name": "file", "signature": "(text :string) -> :string", "effect": "keyed",
                            "command": ["false"]}]}
        planner = "agent:" + self.file("agent.json", json.dumps(agent))
        world = self.model.world
        for kind, what in ((None, None), ("tool", "before-file"), ("tool", "after-file"), ("request", "before"),
                           ("request", "after")):
            with self.subTest(kind=kind, what=what):
                run, before, sent = f"agent-{what}", len(world.effects()), sum(world.requests.values())
                self.killed(run, planner, kind, what, "--model", self.url(), *tools)
                self.assertEqual(self.texts(run, "message_sent"), ["re file-done"])
                effects = world.effects()[before:]
                self.assertEqual(len({key for _, key in effects}), 1, "one key")
                self.assertLessEqual(len(effects), 1 + (kind == "tool"))
                self.assertLessEqual(sum(world.requests.values()) - sent, 1 + (kind == "request"))

    def test_a_page_takes_messages_in_and_workers_plan(self):
        self.begin("clinic", ECHO)
        page = Page("--store", self.store, "--id", "clinic", "--planner", "simple-demo")
        worker = self.worker()
        try:
            self.assertEqual(page.act("clinic", "say", text="hello")[0], 200)
            worker.until("waiting", run="clinic", text="draft")
            draft = page.wait_for("clinic", lambda state: state["draft"])["draft"]
            self.assertEqual(draft["text"], "re hello")
            worker.stop()
            self.assertEqual(page.act("clinic", "approve")[0], 200)
            page.wait_for("clinic", lambda state: state["state"] == "working")
            # It is due now, and the clock of the store may be a moment behind.
            self.assertIn((self.state("clinic"), self.types("clinic").count("compose_intent")),
                          (("ready", 1), ("timer", 1)))
        finally:
            page.end()

    def test_workers_that_are_killed_at_a_tool_repeat_no_effect_beyond_its_class(self):
        tools = self.sweep_tools(self.model.world.folder)
        for what in (None, "before-quote", "after-quote", "before-file", "after-file"):
            with self.subTest(what=what):
                run = f"pay-{what}"
                before = len(self.model.world.effects())
                self.killed(run, TOOLS, "tool" if what else None, what, *tools)
                self.assertEqual(self.texts(run, "message_sent"), ["re file-done"])
                effects = self.model.world.effects()[before:]
                self.assertEqual(len({key for name, key in effects if name == "file"}), 1, "one key")
                self.assertLessEqual(len(effects), 2 + (what is not None))


class PostgresConversations(PostgresStores, Conversations):
    pass


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
