#!/usr/bin/env python3
"""tools/sbom: every dependency is in it, it is well-formed SPDX 2.3, and the notices of third parties are up to date.

usage: sbom_test.py SBOM PACKAGES PTCVM NOTICES   (the tool, the list of dependencies, a binary that was built, and
THIRD_PARTY_NOTICES.txt)"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

SBOM, PACKAGES, BINARY, NOTICES = sys.argv[1:5]
REQUIRED = {"SPDXID", "name", "versionInfo", "downloadLocation", "filesAnalyzed", "licenseConcluded",
            "licenseDeclared", "copyrightText"}
KINDS = {"link": "DEPENDS_ON", "build": "BUILD_DEPENDENCY_OF", "test": "TEST_DEPENDENCY_OF"}


def sbom(*options):
    return subprocess.run([SBOM, "--binary", BINARY, *options], capture_output=True, text=True, check=True).stdout


def listed():
    """Name and kind of each line of the list."""
    lines = pathlib.Path(PACKAGES).read_text().splitlines()
    return [tuple(line.split()[:2]) for line in lines if line.strip() and not line.startswith("#")]


class Sbom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = sbom()
        cls.document = json.loads(cls.text)
        cls.packages = {package["name"]: package for package in cls.document["packages"]}

    def related(self, kind, name):
        """Whether ptcvm and the package of that name are related so, in either direction."""
        ids = {self.packages["ptcvm"]["SPDXID"], self.packages[name]["SPDXID"]}
        return any(r["relationshipType"] == kind and {r["spdxElementId"], r["relatedSpdxElement"]} == ids
                   for r in self.document["relationships"])

    def test_every_dependency_is_in_it_by_its_kind(self):
        self.assertGreater(len(listed()), 20)
        for name, kind in listed():
            self.assertIn(name, self.packages)
            self.assertTrue(self.related(KINDS[kind], name), name)

    def test_what_the_binary_loads_is_in_it(self):
        needed = subprocess.run(["objdump", "-p", BINARY], capture_output=True, text=True).stdout
        self.assertIn("NEEDED", needed)
        for part in ("libre2", "libsodium", "libutf8proc"):
            self.assertIn(part, needed)
            names = [name for name in self.packages if re.match(part + r"-?\d+$", name)]
            self.assertEqual(len(names), 1, part)
            self.assertTrue(self.related("DYNAMIC_LINK", names[0]))
            self.assertRegex(self.packages[names[0]]["versionInfo"], r"^[\d:]")

    def test_it_is_well_formed(self):
        document = self.document
        self.assertEqual((document["spdxVersion"], document["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        self.assertRegex(document["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        ids = [package["SPDXID"] for package in document["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        for package in document["packages"]:
            self.assertLessEqual(REQUIRED, set(package))
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
        for relationship in document["relationships"]:
            for end in ("spdxElementId", "relatedSpdxElement"):
                self.assertIn(relationship[end], [*ids, "SPDXRef-DOCUMENT"])

    def test_it_is_the_same_bytes_again(self):
        self.assertEqual(sbom(), self.text)

    def test_ptcvm_names_its_own_licence(self):
        self.assertEqual(self.packages["ptcvm"]["licenseDeclared"], "Apache-2.0")


class Notices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = pathlib.Path(NOTICES).read_text()

    def test_the_file_is_what_the_tool_writes(self):
        self.assertTrue(sbom("--notice") == self.text, "write the file again: tools/sbom --notice --output "
                                                       "THIRD_PARTY_NOTICES.txt, and look at what git diff shows")

    def test_every_linked_library_is_in_it_with_a_licence(self):
        heads = re.findall(r"^=+\n(\S+) \((.+)\)\n((?:Home|Used for): .*\n)*Licence: (.+)$", self.text, re.M)
        named = {package for _, packages, _, _ in heads for package in packages.split(", ")}
        self.assertLessEqual({name for name, kind in listed() if kind == "link"}, named)
        self.assertLessEqual({"libc6", "libstdc++6", "libgcc-s1"}, named)
        self.assertEqual([source for source, _, _, licence in heads if "not named" in licence], [])

    def test_every_text_that_is_referred_to_is_there(self):
        there = re.findall(r"^Text (\d+): ", self.text, re.M)
        self.assertEqual(there, [str(number + 1) for number in range(len(there))])
        self.assertLessEqual(set(re.findall(r"\(text (\d+)\)", self.text)), set(there))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
