#!/usr/bin/env python3
"""Judges the prompt: a model does tasks whose exact answers are known, and a table says how it went.

  judge.py PTCVM --model mailbox                   requests of all tasks in FOLDER/mailbox, for a person or a program
  judge.py PTCVM --model chat:gpt-4.1              a model of a server
  judge.py PTCVM --model replay                    the recordings of an earlier judging; asks nobody
  judge.py PTCVM --model again                     the replies of these recordings to the requests of today

All tasks run at once, so that a model can answer many requests in one go. --folder keeps the runs, their recordings
(NAME.jsonl) and, when everything is over, report.json. --only NAME judges a few tasks. The exit status is 1 when a task
is not solved."""
import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import calls      # noqa: F401  registers tasks
import shapes     # noqa: F401
import tables     # noqa: F401
import texts      # noqa: F401
from conversation import HERE, Conversation
from script_again import script_of
from task import TASKS

BROKEN = ("fault", "not_run")   # kinds of turns
RECORDINGS = os.path.join(HERE, "recordings")


def model_of(arguments, task):
    """Returns the model of a task, and the file that records it."""
    recorded = os.path.join(arguments.recordings, task.name + ".jsonl")
    if arguments.model == "replay":
        return "replay:" + recorded, None
    record = os.path.join(arguments.folder, task.name + ".jsonl")
    if os.path.exists(record):
        os.remove(record)
    if arguments.model == "mailbox":
        return "mailbox:" + os.path.join(arguments.folder, "mailbox"), record
    if arguments.model == "again":
        script = os.path.join(arguments.folder, task.name + ".script")
        with open(recorded, encoding="utf-8") as old, open(script, "w", encoding="utf-8") as new:
            new.write(script_of(old.read()))
        return "scripted:" + script, record
    return arguments.model, record


def judged(arguments, task):
    model, record = model_of(arguments, task)
    conversation = Conversation(arguments.ptcvm, task, os.path.join(arguments.folder, "runs", task.name), model, record)
    why = conversation.run()
    turns, usage = conversation.history()
    first = turns[0] if turns else {"kind": "none", "feedback": ""}
    row = {"task": task.name, "kind": task.kind, "solved": not why, "why": why, "turns": len(turns),
           "model_calls": usage.get("model_calls", 0), "first": first["kind"],
           "first_fault": first["feedback"][:300] if first["kind"] in BROKEN else "",
           "repaired": sum(1 for turn in turns if turn["repaired"]),
           "faults": [turn["feedback"][:300] for turn in turns if turn["kind"] in BROKEN]}
    print(f"{'solved' if not why else 'NOT SOLVED'}  {task.name}: {row['turns']} turns  {why}", flush=True)
    return row


def report(rows):
    solved = sum(row["solved"] for row in rows)
    turns = sorted(row["turns"] for row in rows)
    print(f"{solved} of {len(rows)} tasks solved, {sum(turns)} turns "
          f"(median {turns[len(turns) // 2]}, most {turns[-1]}), {sum(row['model_calls'] for row in rows)} requests")
    faults = Counter(row["first_fault"].removeprefix("Error: ").split(":")[0] for row in rows if row["first_fault"])
    print("first programs with a fault:", ", ".join(f"{kind} {n}" for kind, n in faults.most_common()) or "none")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptcvm", type=os.path.abspath)
    parser.add_argument("--model", required=True)
    parser.add_argument("--folder", type=os.path.abspath)
    parser.add_argument("--recordings", default=RECORDINGS, type=os.path.abspath)
    parser.add_argument("--only", action="append")
    arguments = parser.parse_args()
    temporary = None if arguments.folder else tempfile.TemporaryDirectory()
    arguments.folder = arguments.folder or temporary.name
    os.makedirs(os.path.join(arguments.folder, "mailbox"), exist_ok=True)
    tasks = [task for task in TASKS if not arguments.only or task.name in arguments.only]
    at_once = 2 if arguments.model in ("replay", "again") else len(tasks)
    with ThreadPoolExecutor(at_once) as pool:
        rows = list(pool.map(lambda task: judged(arguments, task), tasks))
    with open(os.path.join(arguments.folder, "report.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1, ensure_ascii=False)
    report(rows)
    return 0 if all(row["solved"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
