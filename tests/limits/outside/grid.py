"""The grid: every builtin of the table, with values that are as large as 16 MiB allow, at every place of a program.

Everything comes from schema/builtins: a new row there is in the grid. The name of an argument in the usage says what is
put there when the large value is at another place; a name that FILLERS lacks gets an integer. Whatever has keys gets a
map, or maps when the key comes first.
"""
import itertools
import os
import re

from trials import MEBIBYTE, NO_END, Trial

MEMORY_BYTES = 16 * MEBIBYTE
TIMEOUT_MS = 150

QUOTED = r'"((?:[^"\\]|\\.)*)"'
TEXT = re.compile(QUOTED)
ROW = re.compile(rf'^B\(\w+,\s*{QUOTED},\s*(\d+),\s*(\w+),\s*\w+,\s*(\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+),', re.M)


def doubled(text, times):
    return f'(reduce (fn [s _] (str s s)) "{text}" (range {times}))'


VALUES = {
    "text": doubled("Grüße an a ", 18),
    "blanks": doubled("  \\n     ", 18),
    "grapheme": '(str "e" ' + doubled("\u0301\u0308\u0301\u0302", 18) + ")",
    "nest": "(reduce (fn [a _] [a]) 1 (range 60000))",
    "doubled-nest": "(reduce (fn [a _] [a a]) 1 (range 60))",
    "map": '(zipmap (map (fn [i] (str "key-" i "_")) (range 30000)) (range 30000))',
    "id": doubled("a-b_c-d_", 18),
    "integer": "(dec (bit-shift-left 1 65535))",
    "regex": '(re-pattern "(\\\\pL{9}\\\\pN{9}[^a-zä-ü]{9}){4}(x*)*y")',
    "closures": f"(let [t {doubled('a long text ', 7)}] (reduce (fn [a i] (fn [& xs] [t a i xs])) 1 (range 30000)))",
    "range": "(range 1000000)",
}

# What is done with the call at a place, and the options that the place needs.
FOREVER = "(range 1000000000)"
PLACES = {
    "loop": (f"(reduce (fn [_ _] (do CALL nil)) nil {FOREVER})", ()),
    "comparator": ("(count (sort (fn [x y] (do CALL (< x y))) (reverse (range 20000))))", ()),
    "branch": ("(count (pmap (fn [_] CALL) (range 64)))", ()),
    "task": ("(reduce (fn [_ i] (do (task (str i) CALL) nil)) nil (range 1000))",
             ("--store", "$dir/s.db", "--id", "r")),
    "result": ("CALL", ()),
    "print": (f"(reduce (fn [_ _] (println CALL)) nil {FOREVER})", ()),
    "tool-argument": ("(tool/sink {:x CALL})", ("--tool-shell", "sink=cat >/dev/null; echo 1")),
    "tool-answer": ("(let [v (:x (tool/echo {:x v}))] CALL)", ("--tool", "echo=cat")),
    "key": (f"(count (reduce (fn [m _] (assoc m CALL 1)) {{}} {FOREVER}))", ()),
}

FUNCTION = "(fn [& xs] (first xs))"
FILLERS = {
    **dict.fromkeys("coll colls items from to v vals xs keys handles sets path args".split(), "[3 1 2]"),
    **dict.fromkeys("s text part prefix suffix separator fmt summary name id reason? replacement".split(), '"a"'),
    **dict.fromkeys("f fs inner outer branch? children comparator?".split(), FUNCTION),
    **dict.fromkeys("pred preds".split(), "(fn [& xs] true)"),
    **dict.fromkeys("m maps names lookup replacements".split(), '{"a" "b" :a 1}'),
    **dict.fromkeys("pattern re".split(), '(re-pattern "a+")'),
    **dict.fromkeys("start n ms group index".split(), "1"),
    **dict.fromkeys("entry match".split(), "[1 2]"),
    "date": '(LocalDate/parse "2024-01-15")', "instant": '(Instant/parse "2024-01-15T10:00:00Z")',
    **dict.fromkeys("unit ChronoUnit/DAYS ChronoUnit/MONTHS".split(), ":days"),
    "duration": '(Duration/parse "PT1H")', "p": "50", "places": "1",
    "key": ":a", "opts?": "{}", "form": "[1 [2 3]]", "root": "[1 [2 3]]",
}
KEYS = ("key", "path")


class Builtin:
    def __init__(self, name, usages):
        self.name, self._usages = name, usages

    @staticmethod
    def table(root):
        """Returns every builtin that programs can name."""
        folder = os.path.join(root, "schema", "builtins")
        for part in sorted(os.listdir(folder)):
            with open(os.path.join(folder, part), encoding="utf-8") as file:
                text = file.read()
            rows = ROW.findall(text)
            if len(rows) != len(re.findall(r"^B\(", text, re.M)):
                raise RuntimeError(f"{part} has rows of a shape that is not known here")
            for name, least, most, category, usage in rows:
                if category != "Hidden":
                    shown = "".join(TEXT.findall(usage)).replace('\\"', '"')
                    yield Builtin(name.replace('\\"', '"'), shapes(shown, int(least), most))

    def calls(self, value, copy):
        """Returns the calls with the value at each place, and with the value and its copy at all places."""
        seen = {}
        for names in self._usages:
            fillers = [filler(name, names) for name in names]
            for at in range(len(names)):
                seen.setdefault(self._call(fillers[:at] + [value] + fillers[at + 1:]), f"{at + 1}of{len(names)}")
            if len(names) > 1:
                each = itertools.cycle((value, copy))
                seen.setdefault(self._call([next(each) for _ in names]), f"all{len(names)}")
        return [(shape, call) for call, shape in seen.items()]

    def _call(self, arguments):
        return f"({' '.join([self.name, *arguments])})"


def filler(name, names):
    if name == "coll" and any(key in names for key in KEYS):
        return '[{:a 1} {"b" 2}]' if names[0] in KEYS else '{:a 1 "b" 2}'
    return FILLERS.get(name, "1")


def shapes(usage, least, most):
    """Returns the names of arguments of each way to call: (f a b?) is f a, and f a b; (f & xs) is f xs xs."""
    out = []
    for form in re.findall(r"\(([^()]*)\)", usage):
        words = [word for word in form.split()[1:] if word not in ("&", "...")]
        if form.split()[-1] == "..." or "&" in form.split():
            words = words + words[-1:] if most == "kVariadic" else words
        needed = [word for word in words if not word.endswith("?") or word == "branch?"]
        for names in (needed, words):
            names = names + names[-1:] * (least - len(names)) if names else names
            if names and names not in out:
                out.append(names)
    return out


def cells(root):
    """Yields (name, a function that makes the trial) for the whole grid, always in the same order."""
    for builtin in Builtin.table(root):
        for value, made in VALUES.items():
            for shape, call in builtin.calls("v", "w"):
                for place in PLACES:
                    yield Trial(f"{builtin.name} {shape} {value} {place}", program(made, call, place), MEMORY_BYTES,
                                TIMEOUT_MS, options=(*PLACES[place][1], "--fuel", NO_END))


def program(made, call, place):
    names = f"v {made}" + (f" w {made}" if re.search(r"[ (]w[ )]", call) else "")
    body = PLACES[place][0].replace("CALL", call)
    return f"(let [{names}]\n  {body})\n"
