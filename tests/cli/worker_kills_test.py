#!/usr/bin/env python3
"""Four workers over PostgreSQL that are killed, stopped past their lease and drained, while the server crashes, starts
again and ends connections, and jobs come in: no run is lost, no effect is there twice beyond its class, late writes of
workers that were taken for dead are refused, and no worker ends by itself.

usage: worker_kills_test.py PTCVM [--minutes N] [--seed N] [--strikes kill,stop,drain,restart,disconnect]
(the program under test; minutes may be a fraction)"""
import argparse
import collections
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from postgres_server import PostgresServer
from worker_process import wait_until_it_hears

WORKERS, STEPS, LEASE = 4, 5, 2.0
STRIKES = {"kill": 6, "stop": 3, "drain": 3, "restart": 1, "disconnect": 2}   # what happens, and how often
# Each step calls a tool that knows keys, and one that must not be called twice. In between the program computes.
PROGRAM = f"""(reduce (fn [sum i]
          (reduce + 0 (range 60000))
          (+ sum (task (str "t" i) (+ (tool/pay {{:i i}}) (tool/once {{:i i}})))))
        0 (range {STEPS}))"""
SUM = 2 * sum(range(STEPS))
TOOL = ('read -r line; echo "{name} $PTCVM_IDEMPOTENCY_KEY" >> "$LEDGER"; sleep 0.0$(($$ % 10)); '
        'echo "$line" | tr -dc 0-9')


class Workers:
    """Four places, each with a worker; what their logs say is counted."""

    def __init__(self, ptcvm, url, folder, ledger, places=({},) * WORKERS):
        self.ptcvm, self.url, self.folder, self.places = ptcvm, url, folder, places   # places: their environments
        tools = [{"name": name, "command": ["sh", "-c", TOOL.format(name=name)], "effect": effect,
                  "environment": {"LEDGER": ledger}} for name, effect in (("pay", "keyed"), ("once", "unsafe"))]
        self.tools = os.path.join(folder, "tools.json")
        with open(self.tools, "w", encoding="utf-8") as out:
            json.dump(tools, out)
        self.log = open(os.path.join(folder, "log"), "ab")
        self.processes = [self.started(place) for place in range(WORKERS)]

    def started(self, place):
        words = ("--no-listen",) if "NO_LISTEN" in self.places[place] else ()
        return subprocess.Popen([self.ptcvm, "worker", "--store", self.url, "--tools", self.tools, "--slots", "3",
                                 "--lease", f"{LEASE:g}s", "--poll", "200ms", "--drain", "1s", "--log", "json", *words],
                                stdout=self.log, stderr=self.log, env={**os.environ, **self.places[place]})

    def strike(self, what, rng):
        place = rng.randrange(WORKERS)
        process = self.processes[place]
        if what == "stop":
            process.send_signal(signal.SIGSTOP)
            threading.Event().wait(LEASE * 1.6)
            process.send_signal(signal.SIGCONT)
            return
        if what != "kill":
            wait_until_it_hears(process)
        process.send_signal(signal.SIGKILL if what == "kill" else signal.SIGTERM)
        status = process.wait(timeout=240)
        assert what == "kill" or status == 0, f"a drained worker ended with {status}"
        self.processes[place] = self.started(place)

    def kill(self):
        """Ends what a trial that failed has left."""
        for process in self.processes:
            process.kill()
            process.wait()

    def are_there(self):
        return all(process.poll() is None for process in self.processes)

    def end(self):
        for process in self.processes:
            wait_until_it_hears(process)
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            assert process.wait(timeout=240) == 0
        self.log.close()

    def events(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as lines:
            found = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}\n")]
        return collections.Counter(event["event"] for event in found)


def tenant(run):
    """The option that names the tenant of a run."""
    return "--tenant", f"t{int(run[1:]) % 3}"


class Trial:
    def __init__(self, arguments, folder, server, database="runs"):
        self.ptcvm, self.rng = arguments.ptcvm, random.Random(arguments.seed)
        self.seconds, self.folder = arguments.minutes * 60, folder
        self.ledger = os.path.join(folder, "ledger")
        open(self.ledger, "w", encoding="utf-8").close()
        self.program = os.path.join(folder, "p.ptc")
        with open(self.program, "w", encoding="utf-8") as out:
            out.write(PROGRAM)
        self.server, self.database, self.url = server, database, server.url(database)
        self.jobs, self.doubted, self.settled = 0, {}, 0
        self.strikes = {what: STRIKES[what] for what in arguments.strikes.split(",")}
        self.counts = collections.Counter()

    def ask(self, *words, stdin=""):
        done = subprocess.run([self.ptcvm, *words, "--store", self.url], input=stdin, capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def feed(self):
        queues = [json.loads(line) for line in self.ask("queue", "ls", "--json").splitlines()]
        if sum(queue["ready"] for queue in queues) > 20:
            return
        lines = [json.dumps({"id": f"r{n}", "tenant": tenant(f"r{n}")[1]}) for n in range(self.jobs, self.jobs + 20)]
        self.jobs += 20
        self.ask("enqueue", self.program, "--bulk", "-", stdin="\n".join(lines))

    def calls(self):
        with open(self.ledger, encoding="utf-8") as lines:
            return collections.Counter(line.strip() for line in lines)

    # A person looks at the ledger, when every process that could still write has done so.
    def settle_doubts(self):
        # A list of all runs takes longer with each of them.
        rows = self.server.sql("SELECT convert_from(r.log, 'UTF8') FROM ptcvm.job j "
                               "JOIN ptcvm.run r ON r.id = j.run WHERE j.state = 3 LIMIT 20", self.database)
        lists = (self.ask("doubt", "list", run, "--json", *tenant(run)) for run in rows.splitlines())
        for line in itertools.chain.from_iterable(text.splitlines() for text in lists):
            doubt = json.loads(line)
            place = (doubt["run"], doubt["key"])
            if time.monotonic() - self.doubted.setdefault(place, time.monotonic()) < 2:
                continue
            happened = f"once {doubt['key']}" in self.calls()
            words = ("--happened", str(doubt["args"]["i"])) if happened else ("--did-not",)
            done = subprocess.run([self.ptcvm, "doubt", "settle", doubt["run"], doubt["key"], *words,
                                   *tenant(doubt["run"]), "--store", self.url],
                                  capture_output=True, text=True, check=False)
            # The worker that was taken for dead may have said so itself meanwhile.
            assert done.returncode == 0 or "(any more)" in done.stderr or "nothing is in doubt" in done.stderr, done
            self.settled += done.returncode == 0

    def strike(self, workers):
        what = self.rng.choices(list(self.strikes), self.strikes.values())[0]
        self.counts[what] += 1
        if what == "restart":
            self.server.crash()
            self.server.start()
        elif what == "disconnect":
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                            f"WHERE datname = '{self.database}'")
        else:
            workers.strike(what, self.rng)
        assert workers.are_there(), "no worker ends by itself"

    def states(self):
        rows = self.server.sql("SELECT state, count(*) FROM ptcvm.job GROUP BY state",
                               self.database).splitlines()
        return {int(state): int(count) for state, count in (row.split("|") for row in rows)}

    def run(self):
        self.feed()
        workers = Workers(self.ptcvm, self.url, self.folder, self.ledger)
        until = time.monotonic() + self.seconds
        while time.monotonic() < until:
            threading.Event().wait(self.rng.uniform(0.1, 0.8))
            self.strike(workers)
            self.feed()
            self.settle_doubts()
            self.retry_quarantined()
        self.calm(workers)
        return self.judge(workers)

    # Nothing fails any more, and everything must end.
    def calm(self, workers):
        calm = time.monotonic()
        while self.states() != {5: self.jobs}:
            assert time.monotonic() - calm < 300, self.states()
            threading.Event().wait(0.3)
            self.settle_doubts()
            self.retry_quarantined()
        workers.end()

    def retry_quarantined(self):
        for log in self.server.sql("SELECT convert_from(r.log, 'UTF8') FROM ptcvm.job j "
                                   "JOIN ptcvm.run r ON r.id = j.run WHERE j.state = 4", self.database).splitlines():
            self.ask("runs", "retry", log, *tenant(log))

    def deaths(self, events):
        """Of workers, and what costs as much: a lease is also lost by load."""
        return self.counts["kill"] + self.counts["drain"] + events["lease_lost"]

    def judge(self, workers):
        calls, events = self.calls(), workers.events()
        wanted = self.jobs * STEPS
        by_tool = {name: {key: count for key, count in calls.items() if key.startswith(name + " ")}
                   for name in ("pay", "once")}
        runs = [json.loads(line) for line in self.ask("runs", "--json").splitlines()]
        strikes = sum(self.counts.values())
        deaths = self.deaths(events)
        repeated = sum(by_tool["pay"].values()) - len(by_tool["pay"])
        print(f"{self.jobs} runs, {strikes} strikes {dict(self.counts)}, {sum(calls.values())} calls, "
              f"{repeated} repeated under their keys, {self.settled} doubts, events {dict(sorted(events.items()))}")
        assert {run["state"] for run in runs} == {"ended ok"} and len(runs) == self.jobs, "no run is lost"
        assert len(by_tool["pay"]) == wanted and len(by_tool["once"]) == wanted, "no call is lost"
        assert set(by_tool["once"].values()) == {1}, "an unsafe call is made once"
        assert repeated <= deaths * 3 * 2, "a death repeats at most the calls of its slots"
        values = self.server.sql("SELECT count(*) FROM ptcvm.fact WHERE key LIKE 'task/%'", self.database)
        assert int(values) == wanted, f"{values} tasks are in the logs, {wanted} are wanted"
        assert self.counts["stop"] == 0 or events["lease_lost"] > 0, "stops past the lease were noticed"
        refused = events["lost"] + events["lease_lost"]
        assert self.counts["stop"] == 0 or refused > 0, "late writes were refused"
        assert re.fullmatch(r"\d+", values)


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("ptcvm", type=os.path.abspath)
    reader.add_argument("--minutes", type=float, default=0.4)
    reader.add_argument("--seed", type=int, default=int(time.time()))
    reader.add_argument("--strikes", default=",".join(STRIKES))
    arguments = reader.parse_args()
    print(f"seed {arguments.seed}")
    server = PostgresServer()
    try:
        with tempfile.TemporaryDirectory() as folder:
            url = server.new_database("runs")
            subprocess.run([arguments.ptcvm, "store", "migrate", "--store", url], check=True, stdout=subprocess.DEVNULL)
            Trial(arguments, folder, server).run()
    finally:
        server.stop()


if __name__ == "__main__":
    sys.exit(main())
