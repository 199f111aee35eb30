#!/usr/bin/env python3
"""Installs the package to a fresh place, moves it, and uses it as a stranger would: CMake, pkg-config, by hand, with
GCC and Clang, static and shared. Projects lie in copies outside of the tree.

usage: installed_test.py BUILD_FOLDER SOURCE_FOLDER"""
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
STRICT = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
CCACHE = shutil.which("ccache")


def run(*command, **more):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **more)


def setUpModule():
    folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="ptcvm-package-")))
    done = run("cmake", "--install", BUILD, "--prefix", folder / "first")
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    Package.folder = folder
    Package.prefix = folder / "moved" / "elsewhere"      # what is installed must not know where it lies
    Package.prefix.parent.mkdir()
    shutil.move(folder / "first", Package.prefix)
    Package.library = next(Package.prefix.rglob("libptcvm.a")).parent


class Package(unittest.TestCase):
    counter = itertools.count()

    def fresh(self, name):
        """A copy of a project of tests/package, and a folder to build it in."""
        place = self.folder / f"{name}-{next(self.counter)}"
        shutil.copytree(HERE / name, place / "source")
        return place / "source", place / "build"

    def configure(self, name, compiler, *options):
        source, build = self.fresh(name)
        launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={CCACHE}"] if CCACHE else []
        done = run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_CXX_COMPILER={compiler}",
                   f"-DCMAKE_PREFIX_PATH={self.prefix}", *launcher, *options)
        return build, done

    def done(self, completed):
        self.assertEqual(completed.returncode, 0, completed.stdout + completed.stderr)
        return completed.stdout

    def environment(self, **more):
        return {**os.environ, "PKG_CONFIG_PATH": str(self.library / "pkgconfig"), **more}

    def flags(self, *options):
        return self.done(run("pkg-config", *options, env=self.environment())).split()


class Files(Package):
    def test_headers_are_public_ones_only(self):
        headers = sorted(path.name for path in (self.prefix / "include").rglob("*") if path.is_file())
        self.assertIn("version.hpp", headers)
        self.assertEqual([name for name in headers if name.startswith("crash_") or name.endswith("_generated.h")], [])
        self.assertEqual({path.name for path in (self.prefix / "include").iterdir()}, {"ptcvm"})

    def test_every_header_stands_alone(self):
        for header in sorted((self.prefix / "include/ptcvm").glob("*.hpp")):
            for compiler in COMPILERS:
                with self.subTest(header=header.name, compiler=compiler):
                    self.done(run(compiler, *STRICT, "-fsyntax-only", "-I", self.prefix / "include", "-x", "c++", "-",
                                  input=f"#include <ptcvm/{header.name}>\n"))

    def test_no_file_of_the_package_knows_the_tree(self):
        for path in self.prefix.rglob("*"):
            if path.suffix in (".cmake", ".pc", ".hpp", ".h"):
                text = path.read_text()
                for place in (SOURCE, BUILD, self.folder):
                    self.assertNotIn(str(place), text, path)


class CMakeProject(Package):
    def check(self, compiler, *options):
        build, done = self.configure("consumer", compiler, *options)
        self.done(done)
        self.done(run("cmake", "--build", build))
        self.assertRegex(self.done(run(build / "print_version")), r"^ptcvm \d+\.\d+\.\d+\n$")
        return self.done(run("readelf", "-d", build / "print_version"))

    def test_static(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.assertNotIn("libptcvm", self.check(compiler))

    def test_shared(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.assertIn("[libptcvm.so.0]", self.check(compiler, "-Dptcvm_SHARED=ON"))

    def test_users_may_hide_their_symbols(self):
        self.check(COMPILERS[0], "-Dptcvm_SHARED=ON", "-DCMAKE_CXX_VISIBILITY_PRESET=hidden")

    def test_components(self):
        for components in ("core;sqlite;asio", "lean"):
            with self.subTest(components=components):
                self.check(COMPILERS[0], f"-DCONSUMER_COMPONENTS={components}")
        self.check(COMPILERS[0], "-DCONSUMER_COMPONENTS=core;sqlite", "-Dptcvm_SHARED=ON")

    def test_an_unknown_component_is_named(self):
        _, done = self.configure("consumer", COMPILERS[0], "-DCONSUMER_COMPONENTS=core;postgres")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('ptcvm has no component "postgres". This package has: core', " ".join(done.stderr.split()))

    def test_another_version_is_refused(self):
        source, build = self.fresh("consumer")
        text = (source / "CMakeLists.txt").read_text()
        (source / "CMakeLists.txt").write_text(text.replace("ptcvm 0.1 CONFIG", "ptcvm 7.0 CONFIG"))
        done = run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("version: 0.1", done.stderr)


class PkgConfig(Package):
    def test_shared(self):
        source, build = self.fresh("consumer")
        build.mkdir()
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.done(run(compiler, *STRICT, source / "print_version.cpp", "-o", build / "out",
                              *self.flags("--cflags", "--libs", "ptcvm")))
                self.assertNotEqual(run(build / "out").returncode, 0)      # the library is not where the loader looks
                done = run(build / "out", env=self.environment(LD_LIBRARY_PATH=str(self.library)))
                self.assertRegex(self.done(done), r"^ptcvm \d")

    def test_static(self):
        source, build = self.fresh("consumer")
        build.mkdir()
        for package in ("ptcvm", "ptcvm-sqlite", "ptcvm-lean"):
            with self.subTest(package=package):
                self.done(run(COMPILERS[0], "-static", *STRICT, source / "print_version.cpp", "-o", build / package,
                              *self.flags("--cflags", "--static", "--libs", package)))
                self.assertRegex(self.done(run(build / package)), r"^ptcvm \d")

    def test_says_its_version(self):
        self.assertRegex(" ".join(self.flags("--modversion", "ptcvm")), r"^\d+\.\d+\.\d+$")


class NestedProject(Package):
    def test_changes_nothing_outside(self):
        build, done = self.configure("nested", COMPILERS[0], f"-DPTCVM_SOURCE={SOURCE}")
        self.done(done)
        self.done(run("cmake", "--build", build, "--target", "nested_objects", "ptc_schema"))

    def test_shared_where_the_project_wants_it(self):
        build, done = self.configure("nested", COMPILERS[0], f"-DPTCVM_SOURCE={SOURCE}", "-DBUILD_SHARED_LIBS=ON")
        self.done(done)
        commands = self.done(run("ninja", "-C", build, "-t", "commands", "nested"))
        self.assertIn("libptcvm.so", commands.splitlines()[-1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
