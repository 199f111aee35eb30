"""The command line over the public API: names, folders and includes (tools/tidy).

Names: every file of tools/ptcvm opens namespace ptcvm::cli and no other one, and no type name exists twice in ptcvm,
wherever it is defined (include/ptcvm, api, tools/ptcvm; named and unnamed namespaces).
Folders: a file of a folder includes headers of its own folder and of earlier ones in FOLDERS (docs/architecture.md).
Only the program itself and the list of all commands are in no folder.
Includes: a header of runtime/, vm/ or api/ that tools/ptcvm includes has a row in tools/ptcvm-includes.txt, with the
reason why the public API does not do. A row that nobody needs any more is a finding, so the list only shrinks.
"""
import re

COMMAND_LINE = "tools/ptcvm/"
FOLDERS = ["process", "text", "calls", "store", "trace", "source", "program", "batch", "prompt", "agent", "chain",
           "harness", "runs", "queue", "worker", "command_line"]
IN_NO_FOLDER = {"main.cpp", "late_libraries.cpp", "commands.h"}
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s+"tools/ptcvm/(?:(\w+)/)?[^"/]+"')
PUBLIC = ("include/ptcvm/", "api/")
LIST = "tools/ptcvm-includes.txt"
NAMESPACE = re.compile(r"^(?:inline )?namespace ([\w:]+) \{")
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:runtime|vm|api)/[^"]+)"')
# The definition of a type at the beginning of a line, which is where namespaces have theirs.
TYPE = re.compile(r"^(?:struct|class|union|enum(?: class| struct)?) (?:PTCVM_API )?(\w+)(?: final)?(?: : [^;]*)? \{|"
                  r"^using (\w+) =")


def listed(text, report):
    """Header to line number, from the rows `HEADER REASON`."""
    rows = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        header, _, reason = line.partition(" ")
        if not reason.strip():
            report(LIST, number, f"{header} has no reason")
        rows[header] = number
    return rows


def namespaces(path, lines, report):
    """The namespaces that the file opens; findings when a file of the command line opens another one."""
    found = [(number, match.group(1)) for number, line in enumerate(lines, 1) if (match := NAMESPACE.match(line))]
    if path.startswith(COMMAND_LINE):
        for number, name in found:
            if name != "ptcvm::cli":
                report(path, number, f"namespace {name}: the command line is ptcvm::cli")
        if not found:
            report(path, 1, "no namespace ptcvm::cli")
    return [name for _, name in found]


def arrows(path, lines, report):
    """Findings when the file is in no known folder, or includes a header of a later one."""
    folder, _, name = path.removeprefix(COMMAND_LINE).rpartition("/")
    if folder not in FOLDERS:
        if folder or name not in IN_NO_FOLDER:
            report(path, 1, f"files of {COMMAND_LINE} are in these folders: {', '.join(FOLDERS)}")
        return
    for number, line in enumerate(lines, 1):
        found = OWN_INCLUDE.match(line)
        if found and found.group(1) in FOLDERS[FOLDERS.index(folder) + 1:]:
            report(path, number, f"{folder} may not include {found.group(1)}")


def check(texts, report):
    """`texts` has the text of every file by its path."""
    defined, included = {}, set()
    rows = listed(texts[LIST], report)
    for path in sorted(texts):
        ours = path.startswith(COMMAND_LINE)
        if not path.endswith((".h", ".hpp", ".cpp")) or not (ours or path.startswith(PUBLIC)):
            continue
        lines = texts[path].splitlines()
        if ours:
            arrows(path, lines, report)
        in_ptcvm = any(name.split("::")[0] == "ptcvm" for name in namespaces(path, lines, report))
        for number, line in enumerate(lines, 1):
            header = INCLUDE.match(line)
            if ours and header:
                included.add(header.group(1))
                if header.group(1) not in rows:
                    report(path, number, f"{header.group(1)} is not in {LIST}: use include/ptcvm")
            found = TYPE.match(line)
            if not found or not in_ptcvm:
                continue
            name = found.group(1) or found.group(2)
            if name in defined:
                report(path, number, f"the type {name} exists twice in ptcvm, also at {defined[name]}")
            defined[name] = f"{path}:{number}"
    for header, number in rows.items():
        if header not in included:
            report(LIST, number, f"nobody includes {header} any more")
