"""examples/programs/wire-transfer through the command line, whose process is killed while its tools are at work.

Between the command and the bank stands a gate: another bank.py, which stops before or after the effect when it is told
to. What the test claims it reads from the ledger, which only the bank writes.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

from ptcvm_process import PTCVM, CommandLineTest, ptcvm

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "programs" / "wire-transfer"
DECISION = "manager_decision_bob_5000"
GATE = """
import os, subprocess, sys, time
what, arguments = sys.argv[1], sys.stdin.read()

def stop(when):
    if os.environ.get("STOP") != f"{when} {what}" or os.path.exists("stopped"):
        return
    with open("stopping", "w") as file:
        file.write(str(os.getpid()))
    os.rename("stopping", "stopped")
    while not os.path.exists("go on"):
        time.sleep(0.01)

stop("before")
done = subprocess.run([sys.executable, "the_bank.py", what], input=arguments, stdout=subprocess.PIPE, text=True)
stop("after")
print(done.stdout)
sys.exit(done.returncode)
"""


class WireTransferTest(CommandLineTest):
    def begin(self, decision):
        """An empty ledger and store, and a manager who will decide so."""
        self.decision = decision
        self.asked = 0
        self.place = os.path.join(self.folder.name, "transfer")
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(EXAMPLE, self.place)
        os.rename(self.path("bank.py"), self.path("the_bank.py"))
        pathlib.Path(self.path("bank.py")).write_text(GATE, encoding="utf-8")

    def path(self, name):
        return os.path.join(self.place, name)

    def start(self, stop=""):
        environment = {**os.environ, "PATH": f"{os.path.dirname(PTCVM)}:{os.environ['PATH']}", "STOP": stop}
        return subprocess.Popen(["sh", "transfer.sh", "runs.db", "may"], cwd=self.place, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def kill(self, when, what, with_tool=True):
        """Kills the process at that moment, and the tool unless it is to outlive it."""
        for name in ("stopped", "go on"):
            pathlib.Path(self.path(name)).unlink(missing_ok=True)
        process = self.start(f"{when} {what}")
        while not os.path.exists(self.path("stopped")):
            self.assertIsNone(process.poll(), f"it came to an end without {what}")
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        tool = int(pathlib.Path(self.path("stopped")).read_text(encoding="utf-8"))
        if with_tool:
            os.killpg(tool, signal.SIGKILL)

    def ledger(self, *what):
        path = pathlib.Path(self.path("ledger.jsonl"))
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        entries = [json.loads(line) for line in lines]
        return [entry for entry in entries if entry["what"] in what] if what else entries

    def say(self, *words):
        status, _, err = ptcvm(*words[:2], "--store", self.path("runs.db"), *words[2:])
        self.assertEqual(status, 0, err)

    def settle(self, doubt):
        """What somebody does who was asked: looks at what the bank has done."""
        self.asked += 1
        known = [entry for entry in self.ledger() if entry["key"] == doubt["key"]]
        word = ("--happened", json.dumps(known[0]["answer"])) if known else ("--did-not",)
        self.say("doubt", "settle", "may", doubt["key"], *word)

    def step(self):
        """The command once more, and what has to be said after it. True: the run has ended."""
        process = self.start()
        out, err = process.communicate(timeout=240)
        if process.returncode == 0:
            self.result = out.strip()
            return True
        self.assertEqual(process.returncode, 75, err)
        answer = json.loads(out.splitlines()[-1])
        if answer["status"] == "in_doubt":
            for doubt in answer["doubts"]:
                self.settle(doubt)
        else:
            self.say("journal", "put", "may", DECISION, json.dumps(self.decision), "--by", "manager")
        return False

    def finish(self):
        for _ in range(10):
            if self.step():
                return self.check()
        self.fail("the run does not end")

    def check(self):
        approved = self.decision == "approved"
        self.assertEqual(len(self.ledger("charge")), 1)
        self.assertEqual(len(self.ledger("transfer")), 1 if approved else 0)
        self.assertEqual(len(self.ledger("refund")), 0 if approved else 1)
        self.assertEqual(len(self.ledger("notify")), 1)
        sent = self.ledger("transfer")
        self.assertEqual(self.result, f'{{:status :sent :wire "{sent[0]["answer"]["wire"]}"}}' if approved
                         else "{:status :rejected}")
        self.step()   # and nothing more happens
        self.assertEqual(len(self.ledger()), 4)

    def reach(self, what):
        """Lets the run come to where this tool is the next one to stop at."""
        if what in ("transfer", "refund", "notify"):
            self.assertFalse(self.step())

    APPROVED = ("balance", "charge", "ask_manager", "transfer", "notify")
    REJECTED = ("balance", "charge", "ask_manager", "refund", "notify")

    def kill_in_each(self, decision, tools, when):
        for what in tools:
            with self.subTest(what):
                self.begin(decision)
                self.reach(what)
                self.kill(when, what)
                self.assertEqual(len(self.ledger(what)), 1 if when == "after" and what != "balance" else 0)
                self.finish()
                self.assertEqual(self.asked, 1 if what == "transfer" else 0)

    def test_approved_and_killed_before_each_effect(self):
        self.kill_in_each("approved", self.APPROVED, "before")

    def test_approved_and_killed_after_each_effect(self):
        self.kill_in_each("approved", self.APPROVED, "after")

    def test_rejected_and_killed_before_each_effect(self):
        self.kill_in_each("too much", self.REJECTED, "before")

    def test_rejected_and_killed_after_each_effect(self):
        self.kill_in_each("too much", self.REJECTED, "after")

    def test_killed_in_every_tool_of_one_run(self):
        for decision, tools in (("approved", self.APPROVED), ("too much", self.REJECTED)):
            with self.subTest(decision):
                self.begin(decision)
                for what in tools:
                    if what in ("transfer", "refund"):
                        self.step()   # waits, and is given the decision
                    if what == "notify" and decision == "approved":
                        self.step()   # asks about the transfer
                    self.kill("after", what)
                self.finish()

    def test_a_tool_that_outlives_its_process(self):
        for what in ("charge", "transfer"):
            with self.subTest(what):
                self.begin("approved")
                self.reach(what)
                self.kill("before", what, with_tool=False)
                if what == "charge":
                    self.step()   # is made again, with the same key, before the first one has reached the bank
                self.assertEqual(len(self.ledger(what)), 1 if what == "charge" else 0)
                pathlib.Path(self.path("go on")).touch()
                while len(self.ledger(what)) == 0:
                    time.sleep(0.01)
                self.finish()

    def test_it_runs_through(self):
        for decision in ("approved", "too much"):
            self.begin(decision)
            self.finish()
            self.assertEqual(self.asked, 0)

    def test_a_change_of_mind_comes_too_late(self):
        for decision, other in (("approved", "too much"), ("too much", "approved")):
            self.begin(decision)
            self.finish()
            self.say("journal", "put", "may", DECISION, json.dumps(other), "--instead-of", json.dumps(decision))
            self.finish()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
