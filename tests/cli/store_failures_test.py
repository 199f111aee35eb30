"""What a store says when the machine fails it: a full disk, a limit of the system, a file that is gone."""
import os
import resource
import subprocess
import sys
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm

MANY = '(loop [i 0] (when (< i 400) (task (str "t" i) (reduce str "" (range 200))) (recur (inc i))))'


class StoreFailuresTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder.name, "runs.db")

    def arguments(self, source, *more):
        return ["run", self.file("program.ptc", source), "--store", self.store, "--id", "r", *more]

    def run_within(self, most_bytes, source):
        """The status and the errors of a run whose files must not grow beyond so many bytes."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        done = subprocess.run([PTCVM, *self.arguments(source)], capture_output=True, text=True, timeout=60,
                              preexec_fn=limit)
        return done.returncode, done.stderr


class FileSizeLimitTest(StoreFailuresTest):
    def test_a_write_past_the_limit_is_a_failure_of_the_store(self):
        status, err = self.run_within(200_000, MANY)
        self.assertEqual(status, 74, err)
        self.assertIn("store_", err)
        self.assertEqual(ptcvm(*self.arguments(MANY)), (0, "nil\n", ""))

    def test_a_store_that_cannot_be_written_when_it_is_opened(self):
        for most in (0, 1000, 5000):
            status, err = self.run_within(most, "1")
            self.assertEqual(status, 74, err)
            self.assertIn("store_", err)

    def test_tools_have_the_signal_as_it_was(self):
        source = '(tool/write {})'
        command = "cat > /dev/null; (ulimit -f 1; head -c 100000 /dev/zero > big) || echo '\"ended\"'"
        status, out, err = ptcvm(*self.arguments(source, "--tool-shell", f"write=cd {self.folder.name}; {command}"))
        self.assertEqual((status, out), (0, '"ended"\n'), err)

    def test_a_folder_that_is_not_there_is_bad_input(self):
        self.store = os.path.join(self.folder.name, "nowhere", "runs.db")
        self.assertEqual(ptcvm(*self.arguments("1"))[0], 65)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
