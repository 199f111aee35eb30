"""Copies of code: stretches of lines that stand in two places, counted for each part of the tree (tools/tidy).

A line counts without blanks and comments; lines that say little (a brace, an include, one word) do not count. A stretch
of WINDOW such lines that occurs twice is a copy, and all its lines are. What there is stands in tools/tidy-baseline.txt
as `clones PART LINES`, and may only shrink.
"""
import collections
import pathlib
import re

WINDOW = 6
SAYS_LITTLE = re.compile(
    r"^(|[\W\d]*|#include.*|#pragma.*|namespace.*|\w+;?|(public|private|protected):|(import|from) .*)$")
COMMENT = re.compile(r"^\s*(//|#(?!include|pragma|define|if|endif|undef)).*|\s+//.*$")
PARTS = {
    "engine": ("schema/", "compiler/", "vm/", "runtime/", "api/", "include/"),
    "tools": ("tools/", "bench/"),
    "tests": ("tests/",),
}
# Programs that share no code on purpose, because users copy them.
ALONE = ("tests/embed", "tests/package", "tests/lean")


def telling_lines(text):
    """Number and text of the lines that count."""
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        line = COMMENT.sub("", line).strip()
        if not SAYS_LITTLE.match(line):
            lines.append((number, re.sub(r"\s+", "", line)))
    return lines


def copies(root, paths):
    """Lines that are copies: {(path, number)}, and the places of each first line of a copy."""
    places = collections.defaultdict(list)
    read = {}
    for path in paths:
        read[path] = lines = telling_lines((root / path).read_text(encoding="utf-8"))
        texts = [line for _, line in lines]
        for at in range(len(texts) - WINDOW + 1):
            places["\n".join(texts[at : at + WINDOW])].append((path, at))
    marked, starts = set(), []
    for found in places.values():
        if len(found) < 2:
            continue
        starts.append([(path, read[path][at][0]) for path, at in found])
        for path, at in found:
            marked.update((path, number) for number, _ in read[path][at : at + WINDOW])
    return marked, starts


def check(root, files, allowed, report):
    """Reports the copies of parts with more copied lines than allowed ({part: lines})."""
    code = [path for path in files if pathlib.Path(path).suffix in (".h", ".hpp", ".cpp", ".py")]
    for part, folders in PARTS.items():
        paths = [path for path in code if path.startswith(folders) and not path.startswith(ALONE)]
        marked, starts = copies(root, paths)
        most = allowed.get(part, 0)
        if len(marked) <= most:
            continue
        for found in sorted(starts)[:40]:
            report(found[0][0], found[0][1], "also in " + ", ".join(f"{path}:{number}" for path, number in found[1:4]))
        report("tools/tidy-baseline.txt", 1, f"clones {part}: {len(marked)} lines, {most} allowed")
