#!/usr/bin/env python3
"""ptcvm enqueue and worker on an SQLite file, as a user types them: jobs, tools, stops and deaths.

usage: worker_test.py PTCVM   (the program under test)"""
import json
import os
import signal
import sys
import time
import unittest

from ptcvm_process import ptcvm
from worker_process import WorkerTest

LONG = "(do (tool/begin {:n 1}) (reduce (fn [a x] (+ a x)) 0 (range 30000000)))"


class Enqueue(WorkerTest):
    def test_a_job_is_executed_once_and_its_id_is_unique(self):
        self.assertEqual(self.enqueue("a", "(+ 1 2)"), "a is enqueued\n")
        self.assertEqual(self.enqueue("a", "(+ 3 4)"), "a is there already\n")
        self.assertEqual(self.runs()["a"]["queue_state"], "ready")
        events = self.work()
        self.assertEqual(events, ["joined", "claimed", "ended", "draining", "left"])
        run = self.runs()["a"]
        self.assertEqual((run["state"], run["queue"], run["queue_state"]), ("ended ok", "default", "done"))
        self.assertIn("default: done", self.ok("runs", "--store", self.store))

    def test_data_limits_and_signature_are_kept(self):
        data = self.file("d.json", '{"n": 20}')
        self.enqueue("good", "(+ data/n 1)", "--data", data, "--signature", ":int")
        self.enqueue("bad", '(str data/n)', "--data", data, "--signature", ":int", "--attempts", "1")
        self.enqueue("small", "(reduce + (range 100000))", "--fuel", "1000", "--attempts", "1")
        self.work()
        runs = self.runs()
        self.assertEqual([runs[run]["queue_state"] for run in ("good", "bad", "small")], ["done", "dead", "dead"])
        self.assertIn("fuel", runs["small"]["reason"])

    def test_order_delay_and_moment(self):
        self.enqueue("late", "1", "--in", "1h")
        self.enqueue("later", "1", "--at", "2126-01-01T00:00:00Z")
        self.enqueue("past", "1", "--at", "2020-01-01")
        self.enqueue("first", "1", "--prio", "-5")
        worker = self.worker("--until-empty", "--slots", "1")
        worker.ended()
        self.assertEqual([e["run"] for e in worker.events if e["event"] == "claimed"], ["first", "past"])
        states = {run: info["queue_state"] for run, info in self.runs().items()}
        self.assertEqual(states, {"late": "timer", "later": "timer", "past": "done", "first": "done"})
        self.assertEqual(self.ok("runs", "retry", "late", "--store", self.store), "late is ready again\n")
        self.work()
        self.assertEqual(self.runs()["late"]["queue_state"], "done")

    def test_runs_come_after_others(self):
        self.enqueue("a", "1")
        self.enqueue("b", "2", "--after", "a")
        self.enqueue("c", "3", "--after", "a", "--after", "b", "--prio", "-9")
        self.assertEqual(self.runs()["c"]["queue_state"], "blocked")
        worker = self.worker("--until-empty")
        worker.ended()
        self.assertEqual([e["run"] for e in worker.events if e["event"] == "claimed"], ["a", "b", "c"])
        status, _, err = ptcvm("enqueue", self.file("d.ptc", "4"), "--store", self.store, "--id", "d", "--after", "x")
        self.assertEqual(status, 65)
        self.assertIn("comes after the run x, which is no job of its tenant", err)

    def test_a_run_that_is_cancelled_and_retried_still_comes_after_others(self):
        self.enqueue("a", "(tool/nope {})")
        self.enqueue("b", "2", "--after", "a")
        self.ok("runs", "cancel", "b", "--reason", "no", "--store", self.store)
        self.assertEqual(self.runs()["b"]["queue_state"], "dead")
        self.assertEqual(self.ok("runs", "retry", "b", "--store", self.store), "b is blocked again\n")
        self.work()
        self.assertEqual([self.runs()[run]["queue_state"] for run in "ab"], ["ready", "blocked"])

    def test_what_makes_no_sense_is_refused_by_name(self):
        program = self.file("p.ptc", "1")
        for words, said in ((("--id", "a", "--in", "soon"), "--in: must be a span with its unit, like"),
                            (("--id", "a", "--in", "5"), "--in: must be a span with its unit, like"),
                            (("--id", "a", "--at", "later"), "--at: must be a moment like"),
                            (("--id", "a", "--attempts", "0"), "--attempts"), (("--id", ""), "--id")):
            status, _, err = ptcvm("enqueue", program, "--store", self.store, *words)
            self.assertEqual(status, 2, words)
            self.assertIn(said, err)
        status, _, err = ptcvm("enqueue", program, "--store", self.store)
        self.assertEqual((status, err), (65, "ptcvm: which run? Give its name as the argument ID, or with --id ID\n"))
        status, _, err = ptcvm("enqueue", self.file("w.ptc", "(+ 1"), "--store", self.store, "--id", "w")
        self.assertEqual(status, 65)
        self.assertIn("w.ptc:1", err)
        self.enqueue("theirs", "1", "--tenant", "one")
        status, _, err = ptcvm("enqueue", program, "--store", self.store, "--id", "theirs", "--tenant", "two")
        self.assertEqual(status, 65)
        self.assertIn("the run theirs is another tenant's", err)
        for words, said in ((("--id", "ptcvm/store"), "ids that begin with ptcvm/ belong to the store: ptcvm/store"),
                            (("--id", "i" * 2001), "has 2001 bytes; up to 2000 are taken"),
                            (("--id", "s", "--signature", "{"), "signature")):
            status, _, err = ptcvm("enqueue", program, "--store", self.store, *words)
            self.assertEqual(status, 65, words)
            self.assertIn(said, err)
        out = self.ok("enqueue", program, "--store", self.store, "--id", "a\nended run=FORGED")
        self.assertEqual(out, "a ended run=FORGED is enqueued\n")
        for name in ("'); drop table job; --", "a/b\n", "Zoë"):
            self.assertIn("is enqueued", self.ok("enqueue", program, "--store", self.store, "--id", name))


class Bulk(WorkerTest):
    def bulk(self, lines, *words):
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        return ptcvm("enqueue", *words, "--store", self.store, "--bulk", self.file("jobs.jsonl", text))

    def test_lines_are_jobs_and_may_be_given_again(self):
        program = self.file("p.ptc", "(* 2 data/n)")
        lines = [{"id": f"r{n}", "data": {"n": n}, "tenant": f"t{n % 3}"} for n in range(1200)]
        self.assertEqual(self.bulk(lines, program, "--queue", "many")[:2], (0, "enqueued 1200\n"))
        status, out, _ = self.bulk(lines[:3] + [{"id": "new", "data": {"n": 1}, "tenant": "t0"}], program)
        self.assertEqual((status, out), (0, "enqueued 1, there already 3: r0, r1, r2\n"))
        status, out, _ = self.bulk(lines[:2], program, "--json")
        self.assertEqual([json.loads(line) for line in out.splitlines()],
                         [{"id": "r0", "line": 1, "is_new": False}, {"id": "r1", "line": 2, "is_new": False},
                          {"enqueued": 0, "there": 2}])
        queues = [json.loads(line) for line in self.ok("queue", "ls", "--store", self.store, "--json").splitlines()]
        self.assertEqual([(q["queue"], q["ready"]) for q in queues], [("default", 1), ("many", 1200)])

    def test_every_member_counts(self):
        lines = [{"id": "first", "source": "1"},
                 {"id": "a", "file": self.file("p.ptc", "(+ data/n 1)"), "queue": "q", "tenant": "", "priority": -3,
                  "in": "2h", "attempts": 4, "after": ["first"], "needs": ["mail"], "data": {"n": 1},
                  "signature": ":int", "limits": {"fuel": 5000}},
                 {"id": "b", "source": "1", "name": "b.ptc", "at": "2126-01-01T00:00:00Z"}]
        self.assertEqual(self.bulk(lines)[:2], (0, "enqueued 3\n"))
        runs = self.runs()
        self.assertEqual((runs["a"]["queue"], runs["a"]["queue_state"], runs["a"]["priority"]), ("q", "blocked", -3))
        self.assertEqual(runs["b"]["queue_state"], "timer")

    def test_a_line_that_is_refused_is_named_and_what_came_before_is_in(self):
        for line, said in (({"id": "x", "source": "1", "prio": 1}, '"prio" is no member of a job; there are id, file'),
                           ({"source": "1"}, 'has no "id"'), ({"id": "x"}, "has no program"), ("{", "is no JSON"),
                           ({"id": "x", "source": "1", "priority": 1.5}, '"priority" must be a whole number'),
                           ({"id": "x", "source": "1", "in": "soon"}, '"in" must be a span'),
                           ({"id": "x", "source": "1", "limits": {"speed": 1}}, '"limits" has no limit "speed"'),
                           ({"id": "x", "source": "1", "in": "2h", "at": "2126-01-01"}, 'has "in" and "at": give one'),
                           ({"id": "x", "source": "1", "needs": [""]}, '"needs" has an empty text'),
                           ({"id": "x", "source": "1", "after": [""]}, '"after" has an empty text'),
                           ({"id": "x\0y", "source": "1"}, '"id" has a NUL character'),
                           ({"id": "x", "source": "1", "needs": ["a\0"]}, '"needs" has a text with a NUL character'),
                           ({"id": "x", "source": "1", "tenant": "a\0"}, '"tenant" has a NUL character'),
                           ({"id": "x", "source": "1", "file": "p"}, "p")):
            status, _, err = self.bulk([{"id": "good", "source": "1"}, line])
            self.assertEqual(status, 65, line)
            self.assertIn("jobs.jsonl: line 2 ", err)
            self.assertIn(said, err)
        status, _, err = self.bulk([{"id": "fine", "source": "1"}, {"id": "bad", "source": "(+ 1"},
                                    {"id": "after", "source": "1"}])
        self.assertEqual(status, 65)
        self.assertIn("jobs.jsonl: line 2 is refused (enqueued 1)", err)
        self.assertEqual(set(self.runs()), {"good", "fine"})

    def test_a_moment_of_a_line_counts_and_not_the_delay_of_the_command(self):
        self.assertEqual(self.bulk([{"id": "a", "source": "1", "at": "2001-01-01"}, {"id": "b", "source": "1"}],
                                   "--in", "2h")[:2], (0, "enqueued 2\n"))
        runs = self.runs()
        self.assertEqual([runs[name]["queue_state"] for name in "ab"], ["ready", "timer"])
        self.assertEqual(ptcvm("enqueue", self.file("p.ptc", "1"), "c", "--store", self.store, "--in", "2h", "--at",
                               "2126-01-01")[0], 2)


class Tools(WorkerTest):
    def test_commands_processes_that_stay_and_operations(self):
        stays = self.file("stays.py", "import json, sys\n"
                          "for line in sys.stdin:\n"
                          "    asked = json.loads(line)\n"
                          "    print(json.dumps({'id': asked['id'], 'value': [asked['args']['n'], "
                          "asked['fencing_token']]}), flush=True)\n")
        tools = self.file("tools.json", json.dumps([
            {"name": "twice", "command": [sys.executable, stays], "process": "stays", "in_flight": 4},
            {"name": "ask", "mode": "async"}, {"name": "echo", "command": ["cat"]}]))
        for n in range(6):
            self.enqueue(f"r{n}", f"[(tool/twice {{:n {n}}}) (pmap (fn [k] (tool/echo {{:k k}})) (range 3))]")
        self.enqueue("waits", '(await (tool/ask {:q "go?"}))')
        events = self.work("--tools", tools, "--slots", "3")
        self.assertEqual(events.count("ended"), 6)
        self.assertEqual(self.runs()["waits"]["queue_state"], "waiting")
        shown = self.ok("run", self.file("r0.ptc", self.lines_of(self.folder.name + "/r0.ptc")[0]), "--store",
                        self.store, "--id", "r0", "--tools", tools)
        self.assertEqual(shown, '[[0 1] [{"k" 0} {"k" 1} {"k" 2}]]\n')
        self.ok("resolve", "waits", "op1", "true", "--store", self.store)
        self.assertEqual(self.runs()["waits"]["queue_state"], "ready")
        self.assertIn("ended", self.work("--tools", tools))

    def test_a_run_whose_tools_a_worker_lacks_is_left_alone(self):
        self.enqueue("a", "(tool/mail {})")
        self.enqueue("b", "1", "--need", "gpu")
        self.assertNotIn("claimed", self.work())
        self.assertIn("ended", self.work("--tool", "mail=true", "--tool", "gpu=true"))

    def test_a_tool_that_takes_longer_than_the_lease_keeps_its_run(self):
        ledger, tool = self.ledger_tool(after="sleep 7")
        self.enqueue("a", "(tool/pay {:i 7})")
        first, second = (self.worker("--lease", "3s", *tool) for _ in range(2))
        self.until_runs(lambda runs: runs["a"]["queue_state"] == "done")
        events = first.stop() + second.stop()
        self.assertEqual(events.count("claimed"), 1)
        self.assertNotIn("rescued", events)
        self.assertEqual(len(self.lines_of(ledger)), 1)
        self.assertTrue(self.lines_of(ledger)[0].endswith(" 1"), "the first claim")

    def test_a_failure_is_tried_again_with_its_key(self):
        ledger, tool = self.ledger_tool(after='[ $(wc -l < "$0") -ge 2 ] || exit 1')
        tool = (tool[0], tool[1].replace('"$0"', f'"{ledger}"'))
        self.enqueue("a", "(tool/pay {:i 7})")
        worker = self.worker(*tool, "--tool-effect", "pay=keyed")
        failed = worker.until("failed")
        self.assertIn("tool_error", failed["text"])
        status, _, err = ptcvm("runs", "retry", "a", "--store", self.store)
        if status != 0:
            self.assertIn("a is done", err, "the timer of the job was faster")
        self.until_runs(lambda runs: runs["a"]["queue_state"] == "done")
        worker.stop()
        first, second = self.lines_of(ledger)
        self.assertEqual(first.split()[0], second.split()[0])
        self.assertLess(int(first.split()[1]), int(second.split()[1]), "the token grows")


class Stops(WorkerTest):
    def test_a_drain_parks_in_the_middle_and_another_worker_goes_on(self):
        ledger, tool = self.ledger_tool("begin")
        self.enqueue("a", LONG)
        first = self.worker(*tool)
        self.until_lines(ledger, 1)
        first.until("claimed")
        events = first.stop()
        self.assertIn("parked", events)
        self.assertEqual(self.runs()["a"]["queue_state"], "ready")
        self.assertIn("ended", self.work(*tool))
        self.assertEqual(len(self.lines_of(ledger)), 1, "the call is not made again")
        self.assertEqual(self.ok("run", self.folder.name + "/a.ptc", "--store", self.store, "--id", "a", *tool),
                         f"{sum(range(30000000))}\n")

    def test_a_drain_waits_for_tools(self):
        ledger, tool = self.ledger_tool(after="sleep 1")
        self.enqueue("a", "(+ 1 (tool/pay {:i 7}))")
        worker = self.worker(*tool)
        self.until_lines(ledger, 1)
        self.assertNotIn("abandoned", worker.stop())
        self.work(*tool)
        self.assertEqual(self.runs()["a"]["queue_state"], "done")
        self.assertEqual(len(self.lines_of(ledger)), 1)

    def abandoned(self, effect, *words, signals=1):
        ledger, tool = self.ledger_tool(after='[ -e "$0.go" ] || exec sleep 1000')
        tool = (tool[0], tool[1].replace('"$0.go"', f'"{ledger}.go"'), "--tool-effect", "pay=" + effect)
        self.enqueue("a", "(+ 1 (tool/pay {:i 7}))")
        worker = self.worker(*tool, *words)
        self.until_lines(ledger, 1)
        for _ in range(signals):
            worker.send(signal.SIGTERM)
            if signals > 1:
                worker.until("draining")
                signals = 1
        self.assertIn("abandoned", worker.ended())
        self.file("pay.ledger.go", "")
        self.work(*tool)
        return len(self.lines_of(ledger)), self.runs()["a"]

    def test_a_drain_that_takes_too_long_leaves_the_call_to_its_effect_class(self):
        calls, run = self.abandoned("idempotent", "--drain", "100ms")
        self.assertEqual((calls, run["queue_state"]), (2, "done"))

    def test_an_unsafe_call_that_is_left_is_in_doubt(self):
        calls, run = self.abandoned("unsafe", "--drain", "100ms")
        self.assertEqual((calls, run["state"], run["queue_state"]), (1, "in doubt", "waiting"))
        doubt = json.loads(self.ok("doubt", "list", "a", "--store", self.store, "--json"))
        self.ok("doubt", "settle", "a", doubt["key"], "--happened", "7", "--store", self.store)
        self.assertIn("ended", self.work("--tool", "pay=false"))

    def test_a_second_signal_waits_for_no_call(self):
        calls, run = self.abandoned("idempotent", "--drain", "1h", signals=2)
        self.assertEqual((calls, run["queue_state"]), (2, "done"))

    def test_a_cancelled_run_shows_its_calls_in_doubt(self):
        place = os.path.join(self.folder.name, "called")
        self.enqueue("a", '(task "t" (tool/pay {}))')
        first = self.worker("--lease", "1s", "--tool-shell", f"pay=echo $$ > {place}; exec sleep 1000")
        first.until("claimed")
        while not os.path.exists(place) or os.path.getsize(place) == 0:
            time.sleep(0.01)
        first.kill()
        with open(place, encoding="ascii") as pid:
            os.kill(int(pid.read()), signal.SIGKILL)
        self.ok("runs", "cancel", "a", "--reason", "no", "--store", self.store)
        second = self.worker()
        second.until("rescued")
        second.stop()
        run = self.runs()["a"]
        self.assertEqual((run["state"], run["waits_for"]), ("cancelled", "a/task:t#0"))

    def test_a_worker_that_is_killed_loses_its_run_to_another_one(self):
        ledger, tool = self.ledger_tool(after=f'[ -e "{self.folder.name}/go" ] || exec sleep 1000')
        tool += ("--tool-effect", "pay=keyed")
        self.enqueue("a", "(+ 1 (tool/pay {:i 7}))")
        first = self.worker("--lease", "1s", *tool)
        self.until_lines(ledger, 1)
        first.kill()
        self.file("go", "")
        second = self.worker("--lease", "2s", *tool)
        self.assertEqual(second.until("rescued")["run"], "a")
        second.until("ended", run="a")
        second.stop()
        first, again = self.lines_of(ledger)
        self.assertEqual(first.split()[0], again.split()[0], "the same key")
        self.assertLess(int(first.split()[1]), int(again.split()[1]), "a larger token")

    def stopped_in_its_tool(self, effect):
        """(ledger, first, second): the first worker is stopped in a tool of run a, which waits for the file go; the
        second one takes the run over when the lease of the first is over."""
        ledger, tool = self.ledger_tool(after=f'while ! [ -e "{self.folder.name}/go" ]; do sleep 0.05; done')
        tool += ("--tool-effect", "pay=" + effect)
        self.enqueue("a", "(+ 1 (tool/pay {:i 7}))")
        first = self.worker("--lease", "1s", "--health", "0", *tool)
        self.until_lines(ledger, 1)
        first.freeze(self.store)
        return ledger, first, self.worker("--lease", "60s", *tool)

    def test_a_worker_that_was_stopped_past_its_lease_is_refused(self):
        ledger, first, second = self.stopped_in_its_tool("keyed")
        second.until("rescued", run="a")
        self.until_lines(ledger, 2)
        first.send(signal.SIGCONT)
        first.until("lease_lost")
        self.file("go", "")
        first.until("lost", run="a")
        second.until("ended", run="a")
        self.assertGreater(first.metric("ptcvm_worker_fenced_writes_total"), 0)
        self.assertEqual(first.metric("ptcvm_worker_lost_total"), 1)
        first.stop()
        second.stop()
        self.assertEqual(self.runs()["a"]["queue_state"], "done")

    def test_the_answer_of_a_worker_that_was_stopped_settles_the_doubt(self):
        ledger, first, second = self.stopped_in_its_tool("unsafe")
        second.until("in_doubt", run="a")
        self.assertEqual(self.runs()["a"]["state"], "in doubt")
        self.file("go", "")
        first.send(signal.SIGCONT)
        self.assertIn("settles the doubt", first.until("lost", run="a")["text"])
        self.until_runs(lambda runs: runs["a"]["state"] == "ended ok")   # by either of them: the first one joins again
        self.assertEqual(first.metric("ptcvm_worker_healed_doubts_total"), 1)
        first.stop()
        second.stop()
        self.assertEqual(len(self.lines_of(ledger)), 1, "an unsafe call is made once")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
