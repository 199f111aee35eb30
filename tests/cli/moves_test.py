#!/usr/bin/env python3
"""Runs that go to another store, forks and copies, as a user types them: between files and databases.

usage: moves_test.py PTCVM   (the program under test)"""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import unittest

from postgres_server import PostgresServer
from ptcvm_process import PTCVM, ptcvm
from worker_process import WorkerTest

SERVER = None
ORDER = """(task "reserve" (tool/reserve {:order 17}))
(let [answer (await (tool/approve {:order 17}))]
  (if answer (tool/pay {:order 17}) "refused"))"""


def setUpModule():
    global SERVER
    SERVER = PostgresServer()


def tearDownModule():
    SERVER.stop()


class MoveTest(WorkerTest):
    """A run that waits, and tools that write a ledger."""
    databases = 0

    def setUp(self):
        super().setUp()
        self.ledger = self.file("ledger", "")
        shell = f'echo "$PTCVM_IDEMPOTENCY_KEY $PTCVM_FENCING_TOKEN" >> "{self.ledger}"; echo \'"ok"\''
        tools = [{"name": name, "command": ["sh", "-c", shell], "effect": "keyed"} for name in ("reserve", "pay")]
        self.tools = ("--tools", self.file("tools.json", json.dumps([*tools, {"name": "approve", "mode": "async"}])))
        self.program = self.file("order.ptc", ORDER)

    def database(self):
        MoveTest.databases += 1
        url = SERVER.new_database(f"runs{MoveTest.databases}")
        self.ok("store", "migrate", "--store", url)
        return url

    def other(self, name="other.db"):
        return self.folder.name + "/" + name

    def begin(self, store, run="order-17"):
        status, _, err = ptcvm("run", self.program, *self.tools, "--store", store, "--id", run)
        self.assertEqual(status, 75, err)

    def finish(self, store, run="order-17"):
        self.ok("resolve", run, "op1", "true", "--store", store)
        self.assertEqual(self.ok("resume", run, "--store", store, *self.tools), '"ok"\n')

    def move(self, store, to, run="order-17", *words):
        return self.ok("runs", "move", run, "--store", store, "--to", to, *words)

    def refused(self, *words, status=65):
        found, out, err = ptcvm(*words)
        self.assertEqual((found, out), (status, ""), err)
        return err

    def state(self, store, run="order-17"):
        lines = self.ok("runs", "--store", store, "--json").splitlines()
        return {line["id"]: line["state"] for line in map(json.loads, lines)}.get(run)

    def keys(self):
        return [line.split()[0] for line in self.lines_of(self.ledger)]


class Moves(MoveTest):
    def pairs(self):
        return ((self.store, self.other()), (self.other("a.db"), self.database()),
                (self.database(), self.other("b.db")), (self.database(), self.database()))

    def test_a_parked_run_goes_on_in_the_other_store(self):
        for store, to in self.pairs():
            with self.subTest(store=store, to=to):
                before = len(self.keys())
                self.begin(store)
                self.assertIn("order-17 is in ", self.move(store, to))
                self.assertEqual(self.state(to), "waiting")
                self.assertIn("moved to ", self.state(store))
                self.finish(to)
                keys = self.keys()[before:]
                self.assertEqual(len(keys), 2, "each call was made once")
                self.assertEqual(len(set(keys)), 2)

    def test_the_old_store_refuses_it_by_name_and_says_where_it_is(self):
        for store, to in self.pairs():
            with self.subTest(store=store, to=to):
                self.begin(store)
                self.move(store, to)
                for words in (("resume", "order-17", *self.tools), ("resolve", "order-17", "op1", "true"),
                              ("run", self.program, "--id", "order-17", *self.tools)):
                    err = self.refused(*words, "--store", store)
                    self.assertIn("run_moved: the run order-17 was moved to ", err)
                    self.assertIn(to.split("?")[0].split("@")[-1], err)
                    self.assertIn("give the command with --store of it", err)
                self.assertNotIn("add --tool", self.refused("resume", "order-17", "--store", store))
                self.assertIn("moved before", self.move(store, to), "again is no harm")
                self.assertIn("run_moved", self.refused("runs", "move", "order-17", "--store", store, "--to",
                                                        self.other("third.db")))
                self.assertIsNone(self.state(self.other("third.db")))

    def test_there_and_back(self):
        url = self.database()
        self.begin(self.store)
        for _ in range(2):
            self.move(self.store, url)
            self.move(url, self.store)
        self.assertEqual(self.state(self.store), "waiting")
        self.finish(self.store)
        tokens = [int(line.split()[1]) for line in self.lines_of(self.ledger)]
        self.assertLess(tokens[0], tokens[1], "the number that fences has grown")

    def test_a_job_that_nobody_has_begun_is_queued_in_the_other_store_and_has_left_the_first(self):
        self.enqueue("later", "1", "--in", "1h")
        self.move(self.store, self.other(), "later")
        self.assertEqual(self.state(self.other(), "later"), "queued")
        for words in (("cancel", "later", "--reason", "x"), ("retry", "later")):
            self.assertIn("was moved to", self.refused("runs", *words, "--store", self.store))

    def test_a_job_goes_with_its_run(self):
        url = self.database()
        self.enqueue("job", ORDER, "--tenant", "acme", "--queue", "orders")
        self.assertIn("store_wrong_tenant",
                      self.refused("runs", "move", "job", "--store", self.store, "--to", url, "--tenant", "evil"))
        self.move(self.store, url, "job", "--tenant", "acme")
        self.assertEqual(self.work("--queue", "orders", *self.tools), ["joined", "draining", "left"])
        err = self.refused("enqueue", self.program, "--store", self.store, "--id", "job", "--tenant", "acme")
        self.assertIn("run_moved", err)
        self.store = url
        self.assertIn("waiting", self.work("--queue", "orders", *self.tools))
        self.ok("resolve", "job", "op1", "true", "--tenant", "acme", "--store", url)
        self.assertIn("ended", self.work("--queue", "orders", *self.tools))

    def test_a_run_that_is_executed_is_refused_or_waited_for(self):
        slow = self.file("slow.ptc", "(tool/slow {})")
        gate = self.folder.name + "/gate"
        tool = ("--tool-shell", f'slow=touch {gate}.begun; until [ -e {gate} ]; do sleep 0.02; done; echo 1')
        with subprocess.Popen([PTCVM, "run", slow, *tool, "--store", self.store, "--id", "r"],
                              stdout=subprocess.DEVNULL) as process:
            while not os.path.exists(gate + ".begun"):
                pass
            err = self.refused("runs", "move", "r", "--store", self.store, "--to", self.other(), status=69)
            self.assertIn("is being executed by", err)
            with subprocess.Popen([PTCVM, "runs", "move", "r", "--store", self.store, "--to", self.other(), "--wait",
                                   "60s"], stdout=subprocess.PIPE, text=True) as mover:
                open(gate, "w", encoding="utf-8").close()
                self.assertIn("r is in ", mover.communicate(timeout=240)[0])
            self.assertEqual(process.wait(timeout=240), 0)
        self.assertEqual(self.state(self.other(), "r"), "ended ok")

    def test_a_mover_that_is_killed_is_ended_by_the_same_command(self):
        url = self.database()
        command = [PTCVM, "runs", "move", "order-17", "--store", self.store, "--to", url]
        self.begin(self.store)
        for _ in range(15):
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as mover:
                try:
                    mover.wait(timeout=0.002 * (_ + 1))
                except subprocess.TimeoutExpired:
                    mover.send_signal(signal.SIGKILL)
            here, there = self.state(self.store), self.state(url)
            self.assertFalse(here == "waiting" and there == "waiting", (here, there))
        self.move(self.store, url, "order-17", "--wait", "30s")
        self.assertEqual(self.state(url), "waiting")
        self.finish(url)
        self.assertEqual(len(self.keys()), 2)

    def test_hostile_targets_are_refused_by_name_and_change_nothing(self):
        self.begin(self.store)
        link = self.other("link.db")
        os.symlink(self.store, link)
        for target in (self.store, link):
            self.assertIn("same_store", self.refused("runs", "move", "order-17", "--store", self.store, "--to", target))
        self.begin(self.other())
        for command in ("move", "pull"):
            err = self.refused("runs", command, "order-17", "--store", self.store, "--to", self.other())
            self.assertIn("run_exists", err)
        newer = self.other("newer.db")
        self.ok("eval", "1", "--store", newer, "--id", "x")
        with sqlite3.connect(newer) as file:
            file.execute("PRAGMA user_version = 99")
        self.assertIn("version 99", self.refused("runs", "move", "order-17", "--store", self.store, "--to", newer))
        self.assertIn("not a database", self.refused("runs", "move", "order-17", "--store", self.store, "--to",
                                                  self.file("text.db", "not a database, and longer than a header")))
        url = SERVER.new_database("unmade")
        self.assertIn("ptcvm store migrate",
                      self.refused("runs", "move", "order-17", "--store", self.store, "--to", url))
        for run in ("none", "' OR 1=1; DROP TABLE run; --"):
            self.assertIn("run_missing", self.refused("runs", "move", run, "--store", self.store, "--to",
                                                      self.other("empty.db")))
        self.assertEqual(self.state(self.store), "waiting")
        self.finish(self.store)

    def test_a_sealed_run_goes_to_sealed_stores_and_nowhere_else(self):
        ring, other_ring = self.other("ring"), self.other("ring2")
        for each in (ring, other_ring):
            self.ok("keys", "new", each, "--id", "k")
        keys = ("--keys", ring)
        status, _, err = ptcvm("run", self.program, *self.tools, "--store", self.store, "--id", "s", *keys)
        self.assertEqual(status, 75, err)
        self.assertIn("keys_needed", self.refused("runs", "move", "s", "--store", self.store, "--to", self.other()))
        database = self.database()
        self.move(self.store, database, "s", *keys)
        self.assertIn("keys_needed", self.refused("runs", "move", "s", "--store", database, "--to", self.other()))
        self.move(database, self.other("sealed.db"), "s", *keys)
        lines = self.ok("runs", "--store", self.other("sealed.db"), "--json", *keys).splitlines()
        self.assertEqual([json.loads(line)["state"] for line in lines], ["waiting"])
        self.ok("resolve", "s", "op1", "true", "--store", self.other("sealed.db"), *keys)
        self.assertEqual(self.ok("resume", "s", "--store", self.other("sealed.db"), *self.tools, *keys), '"ok"\n')


class Forks(MoveTest):
    def test_a_fork_has_its_own_keys_and_the_answers_of_before(self):
        for store in (self.store, self.database()):
            with self.subTest(store=store):
                before = len(self.keys())
                self.begin(store)
                facts = self.ok("journal", "export", "order-17", "--store", store).splitlines()
                last = next(json.loads(line)["seq"] for line in facts if json.loads(line)["kind"] == "task_committed")
                out = self.ok("runs", "fork", "order-17", "--at", str(last), "--id", "again", "--store", store)
                self.assertIn(f"again has the first {last} facts of order-17", out)
                self.assertEqual(ptcvm("resume", "again", "--store", store, *self.tools)[0], 75)
                self.assertEqual(len(self.keys()) - before, 1, "the answer of reserve is in the log")
                self.finish(store, "again")
                self.finish(store)
                keys = self.keys()[before:]
                self.assertEqual(len(keys), 3)
                self.assertEqual(len({key for key in keys if key.startswith("run:again@")}), 1, keys)
                self.assertEqual(len({key for key in keys if key.startswith("run:order-17@")}), 1, keys)

    def test_a_fork_from_the_first_fact_does_everything_again_under_other_keys(self):
        self.begin(self.store)
        self.ok("runs", "fork", "order-17", "--at", "1", "--id", "a/b", "--store", self.store)
        self.assertEqual(ptcvm("resume", "a/b", "--store", self.store, *self.tools)[0], 75)
        keys = self.keys()
        self.assertEqual(len(set(keys)), 2)
        self.assertTrue(keys[1].startswith("a~1b/task:reserve"), keys)

    def test_an_unsafe_call_that_was_open_is_in_doubt(self):
        program = self.file("unsafe.ptc", "[(tool/wire {}) (await (tool/approve {}))]")
        tools = ("--tool-shell", f'wire=echo x >> "{self.ledger}"; echo 1', "--async-tool", "approve")
        self.assertEqual(ptcvm("run", program, *tools, "--store", self.store, "--id", "r")[0], 75)
        facts = self.ok("journal", "export", "r", "--store", self.store).splitlines()
        intent = next(json.loads(line)["seq"] for line in facts if json.loads(line)["kind"] == "intent")
        self.ok("runs", "fork", "r", "--at", str(intent), "--id", "f", "--store", self.store)
        status, out, _ = ptcvm("resume", "f", "--store", self.store, *tools)
        self.assertEqual(status, 75)
        self.assertIn('"in_doubt"', out)
        self.assertEqual(len(self.lines_of(self.ledger)), 1, "the fork did not make the call")

    def test_what_makes_no_sense_is_refused_by_name(self):
        self.begin(self.store)
        for run, at, new, name in (("order-17", "1000", "n", "no_fact"), ("none", "1", "n", "run_missing"),
                                   ("order-17", "1", "order-17", "run_exists")):
            self.assertIn(name, self.refused("runs", "fork", run, "--at", at, "--id", new, "--store", self.store))
        self.assertEqual(ptcvm("runs", "fork", "order-17", "--id", "n", "--store", self.store)[0], 2)


class Pulls(MoveTest):
    def test_a_parked_run_of_production_goes_on_on_a_laptop_without_effects(self):
        for number, store in enumerate((self.store, self.database())):
            with self.subTest(store=store):
                file = self.other(f"laptop{number}.db")
                self.begin(store)
                before = self.ok("journal", "export", "order-17", "--store", store)
                calls = self.keys()
                self.assertIn("copied for reading", self.ok("runs", "pull", "order-17", "--store", store, "--to", file))
                self.assertEqual(self.state(file), "copy")
                recorded = ("resume", "order-17", "--store", file, *self.tools, "--recorded")
                self.assertEqual(ptcvm(*recorded)[0], 75, "it waits for its answer here, too")
                status, out, err = ptcvm(*recorded, "--resolve", "op1=true")
                self.assertEqual((status, out), (65, ""))
                self.assertIn('no_recorded_answer: the log of order-17 has no answer for (tool/pay {"order" 17})', err)
                self.assertEqual(ptcvm(*recorded, "--resolve", "op1=false")[:2], (0, '"refused"\n'))
                self.assertEqual(self.state(file), "copy", "nothing was written")
                self.assertIn("run_is_copy", self.refused("resume", "order-17", "--store", file, *self.tools))
                self.assertIn("run_is_copy", self.refused("runs", "move", "order-17", "--store", file, "--to",
                                                          self.other("elsewhere.db")))
                self.assertEqual(self.keys(), calls, "no tool was called")
                self.assertEqual(self.ok("journal", "export", "order-17", "--store", store), before)
                self.finish(store)

    def test_a_copy_takes_no_answers(self):
        file = self.other()
        self.begin(self.store)
        self.ok("runs", "pull", "order-17", "--store", self.store, "--to", file)
        before = self.ok("journal", "export", "order-17", "--store", file)
        for words in (("resolve", "order-17", "op1", "true"), ("resolve", "order-17", "op1", "--fail", "no"),
                      ("journal", "put", "order-17", "x", "1", "--force"),
                      ("journal", "reset", "order-17", "reserve", "--reason", "again"),
                      ("resume", "order-17", *self.tools, "--resolve", "op1=true")):
            self.assertIn("run_is_copy", self.refused(*words, "--store", file), words)
        self.ok("progress", "order-17", "--store", file)
        self.assertEqual(self.state(file), "copy", "nothing has woken it")
        self.assertEqual(self.ok("journal", "export", "order-17", "--store", file), before)

    def test_a_copy_of_a_run_that_has_ended_is_listed_as_a_copy(self):
        for number, store in enumerate((self.store, self.database())):
            file = self.other(f"{number}.db")
            self.ok("run", self.file("one.ptc", "1"), "--store", store, "--id", "one")
            self.ok("runs", "pull", "one", "--store", store, "--to", file)
            self.assertEqual((self.state(store, "one"), self.state(file, "one")), ("ended ok", "copy"))

    def test_a_doubt_in_a_copy_is_not_settled(self):
        file = self.other()
        die = [{"name": "pay", "command": ["sh", "-c", "kill -9 $PPID"], "effect": "unsafe"}]
        ptcvm("run", self.file("pay.ptc", "(tool/pay {:order 17})"), "--tools", self.file("d.json", json.dumps(die)),
              "--store", self.store, "--id", "order-17")
        self.ok("runs", "pull", "order-17", "--store", self.store, "--to", file)
        for store, status in ((file, 65), (self.store, 0)):
            found, _, err = ptcvm("doubt", "settle", "order-17", "--did-not", "--store", store)
            self.assertEqual((found, "run_is_copy" in err), (status, status != 0), err)

    def test_the_log_answers_what_the_snapshot_does_not_have(self):
        self.begin(self.store)
        self.ok("resolve", "order-17", "op1", "true", "--store", self.store)
        stops = self.folder.name + "/stops"
        failing = [{"name": "reserve", "command": ["true"], "effect": "keyed"}, {"name": "approve", "mode": "async"},
                   {"name": "pay", "command": ["sh", "-c", f"echo '\"paid\"'; echo x >> {stops}"], "effect": "keyed"}]
        tools = ("--tools", self.file("log.json", json.dumps(failing)))
        self.assertEqual(self.ok("resume", "order-17", "--store", self.store, *tools), '"paid"\n')
        facts = self.ok("journal", "export", "order-17", "--store", self.store).splitlines()
        whole = self.other("whole.jsonl")
        with open(whole, "w", encoding="utf-8") as out:   # as if it had died before its end
            out.writelines(line + "\n" for line in facts if json.loads(line)["kind"] != "turn_ended")
        self.ok("journal", "import", whole, "--store", self.other(), "--id", "order-17")
        self.assertEqual(self.ok("resume", "order-17", "--store", self.other(), *tools, "--recorded"), '"paid"\n')
        self.assertEqual(len(self.lines_of(stops)), 1, "the answer of pay is in the log")

    def test_an_open_call_is_not_made_and_its_tool_is_not_asked(self):
        program = self.file("p.ptc", "(tool/act {:n 1})")
        asked = self.folder.name + "/asked"
        for effect in ("keyed", "unsafe", "reconcilable"):
            with self.subTest(effect=effect):
                made = self.folder.name + "/made-" + effect
                tools = ["--tool-shell", f"act=touch {made}; kill -9 $PPID; sleep 5", "--tool-effect", "act=" + effect]
                if effect == "reconcilable":
                    tools += ["--tool-reconcile", f"act=touch {asked}"]
                status = ptcvm("run", program, *tools, "--store", self.store, "--id", effect)[0]
                self.assertEqual(status, -signal.SIGKILL)
                os.remove(made)
                status, out, err = ptcvm("resume", effect, "--store", self.store, *tools, "--recorded")
                self.assertIn("no_recorded_answer" if effect == "keyed" else '"in_doubt"', out + err)
                self.assertEqual(status, 65 if effect == "keyed" else 75)
                self.assertFalse(os.path.exists(made))
                self.assertFalse(os.path.exists(asked))

    def test_pure_tools_are_called(self):
        program = self.file("p.ptc", "(let [n (await (tool/approve {}))] (+ n (tool/two {})))")
        tools = ("--async-tool", "approve", "--tool-shell", "two=echo 2", "--tool-effect", "two=pure")
        self.assertEqual(ptcvm("run", program, *tools, "--store", self.store, "--id", "r")[0], 75)
        self.assertEqual(self.ok("resume", "r", "--store", self.store, *tools, "--recorded", "--resolve", "op1=40"),
                         "42\n")

    def test_recorded_needs_no_tools(self):
        self.begin(self.store)
        self.ok("runs", "pull", "order-17", "--store", self.store, "--to", self.other())
        recorded = ("resume", "order-17", "--store", self.other(), "--recorded")
        self.assertEqual(ptcvm(*recorded)[0], 75)
        self.assertEqual(ptcvm(*recorded, "--resolve", "op1=false")[:2], (0, '"refused"\n'))
        _, _, err = ptcvm(*recorded, "--resolve", "op1=true")
        self.assertIn('no_recorded_answer: the log of order-17 has no answer for (tool/pay {"order" 17})', err)

    def test_recorded_needs_a_store(self):
        status, _, err = ptcvm("resume", "s.ptcs", "--recorded")
        self.assertEqual(status, 2)
        self.assertIn("--store", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
