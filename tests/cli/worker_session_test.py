#!/usr/bin/env python3
"""Agents of queues that are sessions, and what is said to those that are over, in SQLite and in PostgreSQL.

usage: worker_session_test.py PTCVM   (the program under test)"""
import json
import os
import signal
import unittest

from ptcvm_process import ptcvm
from worker_agents import AgentWorkers, CLERK
from worker_process import PostgresStores


class Sessions(AgentWorkers):
    """In SQLite."""

    def test_a_session_waits_for_what_is_said_until_it_is_ended(self):
        said = [{"program": f'(return {{:said "{word}"}})'} for word in ("one", "two")]
        script = self.script("s.jsonl", *said)
        self.enqueue_agent("a", CLERK, {"who": "Ann"}, "--idle", "1h")
        worker = self.worker("--model", script)
        worker.until("waiting", run="a")
        self.assertEqual(self.show("a")["return"], {"said": "one"})
        self.tell("a", "--say", "And now?")
        worker.until("waiting", run="a")
        self.assertEqual(self.show("a")["return"], {"said": "two"})
        self.tell("a", "--end")
        worker.until("ended", run="a")
        worker.stop()
        self.assertEqual(self.runs()["a"]["queue_state"], "done")
        self.refuses_to_hear("a", "done")

    def test_a_letter_that_comes_while_the_last_program_runs_is_answered(self):
        begun, gate = self.file("begun", ""), self.file("gate", "")
        os.remove(gate)
        clerk = {**CLERK, "tools": [{"name": "look", "signature": "(who :string) -> :int", "effect": "pure"}]}
        self.enqueue_agent("a", clerk, {"who": "Ann"}, "--idle", "1h")
        worker = self.worker(
            "--model", self.script("s.jsonl", {"program": '(return {:said (str "one " (tool/look {:who "Ann"}))})'},
                                   {"program": '(return {:said "two"})'}, {"program": '(return {:said "three"})'}),
            "--tool-shell",
            f'look=cat > /dev/null; echo b >> "{begun}"; until [ -e "{gate}" ]; do sleep 0.05; done; echo 1')
        self.until_lines(begun, 1)
        self.tell("a", "--say", "Hurry up.")
        os.mkfifo(gate)
        worker.until("waiting", run="a")
        shown = self.show("a")
        self.assertEqual((shown["return"], len(self.lines_of(begun))), ({"said": "two"}, 1), shown)
        self.tell("a", "--end")
        worker.until("ended", run="a")
        worker.stop()
        self.assertEqual((self.show("a")["return"], self.runs()["a"]["queue_state"]), ({"said": "two"}, "done"))

    def refuses_to_hear(self, run, state):
        """Whatever is said to it, the run is over, and no model is asked by the command."""
        for words in (("--say", "And now?"), ("--end",), ("--raise", "turns=2"), (), ("--say", "x", "--stream")):
            status, out, err = ptcvm("agent", "resume", "--store", self.store, "--id", run, *words)
            self.assertEqual((status, out), (65, ""), words)
            self.assertIn(f"wrong_state: the run {run} of the queue default is over ({state}", err)

    def test_an_agent_of_a_queue_that_ended_hears_nothing(self):
        self.enqueue_agent("good", CLERK, {"who": "Ann"})
        self.work("--model", self.script("s.jsonl", {"program": '(return {:said "one"})'}))
        self.refuses_to_hear("good", "done")
        self.enqueue_agent("bad", CLERK, {"who": "Ann"})
        self.work("--model", self.script("f.jsonl", {"program": '(fail {:reason :no :message "never"})'}))
        self.refuses_to_hear("bad", "dead: ")

    def test_an_agent_of_a_queue_is_not_begun_by_a_command(self):
        self.enqueue_agent("a", CLERK, {"who": "Ann"})
        status, _, err = ptcvm("agent", "run", self.file("agent.json", json.dumps(CLERK)), "--data",
                               self.file("data.json", '{"who": "Ann"}'), "--store", self.store, "--id", "a",
                               "--model", self.script("s.jsonl", {"program": '(return {:said "one"})'}))
        self.assertEqual((status, "is a job of the queue default" in err), (65, True), err)

    def test_a_model_server_that_is_down_is_told_in_the_log(self):
        self.enqueue_agent("a", CLERK, {"who": "Ann"})
        worker = self.worker("--model", "chat:m@http://127.0.0.1:9/v1")
        self.assertIn("127.0.0.1", worker.until("warning")["text"])
        worker.send(signal.SIGTERM)
        worker.send(signal.SIGTERM)
        worker.ended()

    def test_a_session_that_is_idle_is_over(self):
        self.enqueue_agent("a", CLERK, {"who": "Ann"}, "--idle", "1ms")
        worker = self.worker("--model", self.script("s.jsonl", {"program": '(return {:said "one"})'}))
        worker.until("ended", run="a")
        worker.stop()
        self.refuses_to_hear("a", "done")


class SessionsInPostgres(PostgresStores, Sessions):
    """In PostgreSQL."""


if __name__ == "__main__":
    unittest.main(argv=["worker_session_test"])
