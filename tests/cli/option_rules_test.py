#!/usr/bin/env python3
"""What protects and cannot is refused: empty values, options without effect, unknown members.

usage: option_rules_test.py PTCVM   (the program under test)
"""
import os
import re
import sys
import unittest

from ptcvm_process import SnapshotTest, ptcvm


class Options(SnapshotTest):
    def refused(self, *args):
        """Usage, and nothing on standard output."""
        status, out, err = ptcvm(*args)
        self.assertEqual((status, out), (2, ""), (args, err))
        return err

    def test_empty_values_are_refused_before_anything_runs(self):
        mark = self.path("ran")
        tool = ("--tool", f"touch=touch {mark}")
        for option in ("--store", "--journal", "--memory", "--snapshot", "--keys", "--trace", "--plan", "--id",
                       "--signature", "--data", "--cache-tool"):
            self.assertIn(option, self.refused("eval", "(tool/touch {})", *tool, option, ""))
            self.assertIn(option, self.refused("eval", "(tool/touch {})", *tool, option + "="))
        self.assertFalse(os.path.exists(mark))

    def test_an_empty_variable_keeps_no_run(self):
        mark = self.path("ran")
        os.environ["PTCVM_STORE"] = ""
        self.addCleanup(os.environ.pop, "PTCVM_STORE", None)
        err = self.refused("eval", "(tool/touch {})", "--tool", f"touch=touch {mark}", "--id", "r")
        self.assertIn("PTCVM_STORE: must not be empty", err)
        self.assertFalse(os.path.exists(mark))
        self.assertEqual(ptcvm("eval", "1", "--id", "r", "--store", self.path("s.db"))[0], 0)
        self.assertEqual(ptcvm("eval", "1")[0], 0)

    def test_an_empty_key_ring_opens_nothing(self):
        state = self.park("(await (tool/call {}))")
        for command in (("resume", state, *self.TOOL), ("snapshot", "verify", state), ("snapshot", "show", state)):
            self.assertIn("--keys", self.refused(*command, "--keys", ""))
            self.assertIn("--keys", self.refused(*command, "--keys="))

    def test_options_without_effect_name_what_they_want(self):
        for given, wanted in (("--again", "--store"), ("--plan=p", "--store"), ("--strict-resets", "--store"),
                              ("--durability=group", "--store"), ("--group-window=5", "--durability"),
                              ("--program-by-hash", "--snapshot"), ("--keys=ring", "--snapshot"),
                              ("--tenant=acme", "--keys"), ("--expect-run=r", "--store")):
            err = self.refused("eval", "1", given)
            self.assertIn(given.partition("=")[0], err)
            self.assertIn(wanted, err)
            self.assertIn("give both", err)

    def test_limits_queues_and_places_that_cannot_be_read_are_wrong_usage(self):
        store = ("--store", self.path("s.db"))
        for words in (("queue", "limit", "q", "--slots", "-1"), ("queue", "limit", "q", "--slots", "x"),
                      ("queue", "limit", "q", "--tenant-slots", "-1"), ("queue", "limit", "q", "--rate", "-1/h"),
                      ("queue", "limit", "q", "--rate", "600"), ("worker", "--once", "--queue", "q:0"),
                      ("worker", "--once", "--health", "here")):
            err = self.refused(*words, *store)
            self.assertIn(f"{words[-2]}: must be ", err)
            self.assertIn(f"; found {words[-1]}", err)
        self.assertFalse(os.path.exists(store[1]))
        self.assertEqual(ptcvm("queue", "limit", "q", "--slots", "0", "--rate", "none", *store)[0], 0)

    def test_options_that_exclude_each_other_name_both(self):
        for one, other in ((("--store", "s.db"), ("--journal", "j.edn")), (("--store", "s.db"), ("--memory", "m.edn")),
                           (("--store", "s.db"), ("--snapshot", "s.ptcs"))):
            err = self.refused("eval", "1", "--id", "r", *one, *other)
            self.assertIn(one[0], err)
            self.assertIn(other[0], err)
            self.assertIn("leave one of them out", err)

    def test_a_cache_of_a_tool_that_is_not_there_is_refused(self):
        status, _, err = ptcvm("eval", "1", "--cache-tool", "t")
        self.assertEqual(status, 65)
        self.assertIn("there is no tool t", err)

    def test_a_tool_that_is_never_asked_takes_no_reconciler(self):
        for effect in ((), ("--tool-effect", "t=pure")):
            status, _, err = ptcvm("eval", "1", "--tool", "t=true", *effect, "--tool-reconcile", "t=true")
            self.assertEqual(status, 65)
            self.assertIn("--tool-reconcile t=true: has no effect without --tool-effect t=reconcilable", err)

    def test_numbers_are_whole_and_in_their_range(self):
        for command, option, bad in ((("eval", "1"), "--parallel-tools", ("0", "-1", "1001", "0x10", "")),
                                     (("eval", "1"), "--float-precision", ("-1", "301", "1.5")),
                                     (("batch",), "--jobs", ("-1", "4294967296", "1025", "one")),
                                     (("gen",), "--count", ("-1", "18446744073709551616")),
                                     (("resume", "s"), "--expect-sequence", ("-1", "18446744073709551616", "010x"))):
            for value in bad:
                self.assertIn(option, self.refused(*command, option, value))

    def test_unknown_members_of_limits_are_refused(self):
        for name in ("memory", "fuel_", "max_fuel", "timeout", "string-bytes", ""):
            (answer,) = self.ask({"id": 1, "source": "1", "limits": {name: 5}})
            self.assertIn("there is no limit", answer["message"])
        (answer,) = self.ask({"id": 1, "source": "1", "limits": {"string_bytes": None, "pending": 5}})
        self.assertEqual(answer["status"], "ok", answer)

    def test_help_tells_which_options_go_with_which(self):
        text = " ".join(ptcvm("run", "--help")[1].split())
        for rule in ("--memory FILE Excludes: --store", "only with --keys or --store", "only with --durability group",
                     "only with --snapshot or --store", "--group-window MS Needs: --durability --store"):
            self.assertIn(rule, text)
        self.assertIn("only with --store", " ".join(ptcvm("eval", "--help")[1].split()))

    def test_help_lists_options_by_their_names(self):
        lists = []
        for command in ("run", "resume", "batch"):
            text = " ".join(ptcvm(command, "--help")[1].split())
            lists += re.findall(r"(?:Needs|Excludes):((?: --?[a-z][a-z-]*)+)", text)
        self.assertGreater(max(len(names.split()) for names in lists), 2)
        for names in lists:
            self.assertEqual(names.split(), sorted(names.split()))

    def test_unknown_members_of_opts_are_refused(self):
        for name in ("float_percision", "signatur", "fuel", "budget", ""):
            (answer,) = self.ask({"id": 1, "source": "1", "opts": {name: 5}})
            self.assertEqual((answer["id"], answer["error_kind"]), (1, "bad_request"), answer)
            self.assertIn("there is no option " + name, answer["message"])
        (answer,) = self.ask({"id": 1, "source": "1", "opts": {"float_precision": 2, "max_tool_calls": 3,
                                                               "filter_context": True, "tool_cache": None}})
        self.assertEqual(answer["status"], "ok", answer)

    def test_a_limit_beside_limits_is_refused(self):
        for name in ("fuel", "timeout_ms", "memory_bytes"):
            (answer,) = self.ask({"id": 1, "source": "1", name: 5})
            self.assertIn(name + " is a limit", answer["message"])
        (answer,) = self.ask({"id": 1, "source": "1", "topic": "sums", "why": "members of callers stay theirs"})
        self.assertEqual(answer["status"], "ok", answer)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
