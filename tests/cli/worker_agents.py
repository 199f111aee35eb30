"""What tests of agents on workers do again and again: models that are scripts, jobs, what people say."""
import json

from worker_process import WorkerTest

CLERK = {"name": "clerk", "prompt": "Answer {{who}}.", "signature": "(who :string) -> {said :string}"}


class AgentWorkers(WorkerTest):
    """Agents in a queue. Classes below say which store."""

    def script(self, name, *lines):
        return "scripted:" + self.file(name, "".join(json.dumps(line) + "\n" for line in lines))

    def enqueue_agent(self, run, agent, data, *words):
        return self.ok("enqueue", "--agent", self.file("agent.json", json.dumps(agent)), "--data",
                       self.file("data.json", json.dumps(data)), "--store", self.store, "--id", run, *words)

    def show(self, run):
        out = self.ok("agent", "show", "--store", self.store, "--id", run, "--output", "json")
        return json.loads(out.splitlines()[-1])

    def tell(self, run, *words):
        self.assertEqual(json.loads(self.ok("agent", "resume", "--store", self.store, "--id", run, *words))["status"],
                         "told")
