"""One task of the judge: an agent, its data, its tools, and the exact answer, which Python computes."""
from dataclasses import dataclass, field


@dataclass
class Task:
    name: str
    kind: str
    prompt: str
    signature: str
    data: dict
    answer: object = None
    fails_with: str = ""           # the reason of (fail …), where the task cannot be done
    tools: dict = field(default_factory=dict)      # name -> Tool
    children: dict = field(default_factory=dict)   # name -> agent file
    agent: dict = field(default_factory=dict)      # further members of the agent file
    decisions: list = field(default_factory=list)  # options of `agent resume`, one list for each time the run waits
    says: list = field(default_factory=list)       # (text, answer): the conversation goes on after the end
    effects: list = field(default_factory=list)    # (tool, arguments) of each call that must have worked, in any order


@dataclass
class Tool:
    """A tool that looks its answer up: in `answers` by the text of the argument `by`; "*" answers every other call."""
    signature: str
    description: str
    by: str
    answers: dict
    fails: dict = field(default_factory=dict)      # text of the argument -> how often the call fails before it works
    words: str = "the service is busy, try again"
    effect: str = "pure"
    mode: str = "sync"
    ask: bool = False


TASKS = []


def task(kind):
    """Registers a function that makes a task under its own name."""
    def register(make):
        TASKS.append(Task(name=make.__name__, kind=kind, **make()))
        return make
    return register
