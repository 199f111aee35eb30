"""Shows that the table of opcodes fails closed. The compiler refuses a row that lacks a column, a row whose columns
contradict each other, and a word of a column that the verifier does not know.

    opcode_columns_test.py ROOT C++-COMPILER FOLDER-OF-GENERATED-HEADERS
"""
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from walkthrough import Walkthrough   # noqa: E402

ROOT, CXX, GENERATED = sys.argv[1:4]
COLUMNS = ("control", "ownership", "window", "result", "constant", "check", "memory")
ROW = re.compile(r"^OP\(AddConst, .*$", re.M)


class OpcodeColumns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.copy = Walkthrough(ROOT, None, folder.name + "/tree", ("schema", "vm"), CXX, GENERATED)
        cls.table = cls.copy.tree / "schema/opcodes.def"
        cls.words = cls.copy.tree / "schema/opcode.h"

    def changed(self, path, before, after):
        """Changes a file of the copy until the test is over."""
        text = path.read_text()
        self.assertEqual(text.count(before), 1, before)
        path.write_text(text.replace(before, after))
        self.addCleanup(path.write_text, text)

    def with_row(self, change):
        row = ROW.search(self.table.read_text()).group(0)
        cells = re.fullmatch(r"OP\((\w+), +(\([^)]*\)), +(.*), +(\"[^\"]*\")\)", row)
        columns = dict(zip(COLUMNS, re.split(r", +", cells.group(3))))
        change(columns)
        self.changed(self.table, row, f"OP({cells.group(1)}, {cells.group(2)}, {', '.join(columns.values())}, "
                                      f"{cells.group(4)})")

    def test_the_table_compiles(self):
        self.assertEqual(self.copy.compile("vm/exec/verifier.cpp"), "")
        self.assertEqual(self.copy.compile("vm/exec/frame_states.cpp"), "")

    def test_a_row_without_a_column_is_refused(self):
        for column in COLUMNS:
            with self.subTest(column):
                self.with_row(lambda columns: columns.pop(column))
                self.assertRegex(self.copy.compile("vm/exec/frame_states.cpp"),
                                 r"macro .OP. requires 10 arguments|too few arguments provided to function-like macro")
                self.doCleanups()

    def test_a_row_whose_columns_contradict_each_other_is_refused(self):
        for column, word in {"result": "None", "constant": "None", "window": "CountC", "control": "Branch",
                             "ownership": "Gather", "check": "Arity"}.items():
            with self.subTest(column):
                self.with_row(lambda columns: columns.update({column: word}))
                self.assertIn("the columns of AddConst contradict each other",
                              self.copy.compile("vm/exec/frame_states.cpp"))
                self.doCleanups()

    def test_a_word_that_the_verifier_does_not_know_is_refused(self):
        for enum, path in {"Control": "frame_states", "OpOwnership": "frame_states", "Window": "frame_states",
                           "OpResult": "frame_states", "ConstantNeed": "verifier", "OpCheck": "verifier",
                           "Operand": "verifier"}.items():
            with self.subTest(enum):
                head = f"enum class {enum} : std::uint8_t {{"
                self.changed(self.words, head, head + " Unheard,")
                self.assertRegex(self.copy.compile(f"vm/exec/{path}.cpp"),
                                 r"error: enumeration value .Unheard. not (explicitly )?handled")
                self.doCleanups()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
