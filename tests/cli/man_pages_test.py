#!/usr/bin/env python3
"""ptcvm man: the pages say what --help says, and are troff that no reader complains about.

usage: man_pages_test.py PTCVM   (the program under test)"""
import os
import re
import subprocess
import unittest

from ptcvm_process import CommandLineTest, ptcvm

HARMLESS = re.compile(r"missing date, using|input text line longer|verbatim .* line longer")


def command_names(*path):
    listed = ptcvm(*path, "--help")[1].partition("\nSubcommands:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  ([a-z-]+)", listed, re.M)


def rendered(page):
    """As a reader sees it, in lines that are never broken."""
    done = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=1000"], input=page, capture_output=True, text=True)
    plain = re.sub(".\b", "", done.stdout)              # bold and underlined are struck over
    return re.sub(r"\s+", " ", plain)


def words(text):
    return re.sub(r"\s+", " ", text)


class ManPages(CommandLineTest):
    def page(self, *command):
        status, out, err = ptcvm("man", *command)
        self.assertEqual((status, err), (0, ""))
        return out

    def test_every_command_has_a_page_without_mistakes(self):
        names = command_names()
        self.assertIn("resume", names)
        for command in [(), *((name,) for name in names)]:
            with self.subTest(command=command):
                page = self.page(*command)
                done = subprocess.run(["mandoc", "-T", "lint"], input=page, capture_output=True, text=True)
                complaints = [line for line in done.stdout.splitlines() if not HARMLESS.search(line)]
                self.assertEqual((complaints, done.stderr), ([], ""))

    def test_pages_say_what_help_says(self):
        for name in command_names():
            with self.subTest(command=name):
                page = rendered(self.page(name))
                help_text = ptcvm(name, "--help")[1]
                self.assertIn(help_text.splitlines()[0], page)
                for option in re.findall(r"^ *(?:-\w,)?(--[\w-]+)", help_text, re.M):
                    self.assertRegex(page, rf"{option}\b")
                footer = help_text.partition("\nExamples:\n")[2]
                for line in footer.splitlines():
                    self.assertIn(words(line.strip()), page.replace("  ", " "))

    def test_pages_of_commands_with_parts_explain_each(self):
        page = rendered(self.page("journal"))
        self.assertEqual(len(command_names("journal")), 6)
        for part in command_names("journal"):
            self.assertIn(f"ptcvm journal {part} [OPTIONS]", page)
        self.assertIn("--json Print one JSON object", page)     # an option in a group

    def test_page_of_the_program(self):
        page = rendered(self.page())
        for text in ["NAME ptcvm - PTC-Lisp", "SYNOPSIS ptcvm [OPTIONS] COMMAND", "ptcvm-run(1)", "75 suspended",
                     "ptcvm eval '(reduce + (range 10))'"]:
            self.assertIn(text, page)

    def test_all_of_them_into_a_folder(self):
        folder = os.path.join(self.folder.name, "a", "man1")
        self.assertEqual(ptcvm("man", "--into", folder), (0, "", ""))
        self.assertEqual(sorted(os.listdir(folder)),
                         sorted(["ptcvm.1", *(f"ptcvm-{name}.1" for name in command_names())]))
        with open(os.path.join(folder, "ptcvm-run.1"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.page("run"))

    def test_refusals(self):
        self.assertEqual(ptcvm("man", "nothing"), (2, "", "ptcvm: no command nothing\n"))
        self.assertEqual(ptcvm("man", "run", "--into", self.folder.name)[0], 2)
        self.assertEqual(ptcvm("man", "--into", "/dev/null/x")[0], 65)


if __name__ == "__main__":
    unittest.main(argv=["man_pages_test.py"])
