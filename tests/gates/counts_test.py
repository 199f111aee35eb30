#!/usr/bin/env python3
"""tools/ctest_counts tells passed, failed and skipped tests apart, as ctest itself reports them; the last line of
tools/test counts all three.

usage: counts_test.py SOURCE_FOLDER"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
COUNTS = SOURCE / "tools/ctest_counts"
PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(counted NONE)
enable_testing()
add_test(NAME good COMMAND true)
add_test(NAME bad COMMAND sh -c "echo why it is bad; exit 1")
add_test(NAME missing COMMAND /no/such/program)
add_test(NAME slow COMMAND sleep 60)
set_tests_properties(slow PROPERTIES TIMEOUT 1)
add_test(NAME broken_base COMMAND false)
set_tests_properties(broken_base PROPERTIES FIXTURES_SETUP base)
add_test(NAME needs_base COMMAND true)
set_tests_properties(needs_base PROPERTIES FIXTURES_REQUIRED base)
add_test(NAME skipped COMMAND sh -c "echo there is no clojure; exit 77")
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME disabled COMMAND true)
set_tests_properties(disabled PROPERTIES DISABLED ON)
add_test(NAME cases COMMAND sh -c "seq 9999; echo 'OK (skipped=2)'")
add_test(NAME shares COMMAND sh -c "echo '[  SKIPPED ] 1 test, listed below:'")
"""


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


class Counts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (cls.folder / "CMakeLists.txt").write_text(PROJECT)
        run("cmake", "-S", cls.folder, "-B", cls.folder / "build")
        options = next(line for line in (SOURCE / "tools/test").read_text().splitlines() if "test-output-size" in line)
        run("ctest", "--test-dir", cls.folder / "build", "-j4", "--output-junit", cls.folder / "report.xml",
            *options.split(">")[0].split())
        cls.lines = run(COUNTS, "dev", cls.folder / "report.xml").stdout.splitlines()

    def of(self, kind):
        return [line.partition("\t")[2] for line in self.lines if line.startswith(kind + "\t")]

    def test_passed_and_failed(self):
        self.assertEqual((self.of("passed"), self.of("failed")), (["3"], ["5"]))
        self.assertIn("why it is bad", self.of("show"))
        for name in ("bad", "missing", "slow", "broken_base", "needs_base"):
            self.assertIn(f"=== dev: {name} failed", self.of("show"))

    def test_skipped_by_name(self):
        self.assertEqual(sorted(self.of("skipped")),
                         ["cases: 2 of the cases inside", "cases: 2 of the cases inside",
                          "disabled: the test is disabled", "shares: 1 of the cases inside",
                          "skipped: there is no clojure"])

    def test_a_report_that_is_not_there_is_a_failure(self):
        self.assertNotEqual(run(COUNTS, "dev", self.folder / "none.xml").returncode, 0)

    def test_help_and_wrong_options(self):
        done = run(SOURCE / "tools/test", "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn('The last line is "N passed, N failed, N skipped"', done.stdout)
        for words in (["--also"], ["--also", "demo"], ["--fast"]):
            self.assertEqual(run(SOURCE / "tools/test", *words).returncode, 2, words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
