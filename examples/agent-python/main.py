#!/usr/bin/env python3
"""A host in Python: its functions are the model and the tools of an agent, and a person decides about refunds.

usage: main.py PTCVM

ptcvm runs as a process of its own. It asks the model through a mailbox, a folder of files, and starts this file for
each call of a tool. The run is in a store, so every process may die, and the approval may come days later."""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ORDERS = {7: {"paid": True, "cents": 4200}}


def order(id):
    return ORDERS[id]


def refund(id, cents):
    return f"receipt-{id}"


# Functions, their signatures, what a second call does, and whether a person allows each call.
TOOLS = {"order": (order, "(id :int) -> {paid :bool, cents :int}", "pure", False),
         "refund": (refund, "(id :int, cents :int) -> :string", "keyed", True)}


def model(request):
    """Stands in for a model: returns what it says. A real host gives request["request"] to its client library."""
    if request["number"] == 1:
        return {"text": "I look at the order first.", "program": "(def found (tool/order {:id data/order})) found"}
    return {"text": "It was paid.", "program": "(return {:refunded (:cents found) "
                                               ":receipt (tool/refund {:id data/order :cents (:cents found)})})"}


def agent():
    """The agent file. ptcvm starts the command of a tool with the arguments as JSON on standard input."""
    this = [sys.executable, str(pathlib.Path(__file__).resolve()), "--tool"]
    tools = [{"name": name, "signature": signature, "effect": effect, "ask": asks, "command": [*this, name]}
             for name, (_, signature, effect, asks) in TOOLS.items()]
    return {"name": "refunds", "prompt": "Refund order {{order}} when it was paid.", "tools": tools,
            "signature": "(order :int) -> {refunded :int, receipt :string?}"}


class Run:
    """One run of the agent in a folder with its files."""

    def __init__(self, ptcvm, folder):
        self.ptcvm, self.folder, self.mailbox = ptcvm, folder, folder / "mailbox"
        self.mailbox.mkdir()
        (folder / "agent.json").write_text(json.dumps(agent()))

    def ptcvm_agent(self, *arguments):
        """Goes on with the run and is its model meanwhile. Returns the last line that ptcvm prints."""
        command = [self.ptcvm, "agent", *arguments, "--store", self.folder / "runs.db", "--id", "refund-7"]
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        while process.poll() is None:
            self.answer_requests()
            time.sleep(0.01)
        return json.loads(process.stdout.read().splitlines()[-1])

    def answer_requests(self):
        for path in sorted(self.mailbox.glob("*.request.json")):
            reply = path.with_name(path.name.replace("request", "reply"))
            if not reply.exists():
                request = json.loads(path.read_text())
                print(f"model: request {request['number']}, may call {', '.join(request['callable'])}")
                half = reply.with_suffix(".part")
                half.write_text(json.dumps(model(request)))
                half.rename(reply)    # ptcvm never sees half of a reply

    def start(self, data):
        (self.folder / "data.json").write_text(json.dumps(data))
        return self.ptcvm_agent("run", self.folder / "agent.json", "--data", self.folder / "data.json",
                                "--model", f"mailbox:{self.mailbox}")

    def allow(self, operation):
        return self.ptcvm_agent("resume", "--resolve", f"{operation}=true")


def main():
    if sys.argv[1] == "--tool":
        print(json.dumps(TOOLS[sys.argv[2]][0](**json.load(sys.stdin))))
        return
    with tempfile.TemporaryDirectory() as folder:
        run = Run(sys.argv[1], pathlib.Path(folder))
        last = run.start({"order": 7})
        while last["status"] == "suspended":
            print("a person allows", *last["pending"])
            last = run.allow(last["pending"][0])
        print(last["status"], last["return"], f"{last['turns']} turns")


if __name__ == "__main__":
    main()
