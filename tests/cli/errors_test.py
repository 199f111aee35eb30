#!/usr/bin/env python3
"""Errors that show the way: names that are near, places in files, every error explained, and what `check` finds.

usage: errors_test.py PTCVM SOURCE_FOLDER LIBRARY   (the program under test, and libptcvm.so for the Python package)"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from ptcvm_process import PTCVM, CommandLineTest, ptcvm


def shell(commands, package=""):
    """The status and all output of commands of a shell, with ptcvm in the path and the Python package in the folder
    `package`, in an empty folder."""
    path = os.path.dirname(PTCVM) + os.pathsep + os.environ["PATH"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["sh", "-c", commands], cwd=folder, text=True,
                              env={**os.environ, "PATH": path, "PYTHONPATH": package},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return done.returncode, done.stdout


class Usage(CommandLineTest):
    def refused(self, *args):
        status, out, err = ptcvm(*args)
        self.assertEqual((status, out), (2, ""), err)
        return err

    def test_an_unknown_namespace_has_a_nearest_one(self):
        for source, prefix in (("(strr/join [1])", "str/"), ("(math/abs 1)", "Math/"), ("(dat/x)", "data/")):
            status, _, err = ptcvm("eval", source)
            self.assertEqual(status, 1)
            self.assertIn(f"hint: Did you mean: {prefix}. Available namespaces: ", err)
        self.assertNotIn("Did you mean", ptcvm("eval", "(qqqqqq/x)")[2])

    def test_unknown_names_have_a_nearest_one(self):
        for args, said in ((("rn", "p.ptc"), "ptcvm has no command rn. Did you mean: run?"),
                           (("jurnal", "show"), "ptcvm has no command jurnal. Did you mean: journal?"),
                           (("hello.ptc",), "ptcvm has no command hello.ptc. Did you mean: run hello.ptc?"),
                           (("help",), "ptcvm has no command help. Did you mean: ptcvm --help?"),
                           (("help", "agent"), "ptcvm has no command help. Did you mean: ptcvm agent --help?"),
                           (("version",), "ptcvm has no command version. Did you mean: --version?"),
                           (("rum", "p.ptc"), "ptcvm has no command rum. Did you mean: run?"),
                           (("runs", "cancl", "r"), "takes no further argument: cancl. Did you mean: cancel?"),
                           (("agent", "rsume"), "ptcvm agent has no command rsume. Did you mean: resume?"),
                           (("run", "--dta", "x", "p.ptc"), "ptcvm run has no option --dta. Did you mean: --data?"),
                           (("eval", "1", "--fule=3"), "ptcvm eval has no option --fule. Did you mean: --fuel?"),
                           (("journal", "show", "--stor", "s.db", "r"), "has no option --stor. Did you mean: --store?"),
                           (("eval", "1", "id", "3"), "ptcvm eval takes no further argument: 3")):
            self.assertIn(said, self.refused(*args))

    def test_wrong_and_missing_values_are_said_in_words(self):
        for args, said in ((("eval", "1", "--output", "foo"), "--output: must be edn, json or pretty; found foo\n"),
                           (("gen", "--subset", "foo"), "--subset: must be clojure; found foo\n"),
                           (("chain", "run", "--output", "x"),
                            "--output: must be text, markdown, json or html; found x\n"),
                           (("eval", "1", "--fuel"), "--fuel: a value is missing; write --fuel N\n"),
                           (("eval", "1", "--output"), "--output: a value is missing; write --output FORM\n")):
            self.assertIn(said, self.refused(*args))

    def test_a_function_that_makes_no_transducer_is_not_told_of_them(self):
        for name in ("nth", "get"):
            program = self.file("p.ptc", f"({name} [1 2])")
            err = ptcvm("check", program)[2]
            self.assertIn(f"hint: Write ({name} ", err)
            self.assertNotIn("transducers", err)
        self.assertIn("transducers", ptcvm("check", self.file("p.ptc", "(map inc)"))[2])

    def test_a_store_in_a_folder_that_is_not_there(self):
        path = self.folder.name + "/none/runs.db"
        said = f"ptcvm: {path}: store_io: there is no folder {self.folder.name}/none; make it first\n"
        self.assertEqual(ptcvm("eval", "1", "--store", path, "--id", "r"), (65, "", said))

    def test_names_that_are_near_to_nothing(self):
        self.assertIn("ptcvm has no command qqqq. Commands: run, eval, check", self.refused("qqqq"))
        self.assertNotIn("Did you mean", self.refused("eval", "1", "--qqqq"))
        self.assertIn("A subcommand is required", self.refused())


class Places(CommandLineTest):
    def test_a_file_that_is_no_json_or_edn(self):
        bad = self.file("bad.json", '{"é": 1,\n "b": tru}\n')
        bad_edn = self.file("bad.edn", "{:a 1\n :b")
        for args in (("eval", "1", "--data"), ("eval", "1", "--data", "k=" + bad, "--data")):
            self.assertIn("bad.json: expected a value at line 2, column 7", ptcvm(*args, bad)[2])
        self.assertIn("bad.edn: unexpected end of text at line 2, column 4", ptcvm("eval", "1", "--data", bad_edn)[2])
        self.assertIn("at line 2, column 4", ptcvm("eval", "1", "--memory", bad_edn)[2])
        self.assertIn("at line 2, column 4", ptcvm("eval", "1", "--journal", bad_edn)[2])
        agent = self.file("agent.json", '{"prompt": "p"}')
        for args in (("agent", "prompt", bad), ("agent", "prompt", agent, "--data", bad)):
            status, _, err = ptcvm(*args)
            self.assertEqual(status, 65, err)
            self.assertIn("bad.json is no JSON: line 2, column 7: expected a value", err)

    def test_data_on_the_command_line(self):
        status, _, err = ptcvm("eval", "1", "--data", '{"n": 1}')
        self.assertEqual(status, 65)
        self.assertIn("; --data takes a file with the map, not the map\n", err)

    def test_an_answer_in_a_file(self):
        state = os.path.join(self.folder.name, "s")
        ptcvm("eval", "(await (tool/ask {}))", "--async-tool", "ask", "--snapshot", state)
        bad = self.file("bad.json", '[1,\n\n 2')
        status, _, err = ptcvm("resume", state, "--async-tool", "ask", "--resolve", "op1=@" + bad)
        self.assertEqual(status, 65)
        self.assertIn("line 3, column 3", err)


class Explain(CommandLineTest):
    UNSEEN = {"store_sealed", "store_dead_node", "misaligned", "internal",     # nobody outside of ptcvm meets them
              "hook_failed", "denied", "request_invalid", "invalid_argument", "out_of_memory",   # hosts in C and C++ do
              "INTENT_INVALID", "CONTEXT_INVALID", "STEP_INVALID", "RESULT_INVALID", "SUMMARY_INVALID",
              "REPORT_INVALID", "FEEDBACK_INVALID", "LIMIT_REACHED", "UNKNOWN_STEP", "POST_TERMINAL_PLANNING",
              "lease_lost", "not_told", "schedule_failed"}                                 # time has to pass

    @staticmethod
    def parts(text):
        """The commands of the example and of the cure that an explanation shows."""
        blocks = {}
        for line in text.splitlines():
            if line in ("  Example:", "  Cure:"):
                blocks[line.strip(" :")] = []
            elif blocks and line.startswith("    "):
                list(blocks.values())[-1].append(line[4:])
        return ["\n".join(blocks.get(title, [])) for title in ("Example", "Cure")]

    def test_every_example_shows_its_error_and_every_cure_mends_it(self):
        names = [line.split()[0] for line in ptcvm("explain")[1].splitlines() if line and line[0] != "`"]
        self.assertGreater(len(names), 170)
        texts = ptcvm("explain", *names)[1].split("\n\n")
        shown = []
        for name in names:
            example, cure = self.parts(ptcvm("explain", name)[1])
            if example:
                shown.append((name, example, cure))
            else:
                self.assertIn("\n  No command shows it: ", ptcvm("explain", name)[1])
        self.assertGreaterEqual(len(texts), len(names))
        self.assertEqual(set(names) - {name for name, _, _ in shown}, self.UNSEEN)
        if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            shown = [one for one in shown if one[0] != "store_full"]   # this system gives nobody a disk of their own
        package = os.path.join(self.folder.name, "python")
        subprocess.run([sys.executable, os.path.join(sys.argv[2], "tools/python-wheel"), "--library", sys.argv[3],
                        "--output", package, "--unpacked"], check=True, stdout=subprocess.DEVNULL)
        with ThreadPoolExecutor(4) as pool:
            examples = list(pool.map(lambda one: shell(one[1], package), shown))
            cures = list(pool.map(lambda one: shell(one[2], package), shown))
        for (name, _, _), (_, broken), (status, mended) in zip(shown, examples, cures):
            self.assertIn(name, broken)
            self.assertEqual((status, name in mended), (0, False), (name, mended))

    def test_a_command_line_that_is_refused_names_its_error(self):
        for name, words in (("unknown_command", ("evall", "1")), ("unknown_command", ("journal", "shwo")),
                            ("unknown_option", ("eval", "1", "--fule", "3")), ("missing_argument", ("eval",)),
                            ("missing_argument", ("eval", "1", "--fuel")),
                            ("missing_argument", ("resume", "--resolve", "a=1")),
                            ("surplus_argument", ("apropos", "sort", "by")),
                            ("wrong_value", ("eval", "1", "--output", "xml")),
                            ("wrong_value", ("eval", "1", "--fuel", "much")),
                            ("wrong_value", ("eval", "1", "--output=")),
                            ("options_exclude", ("eval", "1", "--journal", "j", "--store", "s.db", "--id", "a")),
                            ("options_exclude", ("eval", "1", "a", "--id", "b")),
                            ("option_needs", ("eval", "1", "--again"))):
            with self.subTest(words=words):
                status, out, err = ptcvm(*words)
                self.assertEqual((status, out), (2, ""), err)
                self.assertIn(f"\nRun with --help for more information; `ptcvm explain {name}` has an example.\n", err)

    def test_words_of_a_list_are_refused_with_the_nearest(self):
        store = os.path.join(self.folder.name, "s.db")
        self.assertEqual(ptcvm("eval", "1", "--store", store, "--id", "a")[0], 0)
        for state in ("ended", "in", "ended ok", "moved to x.db", "dependency_failed"):
            self.assertEqual(ptcvm("runs", "--store", store, "--state", state)[0], 0, state)
        status, _, err = ptcvm("runs", "--store", store, "--state", "wating")
        self.assertEqual(status, 2)
        self.assertIn("--state: there is no state wating. Did you mean: waiting?", err)
        trace = os.path.join(self.folder.name, "t.jsonl")
        ptcvm("eval", "(println 1)", "--trace", trace)
        self.assertIn("1", ptcvm("trace", "show", trace, "--kind", "print")[1])
        self.assertEqual(ptcvm("trace", "show", trace, "--kind", "tool_end")[2], "no events\n")
        status, _, err = ptcvm("trace", "show", trace, "--kind", "tol_end")
        self.assertEqual(status, 2)
        self.assertIn("--kind: there is no kind of event tol_end. Did you mean: tool_end?", err)

    def test_one_name(self):
        status, out, err = ptcvm("explain", "type_error")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("an argument of the wrong kind", out)
        self.assertIn("Example:\n    ptcvm eval '(+ 1 (:price {}))'\n", out)
        status, out, err = ptcvm("explain", "typ_error", "timeout")
        self.assertEqual(status, 1)
        self.assertIn("no error is named typ_error. Did you mean: type_error", err)
        self.assertIn("timeout", out)

    def test_doc_alone_is_an_index(self):
        status, out, err = ptcvm("doc")
        self.assertEqual((status, err), (0, ""))
        for word in ("special form\n", " group-by", " ->>", "clojure.string", "function\n", "ptcvm apropos WORD"):
            self.assertIn(word, out)
        self.assertLessEqual(max(len(line) for line in out.splitlines()), 100)

    def test_apropos_finds_what_people_mean(self):
        for word, name in (("average", "avg"), ("percent", "format"), ("date", "LocalDate/parse"),
                           ("unique", "distinct")):
            status, out, _ = ptcvm("apropos", word)
            self.assertEqual(status, 0, word)
            self.assertIn(name, [line.split()[0] for line in out.splitlines()])


class Check(CommandLineTest):
    def findings(self, source, *args):
        """[kind, line, column] of each finding."""
        status, out, err = ptcvm("check", self.file("p.ptc", source), "--json", *args)
        self.assertEqual(err, "")
        (file,) = json.loads(out)["files"]
        self.assertEqual((status, file["ok"]), (0, True) if file["ok"] else (1, False))
        return [[f["kind"], f["line"], f["column"]] for f in file["findings"]], file["findings"]

    def test_every_error_is_reported(self):
        source = "(def a (foo 1))\n(let [5 1] 2)\n(bar a)\n(incident/find a)\n{:x 1 :x 2}\n(foo 3)\n(if)\n"
        found, _ = self.findings(source)
        self.assertEqual(found, [["unbound_var", 1, 9], ["unsupported_pattern", 2, 7], ["unbound_var", 3, 2],
                                 ["invalid_form", 4, 2], ["duplicate_key", 5, 7], ["invalid_arity", 7, 1]])
        found, _ = self.findings("(println @a)\n(foo)\n(+ 1 2))\n")
        self.assertEqual([kind for kind, _, _ in found], ["parse_error", "unbound_var", "unbound_var", "parse_error"])

    def test_wrong_arity_of_builtins_functions_and_threaded_calls(self):
        source = ("(count 1 2)\n(defn f [a b] [a b])\n(f 1)\n(-> 1 (f 2 3))\n(let [g (fn [x & more] [x more])] (g))\n"
                  "(defn h [x] x)\n(defn h [x y] [x y])\n(h 1)\n(f 1 2)\n(-> 1 (f 2))\n")
        found, findings = self.findings(source)
        errors = [[kind, line] for kind, line, _ in found if kind == "arity_error"]
        self.assertEqual(errors, [["arity_error", line] for line in (1, 3, 4, 5)])
        self.assertEqual(findings[0]["message"], "count takes 1 argument, and is given 2")
        self.assertIn(["defined_twice", 7, 7], found)

    def test_a_function_that_something_may_redefine_is_left_alone(self):
        memory = self.file("m.edn", '{:f #ptc/fn "(fn [x] x)"}')
        self.assertEqual(self.findings("(defn f [a b] [a b])\n(f 1)", "--memory", memory)[0], [])
        self.assertEqual(self.findings("(def count (fn [a b] [a b]))\n(count 1 2)")[0], [])

    def test_run_keeps_its_fault_at_run_time(self):
        self.assertEqual(ptcvm("eval", "(if true 1 (count 1 2))")[:2], (0, "1\n"))
        status, _, err = ptcvm("eval", '(println "begun") (count 1 2)')
        self.assertEqual(status, 1)
        self.assertIn("begun", err)

    def test_brackets_that_do_not_fit_hide_no_other_form(self):
        source = ("(defn a [x]\n  (+ x 1)\n\n(defn b [y] (nosuch2 y))\n\n(defn c [z]\n  (let [q {:a 1]\n    q))\n"
                  "(subs)\n(a 1)\n")
        self.assertEqual([found[:2] for found in self.findings(source)[0]],
                         [["parse_error", 1], ["unused_definition", 4], ["unbound_var", 4], ["unused_definition", 6],
                          ["parse_error", 7], ["arity_error", 9]])

    def test_a_text_without_indentation_is_one_form(self):
        found, _ = self.findings("(let [a 1]\n(println a)\n(+ a 1")
        self.assertEqual([kind for kind, _, _ in found], ["parse_error"])

    def test_places_in_other_files_of_json(self):
        bad = self.file("bad.json", '{"a":1,\n"b":}')
        state = self.file("state.json", '{"format": "ptcvm-snapshot",\n"b":}')
        self.assertEqual(ptcvm("eval", "1", "--store", self.folder.name + "/s.db", "--id", "r")[0], 0)
        prices = ("agent", "cost", "--store", self.folder.name + "/s.db", "--id", "r", "--prices", bad)
        for words in (("signature", "--from-json-schema", bad), ("keys", "list", bad), prices,
                      ("snapshot", "from-json", state, "-o", state + ".ptcs")):
            status, _, err = ptcvm(*words)
            self.assertEqual(status, 65, words)
            self.assertIn("line 2, column 5", err)

    def test_slips_are_warnings(self):
        source = "(def unused 1)\n(def twice 1)\n(def twice 2)\n(let [a 1 _b 2 {:keys [c]} {}] twice)"
        found, findings = self.findings(source)
        self.assertEqual(found, [["unused_definition", 1, 6], ["defined_twice", 3, 6], ["unused_name", 4, 7],
                                 ["unused_name", 4, 24]])
        self.assertEqual({f["severity"] for f in findings}, {"warning"})
        status, out, err = ptcvm("check", self.file("p.ptc", source))
        self.assertEqual((status, out.endswith("p.ptc: ok\n")), (0, True))
        self.assertIn("warning[unused_name]: a is bound and never used", err)

    def test_tools_as_run_takes_them(self):
        source = "[(tool/ask {}) (tool/pay {}) (tool/nope {})]"
        for tools in (("--tool", "ask=echo 1", "--async-tool", "pay"), ("--tool", "ask", "--tool-shell", "pay=echo 1")):
            self.assertEqual([kind for kind, _, _ in self.findings(source, *tools)[0]], ["unknown_tool"])
        self.assertEqual(self.findings(source)[0], [])

    def test_missing_data(self):
        data = self.file("d.json", '{"order_lines": [1], "rates": {}}')
        program = self.file("p.ptc", "[(count data/order-line) data/rates]")
        for args in (("check",), ("run",)):
            status, _, err = ptcvm(*args, program, "--data", data)
            self.assertEqual(status, 0)
            self.assertIn("warning[missing_data]: data/order-line is not in the data, so it is nil", err)
            self.assertIn("Did you mean: data/order_lines", err)
            self.assertIn("p.ptc:1:9", err)
            status, out, err = ptcvm(*args, program, "--data", data, "--strict-data")
            self.assertEqual((status, out), (1, ""))
            self.assertIn("error[missing_data]", err)
        self.assertEqual(ptcvm("eval", "(count data/order-lines)", "--data", data), (0, "1\n", ""))
        store = os.path.join(self.folder.name, "s.db")
        kept = ("--data", data, "--store", store, "--id", "r")
        self.assertEqual(ptcvm("run", program, *kept, "--strict-data")[0], 1)
        self.assertIn("warning[missing_data]", ptcvm("run", program, *kept)[2])

    def test_the_prompt_tells_of_missing_data(self):
        data = self.file("d.json", '{"order_lines": [1]}')
        typed = "(count\n data/order-line)\n"
        for kept in ((), ("--store", os.path.join(self.folder.name, "s.db"), "--id", "r")):
            status, out, err = ptcvm("repl", "--data", data, *kept, stdin=typed)
            self.assertEqual((status, err.count("missing_data")), (0, 1), err)
            self.assertIn("warning[missing_data]: data/order-line is not in the data, so it is nil", err)
            self.assertIn("Did you mean: data/order_lines", err)
            self.assertIn("0", out)
            status, out, err = ptcvm("repl", "--data", data, "--strict-data", *kept, stdin=typed)
            self.assertIn("error[missing_data]", out + err)
            self.assertNotIn("warning[missing_data]", out + err)

    def test_sarif(self):
        status, out, _ = ptcvm("check", self.file("p.ptc", "(foo)\n(let [a 1] 2)"), "--sarif")
        log = json.loads(out)
        (run,) = log["runs"]
        self.assertEqual((status, log["version"]), (1, "2.1.0"))
        self.assertEqual([(r["ruleId"], r["level"]) for r in run["results"]],
                         [("unbound_var", "error"), ("unused_name", "warning")])
        region = run["results"][1]["locations"][0]["physicalLocation"]["region"]
        self.assertEqual((region["startLine"], region["startColumn"]), (2, 7))
        self.assertEqual({rule["id"] for rule in run["tool"]["driver"]["rules"]}, {"unbound_var", "unused_name"})

    def test_a_surplus_bracket_says_whether_anything_follows(self):
        for source, hint in (("(+ 1 2))\n", "Remove it: every form is closed before it, and nothing follows"),
                             ("(+ 1 2)) (inc 1)", "Remove it, or add the opening delimiter that it should close")):
            self.assertEqual([finding["hint"] for finding in self.findings(source)[1]], [hint])

    def test_a_key_that_is_twice_names_both_places(self):
        (finding,) = self.findings("{:a 1\n :b 2\n :a 3}")[1]
        self.assertEqual((finding["line"], finding["column"]), (3, 2))
        self.assertIn("It is at line 1, column 2, too", finding["hint"])

    def test_a_missing_bracket_is_located_by_indentation(self):
        for source, said in (
                ("(defn f [x]\n  (inc x)\n\n(f 1)\n", "Add the missing ')' at the end of line 2"),
                ("(let [a 1\n      b 2\n  (+ a b))\n", "Add the missing ']' at the end of line 2"),
                ("(defn f [x]\n  (let [y {:a x]\n    y))\n", ""),
                ("(def m {:a 1\n        :b 2)\n(keys m)\n", ""),
                ("(map inc\n  [1 2", "Add the missing '])' at the end of line 2"),
                ("(let [a 1])\n  (inc a))\n", "Remove the ')' at the end of line 1")):
            for command in ("check", "run"):
                err = ptcvm(command, self.file("p.ptc", source))[2]
                self.assertIn("error[parse_error]", err)
                self.assertIn(said, err)


class Resume(CommandLineTest):
    def park(self, source, *tools):
        state = os.path.join(self.folder.name, "s")
        self.assertEqual(ptcvm("eval", source, *tools, "--snapshot", state)[0], 75)
        return state

    def test_an_async_tool_without_a_command_needs_no_option(self):
        state = self.park("[(await (tool/ask {:n 1})) (await (tool/ask {:n 2}))]", "--async-tool", "ask")
        status, out, err = ptcvm("resume", state, "--resolve", "op1=1", "--snapshot", state)
        self.assertEqual(status, 75, err)
        self.assertIn("note: op2 waits for ask, which was given no command", err)
        self.assertEqual(ptcvm("resume", state, "--resolve", "op2=2"), (0, "[1 2]\n", ""))

    def test_a_refusal_names_the_options(self):
        state = self.park("[(await (tool/ask {})) (tool/pay {})]", "--async-tool", "ask", "--tool", "pay=echo 1",
                          "--tool-effect", "pay=keyed")
        status, _, err = ptcvm("resume", state, "--resolve", "op1=1")
        self.assertEqual(status, 65)
        self.assertIn("snapshot_refused: ", err)
        self.assertIn("tool pay is missing; add --tool pay=COMMAND --tool-effect pay=keyed", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
