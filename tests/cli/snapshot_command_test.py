#!/usr/bin/env python3
"""ptcvm snapshot show | json | from-json | diff | verify.

usage: snapshot_command_test.py PTCVM   (the program under test)"""
import json
import os
import re
import subprocess
import sys
import unittest

from ptcvm_process import PTCVM, SnapshotTest, ptcvm

PROGRAM = SnapshotTest.PROGRAM
TOOL = SnapshotTest.TOOL


class CommandTest(SnapshotTest):
    def park(self, source=PROGRAM, *options, **more):
        return super().park(source, *options, **more)

    def parked_in_a_task(self):
        return self.park(PROGRAM, "--journal", self.file("journal.edn", '{"before" {:a 1}}'))


class Show(CommandTest):
    def test_what_a_person_asks_about(self):
        status, out, err = ptcvm("snapshot", "show", self.parked_in_a_task())
        self.assertEqual((status, err), (0, ""))
        sections = re.split(r"\n\n", out.strip())
        self.assertRegex(sections[0], r"^snapshot of \d+ bytes, format \d+, run run, turn 1\nsuspended$")
        moment = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
        waits = r'  %s  call \{"to" "%s"\}\n      waiting since ' + moment + r" \(\d+ s ago\), expires " + moment
        waits += r" \(in 6 d\)%s"
        self.assertRegex(sections[1], "^operations\n" + "\n".join((
            waits % ("op1", "Zoë", ""), waits % (r"op2\.0\.1", "Alice", ', awaited, task "greet"'),
            waits % (r"op2\.1\.1", "Bob", ', awaited, task "greet"'))) + "$")
        self.assertEqual(sections[2], '''fiber 0 (main) waits for its branches
  --> %s:9:16
    (let [both (pmap ask ["Alice" "Bob"])]
               ^~~~~~~~~~~~~~~~~~~~~~~~~~
  in pmap
  in the program at 9:16
    n = 3
    first-call = (pending "op1")''' % self.path("program.ptc"))
        for number in (1, 2):
            self.assertEqual(sections[2 + number], '''fiber %d (branch of 0) waits for operations
  --> %s:4:16
  (let [answer (await (tool/call {:to who}))]
               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  in await
  in ask at 4:16''' % (number, self.path("program.ptc")))
        self.assertRegex(sections[5], r"""^budgets
  fuel \d+ of 100000000
  memory \d+ of 268435456
  tool calls 3 of 1000
  suspensions 1 of 10000
  printed bytes 8 of 262144$""")
        self.assertEqual(sections[6:], ["namespace\n  limit = 10\n  ask = #fn[who]",
                                        'journal\n  before = {:a 1}', "printed so far\n  começa"])

    def test_limits_of_time(self):
        out = ptcvm("snapshot", "show", self.park("(await (tool/call) {:timeout-ms 7200000})"))[1]
        self.assertRegex(out, r"expires \S+ \(in 6 d\), awaited until \S+ \(in (1\d\d min|2 h)\)\n")
        out = ptcvm("snapshot", "show", self.park("(sleep 864000000)"))[1]
        self.assertRegex(out, r"op1  sleep \{\"ms\" 864000000\}\n.*, until \S+ \(in 9 d\), awaited\n")

    def test_what_was_settled(self):
        state = self.park("(let [hs [(tool/call {:n 1}) (tool/call {:n 2}) (tool/call {:n 3})]] (await-all hs))")
        self.assertEqual(ptcvm("resume", state, *TOOL, "--resolve", "op2=[7]", "--snapshot", state)[0], 75)
        out = ptcvm("snapshot", "show", state)[1]
        self.assertIn('op2  call {"n" 2}\n      ok: [7]\n', out)

    def test_either_face_and_long_things(self):
        state = self.park('(def long (apply str (repeat 5000 "x"))) (def f (fn [n] (if (= n 0) (await (tool/call)) '
                          '(+ 1 (f (dec n)))))) (f 100)')
        out = ptcvm("snapshot", "show", state)[1]
        self.assertLess(len(out), 6000)
        self.assertIn("more frames", out)
        text = self.file("state.json", ptcvm("snapshot", "json", state)[1])
        shown = ptcvm("snapshot", "show", text)[1]

        def without_size_and_age(page):
            return re.sub(r"snapshot of \d+|\d+ s ago", "", page)

        self.assertEqual(without_size_and_age(shown), without_size_and_age(out))


class Json(CommandTest):
    def test_the_questions_that_people_ask(self):
        document = self.document(self.parked_in_a_task())
        self.assertEqual([operation["tool"] for operation in document["pending"]], ["call"] * 3)
        self.assertEqual([operation["args"]["to"] for operation in document["pending"]], ["Zoë", "Alice", "Bob"])
        self.assertEqual(document["fibers"][0]["frames"][0]["at"], "9:16")
        self.assertEqual([fiber["frames"][0]["at"] for fiber in document["fibers"]], ["9:16", "4:16", "4:16"])
        self.assertEqual(document["fibers"][0]["frames"][1]["locals"]["n"], 3)
        self.assertEqual(document["namespace"]["limit"], 10)
        self.assertEqual(document["journal"], {"before": {"$": "map", "v": [[{"$": "kw", "v": "a"}, 1]]}})
        self.assertEqual(document["prints"], ["começa"])
        self.assertEqual(document["used"]["suspensions"], 1)
        self.assertIsNone(self.document(self.park("(await (tool/call))"))["journal"])

    def test_both_ways_without_loss(self):
        binary = self.parked_in_a_task()
        text, back, again = self.path("a.json"), self.path("b.ptcs"), self.path("c.json")
        self.assertEqual(ptcvm("snapshot", "json", binary, "-o", text), (0, "", ""))
        self.assertEqual(ptcvm("snapshot", "from-json", text, "-o", back), (0, "", ""))
        self.assertEqual(ptcvm("snapshot", "json", back, "--output", again), (0, "", ""))
        self.assertEqual(self.bytes_of(back), self.bytes_of(binary))
        self.assertEqual([os.stat(path).st_mode & 0o777 for path in (text, back)], [0o600] * 2)
        self.assertEqual(self.bytes_of(again), self.bytes_of(text))
        self.assertEqual(ptcvm("snapshot", "json", binary)[1].encode(), self.bytes_of(text))

    def test_in_place_and_through_links(self):
        binary, link = self.parked_in_a_task(), self.path("link")
        before = self.bytes_of(binary)
        os.symlink(binary, link)
        self.assertEqual(ptcvm("snapshot", "json", binary, "-o", link), (0, "", ""))
        self.assertTrue(os.path.islink(link))
        self.assertTrue(self.bytes_of(binary).startswith(b"{"))
        self.assertEqual(ptcvm("snapshot", "from-json", binary, "-o", binary), (0, "", ""))
        self.assertEqual(self.bytes_of(binary), before)

    def test_text_that_was_laid_out_anew(self):
        binary = self.parked_in_a_task()
        text = self.file("a.json", json.dumps(self.document(binary), ensure_ascii=True))
        piped = subprocess.run([PTCVM, "snapshot", "from-json", "-"], input=self.bytes_of(text), capture_output=True)
        self.assertEqual((piped.returncode, piped.stdout), (0, self.bytes_of(binary)))

    def test_an_edited_snapshot_goes_on(self):
        document = self.document(self.park("(def x 42) (await (tool/call)) (* x 2)"))
        document["namespace"]["x"] = 50
        text, binary = self.file("edited.json", json.dumps(document)), self.path("edited.ptcs")
        self.assertEqual(ptcvm("snapshot", "from-json", text, "-o", binary), (0, "", ""))
        for path in (text, binary):
            self.assertEqual(ptcvm("resume", path, *TOOL, "--resolve", "op1=null"), (0, "100\n", ""))

    def test_a_bad_edit_is_refused_by_its_path(self):
        document = self.document(self.park())
        document["fibers"][0]["frames"][1]["pc"] = "far"
        text = self.file("edited.json", json.dumps(document))
        for command in ("from-json", "json", "show"):
            status, out, err = ptcvm("snapshot", command, text)
            self.assertEqual((status, out), (65, ""))
            self.assertIn("snapshot_invalid: /fibers/0/frames/1/pc: must be a whole number", err)

    def test_where_it_cannot_be_written(self):
        state = self.park()
        for command in ("json", "from-json"):
            status, _, err = ptcvm("snapshot", command, state, "-o", self.path("no/folder"))
            self.assertEqual(status, 65)
            self.assertIn("cannot write", err)


class Diff(CommandTest):
    def test_equal(self):
        state = self.parked_in_a_task()
        text = self.file("state.json", ptcvm("snapshot", "json", state)[1])
        self.assertEqual(ptcvm("snapshot", "diff", state, state), (0, "", ""))
        self.assertEqual(ptcvm("snapshot", "diff", state, text), (0, "", ""))

    def test_different_places_are_named(self):
        state, after = self.park("(def x 1) (def a-b 1) (await-all [(tool/call) (tool/call)])"), self.path("after")
        document = self.document(state)
        document["namespace"].update({"x": [1, {"k": "ä" * 60}], "a-b": 2})
        edited = self.file("edited.json", json.dumps(document))
        status, out, err = ptcvm("snapshot", "diff", state, edited)
        self.assertEqual((status, err), (1, ""))
        self.assertIn('namespace["a-b"]: 1 -> 2\nnamespace.x: 1 -> [1,{"k":"%s…\n' % ("ä" * 45), out)
        ptcvm("resume", state, *TOOL, "--resolve", "op2=7", "--snapshot", after)
        status, out, _ = ptcvm("snapshot", "diff", state, after)
        self.assertEqual(status, 1)
        self.assertIn("counters.last_sequence: 0 -> 1\n", out)
        self.assertRegex(out, r'(?m)^operations\[0\]: absent -> \{"op":"op2"')
        self.assertRegex(out, r'(?m)^pending\[1\]: \{"op":"op2".* -> absent$')

    def test_edits_of_values_come_before_places_and_counts(self):
        state = self.park("(def x 1) (let [y 2] (await (tool/call)) y)")
        document = self.document(state)
        document["used"]["fuel"] += 1
        document["namespace"]["x"] = 9
        document["limits"]["fuel"] = 77
        frame = next(frame for frame in document["fibers"][0]["frames"] if "y" in frame.get("locals", {}))
        frame["locals"]["y"] = 3
        edited = self.file("edited.json", json.dumps(document))
        status, out, err = ptcvm("snapshot", "diff", state, edited)
        paths = [line.split(":")[0] for line in out.splitlines()]
        self.assertEqual((status, err), (1, ""))
        self.assertEqual(set(paths[:3]), {"fibers[0].frames[1].locals.y", "limits.fuel", "namespace.x"})
        self.assertEqual(paths[-1].split(".")[0], "used")

    def test_the_order_of_commits_is_a_difference(self):
        state = self.park("(await (tool/call))", "--journal", self.file("journal.edn", '{"a" 1 "b" 2}'))
        document = self.document(state)
        document["journal"] = {"b": 2, "a": 1}
        edited = self.file("edited.json", json.dumps(document))
        self.assertEqual(ptcvm("snapshot", "diff", state, edited),
                         (1, 'journal: order ["a","b"] -> order ["b","a"]\n', ""))

    def test_one_that_cannot_be_read(self):
        status, out, err = ptcvm("snapshot", "diff", self.park(), self.path("missing"))
        self.assertEqual((status, out), (65, ""))
        self.assertIn("cannot read", err)


class Verify(CommandTest):
    def test_good(self):
        state = self.park()
        self.assertEqual(ptcvm("snapshot", "verify", state), (0, state + ": good\n", ""))
        piped = subprocess.run([PTCVM, "snapshot", "verify", "-"], input=self.bytes_of(state), capture_output=True)
        self.assertEqual((piped.returncode, piped.stdout), (0, b"-: good\n"))

    def test_bad_ones_have_named_errors(self):
        good = self.bytes_of(self.park())
        text = self.document(self.path("state.ptcs"))
        newer = self.file("newer.json", json.dumps({**text, "format": 9, "oldest_reader": 9}))
        # The bytes of the program begin with their own mark; an instruction of another kind makes it bad.
        spoilt = bytearray(good)
        spoilt[good.index(b"PTCP") + 4 + 120:good.index(b"PTCP") + 4 + 124] = b"\xff" * 4
        cases = [(self.write("cut", good[:len(good) // 2]), "snapshot_damaged"),
                 (self.write("zeros", good[:64] + b"\0" * (len(good) - 64)),
                  "snapshot_(damaged|invalid|unsupported_version)"),
                 (self.write("longer", good + b"hello"), "snapshot_damaged"),
                 (self.write("spoilt", bytes(spoilt)), "snapshot_(bad_program|damaged)"),
                 (self.write("noise", b"\x01\x02" * 500), "not_a_snapshot"),
                 (self.write("empty", b""), "not_a_snapshot"),
                 (self.file("text", "(+ 1 2)"), "not_a_snapshot"),
                 (self.file("other.json", '{"a": 1}'), "not_a_snapshot"),
                 (self.file("broken.json", '{"format": 1,'), "snapshot_damaged"),
                 (newer, "snapshot_unsupported_version: format 9, readable from 9 on"),
                 (self.file("twice.json", json.dumps(text)[:-1] + ', "turn": 1}'), "snapshot_invalid.*twice"),
                 (self.file("bare.json", json.dumps({**text, "programs": [{"sha256": "0" * 64}]})),
                  "snapshot_missing_program"),
                 (self.path("missing"), "cannot read"), (self.folder.name, "Is a directory")]
        for path, error in cases:
            status, out, err = ptcvm("snapshot", "verify", path)
            self.assertEqual((status, out), (1, ""), path)
            self.assertRegex(err, error, path)

    def test_cut_at_any_place(self):
        good = self.bytes_of(self.park("(await (tool/call))"))
        for size in range(0, len(good), 37 * int(os.environ.get("PTC_CUTS_ONE_IN", "1"))):
            status, out, err = ptcvm("snapshot", "verify", self.write("cut", good[:size]))
            self.assertEqual((status, out), (1, ""), size)
            self.assertRegex(err, "not_a_snapshot|snapshot_damaged")

    def test_a_program_by_hash(self):
        state = self.park(PROGRAM, "--program-by-hash")
        program = self.path("program.ptc")
        for command in ("verify", "show", "json"):
            self.assertIn("give it with --program FILE", ptcvm("snapshot", command, state)[2])
        self.assertEqual(ptcvm("snapshot", "verify", state, "--program", program)[0], 0)
        self.assertIn("ask at 4:16", ptcvm("snapshot", "show", state, "--program", program)[1])
        status, _, err = ptcvm("snapshot", "verify", state, "--program", self.file("broken.ptc", "("))
        self.assertEqual(status, 1)
        self.assertIn("broken.ptc", err)


class Usage(CommandTest):
    PARTS = ("show", "json", "from-json", "diff", "verify")

    def test_help(self):
        for arguments in [("resume",), ("snapshot",)] + [("snapshot", part) for part in self.PARTS]:
            status, out, err = ptcvm(*arguments, "--help")
            self.assertEqual((status, err), (0, ""), arguments)
            self.assertIn("Examples:", out)
            if arguments[1:]:
                self.assertIn("ptcvm snapshot %s " % arguments[1], out)

    def test_usage_errors(self):
        for arguments in (["snapshot"], ["snapshot", "shew"], ["snapshot", "show"], ["snapshot", "diff", "one"],
                          ["snapshot", "show", "a", "b"], ["snapshot", "show", "a", "--surprise"], ["resume"]):
            status, out, err = ptcvm(*arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertIn("--help", err)

    def offered(self, *words):
        script = self.file("completion.bash", ptcvm("completion", "bash")[1])
        return subprocess.run(
            ["bash", "-c", 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ptcvm; '
             'echo "${COMPREPLY[@]}"', "-", script, "ptcvm", *words], capture_output=True, text=True).stdout.split()

    def test_completion_knows_every_command_and_option(self):
        self.assertEqual(self.offered("sn"), ["snapshot"])
        self.assertEqual(sorted(self.offered("res")), ["resolve", "resume"])
        self.assertEqual(sorted(self.offered("snapshot", "")), sorted((*self.PARTS, "--help")))
        for command in [("run",), ("eval",), ("resume",)] + [("snapshot", part) for part in self.PARTS]:
            options = re.findall(r"(?m)^  (?:-\w,)?(--[\w-]+)", ptcvm(*command, "--help")[1])
            self.assertIn("--keys", options)
            for option in options:
                self.assertIn(option, self.offered(*command, option), command)
        zsh = ptcvm("completion", "zsh")[1]
        for word in ("snapshot", "from-json", "--expect-sequence", "--resolve"):
            self.assertIn(word, zsh)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
