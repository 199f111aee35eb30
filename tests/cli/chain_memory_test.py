#!/usr/bin/env python3
"""ptcvm chain: tasks that are planned again, and what a store knows of tasks.

usage: chain_memory_test.py PTCVM   (the program under test)"""
import contextlib
import json
import sqlite3
import time
import unittest

import chain_test
from chain_test import INTENT, step
from ptcvm_process import ptcvm


class Replan(chain_test.ChainTest):
    def begun(self, *later):
        """A task whose second step has failed, with what a planner answers later."""
        tools = self.tools(self.shell("say", "echo '\"hello\"'"), self.shell("bad", "exit 1"),
                           self.shell("write", "echo '{\"artifacts\": [\"a.txt\"]}'"))
        script = self.script(INTENT, {"steps": [step("a"), step("b", "bad")]}, *later)
        return self.chain("run", "Greet", "--tools", tools, "--model", script, "--revisions", "1",
                          *self.kept("--output", "json"))

    def test_a_task_that_has_ended_is_planned_again_and_keeps_what_is_done(self):
        status, out, err = self.begun({"steps": [step("a"), step("b", "write")]})
        self.assertEqual((status, json.loads(out)["revision"], self.made()), (1, 1, ["say", "bad"]), err)
        self.assertEqual(json.loads(out)["rootCause"]["stepId"], "b")
        status, out, err = self.chain("replan", *self.kept("write it down", "--output", "json"))
        report = json.loads(out)
        self.assertEqual((status, report["revision"], report["success"], self.made()),
                         (0, 2, True, ["say", "bad", "write"]), err)
        self.assertEqual((report["artifacts"], report["rootCause"]), ([{"path": "a.txt"}], None))
        self.assertEqual((report["cost"]["modelCalls"], report["cost"]["toolCalls"]), (3, 3))
        again = json.loads(self.chain("report", *self.kept("--output", "json"))[1])
        self.assertEqual(again, report)

    def test_a_wish_that_touches_completed_steps_is_refused_and_reported(self):
        self.begun({"steps": [step("a", "write"), step("b", "write")]}, {"steps": [step("a"), step("b", "write")]})
        status, out, err = self.chain("replan", *self.kept("--output", "json"))
        report = json.loads(out)
        self.assertEqual((status, report["revision"], report["success"], self.made()),
                         (1, 2, False, ["say", "bad"]), err)
        self.assertIn("REPLAN_TOUCHES_COMPLETED", report["verificationNotes"][0])
        self.assertEqual([row["status"] for row in report["steps"]], ["completed", "failed"])
        status, out, err = self.chain("replan", *self.kept("--output", "json"))
        self.assertEqual((status, json.loads(out)["revision"], self.made()), (0, 3, ["say", "bad", "write"]), err)

    def test_a_revision_cannot_pass_a_failed_check_by_changing_it(self):
        def run(number, *plans):
            tools = self.tools(self.shell("say", "echo '\"bad\"'"))
            status, out, err = self.chain("run", "Greet", "--tools", tools, "--output", "json", "--model", self.script(
                INTENT, *({"steps": steps} for steps in plans)), "--store", self.store, "--id", f"t{number}")
            report = json.loads(out)
            return status, [row["status"] for row in report["steps"]], report["verificationNotes"], err
        good, bad = ["contains:good"], ["contains:bad"]
        status, steps, notes, err = run(1, [step("a", verification=good)], [step("a", verification=bad)])
        self.assertEqual((status, steps, self.made()), (1, ["failed"], ["say"]), err)
        self.assertIn("REPLAN_CHANGES_CHECKS: step a", "".join(notes))
        whole = {"id": "v", "type": "system", "dependsOn": ["a"], "description": "check"}
        status, steps, notes, err = run(2, [step("a"), {**whole, "verification": good}],
                                        [step("a"), {**whole, "verification": bad}])
        self.assertEqual((status, steps, self.made()), (1, ["completed", "failed"], ["say"] * 2), err)
        self.assertIn("REPLAN_CHANGES_CHECKS: step v", "".join(notes))
        self.assertEqual(run(3, [step("a", verification=good)], [step("a", verification=bad, reset=True)])[0], 0)
        other = step("a", verification=bad, args={"text": "x"})
        self.assertEqual(run(4, [step("a", verification=good)], [other])[0], 0)
        self.assertEqual(self.made(), ["say"] * 6)

    def test_a_wish_outlives_the_process_that_took_it(self):
        self.begun()
        self.assertEqual(self.chain("replan", *self.kept("write it down"))[0], 1)   # the script has no line left
        self.assertIn("under way, revision 1", self.chain("show", *self.kept())[1])
        self.assertEqual(self.chain("replan", *self.kept("another wish"))[0], 65)
        plan = {"steps": [step("a"), step("b", "write", requiresConfirmation=True)]}
        more = "scripted:" + self.file("more.jsonl", json.dumps({"text": json.dumps(plan)}) + "\n")
        status, _, err = self.chain("replan", *self.kept("--model", more))
        self.assertEqual((status, self.made()), (75, ["say", "bad"]), err)
        status, out, err = self.chain("answer", *self.kept("--model", more, "--output", "json", "b", "yes"))
        self.assertEqual((status, json.loads(out)["revision"], self.made()), (0, 2, ["say", "bad", "write"]), err)

    def test_a_task_that_never_had_a_plan_gets_one(self):
        script = self.script(INTENT, "no plan", "none either", {"steps": []}, {"steps": [step("a")]})
        status, out, _ = self.chain("run", "Greet", "--tools", self.tools(), "--model", script,
                                    *self.kept("--output", "json"))
        self.assertEqual((status, json.loads(out)["task"]), (1, "failed"))
        status, out, _ = self.chain("replan", *self.kept("--output", "json"))
        report = json.loads(out)
        self.assertEqual((status, report["task"], report["revision"], report["success"]), (1, "failed", 2, False))
        self.assertTrue(report["error"].startswith("REPLAN_UNAVAILABLE"), report)
        status, out, err = self.chain("replan", *self.kept("--output", "json"))
        self.assertEqual((status, json.loads(out)["revision"], self.made()), (0, 3, ["say"]), err)

    def test_a_task_that_succeeded_may_grow(self):
        tools = self.tools(self.shell("say", "echo '\"hello\"'"))
        script = self.script(INTENT, {"steps": [step("a")]}, {"steps": [step("a"), step("b", args={"text": "more"})]})
        self.chain("run", "Greet", "--tools", tools, "--model", script, *self.kept())
        status, out, err = self.chain("replan", *self.kept("say more", "--output", "json"))
        report = json.loads(out)
        self.assertEqual((status, report["summary"], self.made()), (0, "Completed 2/2 steps.", ["say", "say"]), err)

    def test_a_task_without_a_report_is_not_planned_again(self):
        tools = self.tools(self.shell("say", "echo 1"))
        self.chain("run", "Greet", "--tools", tools, "--model",
                   self.script(INTENT, {"steps": [step("a", requiresConfirmation=True)]}), *self.kept())
        status, _, err = self.chain("replan", *self.kept())
        self.assertEqual(status, 65)
        self.assertIn("no report yet", err)


class Memory(chain_test.ChainTest):
    def rows(self, query):
        with contextlib.closing(sqlite3.connect(self.store)) as database:
            return database.execute(query).fetchall()

    def context_of(self, task):
        _, out, err = ptcvm("journal", "export", "--store", self.store, task)
        for line in out.splitlines():
            fact = json.loads(line)
            if fact.get("id") == f"{task}/context":
                return json.loads(json.loads(fact["value"]))
        self.fail(err)

    def task(self, name, text, *plan):
        return self.chain("run", text, "--tools", self.tools(), "--model",
                               self.script(INTENT, {"steps": list(plan) or [step("a")]}), "--store", self.store, "--id",
                          name)

    def test_a_fact_that_was_told_is_found_by_its_words(self):
        for told in ("The user prefers pnpm", "The cat is called Tom", "Install nothing on Fridays"):
            self.assertEqual(self.chain("facts", "--store", self.store, told)[0], 0)
        _, out, _ = self.chain("facts", "--store", self.store, "--search", "install with pnpm")
        self.assertEqual(sorted(line.split("  ")[-1].strip() for line in out.splitlines()[1:]),
                         ["Install nothing on Fridays", "The user prefers pnpm"])
        self.task("t", "installing things with pnpm")
        context = self.context_of("t")
        self.assertEqual(sorted(fact["content"] for fact in context["facts"]),
                         ["Install nothing on Fridays", "The user prefers pnpm"])
        self.assertEqual(self.chain("facts", "--store", self.store, "--forget", "fact-1")[0], 0)
        self.assertNotIn("pnpm", self.chain("facts", "--store", self.store)[1])
        self.assertEqual(self.chain("facts", "--store", self.store, "--forget", "fact-1")[0], 65)

    def test_corrections_and_earlier_tasks_are_known_to_the_next_task(self):
        self.task("first", "Build the web page")
        self.chain("feedback", "--store", self.store, "--id", "first",
                   "correction=the page needs a footer; rating=neutral")
        self.task("second", "Change the page")
        context = self.context_of("second")
        self.assertEqual([fact["content"] for fact in context["facts"]], ["the page needs a footer"])
        self.assertEqual([(one["taskId"], one["input"], one["result"]) for one in context["episodes"]],
                         [("first", "Build the web page", "Completed 1/1 steps.")])

    def test_feedback_and_its_corrections_have_the_time_at_which_they_were_said(self):
        self.task("first", "Build the web page")
        ended = int(time.time() * 1000)
        self.chain("feedback", "--store", self.store, "--id", "first", "correction=the page needs a footer")
        self.task("second", "Change the page")
        fact = self.context_of("second")["facts"][0]
        (told,), (known,) = (self.rows(f"SELECT created_at FROM {table}")[0]
                             for table in ("task_feedback", "memory_facts"))
        self.assertEqual((fact["createdAt"], known), (told, told))
        self.assertGreaterEqual(told, ended)

    def test_the_tables_have_what_the_logs_say(self):
        self.task("t", "Greet", step("a"), step("b", args={"text": "x"}))
        self.chain("feedback", "--store", self.store, "--id", "t", "rating=positive")
        self.assertEqual(self.rows("SELECT task_id, revision FROM task_reports"), [("t", 1)])
        report = json.loads(self.rows("SELECT report_json FROM task_reports")[0][0])
        self.assertEqual(report, json.loads(self.chain("report", *self.kept("--output", "json"))[1]))
        self.assertEqual(json.loads(self.rows("SELECT feedback_json FROM task_feedback")[0][0])["rating"], "positive")
        self.assertEqual(self.rows("SELECT task_id, input, result, strategy_id FROM episodes"),
                         [("t", "Greet", "Completed 2/2 steps.", "unknown")])
        self.assertEqual(self.rows("SELECT step_index, step_id, tool_name, tool_args, tool_output, status FROM traces"),
                         [(0, "a", "say", "{}", "hello", "success"),
                          (1, "b", "say", '{"text":"x"}', "hello", "success")])
        self.assertEqual(self.chain("list", "--store", self.store)[0], 0)

    def test_a_plan_that_was_refused_is_in_no_record(self):
        tools = self.tools(self.shell("say", "echo '\"hello\"'"), self.shell("bad", "exit 1"))
        evil = {"steps": [step("a", args={"text": "evil"}), step("c")]}
        self.chain("run", "Greet", "--tools", tools, "--model", self.script(
            INTENT, {"steps": [step("a", args={"text": "x"}), step("b", "bad")]}, evil, {"steps": [step("d")]}),
            *self.kept())

        def kept():
            exported = json.loads(self.chain("export", "--store", self.store)[1].splitlines()[0])
            self.assertEqual(exported["plan"], json.loads(self.rows("SELECT plan FROM episodes")[0][0]))
            return [(one["id"], one.get("args")) for one in exported["plan"]["steps"]]
        self.assertEqual(kept()[:2], [("a", {"text": "x"}), ("b", None)])
        self.chain("replan", *self.kept("another way"))
        self.assertEqual(kept()[:2], [("a", {"text": "x"}), ("b", None)])

    def test_the_tables_are_made_again_from_the_logs(self):
        self.task("t", "Greet")
        with contextlib.closing(sqlite3.connect(self.store)) as database:
            database.execute("DELETE FROM task_reports")
            database.execute("DELETE FROM task_folds")
            database.commit()
        self.chain("facts", "--store", self.store)
        self.assertEqual(self.rows("SELECT task_id, revision FROM task_reports"), [("t", 1)])

    def test_a_failed_call_has_a_trace_although_another_one_mended_it(self):
        tools = self.tools(self.shell("say", "exit 1"), self.shell("cry", "echo '\"hello\"'"))
        script = self.script(INTENT, {"steps": [step("a")]}, {"steps": [step("a", "cry")]})
        self.chain("run", "Greet", "--tools", tools, "--model", script, *self.kept())
        self.assertEqual(self.rows("SELECT step_id, tool_name, status FROM traces"),
                         [("a", "say", "failed"), ("a", "cry", "success")])

    def test_a_task_is_reported_although_its_tables_cannot_be_written(self):
        self.task("t", "Greet", step("a", requiresConfirmation=True))
        with contextlib.closing(sqlite3.connect(self.store)) as database:
            database.execute("DROP TABLE traces")
            database.commit()
        status, out, err = self.chain("answer", *self.kept("a", "yes"))
        self.assertEqual(status, 0, err)
        self.assertIn("[x] a", out)
        self.assertIn("traces", err)

    def test_newer_tables_are_refused_by_name(self):
        self.task("t", "Greet")
        with contextlib.closing(sqlite3.connect(self.store)) as database:
            database.execute("INSERT INTO archive_version VALUES (99)")
            database.commit()
        status, _, err = self.chain("facts", "--store", self.store)
        self.assertEqual(status, 74)
        self.assertIn("version 99", err)


if __name__ == "__main__":
    unittest.main(argv=["chain_memory_test.py"])
