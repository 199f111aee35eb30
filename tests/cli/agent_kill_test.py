#!/usr/bin/env python3
"""kill -9 for `ptcvm agent run --store`, with a ledger of the calls of the model and of the effects of tools.

usage: agent_kill_test.py PTCVM LIBRARY [--every] [--kills N] [--seed S]

The model is a server in this process, which counts requests; tools write what they do into a file. A process is killed
before and after each effect of a tool, before and after each reply of the model, at operations of the disk (LIBRARY
does that), and after random times. Every later process is the same command, and at the end the run is replayed. Without
options: every effect and reply, each eighth operation of the disk, 20 random kills. With --every: each operation.
"""
import argparse
import collections
import http.server
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading

ROOT = ["(def quotes (pmap (fn [n] (tool/quote {:n n})) [1 2]))",
        '(def receipt (task "pay" (tool/pay {:cents (reduce + quotes)})))',
        "(def said (tool/sum-up {:text (str receipt)}))",
        '(return {:filed (task "file" (tool/file {:text said})) :paid (reduce + quotes)})']
CHILD = ["(return (str \"about \" data/text))"]
TOOLS = {"quote": "pure", "pay": "unsafe", "file": "keyed"}
SIGNATURES = {"quote": "(n :int) -> :int", "pay": "(cents :int) -> :string", "file": "(text :string) -> :string"}
RESULT = {"filed": "file-done", "paid": 42}
ANSWERS = {"quote": "21", "pay": '"pay-done"', "file": '"file-done"'}
USAGE = {"prompt_tokens": 100, "completion_tokens": 10}
# What a tool does: it kills ptcvm before or after its effect, when there is a file of that name.
TOOL = """cat > /dev/null
strike() { if rm "$FOLDER/$1" 2> /dev/null; then kill -9 $PPID; fi; }
strike "before-$1"
echo "$1 $PTCVM_IDEMPOTENCY_KEY" >> "$FOLDER/effects"
strike "after-$1"
echo "$2"
"""
MOST_PROCESSES = 60


class Model(http.server.BaseHTTPRequestHandler):
    """Answers by what the conversation has, so a request that is sent again gets the same reply."""
    protocol_version = "HTTP/1.1"

    @staticmethod
    def program(program):
        """The message that calls run_program."""
        return {"content": None, "tool_calls": [{"id": f"call{len(program)}", "type": "function", "function": {
            "name": "run_program", "arguments": json.dumps({"program": program})}}]}

    def said(self, body):
        """(what is asked for, the message that answers it)"""
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        is_child = "Sum it up" in json.dumps(body["messages"][:2])
        return ("child" if is_child else "root", turn), self.program((CHILD if is_child else ROOT)[turn])

    def head(self):
        """(status, headers) of the next reply."""
        return 200, {}

    def do_POST(self):
        asked, message = self.said(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        world = self.server.world
        world.requests[asked] += 1
        number = sum(world.requests.values())
        if world.kill_at_request == (number, "before"):
            return world.kill()
        status, headers = self.head()
        reply = json.dumps({"id": "r", "object": "chat.completion", "model": "m", "usage": USAGE, "choices": [
            {"index": 0, "finish_reason": "tool_calls" if "tool_calls" in message else "stop",
             "message": {"role": "assistant", **message}}]}).encode()
        try:
            self.send_response(status)
            for name, value in {"content-type": "application/json", "content-length": str(len(reply)),
                                **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply)
            self.wfile.flush()
        except OSError:
            return None   # the process died meanwhile
        if world.kill_at_request == (number, "after"):
            world.kill()
        return None

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Says nothing about connections of processes that were killed; other errors end the test."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)
            os._exit(1)


def serve_model(case, handler):
    """Starts a model for the tests of a class."""
    case.model = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=case.model.serve_forever, daemon=True).start()
    case.addClassCleanup(case.model.shutdown)
    os.environ["PTCVM_MODEL_KEY"] = "none"
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        os.environ.pop(name, None)
        os.environ.pop(name.upper(), None)


class World:
    """One run with its folder, its model and its processes."""

    def __init__(self, ptcvm, library, server):
        self.ptcvm, self.library, self.server = ptcvm, library, server
        self.place = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.folder = pathlib.Path(self.place.name)
        self.requests = collections.Counter()
        self.kill_at_request = None
        self.process = None
        self.kills = self.doubts = 0
        server.world = self
        (self.folder / "tool.sh").write_text(TOOL)
        tools = [{"name": name, "signature": SIGNATURES[name], "description": name, "effect": effect,
                  "command": ["sh", str(self.folder / "tool.sh"), name, ANSWERS[name]]}
                 for name, effect in TOOLS.items()]
        (self.folder / "agent.json").write_text(json.dumps({
            "name": "killed", "prompt": "Pay, and file what was paid.", "signature": "() -> {filed :string, paid :int}",
            "tools": tools, "journal": True, "max_turns": 6,
            "children": {"sum-up": {"prompt": "Sum it up: {{text}}", "signature": "(text :string) -> :string"}}}))

    def close(self):
        self.place.cleanup()

    def kill(self):
        self.process.kill()

    def effects(self):
        path = self.folder / "effects"
        return [tuple(line.split(" ", 1)) for line in path.read_text().splitlines()] if path.exists() else []

    def start(self, arguments, plan):
        """Runs a process to its end, and waits for the tools that it has left behind."""
        reading, writing = os.pipe()
        environment = {**os.environ, "FOLDER": str(self.folder), "PTCVM_MODEL_KEY": "none"}
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            environment.pop(name, None)
            environment.pop(name.upper(), None)
        kind, what = plan or (None, None)
        self.kill_at_request = None
        if kind == "write":
            environment.update(LD_PRELOAD=self.library, PTCVM_KILL_AT=str(what),
                               ASAN_OPTIONS="verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""))
        if kind == "count":
            environment.update(LD_PRELOAD=self.library, PTCVM_COUNT_FILE=str(self.folder / "count"),
                               ASAN_OPTIONS="verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""))
        if kind == "tool":
            (self.folder / what).touch()
        if kind == "request":
            self.kill_at_request = (sum(self.requests.values()) + what[0], what[1])
        self.process = subprocess.Popen([self.ptcvm, "agent", *arguments], env=environment, pass_fds=[writing],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.close(writing)
        timer = threading.Timer(what, self.kill) if kind == "time" else None
        if timer:
            timer.start()
        out, err = self.process.communicate(timeout=240)
        if timer:
            timer.cancel()
        with os.fdopen(reading, "rb") as pipe:
            pipe.read()   # a tool that outlives the process holds the other end
        for name in TOOLS:
            for when in ("before-", "after-"):
                (self.folder / (when + name)).unlink(missing_ok=True)
        if self.process.returncode == -9:
            self.kills += 1
            return None
        if self.process.returncode not in (0, 75) and arguments[0] != "replay":
            raise AssertionError(f"{arguments} ended with {self.process.returncode}: {out}{err}")
        return json.loads(out.splitlines()[-1])

    def settle(self, pending, plan):
        """A person looks into the ledger, and says what became of a call in doubt."""
        assert len(pending) == 1 and pending[0].split("@")[0] == "doubt:pay", pending
        self.doubts += 1
        happened = any(name == "pay" for name, _ in self.effects())
        option, word = ("--resolve", ANSWERS["pay"]) if happened else ("--reject", "it did not")
        return self.start(["resume", *self.kept(), option, f"{pending[0]}={word}"], plan)

    def kept(self):
        return ["--store", str(self.folder / "runs.db"), "--id", "r"]

    def run(self, plans):
        """Runs until the end; the plans say how the first processes die. The last line."""
        url = f"chat:m@http://127.0.0.1:{self.server.server_port}/v1"
        command = ["run", str(self.folder / "agent.json"), "--model", url, *self.kept()]
        plans = list(plans)
        line = None
        for _ in range(MOST_PROCESSES):
            plan = plans.pop(0) if plans else None
            if line is not None and line["status"] == "suspended":
                line = self.settle(line["pending"], plan)
            else:
                line = self.start(command, plan)
            if line is not None and line["status"] != "suspended":
                return line
        raise AssertionError(f"the run did not end: {line}")


def complaints(world, line, straight, plans):
    """What is wrong with a run, compared with the run that nobody killed."""
    found = []

    def expect(is_right, text):
        if not is_right:
            found.append(text)
    expect(line["return"] == RESULT, f"returned {line['return']}")
    expect(line["turns"] == straight["turns"], f"{line['turns']} turns")
    expect(line["usage"]["fuel"] == straight["usage"]["fuel"],
           f"fuel {line['usage']['fuel']}, and {straight['usage']['fuel']} straight")
    effects = world.effects()
    paid = [key for name, key in effects if name == "pay"]
    expect(len(paid) == 1, f"paid {len(paid)} times")
    for name in ("quote", "file"):
        keys = {key for made, key in effects if made == name}
        expect(len(keys) == (2 if name == "quote" else 1), f"{name} under the keys {sorted(keys)}")
    repeats = len(effects) - 4
    expect(repeats <= 2 * world.kills, f"{repeats} effects again after {world.kills} kills")
    sent = sum(world.requests.values())
    wanted = straight["usage"]["model_calls"]
    expect(len(world.requests) == wanted, f"asked for {sorted(world.requests)}")
    expect(sent <= line["usage"]["model_calls"] <= wanted + world.kills,
           f"{sent} requests were sent, {line['usage']['model_calls']} counted, {world.kills} kills")
    if all(kind == "tool" for kind, _ in plans):
        expect(sent == wanted, f"{sent} requests, though no process died while a reply was awaited")
    return found


def boundaries(writes, step):
    for tool in TOOLS:
        for when in ("before-", "after-"):
            yield ("tool", when + tool)
    for number in range(1, len(ROOT) + len(CHILD) + 1):
        for when in ("before", "after"):
            yield ("request", (number, when))
    for number in range(1, writes + 1, step):
        yield ("write", number)


def random_plans(chance, writes, duration):
    plans = []
    for _ in range(chance.randint(1, 6)):
        kind = chance.choice(["write", "write", "time", "tool", "request"])
        what = {"write": lambda: chance.randint(1, writes), "time": lambda: chance.uniform(0.0, duration),
                "tool": lambda: chance.choice(["before-", "after-"]) + chance.choice(sorted(TOOLS)),
                "request": lambda: (chance.randint(1, 3), chance.choice(["before", "after"]))}[kind]()
        plans.append((kind, what))
    return plans


class Sweep:
    def __init__(self, ptcvm, library):
        self.ptcvm, self.library = os.path.abspath(ptcvm), os.path.abspath(library)
        self.server = Server(("127.0.0.1", 0), Model)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.sums, self.failed = collections.Counter(), 0
        world = World(self.ptcvm, self.library, self.server)
        self.straight = world.run([("count", 0)])
        self.writes = len((world.folder / "count").read_bytes())
        wrong = complaints(world, self.straight, self.straight, [])
        assert not wrong and self.writes > 20, (wrong, self.writes)
        world.close()

    def one(self, name, plans):
        world = World(self.ptcvm, self.library, self.server)
        try:
            wrong = complaints(world, world.run(plans), self.straight, plans)
            if not world.start(["replay", *world.kept()], None)["replay"]["same"]:
                wrong.append("its replay comes to another document")
        except (AssertionError, subprocess.TimeoutExpired) as error:
            wrong = [str(error)]
        self.sums.update({name + " runs": 1, name + " kills": world.kills, name + " doubts": world.doubts,
                          name + " requests": sum(world.requests.values()), name + " effects": len(world.effects())})
        if wrong:
            self.failed += 1
            print(f"FAILED {plans}: " + "; ".join(wrong), flush=True)
        kills = world.kills
        world.close()
        return kills


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptcvm")
    parser.add_argument("library")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sweep = Sweep(options.ptcvm, options.library)
    for plan in boundaries(sweep.writes, 1 if options.every else 8):
        sweep.one("boundaries", [plan])
    chance = random.Random(options.seed)
    kills = 0
    while kills < options.kills:
        kills += sweep.one("random", random_plans(chance, sweep.writes, 0.3))
    print(f"{sweep.writes} operations of the disk in a run that nobody kills, seed {options.seed}")
    for name, number in sorted(sweep.sums.items()):
        print(f"{number:8} {name}")
    print(f"{sweep.failed} failed")
    return 1 if sweep.failed or not sweep.sums["boundaries kills"] else 0


if __name__ == "__main__":
    sys.exit(main())
