#!/usr/bin/env python3
"""Nothing about durability is silent: what a new user is told, and what to type next.

usage: durability_test.py PTCVM   (the program under test)"""
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm

WAIT = '(do (task "hold" 1) (await-signal "manager_reply"))'
SLEEP = '(do (sleep 300) 7)'
NAP = '(do (sleep 100000000) 7)'


class Durability(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder.name, "runs.db")
        self.addCleanup(os.environ.pop, "PTCVM_STORE", None)

    def begin(self, name, program, status=75, *options):
        done = ptcvm("eval", program, "--store", self.store, "--id", name, *options)
        self.assertEqual(done[0], status, done[2])
        return done

    def states(self):
        lines = ptcvm("runs", "--store", self.store, "--json")[1].splitlines()
        return {run["id"]: (run["state"], run["waits_for"]) for run in map(json.loads, lines)}


class Said(Durability):
    def test_a_run_that_sleeps_shows_its_time(self):
        self.assertEqual(ptcvm("eval", "(sleep 100000000)", "--store", self.store, "--id", "s")[0], 75)
        self.assertRegex(ptcvm("runs", "--store", self.store)[1], r"s +waiting .* \d{4}-\d\d-\d\dT[\d:]+Z \(in 27 h\)")

    def test_a_task_that_nothing_keeps_says_how_to_keep_it(self):
        status, out, err = ptcvm("eval", '(task "pay" 1)')
        self.assertEqual((status, out), (0, "1\n"))
        self.assertIn('task "pay": no journal', err)
        self.assertIn("--store FILE.db --id NAME keeps each task as soon as it is done", err)

    def test_the_prompt_says_how_to_keep_tasks(self):
        err = ptcvm("repl", stdin='(task "pay" 1)\n')[2]
        self.assertIn('task "pay": no journal', err)
        self.assertIn("--store FILE.db --id NAME keeps each task as soon as it is done", err)
        for kept in (("--journal", self.file("j.edn", "{}")), ("--store", self.store, "--id", "a")):
            self.assertNotIn("warning", ptcvm("repl", *kept, stdin='(task "pay" 1)\n')[2])

    def parked(self, *options):
        """A program with a task before and behind its wait, and where it is parked."""
        state = os.path.join(self.folder.name, "s.ptcs")
        program = '[(task "a" 1) (await-signal "go") (task "b" 2)]'
        status, _, err = ptcvm("eval", program, "--snapshot", state, *options)
        self.assertEqual(status, 75)
        return state, err

    def test_resume_writes_the_journal_back(self):
        journal = self.file("j.edn", "{}")
        state, err = self.parked("--journal", journal)
        (command,) = [shlex.split(line) for line in re.findall(r"^      (ptcvm .*)$", err, re.M)]
        self.assertEqual(command[-2:], ["--journal", journal])
        for _ in range(2):                       # the second time all tasks are there
            self.assertEqual(ptcvm(*[word.replace("JSON", "5") for word in command[1:]]), (0, "[1 5 2]\n", ""))
            with open(journal, encoding="utf-8") as kept:
                self.assertEqual(kept.read(), '{"a" 1 "b" 2}\n')
        self.file("j.edn", '{"a" 1 "b" 9}')
        self.assertEqual(ptcvm("resume", state, "--resolve", "op1=5", "--journal", journal)[1], "[1 5 9]\n")
        other = self.file("other.edn", '{"a" 7}')
        status, out, err = ptcvm("resume", state, "--resolve", "op1=5", "--journal", other)
        self.assertEqual((status, out), (65, ""))
        self.assertIn('is the journal of another run: task "a" has another value there', err)

    def test_tasks_that_resume_loses_are_named(self):
        state, _ = self.parked("--journal", self.file("j.edn", "{}"))
        status, out, err = ptcvm("resume", state, "--resolve", "op1=5")
        self.assertEqual((status, out), (0, "[1 5 2]\n"))
        self.assertRegex(err, "nothing keeps the tasks that are done since .* was written: b[.] .*--journal FILE")

    def test_the_journal_is_written_back(self):
        journal = self.file("j.edn", '{"a" 1}')
        self.assertEqual(ptcvm("eval", '[(task "a" 2) (task "b" 3)]', "--journal", journal), (0, "[1 3]\n", ""))
        self.assertEqual(ptcvm("eval", '(do (task "c" 4) (+ 1 nil))', "--journal", journal)[0], 1)
        with open(journal, encoding="utf-8") as kept:
            self.assertEqual(kept.read(), '{"a" 1 "b" 3 "c" 4}\n')
        self.assertEqual(os.listdir(self.folder.name), ["j.edn"])

    def test_the_words_about_a_journal_begin_one(self):
        begin = "echo '{}' > "
        self.assertIn(begin + "FILE makes an empty journal", ptcvm("eval", '(task "pay" 1)')[2])
        status, _, err = ptcvm("eval", '(task "pay" 1)', "--journal", self.folder.name + "/j.edn")
        self.assertEqual(status, 65)
        self.assertIn(begin + self.folder.name + "/j.edn makes an empty one", err)

    def test_a_signal_is_resolved_by_its_name(self):
        state = self.folder.name + "/s.ptcs"
        self.assertEqual(ptcvm("eval", '(await-signal "boss")', "--snapshot", state)[0], 75)
        self.assertEqual(ptcvm("resume", state, "--resolve", "boss=true")[:2], (0, "true\n"))
        self.begin("a", '(await-signal "boss")')
        for _ in range(2):
            self.assertEqual(ptcvm("resolve", "--store", self.store, "a", "boss", "true")[0], 0)
        status, _, err = ptcvm("resolve", "--store", self.store, "a", "boss", "false")
        self.assertEqual(status, 65)
        self.assertIn("already_resolved", err)

    def test_a_signal_that_nobody_can_type_is_resolved_by_its_operation(self):
        for run, name in (("a", ""), ("b", "two\\nlines")):
            _, _, err = self.begin(run, f'(await-signal "{name}")')
            self.assertIn(f"      ptcvm resolve --store {self.store} {run} op1 JSON\n", err)
            self.assertNotIn("two\nlines", err)
            self.assertEqual(ptcvm("resolve", "--store", self.store, run, "op1", "true")[0], 0)

    def test_a_value_for_a_run_that_gave_up_waiting_is_refused(self):
        ptcvm("eval", '(await-signal "boss" {:timeout-ms 1 :default "late"})', "--store", self.store, "--id", "a")
        while self.states()["a"][0] != "ended ok":
            ptcvm("work", "--store", self.store, "--once")
        self.begin("b", '(await-signal "boss")')
        ptcvm("resolve", "--store", self.store, "b", "boss", "--cancel", "no")
        self.assertEqual(ptcvm("resume", "--store", self.store, "b")[0], 1)
        for run in ("a", "b"):
            status, _, err = ptcvm("journal", "put", "--store", self.store, run, "boss", "1")
            self.assertEqual(status, 65)
            self.assertIn(run + " has ended and waits for nothing", err)
            self.assertEqual(ptcvm("journal", "put", "--store", self.store, run, "other", "1", "--force")[0], 0)
        self.assertEqual({run: state for run, (state, _) in self.states().items()},
                         {"a": "ended ok", "b": "ended error"})

    def test_asynchronous_tools_need_no_option_when_a_run_goes_on(self):
        program = "(let [a (await (tool/ask {})) b (tool/pay {:n a}) c (await (tool/late {}))] [a b c])"
        tools = ("--async-tool", "ask", "--async-tool", "late", "--tool", "pay=echo 5", "--tool-effect", "pay=keyed")
        self.begin("a", program, 75, *tools)
        resume = ("resume", "--store", self.store, "a", "--resolve")
        status, _, err = ptcvm(*resume, "op1=1")
        self.assertEqual(status, 65)
        self.assertIn("tool pay is missing; add --tool pay=COMMAND --tool-effect pay=keyed", err)
        self.assertEqual(self.states()["a"][0], "woken")
        status, _, err = ptcvm(*resume, "op1=1", "--tool", "pay=echo 5")
        self.assertEqual(status, 65)
        self.assertIn("; add --tool-effect pay=keyed", err)
        self.assertEqual(ptcvm(*resume, "op1=1", "--tool", "pay=echo 5", "--tool-effect", "pay=keyed")[0], 75)
        self.assertEqual(ptcvm(*resume, "op2=2", *tools[4:])[:2], (0, "[1 5 2]\n"))

    def test_a_state_that_is_gone_is_named(self):
        status, out, err = ptcvm("eval", WAIT)
        self.assertEqual((status, json.loads(out)["status"]), (75, "suspended"))
        self.assertIn("op1: the signal manager_reply", err)
        self.assertIn("its state is gone: nothing keeps it. To keep the state give --snapshot FILE, or --store", err)

    def test_the_next_commands_can_be_typed(self):
        program = self.file("p.ptc", '(let [a (tool/ask {:n 1})] [(await-signal "go on") (await a)])')
        _, _, err = ptcvm("run", program, "--store", self.store, "--id", "may 1", "--async-tool", "ask")
        commands = [shlex.split(line) for line in re.findall(r"^      (ptcvm .*)$", err, re.M)]
        self.assertEqual([command[1] for command in commands], ["resolve", "journal", "resume"], err)
        for command, answer in zip(commands, ("2", "1", None)):
            status, out, err = ptcvm(*[answer if word == "JSON" else word for word in command[1:]])
            self.assertEqual(status, 0, err)
        self.assertEqual(out, "[1 2]\n")
        state = os.path.join(self.folder.name, "s.ptcs")
        _, _, err = ptcvm("eval", WAIT, "--snapshot", state)
        (command,) = [shlex.split(line) for line in re.findall(r"^      (ptcvm .*)$", err, re.M)]
        self.assertEqual(ptcvm(*[word.replace("JSON", "5") for word in command[1:]])[:2], (0, "5\n"))

    def test_a_signal_whose_name_begins_with_a_dash_can_be_typed(self):
        _, _, err = ptcvm("eval", '(await-signal "--store=evil.db")', "--store", self.store, "--id", "a")
        commands = [shlex.split(line) for line in re.findall(r"^      (ptcvm .*)$", err, re.M)]
        self.assertEqual([command[1] for command in commands], ["journal", "resume"], err)
        for command in commands:
            status, out, err = ptcvm(*["1" if word == "JSON" else word for word in command[1:]])
            self.assertEqual(status, 0, err)
        self.assertEqual(out, "1\n")

    def test_times_are_for_people(self):
        err = self.begin("nap", NAP)[2]
        self.assertRegex(err, r"it sleeps until \d{4}-\d\d-\d\dT[\d:]+Z \(in 27 h\)|it sleeps until .* \(in 1 day")

    def test_signals_are_shown_and_resolved_by_name(self):
        self.begin("may", WAIT)
        self.assertEqual(self.states(), {"may": ("waiting", "manager_reply")})
        self.assertIn("manager_reply", ptcvm("runs", "--store", self.store)[1])
        self.assertEqual(ptcvm("resolve", "--store", self.store, "may", "manager_reply", '"yes"'), (0, "", ""))
        self.assertEqual(ptcvm("resume", "--store", self.store, "may")[:2], (0, '"yes"\n'))
        self.assertIn('already_resolved: manager_reply was answered before by',
                      ptcvm("resolve", "--store", self.store, "may", "manager_reply", '"no"')[2])
        self.assertIn("may has no operation other; the run has ended and waits for nothing",
                      ptcvm("resolve", "--store", self.store, "may", "other", '"no"')[2])

    def test_a_value_for_a_store_that_is_not_there_makes_none(self):
        put = ("journal", "put", "--store", self.store, "may", "go", "1")
        status, _, err = ptcvm(*put)
        self.assertEqual((status, os.path.exists(self.store)), (65, False))
        self.assertIn("there is no such store", err)
        self.assertEqual((ptcvm(*put, "--force")[0], os.path.exists(self.store)), (0, True))

    def test_steps_of_a_turn_that_waits_are_shown_as_such(self):
        plan = self.file("plan.edn", '[["hold" "Hold it"]]')
        self.begin("may", '(do (step-done "hold" "held") (await-signal "go"))', 75, "--plan", plan)
        out = ptcvm("progress", "--store", self.store, "may")[1]
        self.assertIn("- [ ] **hold.** Hold it", out)
        self.assertIn("### Reported by the Turn That Waits", out)
        self.assertIn("- [~] hold: held", out)
        said = json.loads(ptcvm("progress", "--store", self.store, "may", "--json")[1])
        self.assertEqual((said["summaries"], said["reported"]), ([], [{"id": "hold", "summary": "held"}]))
        self.assertEqual(ptcvm("journal", "put", "--store", self.store, "may", "go", "1")[0], 0)
        self.assertEqual(ptcvm("resume", "--store", self.store, "may")[0], 0)
        self.assertNotIn("[~]", ptcvm("progress", "--store", self.store, "may")[1])

    def test_the_mission_log_shows_calls_in_doubt(self):
        program = '(do (task "hold" 1) (task "pay" (tool/pay {:amount 5})))'
        self.begin("may", program, 75, "--tool-shell", "pay=kill -9 $$")
        self.begin("may", program, 75, "--tool-shell", "pay=kill -9 $$")
        out = ptcvm("journal", "log", "--store", self.store, "may")[1]
        self.assertIn("- [done] hold: 1", out)
        self.assertIn('## Calls in Doubt', out)
        self.assertIn('- [in doubt] pay: pay {"amount" 5}', out)


class Put(Durability):
    def refused(self, *words):
        status, out, err = ptcvm("journal", "put", "--store", self.store, *words)
        self.assertEqual((status, out), (65, ""))
        return err

    def test_a_value_for_which_nobody_waits_is_refused(self):
        self.begin("may", WAIT)
        self.assertEqual(self.refused("may", "manager_replay", "1"),
                         "ptcvm: nobody waits for manager_replay: may waits for manager_reply; "
                         "--force puts the value all the same\n")
        self.assertIn("there is no run june in ", self.refused("june", "manager_reply", "1"))
        self.assertEqual(ptcvm("journal", "put", "--store", self.store, "june", "go", "1", "--force"), (0, "", ""))
        self.assertEqual(ptcvm("journal", "put", "--store", self.store, "june", "go", "1"), (0, "", ""))   # again
        self.assertIn("already_resolved", self.refused("june", "go", "2"))
        self.assertEqual(ptcvm("journal", "put", "--store", self.store, "may", "manager_reply", "1"), (0, "", ""))
        self.assertEqual(ptcvm("resume", "--store", self.store, "may")[0], 0)
        self.assertIn("may has ended and waits for nothing", self.refused("may", "other", "1"))


class Names(Durability):
    def test_the_run_is_an_argument_or_an_option(self):
        self.begin("may", WAIT)
        where = ("--store", self.store)
        for words in ("journal show", "journal log", "journal export", "progress", "doubt list"):
            command = words.split()
            by_argument, by_option = ptcvm(*command, *where, "may"), ptcvm(*command, "--id", "may", *where)
            self.assertEqual(by_argument[0], 0, by_argument[2])
            self.assertEqual(by_option, by_argument)
        self.assertEqual(ptcvm("journal", "put", *where, "manager_reply", "3", "--id=may"), (0, "", ""))
        self.assertEqual(ptcvm("resume", *where, "--id", "may")[:2], (0, "3\n"))
        self.assertEqual(ptcvm("eval", "4", "june", *where), (0, "4\n", ""))
        self.assertEqual(sorted(self.states()), ["june", "may"])

    def test_the_environment_names_the_store_of_every_command(self):
        os.environ["PTCVM_STORE"] = self.store
        self.assertEqual(ptcvm("eval", WAIT, "--id", "may")[0], 75)
        self.assertEqual(self.states()["may"][0], "waiting")
        self.assertEqual(ptcvm("resume", "may", "--resolve", "op1=1")[:2], (0, "1\n"))
        self.assertIn("may", ptcvm("runs")[1])
        self.assertEqual(ptcvm("work", "--once"), (0, "", ""))
        status, out, err = ptcvm("eval", "1")
        self.assertEqual((status, out), (0, "1\n"))
        self.assertIn("PTCVM_STORE does not keep this run, because the run has no name: give --id NAME", err)
        state = os.path.join(self.folder.name, "s.ptcs")
        status, _, err = ptcvm("eval", '(await-signal "go")', "--id", "june", "--snapshot", state)
        self.assertEqual(status, 75)
        self.assertIn("PTCVM_STORE does not keep this run, because --snapshot is given; leave it out, and", err)
        self.assertNotIn("june", self.states())
        self.assertEqual(ptcvm("resume", state, "--resolve", "op1=2")[:2], (0, "2\n"))


    def test_each_option_that_keeps_a_run_elsewhere_is_named(self):
        os.environ["PTCVM_STORE"] = self.store
        for option, place in (("--journal", self.file("j.edn", "{}")), ("--memory", self.file("m.edn", "{}"))):
            status, out, err = ptcvm("eval", "1", "--id", "may", option, place)
            self.assertEqual((status, out), (0, "1\n"))
            self.assertIn(f"PTCVM_STORE does not keep this run, because {option} is given", err)
        self.assertFalse(os.path.exists(self.store))


class Work(Durability):
    def work(self, *options):
        status, out, err = ptcvm("work", "--store", self.store, "--once", *options)
        self.assertEqual(status, 0, err)
        return sorted(out.splitlines()), err

    def woken(self, name, program, *options):
        """Begins a run that waits, and gives it what it waits for."""
        done = self.begin(name, f'(do (await-signal "begin") {program})', 75, *options)
        self.assertEqual(ptcvm("journal", "put", "--store", self.store, name, "begin", "true")[0], 0)
        return done

    def test_a_run_that_died_in_a_call_waits_for_a_worker_with_the_tool(self):
        dying = ("--tool-shell", "long=kill -9 $PPID", "--tool-effect", "long=idempotent")
        self.assertEqual(ptcvm("eval", '(task "t" (tool/long))', "--store", self.store, "--id", "a", *dying)[0], -9)
        for tools in ((), ("--tool", "note=echo 1")):
            self.assertEqual(self.work(*tools)[0], ["a  refused  tool long is missing"])
            self.assertEqual(self.states()["a"][0], "interrupted")
        self.assertEqual(self.work("--tool", "long=echo 7", "--tool-effect", "long=idempotent")[0], ["a  ended ok  7"])

    def test_everything_that_can_go_on_goes_on_once(self):
        self.begin("a", SLEEP)
        self.begin("b", WAIT)
        self.begin("c", NAP)
        self.woken("d", '(await-signal "go")')
        ptcvm("resolve", "--store", self.store, "b", "manager_reply", "5")
        time.sleep(0.3)
        self.assertEqual((self.states()["a"][0], self.states()["b"][0], self.states()["c"][0]),
                         ("due", "woken", "waiting"))
        self.assertEqual(self.work("--jobs", "3")[0], ["a  ended ok  7", "b  ended ok  5", "d  waiting  go"])
        self.assertEqual(self.work(), ([], ""))

    def test_a_run_that_a_dead_process_left_goes_on_with_the_tools_of_the_file(self):
        tools = self.file("t.json", json.dumps([{"name": "t", "command": "echo 1", "effect": "pure"}]))
        killed = ptcvm("eval", '(do (println "again") [(task "one" 1) (tool/t)])', "--store", self.store, "--id", "a",
                       "--tool-shell", "t=kill -9 $PPID", "--tool-effect", "t=pure")
        self.assertEqual(killed[0], -9)
        self.assertEqual(self.states()["a"][0], "interrupted")
        self.assertEqual(self.work("--tools", tools), (["a  ended ok  [1 1]"], "a: again\n"))

    def test_a_run_without_its_tools_is_named_once_and_waits(self):
        self.woken("a", '(tool/t)', "--tool", "t=true")
        (line,), _ = self.work()
        self.assertTrue(line.startswith("a  refused  "), line)
        self.assertEqual(self.work("--tool", "t=echo 4")[0], ["a  ended ok  4"])

    def test_an_asynchronous_tool_without_a_command_needs_no_option(self):
        self.woken("a", "(await (tool/ask))", "--async-tool", "ask")
        ((line,), _) = self.work()
        self.assertRegex(line, r"^a  waiting  op\d$")
        self.assertEqual(ptcvm("resolve", "--store", self.store, "a", line.split()[-1], "7")[0], 0)
        self.assertEqual(self.work()[0], ["a  ended ok  7"])
        self.woken("b", "(do (tool/pay) (await (tool/ask)))", "--async-tool", "ask", "--tool", "pay=true")
        (line,), _ = self.work()
        self.assertRegex(line, "b  refused  .*tool pay is missing.*; add --tool pay=COMMAND$")

    def test_files_of_tools_are_kept_with_the_run_and_changes_are_named(self):
        tool = {"name": "t", "command": "echo 1", "effect": "pure"}
        tools = self.file("t.json", json.dumps([tool]))
        err = self.woken("a", '(do (tool/t) (await-signal "go") (tool/t))', "--tools", tools)[2]
        self.assertNotIn("changed", err)
        self.assertEqual(self.work("--tools", tools), (["a  waiting  go"], ""))
        self.assertEqual(ptcvm("journal", "put", "--store", self.store, "a", "go", "1")[0], 0)
        self.file("t.json", json.dumps([{**tool, "command": "echo 2"}, {"name": "u", "command": "true"}]))
        lines, err = self.work("--tools", tools)
        self.assertEqual(lines, ["a  ended ok  2"])
        self.assertIn('the tools of a have changed: t was {"command" "echo 1" "effect" "pure" "name" "t"}, and is '
                      '{"command" "echo 2" "effect" "pure" "name" "t"}\n', err)
        self.assertIn('the tools of a have changed: u is new: {"command" "true" "name" "u"}', err)
        self.assertEqual(list(self.states()), ["a"])

    def test_doubts_wait_for_a_person(self):
        self.woken("a", '(task "pay" (tool/pay))', "--tool", "pay=true")
        work = ("work", "--store", self.store, "--once", "--tool-shell", "pay=kill -9 $PPID")
        self.assertEqual(ptcvm(*work)[0], -9)
        self.assertEqual(self.work("--tool", "pay=true")[0], ["a  in doubt  a/task:pay#0"])
        self.assertEqual(self.work("--tool", "pay=true")[0], [])
        self.assertEqual(ptcvm("doubt", "settle", "--store", self.store, "a", "--happened", "9")[0], 0)
        self.assertEqual(self.work("--tool", "pay=true")[0], ["a  ended ok  9"])

    def test_it_works_until_it_is_stopped(self):
        self.begin("a", WAIT)
        with subprocess.Popen([PTCVM, "work", "--store", self.store, "--json"], stdout=subprocess.PIPE,
                              text=True) as worker:
            self.assertEqual(ptcvm("journal", "put", "--store", self.store, "a", "manager_reply", "6")[0], 0)
            self.assertEqual(json.loads(worker.stdout.readline()), {"id": "a", "state": "ended ok", "what": "6"})
            worker.send_signal(signal.SIGTERM)
            self.assertEqual(worker.wait(240), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
