#!/usr/bin/env python3
"""ptcvm signature, and signatures in check, run and eval.

usage: signature_test.py PTCVM   (the program under test)"""
import json
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

TOOL = {"name": "search", "description": "Finds things",
        "inputSchema": {"type": "object", "required": ["q"],
                        "properties": {"q": {"type": "string"}, "limit": {"type": "integer", "default": 5}}}}


class Signatures(CommandLineTest):
    def test_canonical_text(self):
        self.assertEqual(ptcvm("signature", "(a,b {c [:number]}) ->:boolean"),
                         (0, "(a :any, b {c [:float]}) -> :bool\n", ""))

    def test_what_cannot_be_read(self):
        status, out, err = ptcvm("signature", "{a :strng}")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("column 4: unknown type :strng; did you mean :string?", err)
        self.assertTrue(err.endswith("{a :strng}\n   ^\n"), err)
        self.assertIn("column 13", ptcvm("signature", "{a :int,\n b :list}")[2])
        self.assertEqual(ptcvm("signature", "[" * 100000)[0], 2)
        self.assertEqual(ptcvm("signature")[0], 2)
        self.assertEqual(ptcvm("signature", ":int", "--check", "1", "--json-schema")[0], 2)
        self.assertEqual(ptcvm("signature", ":int", "--from-json-schema", "-")[0], 2)

    def test_json_schema(self):
        status, out, _ = ptcvm("signature", "{name :string, age :int?}", "--json-schema")
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(out), {"type": "object", "additionalProperties": True, "required": ["name"],
                                           "properties": {"name": {"type": "string"},
                                                          "age": {"type": ["integer", "null"]}}})
        out = ptcvm("signature", "(q :string) -> [:date]", "--json-schema")[1]
        self.assertEqual(list(json.loads(out)), ["inputSchema", "outputSchema"])
        self.assertEqual(ptcvm("signature", "--from-json-schema", "-", stdin=out)[:2], (0, "(q :string) -> [:date]\n"))

    def test_from_json_schema(self):
        path = self.file("tool.json", json.dumps(TOOL))
        self.assertEqual(ptcvm("signature", "--from-json-schema", path), (0, "(q :string, limit :int?) -> :any\n", ""))
        self.assertEqual(ptcvm("signature", "--from-json-schema", path, "--arguments", '{:q "x" :limit "3"}')[:2],
                         (0, '{"limit" 3 "q" "x"}\n'))
        status, out, err = ptcvm("signature", "--from-json-schema", "-", stdin='{"properties": {"a": {"type": "x"}}}')
        self.assertEqual((status, out, err), (65, "", 'ptcvm: <stdin> at /properties/a/type: unknown type "x"\n'))
        self.assertEqual(ptcvm("signature", "--from-json-schema", "-", stdin="{")[0], 65)
        self.assertEqual(ptcvm("signature", "--from-json-schema", "/no/such/file")[0], 65)

    def test_values(self):
        self.assertEqual(ptcvm("signature", "[:int]", "--check", "[1 2]"), (0, "[1 2]\n", "fits\n"))
        self.assertEqual(ptcvm("signature", "[:int]", "--check", '[1 "2"]'), (0, "[1 2]\n", "fits after conversion\n"))
        self.assertEqual(ptcvm("signature", "[{id :int}]", "--check", '[{:id 1} {:id "x"} {}]'),
                         (1, "", "value[1].id: expected int, got string\n"
                                 "value[2].id: expected int, the field is missing\n"))
        self.assertEqual(ptcvm("signature", ":int", "--check", "[")[0], 65)
        self.assertEqual(ptcvm("signature", ":any", "--check", "")[0], 65)

    def test_arguments(self):
        signature = "(event-id :int, limit :int?) -> :any"
        self.assertEqual(ptcvm("signature", signature, "--arguments", '{:event-id "7"}'),
                         (0, '{"event_id" 7}\n', "fits after conversion\n"))
        self.assertEqual(ptcvm("signature", signature, "--arguments", '{"event_id" 7 "limti" 1}'),
                         (1, "", "args.limti: unknown argument; known are event-id, limit; did you mean limit?\n"))


class Programs(CommandLineTest):
    def test_check_reads_the_signature_first(self):
        good = self.file("p.ptc", "(+ 1 2)")
        self.assertEqual(ptcvm("check", good, "--signature", ":int")[0], 0)
        status, out, err = ptcvm("check", good, "--signature", "{a :in")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("--signature, column 4: unknown type :in; did you mean :int?", err)

    def test_check_holds_literals_against_it(self):
        literal = self.file("literal.ptc", '{:a ["x" 1.5] :b nil}')
        computed = self.file("computed.ptc", "{:a (inc 1)}")
        self.assertEqual(ptcvm("check", literal, "--signature", "{a [:any], b :int?}")[0], 0)
        self.assertEqual(ptcvm("check", computed, "--signature", "{a :string}")[0], 0)
        status, out, err = ptcvm("check", literal, "--signature", "{a [:string]}")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("return.a[1]: expected string, got float", err)
        self.assertIn("literal.ptc:1:1", err)

    def test_check_runs_nothing(self):
        effect = self.file("effect.ptc", '(do (println "printed") 1)')
        self.assertEqual(ptcvm("check", effect, "--signature", ":string", "-q"), (0, "", ""))

    def test_results_are_checked_and_not_converted(self):
        status, out, err = ptcvm("eval", '{:n "5" :rows [{:id 1} {}]}', "--signature", "{n :int, rows [{id :int}]}")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("return.n: expected int, got string; return.rows[1].id: expected int, the field is missing", err)
        self.assertIn("the result must match {n :int, rows [{id :int}]}", err)
        status, _, err = ptcvm("eval", "1", "--signature", "{n :strng}")
        self.assertEqual(status, 1)
        self.assertIn("parse_error", err)
        self.assertIn("did you mean :string? at column 4", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
