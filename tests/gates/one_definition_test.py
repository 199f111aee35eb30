#!/usr/bin/env python3
"""Looks for functions that are defined twice: inline in a header of one program, and not inline in a library.

  one_definition_test.py BUILD COMPILER

Such a pair breaks the one definition rule. The linker takes one of the two without a word, so a test can call a
function with another return type than its own header says. nm shows the pair: the symbol is weak in one object and
strong in another. First two small files with the fault have to be found, then no object of the build may have one.
"""
import pathlib
import subprocess
import sys
import tempfile


def symbols(objects):
    """Returns the names of functions that are strong and those that are weak, each with the objects that define it."""
    strong, weak = {}, {}
    for start in range(0, len(objects), 100):
        lines = subprocess.run(["nm", "--defined-only", "--print-file-name", *objects[start:start + 100]],
                               capture_output=True, text=True, check=True).stdout.splitlines()
        for line in lines:
            place, rest = line.split(":", 1)
            parts = rest.split()
            if len(parts) == 3 and parts[1] in "TW":
                (strong if parts[1] == "T" else weak).setdefault(parts[2], []).append(place)
    return strong, weak


def twice(objects):
    strong, weak = symbols(objects)
    return sorted((name, strong[name][0], weak[name][0]) for name in strong.keys() & weak.keys())


def check_that_it_finds(compiler):
    with tempfile.TemporaryDirectory() as folder:
        sources = {"library.cpp": "long both() { return 1; }\n",
                   "test.cpp": "inline int both() { return 2; }\nint (*kept)() = both;\n"}
        objects = []
        for name, text in sources.items():
            source = pathlib.Path(folder, name)
            source.write_text(text)
            objects.append(str(source.with_suffix(".o")))
            subprocess.run([compiler, "-c", source, "-o", objects[-1]], check=True)
        if len(twice(objects)) != 1:
            sys.exit("a function that is defined twice was not found")


def main():
    build, compiler = sys.argv[1:]
    check_that_it_finds(compiler)
    objects = [str(path) for path in pathlib.Path(build).rglob("*.o")]
    found = twice(objects)
    for name, one, other in found:
        shown = subprocess.run(["c++filt", name], capture_output=True, text=True).stdout.strip()
        print(f"{shown}: a function of {one}, and inline in {other}")
    print(f"{len(objects)} objects, {len(found)} functions defined twice")
    sys.exit(1 if found or not objects else 0)


main()
