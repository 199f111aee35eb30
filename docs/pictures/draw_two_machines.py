#!/usr/bin/env python3
"""Draws docs/pictures/two-machines.svg: draw_two_machines.py [--check]

The picture shows one run that suspends on one machine and goes on on another. With --check the script writes nothing
and fails when the file differs from what the script would write. The picture has colours for light and dark pages.
"""
import pathlib
import sys
from xml.sax.saxutils import escape

PICTURE = pathlib.Path(__file__).resolve().with_name("two-machines.svg")
WIDTH, HEIGHT = 960, 348
CARD_WIDTH, CARD_HEIGHT, CARD_TOP = 356, 300, 24
LEFT, RIGHT = 16, WIDTH - 16 - CARD_WIDTH
MIDDLE = WIDTH // 2
LINE_HEIGHT = 27

# name: (on light pages, on dark pages)
COLOURS = {
    "card": ("#f6f8fa", "#161b22"),
    "edge": ("#d0d7de", "#30363d"),
    "text": ("#1f2328", "#e6edf3"),
    "faint": ("#656d76", "#8d96a0"),
    "done": ("#1a7f37", "#3fb950"),
    "wait": ("#9a6700", "#d29922"),
    "wait-back": ("#fff8c5", "#3a2d0a"),
    "bytes": ("#0969da", "#58a6ff"),
    "bytes-back": ("#ddf4ff", "#0c2d4d"),
}
PROGRAM = [
    '(let [seat  (task "hold" (tool/hold …))',
    "      reply (await (tool/ask …))]",
    '  (task "buy" (tool/buy seat reply)))',
]
# Rows of bytes as they are drawn in the snapshot: widths of the words of each row.
BYTE_ROWS = [(14, 8, 20), (8, 18, 10), (20, 6, 14), (10, 14, 16), (16, 20)]


def style():
    def rules(scheme):
        lines = []
        for name, colours in COLOURS.items():
            lines.append(f".f-{name} {{ fill: {colours[scheme]} }} .s-{name} {{ stroke: {colours[scheme]} }}")
        return "\n    ".join(lines)

    return f"""  <style>
    text {{ font-family: -apple-system, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; font-size: 14px }}
    .code {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12.5px }}
    .head {{ font-size: 16px; font-weight: 600 }}
    .line {{ fill: none; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }}
    {rules(0)}
    @media (prefers-color-scheme: dark) {{
    {rules(1)}
    }}
  </style>"""


def text(x, y, words, classes, anchor="start"):
    where = f'x="{x}" y="{y}" class="{classes}" text-anchor="{anchor}"'
    return f'  <text {where} xml:space="preserve">{escape(words)}</text>'


def box(x, y, width, height, classes, radius=8):
    return f'  <rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" class="{classes}"/>'


def path(points, colour):
    return f'  <path d="{points}" class="line s-{colour}"/>'


def tick(x, y):
    return path(f"M{x} {y - 4} l4 4 l7 -9", "done")


def bars(x, y):
    return path(f"M{x + 2} {y - 9} v9 M{x + 8} {y - 9} v9", "wait")


def arrow(x, y, length, colour):
    return path(f"M{x} {y} h{length} m-7 -6 l7 6 l-7 6", colour)


def machine(x, name, day, marks, waits_at, comment):
    """One machine: its name, the program with a mark before each line that has run, and what happens there."""
    out = [box(x, CARD_TOP, CARD_WIDTH, CARD_HEIGHT, "f-card s-edge", 12),
           text(x + 20, CARD_TOP + 32, name, "head f-text"),
           text(x + CARD_WIDTH - 20, CARD_TOP + 32, day, "f-faint", "end")]
    top = CARD_TOP + 76
    for row, code in enumerate(PROGRAM):
        y = top + row * LINE_HEIGHT
        if row == waits_at:
            out.append(box(x + 12, y - 18, CARD_WIDTH - 24, LINE_HEIGHT, "f-wait-back", 5))
        mark = marks[row]
        if mark is not None:
            out.append(mark(x + 20, y))
        out.append(text(x + 42, y, code, "code " + ("f-text" if mark else "f-faint")))
    for row, (words, colour) in enumerate(comment):
        out.append(text(x + 20, CARD_TOP + 184 + row * 26, words, f"f-{colour}"))
    return out


def snapshot(top):
    """The bytes on their way: a sheet with rows of words."""
    width, height = 84, 100
    x = MIDDLE - width // 2
    out = [box(x, top, width, height, "f-bytes-back s-bytes", 6)]
    for row, words in enumerate(BYTE_ROWS):
        at = x + 14
        for word in words:
            out.append(box(at, top + 16 + row * 15, word, 6, "f-bytes", 3))
            at += word + 6
    return out


def picture():
    description = ("A program holds a seat and asks a manager on machine A. While the run waits it is bytes, and no "
                   "process exists. Machine B takes the bytes and the reply of the manager, and buys the seat.")
    top = CARD_TOP + 64
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img">',
        "  <title>A run suspends on one machine and goes on on another</title>",
        f"  <desc>{description}</desc>",
        style(),
        *machine(LEFT, "Machine A", "Monday", [tick, bars, None], 1, [
            ("The run holds a seat and records the answer.", "text"),
            ("It asks the manager and has no reply yet.", "text"),
            ("It suspends: the whole run becomes bytes.", "wait"),
            ("The process ends. The machine may go away.", "text"),
        ]),
        *machine(RIGHT, "Machine B", "Thursday", [tick, tick, tick], None, [
            ("The bytes become the run again.", "text"),
            ("It goes on behind the await with the reply.", "text"),
            ("It buys the seat that machine A held.", "text"),
            ('=> {:status :bought}', "done"),
        ]),
        *snapshot(top),
        arrow(LEFT + CARD_WIDTH + 12, top + 50, 44, "bytes"),
        arrow(MIDDLE + 54, top + 50, 44, "bytes"),
        text(MIDDLE, top + 126, "a few kilobytes", "f-text", "middle"),
        text(MIDDLE, top + 148, "in a file, a database", "f-faint", "middle"),
        text(MIDDLE, top + 168, "or a queue", "f-faint", "middle"),
        text(MIDDLE, top + 208, "the manager says yes", "f-wait", "middle"),
        arrow(LEFT + CARD_WIDTH + 28, top + 224, RIGHT - LEFT - CARD_WIDTH - 42, "wait"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main():
    drawn = picture()
    if sys.argv[1:] == ["--check"]:
        if PICTURE.read_text(encoding="utf-8") != drawn:
            sys.exit(f"{PICTURE.name} is not what {pathlib.Path(__file__).name} draws: run the script without --check")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PICTURE.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
