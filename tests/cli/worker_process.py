"""Workers as a user starts them, and what their logs say."""
import itertools
import json
import queue
import re
import signal
import sqlite3
import subprocess
import threading
import urllib.error
import urllib.request

from postgres_server import PostgresServer
from ptcvm_process import PTCVM, CommandLineTest, ptcvm

PATIENCE = 120   # seconds that a test waits for an event; a worker that hangs fails the test


def wait_until_it_hears(process):
    """A worker that has just been started does not drain at SIGTERM yet. Also returns when it has ended."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as lines:
            caught = next(line.split()[1] for line in lines if line.startswith("SigCgt:"))
        if int(caught, 16) >> (signal.SIGTERM - 1) & 1:
            return
        threading.Event().wait(0.01)


class WorkerProcess:
    """A `ptcvm worker --log json` with its events. Ends with the test."""

    def __init__(self, test, *words):
        self.process = subprocess.Popen([PTCVM, "worker", "--log", "json", *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.events, self.coming = [], queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        test.addCleanup(self.kill)

    def read(self):
        for line in self.process.stdout:
            self.coming.put(json.loads(line))
        self.coming.put(None)

    def until(self, event, **wanted):
        """The next event of that name with these members."""
        while True:
            found = self.coming.get(timeout=PATIENCE)
            if found is None:
                raise AssertionError(f"no {event} {wanted}; {self.events}; {self.process.stderr.read()}")
            self.events.append(found)
            if found["event"] == "health":
                self.url = found["text"]
            if found["event"] == event and all(found.get(name) == value for name, value in wanted.items()):
                return found

    def send(self, number):
        if number == signal.SIGTERM:
            wait_until_it_hears(self.process)
        self.process.send_signal(number)

    def freeze(self, store):
        """Stops the process: on an SQLite file between two transactions. In the middle of one it would keep the lock
        of the file, and nobody could write."""
        while True:
            self.send(signal.SIGSTOP)
            if store.startswith("postgresql:"):
                return
            connection = sqlite3.connect(store, timeout=0.01, isolation_level=None)
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
                return
            except sqlite3.OperationalError as locked:
                if "locked" not in str(locked):
                    raise
                self.send(signal.SIGCONT)
                threading.Event().wait(0.005)
            finally:
                connection.close()

    def stop(self):
        self.send(signal.SIGTERM)
        return self.ended()

    def ended(self):
        """Waits for the end, and returns the names of all events."""
        status = self.process.wait(timeout=PATIENCE)
        while (found := self.coming.get(timeout=PATIENCE)) is not None:
            self.events.append(found)
        if status != 0:
            raise AssertionError(f"status {status}: {self.process.stderr.read()}")
        return [event["event"] for event in self.events]

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        self.reader.join(timeout=PATIENCE)
        self.process.stderr.close()
        self.process.stdout.close()

    def ask(self, path, method="GET"):
        """(status, text) of a request."""
        if not hasattr(self, "url"):
            self.until("health")
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + path, method=method), timeout=240) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode()

    def metric(self, name):
        """The value of a line of /metrics, by its name with labels. The store may not have been looked at yet."""
        for _ in range(PATIENCE * 20):
            status, text = self.ask("/metrics")
            assert status == 200, text
            if found := re.search("^" + re.escape(name) + r" (\S+)$", text, re.M):
                return float(found.group(1))
            threading.Event().wait(0.05)
        raise AssertionError(name + "\n" + text)


class WorkerTest(CommandLineTest):
    """A store with jobs. Classes below say which store."""

    def setUp(self):
        super().setUp()
        self.store = self.new_store()

    def new_store(self):
        return self.folder.name + "/runs.db"

    def ok(self, *words, stdin=""):
        status, out, err = ptcvm(*words, stdin=stdin)
        self.assertEqual(status, 0, err)
        return out

    def enqueue(self, run, source, *words):
        return self.ok("enqueue", self.file(run.replace("/", "_") + ".ptc", source), "--store", self.store, "--id", run,
                       *words)

    def worker(self, *words):
        return WorkerProcess(self, "--store", self.store, "--poll", "20ms", *words)

    def work(self, *words):
        """Works until the queues are empty; the names of the events."""
        return self.worker("--until-empty", *words).ended()

    def runs(self):
        lines = self.ok("runs", "--store", self.store, "--json").splitlines()
        return {run["id"]: run for run in map(json.loads, lines)}

    def until_runs(self, wanted):
        """Waits until `wanted` says yes to the runs."""
        for _ in range(PATIENCE * 20):
            runs = self.runs()
            if wanted(runs):
                return runs
            threading.Event().wait(0.05)
        raise AssertionError(runs)

    def ledger_tool(self, name="pay", after="true"):
        """(ledger, words) of a tool that writes its key and its fencing token into a ledger, and answers its number."""
        ledger = self.file(name + ".ledger", "")
        command = f'echo "$PTCVM_IDEMPOTENCY_KEY $PTCVM_FENCING_TOKEN" >> "{ledger}"; {after}; tr -dc 0-9'
        return ledger, ("--tool-shell", f"{name}={command}")

    def lines_of(self, path):
        with open(path, encoding="utf-8") as lines:
            return lines.read().splitlines()

    def until_lines(self, path, count):
        for _ in range(PATIENCE * 100):
            if len(self.lines_of(path)) >= count:
                return
            threading.Event().wait(0.01)
        raise AssertionError(self.lines_of(path))


class PostgresStores:
    """A server for the tests of a class, with a database for each test. Stands before WorkerTest among the bases."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = PostgresServer()
        cls.addClassCleanup(cls.server.stop)
        cls.numbers = itertools.count(1)

    def new_store(self):
        url = self.server.new_database(f"workers_{next(self.numbers)}")
        self.assertEqual(ptcvm("store", "migrate", "--store", url)[0], 0)
        return url
