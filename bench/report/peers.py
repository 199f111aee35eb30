"""The interpreters that bench/compare sets beside ptcvm: how to find them, ask their version and run a workload."""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKLOADS = ROOT / "bench" / "workloads"
MONTY = ROOT / "build" / "peers" / "node_modules" / "@pydantic" / "monty"
DEBIAN_PACKAGES = ["lua5.4", "luajit", "guile-3.0", "clojure"]
CLOJURE_JARS = [f"/usr/share/java/{name}.jar" for name in ("clojure", "spec.alpha", "core.specs.alpha")]


class Wrong(Exception):
    """A peer or ptcvm gave another result than the workload's."""


@dataclasses.dataclass
class Peer:
    key: str             # as --peers names it
    title: str           # as the table names it
    program: str         # what must be on the machine
    harness: str
    suffix: str          # the suffix of its workload files
    options: tuple = ()
    version: tuple = ("--version",)
    extra: tuple = ()    # after the number of runs

    def available(self):
        return shutil.which(self.program) is not None

    def command(self):
        return [shutil.which(self.program), *self.options]

    def ask_version(self):
        text = subprocess.run([*self.command(), *self.version], capture_output=True, text=True)
        found = re.search(r"\d+\.\d[\w.+-]*", text.stdout + text.stderr)
        return found.group(0) if found else "?"

    def measure(self, workload, runs, core):
        """Milliseconds of every run and the result, or why it cannot run the program."""
        path = WORKLOADS / workload / f"{workload}.{self.suffix}"
        return run_pinned([*self.command(), WORKLOADS / self.harness, path, str(runs), *self.extra], core)


class Clojure(Peer):
    def available(self):
        return shutil.which("java") is not None and pathlib.Path(CLOJURE_JARS[0]).exists()

    def command(self):
        jars = ":".join(jar for jar in CLOJURE_JARS if pathlib.Path(jar).exists())
        return [shutil.which("java"), "-cp", jars, "clojure.main"]


class Monty(Peer):
    def available(self):
        return shutil.which(self.program) is not None and (MONTY / "wrapper.js").exists()

    def ask_version(self):
        return json.loads((MONTY / "package.json").read_text())["version"]


def python_program():
    return "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else "python3"


PEERS = [
    Peer("lua5.4", "Lua 5.4", "lua5.4", "harness.lua", "lua", version=("-v",)),
    Peer("luajit-off", "LuaJIT -joff", "luajit", "harness.lua", "lua", options=("-joff",), version=("-v",)),
    Peer("luajit", "LuaJIT", "luajit", "harness.lua", "lua", version=("-v",)),
    Peer("python3", "CPython", python_program(), "harness.py", "py"),
    Peer("guile", "Guile", "guile", "harness.scm", "scm", options=("--no-auto-compile",)),
    Clojure("clojure", "Clojure, warm", "java", "harness.clj", "clj", version=("-e", "(clojure-version)"),
            extra=("2000",)),
    Peer("node", "node", "node", "harness.js", "js", options=("--expose-gc",), extra=("1000",)),
    Monty("monty", "monty", "node", "harness.mjs", "py", extra=(str(MONTY / "wrapper.js"),)),
]


def run_pinned(command, core):
    """The JSON object that the command prints last, run alone on one core."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        raise Wrong(f"{' '.join(str(word) for word in command)} ends with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(lines[-1])


def install():
    """Debian's peers, and monty from npm below build/."""
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    wanted = list(DEBIAN_PACKAGES)
    if shutil.which("node") is None:
        wanted += ["nodejs", "npm"]
    missing = [name for name in wanted
               if "ok installed" not in subprocess.run(["dpkg-query", "-W", "-f", "${Status}", name],
                                                       capture_output=True, text=True).stdout]
    if missing:
        subprocess.run([*as_root, "apt-get", "update", "-qq"], check=True)
        subprocess.run([*as_root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True)
    install_monty()


def install_monty():
    folder = ROOT / "build" / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder),
                    "@pydantic/monty"], check=True, stdout=subprocess.DEVNULL)
