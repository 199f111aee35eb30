#!/usr/bin/env python3
"""The JSON Schema of snapshots (schema/snapshot.schema.json) against the tool: what the tool writes fits the schema,
and what the schema refuses the tool refuses, too.

usage: snapshot_schema_test.py PTCVM FACES   (the program under test; ptc_json_faces)"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import unittest

import jsonschema

from ptcvm_process import CommandLineTest, ptcvm

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FACES = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "build/release/tests/ptc_json_faces")
MAX_LINE = 60_000          # longer documents repeat frames and elements of the same kinds
POINTS = 8                 # points in each program

sys.setrecursionlimit(20_000)     # values may lie 64 deep, and each level takes a dozen calls
SCHEMA = json.loads((ROOT / "schema/snapshot.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

# Kinds of values that the programs of the suite seldom or never hold while they can be stopped.
RARE = """
(def floats [1.5 (/ 0.0 0.0) (/ -1.0 0.0) -0.0])
(def large [9007199254740992 123456789012345678901 (bit-shift-left 1 62)])
(def wide (reduce (fn [n i] (* n n)) 3 (range 14)))
(def noon (Instant/parse "2024-02-29T12:00:00Z"))
(def times [(LocalDate/parse "2024-02-29") (java.util.Date. 0) noon
            (Duration/between noon (Instant/parse "2024-03-01T00:00:00Z"))])
(def constant [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20]) (def constant-again [constant])
(def names [map :key #"a+" (range 3 9 2) tool/ask (def inner 1)])
(def maps {:a 1 "$x" {"$" 2} "plain" {"x" #{1 "a"}} [1 "two"] 3})
(def shared [(str 1)]) (def twice {"a" shared "b" shared "c" [shared (str 1)]})
(def long-key (apply str (repeat 300 "k"))) (def rows (mapv (fn [i] {long-key i [i] i}) (range 20)))
(def listed (let [k (str "ke" "y") m {k 1}] [m m {k 2} #{[k] 1}]))
(def heavy-keys (let [ks {[1 (str 2)] 1 [3] 2}] [ks (assoc ks [3] 4) (update ks [3] inc)]))
(def heavy-set (let [s #{[1 (str 2)] [3]}] [s s]))
(def many (vec (map str (range 3000)))) (def more (conj many 1)) (def part (subvec many 500 2500))
(def other (assoc many 7 :x)) (def room (conj [1 2] 3)) (def counted (into {} (map (fn [i] [i (str i)]) (range 3000))))
(def changed (assoc counted 5 :y)) (def fewer (dissoc counted 1 2 3)) (def members (set (range 500)))
(def added (conj members :more)) (def by-name (into {} (map (fn [i] [(str i) i]) (range 40))))
(def deep (loop [v 1 i 0] (if (< i 200) (recur {"d" [v]} (inc i)) v)))
(def adder (let [n 3] (fn add [x] (+ x n))))
(defn again [n] (let [old again] (def again (fn [x] x)) (await (tool/ask {:n n :again (str (keyword (str "k" n)))}))))
(println "printed") (step-done "s" "text") (task "t" {:a 1})
[(again 1) adder]
"""


def first_error(document):
    error = next(VALIDATOR.iter_errors(document), None)
    return None if error is None else "/" + "/".join(map(str, error.absolute_path)) + ": " + error.message[:300]


def tags_of(document):
    seen, open_values = set(), [{k: v for k, v in document.items() if k != "layout"}]
    while open_values:
        value = open_values.pop()
        if isinstance(value, dict):
            if isinstance(value.get("$"), str):
                seen.add(value["$"])
            open_values.extend(value.values())
        elif isinstance(value, list):
            open_values.extend(value)
    return seen


class Schema(CommandLineTest):
    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_every_member_is_described(self):
        """Or refers to something that is."""
        def undescribed(schema, path):
            for name, part in schema.get("properties", {}).items() if isinstance(schema, dict) else ():
                if isinstance(part, dict) and "description" not in part and "$ref" not in part:
                    if not (name in ("$", "v", "root", "tail", "children")):
                        yield path + "/" + name
                yield from undescribed(part, path + "/" + name)
            for word in ("items", "then", "else", "additionalProperties"):
                if isinstance(schema, dict) and isinstance(schema.get(word), dict):
                    yield from undescribed(schema[word], path + "/" + word)
        found = list(undescribed(SCHEMA, ""))
        for name, part in SCHEMA["$defs"].items():
            found += undescribed(part, name)
            for branch in part.get("allOf", ()):
                found += undescribed(branch["then"], name + "/" + branch["if"]["properties"]["$"]["const"])
        self.assertEqual(found, [])

    def test_states_of_every_program_fit(self):
        faces = subprocess.run([FACES, str(ROOT / "tests/programs"), str(POINTS)], capture_output=True, text=True,
                               timeout=300, check=True).stdout
        fit = 0
        for line in faces.splitlines():
            if len(line) > MAX_LINE:
                continue
            document = json.loads(line)
            self.assertIsNone(first_error(document), document["session"].get("source_name"))
            fit += 1
        self.assertGreater(fit, 1000)

    def test_every_kind_of_value_fits(self):
        seen = set()
        branches = "(pmap (fn [n] (def here n) (println n) (task (str n) (await (tool/ask {:n n})))) [1 2 3])"
        journal = self.file("journal.edn", '{"before" [1 2]}')
        data = self.file("data.json", '{"rows": [{"a": 1.5}]}')
        for source in (RARE, branches):
            state = self.file("state.ptcs", "")
            status, _, err = ptcvm("eval", source, "--async-tool", "ask", "--snapshot", state, "--journal", journal,
                                   "--data", data, "--signature", ":any", "--float-precision", "2")
            self.assertEqual(status, 75, err)
            status, text, err = ptcvm("snapshot", "json", state)
            self.assertEqual(status, 0, err)
            document = json.loads(text)
            self.assertIsNone(first_error(document))
            seen |= tags_of(document)
        self.assertEqual(set(SCHEMA["$defs"]["tagged"]["properties"]["$"]["enum"]) - seen, set())


def without(name):
    def change(at):
        del at[name]
    return change


def with_member(name, value):
    def change(at):
        at[name] = value
    return change


def at_path(document, path):
    for step in path:
        document = document[step]
    return document


PROGRAM = '''(def x {"list" [1 2 3]}) (def at (LocalDate/parse "2024-02-29")) (println "hi")
(let [done (tool/ask {:n 1}) n 4] (await done) (task "t" (pmap (fn [k] (await (tool/ask {:n k}))) [n 5])))'''

# Path of an object, and what is done to it. Schema and tool must both refuse the outcome.
WRONG = [
    ((), without("format")),
    ((), without("oldest_reader")),
    ((), without("programs")),
    ((), with_member("oldest_reader", 4)),
    ((), with_member("format", "one")),
    ((), with_member("surprise", 1)),
    ((), with_member("prints", "hi")),
    ((), with_member("prints", [1])),
    ((), with_member("suspended", "yes")),
    ((), with_member("journal", [])),
    ((), with_member("history", [1, 2, 3, 4])),
    ((), with_member("turn", -1)),
    ((), with_member("layout", [])),
    ((), with_member("objects", {"first": 1})),
    ((), with_member("retired", 7)),
    (("pending", 0), without("opened")),
    (("pending", 0), without("op")),
    (("pending", 0), with_member("op", 1)),
    (("pending", 0), with_member("kind", "letter")),
    (("pending", 0), with_member("status", "ok")),
    (("pending", 0), with_member("since", "noon")),
    (("pending", 0), with_member("sequence", 1)),
    (("pending", 0), with_member("delivered", True)),
    (("pending", 0), with_member("until", 5)),
    (("operations", 0), with_member("status", "waiting")),
    (("operations", 0), without("sequence")),
    (("fibers", 0), with_member("state", "asleep")),
    (("fibers", 0), with_member("frames", {})),
    (("fibers", 0), with_member("id", 2**32)),
    (("fibers", 0, "open_tasks", 0), with_member("frames", None)),
    (("fibers", 1, "tool_calls", 0), without("args")),
    (("fibers", 1, "frames", 0), with_member("slots", None)),
    (("fibers", 1, "frames", 0), with_member("stage", 70_000)),
    (("fibers", 1, "frames", 0), with_member("pc", 1)),
    (("fibers", 1, "frames", 1), with_member("pc", -1)),
    (("fibers", 1, "frames", 1), with_member("register", 1)),
    (("limits",), with_member("fuel", 1.5)),
    (("limits",), with_member("outstanding", "wait")),
    (("used",), with_member("days", 1)),
    (("counters",), with_member("next_request", [])),
    (("session",), with_member("check_tools", 1)),
    (("session", "tools", 0), with_member("mode", "lazy")),
    (("programs", 0), without("bytecode")),
    (("programs", 0), with_member("bytecode", "not base64")),
    (("programs", 0), with_member("version", 1)),
    (("namespace",), with_member("x", 1.5)),
    (("namespace",), with_member("x", {"$": "kw"})),
    (("namespace",), with_member("x", {"$": "kw", "v": 1})),
    (("namespace",), with_member("x", {"$": "kw", "v": "a", "w": 1})),
    (("namespace",), with_member("x", {"$": "secret", "v": "a"})),
    (("namespace",), with_member("x", {"$": 1})),
    (("namespace",), with_member("x", {"$x": 1})),
    (("namespace",), with_member("x", {"$": "map", "v": [[1, 2, 3]]})),
    (("namespace",), with_member("x", {"$": "set"})),
    (("namespace",), with_member("x", {"$": "int", "v": "many"})),
    (("namespace",), with_member("x", {"$": "f", "v": "half"})),
    (("namespace",), with_member("at", {"$": "date", "v": "today"})),
    (("namespace",), with_member("x", {"$": "instant", "seconds": 1, "nanos": 10**9})),
    (("namespace",), with_member("x", {"$": "ref", "v": "first"})),
    (("namespace",), with_member("x", [{"$": "range", "count": -1}])),
]

# What both must take.
RIGHT = [
    ((), without("engine")),
    ((), without("prints")),
    ((), with_member("turn", "1")),
    (("fibers", 1, "frames", 1), without("at")),
    (("limits",), without("fuel")),
    (("session",), without("max_symbols")),
    (("namespace",), with_member("x", None)),
    (("namespace",), with_member("x", {"": 1, "a$": [{"$": "kw", "v": "b"}]})),
    (("namespace",), with_member("x", {"$": "map", "v": [[{"$": "f", "v": "1.5"}, {"$": "set", "v": [1, "1"]}]]})),
    (("namespace",), with_member("x", {"$": "instant", "seconds": 1, "nanos": 5})),
    (("namespace",), with_member("x", {"$": "int", "v": "-0x10"})),
    (("journal",), with_member("new", {"$": "date", "days": 12})),
]


class SchemaAndReader(CommandLineTest):
    def base(self):
        state = self.file("state.ptcs", "")
        journal = self.file("journal.edn", "{}")
        ptcvm("eval", PROGRAM, "--async-tool", "ask", "--journal", journal, "--snapshot", state)
        status, _, err = ptcvm("resume", state, "--async-tool", "ask", "--resolve", "op1=7", "--snapshot", state)
        self.assertEqual(status, 75, err)
        document = json.loads(ptcvm("snapshot", "json", state)[1])
        self.assertEqual((len(document["pending"]), len(document["operations"]), len(document["fibers"])), (2, 1, 3))
        return document

    def both(self, base, path, change):
        document = copy.deepcopy(base)
        change(at_path(document, path))
        file = self.file("changed.json", json.dumps(document))
        status, out, err = ptcvm("snapshot", "verify", file)
        return first_error(document), status, out + err

    def test_they_refuse_the_same(self):
        base = self.base()
        self.assertEqual(self.both(base, (), lambda _: None)[:2], (None, 0))
        for number, (path, change) in enumerate(WRONG):
            with self.subTest(number=number, path=path):
                schema, status, told = self.both(base, path, change)
                self.assertIsNotNone(schema, told)
                self.assertEqual(status, 1, told)
                self.assertRegex(told, "not_a_snapshot|snapshot_(invalid|unsupported_version|missing_program|damaged)")

    def test_they_take_the_same(self):
        base = self.base()
        for number, (path, change) in enumerate(RIGHT):
            with self.subTest(number=number, path=path):
                schema, status, told = self.both(base, path, change)
                self.assertEqual((schema, status), (None, 0), told)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
