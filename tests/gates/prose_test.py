#!/usr/bin/env python3
"""Checks that tools/prose finds what it says it finds: prose_test.py TOOL

Each case is a small tree with one document or source, in which the tool must find so many patterns.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(sys.argv.pop(1)).resolve()


class Prose(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tools").mkdir()
        (self.root / "tools/prose").write_bytes(TOOL.read_bytes())
        self.baseline("")
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def baseline(self, rows):
        (self.root / "tools/prose-baseline.txt").write_text("# head\n" + rows)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, self.root / "tools/prose", *arguments], capture_output=True, text=True)

    def assert_findings(self, count):
        done = self.run_tool()
        self.assertIn(f" {count} findings", done.stdout.splitlines()[-1])
        self.assertEqual(done.returncode, 1 if count else 0)

    def test_a_comment_that_begins_with_of(self):
        self.write("vm/a.h", "// Of a run that is over.\nint x;\n")
        self.assert_findings(1)

    def test_a_comment_behind_code(self):
        self.write("vm/a.h", "int x;   // absent\nint y;   // Nothing: the run waits\n")
        self.assert_findings(1)

    def test_a_sentence_that_begins_inside_of_a_comment(self):
        self.write("vm/a.h", "// Returns the place\n// of the run. It ends.\n// Of a run that is over.\n")
        self.assert_findings(1)

    def test_text_and_addresses_are_no_comments(self):
        self.write("vm/a.cpp", 'f("// Nothing: x");\ng("http://whoever");\n')
        self.assert_findings(0)

    def test_words_of_documents_and_cells_of_tables(self):
        self.write("docs/a.md", "Whoever reads it.\n\n| a | Nothing: b |\n")
        self.assert_findings(2)

    def test_blocks_and_code_of_documents_are_left_out(self):
        self.write("docs/a.md", "```\nwhoever\n```\n`whoever`\n")
        self.assert_findings(0)

    def test_plain_sentences(self):
        self.write("vm/a.h", "// Returns the value, or nullopt when there is none.\n")
        self.write("vm/b.h", "// A red light stands for danger.\n")
        self.assert_findings(0)

    def test_the_baseline_allows_so_many_and_no_more(self):
        self.baseline("vm/exec 1\n")
        self.write("vm/exec/a.h", "// whoever\n")
        self.assertEqual(self.run_tool().returncode, 0)
        self.write("vm/exec/b.h", "// whoever\n")
        done = self.run_tool()
        self.assertEqual(done.returncode, 1)
        self.assertIn("vm/exec: 2 findings, 1 allowed", done.stdout)

    def test_tightening_never_raises(self):
        self.baseline("vm/exec 3\nvm/value 1\n")
        self.write("vm/exec/a.h", "// whoever\n")
        self.write("vm/value/a.h", "// whoever\n// whoever\n")
        self.assertEqual(self.run_tool("--tighten").returncode, 1)
        self.assertEqual((self.root / "tools/prose-baseline.txt").read_text(), "# head\nvm/exec 1\nvm/value 1\n")


if __name__ == "__main__":
    unittest.main()
