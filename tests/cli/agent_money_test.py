#!/usr/bin/env python3
"""ptcvm agent: limits of money, in one process and over several.

usage: agent_money_test.py PTCVM   (the program under test)"""
import json
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

SPENDER = {"name": "s", "prompt": "Do", "signature": "() -> :int"}
TURN = {"program": "1", "usage": {"input": 100, "output": 50}}   # 600 millionths
END = {"program": "(return 7)", "usage": {"input": 100, "output": 50}}


class Money(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.kept = ("--store", self.folder.name + "/runs.db", "--id", "r")
        self.prices = ("--prices", self.json("p.json", {"scripted": {"input": 2, "output": 8}}))

    def json(self, name, value):
        return self.file(name, json.dumps(value))

    def line_of(self, *words):
        status, out, err = ptcvm("agent", *words)
        return status, json.loads(out.splitlines()[-1]) if out else {}, err

    def run_agent(self, *words, lines=(TURN, TURN, END), **limits):
        script = self.file("s.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        agent = {**SPENDER, **({"limits": limits} if limits else {})}
        return self.line_of("run", self.json("a.json", agent), "--model", "scripted:" + script, *words)

    def test_a_limit_of_the_file_ends_the_run(self):
        status, line, err = self.run_agent(*self.prices, money=1200)
        self.assertEqual((status, line["fail"]["reason"], line["usage"]["money"]), (1, "budget_exhausted", 1200), err)
        self.assertIn("the limit money (1200) is used up", line["fail"]["message"])

    def test_a_limit_that_is_not_reached_changes_nothing(self):
        status, line, err = self.run_agent(*self.prices, money=1201)
        self.assertEqual((status, line["return"], line["usage"]["money"]), (0, 7, 1800), err)

    def test_a_limit_needs_prices(self):
        for words, limits in (((), {"money": 5}), (("--limit", "money=5"), {}),
                              (("--prices", self.json("o.json", {"other": {}})), {"money": 5})):
            status, _, err = self.run_agent(*words, **limits)
            self.assertEqual(status, 65)
            self.assertIn("--prices has no price of the model scripted", err)

    def test_the_command_line_lowers_a_limit(self):
        status, line, err = self.run_agent(*self.prices, "--limit", "money=600", money=5000)
        self.assertEqual((status, line["usage"]["money"]), (1, 600), err)
        status, line, err = self.run_agent("--limit", "model_calls=2")
        self.assertEqual((status, line["usage"]["model_calls"]), (1, 2), err)

    def test_a_limit_that_nobody_knows_is_refused(self):
        for words in ("beer=5", "money", "money=0", "money=-1", "tokens=many"):
            status, _, err = self.run_agent(*self.prices, "--limit", words)
            self.assertEqual(status, 65, words)
            self.assertNotEqual(err, "")

    def test_a_store_keeps_prices_and_limits(self):
        status, line, err = self.run_agent(*self.prices, *self.kept, "--limit", "money=600")
        self.assertEqual((status, line["usage"]["money"]), (1, 600), err)
        cost = json.loads(ptcvm("agent", "cost", *self.kept, "--json")[1])
        self.assertEqual(cost["sum"]["money"], 0.0006)
        status, line, err = self.line_of("replay", *self.kept)
        self.assertEqual((line["replay"]["same"], line["usage"]["money"]), (True, 600), err)
        status, line, err = self.line_of("resume", *self.kept, "--say", "Go on.")
        self.assertEqual((status, line["fail"]["reason"]), (1, "budget_exhausted"), err)

    def test_one_limit_is_for_all_agents_of_a_sequence(self):
        """Each of them costs 600."""
        find = self.json("find.json", {"name": "find", "prompt": "Find", "signature": "() -> {mail :string}"})
        write = self.json("write.json", {"name": "write", "prompt": "Write to {{mail}}", "signature":
                                         "(mail :string) -> :int"})
        script = self.file("both.jsonl", "".join(json.dumps({**END, **line}) + "\n" for line in (
            {"for": "find", "program": '(return {:mail "a"})'}, {"for": "write"})))
        for most, wanted in ((600, "chained_failure"), (601, None)):
            words = ("--model", "scripted:" + script, *self.prices, "--limit", f"money={most}")
            _, line, err = self.line_of("run", find, "--then", write, *words)
            self.assertEqual((line["fail"] or {}).get("reason"), wanted, err)
            self.assertEqual(line["usage"]["money"], 600 if wanted else 1200)

    def test_a_run_cost_what_it_cost_when_it_ran(self):
        """Each process has its prices; a file of prices says what the same replies would cost."""
        script = "scripted:" + self.file("s.jsonl", "".join(json.dumps(line) + "\n" for line in (TURN, END, END)))
        self.line_of("run", self.json("a.json", SPENDER), "--model", script, *self.prices, *self.kept)
        dear = self.json("dear.json", {"scripted": {"input": 20, "output": 80}})
        status, line, err = self.line_of("resume", *self.kept, "--prices", dear, "--say", "Again.")
        self.assertEqual((status, line["usage"]["money"]), (0, 600 + 600 + 6000), err)

        def money(*words):
            return json.loads(ptcvm("agent", "cost", *self.kept, "--json", *words)[1])["sum"]["money"]
        self.assertEqual((money(), money("--prices", dear), money(*self.prices)), (0.0072, 0.018, 0.0018))

    def test_without_prices_of_then_the_cost_is_not_known_later(self):
        self.run_agent(*self.kept, lines=(END,))
        status, out, err = ptcvm("agent", "cost", *self.kept, "--json")
        self.assertEqual((status, json.loads(out)["sum"]["money"]), (0, None))
        self.assertIn("there is no price of scripted", err)
        cost = json.loads(ptcvm("agent", "cost", *self.kept, "--json", *self.prices)[1])
        self.assertEqual(cost["sum"]["money"], 0.0006)

    def test_a_fork_costs_what_nobody_knows_when_its_turns_did(self):
        store = self.kept[:2]
        for prices, run in (((), "r"), (self.prices, "known")):
            self.run_agent(*prices, *store, "--id", run, lines=(TURN, END))
            for turns, money in ((0, 0), (1, 600), (2, 1200)):
                fork = f"{run}{turns}"
                self.line_of("fork", *store, "--id", run, "--turns", str(turns), "--as", fork)
                fork_of_fork = f"{fork}again"
                self.line_of("fork", *store, "--id", fork, "--turns", str(turns), "--as", fork_of_fork)
                for one in (fork, fork_of_fork):
                    line = json.loads(ptcvm("agent", "show", *store, "--id", one)[1].splitlines()[-1])
                    wanted = None if turns != 0 and run == "r" else money
                    self.assertEqual(line["usage"].get("money", 0), wanted, one)
        line = self.line_of("resume", *store, "--id", "r2")[1]
        self.assertEqual((line["return"], line["usage"]["money"]), (7, None))

    def test_nobody_knows_the_cost_of_a_reply_without_a_count_of_tokens(self):
        uncounted = {name: value for name, value in END.items() if name != "usage"}
        script = self.file("u.jsonl", json.dumps(uncounted) + "\n")
        agent = self.json("a.json", SPENDER)
        self.assertEqual(self.line_of("run", agent, "--model", "scripted:" + script, *self.prices, *self.kept)[0], 0)
        status, out, err = ptcvm("agent", "cost", *self.kept, "--json")
        self.assertEqual((status, json.loads(out)["sum"]["money"]), (0, None))
        self.assertEqual(err, "ptcvm: replies of the model say nothing of their tokens, so the cost is not known\n")

    def test_a_person_may_raise_the_limit(self):
        script = self.file("s.jsonl", "".join(json.dumps(line) + "\n" for line in (TURN, END)))
        agent = self.json("a.json", {**SPENDER, "limits": {"money": 600}, "on_exhausted": "ask"})
        status, line, err = self.line_of("run", agent, "--model", "scripted:" + script, *self.prices, *self.kept)
        self.assertEqual((status, line["pending"]), (75, ["budget"]), err)
        status, line, err = self.line_of("resume", *self.kept, "--raise", "money=1000")
        self.assertEqual((status, line["return"], line["usage"]["money"]), (0, 7, 1200), err)

    def test_a_later_process_may_have_other_prices_and_a_lower_limit(self):
        script = self.file("s.jsonl", "".join(json.dumps(line) + "\n" for line in (TURN, END)))
        agent = self.json("a.json", {**SPENDER, "limits": {"money": 600}, "on_exhausted": "ask"})
        self.line_of("run", agent, "--model", "scripted:" + script, *self.prices, *self.kept)
        free = self.json("free.json", {"*": {}})
        status, line, err = self.line_of("resume", *self.kept, "--prices", free, "--limit", "money=500",
                                         "--raise", "money=50")
        self.assertEqual((status, line["pending"]), (75, ["budget"]), (line, err))   # 600 are spent of 550
        status, line, err = self.line_of("resume", *self.kept, "--prices", free, "--raise", "money=100")
        self.assertEqual((status, line["return"], line["usage"]["money"]), (0, 7, 600), (line, err))

    def test_what_only_the_worker_of_a_queue_can_say_is_refused_by_name(self):
        agent = self.json("a.json", SPENDER)
        self.assertEqual(ptcvm("enqueue", "--agent", agent, *self.kept)[0], 0)
        for words in (self.prices, ("--limit", "money=5"), ("--rate", "60"), ("--tool", "quote=true"),
                      ("--model", "chat:m")):
            status, out, err = ptcvm("agent", "resume", *self.kept, *words, "--say", "Hurry.")
            self.assertEqual((status, out), (65, ""), (words, err))
            self.assertIn(f"its worker has the model, the tools and the limits; leave {words[0]} out", err)
        self.assertNotIn("Hurry", ptcvm("journal", "export", *self.kept)[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
