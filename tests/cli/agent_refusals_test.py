#!/usr/bin/env python3
"""ptcvm agent: what is refused is not paid for and changes nothing, and says what it was.

usage: agent_refusals_test.py PTCVM   (the program under test)"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import unittest

from agent_test import PAY, AgentTest
from ptcvm_process import PTCVM, ptcvm

ADDS = {"name": "a", "prompt": "P", "signature": "() -> :int"}
USED = {"usage": {"input": 100, "output": 10}}
RETURNS = {"program": "(return 7)", **USED}
DEFINES = {"program": "(def x 1)", **USED}
NOT_UTF8 = b"(return 7) ; \xff\n"


class Stored(AgentTest):
    def setUp(self):
        super().setUp()
        self.kept = ("--store", self.place("s.db"), "--id", "r")

    def begin(self, *lines, agent=None, more=()):
        return self.agent("run", self.json("a.json", agent or ADDS), "--model", self.script(*lines), *self.kept, *more)

    def resume(self, *words):
        return self.agent("resume", *self.kept, *words)

    def calls(self):
        status, _, out, err = self.agent("cost", *self.kept, "--json")
        self.assertEqual(status, 0, err)
        return json.loads(out)["sum"]["calls"]


class Paid(Stored):
    def test_a_refused_answer_costs_no_request(self):
        self.begin({**RETURNS, "expect": {"contains": ["what is not there"]}})
        for _ in range(3):
            status, _, _, err = self.resume("--resolve", "nothing=1")
            self.assertEqual(status, 65, err)
        self.script(RETURNS)
        status, line, _, err = self.resume()
        self.assertEqual((status, line["return"], line["usage"]["model_calls"]), (0, 7, 1), err)
        self.assertEqual(self.calls(), 1)

    def test_a_script_that_sends_no_reply_costs_no_request(self):
        self.begin(DEFINES)
        for _ in range(3):
            status, line, _, err = self.resume()
            came = (status, line["fail"]["reason"], line["usage"]["model_calls"])
            self.assertEqual(came, (1, "script_used_up", 2), err)
        self.script(DEFINES, RETURNS)
        status, line, _, err = self.resume()
        self.assertEqual((status, line["return"], line["usage"]["model_calls"]), (0, 7, 2), err)
        self.assertEqual(self.calls(), 2)
        status, line, _, err = self.agent("replay", *self.kept)
        self.assertEqual((status, line["replay"]["same"]), (0, True), err)

    def test_a_model_that_is_not_there_costs_no_request(self):
        program = self.file("p.ptc", "(def x 1)")
        self.agent("run", self.json("a.json", ADDS), "--model", f"program:{program}", *self.kept)
        for _ in range(3):
            status, line, _, err = self.resume()
            self.assertEqual((status, line["fail"]["reason"]), (1, "llm_required"), err)
        status, line, _, err = self.resume("--model", self.script(RETURNS))
        self.assertEqual((status, line["return"], line["usage"]["model_calls"]), (0, 7, 1), err)

    def test_a_lost_request_that_was_not_repeated_has_no_known_cost(self):
        os.environ["PTCVM_MODEL_KEY"] = "none"
        with socket.create_server(("127.0.0.1", 0)) as server:
            url = f"chat:m@http://127.0.0.1:{server.getsockname()[1]}/v1"
            agent = self.json("a.json", {**ADDS, "limits": {"deadline_ms": 1500}})
            prices = self.json("prices.json", {"*": {"input": 1, "output": 1}})
            with subprocess.Popen([PTCVM, "agent", "run", agent, "--model", url, *self.kept, "--prices", prices],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
                connection = server.accept()[0]
                run.send_signal(signal.SIGKILL)
            connection.close()
        time.sleep(1.6)                               # the deadline
        status, line, _, err = self.resume()
        self.assertEqual((status, line["fail"]["reason"], line["usage"]["money"]), (1, "mission_timeout", None), err)
        status, _, out, err = self.agent("cost", *self.kept, "--json")
        self.assertIsNone(json.loads(out)["sum"]["money"])
        self.assertIn("1 requests were lost", err)

    def test_without_prices_nobody_knows_what_a_run_has_cost(self):
        for where in ((), self.kept):
            status, line, _, err = self.agent("run", self.json("a.json", ADDS), "--model", self.script(RETURNS), *where)
            self.assertEqual((status, line["usage"]["money"]), (0, None), err)


class Raised(Stored):
    SAYS = "the run r has ended, and goes on with --say: what was raised counts then"

    def test_what_is_raised_behind_the_end_counts_when_the_run_goes_on(self):
        self.begin(RETURNS, RETURNS, agent={**ADDS, "limits": {"turns": 1}})
        status, line, _, err = self.resume("--raise", "turns=1")
        self.assertEqual((status, line["return"]), (0, 7))
        self.assertIn(self.SAYS, err)
        status, line, _, err = self.resume("--say", "Again.")
        self.assertEqual((status, line["turns"]), (0, 2), err)

    def test_nothing_is_said_of_a_run_that_goes_on(self):
        self.begin(RETURNS, RETURNS, agent={**ADDS, "limits": {"turns": 1}})
        status, line, _, err = self.resume("--raise", "turns=1", "--say", "Again.")
        self.assertEqual((status, line["turns"]), (0, 2), err)
        self.assertNotIn(self.SAYS, err)


class Data(Stored):
    def test_a_run_keeps_its_data(self):
        agent = {**ADDS, "signature": "(n :int) -> :int",
                 "tools": [{"name": "ask", "signature": "() -> :int", "effect": "pure"}]}
        line = {"program": "(return (+ data/n (tool/ask {})))"}
        status, _, _, err = self.begin(line, agent=agent, more=("--data", self.json("one.json", {"n": 1})))
        self.assertEqual(status, 75, err)
        status, _, _, err = self.begin(line, agent=agent, more=("--data", self.json("two.json", {"n": 2})))
        self.assertEqual(status, 65, err)
        self.assertIn("was begun with other data", err)
        status, _, _, err = self.begin(line, agent=agent, more=("--data", self.json("same.json", {"n": 1})))
        self.assertEqual(status, 75, err)
        status, line, _, err = self.resume("--resolve", "ask=5")
        self.assertEqual((status, line["return"]), (0, 6), err)


ASKS = {**ADDS, "signature": "() -> :any", "tools": [{"name": "ask", "signature": "() -> :any", "effect": "pure"}]}
CALLS = {"program": "(return (tool/ask {}))"}


class Words(Stored):
    def log(self):
        status, out, err = ptcvm("journal", "export", *self.kept)
        self.assertEqual(status, 0, err)
        return out

    def test_refused_words_leave_no_other_model_and_no_lower_limit(self):
        self.begin(CALLS, agent=ASKS)
        before = self.log()
        for words in (("--resolve", "nothing=1"), ("--resolve", "ask=no JSON"), ("--raise", "beer=1"),
                      ("--limit", "beer=1"), ("--reject", "child/ask=no")):
            for more in (("--limit", "turns=2"), ("--model", "program:" + self.file("p.ptc", "(return 1)"))):
                status, _, _, err = self.resume(*more, *words)
                self.assertEqual((status, self.log()), (65, before), (words, err))
        status, line, _, err = self.resume("--limit", "turns=2", "--resolve", "ask=5")
        self.assertEqual((status, line["return"]), (0, 5), err)
        self.assertIn("budget_lowered", self.log())


class Numbers(Stored):
    WRONG = '{"a": [1, 1e999]}'
    FAULT = "invalid JSON number: 1e999 is beyond the largest float"

    def test_an_answer_with_a_number_beyond_floats_is_refused(self):
        self.begin(CALLS, agent=ASKS)
        status, _, _, err = self.resume("--resolve", "ask=" + self.WRONG)
        self.assertEqual(status, 65, err)
        self.assertIn("ask: " + self.FAULT, err)
        status, line, _, err = self.resume("--resolve", 'ask=["1e999", 1e308]')
        self.assertEqual((status, line["return"]), (0, ["1e999", 1e308]), err)

    def test_data_with_such_a_number_is_refused(self):
        for text in (self.WRONG, '{"a": -1' + 400 * "0" + "}"):
            status, _, _, err = self.begin(RETURNS, more=("--data", self.file("d.json", text)))
            self.assertEqual(status, 65, err)
            self.assertIn("the data has an invalid JSON number", err)

    def test_the_output_of_a_command_with_such_a_number_is_no_json(self):
        for effect, status in (("pure", 1), ("unsafe", 75)):
            tool = {**ASKS["tools"][0], "effect": effect, "command": ["echo", self.WRONG]}
            self.kept = ("--store", self.place(effect + ".db"), "--id", "r")
            hears = {"program": "(fail \"gives up\")", "expect": {"newest": {"contains": [self.FAULT]}}}
            came, line, _, err = self.begin(CALLS, hears, agent={**ASKS, "tools": [tool]})
            self.assertEqual((came, line["pending"]), (status, ["doubt:ask"] if effect == "unsafe" else []), err)

    def test_a_script_has_no_such_number(self):
        script = self.file("s.jsonl", '{"tool_calls": [{"name": "ask", "args": {"x": 1e999}}]}\n')
        status, _, _, err = self.agent("run", self.json("a.json", ASKS), "--model", "scripted:" + script)
        self.assertEqual(status, 65, err)
        self.assertIn('"args" has an invalid JSON number', err)


class Text(Stored):
    def test_a_line_of_a_chat_that_is_no_text_does_not_end_it(self):
        agent = self.json("a.json", {"name": "a", "prompt": "{{message}}", "output": "text"})
        script = self.script({"text": "one"}, {"text": "two"})
        run = subprocess.run([PTCVM, "agent", "chat", agent, "--model", script], input=b"caf\xe9\nagain \xff\n",
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((run.returncode, run.stdout.splitlines()[:2]), (0, [b"one", b"two"]), run.stderr)

    def test_a_program_that_is_no_text_is_named(self):
        self.begin(RETURNS)
        program = pathlib.Path(self.place("bad.ptc"))
        program.write_bytes(NOT_UTF8)
        for words in (("run", self.json("a.json", ADDS), "--model", f"program:{program}"),
                      ("replay", *self.kept, "--with-program", f"1={program}")):
            status, _, _, err = self.agent(*words)
            self.assertEqual(status, 65, err)
            self.assertIn("bad.ptc has bytes that are no UTF-8", err)


class Replay(Stored):
    def test_a_program_that_fails_in_the_place_of_another_says_why(self):
        self.begin(RETURNS)
        for text, reason in (('(return "x")', "validation_error"), ("(/ 1 0)", "arithmetic_error"),
                             (";" * 70_000, "not_run")):
            status, line, _, err = self.agent("replay", *self.kept, "--with-program", "1=" + self.file("p.ptc", text))
            self.assertEqual((status, line["fail"]["reason"]), (1, reason), err)
            self.assertIn("the program of turn 1", line["fail"]["message"])

    def test_a_turn_has_one_program(self):
        self.begin(RETURNS)
        program = "1=" + self.file("p.ptc", "(return 1)")
        status, _, _, err = self.agent("replay", *self.kept, "--with-program", program, "--with-program", program)
        self.assertEqual(status, 65, err)
        self.assertIn("has turn 1 twice", err)


class Named(AgentTest):
    def refused(self, document, *words):
        status, _, _, err = self.agent("prompt", self.json("a.json", {**ADDS, **document}), *words)
        self.assertEqual(status, 65, err)
        return err

    def test_members_that_say_nothing_are_refused(self):
        self.assertIn('"program" is empty', self.refused({"program": ""}))
        self.assertIn("a whole number from 1 on", self.refused({"limits": {"deadline_ms": 0}}))
        tool = {**PAY["tools"][0], "name": "run_program"}
        self.assertIn("the model has a tool run_program already", self.refused({"tools": [tool]}))

    def test_an_agent_that_asks_no_model_has_no_prompt(self):
        self.assertIn("asks no model", self.refused({"program": "(return 1)"}))

    def test_a_limit_that_nobody_knows_is_refused_with_those_that_there_are(self):
        status, _, _, err = self.agent("run", self.json("a.json", ADDS), "--model", self.script(RETURNS), "--limit",
                                       "turn=1")
        self.assertEqual(status, 65, err)
        self.assertIn("the limits are turns, retry_turns", err)


if __name__ == "__main__":
    unittest.main(argv=["agent_refusals_test"])
