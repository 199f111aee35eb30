"""Pages that say how to add something, followed step by step in a copy of the tree.

A step is a marked block of a page. The marker says what becomes of the block:

    <!-- step: append PATH -->            the block is put behind the last line of the file
    <!-- step: before PATH "TEXT" -->     the block is put before the only line that begins with TEXT, blanks aside
    <!-- step: create PATH -->            the block is a new file
"""
import pathlib
import re
import shutil
import subprocess

MARK = re.compile(r'<!-- step: (append|before|create) (\S+)(?: "([^"]+)")? -->\n *```\w*\n(.*?)\n   ```\n', re.S)


class Walkthrough:
    """A page, and a copy of the folders that its steps change or that are compiled afterwards."""

    def __init__(self, root, page, tree, folders, compiler, generated):
        self.tree, self.compiler, self.generated = pathlib.Path(tree), compiler, generated
        root = pathlib.Path(root)
        self.steps = [match.groups() for match in MARK.finditer((root / page).read_text())] if page else []
        for folder in folders:
            shutil.copytree(root / folder, self.tree / folder, ignore=shutil.ignore_patterns("build", "__pycache__"))

    def follow(self, count=None):
        """Takes the first `count` of the steps that are left, or all of them."""
        taken, self.steps = (self.steps, []) if count is None else (self.steps[:count], self.steps[count:])
        for what, path, text, block in taken:
            self.change(what, self.tree / path, text, re.sub(r"^   ", "", block, flags=re.M))

    def change(self, what, path, text, block):
        if what == "create":
            assert not path.exists(), f"{path} is there"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block + "\n")
            return
        lines = path.read_text().splitlines()
        places = [at for at, line in enumerate(lines) if what == "before" and line.strip().startswith(text)]
        assert what == "append" or len(places) == 1, f"{path}: {len(places)} lines begin with {text}"
        at = len(lines) if what == "append" else places[0]
        path.write_text("\n".join(lines[:at] + block.splitlines() + lines[at:]) + "\n")

    def compile(self, path, *options):
        """What the compiler complains about in a file of the copy, or ""."""
        done = subprocess.run([self.compiler, "-std=c++20", f"-I{self.tree}", f"-I{self.generated}",
                               *(options or ("-fsyntax-only",)), self.tree / path], capture_output=True, text=True)
        return done.stderr if done.returncode != 0 else ""

    def reference(self, page):
        """A page of docs/reference, written by the generator of the copy."""
        program, pages = self.tree / "gen_docs", self.tree / "pages"
        pages.mkdir(exist_ok=True)
        parts = sorted((self.tree / "tools/gen_docs").glob("*.cpp"))
        complaint = self.compile("schema/builtin_id.cpp", "-o", program, *parts)
        assert not complaint, complaint
        subprocess.run([program, pages], check=True, cwd=self.tree)
        return (pages / page).read_text()

