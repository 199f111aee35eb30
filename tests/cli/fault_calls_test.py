#!/usr/bin/env python3
"""The calls that led to a fault, as a person, a trace and batch see them: fault_calls_test.py PTCVM"""
import json
import os
import re
import unittest

from ptcvm_process import CommandLineTest, ptcvm


class Calls(CommandLineTest):
    """A fault inside of a function, in a builtin, in a task, in a branch."""
    PROGRAM = """(defn price [row]
  (+ (:cents row) 1))
(defn total [rows]
  (task "sum" (reduce + (map price rows))))
(pmap (fn [rows] (total rows)) data/orders)
"""
    CALLS = [("price", "f.ptc:2:3"), ("map", "f.ptc:4:25"), ('task "sum"', "f.ptc:4:25"), ("total", "f.ptc:4:25"),
             ("fn", "f.ptc:5:18"), ("branch 1", ""), ("pmap", "f.ptc:5:1"), ("program", "f.ptc:5:1")]

    def setUp(self):
        super().setUp()
        self.program = self.file("f.ptc", self.PROGRAM)
        self.data = self.file("d.json", json.dumps({"orders": [[{"cents": 1}], [{"cents": 90 * "x"}]]}))

    def test_the_diagnostic_points_at_the_call_that_failed_and_lists_the_calls(self):
        status, out, err = ptcvm("run", self.program, "--data", self.data)
        self.assertEqual((status, out), (1, ""))
        shown = err[err.index("error["):].replace(self.program, "f.ptc").splitlines()
        self.assertEqual(shown[0],
                         "error[pmap_error]: pmap: element 1: type_error: +: arg 1 expected number, got string")
        self.assertEqual(shown[1:6], ["  --> f.ptc:2:3", "   |", " 2 |   (+ (:cents row) 1))",
                                      "   |   ^~~~~~~~~~~~~~~~~~", 'found: "' + 78 * "x" + "…"])
        self.assertEqual(shown[6], "calls, innermost first:")
        self.assertEqual([tuple((re.split(" {2,}", line.strip()) + [""])[:2]) for line in shown[7:]], self.CALLS)

    def test_traces_and_batch_have_the_calls(self):
        trace = os.path.join(self.folder.name, "t.jsonl")
        ptcvm("run", self.program, "--data", self.data, "--trace", trace)
        with open(trace, encoding="utf-8") as lines:
            fault = next(line for line in map(json.loads, lines) if line["event"] == "fault")
        self.assertEqual((fault["line"], fault["found"]), (2, '"' + 78 * "x" + "…"))
        self.assertEqual([call.rsplit(" ", 1)[0] if ":" in call else call for call in fault["stack"].split(" < ")],
                         [name for name, _ in self.CALLS])
        with open(self.data, encoding="utf-8") as data:
            request = json.dumps({"id": 1, "source": self.PROGRAM, "data": json.load(data)})
        answer = json.loads(ptcvm("batch", stdin=request + "\n")[1])
        self.assertEqual([(call["kind"], call.get("line")) for call in answer["stack"]],
                         [("function", 2), ("builtin", 4), ("task", 4), ("function", 4), ("function", 5),
                          ("branch", None), ("builtin", 5), ("function", 5)])


if __name__ == "__main__":
    unittest.main(argv=["fault_calls_test"])
