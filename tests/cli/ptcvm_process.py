"""The program under test: PTCVM is the first argument of the test script."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PTCVM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/dev/bin/ptcvm")


def ptcvm(*args, stdin="", timeout=60):
    done = subprocess.run([PTCVM, *args], input=stdin, capture_output=True, text=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def ask(self, *requests, jobs="1"):
        text = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in requests)
        status, out, err = ptcvm("batch", "--jobs", jobs, stdin=text)
        self.assertEqual((status, err), (0, ""))
        return [json.loads(line) for line in out.splitlines()]
