"""Files that nothing leads to, and words of documents that lead nowhere (tools/tidy).

Dead: a header that nobody includes, a source that no CMakeLists.txt names or globs, a document that no other links to,
a script of tools/ that nothing mentions. Stale: links of documents, their anchors, and paths in backticks.
"""
import fnmatch
import os
import pathlib
import re

FOLDERS = "schema|compiler|vm|runtime|api|include|tools|tests|bench|examples|docs|cmake"
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
SOURCE = re.compile(r"[^\s()\"]*\.(?:cpp|c)\b")
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b|/v?N\b")
FILES_TO_COME = re.compile(r"^docs/adding-")        # say how a file that is not there yet would be called
NUMBERED = ("docs/decisions/", "docs/reference/")   # found by their numbers, or from the command line
MADE_ELSEWHERE = re.compile(r"_generated\.h$")


def slug(heading):
    plain = re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(text):
    outside = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return {slug(found) for found in re.findall(r"^#+ (.*)$", outside, re.M)}


def check_document(root, path, text, report):
    outside = re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.M | re.S)
    for number, line in enumerate(outside.splitlines(), 1):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            place, _, anchor = target.partition("#")
            file = (root / path).parent / place if place else root / path
            if not file.exists():
                report(path, number, f"{target} is not there")
            elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
                report(path, number, f"{target}: no such heading")
        for named in () if FILES_TO_COME.match(path) else PATH.findall(line):
            if PLACEHOLDER.search(named):
                continue
            if not (root / named.rstrip(".")).exists() and not list(root.glob(named.rstrip("./") + ".*")):
                report(path, number, f"{named} is not there")


def cmake_patterns(root, files):
    """What CMakeLists.txt files name, as patterns from the root."""
    patterns = set()
    for path in files:
        if pathlib.Path(path).name != "CMakeLists.txt":
            continue
        folder = str(pathlib.PurePath(path).parent)
        for name in SOURCE.findall((root / path).read_text(encoding="utf-8")):
            name = name.replace("${PROJECT_SOURCE_DIR}/", "/").replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
            name = re.sub(r"\$\{\w+\}", "*", name)
            patterns.add(name[1:] if name.startswith("/") else os.path.normpath(os.path.join(folder, name)))
    return patterns


def without(texts, path):
    return "\n".join(text for other, text in texts.items() if other != path)


def check_dead(root, files, texts, report):
    """`texts` has the text of every file of code and every document."""
    included = {found for text in texts.values() for found in INCLUDE.findall(text)}
    linked = {os.path.normpath(os.path.join(os.path.dirname(path), target.partition("#")[0]))
              for path, text in texts.items() if path.endswith(".md") for target in LINK.findall(text)}
    patterns = cmake_patterns(root, files)
    for path in files:
        pure = pathlib.PurePath(path)
        if pure.suffix in (".h", ".hpp") and not MADE_ELSEWHERE.search(path):
            ends = {path, path.removeprefix("include/"), path.removeprefix("tests/"), path.removeprefix("tests/unit/"),
                    pure.name}
            if not ends & included and not any(found.endswith("/" + pure.name) for found in included):
                report(path, 1, "nobody includes it")
        elif path.startswith("examples/") and pure.suffix in (".cpp", ".c"):
            if pure.parent.name not in without(texts, path):
                report(path, 1, "nothing mentions its folder")
        elif pure.suffix in (".cpp", ".c") and not any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns):
            report(path, 1, "no CMakeLists.txt builds it")
        elif pure.suffix == ".md" and path.startswith("docs/") and not path.startswith(NUMBERED) and path not in linked:
            report(path, 1, "no document links to it")
        elif path.startswith("tools/") and pure.suffix == "" and pure.parent == pathlib.PurePath("tools"):
            if not re.search(rf"\btools/{re.escape(pure.name)}\b", without(texts, path)):
                report(path, 1, "nothing mentions it")
