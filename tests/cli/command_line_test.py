#!/usr/bin/env python3
"""The command line as people and scripts use it: exit statuses, what goes to which stream, tools, batch, the REPL.

usage: command_line_test.py PTCVM   (the program under test)"""
import json
import os
import shutil
import subprocess
import sys
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm


class Run(CommandLineTest):
    def test_value_to_stdout_prints_to_stderr(self):
        path = self.file("p.ptc", '(println "hello" 1) (+ 1 2)')
        self.assertEqual(ptcvm("run", path), (0, "3\n", "hello 1\n"))

    def test_standard_input(self):
        self.assertEqual(ptcvm("run", "-", stdin="(+ 1 2)"), (0, "3\n", ""))

    def test_return_and_fail(self):
        self.assertEqual(ptcvm("eval", "(return :x)")[:2], (0, ":x\n"))
        status, out, err = ptcvm("eval", "(fail {:reason :y})")
        self.assertEqual((status, out), (1, "{:reason :y}\n"))
        self.assertIn("fail", err)

    def test_errors_have_position_and_caret(self):
        path = self.file("bad.ptc", "(let [a nil]\n  (+ 1 a))")
        status, out, err = ptcvm("run", path)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("error[type_error]", err)
        self.assertIn("bad.ptc:2:3", err)
        self.assertIn("   |   ^", err)

    def test_exit_statuses(self):
        self.assertEqual(ptcvm()[0], 2)
        self.assertEqual(ptcvm("no-such-command")[0], 2)
        self.assertEqual(ptcvm("run")[0], 2)
        self.assertEqual(ptcvm("run", "/no/such/file")[0], 65)
        self.assertEqual(ptcvm("eval", "1", "--data", self.file("d.json", "{"))[0], 65)
        self.assertEqual(ptcvm("eval", "1", "--data", self.file("d.json", "[1]"))[0], 65)
        self.assertEqual(ptcvm("eval", "1", "--memory", self.file("m.edn", "{:a"))[0], 65)
        self.assertEqual(ptcvm("eval", "1", "--output", "xml")[0], 2)
        self.assertEqual(ptcvm("eval", "(")[0], 1)
        self.assertEqual(ptcvm("--version")[0], 0)
        self.assertEqual(ptcvm("--help")[0], 0)

    def test_every_command_has_help_with_examples(self):
        commands = "run eval check compile dis doc apropos fmt gen repl batch diff signature keys completion man"
        for command in commands.split():
            status, out, _ = ptcvm(command, "--help")
            self.assertEqual(status, 0, command)
            self.assertIn("xamples:", out, command)

    def test_data(self):
        rows = self.file("rows.json", '{"rows": [{"n": 1}, {"n": 2}], "big": 12345678901234567890123}')
        self.assertEqual(ptcvm("eval", "(sum-by :n data/rows)", "--data", rows)[1], "3\n")
        self.assertEqual(ptcvm("eval", "data/big", "--data", rows)[1], "12345678901234567890123N\n")
        edn = self.file("more.edn", "{:k #{1 2}}")
        self.assertEqual(ptcvm("eval", "[data/k (count data/rows)]", "--data", rows, "--data", edn)[1], "[#{1 2} 2]\n")
        self.assertEqual(ptcvm("eval", '(get data/all "big")', "--data", "all=" + rows)[1],
                         "12345678901234567890123N\n")

    def test_output_forms(self):
        program = '{:a [1 2.5 nil "x"] :b :k}'
        self.assertEqual(ptcvm("eval", program)[1], '{:a [1 2.5 nil "x"] :b :k}\n')
        out = ptcvm("eval", program, "--output", "json")[1]
        self.assertEqual(json.loads(out), {"a": [1, 2.5, None, "x"], "b": "k"})
        wide = ptcvm("eval", "(map #(str \"element number \" %) (range 12))", "--output", "pretty")[1]
        self.assertEqual(len(wide.splitlines()), 12)

    def test_memory_journal_signature_precision(self):
        memory = self.file("m.edn", '{:n 2 :twice #ptc/closure {:src "(fn [x] (* k x))" :captured {:k 2}}'
                                    ' :inc2 #ptc/fn "(fn [x] (+ n x))"}')
        self.assertEqual(ptcvm("eval", "[(twice 4) (inc2 1)]", "--memory", memory)[1], "[8 3]\n")
        journal = self.file("j.edn", '{"a" 1}')
        self.assertEqual(ptcvm("eval", '[(task "a" 2) (task "b" 3)]', "--journal", journal)[1], "[1 3]\n")
        self.assertEqual(ptcvm("eval", "{:n 1}", "--signature", "{n :int}")[0], 0)
        status, _, err = ptcvm("eval", '{:n "x"}', "--signature", "{n :int}")
        self.assertEqual(status, 1)
        self.assertIn("return.n: expected int, got string", err)
        self.assertEqual(ptcvm("eval", "[1.256 0.125]", "--float-precision", "2")[1], "[1.26 0.13]\n")

    def test_limits(self):
        forever = "(loop [i 0] (recur (inc i)))"
        self.assertIn("loop_limit_exceeded", ptcvm("eval", forever, "--loop-limit", "10")[2])
        self.assertIn("fuel_exhausted", ptcvm("eval", forever, "--fuel", "1000", "--loop-limit", "4000000000")[2])
        begin = time.time()
        status, _, err = ptcvm("eval", "(loop [i 0] (recur (inc i)))", "--timeout-ms", "200", "--loop", "4000000000",
                               "--fuel", "1000000000000")
        self.assertEqual(status, 1)
        self.assertIn("timeout", err)
        self.assertLess(time.time() - begin, 20)
        deep = "(defn f [n] (if (= n 0) 0 (+ 1 (f (dec n))))) (f 1000)"
        self.assertIn("recursion_limit_exceeded", ptcvm("eval", deep, "--depth-limit", "100")[2])
        grow = "(loop [s \"x\"] (recur (str s s)))"
        self.assertEqual(ptcvm("eval", grow, "--memory-bytes", "100000")[0], 1)

    def test_trace_and_stats(self):
        trace = os.path.join(self.folder.name, "t.jsonl")
        journal = self.file("j.edn", "{}")
        status, _, err = ptcvm("eval", '(println "p") (task "a" 1) (tool/one)', "--tool", "one=echo 1",
                               "--trace", trace,
                               "--journal", journal, "--stats")
        self.assertEqual(status, 0, err)
        with open(trace, encoding="utf-8") as lines:
            events = [json.loads(line) for line in lines]
        self.assertEqual([e["event"] for e in events][0], "run_start")
        self.assertEqual([e["event"] for e in events][-1], "run_end")
        self.assertEqual(sorted(e["event"] for e in events),
                         ["commit", "print", "run_end", "run_start", "tool_end", "tool_start"])
        self.assertEqual([e["seq"] for e in events], [1, 2, 3, 4, 5, 6])
        self.assertTrue(all(abs(e["t"] / 1e6 - time.time()) < 600 for e in events))
        self.assertIn("fuel ", err)


class Tools(CommandLineTest):
    def test_arguments_and_answer_are_json(self):
        status, out, err = ptcvm("eval", '(tool/echo {:a-b [1 nil :k] "c" {:d 2.5}})', "--tool", "echo=cat")
        self.assertEqual((status, out, err), (0, '{"a_b" [1 nil "k"] "c" {"d" 2.5}}\n', ""))

    def test_no_shell_unless_asked_for(self):
        self.assertEqual(ptcvm("eval", "(tool/t)", "--tool", "t=printf '%s' '\"$HOME\"'")[1], '"$HOME"\n')
        self.assertEqual(ptcvm("eval", "(tool/t)", "--tool-shell", "t=X=7; echo $X")[1], "7\n")

    def test_failures(self):
        failing = self.file("fail.sh", "echo oops >&2; exit 3")
        status, out, err = ptcvm("eval", "(tool/t)", "--tool", "t=sh " + failing)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("tool_error", err)
        self.assertIn("oops", err)
        self.assertIn("no JSON", ptcvm("eval", "(tool/t)", "--tool", "t=echo {")[2])
        self.assertIn("cannot start", ptcvm("eval", "(tool/t)", "--tool", "t=/no/such/program")[2])
        self.assertIn("unknown_tool", ptcvm("eval", "(tool/u)", "--tool", "t=cat")[2])
        self.assertEqual(ptcvm("eval", "1", "--tool", "t")[0], 65)
        self.assertEqual(ptcvm("eval", "(tool/t)", "--tool", "t=true")[1], "nil\n")

    def test_deadline_stops_a_tool(self):
        begin = time.time()
        status, _, err = ptcvm("eval", "(tool/t)", "--tool", "t=sleep 30", "--timeout", "200")
        self.assertEqual(status, 1)
        self.assertLess(time.time() - begin, 15)

    def test_big_input_and_output(self):
        program = '(count (get (tool/echo {:s (apply str (map (fn [_] "0123456789") (range 30000)))}) "s"))'
        self.assertEqual(ptcvm("eval", program, "--tool", "echo=cat")[1], "300000\n")

    def test_cached_tool_runs_once(self):
        log = os.path.join(self.folder.name, "calls")
        command = "t=echo x >> %s; echo 1" % log
        status, out, _ = ptcvm("eval", "[(tool/t {:a 1}) (tool/t {:a 1}) (tool/t {:a 2})]", "--tool-shell", command,
                               "--cache-tool", "t")
        self.assertEqual((status, out), (0, "[1 1 1]\n"))
        with open(log, encoding="utf-8") as lines:
            self.assertEqual(len(lines.readlines()), 2)


class OtherCommands(CommandLineTest):
    def test_check(self):
        good, bad = self.file("g.ptc", "(+ 1 data/x)"), self.file("b.ptc", "(foo 1)")
        self.assertEqual(ptcvm("check", good)[0], 0)
        status, _, err = ptcvm("check", good, bad)
        self.assertEqual(status, 1)
        self.assertIn("unbound_var", err)
        tools = self.file("t.ptc", "(tool/a) (tool/b)")
        self.assertEqual(ptcvm("check", tools)[0], 0)
        self.assertEqual(ptcvm("check", "--tool", "a", tools)[0], 1)
        self.assertEqual(ptcvm("check", "--tool", "a", "--async-tool", "b", tools)[0], 0)
        self.assertEqual(ptcvm("check", "--tool", "a", "--tool", "b", tools)[0], 0)

    def test_compile_run_and_disassemble(self):
        source, compiled = self.file("p.ptc", "(map inc data/xs)"), os.path.join(self.folder.name, "p.ptcp")
        self.assertEqual(ptcvm("compile", source)[0], 0)
        data = self.file("d.json", '{"xs": [1, 2]}')
        self.assertEqual(ptcvm("run", compiled, "--data", data)[:2], (0, "[2 3]\n"))
        self.assertIn("Return", ptcvm("dis", compiled)[1])
        self.assertEqual(ptcvm("dis", source)[0], 0)
        with open(compiled, "r+b") as file:
            file.seek(30)
            file.write(b"\xff" * 40)
        self.assertEqual(ptcvm("run", compiled)[0], 65)

    def test_doc_and_apropos(self):
        for name in ["map", "let", "->>", "#()", "data/", "clojure.string/join", "quote", ":keys", "->"]:
            status, out, err = ptcvm("doc", name)
            self.assertEqual(status, 0, name + err)
            self.assertGreater(len(out.splitlines()), 1, name)
        status, _, err = ptcvm("doc", "grop-by")
        self.assertEqual(status, 1)
        self.assertIn("group-by", err)
        self.assertIn("group-by", ptcvm("apropos", "group")[1])
        self.assertEqual(ptcvm("apropos", "qqqzzz")[0], 1)

    def test_fmt(self):
        path = self.file("p.ptc", "(let [a 1\nb 2]\n(+ a   b)) ; sum\n")
        formatted = "(let [a 1\n      b 2]\n  (+ a b)) ; sum\n"
        self.assertEqual(ptcvm("fmt", path), (0, formatted, ""))
        self.assertEqual(ptcvm("fmt", "--check", path)[0], 1)
        self.assertEqual(ptcvm("fmt", "--write", path)[0], 0)
        self.assertEqual(ptcvm("fmt", "--check", path)[0], 0)
        self.assertEqual(ptcvm("fmt", self.file("b.ptc", "(let ["))[0], 1)
        wide = "(defn f [x] (str " + " ".join(f"(:member-{n} x)" for n in range(20)) + "))\n"
        self.assertLessEqual(max(map(len, ptcvm("fmt", self.file("w.ptc", wide))[1].splitlines())), 100)

    def test_gen(self):
        status, program, _ = ptcvm("gen", "--seed", "7", "--size", "60")
        self.assertEqual((status, program), ptcvm("gen", "--seed", "7", "--size", "60")[:2])
        self.assertNotEqual(program, ptcvm("gen", "--seed", "8", "--size", "60")[1])
        requests = ptcvm("gen", "--count", "20", "--failing", "0")[1]
        self.assertEqual([json.loads(line)["id"] for line in requests.splitlines()], [str(n) for n in range(1, 21)])
        answers = [json.loads(line) for line in ptcvm("batch", stdin=requests)[1].splitlines()]
        self.assertEqual({answer["status"] for answer in answers} - {"ok", "return"}, set())
        folder = os.path.join(self.folder.name, "programs")
        self.assertEqual(ptcvm("gen", "--seed", "7", "--size", "60", "-o", folder)[0], 0)
        with open(os.path.join(folder, "seed-7.ptc"), encoding="utf-8") as file:
            self.assertEqual(file.read(), program)
        for line in ptcvm("gen", "--subset", "clojure", "--count", "30")[1].splitlines():
            self.assertNotIn("tool/", json.loads(line)["source"])
        self.assertEqual(ptcvm("gen", "--subset", "scheme")[0], 2)

    def test_completion(self):
        for shell in ["bash", "zsh", "fish"]:
            status, out, _ = ptcvm("completion", shell)
            self.assertEqual(status, 0)
            self.assertIn("float-precision", out)
            self.assertTrue(shutil.which(shell), f"{shell} is missing: tools/install-dependencies")
            script = self.file("script", out)
            self.assertEqual(subprocess.run([shell, "-n", script], capture_output=True).returncode, 0)
        self.assertEqual(ptcvm("completion", "tcsh")[0], 2)
        script = self.file("c.bash", ptcvm("completion", "bash")[1])
        offered = lambda *words: subprocess.run(
            ["bash", "-c", 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ptcvm; '
             'echo "${COMPREPLY[@]}"', "-", script, "ptcvm", *words], capture_output=True, text=True).stdout.split()
        self.assertEqual(offered("ke"), ["keys"])
        self.assertEqual(offered("keys", "r"), ["rotate", "revoke"])
        self.assertEqual(offered("keys", "new", "--n"), ["--not-after"])
        self.assertEqual(offered("journal", "show", "--s"), ["--store"])     # beside a group of options


class Keys(CommandLineTest):
    def ring(self, name="ring.json"):
        return os.path.join(self.folder.name, name)

    def test_a_ring_from_first_key_to_revocation(self):
        ring = self.ring()
        self.assertEqual(ptcvm("keys", "new", ring, "--id", "a"), (0, "", ""))
        self.assertEqual(os.stat(ring).st_mode & 0o777, 0o600)
        self.assertEqual(ptcvm("keys", "rotate", ring, "--id", "b", "--algorithm", "ed25519",
                               "--not-after", "2400-01-01"), (0, "", ""))
        status, out, _ = ptcvm("keys", "list", ring)
        rows = [line.split() for line in out.splitlines()]
        self.assertEqual(status, 0)
        self.assertEqual([row[:3] for row in rows], [["id", "algorithm", "state"], ["a", "hmac-sha256", "verify-only"],
                                                     ["b", "ed25519", "signing"]])
        self.assertEqual(rows[2][4], "2400-01-01T00:00:00Z")
        with open(ring, encoding="utf-8") as file:
            keys = json.load(file)["keys"]
        for key in keys:
            self.assertNotIn(key["secret"], out)
        status, _, err = ptcvm("keys", "revoke", ring, "--id", "b")
        self.assertEqual(status, 0)
        self.assertIn("no signing key", err)
        self.assertIn("revoked", ptcvm("keys", "list", ring)[1])

    def test_export_writes_public_halves_only(self):
        ring, public = self.ring(), self.ring("public.json")
        ptcvm("keys", "new", ring, "--id", "a", "--algorithm", "ed25519")
        self.assertEqual(ptcvm("keys", "export", ring, "--public", "-o", public), (0, "", ""))
        with open(public, encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("secret", text)
        self.assertEqual(ptcvm("keys", "export", ring, "--public", "-o", "-")[1], text)
        self.assertIn("verify-only", ptcvm("keys", "list", public)[1])
        self.assertEqual(ptcvm("keys", "export", ring, "-o", public)[0], 2)
        shared = self.ring("shared.json")
        ptcvm("keys", "new", shared, "--id", "a")
        self.assertEqual(ptcvm("keys", "export", shared, "--public", "-o", public)[0], 65)

    def test_refusals_keep_the_ring(self):
        ring = self.ring()
        ptcvm("keys", "new", ring, "--id", "a")
        with open(ring, encoding="utf-8") as file:
            before = file.read()
        for arguments, status, words in [
                (["new", ring, "--id", "b"], 65, "File exists"),
                (["rotate", ring, "--id", "a"], 65, "there already"),
                (["rotate", ring, "--id", "a b"], 65, "a key id is"),
                (["rotate", ring, "--id", "b", "--not-after", "soon"], 2, "must be a date"),
                (["rotate", ring, "--id", "b", "--not-after", "2001-01-01"], 65, "ends before it begins"),
                (["rotate", ring, "--id", "b", "--algorithm", "md5"], 2, "algorithm"),
                (["revoke", ring, "--id", "b"], 65, "no key b"),
                (["list", ring + "x"], 65, "cannot read"),
                (["list"], 2, "RING"),
                ([], 2, "subcommand")]:
            done = ptcvm("keys", *arguments)
            self.assertEqual(done[0], status, arguments)
            self.assertIn(words, done[2], arguments)
        with open(ring, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)


class Repl(CommandLineTest):
    def test_turns(self):
        status, out, err = ptcvm("repl", stdin='(def x 40)\n(+ x\n   2)\n(println "p") [*1 *2]\n(+ nil 1)\nx\n:memory\n'
                                               ":doc map\n:reset\n(or x 0)\n:quit\n(+ 1 1)\n")
        self.assertEqual(status, 0)
        lines = out.splitlines()
        self.assertEqual(lines[:5], ["#'x", "42", "p", "[42 #'x]", "40"])
        self.assertEqual(lines[5], "{:x 40}")
        self.assertEqual(lines[-1], "0")
        self.assertIn("type_error", err)
        self.assertIn("^", err)

    def test_unfinished_program(self):
        status, out, err = ptcvm("repl", stdin="(+ 1\n")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("parse_error", err)

    def test_limits_are_per_turn(self):
        turn = "(reduce + (range 1000))\n"
        status, out, err = ptcvm("repl", "--fuel", "20000", stdin=turn * 50)
        self.assertEqual((out, err), ("499500\n" * 50, ""))


class Batch(CommandLineTest):
    def test_answer_fields(self):
        (answer,) = self.ask({"id": "a", "source": '(println "x") (def n 1) (step-done "s" "t") (task "j" 2) 0.1',
                              "journal_edn": "{}", "unknown": 1})
        self.assertGreater(answer.pop("fuel"), 0)
        self.assertEqual(answer, {
            "id": "a", "status": "ok", "value_edn": "0.1", "error_kind": None, "message": None, "line": None,
            "column": None, "hint": None, "prints": ["x"], "memory_edn": "{:n 1}", "journal_edn": '{"j" 2}',
            "summaries": '{"s" "t"}', "tool_calls": [], "warnings": []})

    def test_inputs(self):
        (answer,) = self.ask({"id": 7, "source": "[data/a m *1 (:turns (budget/remaining))]", "context_edn": '{"a" 1}',
                              "memory_edn": "{:m 2}", "history_edn": "[8 9]", "opts": {"budget_edn": "{:turns 3}"}})
        self.assertEqual((answer["id"], answer["value_edn"]), (7, "[1 2 9 3]"))

    def test_errors(self):
        a, b, c = self.ask({"id": 1, "source": "(def a 1)\n  (+ a nil)", "memory_edn": "{:z 1}"},
                           {"id": 2, "source": "(foo)"}, {"id": 3, "source": "(fail 1)"})
        self.assertEqual((a["status"], a["error_kind"], a["line"], a["column"], a["memory_edn"], a["value_edn"]),
                         ("error", "type_error", 2, 3, "{:z 1}", None))
        self.assertEqual((b["error_kind"], b["line"], b["column"]), ("unbound_var", 1, 2))
        self.assertEqual((c["status"], c["value_edn"]), ("fail", "1"))

    def test_special_values_read_back(self):
        (answer,) = self.ask({"id": 1, "source": '[##Inf ##-Inf ##NaN 1e21 "\\u0001\\"" 5e-324]'})
        self.assertTrue(answer["value_edn"].startswith("[##Inf ##-Inf ##NaN 1.0e21 "), answer["value_edn"])

    def test_bad_requests_are_answered(self):
        answers = self.ask("no json", "[1]", "{}", {"id": 5}, {"id": 6, "source": 7},
                           {"id": 7, "source": "1", "opts": 3},
                           {"id": 8, "source": "1", "memory_edn": "{:a"}, {"id": 9, "source": "2"})
        self.assertEqual([a["error_kind"] for a in answers], ["bad_request"] * 7 + [None])
        self.assertEqual([a["id"] for a in answers], [None, None, None, 5, 6, 7, 8, 9])

    def test_tools_are_replayed(self):
        tools = [{"name": "t", "args_edn": '{"a" 1}', "result_edn": "10"},
                 {"name": "t", "args_edn": '{"a" 1}', "result_edn": "20"},
                 {"name": "bad", "args_edn": "{}", "error": '"no"'}]
        a, b, c = self.ask({"id": 1, "source": "[(tool/t {:a 1}) (tool/t {:a 1}) (tool/t {:a 1})]", "tools": tools},
                           {"id": 2, "source": "(tool/bad)", "tools": tools},
                           {"id": 3, "source": "(tool/other)", "tools": tools})
        self.assertEqual(a["value_edn"], "[10 20 20]")
        self.assertEqual([t["result_edn"] for t in a["tool_calls"]], ["10", "20", "20"])
        self.assertEqual(a["tool_calls"][0]["args_edn"], '{"a" 1}')
        self.assertEqual((b["error_kind"], b["tool_calls"][0]["error"] is not None), ("tool_error", True))
        self.assertEqual(c["error_kind"], "unknown_tool")

    def test_limits(self):
        loop = "(loop [i 0] (if (< i 5000) (recur (inc i)) i))"
        a, b, c, d = self.ask({"id": 1, "source": loop, "limits": {"loop": 10}},
                              {"id": 2, "source": loop, "limits": {"fuel": 100}},
                              {"id": 3, "source": "(tool/t) (tool/t)", "limits": {"tool_calls": 1},
                               "tools": [{"name": "t", "args_edn": "{}", "result_edn": "1"}]},
                              {"id": 4, "source": loop, "limits": {"timeout_ms": 0}})
        self.assertEqual([x["error_kind"] for x in (a, b, c, d)],
                         ["loop_limit_exceeded", "fuel_exhausted", "tool_call_limit_exceeded", "timeout"])

    def test_jobs_keep_the_order(self):
        requests = [{"id": i, "source": "(reduce + (range %d))" % (i * 37 % 500)} for i in range(500)]
        self.assertEqual(self.ask(*requests, jobs="4"), self.ask(*requests))

    def test_answers_come_at_once(self):
        with subprocess.Popen([PTCVM, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            for i in range(3):
                process.stdin.write(json.dumps({"id": i, "source": "1"}) + "\n")
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["id"], i)
            process.stdin.close()
            self.assertEqual(process.wait(), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
