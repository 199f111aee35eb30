#!/usr/bin/env python3
"""ptcvm trace step on a pseudo-terminal: trace_step_test.py PTCVM"""
import json
import os
import unittest

from ptcvm_process import CommandLineTest, ptcvm
from terminal import Terminal


class Steps(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.trace = os.path.join(self.folder.name, "t.jsonl")
        program = self.file("p.ptc", '(println "first") (tool/echo {:n 1}) (tool/echo {:n 2})')
        status, _, err = ptcvm("run", program, "--trace", self.trace, "--tool", "echo=cat")
        self.assertEqual(status, 0, err)

    def test_keys_step_forwards_and_back(self):
        terminal = Terminal(self.folder.name, "trace", "step", self.trace)
        self.addCleanup(terminal.process.kill)
        terminal.wait("event 1 of 7")
        for key, number, shown in (("n", 2, "text:\nfirst"), ("\x1b[C", 3, '{"n" 1}'), ("c", 5, '{"n" 2}'),
                                   ("b", 4, '{"n" 1}'), ("\x1b[D", 3, "arguments:"), ("G", 7, "value:"),
                                   ("n", 7, "value:"), ("g", 1, "run_start"), ("b", 1, "run_start")):
            terminal.type(key)
            page = terminal.wait(f"event {number} of 7") + terminal.wait("q quit")
            self.assertIn(shown, page, f"after {key!r}")
        terminal.type("q")
        self.assertEqual(terminal.process.wait(240), 0)

    def test_other_programs_get_json(self):
        status, out, _ = ptcvm("trace", "step", self.trace)
        self.assertEqual((status, json.loads(out)["status"]), (0, "ok"))


if __name__ == "__main__":
    unittest.main(argv=["trace_step_test"])
