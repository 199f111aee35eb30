"""A program on a pseudo-terminal: keys that are typed, and the screen that they make."""
import os
import pty
import re
import select
import subprocess

from ptcvm_process import PTCVM

COLUMNS = 80
WAIT_S = 60
PROMPT = re.compile(r"\n(?:ptc|\.\.\.)> ")
PART = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z@])|\x1b([78=>])|(\x1b)|([\r\n\b\a])|([^\x1b\r\n\b\a]+)")


class Screen:
    """What a terminal of 80 columns shows. Lines never scroll away."""

    def __init__(self):
        self.lines, self.row, self.column, self.kept = [""], 0, 0, (0, 0)

    def feed(self, text):
        """Takes what the program wrote. Returns the end that may be half of a sequence."""
        half = re.search(r"\x1b(?:\[[0-9;?]*)?$", text)
        end = half.start() if half else len(text)
        for sequence, kind, other, _, control, plain in PART.findall(text[:end]):
            if kind:
                self._move(kind, int(sequence or 1) if sequence.isdigit() or not sequence else 0)
            elif other == "7":
                self.kept = (self.row, self.column)
            elif other == "8":
                self.row, self.column = self.kept
            elif control:
                self._control(control)
            for character in plain:
                self._put(character)
        return text[end:]

    def _move(self, kind, count):
        line = self.lines[self.row]
        if kind == "C":
            self.column = min(self.column + count, COLUMNS - 1)
        elif kind == "D":
            self.column = max(self.column - count, 0)
        elif kind == "G":
            self.column = count - 1
        elif kind == "A":
            self.row = max(self.row - count, 0)
        elif kind == "K":
            self.lines[self.row] = line[:self.column]
        elif kind == "P":
            self.lines[self.row] = line[:self.column] + line[self.column + count:]
        elif kind == "@":
            self.lines[self.row] = line[:self.column] + " " * count + line[self.column:]
        elif kind == "J":
            self.lines[self.row:] = [line[:self.column]]

    def _control(self, control):
        if control == "\r":
            self.column = 0
        elif control == "\b":
            self.column = max(self.column - 1, 0)
        elif control == "\n":
            self._down()

    def _down(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")

    def _put(self, character):
        if self.column == COLUMNS:
            self.column = 0
            self._down()
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    def text(self):
        return "\n".join(self.lines)


class Terminal:
    """ptcvm on a terminal. `seen` is all that it wrote, with colours; the screen is what a person sees."""

    def __init__(self, folder, *arguments, colour=False):
        self.master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "HOME": folder, "LC_ALL": "C.UTF-8"}
        environment.pop("NO_COLOR", None)
        if not colour:
            environment["NO_COLOR"] = "1"
        subprocess.run(["stty", "rows", "24", "cols", str(COLUMNS)], stdin=slave, check=True)
        self.process = subprocess.Popen([PTCVM, *arguments], stdin=slave, stdout=slave, stderr=slave,
                                        env=environment, cwd=folder, start_new_session=True)
        os.close(slave)
        self.screen, self.seen, self.half, self.read_to = Screen(), "", "", 0

    def read(self):
        ready, _, _ = select.select([self.master], [], [], WAIT_S)
        if not ready:
            raise AssertionError(f"nothing more came after: {self.screen.text()[-2000:]}")
        try:
            data = os.read(self.master, 65536)
        except OSError:                       # the other side is closed
            data = b""
        if not data:
            raise AssertionError(f"the program ended: {self.screen.text()[-2000:]}")
        text = data.decode(errors="replace")
        self.seen += text
        self.half = self.screen.feed(self.half + text)

    def wait(self, expected):
        """Waits until the screen shows the text behind what was waited for before. Returns what is between, and it."""
        while (at := self.screen.text().find(expected, self.read_to)) < 0:
            self.read()
        begin, self.read_to = self.read_to, at + len(expected)
        return self.screen.text()[begin:self.read_to]

    def wait_for_colour(self, written):
        """Waits until the program has written a text with its colours."""
        while written not in self.seen:
            self.read()

    def wait_for_prompt(self, behind=None):
        """Waits until the screen shows a prompt behind a place, or behind what was waited for before. Whoever types
        earlier gives the keys to the terminal and not to the editor: Ctrl-D and Ctrl-U are lost there."""
        behind = self.read_to if behind is None else behind
        while not (prompt := PROMPT.search(self.screen.text(), behind)):
            self.read()
        self.read_to = max(self.read_to, prompt.end())

    def type(self, keys):
        os.write(self.master, keys.encode())

    def says(self, line, expected):
        """Types a line at the prompt, waits for what it makes, and for the next prompt. Returns what was made."""
        self.type(line + "\r")
        seen = self.wait(expected)
        self.wait_for_prompt(max(self.read_to - len(expected) - 1, 0))
        return seen

    def end(self):
        """Leaves at the prompt. Returns the exit status."""
        self.type("\x04")
        try:
            while os.read(self.master, 65536):
                pass
        except OSError:                       # the other side is closed
            pass
        status = self.process.wait(WAIT_S)
        os.close(self.master)
        return status
