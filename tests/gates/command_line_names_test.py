#!/usr/bin/env python3
"""tools/tidy_command_line.py: what it refuses of names, folders and includes of the command line.

usage: command_line_names_test.py TOOLS   (the folder of the module)"""
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import tidy_command_line   # noqa: E402

GOOD = {
    "tools/ptcvm-includes.txt": "# a comment\nruntime/text/edn.h values for people\n",
    "include/ptcvm/run.hpp": "namespace ptcvm {\nclass PTCVM_API Run {\n};\n}\n",
    "api/run.cpp": "namespace ptcvm {\nstruct Run::Impl {\n};\n}\n",
    "include/ptcvm/crash_kit.hpp": "namespace ptc {\nclass Run {\n};\n}\n",
    "tools/ptcvm/text/show.cpp": '#include "runtime/text/edn.h"\nnamespace ptcvm::cli {\nstruct Shown {\n};\n}\n',
}


def findings(**changed):
    texts = {**GOOD, **{path.replace("__", "/").replace("_dot_", "."): text for path, text in changed.items()}}
    found = []
    tidy_command_line.check(texts, lambda path, line, text: found.append(f"{path}:{line}: {text}"))
    return found


class CommandLine(unittest.TestCase):
    def test_a_tree_that_keeps_the_rules_has_no_findings(self):
        self.assertEqual(findings(), [])

    def test_a_type_of_the_command_line_may_not_have_a_public_name(self):
        for text in ("struct Run {\n", "class Run final : public Base {\n", "enum class Run : std::uint8_t {\n",
                     "namespace {\nclass Run {\n", "using Run = int;\n"):
            found = findings(tools__ptcvm__text__other_dot_cpp="namespace ptcvm::cli {\n" + text)
            self.assertEqual(len(found), 1, text)
            self.assertIn("the type Run exists twice in ptcvm, also at include/ptcvm/run.hpp:2", found[0])

    def test_a_type_of_the_library_may_not_have_a_public_name(self):
        found = findings(api__other_dot_cpp="namespace ptcvm {\nnamespace {\nstruct Run {\n};\n")
        self.assertEqual(len(found), 1)

    def test_a_declaration_is_no_second_type(self):
        self.assertEqual(findings(include__ptcvm__tools_dot_hpp="namespace ptcvm {\nclass Run;\n"), [])

    def test_a_file_of_the_command_line_is_in_its_namespace(self):
        self.assertEqual(findings(tools__ptcvm__main_dot_cpp="int main() {}\n"),
                         ["tools/ptcvm/main.cpp:1: no namespace ptcvm::cli"])
        self.assertEqual(findings(tools__ptcvm__main_dot_cpp="namespace ptcvm {\n}\n"),
                         ["tools/ptcvm/main.cpp:1: namespace ptcvm: the command line is ptcvm::cli"])

    def test_an_include_needs_a_row_and_a_row_needs_an_include(self):
        self.assertEqual(
            findings(tools__ptcvm__text__show_dot_cpp='#include "runtime/log/run_log.h"\nnamespace ptcvm::cli {\n'),
            ["tools/ptcvm/text/show.cpp:1: runtime/log/run_log.h is not in tools/ptcvm-includes.txt: use include/ptcvm",
             "tools/ptcvm-includes.txt:2: nobody includes runtime/text/edn.h any more"])

    def test_a_folder_includes_itself_and_earlier_ones(self):
        for header in ("tools/ptcvm/commands.h", "tools/ptcvm/process/files.h", "tools/ptcvm/text/moments.h"):
            text = f'#include "{header}"\nnamespace ptcvm::cli {{\n'
            self.assertEqual(findings(tools__ptcvm__text__a_dot_h=text), [])
        self.assertEqual(
            findings(tools__ptcvm__text__a_dot_h='#include "tools/ptcvm/store/waits.h"\nnamespace ptcvm::cli {\n'),
            ["tools/ptcvm/text/a.h:1: text may not include store"])

    def test_a_file_is_in_a_folder_that_the_order_has(self):
        for path in ("tools__ptcvm__a_dot_h", "tools__ptcvm__other__a_dot_h"):
            found = findings(**{path: "namespace ptcvm::cli {\n"})
            self.assertEqual(len(found), 1)
            self.assertIn("files of tools/ptcvm/ are in these folders: process, text,", found[0])

    def test_a_row_needs_a_reason(self):
        found = findings(**{"tools__ptcvm-includes_dot_txt": "runtime/text/edn.h\n"})
        self.assertEqual(found, ["tools/ptcvm-includes.txt:1: runtime/text/edn.h has no reason"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
