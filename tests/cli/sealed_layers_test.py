#!/usr/bin/env python3
"""Agents, tasks and conversations in a sealed store: each command goes on with the ring, and refuses a changed log.

usage: sealed_layers_test.py PTCVM   (the program under test)"""
import json
import os
import shutil
import sqlite3
import unittest

from ptcvm_process import CommandLineTest, ptcvm

AGENT = {"name": "p", "prompt": "Pay Ann.", "signature": "() -> {receipt :string}",
         "tools": [{"name": "pay", "signature": "(to :string) -> :string", "description": "Pays", "effect": "keyed"}]}
PAYS = {"program": '(return {:receipt (tool/pay {:to "ann"})})'}
INTENT = json.dumps({"category": "action", "summary": "Greet", "complexity": "simple"})
PLAN = {"steps": [{"id": "a", "type": "action", "description": "do a", "tool": "say", "requiresConfirmation": True}]}
SAY = {"name": "say", "signature": "(text :string?) -> :any", "description": "says", "effect": "keyed",
       "command": ["sh", "-c", "cat > /dev/null; echo '\"hello\"'"]}
ASKS = '(let [at (ask "When?" {:qid "q1"})] (propose {:type :compose_intent :text (str "At " at)}))'

OF = "run = (SELECT id FROM run WHERE log = :log)"
# What somebody without the ring does to the facts of a log, and the name under which the log is refused. The second
# log belongs to the same ring and tenant.
CHANGES = {
    "an edited fact": ("fact_changed", f"UPDATE fact SET body = zeroblob(length(body)) WHERE {OF} AND seq = 2"),
    "a fact of another log": ("fact_changed", f"UPDATE fact SET body = (SELECT body FROM fact WHERE seq = 1 AND "
                              f"run = (SELECT id FROM run WHERE log = :other)) WHERE {OF} AND seq = 2"),
    "a fact without its key": ("fact_changed", f"UPDATE fact SET key = NULL WHERE {OF} AND key IS NOT NULL"),
    "a dropped end": ("fact_missing", f"DELETE FROM fact WHERE {OF} AND seq = (SELECT max(seq) FROM fact WHERE {OF})"),
    "a dropped fact": ("fact_missing", f"DELETE FROM fact WHERE {OF} AND seq = 2"),
    "swapped facts": ("fact_changed", f"UPDATE fact SET seq = -seq WHERE {OF} AND seq IN (1, 2)",
                      f"UPDATE fact SET seq = 3 + seq WHERE {OF} AND seq < 0"),
    "an added fact": ("fact_changed", f"INSERT INTO fact (run, seq, body, key, rank, time_ms) SELECT run, 1 + (SELECT "
                      f"max(seq) FROM fact WHERE {OF}), body, NULL, rank, time_ms FROM fact WHERE {OF} AND seq = 1"),
    "the log of another": ("wrong_run", "UPDATE run SET log = 'nobody' WHERE log = :log",
                           "UPDATE run SET log = :log WHERE log = :other"),
    "no seal": ("not_sealed", "UPDATE run SET seal = NULL WHERE log = :log"),
}


class SealedLayers(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store, self.ring = self.place("s.db"), self.place("ring.json")
        self.assertEqual(ptcvm("keys", "new", self.ring, "--id", "a")[0], 0)
        self.seal = ("--keys", self.ring, "--tenant", "acme")

    def place(self, name):
        return os.path.join(self.folder.name, name)

    def json(self, name, document):
        return self.file(name, json.dumps(document))

    def script(self, *replies):
        lines = [reply if isinstance(reply, dict) and "program" in reply else
                 {"text": reply if isinstance(reply, str) else json.dumps(reply)} for reply in replies]
        return "scripted:" + self.file("script.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def command(self, *words, seal=None):
        return ptcvm(*words, "--store", self.store, *(self.seal if seal is None else seal))

    def begin(self, *words, status=75):
        got, _, err = self.command(*words)
        self.assertEqual(got, status, err)

    def assert_refused(self, answer, name, about, own=("none", 0, 0)):
        """Only a command of harness has a line, and it tells nothing but what its own conversation waits for."""
        status, out, err = answer
        told = [(line["status"], line["facts"], line["seq"]) for line in map(json.loads, out.splitlines())]
        self.assertEqual((status, told), (65, [own][:len(told)]), (about, out, err))
        self.assertIn(name, err, about)

    def refuse_everywhere(self, log, other, commands, **own):
        """Each change of the log is refused by its name, by one in four of the commands in turn."""
        good = self.place("good.db")
        shutil.copyfile(self.store, good)
        for turn, (what, (name, *statements)) in enumerate(CHANGES.items()):
            shutil.copyfile(good, self.store)
            database = sqlite3.connect(self.store)
            with database:
                for statement in statements:
                    changed = database.execute(statement, {"log": log, "other": other}).rowcount
                    self.assertGreater(changed, 0, (log, what))
            database.close()
            for words in commands[turn % 4::4] or commands[:1]:
                self.assert_refused(self.command(*words), name, (log, what, words), **own)
            status, out, err = self.command("runs", "--json", "--parts")
            states = {line["id"]: line["state"] for line in map(json.loads, out.splitlines())}
            self.assertEqual((status, states[log]), (65, "refused " + name), (log, what, err))
        shutil.copyfile(good, self.store)

    def refuse_others(self, commands):
        """Without the ring nothing is written; another tenant, ring or key reads nothing."""
        impostor = self.place("impostor.json")
        ptcvm("keys", "new", impostor, "--id", "a")
        for words in commands:
            self.assert_refused(self.command(*words, seal=self.seal[:2]), "wrong_tenant", words)
            self.assert_refused(self.command(*words, seal=("--keys", impostor, "--tenant", "acme")), "bad_signature",
                                words)
            self.assert_refused(self.command(*words, seal=("--keys", self.place("none"))), "cannot read", words)

    def begin_agent(self, name):
        self.begin("agent", "run", self.json("a.json", AGENT), "--model", self.script(PAYS), "--id", name)

    def test_agents(self):
        self.begin_agent("p")
        self.begin_agent("q")
        commands = [("agent", "run", self.place("a.json"), "--model", self.script(PAYS), "--id", "p")]
        commands += [("agent", name, "--id", "p") for name in ("resume", "show", "cost", "replay")]
        commands += [("agent", "fork", "--id", "p", "--turns", "0", "--as", "r")]
        self.refuse_others(commands)
        self.refuse_everywhere("p", "q", commands)
        self.assert_refused(self.command("agent", "resume", "--id", "p", "--resolve", 'pay="r"', seal=()),
                            "keys_needed", "resume")
        status, out, err = self.command("agent", "resume", "--id", "p", "--resolve", 'pay="r-1"')
        self.assertEqual((status, json.loads(out)["return"]), (0, {"receipt": "r-1"}), err)

    def begin_task(self, name):
        self.begin("chain", "run", "Greet", "--tools", self.json("tools.json", [SAY]), "--model",
                   self.script(INTENT, PLAN), "--id", name)

    def test_tasks(self):
        self.begin_task("t")
        self.begin_task("u")
        show = [("chain", "show", "--id", "t"), ("chain", "report", "--id", "t"), ("chain", "feedback", "--id", "t")]
        commands = [*show, ("chain", "answer", "--id", "t", "a", "yes"),
                    ("chain", "run", "Greet", "--tools", self.place("tools.json"), "--model",
                     self.script(INTENT, PLAN), "--id", "t")]
        self.refuse_others(commands)
        for log in ("t", "t/setup", "t/steps"):
            self.command("journal", "put", log, "more", "1", "--force")   # each change needs two facts
            self.refuse_everywhere(log, log.replace("t", "u", 1), commands)
        self.assert_refused(self.command("chain", "answer", "--id", "t", "a", "yes", seal=()), "keys_needed", "answer")
        status, _, err = self.command("chain", "answer", "--id", "t", "a", "always")
        self.assertEqual(status, 0, err)

    def test_approvals(self):
        self.begin_task("t")
        self.command("chain", "answer", "--id", "t", "a", "always")
        approved = self.command("chain", "approvals")[1].split()
        self.assertNotEqual(approved, [])
        self.command("journal", "put", "chain approvals/acme", "more", "1", "--force")
        self.refuse_everywhere("chain approvals/acme", "t", [
            ("chain", "approvals"), ("chain", "approvals", "--revoke", approved[0]),
            ("chain", "run", "Greet", "--tools", self.place("tools.json"), "--model", self.script(INTENT, PLAN),
             "--id", "v")])

    def test_a_list_of_tasks_names_those_that_are_refused(self):
        self.begin_task("t")
        self.begin_task("u")
        database = sqlite3.connect(self.store)
        with database:
            database.execute("DELETE FROM fact WHERE run = (SELECT id FROM run WHERE log = 't/steps') AND seq = 1")
        database.close()
        status, out, err = self.command("chain", "list")
        rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()[1:]}
        self.assertEqual((status, rows["t"]), (65, ["refused", "fact_missing"]), err)
        self.assertEqual(rows["u"][:2], ["under", "way"])
        self.assertEqual(self.command("chain", "list", seal=self.seal[:2])[:2], (0, "ID  STATE  REVISION  WAITS FOR\n"))

    def begin_conversation(self, name):
        self.begin("harness", "say", "hello", "--id", name, status=0)
        self.begin("harness", "run", "--planner", self.file("plan.ptc", ASKS), "--id", name)

    def test_conversations(self):
        for name in "cde":
            self.begin_conversation(name)
        run = ("harness", "run", "--planner", self.place("plan.ptc"), "--id", "c")
        commands = [run, *(("harness", *words, "--id", "c") for words in (
            ("say", "x"), ("whisper", "x"), ("answer", "q1", "x"), ("approve",), ("dismiss",), ("edit", "c1", "x"),
            ("regenerate",), ("log",)))]
        self.refuse_others(commands)
        self.refuse_everywhere("c", "d", commands)
        self.refuse_everywhere("d", "e", [("harness", "approve", "--id", "c", "--peer", "d")], own=("question", 3, 5))
        self.refuse_everywhere("c/planner", "d/planner", commands[:-1])
        unsealed = self.command("harness", "answer", "q1", "noon", "--id", "c", seal=())   # it may be read
        self.assert_refused(unsealed, "keys_needed", "", own=("question", 3, 5))
        self.begin("harness", "answer", "q1", "noon", "--id", "c")
        status, out, err = self.command(*run)
        self.assertEqual((status, json.loads(out.splitlines()[-1])["draft"]["text"]), (75, "At noon"), err)

    def test_tenants_do_not_lock_each_other_out(self):
        """What one tenant has approved, told or imported is not there for another one, and stops nobody."""
        for tenant in ("acme", "other", "default"):
            self.seal = (*self.seal[:3], tenant)
            self.begin_task("t-" + tenant)
            self.assertEqual(self.command("chain", "answer", "--id", "t-" + tenant, "a", "always")[0], 0)
            self.assertEqual(self.command("chain", "facts", "the user is " + tenant)[0], 0)
            line = json.dumps({"kind": "fact", "version": 1, "key": "k", "content": "from " + tenant, "createdAt": 1})
            self.assertEqual(self.command("chain", "import", self.file("l.jsonl", line + "\n"))[0], 0)
        for tenant in ("acme", "other", "default"):
            self.seal = (*self.seal[:3], tenant)
            for words in (("list",), ("approvals",), ("facts",), ("export",), ("report", "t-" + tenant),
                          ("replay", "t-" + tenant)):
                status, out, err = self.command("chain", *words)
                self.assertEqual((status, err), (0, ""), (tenant, words))
                if words[0] in ("facts", "export"):
                    self.assertEqual([other for other in ("acme", "other", "default") if other in out], [tenant])
            self.assertEqual(len(self.command("chain", "approvals")[1].split()), 1)
            self.begin("chain", "run", "Greet", "--tools", self.place("tools.json"), "--model",
                       self.script(INTENT, PLAN), "--id", "v-" + tenant, status=0)

    def test_lists_go_on_after_a_log_that_is_refused(self):
        self.begin_agent("p")
        self.seal = (*self.seal[:3], "other")
        doubtful = self.json("d.json", [{"name": "pay", "command": ["sh", "-c", "kill -9 $PPID"], "effect": "unsafe"}])
        for run in ("q", "r", "s"):
            self.command("run", self.file("pay.ptc", "(tool/pay {:order 17})"), "--tools", doubtful, "--id", run)
        status, out, err = self.command("doubt", "list")
        self.assertEqual((status, [each for each in "pqrs" if f"\n{each}\n" in "\n" + out]), (0, ["q", "r", "s"]), err)
        database = sqlite3.connect(self.store)
        with database:
            database.execute("UPDATE fact SET body = zeroblob(length(body)) WHERE run = "
                             "(SELECT id FROM run WHERE log = 'q') AND seq = 2")
        database.close()
        status, out, err = self.command("doubt", "list")
        self.assertEqual((status, [each for each in "pqrs" if f"\n{each}\n" in "\n" + out]), (65, ["r", "s"]), err)
        self.assertIn("ptcvm: q: ", err)
        self.assertIn("fact_changed", err)

    def test_runs_of_another_tenant_are_left_out_of_lists(self):
        self.begin_agent("p")
        self.seal = (*self.seal[:3], "other")
        self.begin_agent("q")
        ids = [json.loads(line)["id"] for line in self.command("runs", "--json")[1].splitlines()]
        self.assertEqual(ids, ["q"])
        self.assertEqual(self.command("runs")[0], 0)


if __name__ == "__main__":
    unittest.main(argv=["sealed_layers_test"])
