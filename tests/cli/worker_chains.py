"""Tasks that workers execute, for tests."""
import collections
import json
import os
import pathlib

import agent_kill_test as kills
from ptcvm_process import ptcvm
from worker_process import PATIENCE, WorkerTest

LEASE = ("--lease", "400ms")
INTENT = json.dumps({"category": "action", "summary": "Pay Ann", "complexity": "simple"})


def step(name, tool=None, **more):
    made = {"id": name, "type": "action", "description": f"do {name}", "dependsOn": [], **more}
    return {**made, "tool": tool} if tool else made


# A call that may not be repeated, a step that an agent does, a question to a person and a model as judge.
PLAN = {"steps": [
    step("quote", "quote", args={"n": 1}),
    step("pay", "pay", dependsOn=["quote"], args={"cents": {"$result": "quote"}}),
    step("sum", dependsOn=["pay"], args={"receipt": {"$result": "pay"}}),
    step("file", "file", dependsOn=["sum"], args={"text": {"$result": "sum"}}, requiresConfirmation=True,
         verification=["sounds final"])]}
REQUESTS = 7   # the agent of a step asks once, and each step has a judge


class World:
    """What the model and the tools of a task count. The process that is killed is a worker."""

    def __init__(self, folder):
        self.folder, self.kill_at_request, self.worker = pathlib.Path(folder), None, None
        self.requests = collections.Counter()
        self.answers = []   # (status, headers) of replies before the right ones

    def effects(self):
        path = self.folder / "effects"
        return [tuple(line.split(" ", 1)) for line in path.read_text().splitlines()] if path.exists() else []

    def kill(self):
        self.worker.process.kill()


class Model(kills.Model):
    """Answers by what it is asked, so a request that is sent again gets the same reply."""

    def said(self, body):
        text = body["messages"][-1]["content"]
        if "tools" in body:
            return "agent", self.program('(return (str "about " data/receipt))')
        for begin, name, answer in (("Say what", "intent", INTENT), ("Make a plan", "plan", json.dumps(PLAN)),
                                    ("Does the output", "judge", "[true]")):
            if text.startswith(begin):
                return name, {"content": answer}
        raise AssertionError(text)

    def head(self):
        answers = self.server.world.answers
        return answers.pop(0) if answers else (200, {})


class ChainWorkerTest(WorkerTest):
    """Tasks in the store of a test, and a model that is a server of this process."""

    @classmethod
    def setUpClass(cls):
        kills.serve_model(cls, Model)

    def url(self):
        return f"chat:m@http://127.0.0.1:{self.model.server_port}/v1"

    def script(self, *texts, name="s.jsonl"):
        lines = [text if isinstance(text, dict) and "program" in text else
                 {"text": text if isinstance(text, str) else json.dumps(text)} for text in texts]
        return "scripted:" + self.file(name, "".join(json.dumps(line) + "\n" for line in lines))

    def shell(self, name, line, effect="keyed"):
        """A tool that notes its call with the number of the claim, and answers with what a line of a shell writes."""
        ledger = self.folder.name + "/calls"
        return {"name": name, "signature": "(text :string) -> :any", "description": name, "effect": effect, "command": [
            "sh", "-c", f"cat > /dev/null; echo {name} $PTCVM_FENCING_TOKEN >> {ledger}; {line}"]}

    def calls(self):
        path = pathlib.Path(self.folder.name, "calls")
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def tools(self, *tools):
        text = json.dumps(list(tools) or [self.shell("say", "echo '\"hello\"'")])
        return "--tools", self.file(f"tools-{hash(text)}.json", text)   # other tools are in another file

    def enqueue_task(self, run, *words, tools=None, text="Pay Ann"):
        return self.ok("enqueue", "--chain", self.file("task.txt", text + "\n"), *(tools or self.tools()), "--store",
                       self.store, "--id", run, *words)

    def chain(self, command, run, *words):
        return self.ok("chain", command, "--store", self.store, "--id", run, *words)

    def report(self, run):
        return json.loads(self.chain("report", run, "--output", "json"))

    def refused(self, *words):
        status, _, err = ptcvm(*words)
        self.assertEqual(status, 65, err)
        return err

    def until_left(self, worker, run):
        """The name of the event with which a turn of the run has ended; "killed" when the worker has died."""
        while (found := worker.coming.get(timeout=PATIENCE)) is not None:
            if found.get("run") == run and found["event"] in ("ended", "in_doubt", "waiting", "given_up", "failed"):
                self.assertIn(found["event"], ("ended", "in_doubt", "waiting"), found)
                return found["event"]
        return "killed"

    def sweep_tools(self, folder):
        (folder / "tool.sh").write_text(kills.TOOL)
        os.environ["FOLDER"] = str(folder)
        return self.tools(*({"name": name, "signature": kills.SIGNATURES[name], "description": name, "effect": effect,
                             "command": ["sh", str(folder / "tool.sh"), name, kills.ANSWERS[name]]}
                            for name, effect in kills.TOOLS.items()))
