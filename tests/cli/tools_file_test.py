#!/usr/bin/env python3
"""Tools in files: --tools FILE.

usage: tools_file_test.py PTCVM   (the program under test)"""
import fcntl
import json
import os
import subprocess
import sys
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm

PRICE = [sys.executable, "-c", "import json, os, sys; "
         "print(json.dumps({'price': json.load(sys.stdin)['id'] * 1.5, 'region': os.environ.get('REGION'), "
         "'folder': os.path.basename(os.getcwd())}))"]


class ToolsFile(CommandLineTest):
    def tools(self, *tools, name="tools.json"):
        return self.file(name, json.dumps(list(tools)))

    def refused(self, text, name="tools.json"):
        path = self.file(name, text if isinstance(text, str) else json.dumps(text))
        status, out, err = ptcvm("eval", "1", "--tools", path)
        self.assertEqual((status, out), (65, ""), err)
        return err.removeprefix(f"ptcvm: {path}")

    def test_a_command_has_its_standard_streams_and_no_other_file(self):
        script = self.file("open.sh", 'cat > /dev/null; echo "\\"$(ls /proc/$$/fd | tr "\\n" " ")\\""')
        open_file = fcntl.fcntl(0, fcntl.F_DUPFD, 700)
        self.addCleanup(os.close, open_file)
        done = subprocess.run([PTCVM, "eval", "(tool/t)", "--tool", f"t=sh {script}"], pass_fds=(open_file,),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0", json.loads(done.stdout).split())
        self.assertNotIn(str(open_file), json.loads(done.stdout).split())

    def test_a_tool_has_all_of_its_members(self):
        os.mkdir(os.path.join(self.folder.name, "shop"))
        path = self.tools({"name": "price", "signature": "(id :int) -> {price :float}", "description": "A price",
                           "command": PRICE, "effect": "pure", "mode": "sync", "cache": True, "deadline_ms": 60000,
                           "retry": {"max_attempts": 2, "first_delay_ms": 1}, "environment": {"REGION": "eu"},
                           "folder": "shop"})
        self.assertEqual(ptcvm("eval", "(tool/price {:id 3})", "--tools", path, "--output", "json"),
                         (0, '{"folder":"shop","price":4.5,"region":"eu"}\n', ""))
        status, _, err = ptcvm("eval", '(tool/price {:id "x"})', "--tools", path)
        self.assertEqual(status, 1)
        self.assertIn("price: args.id: expected int, got string", err)

    def test_a_folder_that_is_not_there_is_named(self):
        for process in ("call", "stays"):
            tool = {"name": "price", "command": ["echo", "1"], "folder": "gone"}
            path = self.tools(tool | ({"process": "stays"} if process == "stays" else {}))
            _, _, err = ptcvm("eval", "(tool/price {})", "--tools", path)
            self.assertRegex(err, r"cannot enter the folder \S*gone of echo: No such file or directory")

    def test_edn_and_a_command_as_text(self):
        path = self.file("tools.edn", '{:tools [{:name :one :command "sh -c \'echo 1\'" :effect :pure}]}')
        self.assertEqual(ptcvm("eval", "(tool/one)", "--tools", path), (0, "1\n", ""))

    def test_a_file_has_at_most_a_mebibyte(self):
        self.assertIn("1048576 bytes", self.refused("[" + "[]," * 400_000 + "[]]"))

    def test_options_come_after_files(self):
        path = self.tools({"name": "t", "command": ["echo", "1"]}, {"name": "u", "command": ["echo", "2"]})
        self.assertEqual(ptcvm("eval", "[(tool/t) (tool/u)]", "--tools", path, "--tool", "u=echo 3", "--tool-effect",
                               "t=pure"), (0, "[1 3]\n", ""))

    def test_check_takes_the_file(self):
        path = self.tools({"name": "price", "signature": "(id :int) -> {price :float}", "command": PRICE})
        good, bad = self.file("good.ptc", "(tool/price {:id 3})"), self.file("bad.ptc", "(tool/pice {:id 3})")
        self.assertEqual(ptcvm("check", good, "--tools", path), (0, f"{good}: ok\n", ""))
        status, out, err = ptcvm("check", bad, "--tools", path)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("error[unknown_tool]: Unknown tool: pice. Available tools: price", err)
        self.assertEqual(ptcvm("check", bad, "--tools", path, "--tool", "pice")[0], 0)

    def test_check_refuses_calls_that_run_refuses(self):
        path = self.tools({"name": "price", "signature": "(id :int) -> {price :float}", "command": PRICE})
        source = self.file("p.ptc", "(tool/price 3)")
        checked, ran = (ptcvm(command, source, "--tools", path) for command in ("check", "run"))
        self.assertEqual((checked[0], checked[2]), (1, ran[2]))
        self.assertIn("error[invalid_tool_args]", checked[2])

    def findings(self, path, source):
        status, out, _ = ptcvm("check", "--json", "--tools", path, self.file("p.ptc", source))
        found = json.loads(out)["files"][0]["findings"]
        return status, [(one["line"], one["column"], one["message"]) for one in found if one["severity"] == "error"]

    def test_check_holds_literal_arguments_against_signatures(self):
        path = self.tools({"name": "price", "command": "true",
                           "signature": "(id :int, tags [:string]?, more {n :int}?) -> {price :float}"})
        self.assertEqual(self.findings(path, '(def x 1)\n(tool/price {:id "x"})'),
                         (1, [(2, 18, "price: args.id: expected int, got string")]))
        self.assertEqual(self.findings(path, '(tool/price :id 1 :tags ["a" 2])'),
                         (1, [(1, 25, "price: args.tags[1]: expected string, got int")]))
        self.assertEqual(self.findings(path, "(tool/price {:id 1 :more {:n :k}})\n(tool/price {:tags []})"),
                         (1, [(1, 26, "price: args.more.n: expected int, got keyword"),
                              (2, 1, "price: args.id: expected int, the argument is missing")]))
        self.assertEqual(self.findings(path, "(fn [x] (tool/price {:id x :idd x}))"),
                         (1, [(1, 33, "price: args.idd: unknown argument; known are id, tags, more; did you mean "
                                      "id?")]))
        self.assertEqual(self.findings(path, "(tool/price)"),
                         (1, [(1, 1, "price: args.id: expected int, the argument is missing")]))

    def test_check_takes_arguments_that_may_fit(self):
        path = self.tools({"name": "price", "command": "true", "signature": "(id :int, day :date?) -> :any"},
                          {"name": "any", "command": "true"})
        for source in ("(fn [x] (tool/price {:id x}))", "(fn [m] (tool/price m))", '(tool/price {:id "7"})',
                       "(fn [k] (tool/price {k 1}))", '(tool/price {:id 1 :day "2024-02-29"})',
                       '(tool/any {:id "x"})', "(fn [x] (tool/price {:id [x]}))"):
            with self.subTest(source=source):
                self.assertEqual(self.findings(path, source), (0, []))

    def test_check_refuses_a_wrong_file(self):
        path = self.file("wrong.json", '[{"name": "t", "command": "true", "signature": "(a :foo) -> :any"}]')
        status, out, err = ptcvm("check", self.file("p.ptc", "1"), "--tools", path)
        self.assertEqual((status, out), (65, ""))
        self.assertTrue(err.startswith(f"ptcvm: {path}: tool t: unknown type :foo"), err)

    def batch(self, path, *requests, jobs="1"):
        text = "".join(json.dumps(request) + "\n" for request in requests)
        status, out, err = ptcvm("batch", "--tools", path, "--jobs", jobs, stdin=text)
        self.assertEqual((status, err), (0, ""))
        return [json.loads(line) for line in out.splitlines()]

    def test_batch_calls_the_tools(self):
        path = self.tools({"name": "price", "signature": "(id :int) -> {price :float}", "command": PRICE})
        good, bad = self.batch(path, {"id": 1, "source": "(:price (tool/price {:id 3}))"},
                               {"id": 2, "source": '(tool/price {:id "x"})'})
        self.assertEqual((good["value_edn"], good["tool_calls"][0]["name"]), ("4.5", "price"))
        self.assertEqual(bad["error_kind"], "invalid_tool_args")

    def test_recorded_answers_of_a_request_go_before(self):
        path = self.tools({"name": "t", "command": ["echo", "1"]})
        recorded, live = self.batch(path, {"id": 1, "source": "(tool/t)", "tools": [{"name": "t", "result": 2}]},
                                    {"id": 2, "source": "(tool/t)"})
        self.assertEqual((recorded["value_edn"], live["value_edn"]), ("2", "1"))

    def test_batch_calls_from_fresh_processes(self):
        path = self.tools({"name": "t", "command": ["echo", "1"], "effect": "pure"})
        (answer,) = self.batch(path, {"id": 1, "source": "(+ (tool/t) (tool/t))", "suspend": "every",
                                      "hop": "process"})
        self.assertEqual((answer["value_edn"], answer["suspensions"] > 0), ("2", True))

    def test_batch_calls_a_tool_from_several_threads(self):
        path = self.tools({"name": "t", "command": [sys.executable, "-c", STAYS], "process": "stays"})
        answers = self.batch(path, *({"id": i, "source": f"(last (tool/t {{:n {i}}}))"} for i in range(50)), jobs="3")
        self.assertEqual([answer["value_edn"] for answer in answers], [str(i) for i in range(50)])

    def test_batch_refuses_a_wrong_file(self):
        status, out, err = ptcvm("batch", "--tools", self.file("w.json", '[{"name": "t", "comand": "true"}]'), stdin="")
        self.assertEqual((status, out), (65, ""))
        self.assertIn('there is no member "comand"', err)

    def test_a_store_goes_on_with_the_same_file(self):
        store, path = os.path.join(self.folder.name, "s.db"), self.tools({"name": "ask", "mode": "async"})
        self.assertEqual(ptcvm("eval", "(await (tool/ask))", "--tools", path, "--store", store, "--id", "a")[0], 75)
        self.assertEqual(ptcvm("resume", "--store", store, "a", "--tools", path, "--resolve", "op1=7")[:2], (0, "7\n"))

    def test_a_store_keeps_what_tools_write_to_their_standard_error(self):
        kept = ("--store", os.path.join(self.folder.name, "s.db"))
        path = self.tools(
            {"name": "price", "effect": "keyed", "command": "sh -c 'echo cache is cold >&2; echo 1'"},
            {"name": "flood", "effect": "keyed",
             "command": [sys.executable, "-c", "import sys; sys.stderr.write('x' * 5000 + 'the end'); print(2)"]},
            {"name": "t", "effect": "keyed", "process": "stays", "command": [sys.executable, "-c", STAYS]},
            {"name": "dies", "effect": "unsafe", "command": "sh -c 'echo paying >&2; kill -9 $$'"})
        program = '[(tool/price) (tool/flood) (tool/t {:say "warm \\u001b"}) (task "pay" (tool/dies))]'
        run = ("eval", program, "--tools", path, *kept, "--id", "a")
        self.assertEqual(ptcvm(*run)[0], 75)     # the last call is in doubt
        calls = json.loads(ptcvm("journal", "show", *kept, "a", "--json")[1])["effects"]
        errors = {call["tool"]: call.get("errors") for call in calls}
        self.assertEqual((errors["price"], errors["t"], errors["dies"]), ("cache is cold\n", "warm \x1b\n", "paying\n"))
        self.assertEqual((len(errors["flood"]), errors["flood"][0], errors["flood"][-7:]), (4097, "…", "the end"))
        shown = ptcvm("journal", "show", *kept, "a")[1]
        self.assertIn("wrote to its standard error:\nprice: cache is cold\n", shown)
        self.assertIn("t: warm ?\n", shown)
        mission = ptcvm("journal", "log", *kept, "a")[1]
        self.assertIn("[in doubt] pay: dies {} (it wrote: paying)", mission)
        self.assertIn("paying", ptcvm("doubt", "list", *kept, "a")[1])
        listed = ptcvm("runs", *kept, "--errors")[1]
        self.assertRegex(listed, r"a: the call \S+ wrote to its standard error:\nprice: cache is cold\n")
        self.assertNotIn("cache is cold", ptcvm("runs", *kept)[1])
        line = json.loads(ptcvm("runs", *kept, "--errors", "--json")[1])
        self.assertEqual({each["tool"]: each["text"] for each in line["errors"]}, errors)
        exported = ptcvm("journal", "export", *kept, "a")[1]
        other = ("--store", os.path.join(self.folder.name, "t.db"))
        self.assertEqual(ptcvm("journal", "import", *other, "a", "-", stdin=exported)[0], 0)
        imported = json.loads(ptcvm("journal", "show", *other, "a", "--json")[1])["effects"]
        self.assertEqual([call.get("errors") for call in imported], [call.get("errors") for call in calls])

    def test_a_call_has_a_deadline_of_its_own(self):
        path = self.tools({"name": "slow", "command": ["sleep", "100"], "deadline_ms": 50})
        status, _, err = ptcvm("eval", "(tool/slow)", "--tools", path)
        self.assertEqual(status, 1)
        self.assertIn("error[tool_error]: Tool 'slow' failed: no answer within 50 ms (the deadline of the tool)", err)

    def test_unknown_members_are_refused_by_name(self):
        self.assertTrue(self.refused([{"name": "a", "comand": ["true"]}]).startswith(
            ': tool 1 (a): there is no member "comand"; the members are name, signature, description, command, '))
        self.assertIn('tool 2 (b): retry: there is no member "attempts"',
                      self.refused([{"name": "a", "command": "true"},
                                    {"name": "b", "command": "true", "retry": {"attempts": 2}}]))

    def test_bad_texts_have_a_line_and_a_column(self):
        err = self.refused('[{"name": "é",\n  "command": ["true"],,}]')
        self.assertTrue(err.startswith(":2:23: this is no JSON: "), err)
        self.assertTrue(self.refused("[{:name :a\n :command", "tools.edn").startswith(":2:10: this is no EDN: "))

    def test_wrong_members_say_what_was_found(self):
        tool = {"name": "t", "command": ["true"]}
        for change, message in (
                ({"name": "a b"}, '"name" is not a name of letters, digits, - and _; found "a b"'),
                ({"command": []}, '"command" names no program'),
                ({"command": [1]}, '"command" is not a list of texts, or a text; found [1]'),
                ({"command": None}, '"command" is missing; only a tool of the mode async or auto can do without one'),
                ({"effect": "save"}, '"effect" is not unsafe, pure, idempotent, keyed or reconcilable; found "save"'),
                ({"effect": "reconcilable"}, '"reconcile" and the effect "reconcilable" belong together'),
                ({"mode": "late"}, '"mode" is not sync, async or auto; found "late"'),
                ({"deadline_ms": 0}, '"deadline_ms" is not a whole number from 1 to '),
                ({"environment": {"A": 1}}, '"environment" is not a map of texts; found {"A" 1}'),
                ({"command": ["ec\u0000ho"]}, '"command" has a word with the character NUL'),
                ({"in_flight": 3}, '"in_flight" has no effect without "process": "stays"'),
                ({"signature": "(a :foo) -> :any"}, "tool t: unknown type :foo")):
            with self.subTest(change=change):
                self.assertIn(message, self.refused([{**tool, **change}]))
        self.assertIn("there are two tools with the name t", self.refused([tool, tool]))
        self.assertIn("a list of tools is wanted", self.refused({"name": "t"}))
        self.assertIn("cannot read", ptcvm("eval", "1", "--tools", self.folder.name + "/none.json")[2])


# Answers {"n": N} with how often it was asked, and does what other members of the arguments say.
STAYS = r"""
import json, os, subprocess, sys, time
held = []
for count, line in enumerate(sys.stdin, 1):
    call = json.loads(line)
    args = call["args"]
    if args.get("say"): print(args["say"], file=sys.stderr, flush=True)
    if args.get("log"): open(args["log"], "a").write(call["key"] + "\n")
    if args.get("child"): open(args["child"], "w").write(str(subprocess.Popen(["sleep", "1000"]).pid))
    if args.get("die"): os.kill(os.getpid(), 9)
    if args.get("exit"): sys.exit("no " + args["exit"])
    if args.get("hang"): time.sleep(1000)
    if args.get("close"): os.close(1); time.sleep(1000)
    if args.get("garbage"): print(args["garbage"], flush=True); continue
    if args.get("flood"):
        while True: sys.stdout.write("x" * 65536)
    answer = {"id": call["id"], "value": [count, call["tool"], args.get("n")]}
    if args.get("fail"): answer = {"id": call["id"], "error": args["fail"]}
    if args.get("plain"): del answer["id"]
    held.append(json.dumps(answer))
    if len(held) >= args.get("hold", 1):
        print("\n".join(reversed(held)), flush=True)
        held = []
"""


class Staying(ToolsFile):
    def setUp(self):
        super().setUp()
        self.script = self.file("stays.py", STAYS)

    def staying(self, **more):
        return {"name": "t", "command": [sys.executable, self.script], "process": "stays", **more}

    def fails(self, program, *tools, options=()):
        status, out, err = ptcvm("eval", program, "--tools", self.tools(*tools or (self.staying(),)), *options)
        self.assertEqual((status, out), (1, ""), err)
        return err

    def test_one_process_has_all_calls_of_tools_with_the_same_command(self):
        path = self.tools(self.staying(), self.staying(name="u"))
        program = "[(tool/t {:n 1}) (tool/u {:n 2}) (tool/t {:plain true})]"
        self.assertEqual(ptcvm("eval", program, "--tools", path),
                         (0, '[[1 "t" 1] [2 "u" 2] [3 "t" nil]]\n', ""))

    def test_calls_in_flight_are_answered_in_any_order(self):
        path = self.tools(self.staying(in_flight=4))
        program = "(pmap (fn [n] (last (tool/t {:n n :hold 4}))) [10 20 30 40])"
        self.assertEqual(ptcvm("eval", program, "--tools", path), (0, "[10 20 30 40]\n", ""))

    def test_errors_and_standard_error(self):
        err = self.fails('(tool/t {:n 1 :say "cold\\u001b[31m"}) (tool/t {:fail "no article"})')
        self.assertTrue(err.startswith("t: cold?[31m\nerror[tool_error]: Tool 't' failed: no article\n"), err)

    def test_a_process_that_dies_loses_its_calls_and_is_started_again(self):
        self.assertIn("Tool 't' failed: its process ended by signal 9", self.fails("(tool/t {:die true})"))
        err = self.fails('(tool/t {:exit "bread"})')
        self.assertTrue(err.startswith("t: no bread\n"), err)
        self.assertIn("Tool 't' failed: its process ended with status 1", err)
        log = os.path.join(self.folder.name, "keys")
        program = f'(let [a (tool/t {{:log "{log}" :die true}})] a)'
        self.fails(program, self.staying(effect="keyed", retry={"max_attempts": 3, "first_delay_ms": 1}))
        with open(log, encoding="utf-8") as keys:
            self.assertEqual(keys.read(), "run:run@1#0\n" * 3)
        os.remove(log)
        self.fails(program, self.staying(effect="unsafe", retry={"max_attempts": 3, "first_delay_ms": 1}))
        with open(log, encoding="utf-8") as keys:
            self.assertEqual(keys.read(), "run:run@1#0\n")

    def test_a_process_that_hangs_floods_closes_its_output_or_writes_nonsense(self):
        self.assertIn("no answer within 50 ms (the deadline of the tool)",
                      self.fails("(tool/t {:hang true})", self.staying(deadline_ms=50)))
        # The tool and the run end at one time; who looks at the clock first says so.
        self.assertRegex(self.fails("(tool/t {:hang true})", options=("--timeout-ms", "300")),
                         "no answer before the deadline of the run|execution exceeded 300ms limit")
        self.assertIn("its answer is larger than 16777216 bytes", self.fails("(tool/t {:flood true})"))
        self.assertIn("its process ended by signal 9", self.fails("(tool/t {:close true})"))
        self.assertIn("its process wrote a line that is no answer to an open call: hello",
                      self.fails('(tool/t {:garbage "hello"})'))
        self.assertIn("no answer to an open call", self.fails('(tool/t {:garbage "{\\"id\\":9,\\"value\\":1}"})'))

    def test_a_program_that_is_not_there(self):
        err = self.fails("(tool/t)", self.staying(command=["no-such-program"]))
        self.assertIn("cannot start no-such-program: ", err)


def lives(pid):
    """A process that is a zombie lives no more; a process that was killed may take a moment to die."""
    for _ in range(500):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                if stat.read().rpartition(")")[2].split()[0] in "ZX":
                    return False
        except (FileNotFoundError, ProcessLookupError):
            return False
        time.sleep(0.01)
    return True


class Hostile(ToolsFile):
    """Commands for one call: each ends in time with a named fault, and leaves no process behind."""

    def ends(self, script, expected, *options, **more):
        pids = os.path.join(self.folder.name, "pids")
        path = self.tools({"name": "t", "command": ["sh", "-c", script], "environment": {"PIDS": pids}, **more})
        status, out, err = ptcvm("eval", "(tool/t)", "--tools", path, *options)
        self.assertIn(expected, out + err)
        with open(pids, encoding="utf-8") as written:
            self.assertEqual([pid for pid in written.read().split() if lives(pid)], [])
        return status

    def test_each_ends_with_a_name(self):
        note = "echo $$ >> $PIDS; sleep 1000 & echo $! >> $PIDS; "
        deadline = {"deadline_ms": 100}
        self.ends(note + "wait", "no answer within 100 ms", **deadline)                          # hangs
        self.ends(note + "exec yes", "its output is too large")                                  # floods
        self.ends(note + "exec >&- 2>&-; wait", "no answer within 100 ms", **deadline)           # closes its pipes
        self.ends(note + "kill -9 $$", "ended by signal 9 (Killed)")
        self.ends(note + "kill -11 $$", "ended by signal 11 (Segmentation fault)")
        self.ends(note + "echo no bread >&2; exit 3", "Tool 't' failed: no bread")
        self.ends(note + "echo nonsense", "its output is no JSON")
        self.assertEqual(self.ends(note + "echo 5", "5\n"), 0)      # a daemon keeps the pipes
        self.assertEqual(self.ends(note + "yes >&2 & echo $! >> $PIDS; echo 6", "6\n"), 0)

    def test_what_leaves_the_group_is_found_too(self):
        path = self.file("apart.sh", "echo $$ >> $PIDS; (setsid sleep 1000 & echo $! >> $PIDS); touch $PIDS.made; "
                                     "sleep 1000")
        apart = f"setsid sh {path}"
        begun = "while [ ! -e $PIDS.made ]; do sleep 0.01; done; rm $PIDS.made; "
        self.ends(f"{apart} & {begun} wait", "no answer within 2000 ms", deadline_ms=2000)       # hangs
        self.ends(f"{apart} > /dev/null 2>&1 & {begun} exec yes", "its output is too large")     # floods
        self.ends(f"{apart} > /dev/null 2>&1 & {begun} kill -9 $$", "ended by signal 9 (Killed)")
        self.assertEqual(self.ends(f"{apart} & {begun} echo 7", "7\n"), 0)                       # keeps the pipes

    def test_what_a_tool_of_a_tool_starts_is_found(self):
        script = 'ptcvm() { "$PTCVM" "$@"; }; ptcvm eval "(tool/u)" --tool-shell ' \
                 'u=\'setsid sleep 1000 & echo $! >> "$PIDS"; echo $$ >> "$PIDS"; wait\''
        os.environ["PTCVM"] = PTCVM
        self.addCleanup(os.environ.pop, "PTCVM")
        self.ends(script, "no answer within 2000 ms", deadline_ms=2000)

    def test_a_process_that_stays_takes_what_it_started_with_it(self):
        pids = os.path.join(self.folder.name, "pids")
        server = self.file("server.sh", f"setsid sleep 1000 & echo $! >> {pids}\ncat > /dev/null\n")
        path = self.tools({"name": "t", "process": "stays", "command": ["sh", server], "deadline_ms": 1000})
        self.assertIn("no answer within 1000 ms", ptcvm("eval", "(tool/t)", "--tools", path)[2])
        with open(pids, encoding="utf-8") as written:
            self.assertFalse(lives(int(written.read())))

    def test_a_daemon_outlives_a_good_call(self):
        pids = os.path.join(self.folder.name, "pids")
        script = f"setsid sleep 1000 > /dev/null 2>&1 < /dev/null & echo $! > {pids}; echo 1"
        self.assertEqual(ptcvm("eval", "(tool/t)", "--tool-shell", "t=" + script)[:2], (0, "1\n"))
        with open(pids, encoding="utf-8") as written:
            os.kill(int(written.read()), 9)          # ProcessLookupError: it was killed

    def test_standard_error_of_a_good_call_is_shown_with_the_name(self):
        path = self.tools({"name": "price", "command": "sh -c 'echo cache is cold >&2; echo 1'"})
        self.assertEqual(ptcvm("eval", "(tool/price)", "--tools", path), (0, "1\n", "price: cache is cold\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
