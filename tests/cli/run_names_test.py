#!/usr/bin/env python3
"""Each command that names a run, a task or a conversation takes the name as an argument and with --id.

usage: run_names_test.py PTCVM   (the program under test)"""
import json
import os
import shlex
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

# Commands about something that a store has. ID is in the place of the argument; all arguments are given.
LOOKS = {
    "resume": ["ID"], "resolve": ["ID", "op1", "1"], "progress": ["ID"],
    "journal show": ["ID"], "journal log": ["ID"], "journal export": ["ID"], "journal put": ["ID", "go", "1"],
    "journal reset": ["ID", "t"], "doubt list": ["ID"], "doubt settle": ["ID", "key", "--did-not"],
    "runs cancel": ["ID", "--reason", "no"], "runs retry": ["ID"], "runs move": ["ID", "--to", "OTHER"],
    "runs pull": ["ID", "--to", "OTHER"], "runs fork": ["ID", "--at", "1", "--as", "new"],
    "agent resume": ["ID"], "agent show": ["ID"], "agent cost": ["ID"], "agent replay": ["ID"],
    "agent fork": ["ID", "--turns", "1", "--as", "new"],
    "chain answer": ["ID", "s1", "yes"], "chain show": ["ID"], "chain report": ["ID"], "chain replay": ["ID"],
    "chain cost": ["ID"],
    "chain feedback": ["ID", "rating=positive"], "chain replan": ["ID", "other"],
    "harness whisper": ["ID", "hello"], "harness answer": ["ID", "q1", "yes"],
    "harness approve": ["ID", "c1"], "harness dismiss": ["ID", "c1"], "harness edit": ["ID", "c1", "hello"],
    "harness settle": ["ID", "c1", "arrived"], "harness regenerate": ["ID"], "harness clear": ["ID"],
    "harness log": ["ID"],
}
# Commands that may begin it.
BEGINS = {
    "run": ["PROGRAM", "ID"], "eval": ["1", "ID"], "repl": ["ID"], "enqueue": ["PROGRAM", "ID"],
    "agent run": ["AGENT", "ID", "--model", "MODEL"], "journal import": ["ID", "LOG"], "harness say": ["ID", "hello"],
    "harness run": ["ID", "--planner", "simple-demo", "--begin"],
    "chain run": ["tidy", "ID", "--model", "REPLIES", "--tools", "TOOLS"],
}
MAY_LACK = {"harness approve": "c1", "harness dismiss": "c1", "doubt settle": "key", "chain answer": "yes",
            "chain feedback": "rating=positive", "chain replan": "other"}   # their last arguments
MANY = {"harness serve": ["ID"]}                   # any number of conversations
# Here every argument is a file, a text or the name of something else.
NO_RUN = set("""check compile dis doc apropos explain fmt gen diff runs work worker queue|ls queue|pause queue|resume
  queue|limit schedule|put schedule|ls schedule|rm schedule|next nodes trace|show trace|tree trace|slow trace|chrome
  trace|otlp trace|step batch agent|prompt agent|chat agent|compile chain|plan chain|list chain|export chain|import
  chain|approvals chain|facts harness|link signature tools keys|new keys|list keys|rotate keys|revoke keys|export
  store|migrate store|check store|prune store|sql snapshot|show snapshot|json snapshot|from-json snapshot|diff
  snapshot|verify completion man""".replace("|", "~").split())


def typed(line):
    """A printed command, as a person types it."""
    word, *rest = shlex.split(line)
    assert word == "ptcvm", line
    return ptcvm(*rest)


def commands(*path):
    """The commands of --help that have no commands below."""
    text = ptcvm(*path, "--help")[1].partition("\nSubcommands:\n")[2].partition("\n\n")[0]
    names = [line.split()[0] for line in text.splitlines() if line.startswith("  ") and line[2] != " "]
    for name in names:
        yield from commands(*path, name)
    if path and (not names or path == ("runs",)):
        yield " ".join(path)


class Names(CommandLineTest):
    def setUp(self):
        super().setUp()
        os.environ.pop("PTCVM_STORE", None)
        agent = {"prompt": "Say 7.", "signature": "() -> :int"}
        plan = {"steps": [{"id": "a", "description": "a", "tool": "t", "args": {}, "dependsOn": [], "riskLevel": "low",
                           "requiresConfirmation": False}]}
        tool = {"name": "t", "description": "t", "command": ["true"], "signature": "() -> :any"}
        self.files = {
            "PROGRAM": self.file("p.ptc", "(+ 1 2)"), "AGENT": self.file("a.json", json.dumps(agent)),
            "MODEL": "scripted:" + self.file("m.jsonl", '{"program": "(return 7)"}\n'),
            "REPLIES": "scripted:" + self.file("r.jsonl", json.dumps({"text": json.dumps(plan)}) + "\n"),
            "TOOLS": self.file("t.json", json.dumps([tool])), 
            "OTHER": os.path.join(self.folder.name, "other.db")}
        self.stores = 0
        exported = ptcvm("journal", "export", "other", "--store", self.store())[1]
        self.files["LOG"] = self.file("l.jsonl", exported)

    def store(self):
        """A store that has a run called other."""
        self.stores += 1
        path = os.path.join(self.folder.name, f"{self.stores}.db")
        self.assertEqual(ptcvm("eval", "1", "other", "--store", path)[0], 0)
        return path

    def give(self, command, words, name, *more, store=None):
        """The command with the argument; without it when `name` is None."""
        words = [self.files.get(word, name if word == "ID" else word) for word in words]
        words = [word for word in words if word is not None]
        store = ("--store", store or self.store())
        return ptcvm(*command.split(), *words, *store, *more)

    def usage(self, command, answer, *texts):
        self.assertEqual((answer[0], answer[1]), (2, ""), (command, answer))
        for text in texts:
            self.assertIn(text, answer[2], command)

    def test_every_command_is_known_here(self):
        known = {*LOOKS, *BEGINS, *MANY, *(name.replace("~", " ") for name in NO_RUN)}
        self.assertEqual(set(commands()) ^ known, set())

    def test_both_spellings_mean_the_same_run(self):
        for command, words in LOOKS.items():
            store = self.store()
            with self.subTest(command):
                given = self.give(command, words, "nobody", store=store)
                self.assertNotEqual(given[0], 2, given)
                self.assertIn("nobody", given[1] + given[2])
                self.assertEqual(self.give(command, words, None, "--id", "nobody", store=store), given)
                self.assertEqual(self.give(command, words, None, "--id=nobody", store=store), given)

    def test_both_spellings_begin_the_same_run(self):
        for command, words in BEGINS.items():
            for name, more in (("may", ()), (None, ("--id", "may"))):
                with self.subTest(command, more=more):
                    store = self.store()
                    status, out, err = self.give(command, words, name, *more, store=store)
                    self.assertNotEqual(status, 2, (out, err))
                    if command == "repl":
                        continue
                    lines = ptcvm("runs", "--store", store, "--json")[1].splitlines()
                    listed = [json.loads(line)["id"] for line in lines]
                    self.assertTrue([one for one in listed if one.split("/")[0] == "may"], (command, listed, out, err))

    def test_a_name_that_is_given_twice_may_be_the_same(self):
        for command, words in {**LOOKS, **BEGINS}.items():
            with self.subTest(command):
                self.assertNotEqual(self.give(command, words, "may", "--id", "may")[0], 2)

    def test_printed_commands_take_a_name_that_begins_with_a_dash(self):
        store = ("--store", os.path.join(self.folder.name, "dashed.db"))
        status, _, err = ptcvm("eval", '(await-signal "go")', *store, "--id=-r")
        self.assertEqual(status, 75)
        put, resume = [line.strip() for line in err.splitlines() if line.startswith("      ptcvm ")]
        for command, ends in ((put.replace("JSON", "7"), 0), (resume, 0)):
            self.assertEqual(typed(command)[0], ends, command)
        self.assertEqual(json.loads(ptcvm("runs", *store, "--json")[1])["state"], "ended ok")

    def test_printed_commands_that_settle_a_doubt_take_a_name_that_begins_with_a_dash(self):
        for answer, ends in (("--happened", "ended ok"), ("--give-up", "ended error")):
            store = ("--store", os.path.join(self.folder.name, f"doubt{answer}.db"))
            call = ("eval", '(task "-t" (tool/pay {}))', *store, "--id=-r", "--tool-shell", "pay=kill -9 $$")
            self.assertEqual(ptcvm(*call)[0], 75)
            shown = ptcvm("doubt", "list", *store)[1]
            (settle,) = [line.strip() for line in shown.splitlines() if f" {answer}" in line]
            self.assertEqual(typed(settle.replace("JSON", "7"))[::2], (0, ""), settle)
            ptcvm("resume", *store, "--id", "-r", "--tool-shell", "pay=exit 1")
            self.assertEqual(ptcvm("doubt", "settle", *store, "--id", "-r", "no", "--happened", "1")[0], 65)
            self.assertEqual(json.loads(ptcvm("runs", *store, "--json")[1])["state"], ends)

    def test_the_name_of_a_call_in_doubt_that_runs_shows_is_taken(self):
        store = ("--store", os.path.join(self.folder.name, "runs.db"))
        self.assertEqual(ptcvm("eval", "(tool/pay {})", *store, "--id=r", "--tool-shell", "pay=kill -9 $$")[0], 75)
        shown = json.loads(ptcvm("runs", *store, "--json")[1])["waits_for"]
        self.assertEqual(ptcvm("doubt", "settle", *store, "r", shown, "--did-not"), (0, "", ""))

    def test_two_names_are_refused(self):
        for command, words in {**LOOKS, **BEGINS}.items():
            with self.subTest(command):
                self.usage(command, self.give(command, words, "may", "--id", "june"), "has two names", "may", "june",
                           "argument ID", "--id ID")

    def test_a_name_that_is_missing_is_asked_for_by_both_spellings(self):
        for command, words in {**LOOKS, **BEGINS}.items():
            if command in ("doubt list", "enqueue"):   # all runs; see below
                continue
            with self.subTest(command):
                needed = [word for word in words if word != MAY_LACK.get(command)]
                self.usage(command, self.give(command, needed, None), "--id", "ID")
        for command, words in LOOKS.items():
            needed = [word for word in words if word != MAY_LACK.get(command)]
            if command != "doubt list" and (len(needed) == 1 or needed[1].startswith("-")):
                self.usage(command, self.give(command, needed, None), "Give its name as the argument ID, or with --id")
        status, _, err = self.give("enqueue", BEGINS["enqueue"], None)
        self.assertEqual((status, "as the argument ID, or with --id ID" in err), (65, True), err)

    def test_resume_without_a_name_asks_for_it(self):
        self.usage("resume", self.give("resume", ["ID"], None), "which run? Give its name as the argument ID, or with")
        self.usage("resume", ptcvm("resume"), "which snapshot? Give its file", "--store FILE", "--id ID")

    def test_the_variable_of_the_store_keeps_a_run_whose_name_is_an_argument(self):
        os.environ["PTCVM_STORE"] = self.store()
        self.addCleanup(os.environ.pop, "PTCVM_STORE", None)
        self.assertEqual(ptcvm("eval", "(+ 1 2)", "may"), (0, "3\n", ""))
        self.assertIn("may", ptcvm("runs")[1])

    def test_the_variable_of_the_store_serves_commands_that_look(self):
        os.environ["PTCVM_STORE"] = self.store()
        self.addCleanup(os.environ.pop, "PTCVM_STORE", None)
        for command, words in LOOKS.items():
            if command.startswith("harness"):      # conversations have the store of their own option
                continue
            with self.subTest(command):
                words = [self.files.get(word, "nobody" if word == "ID" else word) for word in words]
                status, out, err = ptcvm(*command.split(), *words)
                self.assertNotEqual(status, 2, (out, err))
        for words in (("agent", "prompt", self.files["AGENT"]), ("chain", "list"), ("runs",)):
            self.assertEqual(ptcvm(*words)[0], 0, words)

    def test_an_option_that_is_unknown_is_no_second_name(self):
        for words in (("journal", "log", "other", "--stor", "x.db"), ("agent", "show", "--id", "a", "--stor", "x.db")):
            status, _, err = ptcvm(*words)
            self.assertEqual(status, 2)
            self.assertIn("--stor", err)
            self.assertNotIn("two names", err)

    def test_a_program_is_no_run_of_repl(self):
        program = self.file("report.ptc", "1")
        for words in ((program,), (program, "--store", self.store())):
            status, _, err = ptcvm("repl", *words, stdin="")
            self.assertEqual(status, 2)
            self.assertIn(f"{program} is a program: type `:load {program}` at the prompt", err)

    def test_repl_goes_on_with_the_run(self):
        store = self.store()
        self.assertEqual(ptcvm("repl", "desk", "--store", store, stdin="(def x 5)\n")[0], 0)
        self.assertIn("5", ptcvm("repl", "--id", "desk", "--store", store, stdin="x\n")[1])

    def test_a_fork_has_two_names(self):
        store = self.store()
        for words in (("other", "--as", "a"), ("--id", "other", "--as", "b"), ("other", "--id", "c")):
            status, out, err = ptcvm("runs", "fork", *words, "--at", "1", "--store", store)
            self.assertEqual(status, 0, err)
            self.assertTrue(out.startswith(words[-1] + " has the first 1 facts of other"), out)

    def test_without_a_file_the_only_argument_of_enqueue_is_the_name(self):
        store = self.store()
        for words in (("may",), ("--id", "june")):
            status, out, err = ptcvm("enqueue", "--agent", self.files["AGENT"], *words, "--store", store)
            self.assertEqual(status, 0, err)
        listed = ptcvm("runs", "--store", store)[1]
        self.assertTrue("may" in listed and "june" in listed, listed)
        status, _, err = ptcvm("enqueue", "--agent", self.files["AGENT"], "--store", store)
        self.assertEqual(status, 2)
        self.assertIn("--id or ID", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
