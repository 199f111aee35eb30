#!/usr/bin/env python3
"""ptcvm --store: calls of tools that are cut off while their run lives. Every process says the same of them.

usage: cut_off_test.py PTCVM   (the program under test)"""
import json
import os
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

# Notes each call by its key, and dies.
STAYS = """
import json, os, sys
for line in sys.stdin:
    open(sys.argv[1], "a").write(json.loads(line)["key"] + "\\n")
    os.kill(os.getpid(), 9)
"""


class CutOff(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder.name, "s.db")
        self.ledger = os.path.join(self.folder.name, "ledger")

    def calls(self):
        if not os.path.exists(self.ledger):
            return []
        with open(self.ledger, encoding="utf-8") as lines:
            return lines.read().splitlines()

    def tools(self, *tools):
        return self.file("tools.json", json.dumps(tools))

    def shell(self, name, line, **more):
        return {"name": name, "command": ["sh", "-c", f"echo $PTCVM_IDEMPOTENCY_KEY >> {self.ledger}; {line}"], **more}

    def run_it(self, tool, *options, run="r"):
        tools = self.tools(tool)
        return ptcvm("eval", f'(task "a" (tool/{tool["name"]}))', "--store", self.store, "--id", run,
                     "--tools", tools, *options)

    def doubt(self, tool, *options, run="r"):
        """The call in doubt, and what standard error says of it."""
        status, out, err = self.run_it(tool, *options, run=run)
        self.assertEqual(status, 75, err)
        answer = json.loads(out)
        self.assertEqual(answer["status"], "in_doubt")
        return answer["doubts"][0], err

    def test_an_unsafe_call_is_in_doubt_in_every_process(self):
        dies = self.shell("pay", "kill -9 $$")
        for _ in range(3):
            doubt, err = self.doubt(dies)
            self.assertEqual((doubt["key"], doubt["why"]), ("r/task:a#0", "ended by signal 9 (Killed)"))
            self.assertIn("there is no answer: ended by signal 9 (Killed)\n", err)
        self.assertEqual(self.calls(), ["r/task:a#0"])
        state = json.loads(ptcvm("runs", "--store", self.store, "--json")[1])["state"]
        self.assertEqual(state, "in doubt")
        self.assertEqual(ptcvm("doubt", "settle", "--store", self.store, "r", "--happened", '"mine"')[0], 0)
        self.assertEqual(self.run_it(dies)[:2], (0, '"mine"\n'))
        self.assertEqual(len(self.calls()), 1)

    def test_so_is_one_that_outlives_its_time_or_the_time_of_its_run(self):
        hangs = self.shell("slow", "exec sleep 100")
        for run, tool, options, why in (("a", {**hangs, "deadline_ms": 3000}, (), "no answer within 3000 ms"),
                                        ("b", hangs, ("--timeout-ms", "3000"), "")):
            for _ in range(2):
                self.assertIn(why, self.doubt(tool, *options, run=run)[0]["why"])
        self.assertEqual(self.calls(), ["a/task:a#0", "b/task:a#0"])

    def test_so_is_one_that_writes_no_json_or_closes_its_pipes(self):
        self.assertIn("its output is no JSON", self.doubt(self.shell("pay", "echo {"), run="a")[0]["why"])
        tool = {"name": "pay", "process": "stays", "command": ["sh", "-c", "exec >&-; sleep 100"]}
        self.assertIn("its process ended", self.doubt(tool, run="b")[0]["why"])

    def test_a_command_that_says_that_it_failed_is_no_doubt(self):
        for _ in range(2):
            self.assertEqual(self.run_it(self.shell("pay", "exit 3"))[0], 1)
        self.assertEqual(len(self.calls()), 2)

    def test_a_reconcilable_tool_is_asked_at_once(self):
        for run, said, status in (("a", '{"happened": true, "value": 7}', 0), ("b", '{"happened": false}', 1),
                                  ("c", "{}", 75)):
            tool = self.shell("pay", "kill -9 $$", effect="reconcilable", reconcile=["echo", said])
            self.assertEqual(self.run_it(tool, run=run)[0], status, said)
        self.assertEqual(len(self.calls()), 3)
        self.assertEqual(self.run_it(self.shell("pay", "echo 8", effect="reconcilable", reconcile=["echo", "{}"]),
                                     run="b")[:2], (0, "8\n"))

    def test_retry_is_for_calls_that_may_be_repeated(self):
        script = self.file("stays.py", STAYS)
        for effect, status, calls in (("keyed", 1, 3), ("pure", 1, 3), ("unsafe", 75, 1)):
            with self.subTest(effect=effect):
                tool = {"name": "pay", "command": [sys.executable, script, self.ledger], "process": "stays",
                        "effect": effect, "retry": {"max_attempts": 3, "first_delay_ms": 1}}
                self.assertEqual(self.run_it(tool, run=effect)[0], status)
                self.assertEqual(self.calls(), [effect + "/task:a#0"] * calls)
                os.remove(self.ledger)


if __name__ == "__main__":
    unittest.main(argv=["cut_off_test"])
