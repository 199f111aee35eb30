#!/usr/bin/env python3
"""run, eval and resume: a program is suspended in one process and goes on in others.

usage: resume_test.py PTCVM   (the program under test)"""
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import unittest

from ptcvm_process import SnapshotTest, ptcvm, without_next_commands

TWO_CALLS = """(println "asked")
(let [a (tool/call {:to "Alice"}) b (tool/call {:to "Bob"})]
  (str (await a) " and " (await b)))
"""
TOOL = SnapshotTest.TOOL


class ResumeTest(SnapshotTest):
    def park(self, source=TWO_CALLS, *options, **more):
        return super().park(source, *options, **more)

    def pending(self, out):
        line = json.loads(out.splitlines()[-1])
        self.assertEqual(line["status"], "suspended")
        return [operation["op"] for operation in line["pending"]]


class Suspending(ResumeTest):
    def test_the_last_line_says_what_it_waits_for(self):
        source = '(println "out") (let [a (tool/call {:to "Ann" :n [1 nil :k]})] (await a {:timeout-ms 5000}))'
        status, out, err = ptcvm("eval", source, *TOOL, "--snapshot", self.path("s"))
        self.assertEqual((status, without_next_commands(err)), (75, "out\n"))
        line = json.loads(out.splitlines()[-1])
        self.assertEqual(sorted(line), ["pending", "status"])
        (operation,) = line["pending"]
        self.assertEqual(sorted(operation), ["args", "deadline", "op", "since", "tool"])
        self.assertEqual((operation["op"], operation["tool"], operation["args"]),
                         ("op1", "call", {"to": "Ann", "n": [1, None, "k"]}))
        self.assertGreaterEqual(operation["deadline"] - operation["since"], 5000)   # it was awaited later than begun

    def test_operation_ids_need_no_quoting(self):
        source = "(await-all (pmap (fn [n] (tool/call {:n n})) (range 3))) "
        source += '(task "a b" (pmap (fn [n] (pmap (fn [k] (await (tool/call {:n [n k]}))) [1 2])) [1 2]))'
        state = self.path("s")
        _, out, _ = ptcvm("eval", source, *TOOL, "--snapshot", state, "--journal", self.file("j.edn", "{}"))
        first = self.pending(out)
        _, out, _ = ptcvm("resume", state, *TOOL, "--snapshot", state,
                          *itertools.chain(*(("--resolve", op + "=1") for op in first)))
        ids = first + self.pending(out)
        self.assertEqual(len(set(ids)), 7)
        for operation in ids:
            self.assertEqual(shlex.quote(operation), operation)
            echoed = subprocess.run(["sh", "-c", "echo " + operation + "=1"], capture_output=True, text=True).stdout
            self.assertEqual(echoed, operation + "=1\n")

    def test_the_snapshot_is_for_its_owner_only(self):
        state = self.park()
        self.assertEqual(os.stat(state).st_mode & 0o777, 0o600)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["program.ptc", "state.ptcs"])

    def test_nothing_is_written_when_the_program_ends(self):
        state = self.path("s")
        self.assertEqual(ptcvm("eval", "(+ 1 2)", "--snapshot", state), (0, "3\n", ""))
        self.assertFalse(os.path.exists(state))

    def test_devices_and_pipes_stay_what_they_are(self):
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
        self.assertEqual(ptcvm("eval", "(await (tool/call))", *TOOL, "--snapshot", pipe)[0], 75)
        self.assertIn(b"ptcs", reader.communicate(timeout=240)[0])
        self.assertEqual(os.listdir(self.folder.name), ["pipe"])
        self.assertEqual(ptcvm("eval", "(await (tool/call))", *TOOL, "--snapshot", "-")[0], 2)

    def test_where_it_cannot_be_written(self):
        self.assertEqual(ptcvm("eval", "(await (tool/call))", *TOOL, "--snapshot", self.folder.name)[0], 65)
        self.assertEqual(os.listdir(self.folder.name), [])
        status, out, err = ptcvm("eval", "(await (tool/call))", *TOOL, "--snapshot", self.path("no/such/folder"))
        self.assertEqual((status, out), (65, ""))
        self.assertIn("cannot write", err)


class Resuming(ResumeTest):
    def resume(self, state, *arguments):
        return ptcvm("resume", state, *TOOL, *arguments)

    def test_all_answers_at_once_in_any_order(self):
        state = self.park()
        before = self.bytes_of(state)
        for order in (("op1=\"A\"", "op2=\"B\""), ("op2=\"B\"", "op1=\"A\"")):
            self.assertEqual(self.resume(state, "--resolve", order[0], "--resolve", order[1]),
                             (0, '"A and B"\n', ""))
        self.assertEqual(self.bytes_of(state), before)

    def test_one_answer_after_the_other(self):
        for first, second in (("op1=\"A\"", "op2=\"B\""), ("op2=\"B\"", "op1=\"A\"")):
            state = self.park()
            status, out, err = self.resume(state, "--resolve", first, "--snapshot", state)
            self.assertEqual((status, without_next_commands(err)), (75, ""))
            self.assertEqual(self.pending(out), [second[:3]])
            self.assertEqual(self.resume(state, "--resolve", second, "--snapshot", state), (0, '"A and B"\n', ""))

    def test_every_order_of_four_answers_gives_the_same(self):
        source = "(let [hs (mapv (fn [n] (tool/call {:n n})) (range 4))] [(await-all hs) (await-settled hs)])"
        state = self.park(source)
        results = set()
        for order in itertools.permutations(range(1, 5)):
            step = state
            for number in order:
                after = self.path("after.ptcs")
                answer = "op%d=%d" % (number, 10 * number)
                status, out, err = self.resume(step, "--resolve", answer, "--snapshot", after)
                step = after
            self.assertEqual((status, err), (0, ""))
            results.add(out)
        self.assertEqual(len(results), 1)
        self.assertIn("[10 20 30 40]", results.pop())

    def test_an_answer_from_a_file(self):
        state = self.park("(count (await (tool/call)))")
        answer = self.file("answer.json", json.dumps("x" * 200_000))
        self.assertEqual(self.resume(state, "--resolve", "op1=@" + answer), (0, "200000\n", ""))
        status, _, err = self.resume(state, "--resolve", "op1=@" + self.path("missing"))
        self.assertEqual(status, 65)
        self.assertIn("cannot read", err)
        huge = self.file("huge.json", json.dumps("x" * 2_000_000))
        status, _, err = self.resume(state, "--resolve", "op1=@" + huge)
        self.assertEqual(status, 65)
        self.assertIn("result_too_large", err)
        status, _, err = self.resume(state, "--resolve", "op1=@" + self.file("bad.json", '{"a"'))
        self.assertEqual(status, 65)
        self.assertIn("must be JSON", err)

    def test_failing_and_cancelling(self):
        state = self.park("(await-settled [(tool/call {:n 1}) (tool/call {:n 2}) (tool/call {:n 3})])")
        status, out, err = self.resume(state, "--fail", "op1=line is busy", "--cancel", "op2=too late",
                                       "--resolve", 'op3={"n": [1.5, null]}')
        self.assertEqual((status, err), (0, ""))
        for part in ("line is busy", "too late", '{:status :ok :value {"n" [1.5 nil]}}'):
            self.assertIn(part, out)
        text = self.resume(state, "--fail", 'op1="said \\"no\\""', "--cancel", "op2", "--resolve", "op3=3")[1]
        self.assertIn('said \\"no\\"', text)
        status, out, err = self.resume(self.park(), "--fail", "op1=line is busy", "--resolve", "op2=2")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("error[tool_error]: Tool 'call' failed: line is busy (pending op1)", err)
        self.assertIn("program.ptc:3:8", err)
        status, _, err = self.resume(self.park(), "--cancel", "op1=gave up", "--resolve", "op2=2")
        self.assertEqual(status, 1)
        self.assertIn("error[await_cancelled]: op1 (call) was cancelled: gave up", err)

    def test_the_same_again_changes_nothing(self):
        state, once, twice = self.park(), self.path("once"), self.path("twice")
        self.assertEqual(self.resume(state, "--resolve", "op2=[1, {}]", "--snapshot", once)[0], 75)
        self.assertEqual(self.resume(once, "--resolve", "op2=[1,{ }]", "--snapshot", twice)[0], 75)
        texts = [json.loads(ptcvm("snapshot", "json", path)[1]) for path in (once, twice)]
        for text in texts:
            text["used"].pop("memory_bytes_peak")     # the value was in memory once more before it was compared
        self.assertEqual(*texts)
        self.assertEqual(self.resume(once, "--resolve", "op1=0", "--resolve", "op2=[1,{}]")[0], 0)

    def test_something_else_is_refused_by_name(self):
        state, once, never = self.park(), self.path("once"), self.path("never")
        self.resume(state, "--resolve", "op2=1", "--snapshot", once)
        for arguments in (["--resolve", "op2=2"], ["--resolve", "op2=1.0"], ["--fail", "op2=no"], ["--cancel", "op2"]):
            status, out, err = self.resume(once, *arguments, "--snapshot", never)
            self.assertEqual((status, out), (65, ""))
            self.assertIn('already_resolved: operation "op2"', err)
        status, _, err = self.resume(state, "--resolve", "op1=1", "--resolve", "op1=2", "--snapshot", never)
        self.assertEqual(status, 65)
        self.assertIn("already_resolved", err)
        status, _, err = self.resume(state, "--resolve", "op1=1", "--resolve", "op7=2", "--snapshot", never)
        self.assertEqual(status, 65)
        self.assertIn('unknown_operation: operation "op7" is unknown. Known: op1 (call), op2 (call)', err)
        self.assertFalse(os.path.exists(never))

    def test_arguments_that_make_no_sense(self):
        state = self.park()
        for arguments, status, words in ((["--resolve", "op1"], 65, "--resolve op1: OP=JSON is wanted"),
                                         (["--resolve", "op1={"], 65, "must be JSON"),
                                         (["--resolve", "op1="], 65, "must be JSON"),
                                         (["--fail", "op1"], 65, "OP=REASON is wanted"),
                                         (["--fail", "op1="], 65, "OP=REASON is wanted"),
                                         (["--after", "-1"], 2, "--after"),
                                         (["--after", "soon"], 2, "--after"),
                                         (["--expect-sequence", "1"], 2, "requires --keys"),
                                         (["--tenant", "acme"], 2, "without --keys or --store"),
                                         (["--expect-run", "run"], 2, "requires --keys"),
                                         (["--surprise"], 2, "--surprise")):
            done = self.resume(state, *arguments)
            self.assertEqual((done[0], done[1]), (status, ""), arguments)
            self.assertIn(words, done[2])

    def test_waiting_again_needs_a_place(self):
        state = self.park()
        before = self.bytes_of(state)
        status, out, err = self.resume(state, "--resolve", "op2=1")
        self.assertEqual((status, out), (65, ""))
        self.assertIn("no --snapshot to keep its state in", err)
        self.assertIn(f"Give the command again with --snapshot {state}\n", err)
        self.assertEqual(self.bytes_of(state), before)

    def test_a_program_that_got_no_answer_says_which_commands_answer_it(self):
        state = self.park()
        status, out, err = self.resume(state)
        self.assertEqual((status, out), (65, ""))
        self.assertIn(", or an answer: the program waits for:\n  op1: call", err)
        self.assertIn(f"      ptcvm resume {state} --resolve op1=JSON --resolve op2=JSON --snapshot {state}", err)

    def test_the_name_of_a_run_without_its_store_is_refused_with_the_option(self):
        status, out, err = ptcvm("resume", self.path("may"))
        self.assertEqual((status, out), (65, ""))
        self.assertIn("No such file or directory; a run that a store keeps needs --store FILE.db, too\n", err)

    def test_without_news_it_waits_as_before(self):
        state, after = self.park(), self.path("after")
        status, out, err = self.resume(state, "--snapshot", after)
        self.assertEqual((status, without_next_commands(err), self.pending(out)), (75, "", ["op1", "op2"]))
        self.assertEqual(self.bytes_of(after), self.bytes_of(state))

    def test_time_that_passed(self):
        state = self.park("(sleep 86400000) :woke", tools=())
        self.assertEqual(ptcvm("resume", state, "--snapshot", self.path("s2"))[0], 75)
        self.assertEqual(ptcvm("resume", state, "--after", "86400000"), (0, ":woke\n", ""))
        state = self.park("(await (tool/call) {:timeout-ms 60000 :default :late})")
        self.assertEqual(self.resume(state, "--after", "60000")[:2], (0, ":late\n"))

    def test_signals(self):
        state = self.park('(await-signal "go")', tools=())
        status, out, _ = ptcvm("resume", state, "--resolve", "op1={\"speed\": 2}")
        self.assertEqual((status, out), (0, '{"speed" 2}\n'))

    def test_prints_are_told_once(self):
        source = '(println 1) (let [x (await (tool/call))] (println 2) x)'
        state = self.path("s")
        err = ptcvm("eval", source, *TOOL, "--snapshot", state)[2]
        self.assertEqual(without_next_commands(err), "1\n")
        self.assertEqual(self.resume(state, "--resolve", "op1=5"), (0, "5\n", "2\n"))

    def test_tools_are_called_where_it_goes_on(self):
        source = "(let [x (await (tool/call {}))] (tool/price {:of x}))"
        log = self.path("log")
        price = ("--tool-shell", "price=cat >> %s; echo 7" % log)
        state = self.park(source, tools=(*TOOL, *price))
        self.assertFalse(os.path.exists(log))
        self.assertEqual(self.resume(state, *price, "--resolve", 'op1="tea"'), (0, "7\n", ""))
        self.assertEqual(self.bytes_of(log).decode().strip(), '{"of":"tea"}')

    def test_output_and_figures(self):
        state = self.park()
        status, out, err = self.resume(state, "--resolve", "op1=1", "--resolve", "op2=2", "--output", "json", "--stats")
        self.assertEqual((status, out), (0, '"1 and 2"\n'))
        self.assertRegex(err, r"^fuel \d+, \d+ us, peak \d+ bytes\n$")

    def test_a_failed_program_ends_with_1(self):
        state = self.park("(fail {:because (await (tool/call))})")
        self.assertEqual(self.resume(state, "--resolve", "op1=1")[:2], (1, "{:because 1}\n"))

    def test_the_json_face_goes_on_as_well(self):
        state = self.park()
        text = self.file("state.json", ptcvm("snapshot", "json", state)[1])
        self.assertEqual(self.resume(text, "--resolve", "op1=1", "--resolve", "op2=2"), (0, '"1 and 2"\n', ""))

    def test_fuel_and_limits_are_those_of_a_straight_run(self):
        source = "(let [x (await (tool/call))] (reduce + (range x)))"
        straight = ptcvm("eval", source, "--async-tool", "call=echo 1000", "--stats")
        state = self.park(source)
        parked = self.resume(state, "--resolve", "op1=1000", "--stats")
        self.assertEqual(straight[1], parked[1])
        fuel = [re.match(r"fuel (\d+),", done[2]).group(1) for done in (straight, parked)]
        self.assertEqual(fuel[0], fuel[1])
        state = self.park(source, "--fuel", "200")
        self.assertIn("fuel_exhausted", self.resume(state, "--resolve", "op1=100000")[2])

    def test_limits_may_be_made_smaller(self):
        source = "(let [x (await (tool/call))] (loop [i 0] (if (< i x) (recur (inc i)) i)))"
        state = self.park(source, "--fuel", "1000")
        done = ("--resolve", "op1=500")
        self.assertEqual(self.resume(state, *done)[:2], (0, "500\n"))
        self.assertEqual(self.resume(state, *done, "--fuel", "1000000")[:2], (0, "500\n"))
        for option, kind in (("--fuel", "fuel_exhausted"), ("--loop-limit", "loop_limit_exceeded")):
            status, out, err = self.resume(state, *done, option, "100")
            self.assertEqual((status, out), (1, ""))
            self.assertIn(f"error[{kind}]", err)
        self.assertIn("fuel_exhausted", self.resume(state, "--resolve", "op1=5000", "--fuel", "1000000")[2])
        self.assertEqual(self.resume(state, *done, "--memory-limit", "100")[0], 65)

    def test_every_limit_may_be_made_smaller(self):
        for source, option, kind in (
                ('(str (await (tool/call)) "cd")', "--string-bytes", "string_limit_exceeded"),
                ('(do (await (tool/call)) (re-find (re-pattern "a+b") "aab"))', "--regex-pattern-bytes",
                 "regex_limit_exceeded"),
                ("(do (await (tool/call)) (pmap inc [1 2 3 4]))", "--parallel-branches", "parallel_capacity_exceeded"),
                ("(do (await (tool/call)) (await (tool/call)))", "--suspensions", "suspension_limit_exceeded")):
            state = self.park(source)
            for limit in ("1", "2"):
                status, _, err = self.resume(state, "--resolve", 'op1="ab"', option, limit, "--snapshot", state + ".2")
                if option == "--suspensions" and limit == "2":
                    self.assertEqual(status, 75, err)
                else:
                    self.assertIn(f"error[{kind}]", err)

    def test_limits_never_become_larger(self):
        state = self.park('(str (await (tool/call)) "cd")', "--string-bytes", "3")
        err = self.resume(state, "--resolve", 'op1="ab"', "--string-bytes", "1000")[2]
        self.assertIn("error[string_limit_exceeded]", err)

    def test_a_snapshot_with_a_limit_out_of_its_range_is_refused(self):
        state = self.park("(await (tool/call))")
        text = ptcvm("snapshot", "json", state)[1]
        broken = state + ".json"
        with open(broken, "w", encoding="utf-8") as out:
            out.write(text.replace('"depth": 2000', '"depth": 0'))
        status, _, err = self.resume(broken, "--resolve", "op1=1")
        self.assertEqual(status, 65)
        self.assertIn("the limit depth must be a whole number from 1 to 4294967295 (calls); found 0", err)


class Refusing(ResumeTest):
    def test_capabilities(self):
        state = self.park()
        answers = ("--resolve", "op1=1", "--resolve", "op2=2")
        status, out, err = ptcvm("resume", state, "--tool", "call=cat", *answers)
        self.assertEqual((status, out), (65, ""))
        self.assertIn("snapshot_refused: tool call was async, now it is sync", err)
        status, out, err = ptcvm("resume", state, *answers)      # nobody has to name a tool without a command
        self.assertEqual((status, out, err), (0, '"1 and 2"\n', ""))
        self.assertEqual(ptcvm("resume", state, *TOOL, "--tool", "more=cat", *answers)[0], 0)

    def test_files_that_are_no_snapshots(self):
        good = self.bytes_of(self.park())
        with open(self.path("cut"), "wb") as file:
            file.write(good[:300])
        for path, words in ((self.path("missing"), "cannot read"), (self.file("empty", ""), "not_a_snapshot"),
                            (self.folder.name, "Is a directory"), (self.file("p.ptc", "(+ 1 2)"), "not_a_snapshot"),
                            (self.file("other.json", "{}"), "not_a_snapshot"), (self.path("cut"), "snapshot_damaged")):
            status, out, err = ptcvm("resume", path, *TOOL, "--resolve", "op1=1")
            self.assertEqual((status, out), (65, ""), path)
            self.assertIn(words, err)

    def test_the_program_may_be_left_out(self):
        whole, state = self.park(), self.park(TWO_CALLS, "--program-by-hash", name="by-hash.ptcs")
        self.assertLess(os.path.getsize(state) + len(TWO_CALLS.encode()), os.path.getsize(whole))   # code, too
        answers = (*TOOL, "--resolve", "op1=1", "--resolve", "op2=2")
        status, _, err = ptcvm("resume", state, *answers)
        self.assertEqual(status, 65)
        self.assertIn("snapshot_missing_program", err)
        self.assertIn("--program FILE", err)
        status, _, err = ptcvm("resume", state, *answers, "--program", self.file("other.ptc", "(+ 1 2)"))
        self.assertEqual(status, 65)
        self.assertIn("other.ptc is another one", err)
        self.assertEqual(ptcvm("resume", state, *answers, "--program", self.path("nowhere.ptc"))[0], 65)
        program = self.path("program.ptc")
        self.assertEqual(ptcvm("resume", state, *answers, "--program", program), (0, '"1 and 2"\n', ""))
        self.assertEqual(ptcvm("compile", program)[0], 0)
        self.assertEqual(ptcvm("resume", state, *answers, "--program", program + "p"), (0, '"1 and 2"\n', ""))
        again = self.path("again")
        self.assertEqual(ptcvm("resume", state, *TOOL, "--resolve", "op1=1", "--program", program, "--program-by-hash",
                               "--snapshot", again)[0], 75)
        self.assertIn("snapshot_missing_program", ptcvm("resume", again, *answers)[2])

    def test_idempotency_keys_name_the_run(self):
        state = self.park(TWO_CALLS, "--run-id", "run-17")
        document = json.loads(ptcvm("snapshot", "json", state)[1])
        self.assertEqual([operation["key"] for operation in document["pending"]], ["run:run-17@1#0", "run:run-17@1#1"])
        self.assertEqual(ptcvm("eval", "1", "--run-id", "")[0], 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
