#!/usr/bin/env python3
"""ptcvm chain: tasks on the command line, with models that need no network.

usage: chain_test.py PTCVM   (the program under test)"""
import html.parser
import json
import os
import pathlib
import unittest

from ptcvm_process import CommandLineTest, ptcvm

INTENT = json.dumps({"category": "action", "summary": "Greet <Ann> & Bo", "complexity": "simple"})


def step(name, tool="say", **more):
    return {"id": name, "type": "action", "description": f"do {name}", "tool": tool, **more}


class ChainTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.calls = os.path.join(self.folder.name, "calls")
        self.store = os.path.join(self.folder.name, "tasks.db")

    def shell(self, name, line, effect="keyed"):
        """A tool that notes its call, and answers with what the line of a shell writes."""
        return {"name": name, "signature": "(text :any?) -> :any", "description": name, "effect": effect,
                "command": ["sh", "-c", f"read args; echo {name} \"$args\" >> {self.calls}; {line}"]}

    def tools(self, *tools):
        return self.file("tools.json", json.dumps(list(tools) or [self.shell("say", "echo '\"hello\"'")]))

    def script(self, *texts):
        lines = [{"text": text} if isinstance(text, str) else
                 text if "http" in text or "program" in text else {"text": json.dumps(text)} for text in texts]
        return "scripted:" + self.file("script.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def made(self):
        path = pathlib.Path(self.calls)
        return [line.split()[0] for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []

    def chain(self, *args):
        return ptcvm("chain", *args)

    def run_task(self, plan, *more, tools=(), text="Greet"):
        return self.chain("run", text, "--tools", self.tools(*tools), "--model",
                          self.script(INTENT, {"steps": plan}), *more)

    def kept(self, *more):
        return "--store", self.store, "--id", "t", *more


class Run(ChainTest):
    def test_a_task_that_succeeds_ends_with_0_and_its_report(self):
        status, out, err = self.run_task([step("a", verification=["contains:hello"])], "--output", "json")
        report = json.loads(out)
        self.assertEqual((status, report["success"], report["outputs"]), (0, True, ["hello"]), err)
        self.assertEqual((report["intentSummary"], report["steps"][0]["verificationStatus"], self.made()),
                         ("Greet <Ann> & Bo", "passed", ["say"]))

    def test_a_task_that_fails_ends_with_1(self):
        status, out, _ = self.run_task([step("a")], "--revisions", "1",
                                       tools=[self.shell("say", "echo broken >&2; exit 3")])
        self.assertEqual(status, 1)
        self.assertIn("[!] a", out)
        self.assertIn("broken", out)

    def test_a_failed_step_is_planned_again(self):
        tools = self.tools(self.shell("say", "exit 1"), self.shell("cry", "echo '\"hello\"'"))
        script = self.script(INTENT, {"steps": [step("a")]}, {"steps": [step("a", "cry")]})
        status, out, err = self.chain("run", "Greet", "--tools", tools, "--model", script, "--output", "json")
        self.assertEqual((status, json.loads(out)["revision"], self.made()), (0, 2, ["say", "cry"]), err)

    def test_results_flow_and_independent_steps_run(self):
        tools = self.tools(self.shell("say", "echo '{\"k\": [1, \"deep\"]}'"), self.shell("cry", "echo \"$args\""))
        plan = [step("a", dependsOn=[]), step("b", dependsOn=[]),
                step("c", "cry", dependsOn=["a", "b"], args={"text": {"$result": "a", "path": ["k", 1]}})]
        status, out, err = self.chain("run", "Greet", "--tools", tools, "--model",
                                      self.script(INTENT, {"steps": plan}), "--output", "json")
        self.assertEqual((status, json.loads(json.loads(out)["outputs"][-1])), (0, {"text": "deep"}), err)
        self.assertEqual(sorted(self.made()), ["cry", "say", "say"])

    def test_a_step_runs_while_an_unrelated_one_is_slow(self):
        mark = os.path.join(self.folder.name, "mark")
        wait = f"for i in $(seq 300); do [ -e {mark} ] && break; sleep 0.1; done; [ -e {mark} ] && echo '\"saw it\"'"
        tools = (self.shell("slow", wait), self.shell("say", "echo 1"), self.shell("put", f"touch {mark}; echo 2"))
        status, out, err = self.run_task([step("a", "slow", dependsOn=[]), step("b", dependsOn=[]),
                                          step("c", "put", dependsOn=["b"])], "--output", "json", tools=tools)
        self.assertEqual((status, json.loads(out)["outputs"]), (0, ["saw it", "1", "2"]), err)

    def test_a_replan_that_cannot_be_read_does_not_hide_the_step_that_failed(self):
        status, out, err = self.chain("run", "Greet", "--tools", self.tools(self.shell("say", "echo no >&2; exit 1")),
                                      "--output", "json", "--model",
                                      self.script(INTENT, {"steps": [step("a")]}, "rubbish", "rubbish"))
        report = json.loads(out)
        self.assertEqual((status, report["rootCause"]["stepId"]), (1, "a"), err)
        self.assertTrue(report["error"].startswith("PLAN_INVALID:"))

    def test_a_model_judges_free_text_when_it_is_asked_to(self):
        plan = [step("a", verification=["is friendly"])]
        status, out, _ = self.chain("run", "Greet", "--tools", self.tools(), "--output", "json", "--verify", "model",
                                    "--revisions", "1", "--model", self.script(INTENT, {"steps": plan}, "[false]"))
        self.assertEqual((status, json.loads(out)["steps"][0]["verificationStatus"]), (1, "failed"))

    def test_an_unreadable_plan_fails_by_name(self):
        status, out, _ = self.chain("run", "Greet", "--tools", self.tools(), "--output", "json", "--model",
                                    self.script(INTENT, "no", "no"))
        self.assertEqual((status, json.loads(out)["task"]), (1, "failed"))
        self.assertTrue(json.loads(out)["error"].startswith("PLAN_INVALID:"))

    def test_the_model_is_asked_again_after_a_refusal_that_passes(self):
        refused = {"http": 429, "headers": {"retry-after": "3600"}, "body": {"error": {"message": "slow down"}}}
        status, _, err = self.chain("run", "Greet", "--tools", self.tools(), "--model",
                                    self.script(INTENT, refused, {"steps": [step("a")]}))
        self.assertEqual(status, 0, err)

    def test_a_script_that_has_no_line_left_is_named(self):
        status, out, err = self.chain("run", "Greet", "--tools", self.tools(), "--model", self.script(INTENT))
        self.assertEqual((status, out), (1, ""))
        self.assertIn("script_used_up", err)

    def test_a_recording_plays_the_task_again(self):
        record = os.path.join(self.folder.name, "r.jsonl")
        _, first, err = self.run_task([step("a")], "--record", record)
        status, again, _ = self.chain("run", "Greet", "--tools", self.tools(), "--model", "replay:" + record)
        self.assertEqual((status, [line.split(" (")[0] for line in again.splitlines()]),
                         (0, [line.split(" (")[0] for line in first.splitlines()]), err)

    def test_a_strategy_denies_tools_and_says_who_must_confirm(self):
        strategy = self.file("s.json", json.dumps({"constraints": {"deniedTools": ["say"]}}))
        status, out, _ = self.run_task([step("a")], "--strategy", strategy, "--revisions", "1", "--output", "json")
        self.assertEqual((status, json.loads(out)["steps"][0]["error"], self.made()), (1, "DENIED_TOOL", []))
        strategy = self.file("s.json", json.dumps({"execution": {"requiresConfirmation": ["say"]}}))
        status, out, _ = self.run_task([step("a")], "--strategy", strategy, "--revisions", "1", "--output", "json")
        self.assertEqual((status, json.loads(out)["steps"][0]["error"], self.made()),
                         (1, "CONFIRMATION_UNAVAILABLE", []))

    def test_progress_is_a_line_for_each_step(self):
        _, _, err = self.run_task([step("a"), step("b")], "--progress")
        lines = [line.split(" (")[0] for line in err.splitlines()]
        self.assertEqual(lines, ["intent: asks scripted", "plan: asks scripted", "[ ] a: say", "[x] a: say",
                                 "[ ] b: say", "[x] b: say"])

    def test_files_that_cannot_be_used_are_refused_with_65(self):
        model = self.script(INTENT)
        for name, content in (("none", None), ("broken.json", "{"), ("object.json", "{}"),
                              ("no-command.json", '[{"name": "x", "signature": "() -> :any"}]'),
                              ("wrong.json", '[{"nam": "x"}]')):
            path = name if content is None else self.file(name, content)
            status, out, err = self.chain("run", "Greet", "--tools", path, "--model", model)
            self.assertEqual((status, out), (65, ""), name)
            self.assertNotEqual(err, "")
        for content in ("[]", '{"constraints": []}', '{"preferences": {"userConfirmation": 2}}',
                        '{"constraints": {"deniedTools": "x"}}'):
            status, _, err = self.chain("run", "Greet", "--tools", self.tools(), "--model", model, "--strategy",
                                        self.file("s.json", content))
            self.assertEqual(status, 65, content)
        self.assertIn("constraints.deniedTools must be a list of texts", err)


class Plan(ChainTest):
    def test_a_plan_is_shown_and_nothing_begins(self):
        status, out, err = self.chain("plan", "Greet", "--tools", self.tools(), "--model",
                                      self.script(INTENT, {"steps": [step("a", args={"text": "x"}), step("b")]}))
        self.assertEqual((status, self.made()), (0, []), err)
        self.assertIn("b after a: do b\n    say {}\n    risk low", out)

    def test_the_program_of_a_plan_is_readable(self):
        status, out, _ = self.chain("plan", "Greet", "--tools", self.tools(), "--program", "--model",
                                    self.script(INTENT, {"steps": [step("a")]}))
        self.assertEqual(status, 0)
        self.assertIn('(call "a" [] "', out)
        self.assertEqual(ptcvm("check", self.file("p.ptc", out), "--tool", "say", "--tool", "chain_gate", "--tool",
                               "chain_verify", "--tool", "chain_settled")[0], 0)

    def test_a_plan_that_is_not_valid_fails_by_name(self):
        status, out, _ = self.chain("plan", "Greet", "--tools", self.tools(), "--model",
                                    self.script(INTENT, {"steps": [step("a", "fly")]}, {"steps": [step("a", "fly")]}))
        self.assertEqual(status, 1)
        self.assertIn("PLAN_UNKNOWN_TOOL", out)


class Stored(ChainTest):
    def test_a_question_suspends_with_75_and_says_how_to_answer(self):
        status, out, err = self.run_task([step("a", requiresConfirmation=True), step("b")], *self.kept())
        self.assertEqual((status, out, self.made()), (75, "", []))
        self.assertIn("ptcvm chain answer --store", err)
        self.assertRegex(err, " a@[0-9a-f]{8} yes")
        status, out, err = self.chain("answer", *self.kept(), "a", "yes")
        self.assertEqual((status, self.made()), (0, ["say", "say"]), err)
        self.assertIn("ptcvm chain feedback", err)

    def test_no_refuses_the_call(self):
        self.run_task([step("a", requiresConfirmation=True)], *self.kept("--revisions", "1"))
        status, out, _ = self.chain("answer", *self.kept("--output", "json"), "a", "no")
        self.assertEqual((status, json.loads(out)["steps"][0]["error"], self.made()), (1, "USER_DENIED", []))

    def test_a_task_that_has_ended_is_told_and_not_done_again(self):
        first = self.run_task([step("a")], *self.kept())
        again = self.run_task([step("a")], *self.kept())
        self.assertEqual((first[:2], self.made()), (again[:2], ["say"]))

    def test_another_text_under_the_same_id_is_refused(self):
        self.run_task([step("a")], *self.kept())
        status, _, err = self.run_task([step("a")], *self.kept(), text="Shout")
        self.assertEqual(status, 65)
        self.assertIn("another text", err)

    def test_a_script_goes_on_where_the_process_before_has_left_it(self):
        tools = self.tools(self.shell("say", "exit 1"), self.shell("cry", "echo '\"hello\"'"))
        script = self.script(INTENT, {"steps": [step("a", requiresConfirmation=True)]}, {"steps": [step("a", "cry")]})
        self.assertEqual(self.chain("run", "Greet", "--tools", tools, "--model", script, *self.kept())[0], 75)
        status, _, err = self.chain("answer", *self.kept(), "a", "yes")
        self.assertEqual((status, self.made()), (0, ["say", "cry"]), err)

    def test_always_counts_for_other_tasks_until_it_is_revoked(self):
        plan = [step("a", requiresConfirmation=True)]
        self.run_task(plan, *self.kept())
        self.assertEqual(self.chain("answer", *self.kept(), "a", "always")[0], 0)
        _, listed, _ = self.chain("approvals", "--store", self.store)
        signature = listed.strip()
        self.assertTrue(signature.startswith("call:say#"))
        self.assertEqual(self.run_task(plan, "--store", self.store, "--id", "u")[0], 0)
        self.assertEqual(self.chain("approvals", "--store", self.store, "--revoke", signature)[0], 0)
        self.assertEqual(self.chain("approvals", "--store", self.store)[1], "")
        self.assertEqual(self.run_task(plan, "--store", self.store, "--id", "v")[0], 75)
        self.assertEqual(self.chain("approvals", "--store", self.store, "--revoke", signature)[0], 65)

    def test_a_call_in_doubt_waits_for_a_person(self):
        tool = self.shell("say", "kill -9 $PPID; sleep 5", effect="unsafe")
        self.run_task([step("a")], *self.kept(), tools=[tool])
        self.tools(self.shell("say", "echo '\"hello\"'", effect="unsafe"))
        status, _, err = self.chain("run", "Greet", "--tools", os.path.join(self.folder.name, "tools.json"), "--model",
                                    "scripted:" + os.path.join(self.folder.name, "script.jsonl"), *self.kept())
        self.assertEqual(status, 75)
        self.assertIn("--happened JSON | --did-not | --give-up", err)
        self.assertEqual(self.chain("answer", *self.kept(), "a")[0], 65)
        status, out, err = self.chain("answer", *self.kept("--output", "json"), "a", "--happened", '"done"')
        self.assertEqual((status, json.loads(out)["outputs"], self.made()), (0, ["done"], ["say"]), err)

    def test_a_call_whose_tool_died_waits_for_a_person_when_the_others_are_done(self):
        dies = self.shell("say", "kill -9 $$", effect="unsafe")
        tools = [dies, self.shell("cry", "sleep 0.2; echo '\"hello\"'", effect="unsafe")]
        status, out, err = self.run_task([step("a", dependsOn=[]), step("b", "cry", dependsOn=[]),
                                          step("c", "cry", dependsOn=["b"])],
                                         *self.kept(), tools=tools)
        self.assertEqual((status, sorted(self.made())), (75, ["cry", "cry", "say"]), out + err)
        self.assertIn("--happened JSON | --did-not | --give-up", err)
        status, out, err = self.chain("answer", *self.kept("--output", "json"), "a", "--happened", '"done"')
        self.assertEqual((status, json.loads(out)["outputs"]), (0, ["done", "hello", "hello"]), err)

    def test_a_keyed_call_whose_tool_died_is_a_failed_step(self):
        tools = self.tools(self.shell("say", "kill -9 $$", effect="keyed"), self.shell("cry", "echo '\"hello\"'"))
        script = self.script(INTENT, {"steps": [step("a")]}, {"steps": [step("b", "cry")]})
        status, out, err = self.chain("run", "Greet", "--tools", tools, "--model", script, *self.kept())
        self.assertEqual((status, self.made()), (0, ["say", "cry"]), out + err)

    def test_an_answer_to_a_step_that_does_not_ask_is_refused(self):
        self.run_task([step("a", requiresConfirmation=True)], *self.kept())
        self.assertEqual(self.chain("answer", *self.kept(), "b", "yes")[0], 65)
        self.assertEqual(self.chain("answer", "--store", self.store, "--id", "none", "a", "yes")[0], 65)

    def test_show_and_list_say_how_far_a_task_is(self):
        self.run_task([step("a"), step("b", requiresConfirmation=True)], *self.kept())
        _, out, _ = self.chain("show", *self.kept())
        self.assertIn("under way, revision 1, waits for an answer\n[x] a completed", out)
        _, out, _ = self.chain("list", "--store", self.store)
        self.assertEqual(out.split(), ["ID", "STATE", "REVISION", "WAITS", "FOR", "t", "under", "way", "1", "an",
                                       "answer"])
        self.chain("answer", *self.kept(), "b", "yes")
        self.assertIn("succeeded", self.chain("show", *self.kept())[1])

    def test_its_logs_are_no_runs_of_their_own(self):
        self.run_task([step("a", requiresConfirmation=True)], *self.kept())
        other, program = os.path.join(self.folder.name, "other.db"), self.file("p.ptc", "(+ 1 2)")
        for log in ("t", "t/steps"):
            for words in (("runs", "move", log, "--to", other), ("runs", "pull", log, "--to", other),
                          ("runs", "fork", log, "--at", "1", "--id", "n"), ("run", program, "--id", log),
                          ("resume", log)):
                status, out, err = ptcvm(*words, "--store", self.store)
                self.assertEqual((status, out, "not_a_run" in err), (65, "", True), (words, err))
        self.assertEqual(self.chain("answer", *self.kept(), "a", "yes")[0], 0)
        self.assertEqual(self.made(), ["say"])

    def test_feedback_is_kept_once(self):
        self.run_task([step("a")], *self.kept())
        self.assertEqual(self.chain("feedback", *self.kept())[1], "null\n")
        self.assertEqual(self.chain("feedback", *self.kept(), "rating=positive; comment=quick")[0], 0)
        said = json.loads(self.chain("feedback", *self.kept())[1])
        self.assertIsInstance(said.pop("createdAt"), int)
        self.assertEqual(said, {"taskId": "t", "rating": "positive", "comment": "quick"})
        self.assertEqual(self.chain("feedback", *self.kept(), "rating=negative")[0], 65)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = set(), ""

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)

    def handle_data(self, data):
        self.text += data


class Report(ChainTest):
    HOSTILE = "<script>alert(1)</script> ``` | **x** & \"y\""

    def setUp(self):
        super().setUp()
        answer = self.file("answer.json", json.dumps(self.HOSTILE + "\u001b[2J"))
        self.assertEqual(self.run_task([step("a")], *self.kept(), tools=[self.shell("say", f"cat {answer}")])[0], 0)

    def report(self, form):
        status, out, err = self.chain("report", *self.kept("--output", form))
        self.assertEqual(status, 0, err)
        return out

    def test_a_page_shows_text_as_text(self):
        page = Page()
        page.feed(self.report("html"))
        self.assertIn(self.HOSTILE, page.text)
        self.assertIn("Greet <Ann> & Bo", page.text)
        self.assertNotIn("script", page.tags)
        self.assertNotIn("link", page.tags)

    def test_markdown_keeps_outputs_in_fences(self):
        text = self.report("markdown")
        self.assertIn("````\n" + self.HOSTILE, text)
        self.assertIn("# Greet \\<Ann\\> & Bo", text)

    def test_text_steers_no_terminal(self):
        self.assertNotIn("\u001b", self.report("text"))

    def test_json_has_everything(self):
        report = json.loads(self.report("json"))
        self.assertEqual((report["outputs"], report["success"]), ([self.HOSTILE + "\u001b[2J"], True))

    def test_a_task_without_a_report_is_refused(self):
        self.run_task([step("a", requiresConfirmation=True)], "--store", self.store, "--id", "u")
        self.assertEqual(self.chain("report", "--store", self.store, "--id", "u")[0], 65)


class Names(ChainTest):
    def test_the_task_is_an_argument_or_an_option(self):
        self.assertEqual(self.run_task([step("a", requiresConfirmation=True)], *self.kept())[0], 75)
        by_option = self.chain("show", *self.kept())
        self.assertEqual((by_option[0], self.chain("show", "t", "--store", self.store)), (0, by_option))
        by_argument = self.chain("answer", "--store", self.store, "t", "a", "no")
        self.assertIn(by_argument[0], (0, 1), by_argument)


class Edited(ChainTest):
    def test_a_setup_that_no_command_wrote_is_refused(self):
        plan = [step("a", requiresConfirmation=True)]
        self.assertEqual(self.run_task(plan, *self.kept())[0], 75)
        _, log, _ = ptcvm("journal", "export", "--store", self.store, "t/setup")
        fact = next(line for line in map(json.loads, log.splitlines()) if line["id"] == "setup")
        good = json.loads(fact["text"])
        for name, bad in (("tools", {}), ("strategy", []), ("revisions", -1), ("revisions", "3"), ("revisions", None),
                          ("parallel", 0), ("parallel", 2 ** 64), ("parallel", 1e308)):
            self.store = os.path.join(self.folder.name, f"{name}{bad}.db")
            edited = self.file("l.jsonl", json.dumps({**fact, "seq": 1, "text": json.dumps({**good, name: bad})}))
            self.assertEqual(ptcvm("journal", "import", "--store", self.store, "t/setup", edited)[0], 0)
            for words in (("show",), ("report",), ("answer", "a", "yes")):
                status, out, err = self.chain(*words, *self.kept())
                self.assertEqual((status, out), (74, ""), (name, bad, err))
                self.assertIn("is not one that ptcvm chain run wrote", err)


if __name__ == "__main__":
    unittest.main(argv=["chain_test.py"])
