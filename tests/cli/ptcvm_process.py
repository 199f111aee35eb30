"""The program under test: PTCVM is the first argument of the test script."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PTCVM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/dev/bin/ptcvm")


def ptcvm(*args, stdin="", timeout=300):
    done = subprocess.run([PTCVM, *args], input=stdin, capture_output=True, text=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def without_next_commands(err):
    """Standard error without the lines that say what a suspended program waits for, and what to type next."""
    return re.sub(r"^ptcvm: [^\n]* waits for:\n(?:  .*\n)*", "", err, flags=re.M)


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


class SnapshotTest(CommandLineTest):
    """Programs that wait for the asynchronous tool `call`."""
    TOOL = ("--async-tool", "call")
    PROGRAM = """(def limit 10)
(println "começa")
(defn ask [who]
  (let [answer (await (tool/call {:to who}))]
    (:text answer)))
(let [n 3
      first-call (tool/call {:to "Zoë"})]
  (task "greet"
    (let [both (pmap ask ["Alice" "Bob"])]
      [n both (await first-call)])))
"""

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def park(self, source, *options, name="state.ptcs", tools=TOOL):
        """Suspends the program; the path of its snapshot."""
        state = self.path(name)
        status, _, err = ptcvm("run", self.file("program.ptc", source), *tools, "--snapshot", state, *options)
        self.assertEqual(status, 75, err)
        return state

    def bytes_of(self, path):
        with open(path, "rb") as file:
            return file.read()

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def document(self, state, *options):
        """Its JSON face."""
        status, out, err = ptcvm("snapshot", "json", state, *options)
        self.assertEqual((status, err), (0, ""))
        return json.loads(out)
