#!/usr/bin/env python3
"""Installs the package to a fresh place, moves it, and uses it as a stranger would: CMake, pkg-config, by hand, with
GCC and Clang, static and shared. Projects lie in copies outside of the tree.

usage: installed_test.py BUILD_FOLDER SOURCE_FOLDER"""
import itertools
import os
import pathlib
import re
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
FAST_FOLDER = "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()
WITHOUT_CURL = "the library was built without libcurl: run tools/install-dependencies, then configure again"


def run(*command, **more):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **more)


def setUpModule():
    folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="ptcvm-package-")))
    done = run("cmake", "--install", BUILD, "--prefix", folder / "first")
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    # What one run has compiled, the next one finds, although its folder has another name.
    os.environ.update(CCACHE_BASEDIR=str(folder.resolve()), CCACHE_NOHASHDIR="1")
    Package.folder = folder
    Package.prefix = folder / "moved" / "elsewhere"      # what is installed must not know where it lies
    Package.prefix.parent.mkdir()
    shutil.move(folder / "first", Package.prefix)
    Package.library = next(Package.prefix.rglob("libptcvm.a")).parent


class Package(unittest.TestCase):
    counter = itertools.count()

    def fresh(self, name):
        """A copy of a project of tests/package or of examples, and a fresh folder to build it in. Unchanged copies are
        used again, so that what was compiled is, too."""
        source = self.folder / name
        if not source.exists():
            shutil.copytree(HERE / name if (HERE / name).is_dir() else SOURCE / "examples" / name, source)
        return source, self.folder / f"{name}-{next(self.counter)}"

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
        self.assertEqual([name for name in headers if name.endswith("_generated.h")], [])
        self.assertEqual({path.name for path in (self.prefix / "include").iterdir()}, {"ptcvm"})

    def test_licence_and_notices_are_there(self):
        for name in ("LICENSE", "THIRD_PARTY_NOTICES.txt"):
            self.assertEqual((self.prefix / "share/doc/ptcvm" / name).read_bytes(), (SOURCE / name).read_bytes())
        self.assertIn("License: Apache-2.0", (self.prefix / "share/doc/ptcvm/copyright").read_text())

    def test_every_header_stands_alone(self):
        for header in sorted((self.prefix / "include/ptcvm").glob("*.hpp")):
            with self.subTest(header=header.name):
                self.done(run(COMPILERS[0], *STRICT, "-fsyntax-only", "-I", self.prefix / "include", "-x", "c++", "-",
                              input=f"#include <ptcvm/{header.name}>\n"))

    def test_the_header_for_c_is_c(self):
        for compiler, language, standard in itertools.product(COMPILERS, ("c", "c++"), ("11", "17")):
            with self.subTest(compiler=compiler, language=language, standard=standard):
                self.done(run(compiler, *STRICT[1:], f"-std={language}{standard}", "-fsyntax-only", "-I",
                              self.prefix / "include", "-x", language, "-", input="#include <ptcvm/ptcvm.h>\n"))

    def test_no_file_of_the_package_knows_the_tree(self):
        for path in self.prefix.rglob("*"):
            if path.suffix in (".cmake", ".pc", ".hpp", ".h"):
                text = path.read_text()
                for place in (SOURCE, BUILD, self.folder):
                    self.assertNotIn(str(place), text, path)


class CMakeProject(Package):
    def build(self, compiler, *options):
        build, done = self.configure("consumer", compiler, *options)
        self.done(done)
        self.done(run("cmake", "--build", build))
        return build

    def loaded(self, program):
        return self.done(run("readelf", "-d", program))

    def check(self, build, finish="finish", compiler="compiler"):
        """A program is suspended by one process and finished by another."""
        state = build / "state.ptcs"
        self.assertEqual(self.done(run(build / "start", build.parent / "consumer/approval.ptc", state)),
                         'suspended\nop1 approve {"amount" 17000 "why" "above the limit"}\n')
        self.assertEqual(self.done(run(build / finish, state, "op1", "yes")),
                         f'{compiler}\ncompleted\n"Ada pays 17000: yes"\n')

    def test_static(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                build = self.build(compiler)
                self.check(build)
                self.assertNotIn("libptcvm", self.loaded(build / "start"))

    def test_shared(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                build = self.build(compiler, "-Dptcvm_SHARED=ON")
                self.check(build)
                self.assertIn("[libptcvm.so.0]", self.loaded(build / "start"))

    def test_users_may_hide_their_symbols(self):
        self.check(self.build(COMPILERS[0], "-Dptcvm_SHARED=ON", "-DCMAKE_CXX_VISIBILITY_PRESET=hidden"))

    def test_lean_library_goes_on_without_a_compiler(self):
        self.check(self.build(COMPILERS[0], "-DCONSUMER_COMPONENTS=core;lean;asio"), "lean_finish", "not_available")

    def test_store_in_sqlite(self):
        for options in ([], ["-Dptcvm_SHARED=ON"]):
            with self.subTest(options=options):
                build = self.build(COMPILERS[0], "-DCONSUMER_COMPONENTS=sqlite", *options)
                out = self.done(run(build / "keep", build / "runs.db"))
                self.assertRegex(out, r"^waits for approve\n\d+\.\d+\.\d+\n$")
                self.assertTrue((build / "runs.db").is_file())

    def test_exporter_of_traces(self):
        self.assertTrue((self.library / "cmake/ptcvm/otel.cmake").exists(), WITHOUT_CURL)
        for options in ([], ["-Dptcvm_SHARED=ON"]):
            with self.subTest(options=options):
                build = self.build(COMPILERS[0], "-DCONSUMER_COMPONENTS=otel", *options)
                self.assertRegex(self.done(run(build / "post")), r"^refused by \d")

    def test_an_unknown_component_is_named(self):
        _, done = self.configure("consumer", COMPILERS[0], "-DCONSUMER_COMPONENTS=core;mysql")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('ptcvm has no component "mysql". This package has: core', " ".join(done.stderr.split()))

    def test_another_version_is_refused(self):
        source, build = self.folder / "newer", self.folder / "newer-build"
        text = (HERE / "consumer/CMakeLists.txt").read_text()
        source.mkdir()
        (source / "CMakeLists.txt").write_text(text.replace("ptcvm 0.1 CONFIG", "ptcvm 7.0 CONFIG"))
        done = run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("version: 0.1", done.stderr)


class Documented(Package):
    """What docs/packaging.md shows."""
    def test_hello(self):
        build, done = self.configure("hello", COMPILERS[0])
        self.done(done)
        self.done(run("cmake", "--build", build))
        self.assertEqual(self.done(run(build / "hello")), "42\n")
        program = self.folder / "hello-by-hand"
        self.done(run("sh", "-c", f"c++ -std=c++20 hello.cpp -o {program} $(pkg-config --cflags --libs ptcvm)",
                      cwd=self.folder / "hello", env=self.environment()))
        done = run(program, env=self.environment(LD_LIBRARY_PATH=str(self.library)))
        self.assertEqual(self.done(done), "42\n")

    def test_fetched(self):
        shutil.copy(HERE / "hello/hello.cpp", self.fresh("fetched")[0])
        build, done = self.configure("fetched", COMPILERS[0], f"-DFETCHCONTENT_SOURCE_DIR_PTCVM={SOURCE}")
        self.done(done)
        self.assertIn("api/libptcvm.a", self.done(run("ninja", "-C", build, "-t", "commands", "hello")))


class Examples(Package):
    """The folders that docs/embedding.md shows are projects of their own, too."""
    def built(self, name, target, *options):
        build, done = self.configure(name, COMPILERS[-1], "-DCMAKE_CXX_FLAGS=" + " ".join(STRICT[1:]), *options)
        self.done(done)
        self.done(run("cmake", "--build", build, "--target", target))
        return build / target

    def test_print_what_they_print_in_the_tree(self):
        for name in ("minimal", "batch"):
            with self.subTest(name=name):
                expected = (SOURCE / f"examples/embed-{name}/expected.txt").read_text()
                self.assertEqual(self.done(run(self.built(f"embed-{name}", f"embed_{name}"))), expected)

    def test_two_programs_share_a_run(self):
        start = self.built("embed-park", "embed_park_start")
        finish = self.built("embed-park", "embed_park_finish")
        state = start.parent / "run.ptcs"
        self.assertIn("op1 waits: ask_manager", self.done(run(start, state, "500")))
        self.assertEqual(self.done(run(finish, state, "op1", '{:approved true :by "Ann"}')),
                         'completed: {:by "Ann" :status :bought}\n')

    def test_crash_kit_kills_a_program_everywhere(self):
        for options in ([], ["-Dptcvm_SHARED=ON"]):
            with self.subTest(options=options):
                table = self.done(run(self.built("crash-test", "crash_test", *options), FAST_FOLDER))
                killed = int(re.search(r"(\d+) kills, .* 0 runs with complaints\n$", table).group(1))
                self.assertGreater(killed, 30, table)
                self.assertIn("in the middle of shipping", table)

    def test_pages_find_the_store(self):
        program = self.built("embed-pages", "embed_page_stores")
        self.assertEqual(self.done(run(program, program.parent / "page.db")),
                         (SOURCE / "examples/embed-pages/stores.expected.txt").read_text())


class PkgConfig(Package):
    def compile(self, source, flags, *options):
        """By hand, as without CMake."""
        folder, build = self.fresh("consumer")
        build.mkdir()
        self.done(run(COMPILERS[0], *STRICT, *options, folder / source, "-o", build / "out", *flags))
        return build / "out"

    def test_shared(self):
        program = self.compile("keep.cpp", self.flags("--cflags", "--libs", "ptcvm"))
        arguments = [program, program.parent / "runs.db"]
        self.assertNotEqual(run(*arguments).returncode, 0)      # the library is not where the loader looks
        done = run(*arguments, env=self.environment(LD_LIBRARY_PATH=str(self.library)))
        self.assertTrue(self.done(done).startswith("waits for approve\n"))

    def test_static(self):
        program = self.compile("keep.cpp", self.flags("--cflags", "--static", "--libs", "ptcvm-sqlite"), "-static")
        self.assertTrue(self.done(run(program, program.parent / "runs.db")).startswith("waits for approve\n"))

    def test_lean(self):
        program = self.compile("finish.cpp", self.flags("--cflags", "--libs", "ptcvm-lean"))
        self.assertIn("not_available", run(program, "/dev/null", "op1", "yes").stdout)

    def test_exporter_of_traces(self):
        self.assertTrue((self.library / "pkgconfig/ptcvm-otel.pc").exists(), WITHOUT_CURL)
        program = self.compile("post.cpp", self.flags("--cflags", "--libs", "ptcvm-otel"))
        done = run(program, env=self.environment(LD_LIBRARY_PATH=str(self.library)))
        self.assertRegex(self.done(done), r"^refused by \d")

    def test_crash_kit(self):
        source, build = self.fresh("crash-test")
        build.mkdir()
        for name, options in (("shared", []), ("static", ["--static"])):
            with self.subTest(name=name):
                flags = self.flags("--cflags", *options, "--libs", "ptcvm-crash-kit")
                self.done(run(COMPILERS[0], *STRICT, source / "main.cpp", "-o", build / name, *flags,
                              *["-static" for _ in options]))

    def test_says_its_version(self):
        self.assertRegex(" ".join(self.flags("--modversion", "ptcvm")), r"^\d+\.\d+\.\d+$")


class NestedProject(Package):
    def test_changes_nothing_outside(self):
        build, done = self.configure("nested", COMPILERS[0], f"-DPTCVM_SOURCE={SOURCE}")
        self.done(done)
        self.done(run("cmake", "--build", build, "--target", "nested_objects", "ptc_schema"))

    def test_agents_are_used_from_the_source_tree(self):
        build, done = self.configure("embed-agent", COMPILERS[0], f"-DPTCVM_SOURCE={SOURCE}")
        self.done(done)
        link = self.done(run("ninja", "-C", build, "-t", "commands", "embed_agent")).splitlines()[-1]
        for library in ("libptcvm_loop.a", "libptcvm_replay.a", "libptcvm.a"):
            self.assertIn(library, link)

    def test_shared_where_the_project_wants_it(self):
        build, done = self.configure("nested", COMPILERS[0], f"-DPTCVM_SOURCE={SOURCE}", "-DBUILD_SHARED_LIBS=ON")
        self.done(done)
        commands = self.done(run("ninja", "-C", build, "-t", "commands", "nested"))
        self.assertIn("libptcvm.so", commands.splitlines()[-1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
