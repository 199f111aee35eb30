#!/usr/bin/env python3
"""The protocol of ptcvm batch: the schema that it prints, its page in the documentation, and what it reads and writes.

usage: batch_protocol_test.py PTCVM   (the program under test)"""
import json
import pathlib
import re
import unittest

import jsonschema
from ptcvm_process import CommandLineTest, ptcvm

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/batch.md"


def schema():
    document = json.loads(ptcvm("batch", "--schema")[1])
    jsonschema.Draft202012Validator.check_schema(document)
    return document


SCHEMA = schema()


def part(name):
    """The validator of one kind of object."""
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


class BatchProtocol(CommandLineTest):
    def answer(self, **request):
        """The answer to a request; both fit the schema."""
        request = {"id": 1, "source": "1", **request}
        part("request").validate(request)
        (answer,) = self.ask(request)
        part("answer").validate(answer)
        self.assertNotEqual(answer["error_kind"], "bad_request", answer["message"])
        return answer

    def refusal(self, protocol=2, **request):
        answer = self.ask({"protocol": protocol}, {"id": 7, **request})[1]
        part("answer").validate(answer)
        self.assertEqual((answer["id"], answer["status"], answer["error_kind"]), (7, "error", "bad_request"))
        return answer["message"]

    def test_values_go_in_and_out_as_json(self):
        answer = self.answer(source='(do (def n (inc n)) (step-done "s" "t") [data/x (:a (first *1)) n])',
                             values="json", data={"x": {"y": [1, None, "z"]}}, memory={"n": 4},
                             history=[[{"a": 1.5}]])
        self.assertEqual((answer["value"], answer["memory"], answer["summaries"]),
                         ([{"y": [1, None, "z"]}, 1.5, 5], {"n": 5}, {"s": "t"}))
        self.assertNotIn("value_edn", answer)
        self.assertNotIn("memory_edn", answer)

    def test_values_go_in_as_json_and_out_as_edn(self):
        answer = self.answer(source="[data/x (:b data/x)]", data={"x": {"b": 2}})
        self.assertEqual(answer["value_edn"], '[{"b" 2} 2]')

    def test_journal_and_tools_are_json(self):
        answer = self.answer(source='[(task "a" 1) (task "b" (tool/ask {:n 2})) (tool/ask {:n 3})]', values="json",
                             journal={"a": [9]}, tool_defs=[{"name": "ask", "description": "asks"}],
                             tools=[{"name": "ask", "args": {"n": 2}, "result": {"ok": True}},
                                    {"name": "ask", "args_edn": '{"n" 3}', "result_edn": "[5]"}])
        self.assertEqual(answer["value"], [[9], {"ok": True}, [5]])
        self.assertEqual(answer["journal"], {"a": [9], "b": {"ok": True}})
        self.assertEqual([(call["args"], call["result"]) for call in answer["tool_calls"]],
                         [({"n": 2}, {"ok": True}), ({"n": 3}, [5])])

    def test_the_budget_is_json(self):
        answer = self.answer(source="(:turns (budget/remaining))", budget={"turns": 3})
        self.assertEqual(answer["value_edn"], "3")

    def test_diagnostics_are_rendered_on_request(self):
        answer = self.answer(source="(+ 1\n  (upcase 2))", diagnostics="rendered")
        self.assertIn("error[type_error]", answer["rendered"])
        self.assertIn("  (upcase 2))", answer["rendered"])
        self.assertIn("^", answer["rendered"])
        self.assertIsNone(self.answer(diagnostics="rendered")["rendered"])
        self.assertNotIn("rendered", self.answer())

    def test_unknown_members_are_refused_by_name(self):
        self.assertEqual(self.refusal(source="1", limits={"fule": 100}),
                         "limits: there is no limit fule; did you mean fuel?")
        self.assertEqual(self.refusal(source="1", sorce="2"),
                         "the request: there is no member sorce; did you mean source?")
        self.assertIn("xyz", self.refusal(source="1", xyz=None))
        self.assertIn("float_precison", self.refusal(source="1", opts={"float_precison": 1}))
        self.assertIn("efect", self.refusal(source="1", tool_defs=[{"name": "t", "efect": "pure"}]))
        self.assertIn("reslt", self.refusal(source="1", tools=[{"name": "t", "reslt": 1}]))
        for request in ({"sorce": 1}, {"limits": {"fule": 1}}, {"tools": [{"name": "t", "reslt": 1}]}):
            self.assertFalse(part("request").is_valid({"source": "1", **request}))

    def agree(self, is_good, **request):
        """The schema and the engine judge the request alike."""
        request = {"id": 1, "source": "1", **request}
        (answer,) = self.ask(request)
        self.assertEqual(answer["error_kind"] != "bad_request", is_good, (request, answer["message"]))
        self.assertEqual(part("request").is_valid(request), is_good, request)
        return answer["message"]

    def test_a_tool_without_a_name_is_refused_by_schema_and_engine(self):
        for entry in ({}, {"name": None}, {"name": ""}):
            self.assertEqual(self.agree(False, tool_defs=[entry]), "tool_defs: name is missing")
            self.assertEqual(self.agree(False, tools=[{**entry, "result": 1}]), "tools: name is missing")
        self.agree(True, tool_defs=[{"name": "t"}], tools=[{"name": "t", "result": 1}])

    def test_arguments_that_are_no_map_are_refused_by_schema_and_engine(self):
        for given in ({"args": [1]}, {"args": 1}, {"args": "x"}, {"args_edn": "[1]"}, {"args_edn": "7"},
                      {"args_edn": " (1)"}, {"args_edn": "#{1}"}, {"args_edn": '"{}"'}, {"args_edn": "nil"}):
            said = self.agree(False, tools=[{"name": "t", "result": 1, **given}])
            self.assertRegex(said, "^the arguments of a tool: they must be a map, and are ", given)
        for given in ({"args": {}}, {"args": None}, {"args_edn": "{}"}, {"args_edn": " ,\n{:a 1}"},
                      {"args_edn": "; none\n{}"}):
            self.agree(True, tools=[{"name": "t", "result": 1, **given}])

    def test_effect_words_are_the_same_in_schema_and_engine(self):
        for word in ("pure", "idempotent", "keyed", "unsafe", "reconcilable", "", None):
            self.agree(True, tool_defs=[{"name": "t", "effect": word}])
        for word in ("save", "Pure", 1):
            self.assertIn("effect must be ", self.agree(False, tool_defs=[{"name": "t", "effect": word}]))

    def test_edn_that_is_no_map_is_refused_by_schema_and_engine(self):
        for text in ("[1]", "(1)", "1", ":a", '"a"', "#{1}", "", " "):
            for request in ({"context_edn": text}, {"memory_edn": text}, {"journal_edn": text},
                            {"opts": {"budget_edn": text}}):
                self.agree(False, **request)
        for text in ("{}", "{:a 1}", " ,{}", ";; data\n{:a 1}", "nil"):
            self.agree(True, context_edn=text)

    def test_whole_numbers_are_the_same_in_schema_and_engine(self):
        for number in (5, 5.0, 1e3, 2**63, 2**64 - 1):
            self.agree(True, limits={"fuel": number})
            self.agree(True, resolve_order=number)
        for number in (0.5, -1, 2**64, float(2**64), 1e30):
            self.assertIn("the limit fuel must be a whole number", self.agree(False, limits={"fuel": number}))
        for number in (0, 5.0, 2**63 - 1, -2**63):
            self.agree(True, clock_ms=number)
        for number in (2**63, 2**64, -2**63 - 1, 0.5):
            self.assertIn("clock_ms must be a whole number", self.agree(False, clock_ms=number))
        self.agree(True, limits={"depth": 2**32 - 1})
        self.agree(False, limits={"depth": 2**32})
        self.agree(True, limits={"timeout_ms": 1e12})
        self.agree(False, limits={"timeout_ms": 1e13})
        for number in (1, 2.0, 2**63 - 1):
            self.agree(True, suspend=number)
        for number in (0, 0.5, 2**63, 2**64):
            self.agree(False, suspend=number)
        for number in (3, 3.0, 2**64 - 1):
            self.agree(True, opts={"float_precision": number})
        for number in (-1, 2.5, 2**64):
            self.agree(False, opts={"float_precision": number})

    def test_version_1_passes_over_notes_of_callers_and_refuses_slips(self):
        notes = {"topic": "sums", "why": None, "expect": {}, "alts": [], "flags": ["x"], "compare": "exact"}
        (answer,) = self.ask({"id": 1, "source": "1", **notes})
        self.assertEqual(answer["status"], "ok", answer)
        for slip, meant in (("sorce", "source"), ("limit", "limits"), ("contxt_edn", "context_edn")):
            message = self.refusal(protocol=1, source="1", **{slip: "2"})
            self.assertIn(f"no member {slip}; did you mean {meant}?", message)

    def test_data_that_is_not_there(self):
        request = {"source": "(count data/order-line)", "data": {"order_lines": [1]}}
        said = "1:8: data/order-line is not in the data, so it is nil. Did you mean: data/order_lines"
        for suspended in ({}, {"suspend": "every"}, {"suspend": "every", "hop": "process"}):
            answer = self.answer(**request, **suspended)
            self.assertEqual((answer["value_edn"], answer["warnings"]), ("0", [said]))
        answer = self.answer(**request, opts={"strict_data": True})
        self.assertEqual((answer["error_kind"], answer["column"], answer["hint"]),
                         ("missing_data", 8, "Did you mean: data/order_lines"))
        self.assertEqual(self.answer(source="(count data/order-lines)", data={"order_lines": [1]})["warnings"], [])

    def test_blanks_of_edn_are_those_of_programs_and_of_the_schema(self):
        for blank in ("\u00a0", "\u0085", "\u2003", "\ufeff", "\v", ","):
            text = f"{blank}{{:a{blank}1}}{blank}"
            self.agree(True, context_edn=text)
            answer = self.answer(source=f"(+{blank}data/a 1)", context_edn=text)
            self.assertEqual(answer["value_edn"], "2", answer)

    def test_a_value_is_given_once(self):
        for name, edn, value in (("data", "context_edn", {}), ("memory", "memory_edn", {}),
                                 ("journal", "journal_edn", {}), ("history", "history_edn", [])):
            self.assertEqual(self.agree(False, **{name: value, edn: json.dumps(value)}),
                             f"give {name} or {edn}, not both")
            self.agree(True, **{name: value, edn: None})
            self.agree(True, **{name: None, edn: json.dumps(value)})

    def test_a_value_of_a_recorded_call_is_given_once(self):
        call = {"name": "t", "args": {}, "result": 1}
        for name, edn, text in (("args", "args_edn", "{}"), ("result", "result_edn", "1")):
            self.assertEqual(self.agree(False, tools=[{**call, edn: text}]), f"give {name} or {edn}, not both")
            self.agree(True, tools=[{**call, name: None, edn: text}])

    def test_a_history_that_is_no_vector_is_refused_by_schema_and_engine(self):
        for text in ("{}", "1", ":a", '"[1]"', "#{1}", "", " "):
            self.agree(False, history_edn=text)
        for text in ("[]", "[1 2]", " ,[1]", "(1)", ";; none\n[1]", "nil"):
            self.agree(True, history_edn=text)

    def test_words_of_another_kind_are_refused(self):
        self.assertEqual(self.refusal(source="1", values="yaml"), 'values must be "edn" or "json"')
        self.assertEqual(self.refusal(source="1", diagnostics="all"), 'diagnostics must be "plain" or "rendered"')

    def test_the_first_line_names_the_version(self):
        for jobs in ("1", "3"):
            status, out, _ = ptcvm("batch", "--jobs", jobs, stdin='\n{"protocol": 2}\n{"id":1,"source":"(+ 1 2)"}\n')
            greeting, answer = map(json.loads, out.splitlines())
            part("greeting").validate(greeting)
            self.assertEqual((status, greeting["protocol"], answer["value_edn"]), (0, 2, "3"))

    def test_another_version_is_refused_before_the_first_request(self):
        for header in ({"protocol": 3}, {"protocol": "2"}, {"protocol": 2, "form": 1}):
            for jobs in ("1", "2"):
                status, out, _ = ptcvm("batch", "--jobs", jobs, stdin=json.dumps(header) + '\n{"id":1,"source":"1"}\n')
                (answer,) = map(json.loads, out.splitlines())
                self.assertEqual((status, answer["error_kind"]), (65, "bad_request"), answer)
                self.assertFalse(part("header").is_valid(header))

    def test_a_suspended_program_fits_the_schema(self):
        answer = self.answer(source="(await (tool/ask {:n 1}))", tool_defs=[{"name": "ask", "async": True}],
                             tools=[{"name": "ask", "args": {"n": 1}, "result": 2}], suspend="every", face="alternate")
        self.assertEqual((answer["value_edn"], answer["suspensions"] > 0), ("2", True))
        waiting = self.answer(source="(await-signal \"s\")")
        self.assertEqual((waiting["status"], len(waiting["pending"])), ("suspended", 1))

    def test_generated_requests_fit_the_schema(self):
        for line in ptcvm("gen", "--count", "60", "--size", "60", "--failing", "20")[1].splitlines():
            self.answer(**{**json.loads(line), "values": "json"})

    def test_the_page_has_every_member(self):
        page = PAGE.read_text(encoding="utf-8")
        for name in ("request", "tool_def", "recorded", "answer", "call", "waiting"):
            for member in SCHEMA["$defs"][name]["properties"]:
                if member != "raised":                     # for records of other engines
                    self.assertIn(f"`{member}`", page, name)
        rows = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"(?m)^\|([^|]*)\|", page))))
        known = {member for part in SCHEMA["$defs"].values() for member in part["properties"]}
        self.assertEqual(rows - known, set())


if __name__ == "__main__":
    unittest.main(argv=["batch_protocol_test"])
