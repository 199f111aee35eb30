#!/usr/bin/env python3
"""The command line and batch with asynchronous tools.

usage: waiting_test.py PTCVM   (the program under test)"""
import json
import os
import sys
import time
import unittest

from ptcvm_process import CommandLineTest, ptcvm, without_next_commands


class Run(CommandLineTest):
    def test_waiting_ends_with_75_and_a_line_of_json(self):
        program = '(println "p") (let [a (tool/call {:to "ann"}) b (tool/ask {:n 2})] (println (:s a)) (await b))'
        answer = self.file("answer.json", '{"pending": "c1", "immediate": {"s": "dialing"}}')
        status, out, err = ptcvm("eval", program, "--async-tool", f"call=cat {answer}", "--async-tool", "ask")
        self.assertEqual((status, without_next_commands(err)), (75, "p\ndialing\n"))
        line = json.loads(out.splitlines()[-1])
        self.assertEqual(line["status"], "suspended")
        self.assertEqual([(p["op"], p["tool"], p["args"], p["deadline"]) for p in line["pending"]],
                         [("c1", "call", {"to": "ann"}, None), ("op1", "ask", {"n": 2}, None)])
        self.assertTrue(all(abs(p["since"] / 1000 - time.time()) < 600 for p in line["pending"]))
        self.assertEqual(ptcvm("eval", "(await (tool/t {:a 1}))", "--async-tool", "t=cat")[:2], (0, '{"a" 1}\n'))
        self.assertEqual(ptcvm("eval", "(await (tool/t {:pending 1}))", "--async-tool", "t=cat")[1], '{"pending" 1}\n')
        limited = json.loads(ptcvm("eval", '(await-signal "go" {:timeout-ms 5000})')[1])["pending"][0]
        self.assertEqual(limited["deadline"] - limited["since"], 5000)
        self.assertEqual(ptcvm("eval", "(await (tool/t))", "--tool", "t=true")[0], 1)

    def test_operations_are_traced(self):
        trace = os.path.join(self.folder.name, "events.jsonl")
        ptcvm("eval", '(task "a" (await (tool/t)))', "--async-tool", "t", "--trace", trace)
        with open(trace, encoding="utf-8") as events:
            opened = [e for e in map(json.loads, events) if e["event"] == "open"]
        self.assertEqual([(e["id"], e["name"], e["task"], e["path"]) for e in opened], [("op1", "t", "a", "0")])


class Batch(CommandLineTest):
    def test_async_tools_are_answered_when_the_program_waits(self):
        request = {"source": "(let [a (tool/t {:n 1}) b (tool/t {:n 2})] (await-any [a b]))",
                   "tool_defs": [{"name": "t", "async": True}],
                   "tools": [{"name": "t", "args_edn": '{"n" %d}' % n, "result_edn": str(10 * n)} for n in (1, 2)]}
        fifo, lifo, seeded, again = self.ask({"id": 1, **request}, {"id": 2, **request, "resolve_order": "lifo"},
                                             {"id": 3, **request, "resolve_order": 5},
                                             {"id": 4, **request, "resolve_order": 5})
        self.assertEqual(fifo["value_edn"], '{:id "op1" :index 0 :value 10}')
        self.assertEqual(lifo["value_edn"], '{:id "op2" :index 1 :value 20}')
        self.assertEqual(seeded["value_edn"], again["value_edn"])
        self.assertEqual([c["result_edn"] for c in lifo["tool_calls"]], ["10", "20"])
        self.assertNotIn("pending", fifo)
        self.assertNotIn("outstanding", fifo)
        auto, missing, wrong = self.ask(
            {"id": 1, "source": "(tool/t {:n 1})", "tool_defs": [{"name": "t", "async": "auto"}],
             "tools": request["tools"]},
            {"id": 2, **request, "tools": []}, {"id": 3, **request, "resolve_order": "random"})
        self.assertEqual(auto["value_edn"], "10")
        self.assertEqual((missing["error_kind"], missing["message"]),
                         ("tool_error", "Tool 't' failed: no recorded answer for these arguments (pending op1)"))
        self.assertEqual(wrong["error_kind"], "bad_request")

    def test_auto_calls_suspend_at_every_depth(self):
        source = "(map (fn [n] ((fn f [k] (if (= k 0) (tool/t {}) (+ 1 (f (dec k))))) n)) (range 60))"
        request = {"source": source, "tool_defs": [{"name": "t", "async": "auto"}],
                   "tools": [{"name": "t", "args_edn": "{}", "result_edn": "0"}]}
        straight, suspended = self.ask({"id": 1, **request}, {"id": 2, **request, "suspend": "pending"})
        self.assertEqual(straight["value_edn"], "[" + " ".join(map(str, range(60))) + "]")
        self.assertEqual((suspended["value_edn"], suspended["fuel"]), (straight["value_edn"], straight["fuel"]))
        self.assertEqual(suspended["suspensions"], 60)

    def test_time_jumps_to_deadlines_and_a_wait_for_nothing_is_suspended(self):
        slept, suspended = self.ask({"id": 1, "source": "(sleep 100000000)"},
                                    {"id": 2, "source": '(println 1) (await-signal "go")'})
        self.assertEqual((slept["status"], slept["value_edn"]), ("ok", "nil"))
        (over,) = self.ask({"id": 1, "source": "(tool/t {}) 1", "tool_defs": [{"name": "t", "async": True}]})
        self.assertEqual((over["status"], over["outstanding"]), ("ok", ["op1"]))
        self.assertEqual((suspended["status"], suspended["value_edn"], suspended["prints"]), ("suspended", None, ["1"]))
        self.assertEqual([(p["op"], p["tool"]) for p in suspended["pending"]], [("op1", "await-signal")])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
