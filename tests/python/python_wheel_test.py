#!/usr/bin/env python3
"""The wheel: python_wheel_test.py SOURCE_FOLDER LIBRARY

Makes the wheel twice, which gives the same bytes, and installs it with pip, without an index, into a new environment of
the interpreter that runs this."""
import base64
import csv
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE, LIBRARY = map(pathlib.Path, sys.argv[1:3])
PROGRAM = """
import ptcvm, sys
tools = ptcvm.Tools()
tools.add("add", "(a :int, b :int) -> :int", lambda a, b: a + b)
print(ptcvm.Engine().start("(tool/add {:a 1 :b data/b})", tools=tools, data={"b": 2}).run())
assert ptcvm.__file__.startswith(sys.prefix), ptcvm.__file__
"""


def run(*command, **more):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, **more)


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ptcvm-wheel-")))

    def done(self, completed):
        self.assertEqual(completed.returncode, 0, completed.stdout + completed.stderr)
        return completed.stdout

    def made(self, name="dist"):
        out = self.done(run(sys.executable, SOURCE / "tools/python-wheel", "--library", LIBRARY, "--output",
                            self.folder / name))
        return pathlib.Path(out.splitlines()[-1])

    def test_installs_without_an_index(self):
        environment = self.folder / "venv"
        self.done(run(sys.executable, "-m", "venv", "--without-pip", environment))
        python = environment / "bin/python"
        offline = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_CACHE_DIR": "1"}
        offline.pop("PYTHONPATH", None)
        self.done(run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", self.made(),
                      env=offline))
        self.assertEqual(self.done(run(python, "-c", PROGRAM, env=offline, cwd=self.folder)), "3\n")

    def test_the_record_names_every_file(self):
        wheel = self.made()
        self.assertEqual(wheel.read_bytes(), self.made("again").read_bytes())
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            record, = (name for name in names if name.endswith(".dist-info/RECORD"))
            rows = {path: (digest, size) for path, digest, size in
                    csv.reader(io.StringIO(archive.read(record).decode()))}
            self.assertEqual(set(rows), set(names))
            for path in set(names) - {record}:
                content = archive.read(path)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual(rows[path], (f"sha256={digest}", str(len(content))), path)
        for path in ("ptcvm/__init__.pyi", "ptcvm/py.typed", "ptcvm/_abi.py", "ptcvm/libptcvm.so.0"):
            self.assertIn(path, rows)

    def test_says_what_is_missing(self):
        failed = run(sys.executable, SOURCE / "tools/python-wheel", "--library", "/nowhere.so", "--output", self.folder)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("there is no /nowhere.so; build it: ninja -C build/release ptcvm_shared", failed.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
