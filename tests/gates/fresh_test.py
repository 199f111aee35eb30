#!/usr/bin/env python3
"""What a newcomer's first two commands rely on: names of targets, the order in .ci/run, and the list of packages.

usage: fresh_test.py SOURCE_FOLDER BUILD_FOLDER NINJA   (a build folder that the preset release configured)

Builds nothing. tools/check-fresh tries the commands themselves."""
import ast
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE, BUILD, NINJA = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
COMMANDS = ["tools/demo", "tools/test"]
# Scripts that name targets of the preset release.
NAMING_TARGETS = ["tools/demo", "tools/package", "tools/reproducible"]
STARTS_A_PROCESS = {"run", "Popen", "check_output", "check_call", "call"}
TOOL = re.compile(r"^[a-z][a-z0-9+._-]*$")


def output_of(*command):
    return subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=True).stdout


def text_of(path):
    return (SOURCE / path).read_text()


def commands_of(path):
    """The lines of a script without comments."""
    return [line.strip() for line in text_of(path).splitlines() if not line.strip().startswith("#")]


def made_by(target):
    """Returns the files and targets of which ninja makes TARGET, or None if there is no such target."""
    done = subprocess.run([NINJA, "-C", BUILD, "-t", "query", target], capture_output=True, text=True)
    if done.returncode != 0:
        return None
    inputs = re.search(r"^  input: .*\n((?:    .*\n)*)", done.stdout, re.M)
    return inputs.group(1).split() if inputs else []


class Commands(unittest.TestCase):
    def test_every_target_that_scripts_name_exists(self):
        for path in NAMING_TARGETS:
            targets = re.findall(r"--target[ =]([\w-]+)", text_of(path))
            self.assertTrue(targets, f"{path} names no target; then it does not belong into NAMING_TARGETS")
            for target in targets:
                self.assertIsNotNone(made_by(target), f"{path} builds the target {target}, which does not exist")

    def test_the_demo_builds_the_program_that_it_runs(self):
        demo = text_of("tools/demo")
        target = re.search(r"--target ([\w-]+)", demo).group(1)
        program = re.search(r"^ptcvm=build/release/(\S+)$", demo, re.M).group(1)
        self.assertIn(program, made_by(target), f"the target {target} does not make {program}")

    def test_ci_runs_the_commands_of_the_readme_in_their_order(self):
        shown = [command for command in re.findall(r"^(tools/\w+)\s+# ", text_of("README.md"), re.M)
                 if command in COMMANDS]
        self.assertEqual(shown, COMMANDS)
        for script in (".ci/run", "tools/check-fresh"):
            words = " ".join(commands_of(script))
            places = [words.find(command) for command in COMMANDS]
            self.assertNotIn(-1, places, script)
            self.assertEqual(places, sorted(places), f"{script} runs {COMMANDS} in another order")


class Binaries(unittest.TestCase):
    def test_git_takes_no_binary_file_for_text(self):
        files = [name for name in output_of("git", "ls-files", "-z").split("\0") if name]
        binary = [name for name in files if (SOURCE / name).is_file() and b"\0" in (SOURCE / name).read_bytes()]
        self.assertGreater(len(binary), 50)
        told = output_of("git", "check-attr", "-z", "text", "--", *binary).split("\0")
        as_text = [name for name, value in zip(told[0::3], told[2::3]) if value != "unset"]
        self.assertEqual(as_text, [], "these files need a line with \"binary\" in .gitattributes")


def words_of_loops(tree, call, name):
    """Strings in what the variable NAME goes over in the loops and comprehensions around CALL."""
    for node in ast.walk(tree):
        loops = [node] if isinstance(node, ast.For) else getattr(node, "generators", [])
        for loop in loops:
            if isinstance(loop.target, ast.Name) and loop.target.id == name and call in ast.walk(node):
                yield from (part.value for part in ast.walk(loop.iter)
                            if isinstance(part, ast.Constant) and isinstance(part.value, str))


def looked_up_in_python(path):
    """Tools that a Python program looks up by shutil.which, or starts by their plain name."""
    tree = ast.parse(text_of(path))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        if not isinstance(node.func.value, ast.Name):
            continue
        module, name, first = node.func.value.id, node.func.attr, node.args[0]
        if module == "subprocess" and name in STARTS_A_PROCESS and isinstance(first, ast.List) and first.elts:
            first = first.elts[0]
        elif (module, name) != ("shutil", "which"):
            continue
        if isinstance(first, ast.Constant):
            yield first.value
        elif isinstance(first, ast.Name) and name == "which":
            words = list(words_of_loops(tree, node, first.id))
            yield from words or [f"?{first.id}"]      # nobody can tell: a finding of the test


def looked_up_in_cmake(path):
    for words in re.findall(r"find_program\(\s*\w+\s+([^)]*)\)", text_of(path)):
        yield next(word for word in words.split() if word not in ("NAMES", "REQUIRED"))


def looked_up_in_shell(path):
    return re.findall(r"command -v ([\w+.-]+)", text_of(path))


def lookups():
    """Tool -> where tests and the build look for it. Scripts of tools/ count when a test runs them."""
    files = output_of("git", "ls-files", "-co", "--exclude-standard").split()
    files = [path for path in files if (SOURCE / path).is_file() and not path.startswith("bench/")]
    cmake = [path for path in files if path.endswith(("CMakeLists.txt", ".cmake"))]
    named = set(re.findall(r"\}/(tools/\w+)", "".join(map(text_of, cmake)))) | set(COMMANDS)
    found = {}
    for path in files:
        if path in cmake:
            tools = looked_up_in_cmake(path)
        elif not path.startswith("tests/") and path not in named:
            continue
        elif path.endswith(".py") or (path in named and "python3" in text_of(path).split("\n", 1)[0]):
            tools = looked_up_in_python(path)
        elif path.endswith(".sh") or path in named:
            tools = looked_up_in_shell(path)
        else:
            continue
        for tool in tools:
            found.setdefault(tool, path)
    return found


class Packages:
    """What is installed on this machine by the list: its packages, what these depend on, and what is always there."""
    def __init__(self):
        self.listed = {line.split()[0] for line in text_of("tools/packages.txt").splitlines()
                       if line.strip() and not line.startswith("#")}
        depends, self.names = {}, set()
        form = "${Package}\t${Essential}\t${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\n"
        for row in output_of("dpkg-query", "-W", "-f", form).splitlines():
            package, essential, priority, needs, provides = row.split("\t")
            names = re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9.+-]+)", needs)
            for name in [package, *re.findall(r"(?:^|,)\s*([a-z0-9][a-z0-9.+-]+)", provides)]:
                depends.setdefault(name, set()).update({package, *names})
            if essential == "yes" or priority == "required":
                self.names.add(package)
        waiting = [*self.names, *self.listed]
        while waiting:
            name = waiting.pop()
            new = depends.get(name, set()) - self.names
            self.names |= new
            waiting += new

    def provides(self, tool):
        """Returns whether a package of the list brings TOOL, or a package that such a package depends on."""
        if tool in self.listed:
            return True
        candidates = [pathlib.Path(folder, tool) for folder in ("/usr/bin", "/usr/sbin")]
        found = next((path for path in candidates if path.exists()), None)
        if found is None:
            return False
        places = [str(found), str(found.resolve())]
        places += [place.removeprefix("/usr") for place in places]       # /bin is another name of /usr/bin
        done = subprocess.run(["dpkg-query", "-S", *places], capture_output=True, text=True)
        owners = [owner for line in done.stdout.splitlines() for owner in line.rpartition(": ")[0].split(", ")]
        return any(owner.split(":")[0] in self.names for owner in owners)


class Lookups(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = lookups()

    def test_the_test_sees_what_is_looked_up(self):
        for tool in ("clojure", "valgrind", "clang++", "doxygen", "flatc", "zsh", "mandoc"):
            self.assertIn(tool, self.found)

    def test_a_package_of_the_list_brings_every_tool(self):
        packages = Packages()
        self.assertFalse(packages.provides("no-such-tool"))
        for tool, path in sorted(self.found.items()):
            with self.subTest(tool=tool):
                self.assertRegex(tool, TOOL, f"{path} looks for a tool whose name this test cannot tell")
                self.assertTrue(packages.provides(tool), f"{path} looks for {tool}; no package of tools/packages.txt "
                                                         f"brings it. Add the package, or install it if it is there")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
