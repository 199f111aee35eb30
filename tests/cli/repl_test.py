#!/usr/bin/env python3
"""ptcvm repl as a person sees it, through a pseudo-terminal: repl_test.py PTCVM

Keys go to the terminal one text after another. Each wait ends when the screen shows what is expected."""
import json
import os
import re
import time
import unittest

from ptcvm_process import CommandLineTest, ptcvm
from terminal import Terminal


class Prompt(CommandLineTest):
    def terminal(self, *arguments, **more):
        terminal = Terminal(self.folder.name, "repl", *arguments, **more)
        self.addCleanup(terminal.process.kill)
        terminal.wait("ptc> ")
        return terminal

    def test_tab_completes_names_data_tools_and_commands(self):
        data = self.file("d.json", '{"customers": [1, 2], "cities": []}')
        terminal = self.terminal("--data", data, "--tool", "search=true")
        terminal.says("(def total-of-all 7)", "#'total-of-all")
        for typed, completed in (("total-\t", "total-of-all"), ("(count data/cu\t)", "data/customers"),
                                 ("tool/se\t", "tool/search"), ("(group-b\t identity [])", "group-by"),
                                 (":mem\t", ":memory")):
            terminal.says(typed, completed)
        terminal.type("(count data/c\t")
        self.assertRegex(terminal.wait("data/customers"), r"data/cities\s+data/customers")
        terminal.says("it\t)", "\n0")
        self.file("program.ptc", "(def loaded 41) (+ loaded 1)")
        terminal.says(":load prog\t", "\n42")
        terminal.says(":doc frequenc\t", "frequencies")
        self.assertEqual(terminal.end(), 0)

    def test_tab_completes_names_in_namespaces(self):
        terminal = self.terminal()
        terminal.says('(str/upp\t "a")', '"A"')
        terminal.says('(clojure.string/cap\t "abc")', '"Abc"')
        terminal.says("(count (set/uni\t #{1} #{2}))", "\n2")
        terminal.says("(str/red\t 1)", "str/red ")        # reduce is not among them
        self.assertEqual(terminal.end(), 0)

    def test_tab_knows_the_tools_of_files_and_names_no_placeholder(self):
        tools = self.file("tools.json", json.dumps({"tools": [
            {"name": "fetch_page", "mode": "async"}, {"name": "fetch_mail", "mode": "async", "command": ["cat"]}]}))
        terminal = self.terminal("--tools", tools)
        terminal.type("tool/\t")
        terminal.wait("tool/fetch_")
        terminal.type("\t")
        self.assertRegex(terminal.wait("tool/fetch_page"), r"tool/fetch_mail\s+tool/fetch_page")
        terminal.type("\x15")
        terminal.says("(+ 1 1)", "\n2")
        self.assertNotIn("tool/NAME", terminal.screen.text())
        self.assertEqual(terminal.end(), 0)

    def test_doc_explains_definitions_of_the_prompt(self):
        terminal = self.terminal()
        terminal.says('(defn double "Doubles a number" [x] (* 2 x))', "#'double")
        terminal.says(":doc double", "double  (your function)")
        self.assertIn("(double x)", terminal.says(":doc double", "Doubles a number"))
        terminal.says('(do (def vat "Of Austria" 20) nil)', "nil")
        terminal.says(":doc vat", "Of Austria")
        terminal.says('(do (defn double "Wrong" [x] x) (/ 1 0))', "arithmetic_error")
        terminal.says(":doc double", "Doubles a number")
        terminal.says(":doc count", "count  (function)")
        terminal.says(":reset", "")
        terminal.says(":doc vat", "nothing is named vat")
        self.assertEqual(terminal.end(), 0)

    def test_keys_before_the_first_key_is_read_belong_to_the_editor(self):
        for _ in range(20):
            terminal = self.terminal()
            terminal.type("(+ 1\x15(+ 20 3)\r")
            terminal.wait("\n23")
            terminal.wait_for_prompt()
            self.assertEqual(terminal.end(), 0)

    def test_lines_are_indented_and_brackets_matched(self):
        terminal = self.terminal(colour=True)
        terminal.says("(let [a 1", "\n...>       ")
        terminal.says("b 2]", "b 2]\n...>   ")
        terminal.type("(+ a b))")
        terminal.wait("(+ a b))")
        terminal.wait_for_colour("\x1b[1;4m)\x1b[0m")           # the last bracket and its partner
        terminal.wait_for_colour("\x1b[1;4m(\x1b[0m")
        terminal.type("\r")
        terminal.wait("\n3")
        terminal.wait_for_prompt()
        terminal.type('(str :key "text" 12)')
        for painted in ("\x1b[36m:key\x1b[0m", '\x1b[32m"text"\x1b[0m', "\x1b[35m12\x1b[0m"):
            terminal.wait_for_colour(painted)
        terminal.type("\r")
        terminal.wait('text12"')
        terminal.wait_for_prompt()
        terminal.type("]")
        terminal.wait_for_colour("\x1b[31m]\x1b[0m")
        terminal.type("\x15")
        self.assertEqual(terminal.end(), 0)

    def test_large_values_are_folded(self):
        terminal = self.terminal()
        shown = terminal.says("(map (fn [n] {:n n :square (* n n)}) (range 1000))", ":more all` shows all")
        self.assertIn("… 970 more lines", shown)
        self.assertIn(":square 841}", shown)
        self.assertNotIn(":square 900}", shown)
        self.assertIn(":square 3481}", terminal.says(":more", ":more all` shows all"))
        terminal.says(":more all", ":square 998001}]")
        terminal.says(":more", "there is no more to see")
        self.assertEqual(terminal.end(), 0)

    def test_operations_are_listed_and_resolved(self):
        terminal = self.terminal("--async-tool", "ask")
        terminal.says('(+ 1 (await (tool/ask {:q "how many?"})))', "suspended, waiting for op1 (ask)")
        terminal.says(":pending", 'op1  ask {"q":"how many?"}')
        terminal.says(":resolve op7 1", "no operation op7 waits; `:pending` lists what does")
        terminal.says(":resolve op1 (", "ptcvm: ")
        terminal.says(":resolve o\t 41", "42")
        terminal.says(":pending", "the program waits for nothing")
        terminal.says("(await (tool/ask {}))", "suspended, waiting for op2 (ask)")
        terminal.says(":fail op2 nobody is there", "nobody is there")
        terminal.says('(inc (await-signal "sig_1"))', "suspended, waiting for op3")
        terminal.says(":resolve sig_1 6", "7")
        self.assertEqual(terminal.end(), 0)

    def test_ctrl_c_stops_a_program_and_forgets_a_text(self):
        terminal = self.terminal("--fuel", "100000000000000", "--loop", "4000000000")
        terminal.type('(do (println "runs") (loop [] (recur)))\r')
        terminal.wait("\nruns")
        os.killpg(terminal.process.pid, 2)
        terminal.wait("cancelled")
        terminal.wait_for_prompt()
        terminal.says("(+ 1", "...> ")
        os.killpg(terminal.process.pid, 2)
        terminal.wait("ptc> ")
        terminal.says("(+ 1 1)", "\n2")
        self.assertEqual(terminal.end(), 0)

    def test_a_program_that_waits_outlives_what_is_typed(self):
        terminal = self.terminal("--async-tool", "ask")
        terminal.says('(+ 1 (await (tool/ask {:q 1})))', "suspended, waiting for op1 (ask)")
        terminal.says("(+ 1", "...> ")
        os.killpg(terminal.process.pid, 2)
        terminal.wait("ptc> ")
        terminal.says(":pending", "op1  ask")
        terminal.says("(+ 1 1)", "this prompt has a program that is not over")
        self.file("program.ptc", "(+ 20 3)")
        for command in (":load program.ptc", ":time (+ 1 1)"):
            terminal.says(command, "program that is not over")
        terminal.says("(+ 1 (", "...> ")
        terminal.says("1))", "program that is not over")
        terminal.says(":resolve op1 41", "\n42")
        terminal.says(":load program.ptc", "\n23")
        self.assertEqual(terminal.end(), 0)

    def test_a_program_is_given_up_when_that_is_said(self):
        terminal = self.terminal("--async-tool", "ask")
        terminal.says(":give-up", "no program waits")
        terminal.says("(def before 7)", "#'before")
        terminal.says("(await (tool/ask {:q 1}))", "suspended, waiting for op1 (ask)")
        terminal.says(":give-up", "the program is given up")
        terminal.says(":pending", "the program waits for nothing")
        terminal.says("(+ before (await (tool/ask {:q 2})))", "suspended, waiting for op2 (ask)\n")
        self.assertNotIn("op1", terminal.says(":pending", "op2  ask"))
        terminal.says(":resolve op2 1", "\n8")
        self.assertEqual(terminal.end(), 0)

    def test_works_on_a_stored_run(self):
        store = ("--store", os.path.join(self.folder.name, "runs.db"), "--id", "desk", "--async-tool", "ask")
        terminal = self.terminal(*store)
        terminal.says(":store", "runs.db, run desk: no program yet")
        terminal.says("(def x 40)", "\n#'x")
        terminal.says("(+ x 2)", "42")
        terminal.says("(def y (await (tool/ask {:q 1})))", "suspended, waiting for op")
        terminal.says("(+ 1 1)", "the run desk has a program that is not over")
        terminal.says(":give-up", "a store gives nothing up")
        terminal.says(":reset", "a store forgets nothing")
        self.assertEqual(terminal.end(), 0)
        status, listed, _ = ptcvm("runs", store[0], store[1])
        self.assertRegex(listed, r"desk +waiting .*op1")
        self.assertEqual(status, 0)
        terminal = Terminal(self.folder.name, "repl", *store)
        self.addCleanup(terminal.process.kill)
        operation = re.search(r"waiting for (op\w+) \(ask\)", terminal.wait("(ask)"))[1]
        terminal.wait_for_prompt()
        self.assertIn(f"waits for {operation}", terminal.says(":store", "facts"))
        terminal.says(f":resolve {operation} 5", "\n#'y")
        terminal.says("[x y]", "[40 5]")
        terminal.says(":memory", "the store has the values: type a name to see one")
        self.assertEqual(terminal.end(), 0)


    def stored(self, *tools):
        """A prompt of a stored run, and the option of its store."""
        store = ("--store", os.path.join(self.folder.name, "runs.db"))
        return self.terminal(*store, "--id", "desk", *tools), store

    def test_tab_and_doc_know_definitions_of_earlier_processes(self):
        terminal, store = self.stored()
        terminal.says('(defn double-it "Doubles a number" [x] (* 2 x))', "#'double-it")
        terminal.says("(do (def never-there 1) (/ 1 0))", "arithmetic_error")
        self.assertEqual(terminal.end(), 0)
        terminal, store = self.stored()
        terminal.says("(double-\t 4)", "\n8")
        terminal.says(":doc double-it", "Doubles a number")
        terminal.says(":doc never-there", "nothing is named never-there")
        self.assertEqual(terminal.end(), 0)

    def test_tab_offers_no_placeholder_for_data(self):
        terminal = self.terminal("--data", self.file("d.json", '{"k": 5}'))
        terminal.says("(inc data/\t)", "\n6")
        self.assertNotIn("data/KEY", terminal.screen.text())
        self.assertEqual(terminal.end(), 0)

    def test_a_second_prompt_says_who_has_the_run(self):
        place = os.path.join(self.folder.name, "called")
        first, store = self.stored("--tool-shell", f"wait=echo >> {place}; exec sleep 1000")
        first.type("(tool/wait {})\r")
        while not os.path.exists(place):
            time.sleep(0.01)
        second = self.terminal(*store, "--id", "desk")
        for typed in ("(+ 1 1)", ":pending"):
            shown = second.says(typed, "when it is done")
            self.assertRegex(shown.replace("\n", ""), rf"desk is being executed by .*{first.process.pid}.*since 20")
        self.assertEqual(second.end(), 0)

    def test_a_prompt_of_a_run_that_has_moved_says_where_it_is(self):
        terminal, store = self.stored()
        terminal.says("(def x 40)", "\n#'x")
        self.assertEqual(terminal.end(), 0)
        target = os.path.join(self.folder.name, "other.db")
        self.assertEqual(ptcvm("runs", "move", "desk", *store, "--to", target)[0], 0)
        status, out, err = ptcvm("repl", "desk", *store, stdin="x\n")
        self.assertEqual((status, out), (65, ""))
        self.assertRegex(err, r"run_moved: desk is in \S*other.db now")
        self.assertEqual(ptcvm("repl", "desk", "--store", target, stdin="x\n")[1], "40\n")

    def test_a_doubt_is_named_and_the_program_goes_on_when_it_is_settled(self):
        terminal, store = self.stored("--tool-shell", "pay=kill -9 $$")
        terminal.says("(def x 40)", "\n#'x")
        terminal.says("(+ x (tool/pay {}))", "`:pending` names the call")
        for typed in ("(+ 1 1)", ":time (+ 1 1)"):
            terminal.says(typed, "then the Enter key")
        shown = terminal.says(":pending", "it shall not be tried again")
        self.assertIn("ptcvm doubt settle --store", shown)
        self.assertNotIn("waits for nothing", shown)
        terminal.says("", "")
        self.assertEqual(ptcvm("doubt", "settle", *store, "desk", "--happened", "2")[0], 0)
        terminal.says("", "\n42")
        terminal.says(":pending", "the program waits for nothing")
        terminal.says("x", "\n40")
        self.assertEqual(terminal.end(), 0)

    def test_an_answer_that_another_process_gave_goes_on_at_the_next_line(self):
        terminal, store = self.stored()
        terminal.says('(def x (await-signal "go"))', "suspended, waiting for")
        self.assertEqual(ptcvm("journal", "put", *store, "desk", "go", "41")[0], 0)
        terminal.says("(inc x)", "\n42")
        self.assertEqual(terminal.end(), 0)

    def test_a_sleep_that_is_over_goes_on_at_the_next_line(self):
        terminal, _ = self.stored()
        terminal.says("(do (sleep 2000) 7)", "suspended, waiting for")
        time.sleep(2.1)
        terminal.says(":pending", "\n7")
        self.assertEqual(terminal.end(), 0)

    def test_a_program_that_ctrl_c_ended_in_a_call_leaves_a_doubt_and_is_not_begun_again(self):
        place = os.path.join(self.folder.name, "called")
        terminal, store = self.stored("--tool-shell", f"pay=echo >> {place}; exec sleep 1000")
        terminal.says("(def x 40)", "\n#'x")
        terminal.type("(tool/pay {})\r")
        while not os.path.exists(place) or os.path.getsize(place) == 0:
            time.sleep(0.01)
        os.killpg(terminal.process.pid, 2)
        terminal.wait("cancelled")
        terminal.wait_for_prompt()
        terminal.says(":pending", "it shall not be tried again")
        terminal.says("(inc x)", "`:pending` names the call")
        self.assertEqual(ptcvm("doubt", "settle", *store, "desk", "--did-not")[0], 0)
        terminal.says("", "")
        terminal.says("(inc x)", "\n41")
        self.assertEqual(terminal.end(), 0)
        with open(place, encoding="utf-8") as calls:
            self.assertEqual(calls.read(), "\n")


class Piped(CommandLineTest):
    """What is not a terminal gets the same answers, without colours, folds and prompts."""

    def repl(self, *lines, arguments=()):
        return ptcvm("repl", *arguments, stdin="".join(line + "\n" for line in lines))

    def test_unknown_commands_are_refused(self):
        status, out, err = self.repl(":lod x", ":k", "(+ 1 1)")
        self.assertEqual((status, out), (0, "2\n"))
        self.assertEqual(err.splitlines(), [
            "ptcvm: there is no command :lod. Did you mean :load? :help lists the commands; (do :lod) is the keyword "
            "as a program.",
            "ptcvm: there is no command :k. :help lists the commands; (do :k) is the keyword as a program."])

    def test_commands(self):
        path = self.file("program.ptc", "(def loaded 41)\n(+ loaded 1)")
        broken = self.file("broken.ptc", "(+ 1")
        status, out, err = self.repl(":help", ":doc group-by", ":doc grup-by", ":apropos frequencies", f":load {path}",
                                     "loaded", f":load {broken}", ":load nowhere.ptc", ":time (reduce + (range 10))",
                                     '(println "a")', ":trace", ":pending", ":store", ":memory", ":reset", "loaded",
                                     ":quit", "never")
        self.assertEqual(status, 0)
        for text in ("Tab completes", "group-by  (function)", "nothing is named grup-by. Did you mean: group-by",
                     "frequencies ", "42\n41\n", "45\n", "fuel ", "tool calls", "MS  EVENT", "print",
                     "the program waits for nothing", "this prompt has no store", "{:loaded 41}"):
            self.assertIn(text, out)
        for text in ("unclosed '('", "nowhere.ptc", "Undefined variable: loaded"):
            self.assertIn(text, err)
        self.assertNotIn("never", out + err)

    def test_commands_say_what_they_take(self):
        status, out, err = self.repl(":load", ":time", ":doc", ":apropos", ":resolve", ":quit now", ":pending all",
                                     "(+ 1 1)")
        self.assertEqual((status, out), (0, "2\n"))
        self.assertEqual(err.splitlines(), [
            "ptcvm: write :load FILE: run the program in a file; its definitions stay",
            "ptcvm: write :time PROGRAM: run a program and say what it cost",
            "ptcvm: write :doc NAME: explain a function or form, also your own",
            "ptcvm: write :apropos WORD: list everything that mentions a word",
            "ptcvm: write :resolve OP VALUE: end an operation with a value, and go on",
            "ptcvm: :quit takes nothing behind it", "ptcvm: :pending takes nothing behind it"])

    def test_a_journal_is_written_back_after_each_program(self):
        journal = self.file("j.edn", '{"a" 1}')
        status, out, err = self.repl('(task "a" 7)', '(task "b" (inc 1))', "(+ 1 :x)", '(task "c" (tool/t))',
                                     f":load {journal}", arguments=("--journal", journal, "--tool", "t=false"))
        self.assertEqual((status, out.splitlines()[:3]), (0, ["1", "2", '{"a" 1 "b" 2}']), err)
        with open(journal, encoding="utf-8") as kept:
            self.assertEqual(kept.read(), '{"a" 1 "b" 2}\n')
        self.assertEqual(self.repl('(task "b" 9)', arguments=("--journal", journal))[1], "2\n")

    def test_long_values_are_whole(self):
        _, out, _ = self.repl("(map (fn [n] {:n n :square (* n n)}) (range 1000))")
        self.assertEqual(out.count("\n"), 1000)

    def test_help_lists_every_command(self):
        _, out, _ = self.repl(":help")
        for name in ("help", "doc", "apropos", "load", "time", "trace", "pending", "resolve", "fail", "give-up", "more",
                     "memory", "store", "reset", "quit"):
            self.assertRegex(out, rf"(?m)^  :{name}\b")


if __name__ == "__main__":
    unittest.main(argv=["repl_test"])
