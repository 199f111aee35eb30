#!/usr/bin/env python3
"""The Python package, by the interpreter that runs this: python_package_test.py SOURCE_FOLDER LIBRARY

Makes the package from the sources and the library, and runs the cases of this folder in one process."""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE, LIBRARY = map(pathlib.Path, sys.argv[1:3])


def main():
    with tempfile.TemporaryDirectory(prefix="ptcvm-python-") as folder:
        subprocess.run([sys.executable, SOURCE / "tools/python-wheel", "--library", LIBRARY, "--output", folder,
                        "--unpacked"], check=True, stdout=subprocess.DEVNULL)
        place = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1",
                 "PTCVM_PAGE": str(SOURCE / "docs/python.md")}
        return subprocess.run([sys.executable, "-W", "error", "-m", "unittest", "discover", "-s",
                               SOURCE / "tests/python", "-p", "*_cases.py"], env=place, timeout=300).returncode


if __name__ == "__main__":
    sys.exit(main())
