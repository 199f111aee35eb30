"""Reads rows.tsv. In a program or file, <<N:text>> is the text N times; each %i in it is its number, from 0. The
innermost ones are written out first."""
import re

from trials import MEBIBYTE, Trial

REPEATED = re.compile(r"<<(\d+):((?:(?!<<).)*?)>>")


def written_out(text):
    while REPEATED.search(text):
        text = REPEATED.sub(lambda m: "".join(m[2].replace("%i", str(i)) for i in range(int(m[1])))
                            if "%i" in m[2] else m[2] * int(m[1]), text)
    return text


def read(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            columns = line.rstrip("\n").split("\t")
            if len(columns) != 8:
                raise ValueError(f"{path}:{number}: {len(columns)} columns, not 8")
            name, mebibytes, timeout_ms, how, ends, options, files, program = columns
            named = [entry.split("=", 1) for entry in files.split(" && ") if entry != "-"]
            yield Trial(name, written_out(program), int(float(mebibytes) * MEBIBYTE), int(timeout_ms), how,
                        () if options == "-" else tuple(options.split(" | ")),
                        {key: written_out(text) for key, text in named},
                        () if ends == "-" else tuple(ends.split("|")))
