#!/usr/bin/env python3
"""tools/sbom: every dependency is in it, and it is well-formed SPDX 2.3.

usage: sbom_test.py SBOM PACKAGES PTCVM   (the tool, the list of dependencies, a binary that was built)"""
import json
import re
import subprocess
import sys
import unittest

SBOM, PACKAGES, BINARY = sys.argv[1:4]
REQUIRED = {"SPDXID", "name", "versionInfo", "downloadLocation", "filesAnalyzed", "licenseConcluded",
            "licenseDeclared", "copyrightText"}
KINDS = {"link": "DEPENDS_ON", "build": "BUILD_DEPENDENCY_OF", "test": "TEST_DEPENDENCY_OF"}


def sbom():
    return subprocess.run([SBOM, "--binary", BINARY], capture_output=True, text=True, check=True).stdout


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
        with open(PACKAGES) as file:
            lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
        self.assertGreater(len(lines), 20)
        for name, kind, *_ in lines:
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
