#!/usr/bin/env python3
"""kill -9 of workers that execute a task, in SQLite and in PostgreSQL, with a ledger of requests and effects.

usage: worker_chain_kills_test.py PTCVM [--every]

The model is a server in this process that counts requests; tools write what they do into a file. With --every, workers
are killed at each effect of a tool and each reply of the model; else at some of them."""
import collections
import pathlib
import sys
import unittest

EVERY = "--every" in sys.argv
sys.argv = [word for word in sys.argv if word != "--every"]

import agent_kill_test as kills   # noqa: E402
from worker_chains import LEASE, REQUESTS, ChainWorkerTest, World   # noqa: E402
from worker_process import PostgresStores   # noqa: E402


class ChainKills(ChainWorkerTest):
    """In SQLite."""

    def killed(self, run, kind, what):
        """Executes the task; a worker is killed at one place. The report, and the world."""
        folder = pathlib.Path(self.folder.name) / run
        folder.mkdir()
        world = self.model.world = World(folder)
        tools = self.sweep_tools(folder)
        if kind == "tool":
            (folder / what).touch()
        world.kill_at_request = what if kind == "request" else None
        self.enqueue_task(run, "--verify", "model", tools=tools)
        dies = kind is not None
        while True:
            world.worker = worker = self.worker("--model", self.url(), *tools, *LEASE)
            found = self.until_left(worker, run)
            if found != "killed":
                worker.kill()
            if found == "in_doubt":
                paid = any(name == "pay" for name, _ in world.effects())
                self.chain("answer", run, "pay", *(("--happened", kills.ANSWERS["pay"]) if paid else ("--did-not",)))
            if found == "waiting":
                self.chain("answer", run, "file", "yes")
            if found == "ended":
                # Behind its last reply a worker can be faster than the signal.
                self.assertFalse(dies and what != (REQUESTS, "after"), "nobody was killed")
                return self.report(run), world
            dies = dies and found != "killed"
            world.kill_at_request = world.kill_at_request if dies else None

    def test_workers_that_are_killed_pay_no_reply_twice_and_repeat_no_effect_beyond_its_class(self):
        straight, world = self.killed("straight", None, None)
        self.assertEqual((straight["success"], sum(world.requests.values())), (True, REQUESTS))
        self.assertEqual((straight["outputs"][2:], straight["cost"]["modelCalls"]),
                         (["about pay-done", "file-done"], REQUESTS))
        places = [("tool", "before-pay"), ("tool", "after-pay"), ("tool", "after-file"), ("request", (1, "after")),
                  ("request", (2, "before")), ("request", (5, "before")), ("request", (7, "after"))]
        if EVERY:
            places = [("tool", when + tool) for tool in kills.TOOLS for when in ("before-", "after-")]
            places += [("request", (number, when)) for number in range(1, REQUESTS + 1) for when in ("before", "after")]
        for number, (kind, what) in enumerate(places):
            with self.subTest(kind=kind, what=what):
                report, world = self.killed(f"r{number}", kind, what)
                sent, made = sum(world.requests.values()), collections.Counter(name for name, _ in world.effects())
                self.assertEqual((report["outputs"], made["pay"]), (straight["outputs"], 1))
                self.assertEqual(len({key for name, key in world.effects() if name == "file"}), 1, "one key")
                self.assertLessEqual(sum(made.values()), 3 + (kind == "tool"))
                self.assertLessEqual(sent, REQUESTS + (kind == "request"))
                self.assertLessEqual(sent, report["cost"]["modelCalls"], "a request that was lost is counted")
                self.assertLessEqual(report["cost"]["modelCalls"], REQUESTS + (kind == "request"))
                lost = sent - REQUESTS
                shown = self.chain("show", f"r{number}")
                self.assertEqual("died before the reply: 1" in shown, lost == 1 and what[0] != 5, shown)


class PostgresChainKills(PostgresStores, ChainKills):
    pass


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
