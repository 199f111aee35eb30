#!/usr/bin/env python3
"""Chains of tasks on workers, in SQLite and in PostgreSQL: they wait in a row, and go on at another worker.

usage: worker_chain_test.py PTCVM

The model is a script or a server in this process. Tools write what they do into a file."""
import json
import os
import pathlib
import re
import signal
import sys
import threading
import unittest

from ptcvm_process import ptcvm
from worker_chains import INTENT, LEASE, ChainWorkerTest, World, step
from worker_process import PostgresStores


class Chains(ChainWorkerTest):
    """In SQLite."""

    def freeze(self, worker):
        worker.freeze(self.store)

    def test_a_worker_executes_a_task(self):
        self.enqueue_task("t")
        script = self.script(INTENT, {"steps": [step("a", "say", args={"text": "x"})]})
        self.assertIn("not begun", self.chain("show", "t"))
        self.assertNotIn("claimed", self.work(), "no model")
        self.assertNotIn("claimed", self.work("--model", script), "no tool")
        self.assertIn("ended", self.work("--model", script, *self.tools()))
        report = self.report("t")
        self.assertEqual((report["success"], report["outputs"], report["cost"]["modelCalls"]), (True, ["hello"], 2))
        self.assertEqual(self.runs()["t"]["queue_state"], "done")
        self.assertIn("succeeded", self.chain("show", "t"))
        self.assertIn("the same report", self.chain("replay", "t"))
        self.chain("feedback", "t", "rating=positive")
        self.assertEqual(json.loads(self.chain("feedback", "t"))["rating"], "positive")
        self.assertEqual(self.enqueue_task("t"), "t is there already\n")

    def test_a_limit_of_money_is_kept_by_every_worker(self):
        """A reply costs 100: the first worker pays for intent and plan, and the next one finds nothing left."""
        used = {"usage": {"input": 90, "output": 10}}
        plan = {"steps": [step("a", "say", args={"text": "x"}, requiresConfirmation=True),
                          {"id": "b", "type": "action", "description": "Think"}]}
        script = "scripted:" + self.file("s.jsonl", "".join(
            json.dumps({**line, **used}) + "\n" for line in ({"text": INTENT}, {"text": json.dumps(plan)},
                                                             {"program": "(return 1)"}, {"text": "none"})))
        self.enqueue_task("t", "--limit", "money=200")
        words = ("--model", script, *self.tools())
        self.assertNotIn("ended", self.work(*words), "no prices")
        self.ok("runs", "retry", "--store", self.store, "t")
        words += ("--prices", self.file("prices.json", json.dumps({"*": {"input": 1, "output": 1}})))
        worker = self.worker(*words)
        worker.until("waiting", run="t")
        worker.stop()
        self.chain("answer", "t", "a", "yes")
        self.work(*words)
        report = self.report("t")
        self.assertEqual((report["success"], report["cost"]["modelCalls"]), (False, 2))
        self.assertEqual([one["status"] for one in report["steps"]], ["completed", "failed"])
        self.assertIn("BUDGET_EXHAUSTED: the limit money (200) is used up", report["error"])
        self.assertEqual(json.loads(self.chain("cost", "t", "--json"))["sum"]["money"], 0.0002)

    def test_the_commands_of_the_file_are_not_enqueued(self):
        self.enqueue_task("t", tools=self.tools(self.shell("say", "echo '\"theirs\"'")))
        own = self.tools(self.shell("say", "echo '\"ours\"'"))
        self.work("--model", self.script(INTENT, {"steps": [step("a", "say", args={"text": "x"})]}), *own)
        self.assertEqual(self.report("t")["outputs"], ["ours"])
        self.assertNotIn("theirs", self.ok("journal", "export", "--store", self.store, "t"))

    def test_a_person_confirms_calls_of_servers_that_the_worker_has(self):
        server = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_notes_server.py")
        notes = pathlib.Path(self.folder.name, "notes")
        notes.mkdir()
        served = self.file("served.json", json.dumps(
            {"mcp": {"notes": {"command": [sys.executable, server, str(notes)]}}}))
        plan = {"steps": [step("a", "notes_write_note", args={"name": "b", "text": "x"}, riskLevel="low",
                               requiresConfirmation=False)]}
        words = ("--model", self.script(INTENT, plan), "--tools", served)
        for run, known in (("t", ("--tools", served)), ("u", self.tools(self.shell("notes_write_note", "echo 1")))):
            self.enqueue_task(run, tools=known)
            worker = self.worker(*words)
            self.assertEqual(worker.until("waiting", run=run)["text"], "confirm:a")
            worker.stop()
        self.assertNotIn("write_note", (notes / "calls").read_text())
        self.chain("answer", "t", "a", "yes")
        self.assertIn("ended", self.work(*words))
        self.assertTrue(self.report("t")["success"])

    def test_two_workers_share_the_life_of_a_task(self):
        plan = {"steps": [step("a", "say", args={"text": "x"}),
                          step("b", "say", args={"text": "y"}, dependsOn=["a"], requiresConfirmation=True)]}
        words = ("--model", self.script(INTENT, plan), *self.tools())
        self.enqueue_task("t")
        one = self.worker(*words, "--node", "one")
        self.assertEqual(one.until("waiting", run="t")["text"], "confirm:b")
        two = self.worker(*words, "--node", "two")
        two.until("joined")
        one.stop()
        self.assertEqual(self.runs()["t"]["queue_state"], "waiting")
        self.chain("answer", "t", "b", "yes")
        two.until("ended", run="t")
        two.stop()
        (_, first), (_, second) = self.calls()
        self.assertEqual(self.report("t")["outputs"], ["hello", "hello"])
        self.assertLess(int(first), int(second), "the number of the claim grows")

    def test_an_approval_is_answered_while_no_worker_lives(self):
        plan = {"steps": [step("a", "say", args={"text": "x"}, requiresConfirmation=True)]}
        words = ("--model", self.script(INTENT, plan), *self.tools())
        self.enqueue_task("t")
        self.assertIn("waiting", self.work(*words))
        self.assertIn("waits for an answer", self.chain("show", "t"))
        self.assertIn("confirm:a", self.runs()["t"]["waits_for"])
        self.assertEqual(self.calls(), [])
        self.assertNotIn("claimed", self.work(*words), "a task that waits costs a row")
        answer = ("chain", "answer", "--store", self.store, "--id", "t")
        self.assertIn("waits for nobody", self.refused(*answer, "b", "yes"))
        self.assertIn("yes, always or no", self.refused(*answer, "a"))
        self.assertIn("is a job of a queue", self.refused("chain", "run", "Pay", "--tools", words[3], "--model",
                                                          words[1], "--store", self.store, "--id", "t"))
        self.chain("answer", "t", "a", "always")
        self.assertIn("is told", self.ok(*answer, "a", "always"), "the same answer twice is one")
        self.assertIn("already_resolved", self.refused(*answer, "a", "no"), "although no worker has read the first")
        self.assertEqual(self.runs()["t"]["queue_state"], "ready")
        self.assertIn("ended", self.work(*words))
        self.assertEqual([name for name, _ in self.calls()], ["say"])
        self.assertIn("call:say#", self.ok("chain", "approvals", "--store", self.store))
        self.enqueue_task("u")
        self.assertIn("ended", self.work(*words), "it is approved for other tasks, too")
        self.assertIn("was answered so before", self.ok(*answer, "a", "yes"))
        self.assertIn("already_resolved", self.refused(*answer, "a", "no"))
        self.assertIn("ends once", self.refused("chain", "replan", "--store", self.store, "--id", "t", "other"))

    def test_a_cancelled_task_takes_no_answers(self):
        plan = {"steps": [step("a", "say", args={"text": "x"}, requiresConfirmation=True)]}
        self.enqueue_task("t")
        self.work("--model", self.script(INTENT, plan), *self.tools())
        name = re.search("a@[0-9a-f]{8}", self.chain("show", "t")).group(0)
        self.ok("runs", "cancel", "t", "--reason", "no longer wanted", "--store", self.store)
        for said in ("a", name):
            self.assertIn("run_cancelled: t", self.refused("chain", "answer", "--store", self.store, "t", said, "yes"))
        self.enqueue("r", '(await-signal "go")')
        self.work()
        self.ok("runs", "cancel", "r", "--reason", "no longer wanted", "--store", self.store)
        for words in (("journal", "put", "r", "go", "1"), ("resolve", "r", "go", "1")):
            self.assertIn("run_cancelled: r", self.refused(*words, "--store", self.store))

    def test_no_is_an_answer(self):
        plan = {"steps": [step("a", "say", args={"text": "x"}, requiresConfirmation=True)]}
        words = ("--model", self.script(INTENT, plan), *self.tools())
        self.enqueue_task("t", "--revisions", "1")
        self.enqueue("after", "1", "--after", "t")
        self.work(*words)
        self.chain("answer", "t", "a", "no")
        self.assertIn("given_up", self.work(*words))
        self.assertEqual(self.report("t")["steps"][0]["error"], "USER_DENIED")
        runs = self.runs()
        self.assertEqual((runs["t"]["queue_state"], runs["after"]["queue_state"]), ("dead", "dependency_failed"))
        self.assertIn("has ended", self.refused("runs", "retry", "t", "--store", self.store))

    def test_the_worker_says_what_may_be_done_with_a_call_in_doubt(self):
        own = self.tools(self.shell("say", "kill -9 $PPID", effect="unsafe"))
        words = ("--model", self.script(INTENT, {"steps": [step("a", "say", args={"text": "x"})]}), *own, *LEASE)
        self.enqueue_task("t", tools=("--tools", self.file("theirs.json", json.dumps([self.shell("say", "", "pure")]))))
        for found in ("killed", "in_doubt"):
            worker = self.worker(*words)
            self.assertEqual(self.until_left(worker, "t"), found)
            worker.kill()
        self.assertEqual(self.runs()["t"]["state"], "in doubt")
        listed = self.ok("doubt", "list", "--store", self.store)
        self.assertRegex(listed, " t a@[0-9a-f]{8} --happened JSON")
        self.assertNotIn("agent resume", listed)
        key = json.loads(self.ok("doubt", "list", "--store", self.store, "--json"))["key"]
        self.assertIn("chain answer", self.refused("doubt", "settle", "--store", self.store, "t/steps", key,
                                                   "--did-not"))
        self.assertIn("--happened JSON", self.refused("chain", "answer", "--store", self.store, "--id", "t", "a"))
        self.chain("answer", "t", "a", "--happened", '"paid"')
        self.assertIn("ended", self.work(*words))
        self.assertEqual((self.report("t")["outputs"], len(self.calls())), (["paid"], 1))

    def test_a_call_that_did_not_happen_is_made_again_and_doubted_again(self):
        kill = self.folder.name + "/kill"
        own = self.tools(self.shell("say", f"rm {kill} 2> /dev/null && kill -9 $PPID; echo 1", effect="unsafe"))
        words = ("--model", self.script(INTENT, {"steps": [step("a", "say", args={"text": "x"})]}), *own, *LEASE)
        self.enqueue_task("t")
        for _ in range(2):
            self.file("kill", "")
            for found in ("killed", "in_doubt"):
                worker = self.worker(*words)
                self.assertEqual(self.until_left(worker, "t"), found)
                worker.kill()
            self.chain("answer", "t", re.search("a@[0-9a-f]{8}", self.chain("show", "t")).group(0), "--did-not")
        self.assertIn("ended", self.work(*words))
        self.assertEqual((self.report("t")["outputs"], len(self.calls())), (["1"], 3))

    def doubted_agent(self, line):
        """Enqueues a task whose agent calls a tool. Returns the words of its workers."""
        plan = {"steps": [step("a", args={"text": "x"})]}
        says = {"program": "(return (tool/say {:text data/text}))"}
        self.enqueue_task("t")
        return ("--model", self.script(INTENT, plan, says), *self.tools(self.shell("say", line, effect="unsafe")),
                *LEASE)

    def leave_in_doubt(self, words):
        for found in ("killed", "in_doubt"):
            worker = self.worker(*words)
            self.assertEqual(self.until_left(worker, "t"), found)
            worker.kill()

    def test_a_doubt_of_the_agent_of_a_step_is_settled_by_a_letter(self):
        words = self.doubted_agent("kill -9 $PPID")
        self.leave_in_doubt(words)
        self.assertEqual(self.runs()["t"]["state"], "in doubt")
        self.assertIn("a/doubt:say --happened JSON", self.chain("show", "t"))
        self.assertIn("--happened JSON", self.refused("chain", "answer", "--store", self.store, "--id", "t", "a"))
        told = self.chain("answer", "t", "a/doubt:say", "--happened", '"paid"')
        self.assertEqual(self.chain("answer", "t", "a/doubt:say", "--happened", '"paid"'), told)
        self.assertIn("already_resolved", self.refused("chain", "answer", "--store", self.store, "--id", "t",
                                                       "a/doubt:say", "--did-not"))
        self.assertIn("ended", self.work(*words))
        self.assertEqual((self.report("t")["outputs"], len(self.calls())), (["paid"], 1))

    def test_a_call_of_an_agent_that_did_not_happen_is_made_again_and_doubted_again(self):
        kill = self.folder.name + "/kill"
        words = self.doubted_agent(f"rm {kill} 2> /dev/null && kill -9 $PPID; echo 1")
        for doubt in ("a/doubt:say", "a/doubt:say@2"):
            self.file("kill", "")
            self.leave_in_doubt(words)
            self.assertIn(doubt + " --happened JSON", self.chain("show", "t"))
            self.chain("answer", "t", doubt, "--did-not")
        self.assertIn("ended", self.work(*words))
        self.assertEqual((self.report("t")["outputs"], len(self.calls())), (["1"], 3))

    def test_a_call_of_an_agent_that_is_given_up_fails_its_step(self):
        words = self.doubted_agent("kill -9 $PPID")
        self.leave_in_doubt(words)
        self.chain("answer", "t", "a", "--give-up")
        self.assertIn("given_up", self.work(*words))
        self.assertEqual(self.report("t")["steps"][0]["error"],
                         "IN_DOUBT: nobody knows whether the agent of the step has called say")
        self.assertEqual(len(self.calls()), 1)

    def test_the_answer_of_a_worker_that_was_taken_for_dead_settles_the_doubt(self):
        gate = self.folder.name + "/gate"
        os.mkfifo(gate)
        own = self.tools(self.shell("say", f"cat {gate} > /dev/null; echo 7", effect="unsafe"))
        words = ("--model", self.script(INTENT, {"steps": [step("a", "say", args={"text": "x"})]}), *own, *LEASE)
        self.enqueue_task("t")
        self.file("calls", "")
        first = self.worker(*words)
        self.until_lines(self.folder.name + "/calls", 1)
        self.freeze(first)
        second = self.worker(*words)
        self.assertEqual(self.until_left(second, "t"), "in_doubt")
        first.send(signal.SIGCONT)
        pathlib.Path(gate).write_text("go")
        first.until("lost", run="t")
        self.until_runs(lambda runs: runs["t"]["queue_state"] == "done")   # at either of them
        self.assertEqual((self.report("t")["outputs"], len(self.calls())), (["7"], 1))

    def test_the_limits_of_a_worker_hold_for_the_programs_of_steps(self):
        plan = {"steps": [step("a", requiresConfirmation=True)]}
        program = {"program": "(return (count (reduce conj [] (range 100000))))"}
        small = ("--memory-bytes", "1048576")
        words = ("--model", self.script(INTENT, plan, program, {"program": "(return 2)"}), *self.tools())
        self.enqueue_task("t", "--revisions", "1")
        self.assertIn("waiting", self.work(*words))
        self.chain("answer", "t", "a", "yes")
        worker = self.worker(*words, *small)
        self.assertIn("memory_bytes is 268435456, and at most 1048576", worker.until("failed", run="t")["text"])
        worker.kill()
        self.ok("runs", "cancel", "t", "--reason", "done", "--store", self.store)
        for run, limits, output in (("u", small, "2"), ("v", (), "100000")):
            self.enqueue_task(run, "--revisions", "1")
            model = self.script(INTENT, plan, program, {"program": "(return 2)"}, name=run + ".jsonl")
            words = ("--model", model, *self.tools(), *limits)
            self.work(*words)
            self.chain("answer", run, "a", "yes")
            self.work(*words)
            self.assertEqual(self.report(run)["outputs"], [output], limits)

    def test_a_server_that_wants_to_be_left_alone_costs_no_slot(self):
        world = self.model.world = World(self.folder.name)
        world.answers = [(429, {"retry-after": "1"})]
        self.enqueue_task("t", tools=self.sweep_tools(world.folder))
        worker = self.worker("--model", self.url(), *self.sweep_tools(world.folder))
        self.assertEqual(worker.until("waiting", run="t").get("text", ""), "")
        self.assertEqual(worker.until("waiting", run="t")["text"], "confirm:file")
        worker.kill()
        self.assertEqual(world.requests["intent"], 2)

    def test_a_request_in_a_mailbox_is_answered_once_whatever_becomes_of_its_worker(self):
        box = pathlib.Path(self.folder.name, "box")
        box.mkdir()
        self.enqueue_task("t")
        words = ("--model", f"mailbox:{box}", *self.tools(), "--drain", "1ms", *LEASE)
        for number, said in ((1, INTENT), (2, json.dumps({"steps": [step("a", "say", args={"text": "x"})]}))):
            worker = self.worker(*words)
            while not (box / f"{number}.request.json").exists():
                threading.Event().wait(0.01)
            worker.kill()
            (box / f"{number}.reply.json").write_text(json.dumps({"text": said}))
        worker = self.worker(*words)
        self.assertEqual(self.until_left(worker, "t"), "ended")
        worker.kill()
        self.assertEqual((self.report("t")["cost"]["modelCalls"], len(list(box.iterdir()))), (2, 4))

    def test_a_task_that_waits_is_cancelled_without_a_worker(self):
        plan = {"steps": [step("a", "say", args={"text": "x"}, requiresConfirmation=True)]}
        self.enqueue_task("t")
        self.work("--model", self.script(INTENT, plan), *self.tools())
        self.ok("runs", "cancel", "t", "--reason", "no", "--store", self.store)
        self.assertEqual(self.runs()["t"]["queue_state"], "dead")
        self.assertIn("run_cancelled", self.refused("chain", "answer", "--store", self.store, "--id", "t", "a",
                                                       "yes"))

    def test_a_stop_waits_for_the_tool_and_parks_the_task(self):
        gate = self.folder.name + "/gate"
        os.mkfifo(gate)
        own = self.tools(self.shell("say", f"cat {gate} > /dev/null; echo 7", effect="unsafe"))
        plan = {"steps": [step("a", "say", args={"text": "x"}), step("b", "say", args={"text": "y"}, dependsOn=["a"])]}
        words = ("--model", self.script(INTENT, plan), *own)
        self.enqueue_task("t")
        self.file("calls", "")
        worker = self.worker(*words)
        self.until_lines(self.folder.name + "/calls", 1)
        worker.send(signal.SIGTERM)
        worker.until("draining")
        pathlib.Path(gate).write_text("go")
        self.assertIn("parked", worker.ended())
        # It is due now, and the clock of the store may be a moment behind.
        self.assertIn((self.runs()["t"]["queue_state"], len(self.calls())), (("ready", 1), ("timer", 1)))
        worker = self.worker(*words)
        self.until_lines(self.folder.name + "/calls", 2)
        pathlib.Path(gate).write_text("go")
        self.assertEqual(self.until_left(worker, "t"), "ended")
        worker.kill()
        self.assertEqual((self.report("t")["outputs"], len(self.calls())), (["7", "7"], 2))

    def test_what_cannot_be_enqueued_is_refused(self):
        task, (_, tools) = self.file("task.txt", "Pay"), self.tools()
        empty, wrong = self.file("empty.txt", " \n"), self.file("wrong.json", '[{"nam": "x"}]')
        store = ("--store", self.store, "--id", "t")
        for words, reason in ((("--chain", empty, "--tools", tools), "is empty"),
                              (("--chain", task, "--tools", wrong), "nam"),
                              (("--chain", task, "--tools", tools, "--fuel", "9"), "those of workers"),
                              (("--chain", "none.txt", "--tools", tools), "none.txt")):
            self.assertIn(reason, self.refused("enqueue", *words, *store))
        status, _, err = ptcvm("enqueue", "--chain", task, *store)
        self.assertEqual((status, "--chain requires --tools" in err), (2, True), err)


class PostgresChains(PostgresStores, Chains):
    def freeze(self, worker):
        worker.send(signal.SIGSTOP)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
