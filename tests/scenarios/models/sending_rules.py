"""The rules of sending, as a world of one case: the drafts of a conversation, the other side, and processes that die.

They are written from the description of the harness and share no code with it. They check themselves: the other side
gets no draft under two ids unless somebody or the other side itself said that the first one did not arrive, and a
message that may have arrived is never forgotten.
"""
ATTEMPTS = 3
CHOSEN = ("working", "input-required")


class Killed(Exception):
    """The process dies here."""


class OtherSide:
    """What takes messages: `fates` says what becomes of each attempt, and later ones arrive."""

    def __init__(self, given):
        self.fates = list(given.get("fates", []))
        self.takes_once, self.knows = "takes_once" in given, "forgets" not in given
        self.taken, self.attempts, self.ids = [], 0, set()

    def has(self, message):
        return any(taken[0] == message for taken, _ in self.taken)

    def attempt(self, message, next_state):
        """arrives, net, refused, unknown or settled: somebody said meanwhile that it was lost."""
        self.attempts += 1
        self.ids.add(message[0])
        fate = self.fates.pop(0) if self.fates else "arrives"
        if fate in ("net", "refused"):
            return fate
        if fate == "crash_before":
            raise Killed
        if fate == "vanished":
            return "unknown"
        if fate == "settled":
            return "settled"
        if not self.takes_once or not self.has(message[0]):
            self.taken.append((message, next_state))
        if fate == "settled_there":
            return "settled"
        if fate == "crash_after":
            raise Killed
        return "unknown" if fate == "lost" else "arrives"


class Draft:
    def __init__(self, seq):
        self.seq, self.fate, self.rounds = seq, "waits", 0      # waits, dismissed, flies, sent
        self.message, self.next_state, self.error, self.approved = None, None, None, False
        self.ids = set()    # the attempts; a message under one of them makes the draft sent
        self.heard = False


class World:
    def __init__(self, given):
        self.other, self.mode = OtherSide(given), given.get("mode", "approve")
        self.facts, self.drafts, self.passed = [], {}, set()
        self.killed, self.lost_for_sure = False, set()

    # What is written.

    def write(self, token):
        """Writes what the journal does not have."""
        kind, _, name = token.partition(":")
        states = [fact for fact in self.facts if fact.startswith("st:")]
        if kind == "st" and states and states[-1] == token:
            return False
        if kind in ("in", "out") and ("in:" + name in self.facts or "out:" + name in self.facts):
            return False
        self.facts.append(token)
        if kind == "out":
            self.passed |= {name for name, draft in self.drafts.items()}
            for draft in self.drafts.values():
                if name in draft.ids:
                    draft.heard, draft.approved, draft.error = True, True, None
                    if draft.fate != "flies" or draft.message == name:
                        draft.fate = "sent"
        return True

    def status(self):
        states = [fact[3:] for fact in self.facts if fact.startswith("st:")]
        return states[-1] if states else None

    def is_over(self):
        return self.status() == "completed"

    def hear(self):
        """Takes in what the other side tells of the task. The end of a task is final."""
        is_over = self.is_over()
        for message, _ in self.other.taken:
            self.write("out:" + message[0])
        if not is_over:
            self.write("st:" + self.other.taken[-1][1])

    # What people and processes do.

    def begin(self, name, next_state):
        """The error of a draft that cannot be sent, or None."""
        draft = self.drafts.get(name)
        if draft is None:
            return "compose not found"
        refusals = {"dismissed": "draft dismissed", "sent": "draft already sent", "flies": "draft already in flight"}
        if draft.heard or draft.fate in refusals:
            return refusals["sent" if draft.heard else draft.fate]
        if self.is_over():
            return "the conversation is over"
        draft.rounds += 1
        draft.message, draft.next_state = f"m-conversation-{name}-{draft.rounds}", next_state or "working"
        draft.fate, draft.error, draft.approved = "flies", None, True
        draft.ids.add(draft.message)
        return None

    def send(self, name, next_state=None):
        draft = self.drafts.get(name)
        if draft is not None and draft.rounds and draft.fate == "waits" and not draft.heard:
            self.tick()     # the other side may have an earlier message of the draft all the same
        error = self.begin(name, next_state)
        return error or self.deliver(name, True)

    def deliver(self, name, is_first):
        draft = self.drafts[name]
        self.check_ids(name)
        may_be_there, error = False, None
        for _ in range(ATTEMPTS):
            came = self.other.attempt((draft.message, name), draft.next_state)
            if came == "arrives":
                if self.write("out:" + draft.message):
                    self.hear()
                return None
            if came == "settled":
                self.give_back(draft, "the message did not arrive, as a person said")
                return "somebody settled the message meanwhile"
            error = "no answer" if came == "unknown" else came
            may_be_there = may_be_there or came == "unknown" or (came == "net" and not is_first)
            if came == "refused" or (came == "unknown" and not self.other.takes_once):
                break
        if not may_be_there:
            self.give_back(draft, error)
        return error

    def give_back(self, draft, error):
        self.lost_for_sure.add(draft.message)
        if draft.heard:
            draft.fate = "sent"     # another attempt arrived
        else:
            draft.fate, draft.error, draft.approved = "waits", error, False

    def check_ids(self, name):
        ids = {message for (message, draft), _ in self.other.taken if draft == name} | {self.drafts[name].message}
        assert len(ids - self.lost_for_sure) <= 1, "a draft goes out under two ids"

    def settle(self, name, fate):
        draft = self.drafts.get(name)
        if draft is None or draft.fate != "flies":
            return
        if fate == "lost":
            self.give_back(draft, "the message did not arrive, as a person said")
            return
        self.write("out:" + draft.message)
        if not self.is_over():
            self.write("st:" + draft.next_state)

    def recover(self):
        for name in sorted(self.drafts):
            draft = self.drafts[name]
            if draft.fate != "flies":
                continue
            if self.other.has(draft.message):
                self.tick()
            elif self.other.takes_once:
                self.deliver(name, False)
            elif self.other.knows:
                self.give_back(draft, "the message did not arrive")

    def restart(self):
        self.killed = False
        self.recover()
        if self.mode == "auto":
            self.send_newest()

    def waiting(self):
        """Drafts that nobody sent or dismissed, oldest first. A message of this side passes those before it."""
        names = [name for name, draft in self.drafts.items()
                 if draft.fate in ("waits", "flies") and name not in self.passed]
        return sorted(names, key=lambda name: self.drafts[name].seq)

    def send_newest(self):
        if self.waiting():
            self.send(self.waiting()[-1])

    def tick(self):
        if self.other.taken:
            self.hear()

    def append(self, token):
        kind, _, name = token.partition(":")
        if kind == "draft":
            self.facts.append(token)
            self.drafts[name] = Draft(len(self.drafts))
            if self.mode == "auto":
                self.send(name)
        else:
            self.write(token)

    def dismiss(self, name):
        draft = self.drafts.get(name)
        if draft is not None and draft.fate in ("flies", "sent"):
            return
        if draft is not None:
            draft.fate = "dismissed"
        self.facts.append("dismiss:" + name)

    def regenerate(self):
        """The error, or None: forgets drafts and dismissals since the last message or state."""
        if any(draft.fate == "flies" for draft in self.drafts.values()):
            return "Cannot rewind while a send is in flight"
        ends = [at for at, fact in enumerate(self.facts) if fact.split(":")[0] in ("in", "out", "st")]
        kept = ends[-1] + 1 if ends else 0
        self.facts = self.facts[:kept] + [fact for fact in self.facts[kept:] if fact.startswith("whisper:")]
        for name in list(self.drafts):
            draft = self.drafts[name]
            draft.error, draft.approved = None, False
            is_there = "draft:" + name in self.facts
            if not is_there and draft.fate != "sent":
                del self.drafts[name]
            elif draft.fate == "dismissed" and "dismiss:" + name not in self.facts:
                draft.fate = "waits"
        return None

    def perform(self, step):
        """Does what a step says. A sending that is refused gets its error."""
        try:
            self.do(step)
        except Killed:
            self.killed = True

    def do(self, step):
        if step == "restart_process":
            return self.restart()
        if step == "tick":
            return self.tick()
        if step == "rewind":
            assert self.regenerate() is None
            return None
        if "append" in step:
            return self.append(step["append"][0])
        if "dismiss" in step:
            return self.dismiss(step["dismiss"])
        if "rewind_error" in step:
            error = self.regenerate()
            assert error == step["rewind_error"], error
            return None
        if "mode" in step:
            begins, self.mode = self.mode == "approve" and step["mode"] == "auto", step["mode"]
            return self.send_newest() if begins else None
        for fate in ("arrived", "lost"):
            if fate in step:
                return self.settle(step[fate], fate)
        error = self.send(step["send"], step.get("next"))
        if error:
            step["error"] = error
        return None

    def seen(self):
        flies = [draft for draft in self.drafts.values() if draft.fate == "flies"]
        approved = sorted(name for name, draft in self.drafts.items() if draft.approved)
        errors = [self.drafts[name].error for name in sorted(self.drafts) if self.drafts[name].error]
        return {"facts": list(self.facts), "sends": len(self.other.taken), "attempts": self.other.attempts,
                "distinct_message_ids": len(self.other.ids), "in_flight": len(flies), "approved_ids": approved,
                "send_error": errors[-1] if errors else None}
