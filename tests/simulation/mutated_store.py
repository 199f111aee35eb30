#!/usr/bin/env python3
"""Copies the store in memory with a changed line, for a mutant of the simulation: mutated_store.py SOURCES INTO MUTANT

The copy has a namespace of its own. A change whose line is not there any more fails: the mutant needs a new one."""
import pathlib
import sys

FENCE = [("memory_store.cpp",
          "if (token == 0 || (log != nullptr && log->token == token && !log->owner.empty())) return",
          "if (token == 0 || log != nullptr) return")]
WAKE = [("memory_store.cpp", "queue_->wake(log.name, fact.time_ms);", "late_.emplace_back(log.name, fact.time_ms);"),
        ("memory_store.cpp",
         "  Written out = seen(log, cut);\n  for (const Fact& fact : facts) {\n    const Fact* const there",
         "  for (const auto& [run, time] : std::exchange(late_, {})) queue_->wake(run, time);\n"
         "  Written out = seen(log, cut);\n  for (const Fact& fact : facts) {\n    const Fact* const there"),
        ("memory_store.h", "  std::unique_ptr<MemoryQueue> queue_;\n",
         "  std::unique_ptr<MemoryQueue> queue_;\n  std::vector<std::pair<std::string, std::int64_t>> late_;\n")]
MUTANTS = {"fence": FENCE, "wake": WAKE}


def copy(text, file, name):
    for changed, before, after in MUTANTS[name]:
        if changed == file and text.count(before) != 1:
            sys.exit(f"{file} has not exactly one: {before}")
        if changed == file:
            text = text.replace(before, after)
    text = text.replace("namespace ptc {", f"namespace ptc::mutated_{name} {{")
    for header in ("memory_store.h", "memory_queue.h"):
        text = text.replace(f'"runtime/log/{header}"', f'"mutated_{name}/{header}"')
    return text


def main():
    sources, into, name = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    into.mkdir(parents=True, exist_ok=True)
    for file in ("memory_store.h", "memory_store.cpp", "memory_queue.h", "memory_queue.cpp"):
        (into / file).write_text(copy((sources / file).read_text(encoding="utf-8"), file, name), encoding="utf-8")


main()
