#!/usr/bin/env python3
"""kill -9 in the moment in which ptcvm has started the command of a tool: the command has its arguments.

usage: tool_input_test.py PTCVM LIBRARY   (the program under test, and kill_at_write.cpp as a library)"""
import os
import subprocess
import sys
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest

LIBRARY = os.path.abspath(sys.argv[2])


class ToolInput(CommandLineTest):
    def read_by_tool(self, args):
        """What the command of a tool reads when ptcvm dies behind its start."""
        got, done = (os.path.join(self.folder.name, name) for name in ("got", "done"))
        tool = f"t=cat > {got}; mv {got} {done}"
        killed = subprocess.run([PTCVM, "eval", f"(tool/t {args})", "--tool-shell", tool], check=False,
                                env={**os.environ, "LD_PRELOAD": LIBRARY, "PTCVM_KILL_AT_SPAWN": "1",
                                     "ASAN_OPTIONS": "verify_asan_link_order=0"})
        self.assertEqual(killed.returncode, -9)
        while not os.path.exists(done):
            time.sleep(0.01)
        with open(done, encoding="utf-8") as file:
            text = file.read()
        os.remove(done)
        return text

    def test_a_command_has_all_of_its_arguments(self):
        self.assertEqual(self.read_by_tool("{:n 1}"), '{"n":1}\n')
        for size in (100_000, 3_000_000):   # more than a pipe has at first, and more than it can have
            self.assertEqual(len(self.read_by_tool(f'{{:s (str/join (repeat {size} "x"))}}')), size + len('{"s":""}\n'))


if __name__ == "__main__":
    unittest.main(argv=["tool_input_test"])
