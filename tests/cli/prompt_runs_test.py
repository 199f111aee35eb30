#!/usr/bin/env python3
"""Runs of a prompt as other commands see them: what ends and begins their turns, and what becomes of definitions.

usage: prompt_runs_test.py PTCVM   (the program under test)"""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm


class PromptRuns(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = ("--store", os.path.join(self.folder.name, "runs.db"))

    def prompt(self, *lines, tools=(), ends=0):
        """Types lines at the prompt of the run. Returns standard output and standard error."""
        status, out, err = ptcvm("repl", *self.store, "--id", "desk", *tools, stdin="".join(f"{l}\n" for l in lines))
        self.assertEqual(status, ends, err)
        return out, err

    def row(self):
        status, out, err = ptcvm("runs", *self.store, "--json")
        self.assertEqual(status, 0, err)
        return json.loads(out)

    def waits(self):
        """Returns the operation that the run waits for."""
        return self.row()["waits_for"]

    def test_definitions_outlive_a_turn_of_eval(self):
        self.prompt("(def x 40)")
        self.assertEqual(ptcvm("eval", "(def y (+ x 1))", *self.store, "--id", "desk", "--again")[0], 0)
        self.assertEqual(self.prompt("[x y]")[0], "[40 41]\n")

    def test_definitions_outlive_a_turn_that_eval_begins_and_another_command_ends(self):
        self.prompt("(def x 40)")
        self.assertEqual(ptcvm("eval", '(def y (await-signal "go"))', *self.store, "--id", "desk")[0], 75)
        self.assertEqual(ptcvm("resume", "desk", *self.store, "--resolve", "go=2")[0], 0)
        self.assertEqual(self.prompt("[x y]")[0], "[40 2]\n")

    def test_definitions_outlive_a_turn_that_resume_ends(self):
        self.prompt("(def x 40)", '(def y (await-signal "go"))')
        self.assertEqual(ptcvm("resume", "desk", *self.store, "--resolve", "go=2")[0], 0)
        self.assertEqual(self.prompt("[x y]")[0], "[40 2]\n")

    def test_definitions_outlive_a_turn_that_work_ends(self):
        self.prompt("(def x 40)", '(def y (await-signal "go"))')
        self.assertEqual(ptcvm("journal", "put", "desk", "go", "2", *self.store)[0], 0)
        self.assertEqual(ptcvm("work", *self.store, "--once")[0], 0)
        self.assertEqual(self.row()["state"], "ended ok")
        self.assertEqual(self.prompt("[x y]")[0], "[40 2]\n")

    def test_definitions_outlive_a_turn_that_waited_and_failed(self):
        self.prompt("(def x 40)", "(do (def x 1) (await (tool/ask {})))", tools=("--async-tool", "ask"))
        status, _, err = ptcvm("resume", "desk", *self.store, "--async-tool", "ask", "--fail", f"{self.waits()}=nobody")
        self.assertEqual((status, "nobody" in err), (1, True), err)
        self.assertEqual(self.row()["state"], "ended error")
        self.assertEqual(self.prompt("x", tools=("--async-tool", "ask"))[0], "40\n")

    def test_definitions_outlive_a_turn_that_the_prompt_saw_fail(self):
        self.prompt("(def x 40)", "(await (tool/ask {}))", tools=("--async-tool", "ask"))
        out, err = self.prompt(f":fail {self.waits()} nobody", "x", tools=("--async-tool", "ask"))
        self.assertIn("nobody", err)
        self.assertEqual(out.splitlines()[-1], "40")

    def test_a_reset_between_two_programs_counts(self):
        self.prompt("(def x 40)", '(task "a" 1)')
        self.assertEqual(ptcvm("journal", "reset", *self.store, "desk", "a", "--reason", "wrong")[0], 0)
        self.assertEqual(self.prompt('(task "a" 2)', '(task "a" 3)', "x")[0], "2\n2\n40\n")

    def test_a_value_put_between_two_programs_counts(self):
        self.prompt("(def x 40)", '(task "a" 1)')
        self.assertEqual(ptcvm("journal", "put", *self.store, "desk", "b", "7", "--force")[0], 0)
        self.assertEqual(self.prompt('[(task "a" 2) (task "b" 3) x]')[0], "[1 7 40]\n")

    def test_runs_says_how_the_last_program_ended(self):
        for program, state in (("(def x 1)", "ended ok"), ("(/ 1 0)", "ended error"), ('(fail "no")', "ended fail"),
                               ("(return 2)", "ended return"), ('(await-signal "go")', "waiting")):
            self.prompt(program)
            self.assertEqual(self.row()["state"], state, program)
        self.assertEqual(self.waits(), "go")

    def with_paying_tool(self):
        """Types definitions at the prompt, one of them from a tool that writes down each of its calls."""
        self.paid = os.path.join(self.folder.name, "paid")
        pays = self.file("pay.sh", f"cat > /dev/null; echo x >> {self.paid}; echo 7\n")
        tools = ("--tool", f"pay=sh {pays}")
        self.prompt("(def a 5)", "(def b (tool/pay {}))", "(+ 1 nil)", '(def c (task "t" (tool/pay {})))',
                    "(defn f [x] (+ x a b c))", tools=tools)
        return tools

    def calls(self):
        with open(self.paid, encoding="utf-8") as file:
            return len(file.readlines())

    def facts(self):
        return ptcvm("journal", "show", "desk", *self.store, "--facts")[1].splitlines()

    def fork_at(self, fact):
        self.assertEqual(ptcvm("runs", "fork", "desk", *self.store, "--at", str(fact), "--as", "two")[0], 0)

    def test_a_fork_has_the_definitions_of_its_turns(self):
        tools = self.with_paying_tool()
        self.fork_at(len(self.facts()))
        status, out, err = ptcvm("repl", "two", *self.store, *tools, stdin="(f 1)\n")
        self.assertEqual((status, out, err), (0, "20\n", ""))
        self.assertEqual(self.calls(), 2)

    def test_a_fork_in_the_middle_of_a_turn_ends_it_with_the_definitions_of_the_turns_before(self):
        tools = self.with_paying_tool()
        self.prompt("(def d (f 2))", tools=tools)
        self.fork_at(len(self.facts()) - 1)
        status, out, err = ptcvm("work", *self.store, *tools, "--once")
        self.assertEqual((status, err, out.split()[:3]), (0, "", ["two", "ended", "ok"]))
        self.assertEqual(ptcvm("repl", "two", *self.store, *tools, stdin="d\n")[1], "21\n")

    def imported(self, tools, name):
        exported = self.file("log.jsonl", ptcvm("journal", "export", "desk", *self.store)[1])
        other = ("--store", os.path.join(self.folder.name, "other.db"))
        self.assertEqual(ptcvm("journal", "import", name, exported, *other)[0], 0)
        return ptcvm("repl", name, *other, *tools, stdin="(f 1)\n")

    def test_an_imported_log_has_the_definitions_of_its_turns(self):
        self.assertEqual(self.imported(self.with_paying_tool(), "desk"), (0, "20\n", ""))
        self.assertEqual(self.calls(), 2)

    def test_a_log_that_is_imported_under_another_id_has_its_answers_and_definitions(self):
        self.assertEqual(self.imported(self.with_paying_tool(), "a/b@c"), (0, "20\n", ""))
        self.assertEqual(self.calls(), 2)

    def forget_what_is_parked(self, snapshot=None):
        with contextlib.closing(sqlite3.connect(self.store[1])) as db, db:
            if snapshot is None:
                db.execute("DELETE FROM parked")
            else:
                db.execute("UPDATE parked SET snapshot = ?", (snapshot,))

    def test_definitions_outlive_what_is_parked(self):
        tools = self.with_paying_tool()
        for snapshot in (None, b"of another build"):
            self.forget_what_is_parked(snapshot)
            self.assertEqual(self.prompt("(f 1)", tools=tools), ("20\n", ""))
        self.assertEqual(self.calls(), 2)

    def test_a_program_that_fails_keeps_definitions_that_were_made_again(self):
        tools = self.with_paying_tool()
        self.forget_what_is_parked()
        self.prompt("(+ 2 nil)", tools=tools)
        self.assertEqual(self.prompt("(f 1)", tools=tools), ("20\n", ""))

    def test_a_turn_that_slept_and_waited_is_made_again(self):
        self.prompt("(def a 1)", '(do (sleep 1) (def b (await-signal "go")))')
        while "go" not in self.waits():      # the prompt may end before the millisecond does
            self.prompt("")
        self.assertEqual(ptcvm("journal", "put", "desk", "go", "2", *self.store)[0], 0)
        self.prompt("")
        self.forget_what_is_parked()
        self.assertEqual(self.prompt("[a b]")[0], "[1 2]\n")

    def test_a_turn_that_cannot_be_made_again_is_named_and_nothing_runs(self):
        tools = ("--tool", "rate=echo 7", "--tool-effect", "rate=pure")
        self.prompt("(def a 5)", "(def b (tool/rate {}))", tools=tools)
        self.forget_what_is_parked()
        facts = self.facts()
        out, err = self.prompt("(+ a b)", tools=tools, ends=65)
        self.assertEqual(out, "")
        self.assertIn("definitions_lost", err)
        self.assertIn("turn 2", err)
        self.assertIn("rate", err)
        self.assertEqual(self.facts(), facts)

    def test_a_reset_between_two_turns_holds_in_definitions_that_are_made_again(self):
        self.prompt('(def a (task "t" 1))')
        self.assertEqual(ptcvm("journal", "reset", *self.store, "desk", "t")[0], 0)
        self.assertEqual(self.prompt('(def b (task "t" 2))', "[a b]")[0], "#'b\n[1 2]\n")
        self.forget_what_is_parked()
        self.assertEqual(self.prompt("[a b]")[0], "[1 2]\n")

    def test_a_reset_before_a_turn_that_waited_holds_in_definitions_that_are_made_again(self):
        self.prompt('(def a (task "t" 1))')
        self.assertEqual(ptcvm("journal", "reset", *self.store, "desk", "t")[0], 0)
        self.prompt('(do (def b (task "t" 2)) (await-signal "go"))')
        self.assertEqual(ptcvm("journal", "put", "desk", "go", "2", *self.store)[0], 0)
        self.prompt("")
        self.forget_what_is_parked()
        self.assertEqual(self.prompt("[a b]")[0], "[1 2]\n")

    def lost_by(self, *said):
        """Says this about a run that waits. Returns what a prompt says that has to make its definitions again."""
        self.assertEqual(ptcvm("journal", *said, *self.store)[0], 0)
        self.assertEqual(ptcvm("journal", "put", "desk", "go", "2", *self.store)[0], 0)
        self.prompt("")
        self.forget_what_is_parked()
        out, err = self.prompt("[a b]", ends=65)
        self.assertEqual(out, "")
        return err

    def test_a_turn_whose_task_was_reset_while_it_waited_is_named(self):
        self.prompt('(do (def a (task "t" 1)) (await-signal "go") (def b (task "t" 2)))')
        err = self.lost_by("reset", "desk", "t")
        self.assertRegex(err, "definitions_lost: .*turn 1: task t was reset from outside")

    def test_a_turn_whose_value_was_replaced_while_it_waited_is_named(self):
        self.prompt("1")
        self.assertEqual(ptcvm("journal", "put", "desk", "t", "8", *self.store, "--force")[0], 0)
        self.prompt('(do (def a (task "t" 1)) (await-signal "go") (def b (task "t" 2)))')
        err = self.lost_by("put", "desk", "t", "9", "--force", "--instead-of", "8")
        self.assertRegex(err, "definitions_lost: .*turn 2: the value t was replaced from outside")

    def test_definitions_of_a_program_that_ended_with_fail_are_made_again(self):
        self.prompt("(def b 1)", '(do (def b 2) (fail "x"))', "b")
        self.assertEqual(self.prompt("b")[0], "2\n")
        self.forget_what_is_parked()
        self.assertEqual(self.prompt("b")[0], "2\n")

    def test_a_task_that_was_reset_while_the_run_waited_keeps_its_new_value_when_the_process_dies(self):
        died = os.path.join(self.folder.name, "died")
        kills = self.file("pay.sh", f"cat > /dev/null; [ -e {died} ] && echo 3 && exit; touch {died}; kill -9 $PPID\n")
        tools = ("--tool", f"pay=sh {kills}", "--tool-effect", "pay=keyed")
        program = '[(task "t" 1) (await-signal "go") (task "t" 2) (tool/pay {}) (task "t" 4)]'
        run = (program, *self.store, "--id", "desk", *tools)
        self.assertEqual(ptcvm("eval", *run)[0], 75)
        self.assertEqual(ptcvm("journal", "reset", "desk", "t", *self.store)[0], 0)
        self.assertEqual(ptcvm("journal", "put", "desk", "go", "0", *self.store)[0], 0)
        self.assertEqual(ptcvm("eval", *run)[0], -9)
        self.assertEqual(ptcvm("eval", *run)[:2], (0, "[1 0 2 3 2]\n"))

    def killed_in_a_call(self, tools, *lines):
        """Kills the process of a prompt, and the tool that its last line calls."""
        process = subprocess.Popen([PTCVM, "repl", *self.store, "--id", "desk", *tools], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
                                   start_new_session=True)
        process.stdin.write("".join(f"{l}\n" for l in lines))
        process.stdin.flush()
        called = os.path.join(self.folder.name, "called")
        while not os.path.exists(called):
            time.sleep(0.01)
        process.kill()
        process.wait()
        process.stdin.close()
        with open(called, encoding="utf-8") as file:
            os.killpg(int(file.read()), signal.SIGKILL)

    def test_work_ends_the_turn_of_a_prompt_that_was_killed(self):
        path = os.path.join(self.folder.name, "called")
        slow = self.file("slow.sh", f'[ -e {path} ] && echo \'{{"n": 2}}\' && exit\n'
                                    f"echo $$ > {path}.new; mv {path}.new {path}; sleep 1000\n")
        tools = ("--tool", f"pay=sh {slow}", "--tool-effect", "pay=keyed")
        self.killed_in_a_call(tools, "(def x 40)", "(def y (get (tool/pay {}) \"n\"))")
        self.assertEqual(self.row()["state"], "interrupted")
        status, out, err = ptcvm("work", *self.store, "--once", *tools)
        self.assertEqual((status, "desk" in out + err), (0, True), out + err)
        self.assertEqual(self.row()["state"], "ended ok")
        self.assertEqual(self.prompt("[x y]", tools=tools)[0], "[40 2]\n")

    def test_the_next_prompt_knows_the_names_of_a_program_that_ended_with_fail(self):
        self.prompt("(do (def held 1) (fail 2))", "(do (def xyzzy 1) (count 5))")
        out, _ = self.prompt(":doc held", ":doc xyzzy", ":memory", "held")
        self.assertEqual(out, "held  (your value)\nnothing is named xyzzy\nheld\n"
                              "the store has the values: type a name to see one\n1\n")

    def test_a_prompt_names_the_options_of_tools_that_its_program_lacks(self):
        pay = ("--tool", "pay=echo 5", "--tool-effect", "pay=keyed")
        self.prompt('(do (await-signal "go") (tool/pay {:n 1}))', tools=pay)
        _, err = self.prompt("", ends=65)
        self.assertIn("tool pay is missing; add --tool pay=COMMAND --tool-effect pay=keyed", err)

    def test_a_prompt_without_programs_has_nothing_in_memory(self):
        self.assertEqual(self.prompt(":memory")[0], "nothing is defined\n")

    def test_a_pipe_hears_by_the_status_that_a_program_was_not_executed(self):
        tools = ("--tool", "pay=sh " + self.file("pay.sh", "kill -9 $$\n"))
        self.prompt('(await-signal "go")')
        self.assertIn("not over", self.prompt("2", ends=75)[1])
        self.assertEqual(ptcvm("journal", "put", "desk", "go", "1", *self.store)[0], 0)
        self.prompt("", "(/ 1 0)")
        self.assertIn("in_doubt", self.prompt("(tool/pay {})", "3", tools=tools, ends=75)[1])
        self.assertIn("in_doubt", self.prompt("", tools=tools, ends=75)[1])


if __name__ == "__main__":
    unittest.main(argv=["prompt_runs_test"])
