#!/usr/bin/env python3
"""Long lines of ptcvm batch: they are answered in their order, or refused before a document is built from them.

usage: batch_lines_test.py PTCVM   (the program under test)"""
import json
import sys
import unittest

from ptcvm_process import ptcvm


class BatchLines(unittest.TestCase):
    def ask(self, requests, *options):
        lines = "\n".join(map(json.dumps, requests))
        return [json.loads(line) for line in ptcvm("batch", *options, stdin=lines)[1].splitlines()]

    def test_long_lines_are_answered_between_short_ones(self):
        requests = [{"id": 1, "source": "1"}, {"id": 2, "source": '(count "' + "a" * 2_000_000 + '")'},
                    {"id": 3, "source": "3"},
                    {"id": 4, "source": "data/x", "context_edn": f'{{:x "{"b" * 1_500_000}"}}'},
                    {"id": 5, "source": "5"}]
        for jobs in ("1", "2"):
            answers = self.ask(requests, "--jobs", jobs)
            self.assertEqual([answer["id"] for answer in answers], [1, 2, 3, 4, 5])
            self.assertEqual([(answer["value_edn"] or "")[:4] for answer in answers], ["1", "", "3", '"bbb', "5"])

    def test_too_many_values_are_refused(self):
        for values in ([{}] * 500_000, {f"k{i}": 1 for i in range(250_000)}):
            refused, after = self.ask([{"id": 1, "source": "1", "tools": values}, {"id": 2, "source": "2"}])
            self.assertEqual(refused["error_kind"], "bad_request")
            self.assertIn("too many values", refused["message"])
            self.assertEqual(after["value_edn"], "2")

    def test_a_long_line_that_is_no_json_says_so(self):
        (answer,) = self.ask(["x" * 2_000_000])
        self.assertIn("a request is a JSON object", answer["message"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
