#!/usr/bin/env python3
"""ptcvm agent replay and compile: what a model did once is done again without it.

usage: agent_replay_test.py PTCVM   (the program under test)"""
import json
import os
import pathlib
import sys
import unittest

from agent_test import COUNT, DATA, ORDERS, PAY, AgentTest
from ptcvm_process import ptcvm

ANSWERING = ["sh", "-c", "cat > /dev/null; echo '\"r\"'"]
PAYING = {**PAY, "tools": [{**PAY["tools"][0], "command": ANSWERING}]}
ASKING = {**PAYING, "tools": [{**PAYING["tools"][0], "ask": True}]}
TURNS = ({"program": '(def r (tool/pay {:to "ann"}))', "usage": {"input": 100, "output": 10}},
         {"program": "(return {:receipt r})", "usage": {"input": 150, "output": 5}})
RESULT = {"receipt": "r"}


class Kept(AgentTest):
    def setUp(self):
        super().setUp()
        self.kept = ("--store", self.place("s.db"), "--id", "r")

    def begin(self, agent=PAYING, turns=TURNS):
        return self.agent("run", self.json("a.json", agent), "--model", self.script(*turns), *self.kept)

    def replay(self, *args):
        return self.agent("replay", *self.kept, *args)


class Replay(Kept):
    def test_a_run_comes_to_the_same_fuel_and_the_same_bytes(self):
        _, first, _, err = self.begin()
        status, line, _, _ = self.replay()
        self.assertEqual((status, line["return"], line["usage"]), (0, RESULT, first["usage"]), err)
        self.assertEqual((line["replay"]["same"], line["replay"]["fuel"]), (True, first["usage"]["fuel"]))

    def test_a_run_of_several_processes_does_too(self):
        self.begin(agent=ASKING)
        self.assertEqual(self.replay()[:1], (75,))
        self.agent("resume", *self.kept, "--resolve", "approve:pay=true")
        status, line, _, err = self.replay()
        self.assertEqual((status, line["return"], line["replay"]["same"]), (0, RESULT, True), err)

    def test_a_replay_calls_nothing_and_changes_nothing(self):
        ledger = self.place("ledger")
        self.begin(agent={**PAY, "tools": [{**PAY["tools"][0], "command": [
            "sh", "-c", f"cat > /dev/null; echo paid >> {ledger}; echo '\"r\"'"]}]})
        before = self.agent("show", *self.kept)[1]
        self.replay()
        self.replay("--with-program", "2=" + self.file("p.ptc", "(return {:receipt r})"))
        self.assertEqual(pathlib.Path(ledger).read_text(encoding="utf-8"), "paid\n")
        self.assertEqual(self.agent("show", *self.kept)[1], before)

    def test_another_program_in_a_turn_goes_its_own_way(self):
        self.begin()
        program = self.file("p.ptc", '(return {:receipt (str r "-2")})')
        status, line, _, err = self.replay("--with-program", "2=" + program)
        self.assertEqual((status, line["return"], line["turns"]), (0, {"receipt": "r-2"}, 2), err)

    def test_a_program_that_ends_earlier_has_fewer_turns(self):
        self.begin()
        program = self.file("p.ptc", '(return {:receipt (tool/pay {:to "ann"})})')
        _, line, _, err = self.replay("--with-program", "1=" + program)
        self.assertEqual((line["return"], line["turns"]), (RESULT, 1), err)

    def test_later_turns_say_what_they_said(self):
        self.begin()
        program = self.file("p.ptc", '(def r (str "x" (tool/pay {:to "ann"})))')
        _, line, _, err = self.replay("--with-program", "1=" + program)
        self.assertEqual((line["return"], line["turns"]), ({"receipt": "xr"}, 2), err)

    def test_a_call_that_the_run_did_not_make_is_a_named_miss(self):
        self.begin()
        program = self.file("p.ptc", '(return {:receipt (tool/pay {:to "bo"})})')
        status, line, _, _ = self.replay("--with-program", "2=" + program)
        self.assertEqual((status, line["fail"]["reason"]), (1, "recording_miss"))
        for part in ("turn 2", "pay", '"bo"'):
            self.assertIn(part, line["fail"]["message"])

    def test_a_turn_that_needs_a_further_reply_is_a_named_miss(self):
        self.begin()
        status, line, _, _ = self.replay("--with-program", "2=" + self.file("p.ptc", "(+ 1 1)"))
        self.assertEqual((status, line["fail"]["reason"]), (1, "recording_miss"))
        self.assertIn("turn 3", line["fail"]["message"])

    def test_an_approval_is_given_again(self):
        self.begin(agent=ASKING)
        self.agent("resume", *self.kept, "--resolve", "approve:pay=true")
        program = self.file("p.ptc", '(return {:receipt (str "a" (tool/pay {:to "ann"}))})')
        _, line, _, err = self.replay("--with-program", "1=" + program)
        self.assertEqual(line["return"], {"receipt": "ar"}, err)

    def test_another_call_of_a_tool_that_asks_is_a_named_miss(self):
        self.begin(agent=ASKING)
        self.agent("resume", *self.kept, "--resolve", "approve:pay=true")
        program = self.file("p.ptc", '(return {:receipt (tool/pay {:to "bo"})})')
        status, line, _, err = self.replay("--with-program", "1=" + program)
        self.assertEqual((status, line["fail"]["reason"]), (1, "recording_miss"), err)
        for part in ("turn 1", "pay", '"bo"'):
            self.assertIn(part, line["fail"]["message"])

    def test_a_limit_that_was_lowered_later_counts(self):
        self.begin(agent=ASKING)
        _, line, _, err = self.agent("resume", *self.kept, "--limit", "model_calls=1", "--resolve", "approve:pay=true")
        self.assertEqual(line["fail"]["reason"], "budget_exhausted", err)
        program = self.file("p.ptc", '(def r (str "x" (tool/pay {:to "ann"})))')
        status, line, _, err = self.replay("--with-program", "1=" + program)
        self.assertEqual((status, line["fail"]["reason"]), (1, "budget_exhausted"), (line, err))

    def test_a_limit_that_was_raised_later_counts(self):
        self.begin(agent={**ASKING, "max_turns": 2}, turns=(TURNS[0], {"program": "(+ 1 1)"}, TURNS[1]))
        _, line, _, err = self.agent("resume", *self.kept, "--raise", "turns=1", "--resolve", "approve:pay=true")
        self.assertEqual(line["return"], RESULT, err)
        program = self.file("p.ptc", '(def r (str "x" (tool/pay {:to "ann"})))')
        _, line, _, err = self.replay("--with-program", "1=" + program)
        self.assertEqual((line["return"], line["turns"]), ({"receipt": "xr"}, 3), (line, err))

    def test_a_call_that_the_run_still_asks_about_is_asked_about_again(self):
        self.begin(agent=ASKING)
        program = self.file("p.ptc", '(return {:receipt (str "a" (tool/pay {:to "ann"}))})')
        status, line, _, err = self.replay("--with-program", "1=" + program)
        self.assertEqual((status, line["pending"]), (75, ["approve:pay"]), err)

    def test_what_cannot_be_replayed_is_refused_with_65(self):
        self.begin()
        for change in ("3=" + self.file("p.ptc", "1"), "0=" + self.file("p.ptc", "1"), "x", "1=none.ptc"):
            status, out, err = ptcvm("agent", "replay", *self.kept, "--with-program", change)
            self.assertEqual((status, out), (65, ""), (change, err))
        self.assertEqual(ptcvm("agent", "replay", *self.kept[:3], "other")[0], 65)


KILLING = {**PAY, "tools": [{"name": "pay", "signature": "(to :string) -> :string", "effect": "unsafe", "mode": "async",
                             "command": ["sh", "-c", "kill -9 $PPID"]}]}


class ReplayOfSeveralProcesses(Kept):
    def test_a_program_that_ended_beside_a_call_in_doubt(self):
        self.begin(agent=KILLING, turns=(
            {"program": "(def big (mapv str (range 300)))"},
            {"program": '(do (def big (tool/pay {:to "ann"})) (/ 1 0))'},
            {"program": "(return {:receipt (str (count big))})"}))
        self.assertEqual(self.agent("resume", *self.kept)[1]["pending"], ["doubt:pay"])
        _, line, _, err = self.agent("resume", *self.kept, "--resolve", 'doubt:pay="' + "r" * 400 + '"')
        self.assertEqual(line["return"], {"receipt": "300"}, err)
        status, line, _, err = self.replay()
        self.assertEqual((status, line["replay"]["same"]), (0, True), err)

    def test_a_process_that_only_looked(self):
        self.begin(agent={**PAYING, "max_turns": 2, "on_exhausted": "ask"},
                   turns=({"program": "(def a [1 2 3])"}, {"program": "(def a 2)"},
                          {"program": '(return {:receipt "r"})'}))
        self.assertEqual(self.agent("resume", *self.kept)[1]["pending"], ["budget"])
        self.assertEqual(self.replay()[1]["replay"]["same"], True)
        self.assertEqual(self.agent("resume", *self.kept, "--raise", "turns=1")[1]["return"], RESULT)
        self.assertEqual(self.replay()[1]["replay"]["same"], True)

    def test_an_answer_that_was_refused_after_a_kill(self):
        for agent, doubts in ((KILLING, ["doubt:pay"]), (ASKING, ["approve:pay"])):
            self.kept = ("--store", self.place(doubts[0] + ".db"), "--id", "r")
            self.begin(agent=agent)
            for word in ("zz=1", "doubt:zz=1", "approve:zz=true"):
                self.assertEqual(ptcvm("agent", "resume", *self.kept, "--resolve", word)[0], 65)
            self.assertEqual(self.agent("resume", *self.kept)[1]["pending"], doubts)
            self.assertEqual(self.replay()[1]["replay"]["same"], True)

    def test_another_kind_of_model_that_goes_on(self):
        box = self.place("box")
        os.mkdir(box)
        self.begin(turns=TURNS[:1])
        self.file("box/1.reply.json", json.dumps(TURNS[1]))
        status, line, _, err = self.agent("resume", *self.kept, "--model", "mailbox:" + box)
        self.assertEqual((status, line["return"]), (0, RESULT), err)
        self.assertEqual(self.replay()[1]["replay"]["same"], True)
        program = self.file("p.ptc", '(return {:receipt (str r "-2")})')
        self.assertEqual(self.replay("--with-program", "2=" + program)[1]["return"], {"receipt": "r-2"})

    def test_another_kind_of_model_whose_process_is_killed(self):
        self.begin(turns=TURNS[:1])
        other = "replay:" + self.file("recorded.jsonl", "")
        self.agent("resume", *self.kept, "--model", other)
        killing = {**TURNS[1], "program": '(return {:receipt (tool/pay {:to "bo"})})'}
        kill = "pay=kill -9 $PPID"
        self.agent("resume", *self.kept, "--tool-shell", kill, "--model", self.script(killing))
        _, line, _, err = self.agent("resume", *self.kept, "--model", other)
        self.assertEqual(line["return"], RESULT, err)
        self.assertEqual(self.replay()[1]["replay"]["same"], True)


class RunAgain(Kept):
    def test_a_run_keeps_the_data_with_which_it_was_begun(self):
        agent, data = self.json("a.json", ORDERS), self.json("d.json", DATA)
        other = self.json("e.json", {**DATA, "customer": "Bo"})
        run = ("run", agent, "--model", self.script(COUNT), *self.kept)
        self.assertEqual(self.agent(*run)[0], 65)             # there is no such run, and the agent needs data
        self.assertEqual(self.agent(*run, "--data", data)[1]["return"], {"count": 2})
        for more in ((), ("--data", data)):
            status, line, _, err = self.agent(*run, *more)
            self.assertEqual((status, line and line["return"]), (0, {"count": 2}), err)
        status, _, _, err = self.agent(*run, "--data", other)
        self.assertEqual((status, "other data" in err), (65, True), err)


class Compile(AgentTest):
    def compile(self, agent, *turns, data=None):
        out = self.place("out.ptc")
        data = ("--data", self.json("d.json", data)) if data else ()
        status, line, _, err = self.agent("compile", self.json("a.json", agent), *data, "--model",
                                          self.script(*turns), "--out", out)
        text = pathlib.Path(out).read_text(encoding="utf-8") if os.path.exists(out) else None
        return status, line, text, err

    def test_the_program_that_worked_runs_without_a_model(self):
        status, line, text, err = self.compile(ORDERS, {"program": "(count data/rows)"}, COUNT, data=DATA)
        self.assertEqual((status, line["return"]), (0, {"count": 2}), err)
        self.assertNotIn("(count data/rows)\n", text)   # the program that looked around is not kept
        other = self.json("e.json", {"customer": "Bo", "rows": DATA["rows"]})
        status, line, _, err = self.agent("run", self.json("a.json", ORDERS), "--data", other, "--model",
                                          "program:" + self.place("out.ptc"))
        self.assertEqual((status, line["return"], line["turns"]), (0, {"count": 1}, 1), err)

    def test_definitions_of_earlier_turns_are_kept_when_they_are_needed(self):
        status, _, text, err = self.compile(PAYING, *TURNS)
        self.assertEqual(status, 0, err)
        self.assertIn("(def r", text)
        self.assertIn("(return", text)

    def test_a_program_that_asks_a_model_is_refused(self):
        agent = {**PAY, "tools": [], "children": {"ask": {"prompt": "Say it.", "signature": "() -> :string"}}}
        status, line, text, _ = self.compile(agent, {"program": "(return {:receipt (tool/ask {})})"},
                                             {"program": '(return "r")', "for": "ask"})
        self.assertEqual((status, line["fail"]["reason"], text), (1, "llm_required", None))

    def test_a_run_that_fails_leaves_no_program(self):
        status, line, text, _ = self.compile(PAY, {"program": "(fail {:reason :no})"})
        self.assertEqual((status, line["fail"]["reason"], text), (1, "no", None))

    def test_a_program_that_does_not_end_the_task_needs_a_model(self):
        status, line, _, _ = self.agent("run", self.json("a.json", PAY), "--model",
                                        "program:" + self.file("p.ptc", "(return 1)"))
        self.assertEqual((status, line["fail"]["reason"]), (1, "llm_required"))


class Progress(Kept):
    def test_progress_says_what_is_spent_and_whom_the_run_waits_for(self):
        prices = self.json("p.json", {"*": {"input": 2, "output": 8}})
        _, _, _, err = self.agent("run", self.json("a.json", {**PAY, "tools": [{**PAY["tools"][0], "ask": True}]}),
                                  "--model", self.script(*TURNS), *self.kept, "--progress", "--prices", prices)
        self.assertIn("turn 1, 0 tokens, 1 model calls, 0.000000 spent: asks model", err)
        self.assertIn(f"turn 1, 110 tokens, 1 model calls, {(100 * 2 + 10 * 8) / 1e6:.6f} spent: "
                      "waits for approve:pay, a person who decides", err)

    def test_a_stream_can_be_resumed_and_the_trace_has_waits(self):
        trace = self.place("t.jsonl")
        self.agent("run", self.json("a.json", ASKING), "--model", self.script(*TURNS), *self.kept, "--trace", trace)
        events = [json.loads(line) for line in pathlib.Path(trace).read_text(encoding="utf-8").splitlines()]
        self.assertEqual([(e["event"], e["path"]) for e in events],
                         [("model_start", "model"), ("model_end", "model"), ("wait", "approve:pay")])

    def test_prices_that_cannot_be_read_are_refused(self):
        status, _, err = ptcvm("agent", "run", self.json("a.json", PAY), "--model", self.script(*TURNS), "--prices",
                               self.file("p.json", "[]"))
        self.assertEqual(status, 65)
        self.assertIn("million", err)


class Help(AgentTest):
    COMMANDS = ("run", "resume", "prompt", "show", "fork", "cost", "chat", "compile", "replay")

    def test_every_command_says_what_it_does_with_examples(self):
        listed = ptcvm("agent", "--help")[1]
        for name in self.COMMANDS:
            status, out, _ = ptcvm("agent", name, "--help")
            self.assertEqual(status, 0)
            self.assertIn(f"ptcvm agent {name}", out)
            self.assertIn("Examples:", out)
            self.assertIn(f"  {name} ", listed)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
