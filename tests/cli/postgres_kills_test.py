"""Durable runs in PostgreSQL while connections, the server and the program are killed: nothing is lost or done twice.

usage: postgres_kills_test.py PTCVM   (the program under test)"""
import collections
import os
import signal
import subprocess
import threading
import unittest

from postgres_server import PostgresServer
from ptcvm_process import PTCVM, CommandLineTest, ptcvm

TASKS = 40
PROGRAM = f"""(reduce (fn [sum i] (+ sum (task (str "t" i) (tool/pay {{:i i}})))) 0 (range {TASKS}))
"""
SUM = f"{sum(range(TASKS))}\n"
# Writes the key of the call down, and answers its argument.
TOOL = """pay=sh -c 'echo "$PTCVM_IDEMPOTENCY_KEY" >> "%s"; sleep 0.02; tr -dc 0-9'"""
SERVER = None


def setUpModule():
    global SERVER
    SERVER = PostgresServer("fsync=on")
    status, _, err = ptcvm("store", "migrate", "--store", SERVER.new_database("runs"))
    assert status == 0, err


def tearDownModule():
    SERVER.stop()


class KillsTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.ledger = self.file("ledger", "")
        self.words = ["run", self.file("p.ptc", PROGRAM), "--store", SERVER.url("runs"), "--id", self.id(),
                      "--tool-shell", TOOL % self.ledger]

    def begin(self, effect):
        return subprocess.Popen([PTCVM, *self.words, "--tool-effect", "pay=" + effect], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def calls(self):
        """How often the tool was called under each key."""
        with open(self.ledger, encoding="utf-8") as lines:
            return collections.Counter(line.strip() for line in lines)

    def calls_after(self, count, process):
        """Waits until the tool was called so often, or the process has ended."""
        while sum(self.calls().values()) < count and process.poll() is None:
            threading.Event().wait(0.005)

    def finished(self, process):
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (0, SUM), err)

    def assert_goes_on(self, process):
        if process.poll() is not None:
            self.fail(f"the run ended with {process.returncode}: {process.communicate()[1]}")

    def assert_each_once(self):
        counts = self.calls()
        self.assertEqual((len(counts), set(counts.values())), (TASKS, {1}), counts)

    def test_connections_that_are_ended_lose_nothing_and_double_nothing(self):
        process = self.begin("unsafe")
        killed = 0
        for count in range(1, TASKS, 2):
            self.calls_after(count, process)
            killed += int(SERVER.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                                     "WHERE datname = 'runs'"))
        self.finished(process)
        self.assertGreater(killed, 5, "the connections were hit")
        self.assert_each_once()

    def test_a_server_that_crashes_and_recovers_loses_nothing_and_doubles_nothing(self):
        process = self.begin("unsafe")
        for count in range(5, TASKS, 10):
            self.calls_after(count, process)
            self.assert_goes_on(process)
            SERVER.crash()
            SERVER.start()
        self.finished(process)
        self.assert_each_once()

    def test_a_program_that_is_killed_goes_on_in_the_next_one(self):
        kills = 0
        for count in range(3, TASKS, 6):
            process = self.begin("keyed")
            self.calls_after(count, process)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
            process.communicate()
        self.finished(self.begin("keyed"))
        counts = self.calls()
        self.assertGreater(kills, 3)
        self.assertEqual(len(counts), TASKS, "a call that is made again has its key again")
        self.assertLessEqual(sum(counts.values()), TASKS + kills, "a kill repeats one call at most")


if __name__ == "__main__":
    unittest.main(argv=["postgres_kills_test.py"])
