"""The rules of the planner harness, as a world of one case: the journal, the processes, the planner and the clock.

The rules are written from the description of the harness and share no code with it. They check themselves: no planner
drafts beside an unsent draft, no trigger is used up twice, no effect is made twice, and the cursor is never ahead of
the journal.
"""
ALLOWED = ("draft", "question", "sleep", "call", "result", "err", "att")
ENDS = ("draft", "question", "sleep")
TRIGGERS = ("status", "inbound", "outbound", "whisper", "answer")


def kind_of(token):
    return token.partition(":")[0]


def name_of(token):
    return token.partition(":")[2]


class Fact:
    def __init__(self, seq, token, made_as):
        self.seq, self.token, self.made_as = seq, token, made_as   # observed, decided, effect, note
        self.gives_up = False                                      # the failure after which the planner rests
        self.kind, self.name = kind_of(token), name_of(token)


class Journal:
    """What everybody sees."""

    def __init__(self, latch):
        self.facts, self.seq, self.generation, self.latch = [], 0, 0, latch
        self.last_change = 0                     # the last fact or rewind that outdates decisions
        self.cursor = {"generation": 0, "planned": dict.fromkeys(TRIGGERS, 0), "failing": None, "attempts": 0}
        self.made = set()                        # keys of effects
        self.results = set()                     # calls whose result was observed, for good
        self.consumed = set()

    def last(self, *kinds):
        return next((fact for fact in reversed(self.facts) if fact.kind in kinds), None)

    def write(self, token, made_as):
        self.seq += 1
        self.facts.append(Fact(self.seq, token, made_as))
        if made_as in ("observed", "decided"):
            self.last_change = self.seq
        if made_as == "decided" and kind_of(token) != "err":   # a planner that failed has not begun
            self.latch = False

    def is_known(self, token):
        kind, name = kind_of(token), name_of(token)
        if kind in ("in", "out"):
            return any(fact.kind in ("in", "out") and fact.name == name for fact in self.facts)
        if kind == "att":
            return any(fact.kind == "att" and fact.name == name for fact in self.facts)
        if kind == "st":
            last = self.last("st")
            return last is not None and last.name == name
        return False

    def observe(self, tokens):
        for token in tokens:
            if self.is_known(token) or token in self.results:
                continue
            if kind_of(token) == "result":
                self.results.add(token)
            self.write(token, "note" if kind_of(token) == "call" else "observed")

    def rewind(self, count):
        self.facts = self.facts[:count] + [fact for fact in self.facts[count:] if fact.made_as in ("effect", "note")]
        self.seq += 1
        self.generation += 1
        self.last_change = self.seq
        if count == 0:
            self.latch = False

    def drafts(self):
        dismissed = {fact.name for fact in self.facts if fact.kind == "dismiss"}
        sent = self.last("out")
        return [fact for fact in self.facts
                if fact.kind == "draft" and fact.name not in dismissed and (sent is None or fact.seq > sent.seq)]

    def open_question(self):
        question = self.last("question")
        if question is None:
            return None
        answers = [fact for fact in self.facts if fact.kind == "answer" and fact.seq > question.seq]
        return None if any(answer.name == question.name for answer in answers) else question.name

    def may_begin(self):
        """Nobody said or decided anything, and the planner has not given up."""
        begun = [fact for fact in self.facts
                 if fact.made_as != "effect" and not (fact.made_as == "decided" and fact.kind == "err")]
        return self.latch and not begun and not (self.facts and self.facts[-1].gives_up)

    def counted(self):
        return sum(fact.made_as in ("observed", "decided") for fact in self.facts)

    def planned(self):
        same = self.cursor["generation"] == self.generation
        return self.cursor["planned"] if same else dict.fromkeys(TRIGGERS, 0)

    def fired(self):
        status, public = self.last("st"), self.last("in", "out")
        whisper, answer = self.last("whisper"), self.last("answer")
        at = {"status": status.seq if status and status.name == "input-required" else 0,
              "inbound": public.seq if public and public.kind == "in" else 0,
              "outbound": public.seq if public and public.kind == "out" else 0,
              "whisper": whisper.seq if whisper else 0,
              "answer": answer.seq if answer else 0}
        planned = self.planned()
        return {name: seq if seq > planned[name] else 0 for name, seq in at.items()}


class Process:
    def __init__(self):
        self.wants, self.thinks, self.hud = False, None, None


class World:
    """One case: the journal, the processes, the planner and the clock."""

    def __init__(self, given):
        self.given = given
        self.journal = Journal(given.get("latch", False))
        self.journal.observe(given["facts"])
        self.processes = [Process() for _ in range(given.get("processes", 1))]
        self.now, self.calls, self.tool_runs = 0, 0, 0
        self.appends, self.frozen, self.crashes = [], False, "crash" in given

    def perform(self, step):
        first = self.processes[0]
        if step == "schedule":
            self.schedule(first)
        elif step == "drain":
            self.go_on(first, None)
        elif step == "run":
            self.schedule(first)
            self.go_on(first, None)
        elif step == "run_both":
            for process in list(self.processes):
                self.schedule(process)
            for place in range(len(self.processes)):
                self.go_on(self.processes[place], None)
        elif step in ("rebuild", "restart_process"):
            self.restart()
        elif "add" in step:
            self.journal.observe(step["add"])
        elif "rewind_to" in step:
            self.journal.rewind(step["rewind_to"])
        else:
            until = self.now + step["wait"]
            for place in range(len(self.processes)):
                self.go_on(self.processes[place], until)
            self.now = until

    def restart(self):
        self.processes = [Process() for _ in self.processes]

    def schedule(self, process):
        process.wants = True
        self.begin(process)

    def go_on(self, process, until):
        self.begin(process)
        while process.thinks and (until is None or process.thinks["done"] <= until):
            self.now = max(self.now, process.thinks["done"])
            if self.crashes:
                self.crashes = False
                self.restart()
                return
            self.finish(process)
            self.begin(process)

    def begin(self, process):
        while process.wants and not process.thinks:
            if any(other.thinks for other in self.processes):
                return   # the wish stays
            process.wants = False
            self.evaluate(process)

    def evaluate(self, process):
        journal = self.journal
        kickoff = journal.may_begin() and not self.given.get("existing_task", False)
        self.frozen = not kickoff and journal.counted() >= self.given.get("cap", 200)
        if self.frozen:
            process.hud = ["waiting", "Runaway guard"]
            return
        fired = journal.fired()
        if not kickoff and not any(fired.values()):
            return
        status = journal.last("st").name if journal.last("st") else None
        before_any = status == "submitted" and not journal.last("in", "out")
        if not kickoff and status != "input-required" and not before_any:
            return
        person_spoke = fired["whisper"] or fired["answer"]
        drafts = journal.drafts()
        if drafts:
            by_hand = drafts[-1].made_as == "observed"   # a pass decides its drafts
            if person_spoke and not (by_hand and drafts[-1].seq > max(fired["whisper"], fired["answer"])):
                journal.write("dismiss:" + drafts[-1].name, "decided")
                self.appends.append("ok")
            return
        only_status = not person_spoke and not fired["inbound"] and not fired["outbound"]
        if journal.open_question() is not None and only_status and not kickoff:
            process.hud = ["waiting", "Awaiting answer to previous question"]
            return
        self.think(process, fired)

    def think(self, process, fired):
        journal = self.journal
        self.calls += 1
        output = self.given["planner"][min(self.calls, len(self.given["planner"])) - 1]
        process.thinks = {"cut": journal.seq, "generation": journal.generation, "fired": fired, "done": self.now,
                          "slept": bool(journal.facts) and journal.facts[-1].kind == "sleep",
                          "cursor": journal.cursor, "out": output}
        if not isinstance(output, dict):
            return
        process.thinks["out"] = output.get("out", [])
        for name, value in output.items():
            if name == "adds":
                journal.observe([value])
            elif name == "slow":
                process.thinks["done"] = self.now + value
            elif name == "effects":
                for token in value:
                    if token not in journal.made:
                        journal.made.add(token)
                        self.tool_runs += 1
                        journal.write(token, "effect")

    def consumed(self, thought):
        same = thought["cursor"]["generation"] == thought["generation"]
        old = thought["cursor"]["planned"] if same else dict.fromkeys(TRIGGERS, 0)
        return {"generation": thought["generation"], "failing": None, "attempts": 0,
                "planned": {name: max(old[name], seq) for name, seq in thought["fired"].items()}}

    def use_up(self, cursor):
        """Moves the cursor; says that no trigger is used up twice, or before it is there."""
        journal = self.journal
        assert all(seq <= journal.seq for seq in cursor["planned"].values()), "the cursor is ahead"
        if cursor["generation"] == journal.generation:
            known = journal.planned()
            for name, seq in cursor["planned"].items():
                if seq > known[name]:
                    trigger = (journal.generation, name, seq)
                    assert trigger not in journal.consumed, "a trigger is used up twice"
                    journal.consumed.add(trigger)
        journal.cursor = cursor

    def commit(self, thought, tokens, cursor):
        journal = self.journal
        if journal.last_change > thought["cut"]:
            self.appends.append("conflict")
            return False
        for token in tokens:
            if kind_of(token) == "draft":
                before = [draft for draft in journal.drafts() if draft.seq <= thought["cut"]]
                assert not before, "a draft beside an unsent draft"
            if not journal.is_known(token):
                journal.write(token, "decided")
        if cursor:
            self.use_up(cursor)
        self.appends.append("ok")
        return True

    def finish(self, process):
        thought, process.thinks, process.hud = process.thinks, None, None
        out = thought["out"]
        if out == "throw":
            self.fail(thought, "PLANNER_EXCEPTION")
        elif any(kind_of(token) not in ALLOWED for token in out):
            self.fail(thought, "DISALLOWED_FACT")
        elif not out or (out == ["sleep"] and thought["slept"]):
            self.use_up(self.consumed(thought))
            self.journal.latch = False
        elif any(kind_of(token) in ENDS for token in out):
            self.commit(thought, out, self.consumed(thought))
        elif self.commit(thought, out + ["sleep"], None):
            process.wants = True

    def fail(self, thought, code):
        old = thought["cursor"]
        if old["generation"] != thought["generation"]:
            old = {"planned": dict.fromkeys(TRIGGERS, 0), "failing": None, "attempts": 0}
        attempts = old["attempts"] + 1 if old["failing"] == thought["fired"] else 1
        cursor = {"generation": thought["generation"], "planned": old["planned"], "failing": thought["fired"],
                  "attempts": attempts}
        if self.commit(thought, ["err:" + code], self.consumed(thought) if attempts == 3 else cursor):
            self.journal.facts[-1].gives_up = attempts == 3

    def seen(self):
        tokens = [fact.token for fact in self.journal.facts]
        return {"calls": self.calls, "facts": tokens, "last_fact": tokens[-1] if tokens else None,
                "appends": list(self.appends), "hud": self.processes[0].hud,
                "open_question": self.journal.open_question(), "frozen": self.frozen,
                "drafts_alive": len(self.journal.drafts()), "tool_runs": self.tool_runs}
