#!/usr/bin/env python3
"""Text of strangers steers no terminal: it is shown without control characters, and on the line where it belongs.

usage: hostile_text_test.py PTCVM   (the program under test)"""
import json
import os
import re
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

STEERS = "a\x1b]0;taken\x07b\x9b2Jc\u202ed"
HARM = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class HostileText(CommandLineTest):
    def assert_harmless(self, *command, shown, status):
        got, out, err = ptcvm(*command)
        self.assertEqual(got, status, (out, err))
        self.assertIsNone(HARM.search(out + err), (command, out, err))
        self.assertIn(shown, out + err)

    def test_names_in_files(self):
        store = ("--store", os.path.join(self.folder.name, "s.db"))
        agent = self.file("agent.json", json.dumps({"prompt": "p", STEERS: 1}, ensure_ascii=False))
        line = self.file("line.jsonl", json.dumps({"kind": "fact", STEERS: 1}, ensure_ascii=False))
        jobs = self.file("jobs.jsonl", json.dumps({"id": "a", "source": "1", STEERS: 1}, ensure_ascii=False))
        link = json.dumps({"planner": {"id": STEERS}}, ensure_ascii=False)
        for command in (("agent", "run", agent, "--model", "scripted:" + self.file("s.jsonl", "")),
                        ("chain", "import", line, *store), ("enqueue", *store, "--bulk", jobs),
                        ("harness", "link", link)):
            self.assert_harmless(*command, shown="b?2Jc?d" if command[0] != "harness" else "there is no planner",
                                 status=65)

    def test_traces(self):
        trace = os.path.join(self.folder.name, "t.jsonl")
        self.assertEqual(ptcvm("run", self.file("p.ptc", '(println "hello")'), "--trace", trace)[0], 0)
        with open(trace, encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        for event in events:
            event.update({name: STEERS for name in ("name", "text", "status") if name in event})
        hostile = self.file("h.jsonl", "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events))
        for command in ("show", "tree"):
            self.assert_harmless("trace", command, hostile, shown="2Jc d", status=0)

    def test_what_a_tool_writes_when_it_fails(self):
        script = self.file("fails.sh", "printf '%s' '" + STEERS + "' >&2; exit 1")
        store = ("--store", self.folder.name + "/s.db", "--id", "r")
        for command in (("eval", "(tool/t {})"), ("eval", "(tool/t {})", *store)):
            self.assert_harmless(*command, "--tool", f"t=sh {script}", shown="a?]0;taken?b", status=1)
        status, out, err = ptcvm("repl", "--tool", f"t=sh {script}", stdin="(tool/t {})\n")
        self.assertIsNone(HARM.search(out + err), (out, err))
        self.assertIn("a?]0;taken?b", err)

    def test_a_draft_stays_on_its_line(self):
        kept = ("--store", os.path.join(self.folder.name, "s.db"), "--id", "c")
        ptcvm("harness", "say", *kept, "hello")
        plan = self.file("plan.ptc", '(propose {:type :compose_intent :text "one\\nptcvm: two\\u001b[2J"})')
        self.assert_harmless("harness", "run", *kept, "--planner", plan, shown=": one ptcvm: two [2J\n", status=75)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
