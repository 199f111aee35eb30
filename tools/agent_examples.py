#!/usr/bin/env python3
"""The agents of examples/agents/: what each says, with the model that its script is. tools/run_examples has them, too.

usage: agent_examples.py [PTCVM]   (build/release/bin/ptcvm, if not given)

A folder holds agent.json, data.json and script.jsonl, the replies of the model. Agents that wait have NAME.steps, too:
what each later process is told (the arguments of `ptcvm agent resume`, a line for each); each such file is an end of
its own, and begins with a store of its own. An agent with says.txt is a chat. expected.json has the last line of each
process, without what it used.
"""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

AGENTS = pathlib.Path(__file__).resolve().parent.parent / "examples/agents"
COMPARED = ("status", "return", "fail", "pending", "turns")
MODEL = ["--model", "scripted:script.jsonl"]


def folders():
    return sorted(path.parent for path in AGENTS.glob("*/agent.json"))


def call(ptcvm, folder, *arguments, stdin=""):
    """Everything that the command wrote, and its last line."""
    done = subprocess.run([ptcvm, "agent", *arguments], cwd=folder, input=stdin, capture_output=True, text=True,
                          timeout=60, check=False)
    lines = done.stdout.splitlines()
    if not lines or not lines[-1].startswith("{"):
        raise RuntimeError(f"{shlex.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return lines[:-1], json.loads(lines[-1])


def processes(ptcvm, folder, steps):
    """(what the process was told, what it said, its last line) for the run and for each step after it."""
    with tempfile.TemporaryDirectory() as place:
        store = ["--store", str(pathlib.Path(place, "runs.db")), "--id", folder.name]
        run = ["run", "agent.json", "--data", "data.json", *MODEL]
        yield shlex.join(["agent", *run]), *call(ptcvm, folder, *run, *store)
        for step in steps:
            yield "agent resume " + step, *call(ptcvm, folder, "resume", *store, *shlex.split(step))


def ends(ptcvm, folder):
    """The processes of each way in which the agent goes on, by its name."""
    says = folder / "says.txt"
    if says.is_file():
        chat = ["chat", "agent.json", *MODEL]
        return {"said": [(shlex.join(["agent", *chat]), *call(ptcvm, folder, *chat, stdin=says.read_text()))]}
    ways = {path.stem: path.read_text().splitlines() for path in sorted(folder.glob("*.steps"))} or {"run": []}
    return {name: list(processes(ptcvm, folder, steps)) for name, steps in ways.items()}


def comparable(made):
    return {name: [{**({"said": said} if said else {}), **{key: line[key] for key in COMPARED}}
                   for _, said, line in steps] for name, steps in made.items()}


def show(ptcvm, folder):
    """Shows the programs of the model and what became of them; whether it is what expected.json says."""
    print(f"\n=== agent {folder.name} " + "=" * (68 - len(folder.name)))
    print("  " + json.loads((folder / "agent.json").read_text())["prompt"])
    for reply in map(json.loads, (folder / "script.jsonl").read_text().splitlines()):
        text = reply.get("program", reply.get("text", ""))
        print(f"\nthe model{' for ' + reply['for'] if 'for' in reply else ''}:\n  " + text.replace("\n", "\n  "))
    made = ends(ptcvm, folder)
    for steps in made.values():
        for told, said, line in steps:
            print("\nprocess: ptcvm " + told)
            for text in said:
                print("  " + text)
            shown = {key: line[key] for key in ("status", "return", "pending") if line[key]}
            used = line["usage"]
            print("  " + json.dumps(shown, ensure_ascii=False))
            print(f"  {line['turns']} turns, {used['model_calls']} calls of the model, "
                  f"{used['tool_calls']} calls of tools, {used['input'] + used['output']} tokens")
    return comparable(made) == json.loads((folder / "expected.json").read_text())


def check(ptcvm, folder, write):
    made = comparable(ends(ptcvm, folder))
    expected = folder / "expected.json"
    if write:
        expected.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    same = expected.is_file() and json.loads(expected.read_text()) == made
    print(("ok      " if same else "FAILED  ") + "agent " + folder.name)
    if not same:
        print(json.dumps(made, indent=1, ensure_ascii=False))
    return same


def main(arguments):
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    root = pathlib.Path(__file__).resolve().parent.parent
    ptcvm = pathlib.Path(arguments[0] if arguments else root / "build/release/bin/ptcvm").resolve()
    if not ptcvm.is_file():
        print(f"there is no {ptcvm}; build it, or name another one: agent_examples.py PTCVM", file=sys.stderr)
        return 65
    results = {}
    for folder in folders():
        results[folder.name] = show(str(ptcvm), folder)
        print(f"\n{'as expected' if results[folder.name] else 'FAILED: not what expected.json says'}", flush=True)
    failed = [name for name, is_same in results.items() if not is_same]
    print(f"\n{len(results)} agents, {len(failed)} failed{': ' + ', '.join(failed) if failed else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
