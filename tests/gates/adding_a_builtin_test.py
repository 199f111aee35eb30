"""Follows docs/adding-a-builtin.md in a copy of the tree, and shows that a step that was left out is found.

    adding_a_builtin_test.py ROOT C++-COMPILER FOLDER-OF-GENERATED-HEADERS
"""
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from walkthrough import Walkthrough   # noqa: E402

ROOT, CXX, GENERATED = sys.argv[1:4]
FOLDERS = ("schema", "vm", "tools/gen_docs", "tests/programs/numbers", "tests/limits")
PAGE = "docs/adding-a-builtin.md"


class AddedBuiltin(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.page = Walkthrough(ROOT, PAGE, self.folder.name + "/tree", FOLDERS, CXX, GENERATED)

    def symbols(self, path):
        """Name of a symbol -> its kind, of a file compiled in the copy: T is defined, U is needed."""
        made = self.page.tree / "made.o"
        self.assertEqual(self.page.compile(path, "-O0", "-c", "-o", made), "")
        listed = subprocess.run(["nm", "-C", made], capture_output=True, text=True, check=True).stdout
        return {line[19:]: line[17] for line in listed.splitlines()}

    def test_the_row_asks_for_the_function_and_the_function_is_there(self):
        name = "ptc::builtin_clamp(ptc::Call&)"
        self.page.follow(3)                             # two programs and the row
        self.assertEqual(self.symbols("vm/builtins/call.cpp").get(name), "U")
        self.assertNotIn(name, self.symbols("vm/builtins/arithmetic.cpp"))
        self.page.follow()
        self.assertEqual(self.symbols("vm/builtins/arithmetic.cpp").get(name), "T")

    def test_the_reference_page_has_it(self):
        self.page.follow()
        self.assertIn("| `clamp` | 3 | `(clamp low high x)` |", self.page.reference("builtins.md"))

    def test_the_steps_are_those_of_the_page(self):
        changed = [path for _, path, _, _ in self.page.steps]
        self.assertEqual(changed, ["tests/programs/numbers/clamp-keeps-between.ptc",
                                   "tests/programs/numbers/fail-clamp-of-text.ptc", "schema/builtins/numbers.def",
                                   "vm/builtins/arithmetic.cpp", "tests/limits/others.tsv"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
