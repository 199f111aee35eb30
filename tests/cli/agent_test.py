#!/usr/bin/env python3
"""ptcvm agent: agents on the command line, with models that need no network.

usage: agent_test.py PTCVM   (the program under test)"""
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm, without_next_commands

ORDERS = {"name": "orders", "prompt": "How many rows does {{customer}} have?",
          "signature": "(customer :string, rows [:map]) -> {count :int}"}
DATA = {"customer": "Ann", "rows": [{"customer": "Ann"}, {"customer": "Bo"}, {"customer": "Ann"}]}
COUNT = {"program": "(return {:count (count (filter (fn [r] (= (:customer r) data/customer)) data/rows))})",
         "usage": {"input": 120, "output": 15}}
PAY = {"name": "p", "prompt": "Pay Ann.", "signature": "() -> {receipt :string}",
       "tools": [{"name": "pay", "signature": "(to :string) -> :string", "description": "Pays", "effect": "keyed"}]}


class AgentTest(CommandLineTest):
    def json(self, name, document):
        return self.file(name, json.dumps(document))

    def place(self, name):
        return os.path.join(self.folder.name, name)

    def script(self, *lines):
        return "scripted:" + self.file("script.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def agent(self, *args, stdin=""):
        """The exit status, the last line of standard output, all of standard output and standard error."""
        status, out, err = ptcvm("agent", *args, stdin=stdin)
        return status, json.loads(out.splitlines()[-1]) if out else None, out, err


class Run(AgentTest):
    def test_an_agent_that_returns_ends_with_0_and_its_line(self):
        status, line, _, err = self.agent("run", self.json("a.json", ORDERS), "--data", self.json("d.json", DATA),
                                          "--model", self.script(COUNT))
        self.assertEqual((status, line["status"], line["return"], line["turns"]), (0, "ok", {"count": 2}, 1), err)
        self.assertEqual((line["usage"]["input"], line["usage"]["output"]), (120, 15))
        self.assertEqual((line["fail"], line["pending"]), (None, []))

    def test_fail_ends_with_1_reason_and_message(self):
        status, line, _, _ = self.agent("run", self.json("a.json", PAY), "--model", self.script(
            {"program": '(fail {:reason :no_money :message "there is none"})'}))
        self.assertEqual((status, line["status"]), (1, "error"))
        self.assertEqual(line["fail"], {"reason": "no_money", "message": "there is none"})

    def test_a_tool_is_a_command_of_the_file_or_of_the_command_line(self):
        program = self.script({"program": '(return {:receipt (tool/pay {:to "ann"})})'})
        command = ["sh", "-c", "read args; echo '\"r-1\"'"]
        in_file = {**PAY, "tools": [{**PAY["tools"][0], "command": command}]}
        _, line, _, err = self.agent("run", self.json("a.json", in_file), "--model", program)
        self.assertEqual(line["return"], {"receipt": "r-1"}, err)
        _, line, _, err = self.agent("run", self.json("b.json", PAY), "--model", program, "--tool-shell",
                                     "pay=cat > /dev/null; echo '\"r-2\"'")
        self.assertEqual(line["return"], {"receipt": "r-2"}, err)

    def test_a_tool_without_a_command_suspends_with_75(self):
        status, line, _, _ = self.agent("run", self.json("a.json", PAY), "--model", self.script(
            {"program": '(return {:receipt (tool/pay {:to "ann"})})'}))
        self.assertEqual((status, line["status"], line["pending"]), (75, "suspended", ["pay"]))

    def test_a_script_that_has_no_line_left_is_named(self):
        status, line, _, err = self.agent("run", self.json("a.json", PAY), "--model", self.script())
        self.assertEqual((status, line["fail"]["reason"]), (1, "script_used_up"))
        self.assertIn("script_used_up", err)

    def test_waiting_for_a_retry_takes_no_time_with_a_script(self):
        refused = {"http": 429, "headers": {"retry-after": "3600"}, "body": {"error": {"message": "slow down"}}}
        _, line, _, _ = self.agent("run", self.json("a.json", PAY), "--model",
                                   self.script(refused, {"program": '(return {:receipt "a"})'}))
        self.assertEqual((line["return"], line["usage"]["model_calls"]), ({"receipt": "a"}, 2))

    def test_files_that_cannot_be_used_are_refused_with_65(self):
        agent = self.json("a.json", {**PAY, "max_turn": 3})
        for args in (("run", agent, "--model", self.script()), ("run", "none.json", "--model", self.script()),
                     ("run", self.json("b.json", PAY), "--model", "soap:x"),
                     ("run", self.json("b.json", PAY), "--model", "mailbox:none"),
                     ("run", self.json("b.json", PAY), "--model", "scripted:" + self.file("s", "{"))):
            status, out, err = ptcvm("agent", *args)
            self.assertEqual((status, out), (65, ""), err)
            self.assertTrue(err)


    def test_null_is_no_value_of_a_member_that_bounds_or_protects(self):
        for member, said in (('"limits": null', '"limits" is not an object'),
                             ('"max_turns": null', '"max_turns" is not'),
                             ('"limits": {"turns": null}', '"turns" is not a whole number'),
                             ('"tools": [{"name": "pay", "ask": null}]', '"ask" is not true or false')):
            agent = self.file("null.json", f'{{"prompt": "p", {member}}}')
            status, _, err = ptcvm("agent", "run", agent, "--model", "scripted:" + self.file("script.jsonl", ""))
            self.assertEqual((status, said in err), (65, True), err)
        agent = self.file("null.json", '{"prompt": "p", "signature": null, "system": null, "limits": {}}')
        status, _, err = ptcvm("agent", "run", agent, "--model", "scripted:" + self.file("s.jsonl", '{"text": "1"}\n'))
        self.assertNotIn("null.json", err)


class Replay(AgentTest):
    def test_a_recorded_run_is_replayed_to_the_same_line(self):
        agent, data = self.json("a.json", ORDERS), self.json("d.json", DATA)
        recording = self.place("r.jsonl")
        first = self.agent("run", agent, "--data", data, "--model",
                           self.script({"text": "Let me look."}, COUNT), "--record", recording)
        again = self.agent("run", agent, "--data", data, "--model", "replay:" + recording)
        self.assertEqual((again[0], again[1]), (first[0], first[1]))
        self.assertEqual(again[1]["turns"], 2)

    def test_a_changed_request_is_a_miss_with_the_lines_that_differ(self):
        agent, data = self.json("a.json", ORDERS), self.json("d.json", DATA)
        recording = self.place("r.jsonl")
        self.agent("run", agent, "--data", data, "--model", self.script(COUNT), "--record", recording)
        other = self.json("d.json", {**DATA, "customer": "Bo"})
        status, line, _, _ = self.agent("run", agent, "--data", other, "--model", "replay:" + recording)
        self.assertEqual((status, line["fail"]["reason"]), (1, "recording_miss"))
        self.assertIn('"Bo"', line["fail"]["message"])


class Faces(AgentTest):
    def test_prompt_shows_the_first_request_and_asks_nobody(self):
        agent, data = self.json("a.json", ORDERS), self.json("d.json", DATA)
        status, out, _ = ptcvm("agent", "prompt", agent, "--data", data)
        self.assertEqual(status, 0)
        for part in ("run_program", "data/customer", "{count :int}"):
            self.assertIn(part, out)
        body = json.loads(ptcvm("agent", "prompt", agent, "--data", data, "--output", "json")[1])
        self.assertEqual(body["messages"][0]["role"], "system")

    def test_chat_says_each_line(self):
        agent = self.json("a.json", {"name": "c", "prompt": "{{message}}", "signature": "(message :string) -> :string",
                                     "output": "text"})
        status, line, out, err = self.agent("chat", agent, "--model", self.script(
            {"text": "Hello Ann."}, {"text": "It is 42.", "expect": {"newest": {"contains": ["what is it"]}}}),
            stdin="I am Ann\nWhat is it?\n")
        self.assertEqual((status, out.splitlines()[:-1]), (0, ["Hello Ann.", "It is 42."]), err)
        self.assertEqual(line["usage"]["model_calls"], 2)

    def test_a_stream_is_written_as_it_comes(self):
        _, _, out, _ = self.agent("run", self.json("a.json", PAY), "--stream", "--model", self.script(
            {"text": "I pay her now.", "program": '(return {:receipt "a"})'}))
        self.assertIn("I pay her now.", out.splitlines()[0])

    def test_a_trace_and_progress_tell_what_happens(self):
        trace = self.place("t.jsonl")
        _, _, _, err = self.agent("run", self.json("a.json", PAY), "--model", self.script(
            {"program": '(return {:receipt (tool/pay {:to "ann"})})'}), "--trace", trace, "--progress",
            "--tool-shell", "pay=cat > /dev/null; echo '\"r\"'")
        events = [json.loads(line)["event"] for line in pathlib.Path(trace).read_text(encoding="utf-8").splitlines()]
        self.assertEqual(events, ["model_start", "model_end", "tool_start", "tool_end"])
        self.assertIn("turn 1", err)

    def test_a_mailbox_lets_somebody_else_be_the_model(self):
        box = self.place("box")
        os.mkdir(box)
        pathlib.Path(box, "1.reply.json").write_text(json.dumps({"program": '(return {:receipt "m"})'}),
                                                     encoding="utf-8")
        status, line, _, err = self.agent("run", self.json("a.json", PAY), "--model", "mailbox:" + box)
        self.assertEqual((status, line["return"]), (0, {"receipt": "m"}), err)
        request = json.loads(pathlib.Path(box, "1.request.json").read_text(encoding="utf-8"))
        self.assertEqual((request["number"], request["callable"]), (1, ["pay"]))


class Store(AgentTest):
    COMMAND = ["sh", "-c", "cat > /dev/null; echo '\"r\"'"]
    ASKING = {**PAY, "tools": [{**PAY["tools"][0], "ask": True, "command": COMMAND}]}
    TURNS = ({"program": '(def r (tool/pay {:to "ann"}))', "usage": {"input": 100, "output": 10}},
             {"program": "(return {:receipt r})", "usage": {"input": 150, "cached": 100, "output": 5}})

    def setUp(self):
        super().setUp()
        self.kept = ("--store", self.place("s.db"), "--id", "r")

    def begin(self, agent=None, turns=TURNS):
        return self.agent("run", self.json("a.json", agent or self.ASKING), "--model", self.script(*turns), *self.kept)

    def test_a_run_waits_for_a_person_and_goes_on(self):
        status, line, _, err = self.begin()
        self.assertEqual((status, line["pending"]), (75, ["approve:pay"]), err)
        status, line, _, _ = self.agent("show", *self.kept, "--output", "json")
        self.assertEqual((status, line["status"], line["pending"]), (0, "suspended", ["approve:pay"]))
        status, line, _, err = self.agent("resume", *self.kept, "--resolve", "approve:pay=true")
        self.assertEqual((status, line["return"], line["turns"]), (0, {"receipt": "r"}, 2), err)
        again = self.begin()
        self.assertEqual((again[0], again[1]), (0, line))   # nothing is paid for again

    def test_the_run_is_an_argument_or_an_option(self):
        self.begin()
        by_option = ptcvm("agent", "show", *self.kept)
        self.assertEqual((by_option[0], ptcvm("agent", "show", *self.kept[:2], "r")), (0, by_option))
        status, line, _, err = self.agent("resume", "r", *self.kept[:2], "--resolve", "approve:pay=true")
        self.assertEqual((status, line["return"]), (0, {"receipt": "r"}), err)

    def test_a_refusal_is_a_tool_error_with_its_text(self):
        self.begin(turns=({"program": '(return {:receipt (tool/pay {:to "ann"})})'},
                          {"program": '(return {:receipt "none"})',
                           "expect": {"newest": {"contains": ["not today"]}}}))
        _, line, _, err = self.agent("resume", *self.kept, "--reject", "approve:pay=not today")
        self.assertEqual(line["return"], {"receipt": "none"}, err)

    def test_an_answer_to_nothing_is_refused_and_changes_nothing(self):
        self.begin()
        for args in (("--resolve", "approve:nothing=true"), ("--resolve", "approve:pay={"), ("--raise", "turns=x"),
                     ("--resolve", "approve:pay")):
            self.assertEqual(self.agent("resume", *self.kept, *args)[0], 65)
        self.assertEqual(self.agent("resume", *self.kept)[1]["pending"], ["approve:pay"])

    def test_another_definition_is_reported_and_the_run_goes_on_with_its_own(self):
        self.begin()
        status, line, _, err = self.begin({**self.ASKING, "prompt": "Pay Bo.", "max_turns": 3})
        self.assertEqual((status, line), (65, None), err)
        for words in ("another definition", "prompt", "max_turns"):
            self.assertIn(words, err)
        self.assertNotIn("signature", err)
        self.assertEqual(self.agent("resume", *self.kept)[1]["pending"], ["approve:pay"])
        status, line, _, err = self.agent("resume", *self.kept, "--resolve", "approve:pay=true")
        self.assertEqual((status, line["return"]), (0, {"receipt": "r"}), err)

    def test_cost_is_shown_by_turn(self):
        self.begin()
        self.agent("resume", *self.kept, "--resolve", "approve:pay=true")
        prices = self.json("p.json", {"scripted": {"input": 2, "cached": 0.5, "output": 8}})
        cost = json.loads(ptcvm("agent", "cost", *self.kept, "--prices", prices, "--json")[1])
        self.assertEqual([(line["turn"], line["input"], line["cached"]) for line in cost["lines"]],
                         [(1, 100, 0), (2, 150, 100)])
        self.assertAlmostEqual(cost["sum"]["money"], (100 * 2 + 10 * 8 + 50 * 2 + 100 * 0.5 + 5 * 8) / 1e6)
        self.assertIn("sum", ptcvm("agent", "cost", *self.kept, "--prices", prices)[1])

    def test_cost_is_shown_by_model(self):
        self.begin()
        program = self.file("p.ptc", self.TURNS[1]["program"])
        self.agent("resume", *self.kept, "--resolve", "approve:pay=true", "--model", "program:" + program)
        models = [line["model"] for line in json.loads(ptcvm("agent", "cost", *self.kept, "--json")[1])["lines"]]
        self.assertEqual(models, ["scripted", "program"])

    def test_cost_is_shown_by_child(self):
        agent = {**PAY, "tools": [], "children": {"ask": {"prompt": "Say it.", "signature": "() -> :string"}}}
        self.begin(agent=agent, turns=({"program": "(def r (tool/ask {}))", "usage": {"input": 9, "output": 1}},
                                       {"program": '(return "r")', "for": "ask", "usage": {"input": 4, "output": 2}},
                                       {"program": "(return {:receipt r})", "usage": {"input": 20, "output": 3}}))
        cost = json.loads(ptcvm("agent", "cost", *self.kept, "--json")[1])
        self.assertEqual([(line["turn"], line["agent"], line["input"], line["output"]) for line in cost["lines"]],
                         [(1, "", 9, 1), (1, "ask", 4, 2), (2, "", 20, 3)])
        self.assertEqual((cost["sum"]["calls"], cost["sum"]["input"]), (3, 33))

    def test_a_fork_shares_turns_and_goes_its_own_way(self):
        self.begin(agent={**self.ASKING, "tools": [{**self.ASKING["tools"][0], "ask": False}]})
        status, line, _, err = self.agent("fork", *self.kept, "--turns", "1", "--as", "f")
        self.assertEqual((status, line), (0, {"status": "forked", "id": "f", "turns": 1}), err)
        other = self.script({"program": '(return {:receipt (str r "-fork")})'})
        _, line, _, err = self.agent("resume", *self.kept[:2], "--id", "f", "--model", other)
        self.assertEqual(line["return"], {"receipt": "r-fork"}, err)

    def test_what_is_said_goes_on_in_the_conversation(self):
        self.begin(agent=PAY, turns=({"program": '(return {:receipt "a"})'},
                                     {"program": '(return {:receipt "b"})',
                                      "expect": {"newest": {"contains": ["another one"]}}}))
        _, line, _, err = self.agent("resume", *self.kept, "--say", "another one")
        self.assertEqual(line["return"], {"receipt": "b"}, err)

    def test_a_killed_process_pays_for_nothing_twice(self):
        ledger = self.place("ledger")
        command = ["sh", "-c", f"cat > /dev/null; echo paid >> {ledger}; echo '\"r\"'"]
        agent = self.json("a.json", {**PAY, "tools": [{**PAY["tools"][0], "command": command}]})
        box = self.place("box")
        os.mkdir(box)
        first = subprocess.Popen([PTCVM, "agent", "run", agent, "--model", "mailbox:" + box, *self.kept],
                                 stdout=subprocess.DEVNULL)
        pathlib.Path(box, "1.reply.json").write_text(json.dumps(self.TURNS[0]), encoding="utf-8")
        while not os.path.exists(os.path.join(box, "2.request.json")):
            time.sleep(0.01)
        first.kill()
        first.wait()
        # The second request was sent and is sent again: its reply goes to the new request, or to the old one.
        for number in (2, 3):
            pathlib.Path(box, f"{number}.reply.json").write_text(json.dumps(self.TURNS[1]), encoding="utf-8")
        status, line, _, err = self.agent("resume", *self.kept)
        self.assertEqual((status, line["return"]), (0, {"receipt": "r"}), err)
        self.assertEqual(pathlib.Path(ledger).read_text(encoding="utf-8"), "paid\n")


class ToolsFile(AgentTest):
    """--tools FILE of agents: the file that run, work and batch take."""
    AGENT = {"name": "p", "prompt": "What does article 3 cost?", "signature": "() -> {price :float}"}
    PRICE = {"name": "price", "signature": "(id :int) -> {price :float}", "description": "The price of an article",
             "effect": "pure", "command": [sys.executable, "-c", "import json, os, sys; print(json.dumps({'price': "
                                           "json.load(sys.stdin)['id'] * float(os.environ['FACTOR'])}))"],
             "environment": {"FACTOR": "1.5"}}
    CALL = {"program": "(return {:price (:price (tool/price {:id 3}))})"}

    def tools(self, *tools, name="tools.json"):
        return self.json(name, list(tools))

    def run_with(self, *tools, agent=None, turns=(CALL,), options=()):
        return self.agent("run", self.json("a.json", agent or self.AGENT), "--model", self.script(*turns), "--tools",
                          self.tools(*tools), *options)

    def test_an_agent_gets_the_tools_of_the_file(self):
        told = {"newest": {"contains": []}, "tools": ["price"], "contains": ["The price of an article"]}
        status, line, _, err = self.run_with(self.PRICE, turns=({**self.CALL, "expect": told},))
        self.assertEqual((status, line["return"]), (0, {"price": 4.5}), err)

    def test_the_prompt_shows_them(self):
        agent, tools = self.json("a.json", self.AGENT), self.tools(self.PRICE)
        status, out, err = ptcvm("agent", "prompt", agent, "--tools", tools)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("The price of an article", out)
        self.assertNotIn("The price", ptcvm("agent", "prompt", agent)[1])

    def test_a_chat_keeps_its_process(self):
        stays = {"name": "n", "effect": "pure", "process": "stays", "signature": "() -> :int", "command": [
            sys.executable, "-c", "import json, sys\nfor n, line in enumerate(sys.stdin, 1):\n  "
            "print(json.dumps({'id': json.loads(line)['id'], 'value': n}), flush=True)"]}
        agent = self.json("a.json", {"name": "c", "prompt": "{{message}}", "signature": "(message :string) -> :int"})
        status, _, out, err = self.agent(
            "chat", agent, "--tools", self.tools(stays), "--model",
            self.script({"program": "(return (+ (tool/n) (tool/n)))"}, {"program": "(return (tool/n))"}),
            stdin="one\ntwo\n")
        self.assertEqual((status, out.splitlines()[:-1]), (0, ["3", "3"]), err)

    def test_what_the_agent_file_says_of_a_tool_stays_where_the_other_file_is_silent(self):
        own = {"name": "price", "description": "Ask me first", "effect": "pure", "ask": True}
        command = {name: self.PRICE[name] for name in ("name", "command", "environment", "signature")}
        status, line, _, err = self.run_with(command, agent={**self.AGENT, "tools": [own]}, turns=(
            {**self.CALL, "expect": {"contains": ["Ask me first", "(id :int) -> {price :float}"]}},))
        self.assertEqual((status, line["pending"]), (75, ["approve:price"]), err)

    def test_a_child_that_has_the_tool_gets_the_command(self):
        child = {"prompt": "Say the price.", "signature": "() -> {price :float}", "tools": [{"name": "price"}]}
        status, line, _, err = self.run_with(
            self.PRICE, agent={**self.AGENT, "children": {"ask": child}},
            turns=({"program": "(return (tool/ask {}))", "expect": {"tools": ["ask"]}}, {**self.CALL, "for": "ask"}))
        self.assertEqual((status, line["return"]), (0, {"price": 4.5}), err)

    def test_an_option_goes_before_the_file(self):
        _, line, _, err = self.run_with(self.PRICE, options=("--tool-shell", "price=echo '{\"price\": 9.5}'"))
        self.assertEqual(line["return"], {"price": 9.5}, err)

    def test_a_call_that_fails_is_tried_again_and_a_slow_one_ends(self):
        tried = self.place("tried")
        once = ["sh", "-c", f"[ -e {tried} ] || {{ touch {tried}; echo no >&2; exit 1; }}; echo '{{\"price\": 2.5}}'"]
        retry = {"max_attempts": 2, "first_delay_ms": 1}
        _, line, _, err = self.run_with({**self.PRICE, "command": once, "retry": retry})
        self.assertEqual(line["return"], {"price": 2.5}, err)
        slow = {**self.PRICE, "command": ["sleep", "100"], "deadline_ms": 50}
        _, line, _, err = self.run_with(slow, turns=(self.CALL, {
            "program": "(return {:price 0.5})", "expect": {"newest": {"contains": ["no answer within 50 ms"]}}}))
        self.assertEqual(line["return"], {"price": 0.5}, err)

    def test_a_wrong_file_is_refused(self):
        for command in (("run", "--model", self.script()), ("prompt",)):
            status, out, err = ptcvm("agent", command[0], self.json("a.json", self.AGENT), *command[1:], "--tools",
                                     self.tools({"name": "price", "comand": "true"}))
            self.assertEqual((status, out), (65, ""))
            self.assertIn('there is no member "comand"', err)

    def test_a_store_keeps_the_tools_and_says_what_has_changed(self):
        kept = ("--store", self.place("s.db"), "--id", "r")
        os.mkdir(self.place("shop"))
        self.file("shop/factor", "2.0")
        command = ["sh", "-c", "read args; echo \"{\\\"price\\\": $(cat factor)}\""]
        tool = {**self.PRICE, "command": command, "folder": "shop"}
        agent = {**self.AGENT, "tools": [{"name": "price", "ask": True}]}
        turns = ({"program": "(def a (tool/price {:id 1}))"}, {"program": "(def b (tool/price {:id 1}))"},
                 {"program": "(return {:price (+ (:price a) (:price b))})"})
        status, line, _, err = self.run_with(tool, agent=agent, turns=turns, options=kept)
        self.assertEqual((status, line["pending"]), (75, ["approve:price"]), err)
        # Another process, in another folder, is given neither the file nor its folder.
        os.remove(self.place("tools.json"))
        status, line, _, err = self.agent("resume", *kept, "--resolve", "approve:price=true")
        self.assertEqual((status, line["pending"], without_next_commands(err)), (75, ["approve:price#2"], ""))
        other = self.tools({**self.PRICE, "environment": {"FACTOR": "3.5"}}, {"name": "new", "command": "true"})
        status, line, _, err = self.agent("resume", *kept, "--resolve", "approve:price#2=true", "--tools", other)
        self.assertEqual((status, line["return"]), (0, {"price": 5.5}), err)
        self.assertIn("ptcvm: warning: the tools of r have changed: price was {", err)
        self.assertIn("ptcvm: warning: the tools of r have changed: new is new: {", err)

    def test_a_fork_has_the_tools(self):
        kept = ("--store", self.place("s.db"), "--id", "r")
        self.run_with(self.PRICE, turns=({"program": "(def a (tool/price {:id 1}))"},
                                         {"program": "(return a)"}), options=kept)
        self.agent("fork", *kept, "--turns", "1", "--as", "f")
        _, line, _, err = self.agent("resume", *kept[:2], "f", "--model", self.script(self.CALL))
        self.assertEqual(line["return"], {"price": 4.5}, err)
        self.assertEqual([row.split()[0] for row in ptcvm("runs", *kept[:2])[1].splitlines()[1:]], ["f", "r"])

    def test_a_reconcilable_call_of_which_nobody_knows_waits_for_a_person(self):
        dies = {"name": "price", "effect": "reconcilable", "reconcile": "true", "command": ["sh", "-c", "kill -9 $$"],
                "signature": "(id :int) -> {price :float}"}
        status, line, _, err = self.run_with(dies)
        self.assertEqual((status, line["pending"]), (75, ["doubt:price"]), err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
