#!/usr/bin/env python3
"""ptcvm harness: conversations on the command line.

usage: harness_test.py PTCVM   (the program under test)"""
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm

ASKS = """(let [at (ask "When?" {:qid "q1"})]
  (propose {:type :compose_intent :composeId "c1" :text (str "At " at)}))"""
ECHO = '(propose {:type :compose_intent :text (get (last (facts/public)) "text")})'
NEGOTIATE = pathlib.Path(__file__).resolve().parents[2] / "examples/negotiation/negotiate"


class Talk(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.kept = ("--store", os.path.join(self.folder.name, "talk.db"), "--id", "clinic")

    def harness(self, command, *args, status=0):
        """The last line of standard output."""
        got, out, err = ptcvm("harness", command, *self.kept, *args)
        self.assertEqual(got, status, (out, err))
        return json.loads(out.splitlines()[-1]) if out and status != 65 else err

    def types(self):
        return [json.loads(line)["type"] for line in ptcvm("harness", "log", *self.kept)[1].splitlines()]

    def plan(self, program, *args, status=75):
        return self.harness("run", "--planner", self.file("plan.ptc", program), *args, status=status)


class HarnessTest(Talk):
    def test_the_run_of_its_planner_does_not_leave(self):
        self.harness("say", "When can we talk?")
        self.plan(ASKS)
        for words in (("move", "--to", self.folder.name + "/o.db"), ("fork", "--at", "1", "--id", "n")):
            status, out, err = ptcvm("runs", words[0], "clinic/planner", *words[1:], "--store", self.kept[1])
            self.assertEqual((status, out, "not_a_run" in err), (65, "", True), err)

    def test_a_question_is_answered_and_its_draft_approved(self):
        self.harness("say", "When can we talk?")
        waits = self.plan(ASKS)
        self.assertEqual((waits["status"], waits["question"]["prompt"]), ("question", "When?"))
        self.harness("answer", "q1", "noon", status=75)
        waits = self.plan(ASKS)
        self.assertEqual((waits["status"], waits["draft"]["text"]), ("draft", "At noon"))
        status, out, err = ptcvm("harness", "approve", *self.kept, "--next", "completed")
        message, line = map(json.loads, out.splitlines())
        self.assertEqual((status, line["status"], line["state"]), (0, "over", "completed"), err)
        self.assertEqual(message["message"]["parts"][0]["text"], "At noon")
        self.assertEqual(self.types(), ["message_received", "status_changed", "agent_question", "user_answer",
                                        "compose_intent", "message_sent", "status_changed"])
        self.assertIn("draft already sent", self.harness("approve", "c1", status=65))

    def test_a_deadline_that_is_over_lets_the_program_go_on(self):
        self.harness("say", "hello")
        waits = """(let [v (await-fact :user_answer "q7" 1000)]
          (propose {:type :compose_intent :text (str "got " v)}))"""
        ended = self.plan(waits)
        while ended["status"] == "waiting":
            ended = self.plan(waits)
        self.assertEqual((ended["status"], ended["draft"]["text"]), ("draft", "got timeout"))
        self.assertEqual(self.types().count("timer_fired"), 1)

    def test_the_whole_log_has_notes_and_what_a_rewind_dropped(self):
        self.harness("say", "Hello")
        dropped = self.plan(ECHO)["draft"]["composeId"]
        self.harness("regenerate")
        whole = [json.loads(line) for line in ptcvm("harness", "log", "--all", *self.kept)[1].splitlines()]
        self.assertEqual([fact["seq"] for fact in whole], list(range(1, len(whole) + 1)))
        draft = next(fact for fact in whole if fact.get("composeId") == dropped)
        self.assertEqual((draft["type"], draft["counts"]), ("compose_intent", False))
        self.assertEqual(draft["plan_cursor"]["planned"], {"status": 2, "inbound": 1})
        self.assertIn("journal_rewound", {fact["type"] for fact in whole})
        self.assertEqual([fact["type"] for fact in whole if fact["counts"]], self.types())

    def test_the_conversation_is_an_argument_or_an_option(self):
        self.kept = (*self.kept[:2], "clinic")
        self.harness("say", "When can we talk?")
        self.plan(ASKS)
        self.harness("answer", "q1", "noon", status=75)
        by_argument = ptcvm("harness", "log", *self.kept)
        self.assertEqual((by_argument[0], ptcvm("harness", "log", "--id", "clinic", *self.kept[:2])), (0, by_argument))

    def test_the_store_may_be_in_the_environment(self):
        os.environ["PTCVM_STORE"] = self.kept[1]
        self.addCleanup(os.environ.pop, "PTCVM_STORE")
        self.kept = self.kept[2:]
        self.harness("say", "hello")
        self.assertEqual(self.plan(ECHO)["draft"]["text"], "hello")
        self.kept = self.kept[1:]
        self.assertEqual(self.plan(ECHO)["draft"]["text"], "hello")

    def test_whisper_edit_dismiss_and_regenerate(self):
        self.harness("say", "hello")
        self.plan(ECHO)
        self.harness("whisper", "be brief", status=75)
        draft = self.plan(ECHO)["draft"]["composeId"]
        self.assertEqual(self.harness("edit", draft, "Good day", status=75)["draft"]["text"], "Good day")
        self.assertEqual(self.harness("dismiss")["status"], "idle")
        self.assertEqual(self.types().count("compose_dismissed"), 3)
        self.harness("regenerate")
        self.assertEqual(self.types(), ["message_received", "status_changed", "user_guidance"])
        self.assertEqual(self.plan(ECHO)["draft"]["text"], "hello")

    def test_a_draft_that_was_dismissed_is_not_edited_or_dismissed_again(self):
        self.harness("say", "hello")
        draft = self.plan(ECHO)["draft"]["composeId"]
        edited = self.harness("edit", draft, "Good day", status=75)["draft"]["composeId"]
        for words in (("edit", draft, "from an old window"), ("dismiss", draft)):
            self.assertIn("draft dismissed", self.harness(*words, status=65))
        self.assertEqual(self.plan(ECHO)["drafts"], [edited])
        self.assertEqual(self.types().count("compose_dismissed"), 1)

    def test_auto_sends_to_the_other_conversation(self):
        self.harness("say", "hello")
        self.assertEqual(self.plan(ECHO, "--mode", "auto", "--peer", "other", status=0)["status"], "turn")
        self.kept = (*self.kept[:3], "other")
        self.assertEqual(self.types(), ["message_received", "status_changed"])

    def test_two_drafts_of_one_pass_are_refused(self):
        self.harness("say", "hello")
        two = """(do (propose {:type :compose_intent :text "a"}) (propose {:type :compose_intent :text "b"}))"""
        status, out, err = ptcvm("harness", "run", *self.kept, "--planner", self.file("plan.ptc", two),
                                 "--mode", "auto", "--peer", "other")
        state = json.loads(out.splitlines()[-1])
        self.assertEqual((status, "one draft" in err), (1, True), err)
        self.assertEqual((state["drafts"], state["in_flight"]), ([], []))
        self.assertEqual(self.types()[2:], ["planner_error"] * 3)
        self.assertIn("one draft", ptcvm("harness", "log", *self.kept)[1])

    def test_a_program_that_fails_is_in_the_log_three_times(self):
        self.harness("say", "hello")
        for program, why in (('(fail "no")', "no"), ("(((", "PLANNER_EXCEPTION"), ("(propose 5)", "proposed 5")):
            self.harness("whisper", "try this")
            status, out, err = ptcvm("harness", "run", *self.kept, "--planner", self.file("plan.ptc", program))
            self.assertEqual((status, json.loads(out)["status"]), (1, "given_up"))
            self.assertIn("the planner failed", err)
            self.assertIn(why, err)
        self.assertEqual(self.types().count("planner_error"), 9)

    def test_a_model_of_the_command_line_drafts_once(self):
        self.harness("say", "hello")
        script = self.file("script.jsonl", json.dumps({"text": "Good day from the model"}) + "\n")
        for _ in range(2):   # the second time the draft is there, and the script has nothing more to say
            waits = self.harness("run", "--planner", "llm-drafter", "--model", "scripted:" + script, status=75)
            self.assertEqual(waits["draft"]["text"], "Good day from the model")
        self.assertIn("no model", self.harness("run", "--planner", "llm-drafter", "--model", "x", status=65))

    def test_a_program_that_plans_has_tools(self):
        ledger = os.path.join(self.folder.name, "ledger")
        tools = self.file("tools.json", json.dumps([
            {"name": "find_notes", "signature": "(patient :string) -> :string", "effect": "keyed",
             "command": ["sh", "-c", f"read args; echo called >> {ledger}; echo '\"n-7\"'"]}]))
        program = """(propose {:type :compose_intent
                               :text (str "Notes: " (task "notes" (tool/find_notes {:patient "p7"})))})"""
        self.harness("say", "hello")
        self.assertEqual(self.plan(program, "--tools", tools)["draft"]["text"], "Notes: n-7")
        self.harness("whisper", "again", status=75)
        self.assertEqual(self.plan(program, "--tools", tools)["draft"]["text"], "Notes: n-7")
        with open(ledger, encoding="utf-8") as file:
            self.assertEqual(file.read(), "called\n")
        self.assertIn("only a program takes tools", self.harness("run", "--planner", "simple-demo", "--tools", tools,
                                                                 status=65))

    AGENT = {"prompt": "Answer what was said last.", "signature": "(status :string, facts [:map]) -> :any"}

    def plan_with_agent(self, agent, lines, status=75):
        script = self.file("script.jsonl", "".join(json.dumps({"program": line}) + "\n" for line in lines))
        return self.harness("run", "--planner", "agent:" + self.file("agent.json", json.dumps(agent)), "--model",
                            "scripted:" + script, status=status)

    def test_an_agent_plans_from_the_facts(self):
        self.harness("say", "hello")
        echo = '(return {:type "compose_intent" :text (str (:text (first data/facts)) ", " data/status)})'
        for _ in range(2):   # the second time the draft is there, and nobody is asked
            self.assertEqual(self.plan_with_agent(self.AGENT, [echo])["draft"]["text"], "hello, input-required")
        self.harness("approve")
        self.harness("say", "And now?")
        self.assertEqual(self.plan_with_agent(self.AGENT, [echo, '(return "A text is a draft")'])["draft"]["text"],
                         "A text is a draft")

    def test_a_tool_of_a_planning_agent_asks_the_person(self):
        ledger = os.path.join(self.folder.name, "ledger")
        command = ["sh", "-c", f"read args; echo sent >> {ledger}; echo '\"n-7\"'"]
        agent = {**self.AGENT, "tools": [{"name": "note", "signature": "() -> :string", "effect": "keyed", "ask": True,
                                          "command": command}]}
        lines = ["(return (str \"It is \" (tool/note {})))", "(return \"I asked\")"]
        self.harness("say", "hello")
        waits = self.plan_with_agent(agent, lines)
        self.assertEqual((waits["status"], os.path.exists(ledger)), ("question", False))
        self.assertIn("note", waits["question"]["prompt"])
        self.harness("answer", waits["question"]["qid"], "yes", status=75)
        self.assertEqual(self.plan_with_agent(agent, lines)["draft"]["text"], "It is n-7")
        with open(ledger, encoding="utf-8") as file:
            self.assertEqual(file.read(), "sent\n")

    def test_a_person_says_whether_an_unsafe_call_of_a_killed_agent_happened(self):
        ledger = os.path.join(self.folder.name, "ledger")
        command = ["sh", "-c", f"read args; echo called >> {ledger}; exec sleep 1000"]
        agent = {**self.AGENT, "tools": [{"name": "book", "signature": "() -> :string", "effect": "unsafe",
                                          "command": command}]}
        lines = ['(return (str "It is " (tool/book {})))']
        self.harness("say", "hello")
        script = self.file("script.jsonl", "".join(json.dumps({"program": line}) + "\n" for line in lines))
        process = subprocess.Popen([PTCVM, "harness", "run", *self.kept, "--planner", "agent:" + self.file(
            "agent.json", json.dumps(agent)), "--model", "scripted:" + script], stdout=subprocess.DEVNULL)
        while not os.path.exists(ledger):
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.kill()
        process.wait()
        waits = self.plan_with_agent(agent, lines)
        self.assertIn("Nobody knows whether book", waits["question"]["prompt"])
        self.harness("whisper", "try again", status=75)   # nothing is called meanwhile
        waits = self.plan_with_agent(agent, lines)
        self.harness("answer", waits["question"]["qid"], "5", status=75)   # no text
        again = self.plan_with_agent(agent, lines)["question"]["qid"]
        self.assertNotEqual(again, waits["question"]["qid"])
        self.harness("answer", again, '"n-7"', status=75)
        self.assertEqual(self.plan_with_agent(agent, lines)["draft"]["text"], "It is n-7")
        with open(ledger, encoding="utf-8") as file:
            self.assertEqual(file.read(), "called\n")

    def test_what_comes_while_an_agent_waits_is_told_to_it(self):
        agent = {**self.AGENT, "tools": [{"name": "note", "signature": "() -> :string", "ask": True,
                                          "command": ["false"]}]}
        self.harness("say", "hello")
        question = self.plan_with_agent(agent, ["(return (tool/note {}))"])["question"]["qid"]
        self.harness("whisper", "be brief", status=75)
        self.harness("answer", question, "no, never", status=75)
        script = self.file("script.jsonl", "".join(json.dumps(line) + "\n" for line in [
            {"program": "(return (tool/note {}))"},
            {"program": '(return "Brief")', "expect": {"contains": ["be brief", "no, never"]}}]))
        waits = self.harness("run", "--planner", "agent:" + self.file("agent.json", json.dumps(agent)), "--model",
                             "scripted:" + script, status=75)
        self.assertEqual(waits["draft"]["text"], "Brief")

    def test_a_limit_of_money_of_a_planning_agent_counts_at_the_prices_of_the_host(self):
        agent = {**self.AGENT, "limits": {"money": 1000}}
        line = {"program": '(return "Hi")', "usage": {"input": 100, "output": 50}}   # 600 millionths
        words = ("run", "--planner", "agent:" + self.file("agent.json", json.dumps(agent)), "--model",
                 "scripted:" + self.file("script.jsonl", 3 * (json.dumps(line) + "\n")))
        prices = self.file("prices.json", json.dumps({"scripted": {"input": 2, "output": 8}}))
        self.harness("say", "hello")
        self.assertIn("--prices has no price of the model scripted", self.harness(*words, status=65))
        self.assertEqual(self.harness(*words, "--prices", prices, status=75)["draft"]["text"], "Hi")

    def test_an_agent_that_cannot_plan_is_refused_or_in_the_log(self):
        self.harness("say", "hello")
        self.assertIn("needs a --model", self.harness("run", "--planner", "agent:" + self.file(
            "agent.json", json.dumps(self.AGENT)), status=65))
        self.assertIn("none.json", self.harness("run", "--planner", "agent:none.json", "--model", "x", status=65))
        self.plan_with_agent(self.AGENT, ['(fail {:reason :tired :message "enough"})'], status=1)
        self.assertIn("planner_error", self.types())

    def test_what_does_not_fit_is_refused(self):
        self.harness("say", "hello")
        self.assertIn("there is no question", self.harness("answer", "q9", "x", status=65))
        self.assertIn("blank", self.harness("whisper", " ", status=65))
        self.assertIn("there is no draft c9", self.harness("approve", "c9", status=65))
        self.assertIn("is no state of a task", self.harness("say", "x", "--next", "asleep", status=65))
        self.assertIn("the message is blank", self.harness("say", " ", status=65))
        recorded = self.file("recorded.jsonl", '{"when": [], "reply": "x"}\n')
        self.assertIn("resolvedScenario", self.harness("run", "--planner", "scenario-v0.3", "--replies", recorded,
                                                       status=65))
        replies = self.file("replies.jsonl", '{"when": "x"}\n')
        self.assertIn("replies.jsonl:1", self.harness("run", "--planner", "llm-drafter", "--replies", replies,
                                                      status=65))
        for command in ("run", "approve"):
            words = ("--planner", "simple-demo") if command == "run" else ()
            self.assertIn("cannot be its own other side", self.harness(command, *words, "--peer", "clinic", status=65))
        self.kept = (*self.kept[:3], "nobody")
        self.assertIn("no conversation nobody", self.harness("whisper", "x", status=65))

    def test_nothing_follows_the_end_of_the_task(self):
        self.harness("say", "goodbye", "--next", "completed")
        self.assertIn("is over (completed)", self.harness("say", "one more thing", status=65))
        self.assertEqual(self.types(), ["message_received", "status_changed"])

    def test_no_draft_is_sent_after_the_end_of_the_task(self):
        self.harness("say", "hello")
        self.plan(ECHO)
        self.harness("say", "goodbye", "--next", "completed")
        self.assertIn("is over (completed)", self.harness("approve", status=65))
        self.assertNotIn("message_sent", self.types())

    def test_a_state_that_no_message_may_ask_for_is_refused(self):
        for state in ("submitted", "unknown", "initializing"):
            self.assertIn("no message may ask for", self.harness("say", "hello", "--next", state, status=65))
        self.harness("say", "hello")
        self.plan(ECHO)
        self.assertIn("no message may ask for", self.harness("approve", "--next", "submitted", status=65))

    def test_a_frozen_conversation_says_so(self):
        for number in range(100):
            ptcvm("harness", "say", *self.kept, f"m{number}", "--next", ("working", "input-required")[number % 2])
        got, out, err = ptcvm("harness", "run", *self.kept, "--planner", "simple-demo")
        self.assertEqual((got, json.loads(out)["status"], "frozen" in err), (75, "frozen", True), err)
        command = err.splitlines()[-1].strip()
        self.assertEqual(command, f"ptcvm harness clear --store {self.kept[1]} --id clinic")
        self.assertEqual(ptcvm(*command.split()[1:])[0], 0)
        self.harness("say", "hello")
        self.assertEqual(self.harness("run", "--planner", "simple-demo", status=75)["status"], "draft")

    def test_a_conversation_that_its_planner_froze_goes_on_after_regenerating(self):
        self.harness("say", "hello")
        many = """(doseq [n (range 198)] (propose {:type :planner_error :code "C" :message "m" :stage "s" :attempts 1}))
                  (propose {:type :compose_intent :text "sorry"})"""
        got, _, err = ptcvm("harness", "run", *self.kept, "--planner", self.file("plan.ptc", many))
        command = err.splitlines()[-1].strip()
        self.assertEqual((got, command), (75, f"ptcvm harness regenerate --store {self.kept[1]} --id clinic"), err)
        self.assertEqual(ptcvm(*command.split()[1:])[0], 0)
        self.assertEqual(self.plan(ECHO)["status"], "draft")

    def test_a_question_has_one_answer(self):
        self.harness("say", "When can we talk?")
        self.plan(ASKS)
        for _ in range(2):
            self.harness("answer", "q1", "noon", status=75)
        self.assertIn('has an answer already: "noon"', self.harness("answer", "q1", "midnight", status=65))
        self.assertEqual(self.types().count("user_answer"), 1)
        self.assertEqual(self.plan(ASKS)["draft"]["text"], "At noon")

    def test_a_planner_has_no_say_in_what_the_journal_says_of_a_fact(self):
        self.harness("say", "hello")
        self.plan('(propose {:type :compose_intent :text "hi" :why "polite" :seq 1 :author "ann" :by "ann" :id "f-1"})')
        draft = json.loads(ptcvm("harness", "log", *self.kept)[1].splitlines()[-1])
        self.assertEqual((draft["seq"] > 2, draft["why"]), (True, "polite"))
        self.assertFalse({"author", "by", "id"} & set(draft), draft)

    def test_a_draft_says_something(self):
        self.harness("say", "hello")
        self.plan('(propose {:type :compose_intent :text " "})', status=1)
        self.assertEqual(self.types()[2:], ["planner_error"] * 3)
        self.harness("whisper", "again")
        draft = self.plan(ECHO)["draft"]["composeId"]
        self.assertIn("blank", self.harness("edit", draft, " ", status=65))
        self.assertEqual(self.plan(ECHO)["draft"]["composeId"], draft)

    def test_regenerating_gives_up_a_draft_from_before_the_last_message(self):
        self.harness("say", "hello")
        old = self.plan(ECHO)["draft"]["composeId"]
        self.harness("say", "are you there?", status=75)
        self.assertEqual(self.harness("regenerate")["drafts"], [])
        waits = self.plan(ECHO)
        self.assertEqual((waits["draft"]["text"], len(waits["drafts"])), ("are you there?", 1))
        self.assertNotEqual(waits["draft"]["composeId"], old)

    def test_links_are_shown_and_written(self):
        link = json.dumps({"planner": {"id": "llm-drafter", "mode": "auto"}, "seed": {"targetWords": 50}, "rev": 4})
        shown = json.loads(ptcvm("harness", "link", "#" + link)[1])
        self.assertEqual((shown["planner"], shown["mode"], shown["ready"], shown["rev"]),
                         ("llm-drafter", "auto", True, 4))
        config = self.file("words.json", '{"targetWords": 20}')
        written = json.loads(ptcvm("harness", "link", link, "--config", config)[1])
        self.assertEqual((written["rev"], written["planners"]["llm-drafter"]["seed"]["targetWords"]), (5, 20))
        status, _, err = ptcvm("harness", "link", '{"planner": {"id": "root"}}')
        self.assertEqual((status, "there is no planner" in err), (65, True))

    def test_an_approved_message_names_the_planner_of_its_draft(self):
        self.harness("say", "hello")
        config = self.file("words.json", '{"targetWords": 20}')
        script = self.file("script.jsonl", json.dumps({"text": "Good day"}) + "\n")
        self.harness("run", "--planner", "llm-drafter", "--config", config, "--model", "scripted:" + script, status=75)
        out = ptcvm("harness", "approve", *self.kept)[1]
        trace = json.loads(out.splitlines()[0])["message"]["metadata"]["urn:ptcvm:planner-trace:v1"]
        self.assertEqual((trace["plannerType"], trace["plannerSeed"]["targetWords"], trace["plannerMode"]),
                         ("llm-drafter", 20, "approve"))

    def test_two_agents_negotiate(self):
        store = os.path.join(self.folder.name, "negotiation.db")
        for _ in range(2):   # the second time everything is done already
            done = subprocess.run([NEGOTIATE, PTCVM, store], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([line.partition(":")[0] for line in done.stdout.splitlines()],
                             ["clinic", "payer", "clinic", "payer", "clinic"])
        self.assertIn("authorised as PA-7", done.stdout)

    def test_every_command_shows_examples(self):
        for name in ("run", "say", "whisper", "answer", "approve", "settle", "dismiss", "edit", "regenerate", "clear",
                     "log", "link"):
            status, out, _ = ptcvm("harness", name, "--help")
            self.assertEqual((status, f"ptcvm harness {name}" in out), (0, True))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
