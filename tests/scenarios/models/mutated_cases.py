#!/usr/bin/env python3
"""Changes what cases expect, and says which changes the runner does not notice.

mutated_cases.py RUNNER KIND FILE...: changes each member of `then` in turn, down to each row and each value in it, adds
a member that does not exist, and runs `RUNNER KIND` over all of that. A case that still holds is printed, and the exit
status is 1. The cases must hold as they are.
"""
import copy
import json
import subprocess
import sys
import tempfile


def changed(value):
    """Yields values that differ from the given one in one place."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield value + 1
    elif isinstance(value, str):
        yield value + "~"
    elif value is None:
        yield "~"
    elif isinstance(value, list):
        for place, item in enumerate(value):
            for other in changed(item):
                yield value[:place] + [other] + value[place + 1:]
        yield value + ["~"]
    else:
        for name, item in value.items():
            for other in changed(item):
                yield value | {name: other}


def changed_member(kind, name, value):
    """As changed(); what is given in rows of tables stays."""
    if name == "no_fact":
        return   # another fact is not there either
    given = {"verify": 2, "risk": 2, "feedback": 1}.get(kind) if name == "rows" else None
    if given is None:
        yield from changed(value)
        return
    for place, row in enumerate(value):
        for other in changed(row[given:]):
            yield value[:place] + [row[:given] + other] + value[place + 1:]
    yield value + ["~"]


def mutants(case):
    then = case["then"]
    others = [then | {name: other} for name, value in then.items()
              for other in changed_member(case.get("kind"), name, value)]
    others.append(then | {"no_such_member": 1})
    for number, other in enumerate(others):
        mutant = copy.deepcopy(case)
        mutant["id"] = f"{case['id']} mutant {number}"
        mutant["then"] = other
        yield mutant


def main():
    runner, kind, *paths = sys.argv[1:]
    made = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            made += [mutant for line in file if line.strip() for mutant in mutants(json.loads(line))]
    with tempfile.NamedTemporaryFile("w+", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(mutant) + "\n" for mutant in made)
        file.flush()
        ran = subprocess.run([runner, kind, file.name, "--store", "memory"], capture_output=True, text=True)
    verdicts = [json.loads(line) for line in ran.stdout.splitlines()[:-1]]
    unnoticed = [mutant for mutant, verdict in zip(made, verdicts) if verdict["ok"]]
    for mutant in unnoticed:
        print("not noticed:", mutant["id"], json.dumps(mutant["then"]))
    print(len(made), "mutants,", len(unnoticed), "not noticed")
    return 0 if len(verdicts) == len(made) and not unnoticed else 1


if __name__ == "__main__":
    sys.exit(main())
