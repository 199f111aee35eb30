#!/usr/bin/env python3
"""ptcvm chain on PostgreSQL: the tables of tasks, what later tasks find, upgrades, and rights that are missing.

usage: chain_postgres_test.py PTCVM   (the program under test)"""
import json
import unittest

import chain_test
from chain_test import INTENT, step
from postgres_server import PostgresServer
from ptcvm_process import ptcvm

SERVER = None


def setUpModule():
    global SERVER
    SERVER = PostgresServer()


def tearDownModule():
    SERVER.stop()


class Archive(chain_test.ChainTest):
    def setUp(self):
        super().setUp()
        self.name = "t" + self._testMethodName[5:25].replace("-", "_")
        self.assertEqual(ptcvm("store", "migrate", "--store", SERVER.new_database(self.name))[0], 0)
        self.url = SERVER.url(self.name)

    def sql(self, text):
        return SERVER.sql(text, self.name)

    def task(self, name, text, *plan, tools=()):
        return self.chain("run", text, "--tools", self.tools(*tools), "--model",
                          self.script(INTENT, {"steps": list(plan)}), "--store", self.url, "--id", name)

    def test_tables_have_what_the_logs_have(self):
        status, _, err = self.task("t", "Install the parser", step("a"), step("b"))
        self.assertEqual(status, 0, err)
        self.chain("feedback", "--store", self.url, "--id", "t", "rating=positive; correction=use pnpm")
        self.assertEqual(self.sql("SELECT task_id, revision FROM ptcvm_tasks.task_reports"), "t|1")
        self.assertEqual(json.loads(self.sql("SELECT feedback_json FROM ptcvm_tasks.task_feedback"))["rating"],
                         "positive")
        self.assertEqual(self.sql("SELECT count(*) FROM ptcvm_tasks.traces WHERE status = 'success'"), "2")
        self.assertEqual(self.sql("SELECT input FROM ptcvm_tasks.episodes"), "Install the parser")
        self.sql("DELETE FROM ptcvm_tasks.task_folds")          # the next command makes it again
        self.chain("facts", "--store", self.url)
        self.assertEqual(self.sql("SELECT count(*) FROM ptcvm_tasks.task_folds"), "1")
        self.assertEqual(self.sql("SELECT count(*) FROM ptcvm_tasks.episodes"), "1")

    def test_words_find_facts_and_tasks(self):
        self.chain("facts", "--store", self.url, "The user prefers pnpm")
        self.chain("facts", "--store", self.url, "The page needs a footer")
        out = self.chain("facts", "--store", self.url, "--search", "install with pnpm")[1]
        self.assertIn("prefers pnpm", out)
        self.assertNotIn("footer", out)
        other_form = self.chain("facts", "--store", self.url, "--search", "pages")[1]
        self.assertIn("footer", other_form)
        self.assertNotIn("footer", self.chain("facts", "--store", self.url, "--search", "it's & | ! ( ' \\")[1])
        self.task("first", "Install the parser", step("a"))
        self.task("second", "Installing a parser again", step("a"))
        context = next(json.loads(json.loads(fact["value"])) for fact in self.facts("second")
                       if fact.get("id") == "second/context")
        self.assertEqual([one["taskId"] for one in context["episodes"]], ["first"])

    def facts(self, run):
        out = ptcvm("journal", "export", "--store", self.url, "--id", run)[1]
        return [json.loads(line) for line in out.splitlines()]

    def test_a_newer_version_is_refused_and_an_upgrade_is_made_once(self):
        self.chain("facts", "--store", self.url, "x")
        self.assertEqual(self.sql("SELECT version FROM ptcvm_tasks.archive_version"), "1")
        self.chain("facts", "--store", self.url, "y")
        self.assertEqual(self.sql("SELECT version FROM ptcvm_tasks.archive_version"), "1")
        self.sql("INSERT INTO ptcvm_tasks.archive_version VALUES (99)")
        _, _, err = self.chain("facts", "--store", self.url)
        self.assertIn("version 99", err)

    def test_a_role_that_may_make_no_tables_goes_on_without_them(self):
        self.sql("CREATE ROLE guest LOGIN")
        self.sql("GRANT USAGE ON SCHEMA ptcvm TO guest; GRANT ALL ON ALL TABLES IN SCHEMA ptcvm TO guest; "
                 "GRANT ALL ON ALL SEQUENCES IN SCHEMA ptcvm TO guest; "
                 "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ptcvm TO guest; REVOKE CREATE ON DATABASE "
                 f"{self.name} FROM PUBLIC")
        guest = self.url.replace("ptc@", "guest@")
        status, _, err = self.chain("facts", "--store", guest, "The user prefers pnpm")
        self.assertEqual(status, 0, err)
        self.assertIn("prefers pnpm", self.chain("facts", "--store", guest, "--search", "pnpm")[1])


if __name__ == "__main__":
    unittest.main(argv=["chain_postgres_test.py"])
