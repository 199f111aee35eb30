#!/usr/bin/env python3
"""Every name of an error or a reason that the sources give to people has an explanation (`ptcvm explain NAME`).

    error_names_test.py ROOT

The tables of the engine (faults, codes, stores, snapshots, seals) are compared by Reference.explains_every_error_once.
Other names are written where something fails; RULES says how such a place looks.
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
SNAKE, LOUD = r"[a-z]+(?:_[a-z]+)+", r"[A-Z]+(?:_[A-Z]+)+"
# Folders and files, and what a name of an error looks like in them.
RULES = [
    (("agents", "tools/ptcvm"), rf'"({LOUD})[":]'),                                    # "PLAN_CYCLE", "IN_DOUBT: …"
    (("agents", "api", "runtime", "tools/ptcvm"), rf'"({SNAKE}): '),                   # "run_cancelled: …"
    (("agents", "api", "tools/ptcvm"), rf'nullopt,\s*"({SNAKE})"\}}'),                 # the detail of an Error
    (("agents/loop", "api"), rf'\b(?:end_error|end_own_program|exhaust|used_up|refused)\(\s*"({SNAKE}|denied)"'),
    (("agents/loop",), rf'(?:Refusal\{{|\? |: )"({SNAKE}|denied)", '),
    (("agents/replay/replay_failure.h", "agents/loop/hook_verdicts.h"), rf'= "({SNAKE}|denied)";'),
    (("agents/mcp/mcp_failure.cpp",), r'return "(\w+)";'),
    (("tools/ptcvm",), rf'(?:reason = |kNotCompilable = |kModelRequired = )"({SNAKE})"'),
    (("tools/ptcvm/worker",), rf'log_\.note\("({SNAKE})"'),
    (("compiler/program_check.cpp", "api/check.cpp"), rf'"({SNAKE})"'),                # the kinds of warnings
    (("api/c/records.cpp",), r'case PTCVM_\w+: return c::text_out\("(\w+)"\)'),
]
NO_ERRORS = re.compile("ok|NO_COLOR|PTCVM_.*")   # a status, and variables of the environment


def explained():
    names = set()
    for table in [ROOT / "schema/explanations.def", *(ROOT / "schema/explanations").glob("*.def")]:
        rows = re.findall(r'^(?:EXPLAIN|UNSEEN|MCP_FAULT|CHAIN_DOCUMENT)\("(\w+)"', table.read_text(), re.M)
        names.update(rows)
    return names


def facts():
    """The names of facts of conversations: a message about a fact begins with its name."""
    return set(re.findall(r"^FACT\((\w+),", (ROOT / "agents/harness/facts/facts.def").read_text(), re.M))


def sources(place):
    path = ROOT / place
    return [path] if path.is_file() else sorted(path.rglob("*.cpp")) + sorted(path.rglob("*.h"))


def without_comments(text):
    return re.sub(r"^\s*//.*$", "", text, flags=re.M)


class ErrorNames(unittest.TestCase):
    def named(self):
        """Names, each with a place where it is given."""
        found = {}
        for places, pattern in RULES:
            matches = [(name, path) for place in places for path in sources(place)
                       for name in re.findall(pattern, without_comments(path.read_text()))]
            self.assertNotEqual(matches, [], f"nothing looks like {pattern} any more: mend the rule")
            for name, path in matches:
                found.setdefault(name, str(path.relative_to(ROOT)))
        return {name: place for name, place in found.items() if not NO_ERRORS.fullmatch(name)}

    def test_every_name_has_an_explanation(self):
        known = explained() | facts()
        missing = sorted(f"{name} ({place})" for name, place in self.named().items() if name not in known)
        self.assertEqual(missing, [], "add rows to a table in schema/explanations/")

    def test_names_that_users_have_met_are_found(self):
        found = self.named()
        for name in ("hook_failed", "llm_required", "denied", "plan_invalid", "max_depth_exceeded", "run_missing",
                     "not_a_run", "run_cancelled", "PLANNER_EXCEPTION", "DISALLOWED_FACT", "CONFIRMATION_UNAVAILABLE",
                     "PLAN_ARGUMENTS_INVALID", "ANSWER_INVALID", "OUTPUT_TOO_LARGE", "more_findings"):
            self.assertIn(name, found)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
