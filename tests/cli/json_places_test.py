#!/usr/bin/env python3
"""Every file that the command line reads as JSON: what is no JSON is reported with line and column.

usage: json_places_test.py PTCVM   (the program under test)"""
import json
import os
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

BAD = '{"a": 1,\n "é": tru}\n'                       # line 2, column 7
AGENT = {"prompt": "Say 7.", "signature": "() -> :int"}
REPLY = {"program": "(return 7)"}
RECORDED = {"request": {}, "reply": {"status": 200, "body": "{}"}}
BAD_LINE = '{"é": tru}'                               # column 7
# Commands with BAD for a file with such a document; STORE is a store.
DOCUMENTS = [
    "eval 1 --data BAD", "eval 1 --data k=BAD", "check PROGRAM --data BAD", "run PROGRAM --data BAD",
    "repl --data BAD", "enqueue PROGRAM r --store STORE --data BAD", "schedule put s PROGRAM --cron @ --data BAD",
    "eval 1 --tools BAD", "resume --tools BAD --store STORE other", "work --once --tools BAD --store STORE",
    "worker --once --tools BAD --store STORE", "check PROGRAM --tools BAD", "batch --tools BAD", "tools BAD",
    "signature --from-json-schema BAD", "resolve other op1 @BAD --store STORE",
    "journal put other go @BAD --force --store STORE", "doubt settle other key --happened @BAD --store STORE",
    "agent run BAD --model SCRIPT", "agent run AGENT --data BAD --model SCRIPT", "agent prompt BAD",
    "agent run AGENT --then BAD --model SCRIPT", "agent run AGENT --planner BAD --model SCRIPT",
    "agent run AGENT --prices BAD --model SCRIPT", "agent run AGENT --tools BAD --model SCRIPT",
    "agent chat BAD --model SCRIPT", "agent compile BAD --model SCRIPT --out OUT",
    "enqueue r --agent BAD --store STORE", "enqueue r --agent AGENT --data BAD --store STORE",
    "agent cost may --prices BAD --store STORE", "agent resume may --resolve pay=@BAD --store STORE",
    "chain run tidy --tools BAD --model SCRIPT", "chain run tidy --tools TOOLS --strategy BAD --model SCRIPT",
    "chain plan tidy --tools BAD --model SCRIPT", "enqueue r --chain TEXT --tools BAD --store STORE",
    "harness run c --store STORE --planner llm-drafter --config BAD --replies REPLIES",
    "harness run c --store STORE --planner scenario-v0.3 --scenario BAD",
    "harness link LINK --config BAD", "harness link LINK --scenario BAD",
    "enqueue r --conversation llm-drafter --config BAD --store STORE",
    "enqueue r --conversation scenario-v0.3 --scenario BAD --store STORE",
    "snapshot show BAD", "snapshot json BAD", "snapshot from-json BAD", "snapshot verify BAD", "resume BAD",
    "keys list BAD", "run PROGRAM r --store STORE --keys BAD",
]
# Commands with LINES for a file whose third line is no JSON, after a good line and an empty one.
LINES = {
    "agent run AGENT --model scripted:LINES": REPLY, "agent run AGENT --model replay:LINES": RECORDED,
    "agent chat AGENT --model scripted:LINES": REPLY, "chain run tidy --tools TOOLS --model scripted:LINES": REPLY,
    "chain plan tidy --tools TOOLS --model replay:LINES": RECORDED,
    "worker --once --model scripted:LINES --store STORE": REPLY,
    "agent run PARENT --model SCRIPT --child-model c=scripted:LINES": REPLY,
    "harness run c --store STORE --planner llm-drafter --config CONFIG --replies LINES": {"when": [], "reply": 1},
    "harness run c --store STORE --planner llm-drafter --config CONFIG --model scripted:LINES": REPLY,
    "enqueue --bulk LINES --store STORE": {"id": "b1", "source": "1"},
    "chain import LINES --store STORE": {"kind": "fact", "version": 1, "key": "k", "content": "c", "createdAt": 1},
    "journal import r LINES --store STORE": {"seq": 1, "kind": "turn_started", "author": "runner"},
    "trace show LINES": {"event": "print", "seq": 1, "run": "r", "t": 1},
    "trace tree LINES": {"event": "print", "seq": 1, "run": "r", "t": 1},
}


class Places(CommandLineTest):
    def setUp(self):
        super().setUp()
        store = os.path.join(self.folder.name, "s.db")
        self.assertEqual(ptcvm("eval", '(await-signal "go")', "other", "--store", store)[0], 75)
        child = {**AGENT, "children": {"c": AGENT}}
        tool = {"name": "t", "description": "t", "command": ["true"], "signature": "() -> :any"}
        self.files = {
            "BAD": self.file("bad.json", BAD), "PROGRAM": self.file("p.ptc", "1"), "STORE": store,
            "AGENT": self.file("a.json", json.dumps(AGENT)), "PARENT": self.file("b.json", json.dumps(child)),
            "SCRIPT": "scripted:" + self.file("s.jsonl", json.dumps(REPLY) + "\n"),
            "TOOLS": self.file("t.json", json.dumps([tool])), "TEXT": self.file("t.txt", "tidy"),
            "REPLIES": self.file("q.jsonl", ""), "OUT": os.path.join(self.folder.name, "out.ptc"),
            "CONFIG": self.file("c.json", "{}"), "LINK": "{}"}
        kept = ("--store", store, "may", "--model", self.files["SCRIPT"])
        self.assertEqual(ptcvm("agent", "run", self.files["AGENT"], *kept)[0], 0)

    def words(self, command):
        out = []
        for word in command.split():
            for name in sorted(self.files, key=len, reverse=True):
                if word == name or (word.endswith(name) and word[-len(name) - 1] in "=@:"):
                    word = word[:-len(name)] + self.files[name]
                    break
            out.append(word)
        return out

    def test_documents(self):
        for command in DOCUMENTS:
            with self.subTest(command):
                status, out, err = ptcvm(*self.words(command))
                self.assertNotIn(status, (0, 2, 75), (out, err))
                self.assertRegex(err, r"line 2, column 7|:2:7:")

    def test_lines(self):
        for command, good in LINES.items():
            with self.subTest(command):
                self.files["LINES"] = self.file("l.jsonl", json.dumps(good) + "\n\n" + BAD_LINE + "\n")
                status, out, err = ptcvm(*self.words(command))
                self.assertEqual(status, 65, (out, err))
                self.assertRegex(err, r"(line 3|:3)\b.*column 7")
                self.assertIn("l.jsonl", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
