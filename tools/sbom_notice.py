"""The notices of third parties as text, for tools/sbom: which libraries a program with ptcvm inside has, and under
which licences. The text names no versions, so that it changes only when a licence or a library does."""
import debian_copyright

WIDTH = 100
HEAD = """Third-party notices of ptcvm

ptcvm itself is under the Apache License 2.0 (LICENSE). This file lists the libraries whose code is compiled into
ptcvm, or that the command line and the libraries of ptcvm link, with their licences. What is said here is what
Debian's copyright files say. Libraries that these libraries load in turn belong to the system; tools/sbom lists them.

Made by: tools/sbom --notice --output THIRD_PARTY_NOTICES.txt
"""


def key_of(text):
    return " ".join(text.split())


class Notice:
    def __init__(self):
        self.lines = [HEAD]
        self.texts = {}      # words of a text -> number, name, text

    def reference(self, name, texts):
        """Returns "NAME (text N)", where texts have one for the licence."""
        text = texts.get(name.lower())
        if text is None:
            return name
        number, *_ = self.texts.setdefault(key_of(text), (len(self.texts) + 1, name, text))
        return f"{name} (text {number})"

    def licence(self, licence, texts):
        return " and ".join(self.reference(name, texts) for name in debian_copyright.names_in(licence))

    def parts(self, found):
        """The licence of all files, then every other licence with those who hold the copyright."""
        whole, *others = found.parts
        self.lines.append(f"Licence: {self.licence(whole.licence, found.texts)}")
        self.lines += [f"    Copyright {holder}" for holder in whole.holders]
        holders = {}
        for part in others:
            if part.licence != whole.licence:
                holders.setdefault(part.licence, []).extend(part.holders)
        for licence, names in sorted(holders.items()):
            self.lines.append(f"Some files: {self.licence(licence, found.texts)}")
            self.lines += [f"    Copyright {name}" for name in dict.fromkeys(names)]

    def add(self, source, packages, uses, home):
        self.lines += ["=" * WIDTH, f"{source} ({', '.join(packages)})"]
        self.lines += [f"Home: {home}"] if home else []
        self.lines += [f"Used for: {use}" for use in uses]
        found = debian_copyright.read(packages[0])
        if found is not None and found.parts:
            self.parts(found)
        else:
            names = debian_copyright.licences_in_prose(packages[0])
            self.lines.append(f"Licence: {'; '.join(names) or 'not named by Debian'}")
            self.lines.append("    This library belongs to the system; a program links it as the system has it.")
        self.lines.append("")

    def text(self):
        lines = list(self.lines)
        for number, name, text in self.texts.values():
            lines += ["=" * WIDTH, f"Text {number}: {name}", "", text, ""]
        return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def notice(libraries, known):
    """LIBRARIES are (package, use) pairs; KNOWN maps a package to its version, source package and home page."""
    sources = {}
    for package, use in libraries:
        _, source, home = known.get(package, ["", package, ""])
        packages, uses, homes = sources.setdefault(source or package, ([], [], []))
        packages.append(package)
        uses += [use] if use and use not in uses else []
        homes += [home] if home else []
    result = Notice()
    for source, (packages, uses, homes) in sorted(sources.items()):
        result.add(source, packages, uses, homes[0] if homes else "")
    return result.text()
