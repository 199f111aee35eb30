"""Shows that the table of facts says what a new kind needs: a row that lacks a column, a kind that no log folds, and a
kind that outdates decisions without being read at the opening of a run are refused by the compiler.

    fact_kinds_test.py ROOT C++-COMPILER FOLDER-OF-GENERATED-HEADERS
"""
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from walkthrough import Walkthrough   # noqa: E402

ROOT, CXX, GENERATED = sys.argv[1:4]
FOLD = "runtime/log/run_log.cpp"


class FactKinds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.copy = Walkthrough(ROOT, None, folder.name + "/tree", ("schema", "vm", "runtime"), CXX, GENERATED)
        cls.table = cls.copy.tree / "schema/facts.def"

    def complaint_about(self, row):
        """What the compiler says to the fold when the table ends with this row."""
        text = self.table.read_text()
        self.addCleanup(self.table.write_text, text)
        self.table.write_text(text + row + "\n")
        return self.copy.compile(FOLD)

    def test_the_table_compiles(self):
        self.assertEqual(self.copy.compile(FOLD), "")

    def test_a_kind_without_a_fold_is_refused(self):
        self.assertRegex(self.complaint_about('FACT(Unheard, "unheard", Effect, Single, "unheard", None, "a test")'),
                         r"error: enumeration value .Unheard. not (explicitly )?handled")

    def test_a_row_without_a_column_is_refused(self):
        self.assertRegex(self.complaint_about('FACT(Unheard, "unheard", Effect, Single, None, "a test")'),
                         r"macro .FACT. requires 7 arguments|too few arguments provided to function-like macro")

    def test_what_outdates_decisions_is_notable(self):
        self.assertRegex(self.complaint_about('FACT(Unheard, "unheard", Decision, Single, "", None, "a test")'),
                         r"static assertion failed|static_assert failed")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
