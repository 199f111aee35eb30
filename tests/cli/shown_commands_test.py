#!/usr/bin/env python3
"""Runs the commands of a document and compares what they print: shown_commands_test.py PTCVM DOCUMENT.md [FOLDER]

A block under <!-- saved as NAME --> is written to a file of that name. In a block tagged console, lines that begin with
"$ " are run by bash, one after the other in one folder, which begins as a copy of FOLDER. What a command prints on both
streams must be the lines under the command. A last line [N] is the status N, as the shell says it: 137 when the process
was killed with signal 9. Points of time, ages in seconds and the sizes of snapshots may differ, and … matches any text.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:<!-- saved as (\S+) -->\n)?```(\w*)\n(.*?)```", re.S)
DIFFERENT = [(re.compile(r"\b\d{13}\b"), "TIME"),
             (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \((?:in )?\d+ \w+(?: ago)?\)"), "MOMENT"),
             (re.compile(r"\b\d+ s ago *"), "AGE  "),
             (re.compile(r"\b\d+ bytes\b"), "SIZE bytes")]


def masked(text):
    for pattern, word in DIFFERENT:
        text = pattern.sub(word, text)
    return text


def steps(block):
    """(command, expected output) of a console block."""
    for part in re.split(r"(?m)^\$ ", block)[1:]:
        command, _, rest = part.partition("\n")
        while command.endswith("\\"):
            more, _, rest = rest.partition("\n")
            command = command[:-1] + more
        yield command, rest


def fits(expected, seen):
    pattern = ".*?".join(re.escape(part) for part in masked(expected).split("…"))
    return re.fullmatch(pattern, masked(seen), re.S) is not None


def main():
    ptcvm, document = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    environment = {**os.environ, "PATH": f"{ptcvm.parent}:{os.environ['PATH']}", "NO_COLOR": "1"}
    done, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sys.argv[3:4]:
            shutil.copytree(source, folder, dirs_exist_ok=True)
        for name, tag, block in BLOCK.findall(document.read_text(encoding="utf-8")):
            if name:
                pathlib.Path(folder, name).write_text(block, encoding="utf-8")
            for command, expected in steps(block) if tag == "console" else ():
                ended = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=240,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                status = ended.returncode if ended.returncode >= 0 else 128 - ended.returncode
                seen = ended.stdout + (f"[{status}]\n" if status != 0 else "")
                done += 1
                if not fits(expected, seen):
                    failed += 1
                    print(f"FAILED $ {command}\n--- shown\n{expected}--- seen\n{seen}")
    print(f"{done} commands, {failed} failed")
    return 0 if done > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
