#!/usr/bin/env python3
"""ptcvm chain refuses by name what does not fit: arguments, answers, outputs, strategies, feedback.

usage: chain_checks_test.py PTCVM   (the program under test)"""
import json
import os
import unittest

import chain_test
from chain_test import INTENT, step


class Signatures(chain_test.ChainTest):
    def typed(self, name, signature, line):
        return {**self.shell(name, line), "signature": signature}

    def report(self, *plans, tools, more=()):
        status, out, err = self.chain("run", "Greet", "--tools", self.tools(*tools), "--output", "json", "--model",
                                      self.script(INTENT, *({"steps": plan} for plan in plans)), *more)
        self.assertNotEqual(out, "", err)
        return status, json.loads(out)

    def test_a_wrong_argument_of_a_plan_is_refused_before_anything_runs(self):
        count = self.typed("count", "(n :int) -> :int", "echo 1")
        for args, what in (({"n": "many"}, "args.n: expected int"), ({}, "args.n"), ({"n": 1, "m": 2}, "args")):
            wrong = [step("a", "count", args={"n": 1}), step("b", "count", args=args)]
            status, report = self.report(wrong, wrong, tools=[count])
            self.assertEqual((status, report["task"], self.made()), (1, "failed", []), args)
            self.assertTrue(report["error"].startswith("PLAN_ARGUMENTS_INVALID: step 2: "), report["error"])
            self.assertIn(what, report["error"])
        status, report = self.report(wrong, [step("a", "count", args={"n": 1})], tools=[count])
        self.assertEqual((status, report["success"]), (0, True), "the planner was told, and has mended it")

    def test_a_wrong_result_of_another_step_fails_the_call_by_name(self):
        tools = [self.typed("say", "() -> :any", "echo '\"many\"'"), self.typed("count", "(n :int) -> :int", "echo 1")]
        plan = [step("a", "say"), step("b", "count", args={"n": {"$result": "a"}})]
        status, report = self.report(plan, tools=tools, more=("--revisions", "1"))
        self.assertEqual((status, self.made()), (1, ["say"]))
        self.assertIn("ARGUMENTS_INVALID: args.n: expected int", report["steps"][1]["error"])

    def test_a_wrong_answer_is_a_failed_step_and_the_planner_hears_of_it(self):
        tools = [self.typed("count", "() -> :int", "echo '\"many\"'"), self.typed("say", "() -> :any", "echo 1")]
        record = os.path.join(self.folder.name, "r.jsonl")
        status, report = self.report([step("a", "count")], [step("a", "say")], tools=tools, more=("--record", record))
        self.assertEqual((status, report["revision"], self.made()), (0, 2, ["count", "say"]))
        with open(record, encoding="utf-8") as lines:
            self.assertIn("ANSWER_INVALID: answer: expected int, got string", lines.read())

    def test_what_is_no_loss_is_converted(self):
        count = self.typed("count", "(n :int) -> :int", "echo \"$args\" > " + self.folder.name + "/args; echo '\"7\"'")
        status, report = self.report([step("a", "count", args={"n": "5"})], tools=[count])
        self.assertEqual((status, report["outputs"]), (0, ["7"]))
        with open(self.folder.name + "/args", encoding="utf-8") as said:
            self.assertEqual(json.loads(said.read()), {"n": 5})

    def test_a_signature_that_cannot_be_read_is_refused(self):
        status, _, err = self.chain("run", "Greet", "--tools", self.tools(self.typed("say", "(n :nomber) -> :any", "")),
                                    "--model", self.script(INTENT))
        self.assertEqual(status, 65)
        self.assertIn("the tool say: ", err)


class Outputs(chain_test.ChainTest):
    def test_an_output_is_whole_or_fails_its_step(self):
        for letters, fits in ((262_144, True), (262_145, False)):
            line = f"printf '\"'; head -c {letters} /dev/zero | tr '\\0' x; printf '\"'"
            length = {**self.shell("length", 'echo "$args" | wc -c'), "signature": "(text :string) -> :int"}
            status, out, err = self.run_task([step("a"), step("b", "length", args={"text": {"$result": "a"}})],
                                             "--revisions", "1", "--output", "json",
                                             tools=[self.shell("say", line), length])
            report = json.loads(out)
            self.assertEqual(status, 0 if fits else 1, err)
            if fits:
                self.assertEqual(report["outputs"][1], str(letters + len('{"text":""}\n')))
            else:
                self.assertEqual(report["steps"][0]["error"],
                                 "OUTPUT_TOO_LARGE: the output has 262145 bytes; at most 262144 are taken")

    def test_files_are_read_up_to_their_limit(self):
        huge = os.path.join(self.folder.name, "huge")
        with open(huge, "wb") as file:
            file.truncate(5 << 30)
        for words in (("--strategy", huge, "--tools", self.tools()), ("--tools", huge)):
            status, _, err = self.chain("run", "Greet", "--model", self.script(INTENT), *words)
            self.assertEqual((status, "has at most 16777216 bytes" in err), (65, True), err)
        self.assertEqual(self.run_task([step("a")], *self.kept())[0], 0)
        status, _, err = self.chain("replay", *self.kept("--plan", huge))
        self.assertEqual((status, "a plan has at most 16777216 bytes" in err), (65, True), err)


class Strategies(chain_test.ChainTest):
    def refused(self, text):
        status, out, err = self.run_task([step("a")], "--strategy", self.file("s.json", text))
        self.assertEqual((status, out, self.made()), (65, "", []), text)
        return err

    def test_a_member_that_is_unknown_or_written_twice_is_named(self):
        for text, what in (('{"constraint": {}}', 'there is no member "constraint"; the members are metadata, '),
                           ('{"constraints": {"deniedTool": ["say"]}}',
                            'constraints: there is no member "deniedTool"; the members are mustConfirmBefore, deniedT'),
                           ('{"execution": {"requireConfirmation": ["say"]}}', 'the members are requiresConfirmation'),
                           ('{"safety": {"denyPath": ["/"]}}', "denyPaths"),
                           ('{"constraints": {"deniedTools": ["say"], "deniedTools": []}}',
                            "the member /constraints/deniedTools is written twice"),
                           ('{"constraints": {"deniedTools": ["say"]}, "constraints": {}}',
                            "the member /constraints is written twice")):
            self.assertIn(what, self.refused(text), text)

    def test_a_path_that_would_protect_nothing_is_named(self):
        for path in ("", "*", "/srv/*", "$HOME/x", "file:///etc", "~root/x"):
            for name in ("denyPaths", "userDataDirs", "allowPaths"):
                err = self.refused(json.dumps({"safety": {name: ["/etc", path]}}))
                self.assertIn(f'safety.{name} has "{path}", which is no path', err)

    def test_a_pattern_of_guarded_tools_names_a_tool(self):
        self.assertIn('names "shop_*", which is no tool', self.refused('{"safety": {"guardedTools": ["shop_*"]}}'))
        status, _, err = self.run_task([step("a")], "--strategy",
                                       self.file("s.json", '{"safety": {"guardedTools": ["sa*", "say"]}}'))
        self.assertEqual(status, 0, err)

    def test_a_tool_that_does_not_exist_is_named(self):
        for section, name in (("constraints", "deniedTools"), ("constraints", "mustConfirmBefore"),
                              ("safety", "externalTools"), ("safety", "guardedTools"),
                              ("execution", "requiresConfirmation")):
            err = self.refused(json.dumps({section: {name: ["say", "sey"]}}))
            self.assertIn(f'{section}.{name} names "sey", which is no tool of the task; the tools are say', err)

    def test_another_strategy_of_a_replay_is_read_in_the_same_way(self):
        self.assertEqual(self.run_task([step("a")], *self.kept())[0], 0)
        other = self.file("o.json", '{"constraints": {"deniedTools": ["sey"]}}')
        status, _, err = self.chain("replay", *self.kept("--strategy", other))
        self.assertEqual((status, 'names "sey"' in err), (65, True), err)

    def test_what_is_for_the_planner_may_say_anything(self):
        text = json.dumps({"system": {"role": "careful", "tone": "dry"}, "metadata": {"id": "x", "version": "1"}})
        self.assertEqual(self.run_task([step("a")], "--strategy", self.file("s.json", text))[0], 0)

    def test_tools_and_imported_lines_are_read_in_the_same_way(self):
        twice = '[{"name": "say", "effect": "unsafe", "effect": "pure", "command": ["true"]}]'
        status, _, err = self.chain("run", "Greet", "--tools", self.file("t.json", twice), "--model",
                                    self.script(INTENT))
        self.assertEqual((status, "/effect is written twice" in err), (65, True), err)
        for line, what in (('{"kind": "fact", "key": "k", "content": "c", "contnt": "d"}', '"contnt"'),
                           ('{"kind": "fact", "key": "k", "content": "c", "content": "d"}', "written twice")):
            status, _, err = self.chain("import", "--store", self.store, self.file("l.jsonl", line))
            self.assertEqual((status, what in err), (65, True), err)


class Said(chain_test.ChainTest):
    def test_feedback_that_is_none_is_refused_and_can_be_said_again(self):
        self.assertEqual(self.run_task([step("a")], *self.kept())[0], 0)
        for text, what in (("rating=foo", "positive, neutral or negative"), ("rating=", "positive"),
                           ("ratnig=positive; comment=quick", 'no part "ratnig=positive"')):
            status, _, err = self.chain("feedback", *self.kept(text))
            self.assertEqual((status, what in err), (65, True), err)
        self.assertEqual(self.chain("feedback", *self.kept())[1], "null\n")
        self.assertEqual(self.chain("feedback", *self.kept("it was quick; I think"))[0], 0)
        self.assertEqual(json.loads(self.chain("feedback", *self.kept())[1])["comment"], "it was quick; I think")

    def test_a_planner_that_fails_is_no_success(self):
        script = self.script(INTENT, {"steps": [step("a")]}, "no plan", "no plan", {"steps": []},
                             {"steps": [step("a", args={"text": "other"})]})
        self.assertEqual(self.chain("run", "Greet", "--tools", self.tools(), "--model", script, *self.kept())[0], 0)
        for name in ("PLAN_INVALID", "REPLAN_UNAVAILABLE", "REPLAN_TOUCHES_COMPLETED"):
            status, out, _ = self.chain("replan", *self.kept("more", "--output", "json"))
            self.assertIn(name, out)
            self.assertEqual(status, 1, name)


if __name__ == "__main__":
    unittest.main(argv=["chain_checks_test.py"])
