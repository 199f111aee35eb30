"""docs/python.md: each block of Python prints the block of text under it. All blocks share their names."""
import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest

PAGE = pathlib.Path(os.environ["PTCVM_PAGE"])
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.S)


class Page(unittest.TestCase):
    def test_blocks_print_what_the_page_says(self):
        names, blocks = {}, BLOCK.findall(PAGE.read_text(encoding="utf-8"))
        self.assertGreater(len(blocks), 5)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for code, expected in blocks:
                    printed = io.StringIO()
                    with self.subTest(code=code.splitlines()[0]), contextlib.redirect_stdout(printed):
                        exec(compile(code, PAGE.name, "exec"), names)   # pylint: disable=exec-used
                    self.assertEqual(printed.getvalue(), expected, code)
            finally:
                os.chdir(before)
                names.clear()


if __name__ == "__main__":
    unittest.main()
