#!/usr/bin/env python3
"""Limits as options and as members of batch requests: one name each, a range each, earlier names.

usage: limit_options_test.py PTCVM   (the program under test)"""
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

REFUSED = "the limit {} must be a whole number from"


class Options(CommandLineTest):
    def test_earlier_names_of_limits_are_taken_and_not_shown(self):
        shown = ptcvm("eval", "--help")[1]
        for earlier, name, value in (("--memory-limit", "--memory-bytes", "1000000"), ("--depth-limit", "--depth", "9"),
                                     ("--loop-limit", "--loop", "9"), ("--max-symbols", "--symbols", "9"),
                                     ("--timeout", "--timeout-ms", "60000")):
            self.assertEqual(ptcvm("eval", "(+ 1 2)", earlier, value)[:2], (0, "3\n"))
            self.assertEqual(ptcvm("eval", "(+ 1 2)", name, value)[:2], (0, "3\n"))
            self.assertIn(name + " N", shown)
            self.assertNotIn(earlier + " ", shown)
            status, _, err = ptcvm("eval", "1", earlier, value, name, value)
            self.assertNotEqual(status, 0)
            self.assertIn("twice", err)

    def test_a_limit_out_of_its_range_is_refused_by_name(self):
        for option, value in (("--depth", "0"), ("--depth", "-1"), ("--depth", "4294967296"), ("--loop", "1e3"),
                              ("--fuel", "18446744073709551616"), ("--timeout-ms", "1000000000001"),
                              ("--string-bytes", "ten")):
            status, out, err = ptcvm("eval", "1", option, value)
            self.assertNotIn(status, (0, 1))
            self.assertEqual(out, "")
            name = option[2:].replace("-", "_")
            self.assertRegex(err, f"the limit {name} must be a whole number from . to [0-9]+ .*; found {value}")

    def test_every_limit_is_an_option(self):
        self.assertIn("string_limit_exceeded", ptcvm("eval", '(str "ab" "cd")', "--string-bytes", "3")[2])
        self.assertIn("regex_limit_exceeded", ptcvm("eval", '(re-find (re-pattern "a+b") "aab")',
                                                    "--regex-pattern-bytes", "2")[2])
        self.assertIn("parallel_capacity_exceeded", ptcvm("eval", "(pmap inc [1 2 3])", "--parallel-branches", "2")[2])
        self.assertIn("symbol_limit_exceeded", ptcvm("eval", "(let [a 1 b 2] (+ a b))", "--symbols", "1")[2])


class Requests(CommandLineTest):
    def answer(self, source, limits, **more):
        return self.ask({"id": 1, "source": source, "limits": limits, **more})[0]

    def test_each_limit_is_a_member(self):
        self.assertIn("string_limit_exceeded", str(self.answer('(str "ab" "cd")', {"string_bytes": 3})))
        self.assertIn("parallel_capacity_exceeded", str(self.answer("(pmap inc [1 2])", {"parallel_branches": 1})))

    def test_earlier_names_are_taken(self):
        twice = '[(tool/call {}) (tool/call {})]'
        asks = {"tool_defs": [{"name": "call", "async": True}]}
        for limits in ({"pending": 1}, {"pending_operations": 1}):
            self.assertIn("pending_limit_exceeded", str(self.answer(twice, limits, **asks)))
        names = self.answer("(let [a 1 b 2] (+ a b))", {}, opts={"max_symbols": 1})
        self.assertIn("symbol_limit_exceeded", str(names))

    def test_a_limit_out_of_its_range_is_a_bad_request(self):
        for name, value in (("depth", 0), ("depth", -1), ("loop", 4294967296), ("fuel", 1.5), ("fuel", "7"),
                            ("timeout_ms", 1000000000001)):
            self.assertIn(REFUSED.format(name), str(self.answer("1", {name: value})))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
