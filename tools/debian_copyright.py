"""Reads the copyright files of Debian packages: /usr/share/doc/PACKAGE/copyright, in the format DEP-5 where a file is.

Used by tools/sbom."""
import dataclasses
import pathlib
import re

DOCUMENTS = pathlib.Path("/usr/share/doc")
# What copyright files in prose call the licences of libraries, in the words of those files.
IN_PROSE = {"GCC Runtime Library Exception": "GPL-3+ with the GCC Runtime Library Exception",
            "GNU Lesser General Public": "LGPL-2.1+"}


@dataclasses.dataclass
class Part:
    """What a paragraph says of some files."""
    files: list
    holders: list
    licence: str


@dataclasses.dataclass
class Copyright:
    parts: list       # without Debian's own packaging; the part of all files ("*") is the first
    texts: dict       # name of a licence in small letters -> text


def text_of(package):
    """Returns the file's text, or "" if there is no such file. Some files mix UTF-8 and Latin-1."""
    path = DOCUMENTS / package / "copyright"
    lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []

    def decoded(line):
        try:
            return line.decode()
        except UnicodeDecodeError:
            return line.decode("latin-1")
    return "".join(decoded(line) for line in lines)


def fields_of(paragraph):
    """Field -> value; further lines of a value keep their indent."""
    return {name: value.rstrip() for name, value in
            re.findall(r"^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", paragraph, re.M)}


def unindented(lines):
    return "\n".join("" if line.strip() == "." else line.removeprefix(" ") for line in lines).strip("\n")


def names_in(licence):
    """Names of the licences in "A and B"; an exception belongs to its licence."""
    return [name.strip(" ,") for name in re.split(r"\s+(?:and|or)\s+|/", licence) if name.strip(" ,")]


def read(package):
    """Returns what the package's file says, or None if there is no such file or the file has another format."""
    text = text_of(package)
    if "copyright-format/1.0" not in text[:200]:
        return None
    parts, texts = [], {}
    for paragraph in re.split(r"\n\s*\n", text):
        fields = fields_of(paragraph)
        name, *body = fields.get("License", "").splitlines() or [""]
        if body:
            texts.setdefault(name.strip().lower(), unindented(body))
        files = fields.get("Files", "").split()
        if files and not all(file.startswith("debian/") for file in files):
            holders = [line.strip() for line in fields.get("Copyright", "").splitlines() if line.strip()]
            parts.append(Part(files, holders, name.strip()))
    return Copyright(sorted(parts, key=lambda part: "*" not in part.files), texts)


def licence_of(package):
    """Returns the name of the licence that the whole package has, or None if Debian names none."""
    found = read(package)
    if found is None or not found.parts or "*" not in found.parts[0].files:
        return None
    return found.parts[0].licence


def licences_in_prose(package):
    """Returns the names of licences that a file in prose mentions."""
    text = " ".join(text_of(package).split()).lower()
    return [name for words, name in IN_PROSE.items() if words.lower() in text]
