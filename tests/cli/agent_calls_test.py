#!/usr/bin/env python3
"""ptcvm agent: calls of tools that are under way at once, that are in no agent, and that take longer than the run may.

The tools meet: each one waits until as many as the test wants are there, so a slow machine changes nothing.

usage: agent_calls_test.py PTCVM   (the program under test)"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm

# Notes that it is there, waits until argv[2] calls are there at once, and answers with its argument.
MEETS = """
import json, os, sys, time
place, wanted = sys.argv[1], int(sys.argv[2])
n = json.load(sys.stdin)["n"]
with open(os.path.join(place, "calls"), "a") as calls:
    calls.write("%d %s\\n" % (n, os.environ["PTCVM_IDEMPOTENCY_KEY"]))
open(os.path.join(place, "here-%d" % n), "w").close()
while len([name for name in os.listdir(place) if name.startswith("here-")]) < wanted:
    time.sleep(0.02)
print(n)
"""
SUM = "(let [a (tool/meet {:n 1}) b (tool/meet {:n 2})] (return (+ (await a) (* 10 (await b)))))"
AT_ONCE = 2


class AgentCallsTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.place = pathlib.Path(self.folder.name)
        self.meeting = self.place / "meeting"
        self.meeting.mkdir()
        self.tool = self.file("meets.py", MEETS)
        self.kept = ("--store", str(self.place / "runs.db"), "--id", "r")

    def agent(self, program, *, effect="keyed", wanted=AT_ONCE, tools=None, **members):
        meet = {"name": "meet", "signature": "(n :int) -> :int", "mode": "async", "effect": effect,
                "command": [sys.executable, self.tool, str(self.meeting), str(wanted)]}
        document = {"name": "a", "prompt": "P", "signature": "() -> :any", "tools": tools or [meet], **members}
        self.file("s.jsonl", json.dumps({"program": program}) + "\n")
        return (self.file("a.json", json.dumps(document)), "--model", f"scripted:{self.place}/s.jsonl")

    def line_of(self, *words):
        status, out, err = ptcvm("agent", *words)
        return status, json.loads(out.splitlines()[-1]) if out else None, err

    def calls(self):
        return (self.meeting / "calls").read_text(encoding="utf-8").splitlines()


class AtOnce(AgentCallsTest):
    def test_a_program_does_not_wait_for_one_command_before_the_next(self):
        for where in ((), self.kept):
            with self.subTest(where=where):
                status, line, err = self.line_of("run", *self.agent(SUM), *where)
                self.assertEqual((status, line["return"], line["usage"]["tool_calls"]), (0, 21, 2), err)
                for name in self.meeting.iterdir():
                    name.unlink()
        status, line, err = self.line_of("replay", *self.kept)
        self.assertEqual((status, line["return"], line["replay"]["same"]), (0, 21, True), err)

    def test_more_calls_than_commands_at_once_wait_for_each_other(self):
        program = "(return (reduce + (map (fn [h] (await h)) (map (fn [n] (tool/meet {:n n})) (range 20)))))"
        status, line, err = self.line_of("run", *self.agent(program, wanted=1))
        self.assertEqual((status, line["return"]), (0, 190), err)

    def test_a_program_that_does_not_wait_ends_when_its_calls_have(self):
        status, line, err = self.line_of("run", *self.agent("(do (tool/meet {:n 1}) (return 3))", wanted=1), *self.kept)
        self.assertEqual((status, line["return"]), (0, 3), err)
        self.assertEqual(len(self.calls()), 1)

    def test_an_error_of_a_call_is_told_where_the_program_waits(self):
        fails = {"name": "meet", "signature": "(n :int) -> :int", "mode": "async", "effect": "pure",
                 "command": ["sh", "-c", "echo no room >&2; exit 1"]}
        program = "(return (map :status (await-settled [(tool/meet {:n 1}) (tool/meet {:n 2})])))"
        status, line, err = self.line_of("run", *self.agent(program, tools=[fails]))
        self.assertEqual((status, line["return"]), (0, ["error", "error"]), err)

    def killed_in_both(self, effect):
        """Begins a run whose process and commands are killed when both calls are under way."""
        words = self.agent(SUM, effect=effect, wanted=3)
        with subprocess.Popen([PTCVM, "agent", "run", *words, *self.kept], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True) as run:
            calls = self.meeting / "calls"
            while run.poll() is None and not (calls.exists() and len(self.calls()) == AT_ONCE):
                time.sleep(0.02)
            self.assertIsNone(run.poll())
            run.send_signal(signal.SIGKILL)
        (self.meeting / "here-3").touch()             # lets the commands end that are left
        return words

    def test_calls_that_may_be_repeated_are_made_again_under_their_keys(self):
        words = self.killed_in_both("keyed")
        status, line, err = self.line_of("run", *words, *self.kept)
        self.assertEqual((status, line["return"], line["usage"]["tool_calls"]), (0, 21, 2), err)
        self.assertEqual(sorted(self.calls()), sorted(2 * sorted(set(self.calls()))))

    def test_calls_that_may_not_be_repeated_are_two_questions(self):
        words = self.killed_in_both("unsafe")
        status, line, err = self.line_of("run", *words, *self.kept)
        self.assertEqual((status, line["pending"]), (75, ["doubt:meet", "doubt:meet#2"]), err)
        status, line, err = self.line_of("resume", *self.kept, "--resolve", "doubt:meet=1", "--reject",
                                         "doubt:meet#2=it did not")
        self.assertEqual((status, line["return"]), (0, 21), err)
        self.assertEqual(len(self.calls()), 3)

    def test_a_command_of_which_nobody_knows_lets_the_others_end(self):
        dies = ["sh", "-c", f"read args; echo $args >> {self.meeting}/calls; case $args in *1*) kill -9 $$;; esac; "
                            f"while [ $(wc -l < {self.meeting}/calls) -lt 2 ]; do sleep 0.02; done; echo 2"]
        tool = {"name": "meet", "signature": "(n :int) -> :int", "mode": "async", "effect": "unsafe", "command": dies}
        status, line, err = self.line_of("run", *self.agent(SUM, tools=[tool]), *self.kept)
        self.assertEqual((status, line["pending"]), (75, ["doubt:meet"]), err)


class Named(AgentCallsTest):
    def test_a_command_for_a_tool_that_no_agent_has_is_refused_with_the_nearest_name(self):
        words = self.agent(SUM)
        for option in ("--tool", "--tool-shell"):
            status, line, err = self.line_of("run", *words, option, "mete=echo 1")
            self.assertEqual((status, line), (65, None), err)
            self.assertIn("the agent has no tool of this name; did you mean meet?", err)

    def test_a_command_for_a_tool_of_a_child_is_taken(self):
        child = {"prompt": "Q", "signature": "() -> :int",
                 "program": "(return (tool/get {}))", "tools": [{"name": "get", "signature": "() -> :int"}]}
        words = self.agent("(return (tool/child {}))", children={"child": child}, tools=[])
        status, line, err = self.line_of("run", *words, "--tool", "get=echo 5")
        self.assertEqual((status, line["return"]), (0, 5), err)


class Deadline(AgentCallsTest):
    def hangs(self, effect):
        started = self.meeting / "group"
        command = ["sh", "-c", f"echo $$ > {started}.tmp; mv {started}.tmp {started}; sleep 1000"]
        tool = {"name": "meet", "signature": "(n :int) -> :int", "effect": effect, "command": command}
        return self.agent("(return (tool/meet {:n 1}))", tools=[tool], limits={"deadline_ms": 700})

    def assert_group_is_gone(self):
        group = int((self.meeting / "group").read_text(encoding="utf-8"))
        for _ in range(500):
            try:
                os.killpg(group, 0)
            except ProcessLookupError:
                return
            time.sleep(0.02)
        self.fail("the command outlived the deadline of its run")

    def test_a_run_ends_at_its_deadline_with_the_command_that_it_waits_for(self):
        for where in ((), self.kept):
            status, line, err = self.line_of("run", *self.hangs("pure"), *where)
            self.assertEqual((status, line["fail"] and line["fail"]["reason"]), (1, "mission_timeout"), err)
            self.assert_group_is_gone()

    def test_a_call_that_may_not_be_repeated_is_in_doubt_then(self):
        status, line, err = self.line_of("run", *self.hangs("unsafe"), *self.kept)
        self.assertEqual((status, line["pending"]), (75, ["doubt:meet"]), err)
        self.assert_group_is_gone()
        status, line, err = self.line_of("resume", *self.kept)
        self.assertEqual((status, line["pending"]), (75, ["doubt:meet"]), err)
        status, line, err = self.line_of("resume", *self.kept, "--resolve", "doubt:meet=1")
        self.assertEqual((status, line["fail"]["reason"]), (1, "mission_timeout"), err)


    def test_a_call_in_doubt_is_not_lost_beside_another_one(self):
        tools = [{"name": name, "signature": "() -> :int", "effect": effect, "command": ["sleep", "1000"]}
                 for name, effect in (("read", "pure"), ("pay", "unsafe"))]
        words = self.agent("(return (pcalls (fn [] (tool/read {})) (fn [] (tool/pay {}))))", tools=tools,
                           limits={"deadline_ms": 700})
        status, line, err = self.line_of("run", *words, *self.kept)
        self.assertEqual((status, line["pending"]), (75, ["doubt:pay"]), err)
        status, line, err = self.line_of("resume", *self.kept, "--reject", "doubt:pay=it did not")
        self.assertEqual((status, line["fail"]["reason"]), (1, "mission_timeout"), err)


# Notes the call, and answers when there is a file of the name behind its own; then it fails when argv[3] says so.
WAITS = '''
import os, sys, time
place, name, way = sys.argv[1:]
with open(os.path.join(place, "ledger"), "a") as ledger:
    ledger.write(name + "\\n")
while not os.path.exists(os.path.join(place, name + "-may-end")):
    time.sleep(0.02)
sys.exit("no room") if way == "fails" else print(5)
'''
BESIDE_DESK = "(pcalls (fn [] (tool/desk {})) (fn [] (tool/read {})))"


class Ended(AgentCallsTest):
    """Programs that end while a call is under way which may not be repeated."""

    def waits(self, name, effect, way="ends"):
        return {"name": name, "signature": "() -> :int", "effect": effect,
                "command": [sys.executable, self.file("waits.py", WAITS), str(self.meeting), name, way]}

    def beside_desk(self):
        desk = {"prompt": "Q", "signature": "() -> :int", "program": "(return (tool/pay {}))",
                "tools": [self.waits("pay", "unsafe")]}
        words = self.agent("", tools=[self.waits("read", "pure", "fails")], children={"desk": desk})
        lines = [{"program": BESIDE_DESK}, {"program": "(return 9)", "expect": {"tools": []}}]
        self.file("s.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        return words

    def ledger(self):
        ledger = self.meeting / "ledger"
        return sorted(ledger.read_text(encoding="utf-8").split()) if ledger.exists() else []

    def let_end(self, *names):
        for name in names:
            (self.meeting / f"{name}-may-end").touch()

    @contextlib.contextmanager
    def under_way(self, words, calls):
        """A run with its process, when these calls are under way."""
        trace = self.place / "trace.jsonl"
        with subprocess.Popen([PTCVM, "agent", "run", *words, *self.kept, "--trace", str(trace)],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
            while run.poll() is None and self.ledger() != calls:
                time.sleep(0.02)
            self.assertIsNone(run.poll())
            yield run, trace

    def test_a_call_of_a_child_is_answered_before_the_turn_of_its_parent_ends(self):
        with self.under_way(self.beside_desk(), ["pay", "read"]) as (run, trace):
            self.let_end("read")
            while "no room" not in trace.read_text(encoding="utf-8"):
                time.sleep(0.02)
            self.let_end("pay")
            line = json.loads(run.communicate()[0].splitlines()[-1])
        self.assertEqual((run.returncode, line["return"], line["turns"]), (0, 9, 2))
        self.assertEqual(self.ledger(), ["pay", "read"])

    def test_a_call_of_a_child_is_in_doubt_when_the_process_dies_behind_the_program_of_its_parent(self):
        words = self.beside_desk()
        with self.under_way(words, ["pay", "read"]) as (run, trace):
            self.let_end("read")
            while "no room" not in trace.read_text(encoding="utf-8"):
                time.sleep(0.02)
            run.send_signal(signal.SIGKILL)
        self.let_end("pay")
        for verb in (("run", *words), ("resume",)):
            status, line, err = self.line_of(*verb, *self.kept)
            self.assertEqual((status, line["pending"]), (75, ["desk/doubt:pay"]), err)
        status, line, err = self.line_of("resume", *self.kept, "--resolve", "desk/doubt:pay=5")
        self.assertEqual((status, line["return"]), (0, 9), err)
        self.assertEqual(self.ledger(), ["pay", "read"])
        status, line, err = self.line_of("replay", *self.kept)
        self.assertEqual((status, line["replay"]["same"]), (0, True), err)

    def test_what_a_program_returned_is_kept_while_its_call_is_in_doubt(self):
        tool = {"name": "u", "signature": "() -> :int", "mode": "async", "effect": "unsafe",
                "command": ["sh", "-c", f"echo u >> {self.meeting}/ledger; kill -9 $$"]}
        status, line, err = self.line_of("run", *self.agent("(do (tool/u {}) (return 3))", tools=[tool]), *self.kept)
        self.assertEqual((status, line["pending"]), (75, ["doubt:u"]), err)
        status, line, err = self.line_of("resume", *self.kept, "--resolve", "doubt:u=1")
        self.assertEqual((status, line["return"], self.ledger()), (0, 3, ["u"]), err)

    def test_nothing_is_begun_behind_the_deadline(self):
        tools = [self.waits("file", "keyed"), self.waits("pay", "unsafe")]
        words = self.agent("(return (pcalls (fn [] (tool/file {})) (fn [] (tool/pay {}))))", tools=tools,
                           limits={"deadline_ms": 3000})
        with self.under_way(words, ["file", "pay"]) as (run, _):
            run.send_signal(signal.SIGKILL)
        self.let_end("file", "pay")
        time.sleep(3.1)                               # the deadline
        status, line, err = self.line_of("resume", *self.kept)
        self.assertEqual((status, line["pending"], self.ledger()), (75, ["doubt:pay"], ["file", "pay"]), err)
        status, line, err = self.line_of("resume", *self.kept, "--reject", "doubt:pay=it did not")
        self.assertEqual((status, line["fail"]["reason"], self.ledger()), (1, "mission_timeout", ["file", "pay"]), err)

    def test_a_call_of_a_program_that_has_ended_is_not_made_behind_the_deadline(self):
        tool = {**self.waits("u", "unsafe"), "mode": "async"}
        words = self.agent("(do (tool/u {}) (return 3))", tools=[tool], limits={"deadline_ms": 3000})
        status, line, err = self.line_of("run", *words, *self.kept)
        self.assertEqual((status, line["pending"], self.ledger()), (75, ["doubt:u"], ["u"]), err)
        self.assertIn("it did not happen, and is not made:", err)
        self.let_end("u")
        status, line, err = self.line_of("resume", *self.kept, "--reject", "doubt:u=it did not")
        self.assertEqual((status, line["return"], self.ledger()), (0, 3, ["u"]), err)


if __name__ == "__main__":
    unittest.main(argv=["agent_calls_test"])
