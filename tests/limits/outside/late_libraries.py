#!/usr/bin/env python3
"""late_libraries.py PTCVM OBJDUMP: the command line starts without libcurl and libpq, which would take 7 MiB of each
process, and finds them when a command needs them (tools/ptcvm/late_libraries.cpp). One that is missing is
named, with what to install."""
import os
import re
import subprocess
import sys
import tempfile

LATE = ("libcurl", "libpq")
LATE_FILES = ("libcurl.so.4", "libpq.so.5")
NOBODY = "postgresql://127.0.0.1:1/nobody?connect_timeout=5"


def main():
    ptcvm, objdump = sys.argv[1:]
    shown = subprocess.run([objdump, "-p", ptcvm], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"NEEDED +(\S+)", shown)
    wrong = [name for name in needed if name.startswith(LATE)]
    assert needed and not wrong, f"loaded by every process: {wrong} of {needed}"
    with tempfile.NamedTemporaryFile("w", suffix=".ptc") as program:
        program.write("1")
        program.flush()
        ended = subprocess.run([ptcvm, "run", program.name, "--store", NOBODY, "--id", "r"], capture_output=True,
                               text=True, check=False)
        assert ended.returncode == 74 and "connection to server" in ended.stderr, (ended.returncode, ended.stderr)
        with tempfile.TemporaryDirectory() as broken:
            for name in LATE_FILES:
                open(os.path.join(broken, name), "wb").close()   # found first, and no library
            without = subprocess.run([ptcvm, "run", program.name, "--store", NOBODY, "--id", "r"], text=True,
                                     env={**os.environ, "LD_LIBRARY_PATH": broken}, capture_output=True, check=False)
    assert without.returncode == 69, (without.returncode, without.stderr)
    assert "libpq.so.5 cannot be used" in without.stderr and "install" in without.stderr, without.stderr


main()
