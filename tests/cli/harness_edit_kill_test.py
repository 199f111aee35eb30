#!/usr/bin/env python3
"""kill -9 at each operation of the disk of `ptcvm harness edit`: the old draft waits, or the new one, and never both.

usage: harness_edit_kill_test.py PTCVM LIBRARY   (the program under test, and kill_at_write.cpp as a library)"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from conversation_case import ConversationCase
from ptcvm_process import PTCVM

LIBRARY = os.path.abspath(sys.argv[2])


class EditKillTest(ConversationCase):
    def edit(self, **environment):
        words = [PTCVM, "harness", "edit", "--store", self.store, "--id", "clinic", "c1", "my own words"]
        return subprocess.run(words, capture_output=True, check=False, env={
            **os.environ, "LD_PRELOAD": LIBRARY, "ASAN_OPTIONS": "verify_asan_link_order=0", **environment}).returncode

    def test_a_killed_edit_leaves_one_draft(self):
        self.told("say", "hello")
        program = self.file("plan.ptc", '(propose {:type :compose_intent :composeId "c1" :text "At noon"})')
        self.told("run", "--planner", program, status=75)
        before, operations = self.folder.name + "/before", self.folder.name + "/operations"
        os.mkdir(before)

        def files():
            return pathlib.Path(self.folder.name).glob("talk.db*")
        for file in files():
            shutil.copy(file, before)
        self.assertEqual(self.edit(PTCVM_COUNT_FILE=operations), 75)
        waiting = set()
        for at in range(1, os.path.getsize(operations) + 1):
            for file in files():
                file.unlink()
            for file in os.listdir(before):
                shutil.copy(os.path.join(before, file), self.folder.name)
            self.assertEqual(self.edit(PTCVM_KILL_AT=str(at)), -9)
            drafts = self.told("whisper", "and now?", status=75)[0]["drafts"]
            self.assertEqual(len(drafts), 1, (at, drafts))
            waiting.add(drafts[0] == "c1")
        self.assertEqual(waiting, {True, False})


if __name__ == "__main__":
    unittest.main(argv=["harness_edit_kill_test"])
