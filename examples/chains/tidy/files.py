#!/usr/bin/env python3
"""files.py list|make|move|delete: file tools for a task. The arguments are JSON on standard input, the answer is JSON
on standard output, and an error is a message and the exit status 1."""
import json
import pathlib
import sys


def listed(args):
    return sorted(str(path) for path in pathlib.Path(args["path"]).rglob("*") if path.is_file())


def make(args):
    pathlib.Path(args["path"]).mkdir(parents=True, exist_ok=True)
    return "made " + args["path"]


def move(args):
    target = pathlib.Path(args["to"])
    if not target.is_dir():
        raise OSError(f"there is no folder {target}")
    moved = [path.rename(target / path.name) for path in sorted(pathlib.Path(args["from"]).glob(args["pattern"]))]
    return f"moved {len(moved)} files to {target}"


def delete(args):
    pathlib.Path(args["path"]).unlink()
    return "deleted " + args["path"]


if __name__ == "__main__":
    tool = {"list": listed, "make": make, "move": move, "delete": delete}[sys.argv[1]]
    try:
        print(json.dumps(tool(json.load(sys.stdin))))
    except (OSError, KeyError) as error:
        sys.exit(f"{error}")
