#!/usr/bin/env python3
"""ptcvm agent: models of children, agents one after the other, and limits of the rate of requests.

usage: agent_tree_test.py PTCVM   (the program under test)"""
import json
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

FIND = {"name": "find", "prompt": "Find {{who}}.", "signature": "(who :string) -> {mail :string}"}
WRITE = {"name": "write", "prompt": "Write to {{mail}}.", "signature": "(mail :string) -> {sent :bool}"}
DESK = {"prompt": "Ask.", "signature": "() -> :int"}
BROKER = {"name": "broker", "prompt": "Ask the desk.", "signature": "() -> :int",
          "children": {"desk": {**DESK, "children": {"clerk": DESK}}, "other": DESK}}


class AgentTree(CommandLineTest):
    def json(self, name, document):
        return self.file(name, json.dumps(document))

    def script(self, name, *lines):
        return "scripted:" + self.file(name, "".join(json.dumps(line) + "\n" for line in lines))

    def agent(self, *args):
        status, out, err = ptcvm("agent", *args)
        return status, json.loads(out.splitlines()[-1]) if out else None, err


class Commands(AgentTree):
    def test_a_command_goes_on_when_the_script_has_no_reply_for_another_child(self):
        at = self.folder.name
        slow = {"name": "slow", "signature": "() -> :int", "effect": "unsafe",
                "command": ["sh", "-c", f"touch {at}/begun; sleep 1; echo paid >> {at}/ledger; echo 5"]}
        quick = {"name": "quick", "signature": "() -> :int", "effect": "pure",
                 "command": ["sh", "-c", f"until test -e {at}/begun; do sleep 0.05; done; echo 1"]}
        agent = self.json("a.json", {"name": "a", "prompt": "P", "signature": "() -> [:int]", "children": {
            "pays": {**DESK, "tools": [slow]}, "asks": {**DESK, "tools": [quick]}}})
        lines = ({"program": "(return (pcalls #(tool/pays {}) #(tool/asks {})))"},
                 {"program": "(return (tool/slow {}))", "for": "pays"},
                 {"program": "(def x (tool/quick {}))", "for": "asks"})
        kept = ("--store", f"{at}/runs.db", "--id", "r")
        status, line, err = self.agent("run", agent, "--model", self.script("s.jsonl", *lines), *kept)
        self.assertEqual((status, line["fail"]["reason"]), (1, "script_used_up"), err)
        with open(f"{at}/ledger", encoding="utf-8") as ledger:
            self.assertEqual(ledger.read(), "paid\n")
        self.script("s.jsonl", *lines, {"program": "(return x)", "for": "asks"})
        status, line, err = self.agent("resume", *kept)
        self.assertEqual((status, line["return"]), (0, [5, 1]), err)
        with open(f"{at}/ledger", encoding="utf-8") as ledger:
            self.assertEqual(ledger.read(), "paid\n")


class ChildModels(AgentTree):
    def setUp(self):
        super().setUp()
        self.root = self.script("root.jsonl", {"program": "(return (+ (tool/desk {}) (tool/other {})))",
                                               "usage": {"input": 100, "output": 1}},
                                {"program": "(return 1)", "for": "other"})
        self.desk = self.script("desk.jsonl",
                                {"program": "(return (+ 10 (tool/clerk {})))", "for": "desk",
                                 "usage": {"input": 10, "output": 1}},
                                {"program": "(return 100)", "for": "desk/clerk", "usage": {"input": 7, "output": 1}})
        self.file_of_agent = self.json("a.json", BROKER)

    def test_a_child_and_what_is_below_it_have_their_own_model(self):
        status, line, err = self.agent("run", self.file_of_agent, "--model", self.root,
                                       "--child-model", "desk=" + self.desk)
        self.assertEqual((status, line["return"], line["usage"]["model_calls"]), (0, 111, 4), err)

    def test_the_nearest_model_counts(self):
        clerk = self.script("clerk.jsonl", {"program": "(return 1000)", "for": "desk/clerk"})
        _, line, err = self.agent("run", self.file_of_agent, "--model", self.root, "--child-model", "desk=" + self.desk,
                                  "--child-model", "desk/clerk=" + clerk)
        self.assertEqual(line["return"], 1011, err)

    def test_a_store_keeps_the_models_and_cost_names_them(self):
        agent = {**BROKER, "tools": [{"name": "go", "signature": "() -> :int", "effect": "keyed"}]}
        root = self.script("root.jsonl", {"program": "(return (+ (tool/go {}) (tool/desk {})))",
                                          "usage": {"input": 100, "output": 1}})
        kept = ("--store", self.folder.name + "/runs.db", "--id", "r")
        status, line, err = self.agent("run", self.json("b.json", agent), "--model", root,
                                       "--child-model", "desk=" + self.desk, *kept)
        self.assertEqual((status, line["pending"]), (75, ["go"]), err)
        status, line, err = self.agent("resume", *kept, "--resolve", "go=1")
        self.assertEqual((status, line["return"]), (0, 111), err)
        prices = self.json("p.json", {"scripted": {"input": 1_000_000}})
        cost = json.loads(ptcvm("agent", "cost", *kept, "--prices", prices, "--json")[1])
        self.assertEqual([(row["agent"], row["input"]) for row in cost["lines"]],
                         [("", 100), ("desk", 10), ("desk/clerk", 7)])
        self.assertEqual(cost["sum"]["money"], 117)
        status, line, err = self.agent("replay", *kept)
        self.assertEqual((status, line["return"]), (0, 111), err)

    def test_a_model_of_nobody_is_refused(self):
        selves = self.json("s.json", {**BROKER, "children": {"again": ":self"}})
        for text, file in (("nobody=" + self.desk, self.file_of_agent), ("desk", self.file_of_agent),
                           ("again=" + self.desk, selves), ("desk=soap:x", self.file_of_agent)):
            status, line, err = self.agent("run", file, "--model", self.root, "--child-model", text)
            self.assertEqual((status, line), (65, None), text)
            self.assertTrue(err)
        status, _, err = self.agent("run", self.file_of_agent, "--model", self.root,
                                    "--child-model", "desk=" + self.desk, "--child-model", "desk=" + self.desk)
        self.assertEqual(status, 65, err)

    def test_a_program_takes_the_place_of_a_child_in_each_call_of_it(self):
        root = self.script("root.jsonl", {"program": "(return (+ (tool/desk {}) (tool/desk {}) (tool/other {})))"},
                           {"program": "(return 1)", "for": "other"})
        program = "desk=program:" + self.file("desk.ptc", "(return 20)")
        status, line, err = self.agent("run", self.file_of_agent, "--model", root, "--child-model", program)
        self.assertEqual((status, line["return"]), (0, 41), err)

    def test_a_program_in_the_place_of_a_child_survives_in_a_store(self):
        agent = {**BROKER, "tools": [{"name": "go", "signature": "() -> :int", "effect": "keyed"}]}
        root = self.script("root.jsonl",
                           {"program": "(let [n (tool/desk {})] (return (+ n (tool/go {}) (tool/desk {}))))"})
        program = "desk=program:" + self.file("desk.ptc", "(return 20)")
        kept = ("--store", self.folder.name + "/runs.db", "--id", "r")
        status, line, err = self.agent("run", self.json("b.json", agent), "--model", root, "--child-model", program,
                                       *kept)
        self.assertEqual((status, line["pending"]), (75, ["go"]), err)
        status, line, err = self.agent("resume", *kept, "--resolve", "go=1")
        self.assertEqual((status, line["return"]), (0, 41), err)

    def test_a_program_of_a_child_that_needs_a_model_is_refused(self):
        for source, words in (("(+ 1 2)", "the program did not end the task of desk"),
                              ("(return (tool/clerk {}))", "desk/clerk/model is asked")):
            program = "desk=program:" + self.file("desk.ptc", source)
            status, line, err = self.agent("run", self.file_of_agent, "--model", self.root, "--child-model", program)
            self.assertEqual((status, line["fail"]["reason"]), (1, "llm_required"), err)
            self.assertIn(words, line["fail"]["message"])
            self.assertIn("--child-model", line["fail"]["message"])

    def test_progress_prices_each_reply_by_its_model(self):
        prices = self.json("p.json", {"scripted": {"input": 1_000_000}})
        _, _, err = self.agent("run", self.file_of_agent, "--model", self.root, "--progress", "--prices", prices,
                               "--child-model", "desk=" + self.desk)
        self.assertIn("117.00", err)


class Sequences(AgentTree):
    def setUp(self):
        super().setUp()
        self.files = self.json("find.json", FIND), self.json("write.json", WRITE)
        self.data = self.json("d.json", {"who": "ann"})
        self.model = self.script("s.jsonl", {"program": '(return {:mail "ann@x"})', "for": "find"},
                                 {"program": "(return {:sent (= data/mail \"ann@x\")})", "for": "write"})

    def test_agents_run_one_after_the_other(self):
        status, line, err = self.agent("run", self.files[0], "--then", self.files[1], "--data", self.data,
                                       "--model", self.model)
        self.assertEqual((status, line["return"], line["usage"]["model_calls"]), (0, {"sent": True}, 2), err)

    def test_a_file_names_its_successor(self):
        both = self.json("both.json", {**FIND, "then": WRITE})
        _, line, err = self.agent("run", both, "--data", self.data, "--model", self.model)
        self.assertEqual(line["return"], {"sent": True}, err)

    def test_a_sequence_waits_in_a_store_and_goes_on_without_its_files(self):
        asking = {**WRITE, "tools": [{"name": "send", "signature": "(to :string) -> :bool", "effect": "keyed"}]}
        model = self.script("s.jsonl", {"program": '(return {:mail "ann@x"})', "for": "find"},
                            {"program": "(return {:sent (tool/send {:to data/mail})})", "for": "write"})
        kept = ("--store", self.folder.name + "/runs.db", "--id", "r")
        status, line, err = self.agent("run", self.files[0], "--then", self.json("w.json", asking), "--data", self.data,
                                       "--model", model, *kept)
        self.assertEqual((status, line["pending"]), (75, ["write/send"]), err)
        _, line, err = self.agent("resume", *kept, "--resolve", "write/send=true")
        self.assertEqual(line["return"], {"sent": True}, err)

    def test_agents_that_do_not_fit_are_refused(self):
        status, line, err = self.agent("run", self.files[1], "--then", self.files[0], "--data", self.data,
                                       "--model", self.model)
        self.assertEqual((status, line), (65, None))
        self.assertIn('find wants the argument "who", and write, the agent before it, returns {sent :bool}', err)


class Keys(AgentTree):
    def test_no_two_runs_call_tools_under_one_key(self):
        keys = self.folder.name + "/keys"
        tool = {"name": "pay", "signature": "() -> :int", "effect": "keyed",
                "command": ["sh", "-c", f'cat > /dev/null; echo "$PTCVM_IDEMPOTENCY_KEY" >> {keys}; echo 1']}
        desk = {"prompt": "y", "signature": "() -> :int", "tools": [tool], "journal": True}
        agent = self.json("k.json", {**desk, "prompt": "x", "children": {"desk": desk}})
        program = '(return (+ (tool/pay {}) (task "t" (tool/pay {}))%s))'
        lines = ({"program": program % " (tool/desk {})"}, {"program": program % "", "for": "desk"})
        for run in ("a/b", "a"):
            status, *_, err = self.agent("run", agent, "--model", self.script("s.jsonl", *lines), "--store",
                                        self.folder.name + "/k.db", "--id", run)
            self.assertEqual(status, 0, err)
        with open(keys, encoding="utf-8") as file:
            written = file.read().split()
        self.assertEqual(sorted(written), ["a/desk/task:t#0", "a/task:t#0", "a~1b/desk/task:t#0", "a~1b/task:t#0",
                                           "run:a/desk@1#0", "run:a@1#0", "run:a~1b/desk@1#0", "run:a~1b@1#0"])


class Rates(AgentTree):
    BOTH = {"prompt": "x", "signature": "() -> :any",
            "children": {"a": {"prompt": "A", "signature": "() -> :int"}}}
    LINES = [{"program": "(return (pmap (fn [i] (tool/a {})) [1 2 3]))"},
             *({"program": f"(return {i})", "for": agent} for i, agent in enumerate(("a", "a#2", "a#3")))]

    def test_requests_beyond_the_rate_wait_their_time(self):
        trace = self.folder.name + "/trace.jsonl"
        status, line, err = self.agent("run", self.json("a.json", self.BOTH), "--model",
                                       self.script("s.jsonl", *self.LINES), "--rate", "2", "--trace", trace)
        self.assertEqual((status, line["usage"]["model_calls"]), (0, 4), err)
        with open(trace, encoding="utf-8") as file:
            sent = [row["time_ms"] for row in map(json.loads, file) if row["event"] == "model_start"]
        self.assertEqual([at - sent[0] for at in sent], [0, 0, 60_000, 60_000])

    def test_a_run_that_goes_on_keeps_its_rate(self):
        agent = self.json("a.json", {"prompt": "x", "signature": "() -> :any", "max_turns": 4, "children": {
            "a": {"prompt": "A", "signature": "() -> :int"}},
            "tools": [{"name": "ask", "signature": "() -> :bool", "effect": "keyed"}]})
        model = self.script("s.jsonl", {"program": "(tool/ask {})"}, *self.LINES)
        for words, half_minutes in (((), [0, 2, 2, 4]), (("--rate", "1000000"), [0, 0, 0, 0])):
            kept = ("--store", f"{self.folder.name}/{len(words)}.db", "--id", "r")
            status, _, err = self.agent("run", agent, "--model", model, "--rate", "2", *kept)
            self.assertEqual(status, 75, err)
            trace = self.folder.name + "/trace.jsonl"
            status, _, err = self.agent("resume", *kept, "--resolve", "ask=true", "--trace", trace, *words)
            self.assertEqual(status, 0, err)
            with open(trace, encoding="utf-8") as file:
                sent = [row["time_ms"] for row in map(json.loads, file) if row["event"] == "model_start"]
            self.assertEqual([round((at - sent[0]) / 30_000) for at in sent], half_minutes)

    def test_a_refusal_holds_back_other_runs_of_the_store(self):
        agent = self.json("a.json", {"prompt": "x", "signature": "() -> :int"})
        store = ("--store", self.folder.name + "/runs.db")
        refused = {"http": 429, "headers": {"retry-after": "3000"}, "body": {"error": {"message": "slow down"}}}
        traces = []
        for run, lines in (("one", [refused, {"program": "(return 1)"}]), ("two", [{"program": "(return 2)"}])):
            traces.append(self.folder.name + "/" + run)
            status, _, err = self.agent("run", agent, "--model", self.script("s.jsonl", *lines), *store, "--id", run,
                                        "--trace", traces[-1])
            self.assertEqual(status, 0, err)
        starts = []
        for trace in traces:
            with open(trace, encoding="utf-8") as file:
                starts.append([row["time_ms"] for row in map(json.loads, file) if row["event"] == "model_start"])
        self.assertEqual(starts[1][0], starts[0][1])


class Deadlines(AgentTree):
    def test_a_run_that_waits_for_a_tool_ends_at_its_deadline(self):
        agent = {"prompt": "Ask.", "signature": "() -> :int", "limits": {"deadline_ms": 300},
                 "tools": [{"name": "ask", "signature": "() -> :int", "mode": "async"}]}
        kept = ("--store", self.folder.name + "/runs.db", "--id", "r")
        words = ("run", self.json("a.json", agent), "--model",
                 self.script("s.jsonl", {"program": "(return (await (tool/ask {})))"}), *kept)
        status = 75
        while status == 75:
            status, line, err = self.agent(*words)
            words = ("resume", *kept)
        self.assertEqual((status, line["fail"]["reason"]), (1, "mission_timeout"), err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
