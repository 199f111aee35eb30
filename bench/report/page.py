"""The tables of docs/performance.md. Each stands between two marks, <!-- NAME --> and <!-- /NAME -->."""
import datetime
import os
import platform
import re
import statistics
import subprocess

from peers import PEERS, ROOT
from targets import BEST, MEAN_AIM, MEAN_MUST, WORKLOADS, geometric_mean, ratios_of, verdict

PAGE = ROOT / "docs" / "performance.md"
SHORT = {"lua5.4": "Lua", "luajit-off": "-joff", "clojure": "Clojure", "python3": "CPython", BEST: "best peer"}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.M)
    return found.group(1) if found else platform.machine()


def compiler(build):
    """Name and version of the compiler that made the build, as CMake wrote them down."""
    for path in sorted(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")):
        found = dict(re.findall(r'set\(CMAKE_CXX_COMPILER_(ID|VERSION) "([^"]*)"\)', path.read_text()))
        return f"{found.get('ID', '?')} {found.get('VERSION', '?')}"
    return "?"


def about(peers, options):
    """One line: when, where, which versions."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    versions = ["Clojure" + f" {peer.ask_version()}" if peer.key == "clojure" else f"{peer.title} {peer.ask_version()}"
                for peer in peers if peer.key not in ("luajit-off",)]
    return (f"{datetime.date.today().isoformat()}, commit {commit.stdout.strip()}, {compiler(options.build)}; "
            f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release().split('-')[0]}; "
            f"minimum of {options.rounds} × {options.runs} runs; {', '.join(versions)}.")


def number(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def rule_text(rule):
    return ", ".join(f"{most:g} × {SHORT[peer]}" for peer, most in rule.items())


def aligned(rows):
    """A Markdown table; the first row is its head."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def comparison(workloads, peers, times):
    columns = ["workload", "ptcvm ms", "median"]
    rows = [columns + ["× " + peer.title for peer in peers] + ["must", "aim", "met"]]
    for workload in workloads:
        ms = times[workload.name]
        ratios = ratios_of(ms)
        rows.append([workload.title, f"{min(ms['ptcvm']):.1f}", f"{statistics.median(ms['ptcvm']):.1f}"]
                    + [number(ratios[peer.key]) if peer.key in ratios else "-" for peer in peers]
                    + [rule_text(workload.must), rule_text(workload.aim),
                       verdict(ratios, workload.must, workload.aim)])
    if len(workloads) == len(WORKLOADS):
        rows.append(mean_row(workloads, peers, times))
    return aligned(rows)


def mean_row(workloads, peers, times):
    """The geometric mean; of a peer that cannot run some program, over those that it can."""
    means = {}
    for peer in peers:
        known = [ratios_of(times[w.name])[peer.key] for w in workloads if times[w.name].get(peer.key)]
        if known:
            means[peer.key] = geometric_mean(known)
    ours = [geometric_mean([pick(times[w.name]["ptcvm"]) for w in workloads]) for pick in (min, statistics.median)]
    return (["geometric mean"] + [f"{value:.1f}" for value in ours]
            + [number(means[peer.key]) if peer.key in means else "-" for peer in peers]
            + [rule_text(MEAN_MUST), rule_text(MEAN_AIM), verdict(means, MEAN_MUST, MEAN_AIM)])


def milliseconds(workloads, peers, times):
    """The peers' own least times, so that ratios between peers can be worked out, too."""
    rows = [["workload", "ptcvm", *[peer.title for peer in peers]]]
    for workload in workloads:
        ms = times[workload.name]
        rows.append([workload.title, f"{min(ms['ptcvm']):.1f}"]
                    + [f"{min(ms[peer.key]):.1f}" if ms.get(peer.key) else "-" for peer in peers])
    return aligned(rows)


def write(sections):
    text = PAGE.read_text(encoding="utf-8")
    for name, table in sections.items():
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        if begin not in text or end not in text:
            raise ValueError(f"{PAGE} has no {begin} … {end}")
        text = text[:text.index(begin) + len(begin)] + "\n" + table + "\n" + text[text.index(end):]
    PAGE.write_text(text, encoding="utf-8")
