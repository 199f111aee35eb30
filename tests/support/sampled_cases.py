#!/usr/bin/env python3
"""Runs a file of tests with a part of its cases, for builds in which each process is slow to start.

    sampled_cases.py ONE_IN FILE ARGUMENT…

Of each class the first case is run, and each ONE_IN-th one after it, in the order of their names. A file whose checks
are no cases of unittest runs whole. The exit status is that of the file.
"""
import os
import runpy
import sys
import unittest

one_in, path = int(sys.argv[1]), sys.argv[2]


class SampledCases(unittest.TestLoader):
    def getTestCaseNames(self, case):
        return super().getTestCaseNames(case)[::one_in]


def load_sampled(*arguments, **options):
    whole_main(*arguments, **({"testLoader": SampledCases()} | options))


whole_main, unittest.main = unittest.main, load_sampled
sys.argv = sys.argv[2:]
sys.path[0] = os.path.dirname(os.path.abspath(path))
runpy.run_path(path, run_name="__main__")
