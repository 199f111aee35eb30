#!/usr/bin/env python3
"""ptcvm agent: agents on the command line, with models that need no network.

usage: agent_test.py PTCVM   (the program under test)"""
import json
import os
import pathlib
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

ORDERS = {"name": "orders", "prompt": "How many rows does {{customer}} have?",
          "signature": "(customer :string, rows [:map]) -> {count :int}"}
DATA = {"customer": "Ann", "rows": [{"customer": "Ann"}, {"customer": "Bo"}, {"customer": "Ann"}]}
COUNT = {"program": "(return {:count (count (filter (fn [r] (= (:customer r) data/customer)) data/rows))})",
         "usage": {"input": 120, "output": 15}}
PAY = {"name": "p", "prompt": "Pay Ann.", "signature": "() -> {receipt :string}",
       "tools": [{"name": "pay", "signature": "(to :string) -> :string", "description": "Pays", "effect": "keyed"}]}


class AgentTest(CommandLineTest):
    def json(self, name, document):
        return self.file(name, json.dumps(document))

    def script(self, *lines):
        return "scripted:" + self.file("script.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def agent(self, *args, stdin=""):
        """The exit status, the last line of standard output, all of standard output and standard error."""
        status, out, err = ptcvm("agent", *args, stdin=stdin)
        return status, json.loads(out.splitlines()[-1]) if out else None, out, err


class Run(AgentTest):
    def test_an_agent_that_returns_ends_with_0_and_its_line(self):
        status, line, _, err = self.agent("run", self.json("a.json", ORDERS), "--data", self.json("d.json", DATA),
                                          "--model", self.script(COUNT))
        self.assertEqual((status, line["status"], line["return"], line["turns"]), (0, "ok", {"count": 2}, 1), err)
        self.assertEqual((line["usage"]["input"], line["usage"]["output"]), (120, 15))
        self.assertEqual((line["fail"], line["pending"]), (None, []))

    def test_fail_ends_with_1_reason_and_message(self):
        status, line, _, _ = self.agent("run", self.json("a.json", PAY), "--model", self.script(
            {"program": '(fail {:reason :no_money :message "there is none"})'}))
        self.assertEqual((status, line["status"]), (1, "error"))
        self.assertEqual(line["fail"], {"reason": "no_money", "message": "there is none"})

    def test_a_tool_is_a_command_of_the_file_or_of_the_command_line(self):
        program = self.script({"program": '(return {:receipt (tool/pay {:to "ann"})})'})
        command = ["sh", "-c", "read args; echo '\"r-1\"'"]
        in_file = {**PAY, "tools": [{**PAY["tools"][0], "command": command}]}
        _, line, _, err = self.agent("run", self.json("a.json", in_file), "--model", program)
        self.assertEqual(line["return"], {"receipt": "r-1"}, err)
        _, line, _, err = self.agent("run", self.json("b.json", PAY), "--model", program, "--tool-shell",
                                     "pay=cat > /dev/null; echo '\"r-2\"'")
        self.assertEqual(line["return"], {"receipt": "r-2"}, err)

    def test_a_tool_without_a_command_suspends_with_75(self):
        status, line, _, _ = self.agent("run", self.json("a.json", PAY), "--model", self.script(
            {"program": '(return {:receipt (tool/pay {:to "ann"})})'}))
        self.assertEqual((status, line["status"], line["pending"]), (75, "suspended", ["pay"]))

    def test_a_script_that_has_no_line_left_is_named(self):
        status, line, _, err = self.agent("run", self.json("a.json", PAY), "--model", self.script())
        self.assertEqual((status, line["fail"]["reason"]), (1, "script_used_up"))
        self.assertIn("script_used_up", err)

    def test_waiting_for_a_retry_takes_no_time_with_a_script(self):
        refused = {"http": 429, "headers": {"retry-after": "3600"}, "body": {"error": {"message": "slow down"}}}
        _, line, _, _ = self.agent("run", self.json("a.json", PAY), "--model",
                                   self.script(refused, {"program": '(return {:receipt "a"})'}))
        self.assertEqual((line["return"], line["usage"]["model_calls"]), ({"receipt": "a"}, 2))

    def test_files_that_cannot_be_used_are_refused_with_65(self):
        agent = self.json("a.json", {**PAY, "max_turn": 3})
        for args in (("run", agent, "--model", self.script()), ("run", "none.json", "--model", self.script()),
                     ("run", self.json("b.json", PAY), "--model", "soap:x"),
                     ("run", self.json("b.json", PAY), "--model", "mailbox:none"),
                     ("run", self.json("b.json", PAY), "--model", "scripted:" + self.file("s", "{"))):
            status, out, err = ptcvm("agent", *args)
            self.assertEqual((status, out), (65, ""), err)
            self.assertTrue(err)


class Replay(AgentTest):
    def test_a_recorded_run_is_replayed_to_the_same_line(self):
        agent, data = self.json("a.json", ORDERS), self.json("d.json", DATA)
        recording = os.path.join(self.folder.name, "r.jsonl")
        first = self.agent("run", agent, "--data", data, "--model",
                           self.script({"text": "Let me look."}, COUNT), "--record", recording)
        again = self.agent("run", agent, "--data", data, "--model", "replay:" + recording)
        self.assertEqual((again[0], again[1]), (first[0], first[1]))
        self.assertEqual(again[1]["turns"], 2)

    def test_a_changed_request_is_a_miss_with_the_lines_that_differ(self):
        agent, data = self.json("a.json", ORDERS), self.json("d.json", DATA)
        recording = os.path.join(self.folder.name, "r.jsonl")
        self.agent("run", agent, "--data", data, "--model", self.script(COUNT), "--record", recording)
        other = self.json("d.json", {**DATA, "customer": "Bo"})
        status, line, _, _ = self.agent("run", agent, "--data", other, "--model", "replay:" + recording)
        self.assertEqual((status, line["fail"]["reason"]), (1, "recording_miss"))
        self.assertIn('"Bo"', line["fail"]["message"])


class Faces(AgentTest):
    def test_prompt_shows_the_first_request_and_asks_nobody(self):
        agent, data = self.json("a.json", ORDERS), self.json("d.json", DATA)
        status, out, _ = ptcvm("agent", "prompt", agent, "--data", data)
        self.assertEqual(status, 0)
        for part in ("run_program", "data/customer", "{count :int}"):
            self.assertIn(part, out)
        body = json.loads(ptcvm("agent", "prompt", agent, "--data", data, "--output", "json")[1])
        self.assertEqual(body["messages"][0]["role"], "system")

    def test_chat_says_each_line(self):
        agent = self.json("a.json", {"name": "c", "prompt": "{{message}}", "signature": "(message :string) -> :string",
                                     "output": "text"})
        status, line, out, err = self.agent("chat", agent, "--model", self.script(
            {"text": "Hello Ann."}, {"text": "It is 42.", "expect": {"newest": {"contains": ["what is it"]}}}),
            stdin="I am Ann\nWhat is it?\n")
        self.assertEqual((status, out.splitlines()[:-1]), (0, ["Hello Ann.", "It is 42."]), err)
        self.assertEqual(line["usage"]["model_calls"], 2)

    def test_a_stream_is_written_as_it_comes(self):
        _, _, out, _ = self.agent("run", self.json("a.json", PAY), "--stream", "--model", self.script(
            {"text": "I pay her now.", "program": '(return {:receipt "a"})'}))
        self.assertIn("I pay her now.", out.splitlines()[0])

    def test_a_trace_and_progress_tell_what_happens(self):
        trace = os.path.join(self.folder.name, "t.jsonl")
        _, _, _, err = self.agent("run", self.json("a.json", PAY), "--model", self.script(
            {"program": '(return {:receipt (tool/pay {:to "ann"})})'}), "--trace", trace, "--progress",
            "--tool-shell", "pay=cat > /dev/null; echo '\"r\"'")
        events = [json.loads(line)["event"] for line in pathlib.Path(trace).read_text(encoding="utf-8").splitlines()]
        self.assertEqual(events, ["model_start", "model_end", "tool_start", "tool_end"])
        self.assertIn("turn 1", err)

    def test_a_mailbox_lets_somebody_else_be_the_model(self):
        box = os.path.join(self.folder.name, "box")
        os.mkdir(box)
        pathlib.Path(box, "1.reply.json").write_text(json.dumps({"program": '(return {:receipt "m"})'}),
                                                     encoding="utf-8")
        status, line, _, err = self.agent("run", self.json("a.json", PAY), "--model", "mailbox:" + box)
        self.assertEqual((status, line["return"]), (0, {"receipt": "m"}), err)
        request = json.loads(pathlib.Path(box, "1.request.json").read_text(encoding="utf-8"))
        self.assertEqual((request["number"], request["callable"]), (1, ["pay"]))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
