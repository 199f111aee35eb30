"""Runs that a store in PostgreSQL keeps: everything that store_test.py says of files, and what is said of databases.

usage: postgres_store_test.py PTCVM   (the program under test)"""
import json
import re
import shlex
import unittest

import store_test
from postgres_server import PostgresServer
from ptcvm_process import CommandLineTest, ptcvm

SERVER = None
TABLES = "ptcvm.run, ptcvm.fact, ptcvm.open_call, ptcvm.parked, ptcvm.waiting"
# About files, or about more than one store.
NOT_HERE = {"test_a_store_that_is_not_there", "test_a_file_that_is_no_store",
            "test_a_log_goes_to_another_store_and_on_from_there", "test_of_two_at_once_one_is_refused",
            "test_the_first_answer_counts_by_whatever_name"}


def setUpModule():
    global SERVER
    SERVER = PostgresServer()
    status, out, err = ptcvm("store", "migrate", "--store", SERVER.new_database("runs"))
    assert (status, out, err) == (0, "made the store\n", ""), (status, out, err)


def tearDownModule():
    SERVER.stop()


class InPostgres:
    def setUp(self):
        super().setUp()
        SERVER.sql("TRUNCATE " + TABLES, "runs")
        self.store = SERVER.url("runs")


def on_postgres(case):
    """The class with each test of `case` that is about any store."""
    out = type("Postgres" + case.__name__, (InPostgres, case), {})
    for name in NOT_HERE:
        if hasattr(out, name):
            setattr(out, name, None)
    return out


for each in list(vars(store_test).values()):
    if isinstance(each, type) and issubclass(each, store_test.StoreTest) and each is not store_test.StoreTest:
        globals()["Postgres" + each.__name__] = on_postgres(each)


class StoreCommandTest(CommandLineTest):
    def test_a_database_without_a_store_names_the_command_that_makes_it(self):
        url = SERVER.new_database("empty")
        status, _, err = ptcvm("run", self.file("p.ptc", "1"), "--store", url, "--id", "r")
        self.assertEqual(status, 65, err)
        self.assertIn("ptcvm store migrate", err)

    def test_sql_is_what_migrate_does(self):
        status, out, _ = ptcvm("store", "sql")
        self.assertEqual(status, 0)
        SERVER.new_database("by_hand")
        SERVER.sql(out, "by_hand")
        self.assertEqual(ptcvm("run", self.file("p.ptc", "(+ 1 2)"), "--store", SERVER.url("by_hand"), "--id", "r")[:2],
                         (0, "3\n"))
        self.assertEqual(ptcvm("store", "migrate", "--store", SERVER.url("by_hand"))[:2],
                         (0, "the store is up to date; it had version 13\n"))

    def test_check_refuses_a_server_that_loses_commits(self):
        status, out, _ = ptcvm("store", "check", "--store", SERVER.url("runs"))
        self.assertEqual(status, 74)
        self.assertIn("refused: fsync is off", out)

    def test_no_password_is_shown(self):
        url = "postgresql://app:geheim@/x?host=/nowhere&password=geheim"
        for words in (["runs"], ["store", "check"], ["store", "migrate"]):
            status, out, err = ptcvm(*words, "--store", url)
            self.assertEqual(status, 74, err)
            self.assertNotIn("geheim", out + err)
            self.assertIn("postgresql://app@/x?host=/nowhere", err)

    def test_a_printed_command_has_the_whole_url(self):
        url = SERVER.new_database("whole") + "&application_name=a%20b&sslpassword=geheim"
        self.assertIn("?", url)
        self.assertEqual(ptcvm("store", "migrate", "--store", url)[0], 0)
        status, out, err = ptcvm("run", self.file("w.ptc", '(await-signal "go")'), "--store", url, "--id", "r")
        self.assertEqual(status, 75, err)
        self.assertNotIn("geheim", out + err)
        words = shlex.split(re.search("ptcvm (journal put .*) JSON", err).group(1))
        self.assertEqual(ptcvm(*words, "1")[0], 0, words)
        self.assertIn("application_name=a%20b", words[words.index("--store") + 1])

    def test_what_a_database_does_not_do_is_refused_by_name(self):
        program = self.file("p.ptc", "1")
        status, _, err = ptcvm("run", program, "--store", SERVER.url("runs"), "--id", "r", "--durability", "group")
        self.assertEqual(status, 65, err)
        self.assertIn("--durability group", err)
        status, _, err = ptcvm("store", "check", "--store", "runs.db")
        self.assertEqual(status, 65)
        self.assertIn("postgresql://", err)

    def test_a_program_of_an_application_is_executed_when_its_transaction_is_committed(self):
        url = SERVER.new_database("application")
        self.assertEqual(ptcvm("store", "migrate", "--store", url)[0], 0)
        call = "SELECT ptcvm.enqueue_program('{}', '(+ data/n 1)', data_edn => '{{\"n\" {}}}');"
        SERVER.sql("BEGIN;" + call.format("gone", 1) + "ROLLBACK; BEGIN;" + call.format("kept", 41) + "COMMIT;",
                   "application")
        done = ptcvm("worker", "--store", url, "--until-empty", "--poll", "20ms")
        self.assertEqual(done[0], 0, done)
        status, out, err = ptcvm("runs", "--store", url, "--json")
        self.assertEqual((status, len(out.splitlines()), '"id":"kept","state":"ended ok"' in out), (0, 1, True), err)
        with self.assertRaises(Exception):
            SERVER.sql("SELECT ptcvm.enqueue_program('kept', '1', tenant => 'another')", "application")

    def test_a_program_that_no_worker_can_compile_is_given_up_by_the_first(self):
        url = SERVER.new_database("broken")
        self.assertEqual(ptcvm("store", "migrate", "--store", url)[0], 0)
        for name, program in (("open", "(+ 1"), ("nothing", "(nothing-has-this-name 1)"), ("tool", "(tool/nope {})")):
            SERVER.sql(f"SELECT ptcvm.enqueue_program('{name}', '{program}')", "broken")
        done = ptcvm("worker", "--store", url, "--until-empty", "--poll", "20ms", "--log", "json")
        events = {(event["event"], event.get("run")) for event in map(json.loads, done[1].splitlines())}
        self.assertIn(("given_up", "open"), events)
        self.assertIn(("given_up", "nothing"), events)
        self.assertNotIn(("given_up", "tool"), events)   # another worker may have the tool

    def test_a_role_that_can_only_read_is_found(self):
        url = SERVER.new_database("reader")
        self.assertEqual(ptcvm("store", "migrate", "--store", url)[0], 0)
        SERVER.sql("ALTER DATABASE reader SET default_transaction_read_only = on", "reader")
        status, out, _ = ptcvm("store", "check", "--store", url)
        self.assertEqual(status, 74)
        self.assertIn("can only read", out)

    def test_hostile_ids_are_ids(self):
        ended = "SELECT count(*) FROM ptcvm.run WHERE state = 2"
        before = int(SERVER.sql(ended, "runs"))
        for name in ("'; drop schema ptcvm cascade; --", "$1", "\\x00", "a'b\"c", "%s"):
            done = ptcvm("eval", '(task "a" 7)', "--store", SERVER.url("runs"), "--id", name)
            self.assertEqual(done[:2], (0, "7\n"), done)
        self.assertEqual(int(SERVER.sql(ended, "runs")) - before, 5)
        status, _, err = ptcvm("eval", "1", "--store", SERVER.url("runs"), "--id", "i" * 2001)
        self.assertNotEqual(status, 0)
        self.assertIn("2001 bytes", err)


if __name__ == "__main__":
    unittest.main(argv=["postgres_store_test.py"])
