#!/usr/bin/env python3
"""SIGTERM, SIGINT and SIGHUP end a program, and no process of its tools is left behind.

usage: ended_by_signal_test.py PTCVM   (the program under test)"""
import os
import signal
import subprocess
import sys
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest


class Ended(CommandLineTest):
    def ends(self, number, *words):
        place = os.path.join(self.folder.name, "pid")
        script = self.file("hang.sh", f"echo $$ > {place}.new; mv {place}.new {place}; exec sleep 1000")
        process = subprocess.Popen([PTCVM, "eval", "(tool/t)", "--tool", f"t=sh {script}", *words],
                                   stderr=subprocess.PIPE, text=True)
        while not os.path.exists(place):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(number)
        err = process.communicate(timeout=240)[1]
        with open(place, encoding="ascii") as line, self.assertRaises(ProcessLookupError):
            os.kill(int(line.read()), 0)
        return process.returncode, err

    def test_a_program_without_a_store(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            status, err = self.ends(number)
            self.assertEqual(status, 1)
            self.assertIn("error[cancelled]", err)
            os.remove(os.path.join(self.folder.name, "pid"))

    def test_a_run_of_a_store(self):
        status, err = self.ends(signal.SIGTERM, "--store", self.folder.name + "/runs.db", "--id", "r")
        self.assertNotEqual(status, 0)
        self.assertNotEqual(err, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
