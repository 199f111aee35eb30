"""Runs one task with a model, in a folder of its own, and compares what came of it with the exact answer."""
import json
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
WAITS = 75


def agent_file(task):
    agent = {"name": task.name, "prompt": task.prompt, "signature": task.signature, **task.agent}
    tools = [{"name": name, "signature": tool.signature, "description": tool.description, "effect": tool.effect,
              "mode": tool.mode, "ask": tool.ask, "command": ["python3", "answer_tool.py", name]}
             for name, tool in task.tools.items()]
    if tools:
        agent["tools"] = tools
    if task.children:
        agent["children"] = task.children
    return agent


def prepare(task, folder):
    """Writes the files of a task into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    shutil.copy(os.path.join(HERE, "answer_tool.py"), folder)
    tools = {name: {"by": t.by, "answers": t.answers, "fails": t.fails, "words": t.words}
             for name, t in task.tools.items()}
    for name, content in (("agent", agent_file(task)), ("data", task.data), ("tools", tools)):
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False)


def same(found, wanted):
    """Compares JSON; floats may differ in the last digits, and a whole number equals its float."""
    if isinstance(found, bool) or isinstance(wanted, bool) or found is None or wanted is None:
        return found is wanted
    if isinstance(found, (int, float)) and isinstance(wanted, (int, float)):
        return abs(found - wanted) <= 1e-9 * max(1.0, abs(wanted))
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(same(found[key], wanted[key]) for key in wanted)
    return type(found) is type(wanted) and found == wanted


class Conversation:
    def __init__(self, ptcvm, task, folder, model, record=None):
        self.ptcvm, self.task, self.folder, self.model, self.record = ptcvm, task, folder, model, record
        self.store = ["--store", "run.db", "--id", task.name]

    def command(self, *words):
        done = subprocess.run([self.ptcvm, "agent", *words], cwd=self.folder, capture_output=True, text=True)
        lines = done.stdout.splitlines()
        if not lines or done.returncode not in (0, 1, WAITS):
            return {"status": "error", "return": None, "pending": [],
                    "fail": {"reason": "no_run", "message": done.stdout + done.stderr}}
        return json.loads(lines[-1])

    def run(self):
        """Returns why the task is not solved, or "" when it is."""
        prepare(self.task, self.folder)
        record = ["--record", self.record] if self.record else []
        last = self.command("run", "agent.json", "--data", "data.json", "--model", self.model, *self.store, *record)
        for decision in self.task.decisions:
            if last["status"] == "suspended":
                last = self.command("resume", *self.store, *decision, *record)
        why = self.wrong(last, self.task.answer)
        for text, answer in self.task.says:
            if not why:
                last = self.command("resume", *self.store, "--say", text, *record)
                why = self.wrong(last, answer)
        return why or self.wrong_effects()

    def wrong(self, last, answer):
        if last["status"] == "suspended":
            return "waits for " + ", ".join(last["pending"])
        if self.task.fails_with:
            reason = (last["fail"] or {}).get("reason")
            return "" if reason == self.task.fails_with else f"wanted the failure {self.task.fails_with}: {last}"
        if last["status"] != "ok":
            return "{reason}: {message}".format(**last["fail"])
        return "" if same(last["return"], answer) else f"returned {json.dumps(last['return'], ensure_ascii=False)}"

    def wrong_effects(self):
        if not self.task.effects:
            return ""
        with open(os.path.join(self.folder, "calls.jsonl"), encoding="utf-8") as file:
            calls = [json.loads(line) for line in file]
        made = sorted(json.dumps([c["tool"], c["args"]], sort_keys=True) for c in calls if c["ok"])
        wanted = sorted(json.dumps(list(effect), sort_keys=True) for effect in self.task.effects)
        return "" if made == wanted else "effects: " + "; ".join(made)

    def history(self):
        """Returns the turns of the root and what the whole tree used."""
        shown = self.command("show", *self.store, "--output", "json")
        return shown.get("history", []), shown.get("usage", {})
