#!/usr/bin/env python3
"""The schemas of agents/chain/schema/: what `ptcvm chain` writes fits them, and `ptcvm chain` refuses what does not.

usage: chain_schema_test.py PTCVM   (the program under test)"""
import copy
import json
import os
import pathlib
import unittest

import jsonschema
from ptcvm_process import CommandLineTest, ptcvm

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "agents/chain/schema"
INTENT = {"category": "action", "summary": "Greet Ann", "complexity": "simple", "entities": ["Ann"]}
STEP = {"id": "a", "type": "action", "description": "say it", "tool": "say", "args": {"text": "x"}, "dependsOn": [],
        "riskLevel": "low", "requiresConfirmation": False, "verification": ["contains:hello"], "reset": False}


def schema(name):
    document = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def with_member(document, name, value):
    return {**copy.deepcopy(document), name: value}


class Schemas(CommandLineTest):
    def chain(self, command, intent, *plans, more=()):
        tools = [{"name": "say", "signature": "(text :string?) -> :any", "effect": "keyed",
                  "command": ["sh", "-c", "cat > /dev/null; echo '\"hello\"'"]}]
        lines = [json.dumps({"text": json.dumps(text)}) + "\n" for text in (intent, *plans)]
        return ptcvm("chain", command, "Greet", "--tools", self.file("tools.json", json.dumps(tools)), "--model",
                     "scripted:" + self.file("script.jsonl", "".join(lines)), "--output", "json", *more)

    def report(self, intent, *plans, more=()):
        _, out, err = self.chain("run", intent, *plans, more=more)
        self.assertNotEqual(out, "", err)
        return json.loads(out)

    def test_reports_fit(self):
        good = self.report(INTENT, {"steps": [STEP]})
        bad = self.report(INTENT, {"steps": [with_member(STEP, "verification", ["contains:no"]), {"tool": "say"}]},
                          more=("--revisions", "1"))
        none = self.report(INTENT, {"steps": 1}, {"steps": 1})
        for report in (good, bad, none):
            schema("report").validate(report)
        for changed in (with_member(good, "success", "yes"), with_member(good, "revision", 0),
                        with_member(good, "more", 1), with_member(good, "steps", [])):
            self.assertFalse(schema("report").is_valid(changed), changed)

    def test_the_plan_that_is_shown_fits(self):
        _, out, err = self.chain("plan", INTENT, {"steps": [STEP, {"tool": "say"}]})
        schema("plan").validate(json.loads(out))
        self.assertEqual(len(json.loads(out)["steps"]), 2, err)

    def test_a_plan_is_taken_exactly_when_it_fits(self):
        changes = [("type", "dream"), ("type", 1), ("description", 1), ("tool", 1), ("args", [1]), ("dependsOn", "a"),
                   ("dependsOn", [{}]), ("riskLevel", "huge"), ("requiresConfirmation", "no"), ("verification", "x"),
                   ("verification", [1]), ("reset", 1), ("id", 7), ("args", None), ("dependsOn", None),
                   ("riskLevel", None), ("verification", None), ("unknown", 1)]
        for name, value in changes:
            plan = {"steps": [with_member(STEP, name, value)]}
            status, _, err = self.chain("plan", INTENT, plan, plan)
            self.assertEqual(status == 0, schema("plan").is_valid(plan), (name, value, err))

    def test_an_intent_is_taken_exactly_when_it_fits(self):
        changes = [("category", "chat"), ("complexity", "huge"), ("summary", 1), ("goal", 1), ("constraints", "x"),
                   ("constraints", [1]), ("entities", [None]), ("goal", "g"), ("unknown", 1)]
        for name, value in changes:
            intent = with_member(INTENT, name, value)
            is_taken = self.report(intent, {"steps": [STEP]})["intentSummary"] != "Greet"
            self.assertEqual(is_taken, schema("intent").is_valid(intent), (name, value))

    def test_feedback_fits(self):
        kept = ("--store", os.path.join(self.folder.name, "t.db"), "--id", "t")
        self.report(INTENT, {"steps": [STEP]}, more=kept)
        ptcvm("chain", "feedback", *kept, "rating=positive; comment=quick; correction=use pnpm")
        said = json.loads(ptcvm("chain", "feedback", *kept)[1])
        schema("feedback").validate(said)
        self.assertEqual(said["corrections"], ["use pnpm"])
        self.assertFalse(schema("feedback").is_valid(with_member(said, "rating", "great")))


if __name__ == "__main__":
    unittest.main(argv=["chain_schema_test.py"])
