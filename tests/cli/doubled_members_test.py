#!/usr/bin/env python3
"""A member that is written twice is refused wherever it protects somebody: readers would keep one in silence.

usage: doubled_members_test.py PTCVM   (the program under test)
"""
import json
import os
import subprocess
import unittest

from ptcvm_process import PTCVM, SnapshotTest, ptcvm


class DoubledMembers(SnapshotTest):
    def written(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def test_in_an_agent(self):
        for text, member in (
                ('{"prompt": "p", "limits": {"turns": 1, "turns": 9}}', "/limits/turns"),
                ('{"prompt": "p", "tools": [{"name": "pay", "ask": true, "ask": false}]}', "/tools/0/ask")):
            agent = self.written("agent.json", text)
            status, _, err = ptcvm("agent", "run", agent, "--model", "scripted:" + self.written("script.jsonl", ""))
            self.assertEqual(status, 65, err)
            self.assertIn(f"the member {member} of the agent file is written twice", err)

    def test_in_a_line_of_a_script_and_a_reply_in_a_mailbox(self):
        agent = self.written("agent.json", '{"prompt": "p"}')
        line = '{"program": "(return 1)", "tool_calls": [{"name": "a"}, {"name": "b", "name": "c"}]}\n'
        script = self.written("script.jsonl", '{"program": "(return 1)"}\n' + line)
        status, _, err = ptcvm("agent", "run", agent, "--model", "scripted:" + script)
        self.assertEqual(status, 65, err)
        self.assertIn("line 2: the member /tool_calls/1/name is written twice", err)
        os.mkdir(self.path("box"))
        self.written("box/1.reply.json", '{"program": "(return 1)", "program": "(return 2)"}')
        process = subprocess.Popen([PTCVM, "agent", "run", agent, "--model", "mailbox:" + self.path("box")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("1.reply.json: the member /program is written twice", process.stderr.readline())
        self.written("box/1.reply.json", '{"program": "(return 3)"}')
        out, err = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("3", out)

    def test_in_a_request_of_batch(self):
        for text, member in (('{"id": 7, "source": "1", "limits": {"fuel": 5, "fuel": 5000}}', "/limits/fuel"),
                             ('{"id": 7, "source": "1", "limits": {"fuel": 5}, "limits": {}}', "/limits")):
            answer = json.loads(ptcvm("batch", stdin=text + "\n")[1])
            self.assertEqual(answer["id"], 7)
            self.assertIn(f"the member {member} is written twice", json.dumps(answer))

    def test_in_tools_prices_and_configurations(self):
        tools = self.written("tools.json", '[{"name": "p", "command": ["true"], "effect": "unsafe", "effect": "pure"}]')
        agent = self.written("a.json", '{"prompt": "p"}')
        script = "scripted:" + self.written("script.jsonl", '{"program": "(return 1)"}\n')
        prices = self.written("prices.json", '{"*": {"input": 2, "output": 8, "input": 0}}')
        config = self.written("config.json", '{"mode": "approve", "mode": "auto"}')
        store = ("--store", self.path("h.db"))
        self.assertEqual(ptcvm("harness", "say", *store, "c", "hi")[0], 0)
        for command in (("eval", "1", "--tools", tools),
                        ("agent", "run", agent, "--model", script, "--prices", prices, "--limit", "money=1"),
                        ("harness", "run", *store, "c", "--planner", "simple-demo", "--config", config)):
            status, _, err = ptcvm(*command)
            self.assertIn(status, (2, 65), (command, err))
            self.assertIn("is written twice", err)

    def test_data_of_a_request_belongs_to_the_program(self):
        answer = json.loads(ptcvm("batch", stdin='{"source": "data/a", "data": {"a": 1, "a": 2}}\n')[1])
        self.assertEqual(answer["value_edn"], "2")

    def test_in_what_became_of_a_call(self):
        store = ("--store", self.path("s.db"))
        self.assertEqual(ptcvm("eval", '(await-signal "go")', "r", *store)[0], 75)
        twice = '{"a": 1, "a": 2}'
        for command in (("doubt", "settle", *store, "r", "key", "--happened", twice),
                        ("journal", "put", *store, "r", "go", twice), ("resolve", "r", "go", twice, *store),
                        ("resume", *store, "r", "--resolve", "go=" + twice)):
            status, _, err = ptcvm(*command)
            self.assertEqual((status, "the member /a is written twice" in err), (65, True), (command, err))
        err = ptcvm("doubt", "settle", *store, "r", "key", "--happened", "yes")[2]
        self.assertIn("a text is written in quotation marks", err)

    def test_in_a_line_of_jobs(self):
        jobs = self.written("jobs.jsonl", '{"id": "a", "source": "1", "tenant": "x", "tenant": "y"}\n')
        status, _, err = ptcvm("enqueue", "--store", self.path("s.db"), "--bulk", jobs)
        self.assertEqual(status, 65, err)
        self.assertIn("has the member /tenant twice", err)

    def test_in_a_key_ring(self):
        ring = self.path("ring.json")
        self.assertEqual(ptcvm("keys", "new", ring, "--id", "k")[0], 0)
        with open(ring, encoding="utf-8") as file:
            text = file.read()
        doubled = text.replace('"state":', '"state": "revoked", "state":', 1)
        self.assertNotEqual(text, doubled)
        os.chmod(self.written("doubled.json", doubled), 0o600)
        status, _, err = ptcvm("eval", "1", "--store", self.path("s.db"), "--id", "r", "--keys",
                               self.path("doubled.json"))
        self.assertNotEqual(status, 0)
        self.assertIn("is written twice", err)


if __name__ == "__main__":
    unittest.main(argv=["doubled_members_test.py"])
