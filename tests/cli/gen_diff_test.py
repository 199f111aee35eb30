#!/usr/bin/env python3
"""Generated programs on several threads, engines that are compared, and programs that are made small.

usage: gen_diff_test.py PTCVM   (the program under test)"""
import json
import os
import subprocess
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm


class GenDiff(CommandLineTest):
    def engine(self, name, script):
        path = self.file(name, "#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o755)
        return path

    def faulty(self):
        """Says :gamma where it should say :beta."""
        return self.engine("faulty", f"{PTCVM} \"$@\" | sed 's/:beta/:gamma/g'")

    def requests(self, *sources):
        return "".join(json.dumps({"id": i, "source": source}) + "\n" for i, source in enumerate(sources))

    def test_the_bytes_do_not_depend_on_the_number_of_threads(self):
        one, four, rest = (ptcvm("gen", "--count", count, "--seed", seed, "--size", "30", "--jobs", jobs)[1]
                           for count, seed, jobs in (("150", "5", "1"), ("150", "5", "4"), ("10", "145", "2")))
        self.assertEqual(one, four)
        self.assertEqual(one.splitlines()[-10:], rest.splitlines())
        self.assertEqual([json.loads(line)["id"] for line in one.splitlines()], [str(i) for i in range(5, 155)])

    def test_memory_does_not_grow_with_the_count(self):
        few, many = (self.most_memory("gen", "--count", count, "--requests") for count in ("5000", "20000"))
        self.assertLess(many, few + (16 << 20))   # the text of the programs grows by 69 MB

    def most_memory(self, *args):
        """The most memory that ptcvm had resident, in bytes."""
        with subprocess.Popen([PTCVM, *args], stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_files_are_written_by_all_threads(self):
        folder = os.path.join(self.folder.name, "programs")
        self.assertEqual(ptcvm("gen", "--count", "70", "--size", "10", "--jobs", "3", "-o", folder)[0], 0)
        self.assertEqual(len(os.listdir(folder)), 70)
        with open(f"{folder}/seed-70.ptc", encoding="utf-8") as program:
            self.assertEqual(program.read(), ptcvm("gen", "--seed", "70", "--size", "10")[1])

    def test_an_engine_is_equal_to_itself_also_when_it_is_stopped_everywhere(self):
        corpus = self.requests("(+ 1 2)", "(map inc [1 2 3])", "(upcase 1)", "(reduce + (range 50))")
        for engines in ((PTCVM,), (PTCVM, PTCVM)):
            status, out, err = ptcvm("diff", *engines, stdin=corpus)
            self.assertEqual((status, out, err), (0, "", "4 requests, 0 with different answers\n"))

    def test_a_difference_is_shown(self):
        corpus = self.requests("1", "[:beta]", ":alpha")
        status, out, err = ptcvm("diff", PTCVM, self.faulty(), stdin=corpus)
        self.assertEqual((status, err), (1, "3 requests, 1 with different answers\n"))
        self.assertEqual(out, '1: value_edn\n  A value_edn: "[:beta]"\n  B value_edn: "[:gamma]"\n')
        printed = ptcvm("diff", PTCVM, self.faulty(), "--requests", stdin=corpus)[1]
        self.assertEqual(printed, corpus.splitlines()[1] + "\n")
        self.assertEqual(ptcvm("diff", PTCVM, self.faulty(), "--ignore", "value_edn", stdin=corpus)[0], 0)

    def test_a_header_goes_to_every_process(self):
        corpus = '{"protocol": 2}\n' + self.requests(*[":beta"] * 40)
        status, _, err = ptcvm("diff", PTCVM, self.faulty(), "--corpus", self.file("corpus.jsonl", corpus))
        self.assertEqual((status, err), (1, "40 requests, 40 with different answers\n"))

    def test_the_request_that_ends_an_engine_is_found(self):
        script = f"while read -r line; do case $line in *boom*) kill -9 $$;; esac; echo \"$line\" | {PTCVM} batch; done"
        dies = self.engine("dies", script)
        status, out, err = ptcvm("diff", PTCVM, dies, stdin=self.requests("1", '"boom"', "3"))
        self.assertEqual((status, err), (1, "3 requests, 1 with different answers\n"))
        self.assertTrue(out.startswith("1: answer\n"), out)
        self.assertIn("was ended by signal 9", out)

    def test_an_engine_that_is_not_there_is_an_error(self):
        for engines in ((PTCVM, "/no/such/engine"), ("/no/such/engine", PTCVM), ("/no/such/engine",)):
            status, out, err = ptcvm("diff", *engines, stdin=self.requests("1"))
            self.assertEqual((status, out), (65, ""))
            self.assertEqual(err, "ptcvm: the engine /no/such/engine cannot be started: No such file or directory\n")

    def test_a_report_shows_which_engine_gave_no_answer(self):
        silent = self.engine("silent", "cat > /dev/null; exit 3")
        _, out, _ = ptcvm("diff", PTCVM, silent, stdin=self.requests("1"))
        gone = "no answer: the engine ended with status 3"
        self.assertRegex(out, r'^0: answer\n  A answer: \{"id":0,.*\n  B answer: ' + gone)
        _, out, _ = ptcvm("diff", silent, PTCVM, stdin=self.requests("1"))
        self.assertRegex(out, "^0: answer\n  A answer: " + gone + r'\n  B answer: \{"id":0,')

    def test_an_engine_that_writes_without_end_is_stopped(self):
        endless = self.engine("endless", "yes")
        with subprocess.Popen([PTCVM, "diff", PTCVM, endless, "--jobs", "1"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            process.stdin.write(self.requests("1"))
            process.stdin.close()
            out = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 1)
        self.assertIn("wrote more than 64 MiB", out)
        self.assertLess(usage.ru_maxrss, 512 << 10)

    def test_an_engine_that_floods_its_standard_error_is_stopped(self):
        engine = self.file("floods", "#!/bin/sh\nexec yes flood >&2\n")
        os.chmod(engine, 0o755)
        status, out, err = ptcvm("diff", PTCVM, engine, "--timeout", "86400", stdin=self.requests("1"))
        self.assertEqual(status, 1, err)
        self.assertIn("wrote more than 64 MiB to its standard error", out)

    def test_a_check_that_floods_its_standard_error_is_stopped_and_named(self):
        request = self.file("request.jsonl", self.requests("(+ 1 2)"))
        status, _, err = ptcvm("gen", "--shrink", request, "--minimize", "grep -q 2 && exec yes flood >&2")
        self.assertEqual(status, 0, err)
        self.assertIn("the check was ended: it wrote more than 64 MiB to its standard error", err)

    def test_a_member_that_no_answer_has_is_said(self):
        status, _, err = ptcvm("diff", PTCVM, "--ignore", "valu_edn", "--ignore", "prints", stdin=self.requests("1"))
        self.assertEqual(status, 0)
        self.assertEqual(err.splitlines()[0], "ptcvm: warning: --ignore valu_edn: answers of ptcvm have no member of "
                         "this name. Did you mean: value_edn?")
        self.assertNotIn("prints", err)

    def test_a_check_that_cannot_be_run_is_an_error(self):
        request = self.file("request.jsonl", self.requests("(map inc [1 2])"))
        blocked = self.file("blocked", "no program")
        for command, code in (("/no/such/check", 127), (blocked, 126)):
            for more in (("--shrink", request), ("--count", "3")):
                status, out, err = ptcvm("gen", *more, "--minimize", command)
                self.assertEqual((status, out), (65, ""), err)
                self.assertIn(f"the command of --minimize cannot be run: {command}: exit status {code}: ", err)

    def test_a_program_is_made_small(self):
        program = ("(defn f [x] (let [y (* x 2)] (println \"large\" y) {:alpha x (if (> y 3) :beta :eps) y}))\n"
                   "{:total (count (map f (range 10))) :rest (f 3)}")
        request = self.file("request.jsonl", self.requests(program))
        check = f"{PTCVM} diff {PTCVM} {self.faulty()}"
        status, out, err = ptcvm("gen", "--shrink", request, "--minimize", check)
        self.assertEqual((status, out), (0, ":beta\n"), err)

    def test_the_failure_stays_the_same_one(self):
        check = "if grep -q inc; then exit 3; elif grep -q '' ; then exit 1; fi"
        program = self.file("p.ptc", "(println 1)\n(map inc [1 2 3])\n")
        status, out, err = ptcvm("gen", "--shrink", program, "--minimize", check)
        self.assertEqual((status, out), (0, "inc\n"), err)

    def test_a_program_in_a_file_is_made_small_by_commands_that_read_lines(self):
        program = self.file("p.ptc", "(let [x 5]\n  (if (> x 2)\n    [:beta (inc x)]\n    :alpha))\n")
        check = f"{PTCVM} diff {PTCVM} {self.faulty()}"
        for words in (("--minimize", check, program), ("--shrink", program, "--minimize", check)):
            status, out, err = ptcvm("gen", *words)
            self.assertEqual((status, out), (0, ":beta\n"), err)

    def test_a_program_in_a_file_keeps_the_answers_of_its_tools(self):
        program = self.file("p.ptc", ';; async-tool ask {"k" 1} => :beta\n;; tool other {} => 1\n'
                                     "(str (tool/other)\n  [(await (tool/ask {:k 1}))])\n")
        status, out, err = ptcvm("gen", program, "--minimize", f"{PTCVM} diff {PTCVM} {self.faulty()}")
        self.assertEqual((status, out.splitlines()[0]), (0, ';; async-tool ask {"k" 1} => :beta'), err)
        self.assertIn("tool/ask", out.splitlines()[1])
        self.assertNotIn("other", out)

    def test_commands_that_read_programs(self):
        program = self.file("p.ptc", "(let [x 5]\n  (println x)\n  (+ x :a))\n")
        run = f"{PTCVM} run - 2>&1 | grep -q type_error && exit 1; exit 0"
        status, out, err = ptcvm("gen", program, "--text", "--minimize", run)
        self.assertEqual((status, out), (0, "(+ :a)\n"), err)

    def test_a_command_that_fails_on_everything_is_refused(self):
        program = self.file("p.ptc", "(let [x 5]\n  (+ x :a))\n")
        for more, cure in (((), "give --text for a command that reads programs"),
                           (("--text",), "leave out --text for a command that reads lines")):
            status, out, err = ptcvm("gen", program, "--minimize", "exit 3", *more)
            self.assertEqual((status, out), (65, ""))
            self.assertIn("ends in the same way for the program nil", err)
            self.assertIn(cure, err)
        status, out, err = ptcvm("gen", program, "--minimize", f"{PTCVM} run - > /dev/null")
        self.assertEqual((status, out), (65, ""), err)
        self.assertIn("--text", err)

    def test_generated_programs_are_tried_until_one_fails(self):
        status, out, err = ptcvm("gen", "--seed", "1", "--count", "200", "--size", "20", "--sync", "--requests",
                                 "--minimize", "grep -q 'loop' && exit 1 || exit 0")
        self.assertEqual(status, 0, err)
        self.assertEqual(json.loads(out)["source"], "loop")
        status, out, err = ptcvm("gen", "--count", "3", "--minimize", "true")
        self.assertEqual((status, out, err), (1, "", "ptcvm: none of 3 programs fails\n"))

    def test_a_program_that_does_not_fail_says_so(self):
        request = self.file("request.jsonl", self.requests("(map inc [1 2])"))
        status, out, err = ptcvm("gen", "--shrink", request)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("does not fail", err)


if __name__ == "__main__":
    unittest.main(argv=["gen_diff_test"])
