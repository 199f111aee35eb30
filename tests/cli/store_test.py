"""Runs that a store keeps: what survives a process, what is asked, what others say."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm

# Writes down every call with its key, then answers; waits while the file `hold` is there.
TOOL = """#!/bin/sh
cat > /dev/null
echo "$PTCVM_IDEMPOTENCY_KEY" >> {ledger}
while [ -e {hold} ]; do sleep 0.05; done
echo '"tx"'
"""


class StoreTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder.name, "runs.db")
        self.ledger = os.path.join(self.folder.name, "ledger")
        self.hold = os.path.join(self.folder.name, "hold")
        self.tool = self.file("tool.sh", TOOL.format(ledger=self.ledger, hold=self.hold))
        os.chmod(self.tool, 0o755)

    def arguments(self, source, effect="keyed", tools=("pay",), more=()):
        out = ["run", self.file("program.ptc", source), "--store", self.store, "--id", "r"]
        for tool in tools:
            out += ["--tool", f"{tool}={self.tool}", "--tool-effect", f"{tool}={effect}"]
        return out + list(more)

    def run_it(self, source, **options):
        return ptcvm(*self.arguments(source, **options))

    def ask_store(self, *command):
        return ptcvm(*command[:2] if command[0] in ("journal", "doubt") else command[:1], "--store", self.store,
                     *command[2 if command[0] in ("journal", "doubt") else 1:])

    def calls(self):
        if not os.path.exists(self.ledger):
            return []
        with open(self.ledger, encoding="utf-8") as file:
            return file.read().split()

    def kill_in_call(self, source, **options):
        """Starts the run and kills its process while a tool is being called."""
        open(self.hold, "w", encoding="utf-8").close()
        before = len(self.calls())
        process = subprocess.Popen([PTCVM, *self.arguments(source, **options)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while len(self.calls()) == before:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.remove(self.hold)

    def state(self):
        status, out, err = self.ask_store("runs", "--json")
        self.assertEqual(status, 0, err)
        return json.loads(out)["state"]


class DurableRunTest(StoreTest):
    PAY = '(task "a" (tool/pay {:n 1}))'

    def test_the_same_command_again_gives_the_value_of_a_run_that_has_ended(self):
        self.assertEqual(self.run_it(self.PAY), (0, '"tx"\n', ""))
        self.assertEqual(self.run_it(self.PAY), (0, '"tx"\n', ""))
        self.assertEqual(self.calls(), ["r/task:a#0"])
        self.assertEqual(self.state(), "ended ok")

    def test_a_run_that_failed_is_tried_again_without_repeating_its_calls(self):
        source = '(do (task "a" (tool/pay {:n 1})) (tool/pay {:n 2}) (+ 1 "x"))'
        for _ in range(3):
            self.assertEqual(self.run_it(source)[0], 1)
        self.assertEqual(self.calls(), ["r/task:a#0", "run:r@1#0"])

    def test_again_is_a_new_turn(self):
        source = '[(task "a" (tool/pay {:n 1})) (tool/pay {:n 2})]'
        self.run_it(source)
        self.run_it(source, more=["--again"])
        self.assertEqual(self.calls(), ["r/task:a#0", "run:r@1#0", "run:r@2#0"])

    def test_values_in_every_form(self):
        self.assertEqual(self.run_it("{:a [1 2]}", more=["--output", "json"])[1], '{"a":[1,2]}\n')
        self.assertEqual(self.run_it("{:a [1 2]}", more=["--output", "json"])[1], '{"a":[1,2]}\n')
        self.assertEqual(self.run_it("{:a [1 2]}")[1], "{:a [1 2]}\n")

    def test_a_killed_unsafe_call_waits_for_a_person(self):
        self.kill_in_call(self.PAY, effect="unsafe")
        self.assertEqual(self.state(), "interrupted")
        for _ in range(2):
            status, out, err = self.run_it(self.PAY, effect="unsafe")
            self.assertEqual(status, 75, err)
            answer = json.loads(out)
            self.assertEqual(answer["status"], "in_doubt")
            self.assertEqual(answer["doubts"], [{"run": "r", "key": "r/task:a#0", "tool": "pay", "args": {"n": 1},
                                                 "effect": "unsafe", "task": "a", "attempt": 1}])
            self.assertIn("--did-not", err)
        self.assertEqual(self.state(), "in doubt")
        self.assertEqual(len(self.calls()), 1)
        self.assertEqual(self.ask_store("doubt", "settle", "r", "--happened", '"mine"'), (0, "", ""))
        self.assertEqual(self.state(), "woken")
        self.assertEqual(self.run_it(self.PAY, effect="unsafe")[1], '"mine"\n')
        self.assertEqual(len(self.calls()), 1)

    def test_a_doubt_can_be_seen_and_settled_before_the_run_goes_on(self):
        self.kill_in_call(self.PAY, effect="unsafe")
        status, out, _ = self.ask_store("doubt", "list", "--json")
        self.assertEqual((status, json.loads(out)["key"]), (0, "r/task:a#0"))
        self.assertEqual(self.ask_store("doubt", "settle", "r", "r/task:a#0", "--did-not")[0], 0)
        self.assertEqual(self.ask_store("doubt", "settle", "r", "r/task:a#0", "--did-not")[0], 65)
        self.assertEqual(self.run_it(self.PAY, effect="unsafe")[:2], (0, '"tx"\n'))
        self.assertEqual(len(self.calls()), 2)

    def test_a_call_that_is_given_up_fails(self):
        self.kill_in_call(self.PAY, effect="unsafe")
        self.assertEqual(self.ask_store("doubt", "settle", "r", "--give-up")[0], 0)
        status, _, err = self.run_it(self.PAY, effect="unsafe")
        self.assertEqual(status, 1)
        self.assertIn("given up", err)

    def test_a_killed_keyed_call_is_made_again_with_its_key(self):
        self.kill_in_call(self.PAY)
        self.assertEqual(self.run_it(self.PAY)[:2], (0, '"tx"\n'))
        self.assertEqual(self.calls(), ["r/task:a#0", "r/task:a#0"])

    def test_a_reconcilable_tool_is_asked(self):
        command = self.file("ask.sh", '#!/bin/sh\ncat > /dev/null\necho \'{"happened": true, "value": "old"}\'\n')
        os.chmod(command, 0o755)
        more = ["--tool-reconcile", f"pay={command}"]
        self.kill_in_call(self.PAY, effect="reconcilable", more=more)
        self.assertEqual(self.run_it(self.PAY, effect="reconcilable", more=more)[:2], (0, '"old"\n'))
        self.assertEqual(len(self.calls()), 1)

    def test_one_process_executes_a_run(self):
        open(self.hold, "w", encoding="utf-8").close()
        process = subprocess.Popen([PTCVM, *self.arguments(self.PAY)], stdout=subprocess.PIPE, text=True)
        while not self.calls():
            time.sleep(0.01)
        self.assertEqual(self.state(), "running")
        status, out, err = self.run_it(self.PAY)
        self.assertEqual((status, out), (69, ""))
        self.assertRegex(err, "is being executed by .*; wait until it is done, or stop that process, and give the ")
        os.remove(self.hold)
        self.assertEqual(process.communicate()[0], '"tx"\n')
        self.assertEqual(len(self.calls()), 1)

    def test_what_the_store_keeps_is_not_taken_from_files(self):
        journal = self.file("journal.edn", "{}")
        self.assertEqual(self.run_it("1", more=["--journal", journal])[0], 2)
        self.assertEqual(ptcvm("run", self.file("p.ptc", "1"), "--store", self.store)[0], 2)

    def test_unknown_effect_classes_and_tools_are_refused(self):
        self.assertEqual(self.run_it("1", effect="sometimes")[0], 65)
        self.assertEqual(self.run_it("1", tools=(), more=["--tool-effect", "pay=pure"])[0], 65)

    def test_data_is_kept_for_those_who_go_on(self):
        data = self.file("data.json", '{"n": 7}')
        source = '(do (await-signal "go") (inc data/n))'
        self.assertEqual(self.run_it(source, tools=(), more=["--data", data, "--fuel", "5000"])[0], 75)
        self.ask_store("journal", "put", "r", "go", "1")
        self.assertEqual(self.ask_store("resume", "r"), (0, "8\n", ""))

    def test_what_was_parked_goes_on_and_says_so_when_the_source_is_another_one(self):
        status, _, err = self.run_it('(await-signal "go")', tools=())
        self.assertEqual((status, "warning" in err), (75, False))
        status, _, err = self.run_it("(+ 1 2)", tools=())
        self.assertEqual(status, 75)
        self.assertIn("the program that was parked goes on", err)


class AnswersTest(StoreTest):
    SOURCE = '(await (tool/ask {:q "x"}))'
    MORE = {"tools": (), "more": ["--async-tool", "ask"]}

    def test_an_answer_is_taken_once(self):
        self.assertEqual(self.run_it(self.SOURCE, **self.MORE)[0], 75)
        self.assertEqual(self.ask_store("resolve", "r", "op1", '{"a": 1}'), (0, "", ""))
        self.assertEqual(self.ask_store("resolve", "r", "op1", '{"a": 1}'), (0, "", ""))
        status, _, err = self.ask_store("resolve", "r", "op1", '{"a": 2}')
        self.assertEqual(status, 65)
        self.assertIn("already_resolved", err)
        self.assertEqual(self.ask_store("resume", "r", "--async-tool", "ask"), (0, '{"a" 1}\n', ""))

    def test_an_operation_that_nobody_knows_is_refused(self):
        self.run_it(self.SOURCE, **self.MORE)
        status, _, err = self.ask_store("resolve", "r", "op7", "1")
        self.assertEqual(status, 65)
        self.assertIn("op1 (ask)", err)
        self.assertEqual(self.ask_store("resolve", "nobody", "op1", "1")[0], 65)
        self.assertEqual(self.ask_store("resolve", "r", "op1", "{")[0], 65)
        self.assertEqual(self.ask_store("resolve", "r", "op1")[0], 2)

    def test_failures_and_answers_while_going_on(self):
        source = "(map :status (await-settled [(tool/ask {:q 1}) (tool/ask {:q 2})]))"
        self.run_it(source, **self.MORE)
        self.assertEqual(self.ask_store("resolve", "r", "op1", "--fail", "busy")[0], 0)
        self.assertEqual(self.ask_store("resume", "r", "--async-tool", "ask", "--resolve", "op2=1"),
                         (0, "[:error :ok]\n", ""))

    def test_a_tool_without_a_command_needs_no_option(self):
        self.run_it(self.SOURCE, **self.MORE)
        self.assertEqual(self.ask_store("resume", "r")[0], 75)
        self.assertEqual(self.state(), "waiting")

    def test_a_run_that_nobody_began_cannot_go_on(self):
        self.assertEqual(self.ask_store("resume", "r")[0], 65)
        self.ask_store("journal", "put", "r", "x", "1", "--force")
        self.assertEqual(self.ask_store("resume", "r")[0], 65)


class SignalTest(StoreTest):
    """A signal has one answer, by its own name or by the operation that waits for it."""
    SOURCE = '(await-signal "decision")'
    PUT = ("journal", "put", "r", "decision")
    RESOLVE = ("resolve", "r", "op1")

    def test_the_first_answer_counts_by_whatever_name(self):
        for first, second in ((self.PUT, self.RESOLVE), (self.RESOLVE, self.PUT)):
            with self.subTest(first=first[0]):
                self.store += "x"
                self.assertEqual(self.run_it(self.SOURCE)[0], 75)
                self.assertEqual(self.ask_store(*first, '"rejected"', "--by", "ann"), (0, "", ""))
                self.assertEqual(self.ask_store(*second, '"rejected"')[0], 0)
                status, _, err = self.ask_store(*second, '"approved"')
                self.assertEqual(status, 65)
                self.assertIn("already_resolved", err)
                self.assertIn('"rejected"', err)
                self.assertIn("ann", err)
                self.assertEqual(self.run_it(self.SOURCE), (0, '"rejected"\n', ""))
                self.assertEqual(self.run_it('[1 (await-signal "decision")]'), (0, '[1 "rejected"]\n', ""))

    def test_a_failure_is_an_answer(self):
        self.run_it(self.SOURCE)
        self.assertEqual(self.ask_store(*self.RESOLVE, "--fail", "on leave")[0], 0)
        status, _, err = self.ask_store(*self.PUT, '"approved"')
        self.assertEqual(status, 65)
        self.assertIn("already_resolved: decision was answered before", err)
        self.assertIn("on leave", err)
        self.assertEqual(self.run_it(self.SOURCE)[0], 1)
        self.assertEqual(self.run_it(self.SOURCE)[0], 75)
        self.assertEqual(self.ask_store(*self.PUT, '"approved"')[0], 0)
        self.assertEqual(self.run_it(self.SOURCE), (0, '"approved"\n', ""))

    def test_of_two_at_once_one_is_refused(self):
        for round in range(20):
            self.store += "x"
            self.run_it(self.SOURCE)
            both = [subprocess.Popen([PTCVM, *words[:n], "--store", self.store, *words[n:], value],
                                     stderr=subprocess.DEVNULL)
                    for words, n, value in ((self.PUT, 2, '"a"'), (self.RESOLVE, 1, '"b"'))]
            ends = [process.wait() for process in both]
            self.assertEqual(sorted(ends), [0, 65])
            self.assertEqual(self.run_it(self.SOURCE)[1], '"a"\n' if ends[0] == 0 else '"b"\n')

    def test_an_operation_that_the_run_has_not_named_yet_cannot_be_answered(self):
        open(self.hold, "w", encoding="utf-8").close()
        process = subprocess.Popen([PTCVM, *self.arguments('[(tool/pay {}) (await-signal "decision")]')],
                                   stdout=subprocess.DEVNULL)
        while not self.calls():
            time.sleep(0.01)
        status, _, err = self.ask_store(*self.RESOLVE, '"approved"')
        self.assertEqual(status, 65)
        self.assertIn("op1", err)
        os.remove(self.hold)
        self.assertEqual(process.wait(), 75)


class ClaimTest(StoreTest):
    def test_a_living_process_keeps_its_run(self):
        open(self.hold, "w", encoding="utf-8").close()
        process = subprocess.Popen([PTCVM, *self.arguments('(task "a" (tool/pay {}))')], stdout=subprocess.PIPE)
        while not self.calls():
            time.sleep(0.01)
        status, _, err = self.ask_store("resume", "r", "--after", "86400001", "--tool", f"pay={self.tool}",
                                        "--tool-effect", "pay=keyed")
        self.assertEqual(status, 69, err)
        os.remove(self.hold)
        self.assertEqual(process.communicate()[0], b'"tx"\n')
        self.assertEqual(len(self.calls()), 1)


class KeyTest(StoreTest):
    def key(self, run, task):
        arguments = self.arguments(f'(task "{task}" (tool/pay {{}}))')
        arguments[arguments.index("--id") + 1] = run
        self.assertEqual(ptcvm(*arguments)[0], 0)
        return self.calls()[-1]

    def test_no_two_runs_have_equal_keys(self):
        pairs = [("a", "b/task:c"), ("a/task:b", "c"), ("a~1task:b", "c"), ("r/task:t", "x"), ("run:r", "t@1")]
        self.assertEqual(len({self.key(*pair) for pair in pairs}), len(pairs))
        self.assertEqual(self.key("order-42", "b/c"), "order-42/task:b/c#0")


class JournalTest(StoreTest):
    def test_show_in_every_form(self):
        self.run_it('(do (task "a" (tool/pay {:n 1})) (task "b" {:x [1 2]}))')
        self.assertIn("r/task:a#0", self.ask_store("journal", "show", "r")[1])
        self.assertEqual(self.ask_store("journal", "show", "r", "--edn")[1], '{"a" "tx" "b" {:x [1 2]}}\n')
        shown = json.loads(self.ask_store("journal", "show", "r", "--json")[1])
        self.assertEqual(shown["tasks"][1], {"id": "b", "value": {"x": [1, 2]}, "edn": "{:x [1 2]}", "from": "program"})
        self.assertEqual(shown["effects"][0]["state"], "committed")
        kinds = [json.loads(line)["kind"] for line in self.ask_store("journal", "show", "r", "--facts")[1].splitlines()]
        self.assertEqual(kinds, ["run_started", "intent", "effect_settled", "task_committed", "task_committed",
                                 "turn_ended"])

    def test_the_mission_log_says_who_said_it(self):
        self.run_it('(task "a" 1)')
        self.ask_store("journal", "put", "r", "manager_decision", '"approved"', "--by", "boss", "--force")
        self.assertEqual(self.ask_store("journal", "log", "r")[1],
                         '## Mission Log (Completed Tasks)\n- [done] a: 1\n'
                         '- [done] manager_decision: "approved" (from boss)\n')

    def test_the_first_value_stays(self):
        put = lambda *more: self.ask_store("journal", "put", "r", "d", *more)
        self.assertEqual(put("1", "--by", "ann", "--force")[0], 0)
        self.assertEqual(put("1")[0], 0)
        status, _, err = put("2")
        self.assertEqual(status, 65)
        self.assertIn("said by ann", err)
        self.assertEqual(put("2", "--instead-of", "7")[0], 65)
        self.assertEqual(put("2", "--instead-of", "1")[0], 0)
        self.assertEqual(put(":k", "--edn", "--instead-of", "2")[0], 0)
        self.assertEqual(self.ask_store("journal", "show", "r", "--edn")[1], '{"d" :k}\n')

    def test_a_reset_wants_a_reason_where_calls_had_effects(self):
        source = '(task "a" (tool/pay {:n 1}))'
        self.run_it(source)
        self.assertEqual(self.ask_store("journal", "reset", "r", "b")[0], 65)
        self.assertEqual(self.ask_store("journal", "reset", "r", "a")[0], 65)
        self.assertEqual(self.ask_store("journal", "reset", "r", "a", "--reason", "refunded")[0], 0)
        self.assertEqual(self.run_it(source)[0], 0)
        self.assertEqual(self.calls(), ["r/task:a#0", "r/task:a#0@2"])
        self.assertIn("refunded", self.ask_store("journal", "export", "r")[1])

    def test_strict_resets(self):
        source = '(do (task "a" (tool/pay {:n 1})) (task-reset "a"))'
        status, _, err = self.run_it(source, more=["--strict-resets"])
        self.assertEqual(status, 1)
        self.assertIn("reset_needs_reason", err)

    def test_a_log_goes_to_another_store_and_on_from_there(self):
        source = '(do (task "a" (tool/pay {:n 1})) (await-signal "go"))'
        self.assertEqual(self.run_it(source)[0], 75)
        exported = self.file("log.jsonl", self.ask_store("journal", "export", "r")[1])
        other = os.path.join(self.folder.name, "other.db")
        self.assertEqual(ptcvm("journal", "import", "--store", other, "r", exported), (0, "", ""))
        self.assertEqual(ptcvm("journal", "import", "--store", other, "r", exported)[0], 65)
        self.assertEqual(ptcvm("journal", "put", "--store", other, "r", "go", "5")[0], 0)
        arguments = [other if word == self.store else word for word in self.arguments(source)]
        self.assertEqual(ptcvm(*arguments), (0, "5\n", ""))
        self.assertEqual(len(self.calls()), 1)

    def test_lines_that_are_no_facts_are_refused(self):
        for line in ("[]", '{"seq":1}', '{"seq":2,"kind":"turn_ended","author":"host"}',
                     '{"seq":1,"kind":"nothing","author":"host"}',
                     '{"seq":1,"kind":"turn_ended","author":"host","x":1}'):
            status, _, err = self.ask_store("journal", "import", "r", self.file("bad.jsonl", line + "\n"))
            self.assertEqual(status, 65, line)
            self.assertIn("line 1", err)

    def test_progress(self):
        plan = self.file("plan.edn", '["Pay" "Ship"]')
        self.run_it('(step-done "1" "paid")', more=["--plan", plan])
        self.assertIn("- [x] **1.** Pay — paid\n- [ ] **2.** Ship", self.ask_store("progress", "r")[1])
        self.assertEqual(json.loads(self.ask_store("progress", "r", "--json")[1])["summaries"],
                         [{"id": "1", "summary": "paid"}])
        other = self.file("other.edn", '["Ship"]')
        self.assertEqual(self.run_it("1", more=["--plan", other])[0], 65)

    def test_a_store_that_is_not_there(self):
        for command in (["runs"], ["journal", "show", "r"], ["doubt", "list"], ["progress", "r"], ["resume", "r"]):
            self.assertEqual(self.ask_store(*command)[0], 65, command)
        self.assertFalse(os.path.exists(self.store))

    def test_a_file_that_is_no_store(self):
        self.store = self.file("text.db", "this is no database, whatever it is called" * 100)
        status, _, err = self.ask_store("runs")
        self.assertEqual(status, 65)
        self.assertIn("store_", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
