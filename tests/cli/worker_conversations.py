"""Conversations that workers drive, for tests."""
import collections
import json
import subprocess

from ptcvm_process import PTCVM
import agent_kill_test as kills
from worker_chains import ChainWorkerTest, World

ECHO = '(propose {:type :compose_intent :text (str "re " (get (last (facts/public)) "text"))})'
ASKS = """(let [at (ask "When?" {:qid "q1"})]
  (propose {:type :compose_intent :composeId "c1" :text (str "At " at)}))"""


class Model(kills.Model):
    """Drafts by what was said last, so a question that is asked again gets the same reply."""

    def said(self, body):
        text = body["messages"][-1]["content"]
        world = self.server.world
        if world.on_request:
            world.on_request.pop(0)(text)
        if "tools" in body:
            return text, self.program('(return (str "re " (tool/file {:text "x"})))')
        heard = [line for line in text.splitlines() if line.startswith("Other: ")]
        whispered = [line for line in text.splitlines() if line.startswith("Your principal: ")]
        return text, {"content": " ".join(line.partition(": ")[2] for line in heard[-1:] + whispered)}

    def head(self):
        answers = self.server.world.answers
        return answers.pop(0) if answers else (200, {})


class ConversationWorld(World):
    def __init__(self, folder):
        super().__init__(folder)
        self.on_request = []   # called with the question before the replies


class ConversationWorkerTest(ChainWorkerTest):
    """Conversations in the store of a test, and a model that is a server of this process."""

    @classmethod
    def setUpClass(cls):
        kills.serve_model(cls, Model)

    def setUp(self):
        super().setUp()
        self.model.world = ConversationWorld(self.folder.name)

    def begin(self, run, planner, *words):
        """Enqueues a conversation whose planner is a program or has a name."""
        if planner.startswith("("):
            planner = self.file(run + ".ptc", planner)
        return self.ok("enqueue", "--conversation", planner, "--store", self.store, "--id", run, *words)

    def harness(self, command, run, *words, status=(0, 75)):
        """The last line of standard output, or standard error of what is refused."""
        done = subprocess.run([PTCVM, "harness", command, "--store", self.store, "--id", run, *words],
                              capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, status if isinstance(status, tuple) else (status,), (done.stdout, done.stderr))
        return json.loads(done.stdout.splitlines()[-1]) if done.stdout and status != 65 else done.stderr

    def facts(self, run, *words):
        return [json.loads(line) for line in self.ok("harness", "log", "--store", self.store, "--id", run,
                                                     *words).splitlines()]

    def types(self, run):
        return [fact["type"] for fact in self.facts(run)]

    def texts(self, run, kind):
        return [fact["text"] for fact in self.facts(run) if fact["type"] == kind]

    def state(self, run):
        return self.runs()[run]["queue_state"]

    def counted(self):
        return collections.Counter(name for name, _ in self.model.world.effects())
