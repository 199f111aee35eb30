#!/usr/bin/env python3
"""output_test.py EXPECTED PROGRAM [ARGUMENT …] [--then PROGRAM [ARGUMENT …]] …

Runs the programs one after another in an empty folder. What they print must be the file, letter for letter, and each
must end with status 0.
"""
import difflib
import pathlib
import subprocess
import sys
import tempfile


def commands(arguments):
    out = [[]]
    for argument in arguments:
        if argument == "--then":
            out.append([])
        else:
            out[-1].append(argument)
    return out


def main():
    expected = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    printed = ""
    with tempfile.TemporaryDirectory() as folder:
        for command in commands(sys.argv[2:]):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            printed += done.stdout
            if done.returncode != 0:
                print(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
                return 1
    for line in difflib.unified_diff(expected.splitlines(), printed.splitlines(), "expected", "printed", lineterm=""):
        print(line)
    return 0 if printed == expected else 1


if __name__ == "__main__":
    sys.exit(main())
