#!/usr/bin/env python3
"""Workers that look for runs once an hour, and are told by PostgreSQL that a run is ready.

usage: worker_listen_test.py PTCVM"""
import threading
import unittest

from worker_process import PATIENCE, PostgresStores, WorkerProcess, WorkerTest

LISTENERS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ptcvm listener' AND query LIKE 'LISTEN%'"


class Told(PostgresStores, WorkerTest):
    def listening(self, *words):
        """A worker that has looked once and listens."""
        worker = WorkerProcess(self, "--store", self.store, "--poll", "1h", *words)
        worker.until("joined")
        self.until_sql(LISTENERS, "1")
        return worker

    def until_sql(self, query, wanted):
        for _ in range(PATIENCE * 20):
            if (found := self.server.sql(query)) == wanted:
                return
            threading.Event().wait(0.05)
        raise AssertionError(f"{query}: {found}")

    def test_a_job_and_an_answer_wake_a_worker(self):
        worker = self.listening()
        self.enqueue("may", '(+ 1 (await-signal "go"))')
        worker.until("waiting", run="may")
        self.ok("journal", "put", "--store", self.store, "may", "go", "6")
        worker.until("ended", run="may")
        self.assertEqual(self.ok("resume", "--store", self.store, "may"), "7\n")
        worker.stop()

    def test_the_metrics_say_how_it_hears_and_what_the_database_keeps(self):
        self.enqueue("may", "1")
        worker = self.listening("--health", "0")
        worker.until("ended", run="may")
        # The database knows that somebody listens a moment before the worker does.
        while 'mode="listen"' not in worker.ask("/metrics")[1]:
            threading.Event().wait(0.02)
        self.assertGreaterEqual(worker.metric('ptcvm_worker_table_dead_rows{table="job"}'), 0)
        self.assertGreaterEqual(worker.metric("ptcvm_worker_oldest_view_age_transactions"), 0)
        worker.stop()

    def test_each_worker_hears_of_its_queues_only(self):
        worker = self.listening("--queue", "orders")
        self.enqueue("mail", "1", "--queue", "mails")
        self.enqueue("order", "2", "--queue", "orders")
        worker.until("ended", run="order")
        self.assertEqual(worker.stop().count("claimed"), 1)

    def test_what_came_while_the_connection_was_lost_is_found(self):
        worker = self.listening()
        self.server.crash()
        self.server.start()
        self.enqueue("may", "1")
        worker.until("ended", run="may")
        self.until_sql(LISTENERS, "1")
        self.assertEqual(self.server.sql(LISTENERS.replace("count(*)", "pg_terminate_backend(pid)")), "t")
        self.until_sql(LISTENERS, "1")
        self.enqueue("june", "1")
        worker.until("ended", run="june")
        worker.stop()

    def test_a_worker_that_polls_has_no_such_connection(self):
        worker = self.worker("--no-listen")
        self.enqueue("may", "1")
        worker.until("ended", run="may")
        self.assertEqual(self.server.sql(LISTENERS), "0")
        worker.stop()


if __name__ == "__main__":
    unittest.main(argv=["worker_listen_test"])
