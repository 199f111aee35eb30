#!/usr/bin/env python3
"""Agents on workers, in SQLite and in PostgreSQL: they wait in a row, go on at another worker, and pay once.

usage: worker_agent_test.py PTCVM [--every]

The model is a server in this process that counts requests, or a recording. Tools write what they do into a file. With
--every, workers are killed at each effect of a tool and each reply of the model; else at some of them."""
import json
import os
import pathlib
import signal
import sys
import threading
import unittest

EVERY = "--every" in sys.argv
sys.argv = [word for word in sys.argv if word != "--every"]

import agent_kill_test as kills   # noqa: E402
from ptcvm_process import ptcvm   # noqa: E402
from worker_agents import AgentWorkers, CLERK   # noqa: E402
from worker_process import PATIENCE, PostgresStores, WorkerProcess   # noqa: E402

QUOTE = [{"name": "quote", "signature": "(n :int) -> :int", "description": "quote", "effect": "pure",
          "command": ["sh", "-c", "cat > /dev/null; echo 21"]}]
LEASE = ("--lease", "400ms")


class World:
    """What agent_kill_test.Model and its tools count. The process that is killed is a worker."""

    def __init__(self, folder):
        self.folder, self.kill_at_request, self.worker = pathlib.Path(folder), None, None
        self.requests = kills.collections.Counter()

    def kill(self):
        self.worker.process.kill()

    def effects(self):
        path = self.folder / "effects"
        return [tuple(line.split(" ", 1)) for line in path.read_text().splitlines()] if path.exists() else []


class Agents(AgentWorkers):
    """In SQLite."""

    @classmethod
    def setUpClass(cls):
        kills.serve_model(cls, kills.Model)

    def url(self):
        return f"chat:m@http://127.0.0.1:{self.model.server_port}/v1"

    def test_a_worker_executes_an_agent_with_recorded_traffic(self):
        agent = {**CLERK, "signature": "(who :string) -> {said :string, price :int}", "tools": QUOTE}
        data = {"who": "Ann"}
        program = '(return {:said (str "hello " data/who) :price (tool/quote {:n 1})})'
        recording = self.folder.name + "/recorded.jsonl"
        straight = json.loads(self.ok(
            "agent", "run", self.file("a.json", json.dumps(agent)), "--data", self.file("d.json", json.dumps(data)),
            "--model", self.script("s.jsonl", {"program": "data/who"}, {"program": program}), "--record", recording))
        self.enqueue_agent("a", agent, data)
        tools = ("--tools", self.file("tools.json", json.dumps(QUOTE)))
        self.assertNotIn("claimed", self.work(), "no model")
        self.assertNotIn("claimed", self.work("--model", "replay:" + recording), "no tool")
        self.assertIn("ended", self.work("--model", "replay:" + recording, *tools))
        line = self.show("a")
        self.assertEqual((line["status"], line["return"]), ("ok", {"said": "hello Ann", "price": 21}))
        self.assertEqual((line["turns"], line["usage"]), (straight["turns"], straight["usage"]))
        self.assertEqual(self.runs()["a"]["queue_state"], "done")

    def test_an_agent_waits_for_a_person_in_a_row_and_goes_on_at_another_worker(self):
        agent = {**CLERK, "tools": [{**QUOTE[0], "ask": True}]}
        script = self.script("s.jsonl", {"program": '(return {:said (str (tool/quote {:n 1}))})'})
        tools = ("--tools", self.file("tools.json", json.dumps(QUOTE)))
        self.enqueue_agent("a", agent, {"who": "Ann"})
        one = self.worker("--model", script, *tools, "--node", "one")
        self.assertIn("approve:quote", one.until("waiting", run="a")["text"])
        one.stop()
        self.assertEqual(self.runs()["a"]["queue_state"], "waiting")
        status, _, err = ptcvm("agent", "resume", "--store", self.store, "--id", "a", "--resolve", "approve:pay=true")
        self.assertEqual((status, "unknown_operation" in err), (65, True), err)
        two = self.worker("--model", script, *tools, "--node", "two")
        two.until("joined")
        self.tell("a", "--resolve", "approve:quote=true")
        two.until("ended", run="a")
        two.stop()
        self.assertEqual(self.show("a")["return"], {"said": "21"})

    def test_the_worker_says_what_may_be_done_with_a_call_in_doubt(self):
        effects = self.folder.name + "/effects"
        pay = f'cat > /dev/null; echo "$PTCVM_FENCING_TOKEN" >> {effects}; kill -9 $PPID'
        agent = {"name": "p", "prompt": "Pay.", "signature": "() -> :any", "tools": [
            {"name": "pay", "signature": "() -> :any", "description": "pay", "effect": "pure"}]}
        script = self.script("s.jsonl", {"program": "(return (tool/pay {}))"})
        chosen = (("--tools", self.file("t.json", json.dumps([{"name": "pay", "effect": "unsafe",
                                                               "command": ["sh", "-c", pay]}]))),
                  ("--tool-shell", "pay=" + pay, "--tool-effect", "pay=unsafe"))
        for run, tools in zip("ab", chosen):
            self.enqueue_agent(run, agent, {})
            for found in ("killed", "in_doubt"):
                worker = self.worker("--model", script, *tools, *LEASE)
                self.assertEqual(self.until_over(worker, run), found)
                worker.kill()
            self.tell(run, "--resolve", "doubt:pay=5")
        self.work("--model", script, *chosen[0])
        self.assertEqual([self.show(run)["return"] for run in "ab"], [5, 5])
        self.assertEqual(len(self.lines_of(effects)), 2)

    def test_tools_are_given_the_number_of_the_claim(self):
        tokens = self.folder.name + "/tokens"
        agent = {**CLERK, "tools": [{**QUOTE[0], "command": [], "ask": True}]}
        script = self.script("s.jsonl", {"program": "(def n (tool/quote {:n 1}))"},
                             {"program": "(return {:said (str n (tool/quote {:n 2}))})"})
        words = ("--model", script, "--tool-shell",
                 f'quote=cat > /dev/null; echo "$PTCVM_FENCING_TOKEN" >> {tokens}; echo 1')
        self.enqueue_agent("a", agent, {"who": "Ann"})
        self.work(*words)
        for question in ("approve:quote", "approve:quote#2"):
            self.tell("a", "--resolve", question + "=true")
            self.work(*words)
        first, second = map(int, self.lines_of(tokens))
        self.assertLess(first, second)

    def test_what_a_run_would_refuse_is_refused_when_it_is_told(self):
        agent = {**CLERK, "tools": [{**QUOTE[0], "ask": True}]}
        script = self.script("s.jsonl", {"program": '(return {:said (str (tool/quote {:n 1}))})'})
        tools = ("--tools", self.file("tools.json", json.dumps(QUOTE)))
        self.enqueue_agent("a", agent, {"who": "Ann"})
        self.work("--model", script, *tools)
        for words, reason in ((("--resolve", "approve:quote=17"), "true or false"),
                              (("--raise", "nonsense=3"), 'no limit "nonsense"'),
                              (("--raise", "turns="), "LIMIT=NUMBER is wanted"),
                              (("--raise", "turns=99999999999999999999"), "LIMIT=NUMBER is wanted"),
                              (("--raise", "turns=0"), "at least 1")):
            status, out, err = ptcvm("agent", "resume", "--store", self.store, "--id", "a", *words)
            self.assertEqual((status, out, reason in err), (65, "", True), (words, err))
        self.tell("a", "--resolve", "approve:quote=true")
        self.tell("a", "--resolve", "approve:quote=true")
        status, _, err = ptcvm("agent", "resume", "--store", self.store, "--id", "a", "--resolve",
                               "approve:quote=false")
        self.assertEqual((status, "already_resolved" in err), (65, True), err)
        self.work("--model", script, *tools)
        self.assertEqual(self.show("a")["return"], {"said": "21"})

    def test_a_worker_that_could_not_do_what_its_options_say_is_refused(self):
        model = ("--model", self.script("s.jsonl", {"program": "1"}))
        for words, reason in (((*model, "--child-model", "kid"), "PATH=MODEL is wanted"),
                              ((*model, "--child-model", "kid="), "PATH=MODEL is wanted"),
                              ((*model, "--child-model", "kid=scripted:/nope"), "/nope"),
                              ((*model, "--child-model", "a=mailbox:x", "--child-model", "a=mailbox:y"), "one model"),
                              (("--lease", "0s"), "at least 250 ms"), (("--lease", "249ms"), "at least 250 ms")):
            status, out, err = ptcvm("worker", "--store", self.store, "--until-empty", *words)
            self.assertEqual((status, reason in err), (65, True), (words, out, err))

    def test_a_request_in_a_mailbox_is_answered_once_whatever_becomes_of_its_worker(self):
        box = pathlib.Path(self.folder.name, "box")
        box.mkdir()
        self.enqueue_agent("a", CLERK, {"who": "Ann"})
        for end in (WorkerProcess.kill, WorkerProcess.stop, WorkerProcess.kill):
            worker = self.worker("--model", f"mailbox:{box}", "--drain", "1ms", *LEASE)
            worker.until("claimed")
            while not (box / "1.request.json").exists():
                threading.Event().wait(0.01)
            end(worker)
        (box / "1.reply.json").write_text(json.dumps({"program": '(return {:said "one"})'}))
        worker = self.worker("--model", f"mailbox:{box}", *LEASE)
        self.assertEqual(self.until_over(worker, "a"), "ended")
        worker.kill()
        line = self.show("a")
        self.assertEqual((line["return"], line["usage"]["model_calls"]), ({"said": "one"}, 1))
        self.assertEqual(sorted(path.name for path in box.iterdir()), ["1.reply.json", "1.request.json"])

    def test_the_limits_of_a_worker_hold_for_programs_of_agents(self):
        programs = [{"program": "(return (count (reduce conj [] (range 1000000))))"},
                    {"program": "(return (reduce + (range 10000)))"}]
        words = ("--model", self.script("s.jsonl", *programs), "--memory-bytes", "1048576")
        self.enqueue_agent("a", {"name": "a", "prompt": "P", "signature": "() -> :any"}, {})
        self.work(*words)
        out = self.ok("agent", "show", "--store", self.store, "--id", "a")
        self.assertIn("memory_exceeded", out)
        self.assertEqual(self.show("a")["return"], 49995000)
        self.enqueue_agent("b", {"name": "b", "prompt": "P", "signature": "() -> :any", "tools": [
            {"name": "ask", "signature": "() -> :any", "effect": "pure", "ask": True, "description": "a"}]}, {})
        asking = self.script("b.jsonl", {"program": "(return (tool/ask {}))"})
        tool = ("--tool", "ask=echo 1")
        self.work("--model", asking, *tool)
        self.tell("b", "--resolve", "approve:ask=true")
        worker = self.worker("--model", asking, *tool, "--memory-bytes", "1048576")
        self.assertIn("memory_bytes is 268435456, and at most 1048576", worker.until("failed", run="b")["text"])
        worker.kill()

    def worker_stopped_in_a_payment(self):
        """A worker that was stopped past its lease, one that is in doubt, and the file that lets the tool go on."""
        gate, self.called = self.folder.name + "/gate", self.folder.name + "/called"
        os.mkfifo(gate)
        agent = {"name": "p", "prompt": "Pay.", "signature": "() -> :any", "tools": [
            {"name": "pay", "signature": "() -> :any", "description": "pay", "effect": "unsafe"}]}
        words = ("--model", self.script("s.jsonl", {"program": "(return (tool/pay {}))"}), *LEASE, "--tool-shell",
                 f"pay=cat > /dev/null; echo 1 >> {self.called}; cat {gate} > /dev/null; echo 7")
        self.file("called", "")
        self.enqueue_agent("a", agent, {})
        first = self.worker(*words)
        self.until_lines(self.called, 1)
        first.freeze(self.store)
        second = self.worker(*words)
        self.assertEqual(self.until_over(second, "a"), "in_doubt")
        return first, second, gate

    def test_a_doubt_about_a_call_is_listed_for_a_person(self):
        _, second, _ = self.worker_stopped_in_a_payment()
        self.assertIn("--resolve doubt:pay=JSON", self.ok("doubt", "list", "--store", self.store))
        self.assertEqual(json.loads(self.ok("doubt", "list", "--json", "--store", self.store)),
                         {"run": "a", "operation": "doubt:pay"})
        self.assertEqual(self.runs()["a"]["state"], "in doubt")
        self.tell("a", "--resolve", "doubt:pay=7")
        self.assertEqual(self.until_over(second, "a"), "ended")
        self.assertEqual((self.show("a")["return"], self.lines_of(self.called)), (7, ["1"]))

    def test_an_answer_that_returns_late_settles_the_doubt(self):
        first, _, gate = self.worker_stopped_in_a_payment()
        pathlib.Path(gate).write_text("go", encoding="utf-8")
        first.send(signal.SIGCONT)
        self.until_runs(lambda runs: runs["a"].get("queue_state") == "done")   # by either worker
        self.assertEqual((self.show("a")["return"], self.lines_of(self.called)), (7, ["1"]))

    def test_an_agent_that_was_never_begun_is_cancelled_without_a_model(self):
        self.enqueue_agent("a", CLERK, {"who": "Ann"})
        self.ok("runs", "cancel", "a", "--reason", "no", "--store", self.store)
        self.work("--model", self.script("s.jsonl", {"program": "1"}))
        self.assertEqual(self.runs()["a"]["queue_state"], "dead")
        status, _, err = ptcvm("agent", "show", "--store", self.store, "--id", "a")
        self.assertEqual((status, "no agent a" in err), (65, True), err)

    def test_an_agent_that_has_ended_is_not_made_ready(self):
        self.enqueue_agent("a", CLERK, {"who": "Ann"})
        self.work("--model", self.script("s.jsonl", {"program": '(fail {:reason :no :message "never"})'}))
        status, _, err = ptcvm("runs", "retry", "a", "--store", self.store)
        self.assertEqual((status, "agent fork" in err), (65, True), err)

    def test_a_fork_of_an_agent_stays_with_its_tenant(self):
        self.enqueue_agent("a", CLERK, {"who": "Ann"}, "--tenant", "acme")
        self.work("--model", self.script("s.jsonl", {"program": "1"}))
        fork = ("agent", "fork", "--id", "a", "--turns", "0", "--store", self.store, "--tenant", "acme", "--as")
        status, _, err = ptcvm(*fork, "b")
        self.assertEqual((status, "store_wrong_tenant" in err, "a/fork" in err), (65, True, True), err)
        self.ok(*fork, "a/fork")

    def test_an_agent_that_ends_with_an_error_is_given_up_and_ends_what_comes_after_it(self):
        self.enqueue_agent("a", CLERK, {"who": "Ann"})
        self.enqueue("b", "1", "--after", "a")
        self.work("--model", self.script("s.jsonl", {"program": '(fail {:reason :no :message "never"})'}))
        runs = self.runs()
        self.assertEqual((runs["a"]["queue_state"], runs["b"]["queue_state"]), ("dead", "dependency_failed"))
        self.assertIn("the run a was given up", json.dumps(runs["b"]))

    def test_a_rate_holds_over_workers(self):
        self.model.world = World(self.folder.name)
        agent = {"name": "sum", "prompt": "Sum it up: {{text}}", "signature": "(text :string) -> :string"}
        workers = [self.worker("--model", self.url(), "--rate", "1", "--slots", "1") for _ in range(2)]
        for run in ("a", "b"):
            self.enqueue_agent(run, agent, {"text": run})
        runs = self.until_runs(lambda runs: sorted(run.get("queue_state") for run in runs.values()
                                                   if run["id"] in "ab") == ["done", "timer"])
        self.assertEqual(sum(self.model.world.requests.values()), 1, runs)
        for worker in workers:
            worker.stop()

    # A kill sweep with the agent of agent_kill_test: branches, an unsafe tool in a task, a child with a model.

    def killed(self, run, kind, what):
        """Executes the agent; a worker is killed at one place. The last line of the run, and its world."""
        folder = pathlib.Path(self.folder.name) / run
        folder.mkdir()
        world = self.model.world = World(folder)
        os.environ["FOLDER"] = str(folder)
        (folder / "tool.sh").write_text(kills.TOOL)
        tools = [{"name": name, "signature": kills.SIGNATURES[name], "description": name, "effect": effect,
                  "command": ["sh", str(folder / "tool.sh"), name, kills.ANSWERS[name]]}
                 for name, effect in kills.TOOLS.items()]
        agent = {"name": "killed", "prompt": "Pay, and file what was paid.",
                 "signature": "() -> {filed :string, paid :int}", "tools": tools, "journal": True, "max_turns": 6,
                 "children": {"sum-up": {"prompt": "Sum it up: {{text}}", "signature": "(text :string) -> :string"}}}
        words = ("--model", self.url(), "--tools", self.file("tools.json", json.dumps(tools)), *LEASE)
        if kind == "tool":
            (folder / what).touch()
        world.kill_at_request = what if kind == "request" else None
        self.enqueue_agent(run, agent, {})
        dies = kind is not None
        while True:
            world.worker = worker = self.worker(*words)
            found = self.until_over(worker, run)
            if found != "killed":
                worker.kill()
            if found == "in_doubt":
                paid = any(name == "pay" for name, _ in world.effects())
                self.tell(run, *(("--resolve", "doubt:pay=" + kills.ANSWERS["pay"]) if paid
                                 else ("--reject", "doubt:pay=it did not")))
            if found == "ended":
                self.assertFalse(dies, "nobody was killed")
                return self.show(run), world
            dies = dies and found != "killed"
            world.kill_at_request = world.kill_at_request if dies else None

    def until_over(self, worker, run):
        while (found := worker.coming.get(timeout=PATIENCE)) is not None:
            if found.get("run") == run and found["event"] in ("ended", "in_doubt", "given_up", "failed"):
                self.assertIn(found["event"], ("ended", "in_doubt"), found)
                return found["event"]
        return "killed"

    def test_workers_that_are_killed_pay_no_reply_twice(self):
        straight, world = self.killed("straight", None, None)
        wanted = sum(world.requests.values())
        self.assertEqual((straight["return"], wanted), (kills.RESULT, 5))
        places = [("tool", "before-pay"), ("tool", "after-pay"), ("tool", "after-file"), ("request", (1, "after")),
                  ("request", (4, "before"))]
        if EVERY:
            places = list(kills.boundaries(0, 1))
        for number, (kind, what) in enumerate(places):
            with self.subTest(kind=kind, what=what):
                line, world = self.killed(f"r{number}", kind, what)
                sent = sum(world.requests.values())
                paid = [key for name, key in world.effects() if name == "pay"]
                self.assertEqual((line["return"], line["turns"], len(paid)), (kills.RESULT, straight["turns"], 1))
                self.assertEqual(line["usage"]["fuel"], straight["usage"]["fuel"])
                self.assertLessEqual(sent, line["usage"]["model_calls"])
                self.assertLessEqual(line["usage"]["model_calls"], wanted + (kind == "request"))

    def test_a_stop_waits_for_the_reply_and_parks_the_agent(self):
        folder = pathlib.Path(self.folder.name)
        world = self.model.world = World(folder)
        reached, goes_on = threading.Event(), threading.Event()
        world.requests = CountsAndTells(reached, goes_on)
        agent = {"name": "two", "prompt": "Pay, and file what was paid.", "signature": "() -> :any"}
        self.enqueue_agent("a", agent, {})
        worker = self.worker("--model", self.url(), "--slots", "1")
        self.assertTrue(reached.wait(PATIENCE))
        worker.send(signal.SIGTERM)
        worker.until("draining")
        goes_on.set()
        self.assertIn("parked", worker.ended())
        # It is due now, and the clock of the store may be a moment behind.
        self.assertIn(self.runs()["a"]["queue_state"], ("ready", "timer"))
        self.assertEqual(self.show("a")["turns"], 1, "the reply is used")
        self.assertEqual(sum(world.requests.values()), 1)


class CountsAndTells(kills.collections.Counter):
    """Tells of a request, and holds its reply back."""

    def __init__(self, reached, goes_on):
        super().__init__()
        self.reached, self.goes_on = reached, goes_on

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.reached.set()
        self.goes_on.wait(PATIENCE)


class PostgresAgents(PostgresStores, Agents):
    pass


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
