"""Runs of a store: steps, answers, questions, doubts, and runs that go on in another process."""
import asyncio
import pathlib
import subprocess
import sys
import tempfile
import unittest

import ptcvm
from ptcvm import Ask, DidNotHappen, Engine, Fault, Happened, Pending, Store, Suspended, Tools, UnknownOutcome

ENGINE = Engine()
BOOK = '(task "book" (tool/book {:what "flight"}))'


def booking(function, **options):
    tools = Tools()
    tools.add("book", "(what :string) -> :any", function, **options)
    return tools


class Stored(unittest.TestCase):
    def test_a_recorded_step_is_not_repeated(self):
        store, made = Store(), []
        tools = booking(lambda what: made.append(what) or len(made))
        for _ in range(2):
            run = ENGINE.stored(store, BOOK, tools=tools, id="rome")
            self.assertEqual(run.run(), 1)
        self.assertEqual((made, run.outcome.end, run.id), (["flight"], "before", "rome"))
        self.assertEqual([task["id"] for task in store.journal("rome")["tasks"]], ["book"])
        self.assertGreater(len(store.log("rome")), 2)
        self.assertEqual([(line.id, line.state) for line in store.runs()], [("rome", "ended")])
        other = Store()
        other.import_log("rome", store.log_lines("rome"))
        self.assertEqual(ENGINE.stored(other, BOOK, tools=tools, id="rome").run(), 1)
        self.assertEqual(made, ["flight"])

    def test_the_host_steps_and_answers(self):
        store, tools = Store(), Tools()
        tools.defer("ask", "(n :int) -> :int")
        run = ENGINE.stored(store, "(pmap (fn [n] (tool/ask {:n n})) data/ns)", tools=tools, data={"ns": [1, 2]})
        self.assertEqual(run.step(), "waits")
        self.assertEqual([call.args for call in run.calls()], [{"n": 1}, {"n": 2}])
        with self.assertRaisesRegex(Suspended, "an answer to call"):
            run.run()
        for call in run.calls():
            run.answer(call.id, 10 * call.args["n"])
        self.assertEqual(run.run(), [10, 20])
        self.assertGreater(run.usage().fuel, 1)

    def test_pending_operations_are_resolved_by_anybody(self):
        store = Store()
        tools = booking(lambda what: Pending("ticket-1"), mode="auto")
        run = ENGINE.stored(store, BOOK, tools=tools)
        with self.assertRaisesRegex(Suspended, "the operation ticket-1 of book") as caught:
            run.run()
        self.assertEqual([(wait.id, wait.args) for wait in caught.exception.run.pending()],
                         [("ticket-1", {"what": "flight"})])
        self.assertEqual(store.woken(), [])
        store.resolve("run", "ticket-1", {"seat": 7}, by="desk")
        self.assertEqual(store.woken(), ["run"])
        self.assertEqual(ENGINE.stored(store, tools=tools).run(), {"seat": 7})     # the source is in the store

    def test_questions_are_decided(self):
        store, tools = Store(), booking(lambda what: "booked")
        for allowed in (True, False):
            run = ENGINE.stored(store, BOOK, tools=tools, id=str(allowed), before_tool=lambda call: Ask("May I?"))
            with self.assertRaisesRegex(Suspended, "May I?"):
                run.run()
            question, = run.questions()
            run.decide(question.key, allowed, "too dear", by="Ada", args=question.args)
            if allowed:
                self.assertEqual(run.run(), "booked")
            else:
                self.assertRaisesRegex(Fault, "too dear", run.run)

    def test_doubts_are_settled(self):
        for answer, seen in (("happened", 7), ("did_not", "again"), ("give_up", None)):
            store, tools = Store(), Tools()
            tools.defer("book", "(what :string) -> :any")
            with ENGINE.stored(store, BOOK, tools=tools) as run:
                self.assertEqual(run.step(), "waits")     # the process dies here
            run = ENGINE.stored(store, tools=booking(lambda what: "again"))
            with self.assertRaisesRegex(Suspended, "whether the call run/task:book#0 of book happened"):
                run.run()
            self.assertEqual(run.outcome.end, "in_doubt")
            doubt, = run.doubts()
            self.assertEqual((doubt.tool, doubt.args), ("book", {"what": "flight"}))
            run.settle(doubt.key, answer, 7 if answer == "happened" else None, by="Ada")
            if answer == "give_up":
                self.assertRaises(Fault, run.run)
            else:
                self.assertEqual(run.run(), seen)
        with self.assertRaisesRegex(ValueError, "happened, did_not, give_up"):
            store.settle("run", "k", "perhaps")

    def test_tools_reconcile(self):
        for found, value in ((Happened("as before"), "as before"), (DidNotHappen, "second")):
            tries, asked = [], []

            def book(what):
                tries.append(what)
                if len(tries) == 1:
                    raise UnknownOutcome("the line broke")
                return "second"

            def reconcile(call, found=found):
                asked.append(call.idempotency_key)
                return found
            store, tools = Store(), booking(book, effect="reconcilable", reconcile=reconcile)
            if found is DidNotHappen:                    # the call has failed, and the next attempt makes it
                with self.assertRaisesRegex(Fault, "the line broke"):
                    ENGINE.stored(store, BOOK, tools=tools).run()
            self.assertEqual(ENGINE.stored(store, BOOK, tools=tools).run(), value)
            self.assertEqual(asked, ["run/task:book#0"])

    def test_sessions_stay_in_the_store(self):
        store = Store()
        ENGINE.stored(store, "(def x 20)", keeps_session=True).run()
        self.assertEqual(ENGINE.stored(store, "(+ x 1)", keeps_session=True, again=True).run(), 21)

    def test_one_process_executes_a_run(self):
        store, tools = Store(), Tools()
        tools.defer("ask", "() -> :int")
        first = ENGINE.stored(store, "(tool/ask)", tools=tools)
        first.step()
        second = ENGINE.stored(store, tools=tools)
        with self.assertRaises(ptcvm.Error) as caught:
            second.step()
        self.assertEqual(caught.exception.status, "busy")
        first.close()
        self.assertEqual(second.step(), "done")
        self.assertEqual(second.outcome.end, "in_doubt")


class Processes(unittest.TestCase):
    PROGRAM = """
import sys, ptcvm
def book(what):
    print("books", what, flush=True)
    if sys.argv[2] == "dies":
        import os; os._exit(9)
    return what
tools = ptcvm.Tools()
tools.add("book", "(what :string) -> :any", book, effect="keyed")
run = ptcvm.Engine().stored(ptcvm.Store(sys.argv[1]), '(task "b" (tool/book {:what "flight"}))', tools=tools)
print(run.run())
"""

    def test_a_run_survives_its_process(self):
        with tempfile.TemporaryDirectory() as folder:
            def ended(how):
                return subprocess.run([sys.executable, "-c", self.PROGRAM, str(pathlib.Path(folder, "s.db")), how],
                                      capture_output=True, text=True, timeout=240)
            first = ended("dies")
            self.assertEqual((first.returncode, first.stdout), (9, "books flight\n"), first.stderr)
            self.assertEqual([ended("lives").stdout for _ in range(2)], ["books flight\nflight\n", "flight\n"])


class Awaiting(unittest.IsolatedAsyncioTestCase):
    async def test_coroutines_answer_calls_in_flight(self):
        store, tools, meet = Store(), Tools(), asyncio.Barrier(3) if hasattr(asyncio, "Barrier") else None

        @tools.tool("(n :int) -> :int", effect="pure")
        async def double(n):
            if meet:
                await meet.wait()
            return 2 * n
        source = "(pmap (fn [n] (tool/double {:n n})) [1 2 3])"
        self.assertEqual(await ENGINE.stored(store, source, tools=tools, id="a"), [2, 4, 6])
        self.assertEqual(await ENGINE.stored(store, source, tools=tools, id="a"), [2, 4, 6])

    async def test_async_tools_keep_their_call_open(self):
        store, tools = Store(), Tools()

        @tools.tool("(n :int) -> :int", mode="async", effect="pure")
        async def triple(n):
            return 3 * n
        self.assertEqual(await ENGINE.stored(store, "(await (tool/triple {:n 2}))", tools=tools), 6)

    async def test_others_resolve_meanwhile(self):
        store = Store()
        run = ENGINE.stored(store, BOOK, tools=booking(lambda what: Pending("op-1"), mode="auto"))
        self.assertEqual(await run.advance(), "done")
        awaited = asyncio.ensure_future(run.finish())
        await asyncio.sleep(0)
        run.resolve("op-1", "seat 7")
        self.assertEqual(await awaited, "seat 7")

    async def test_timers_and_attempts(self):
        tools, attempts = Tools(), []

        @tools.tool("() -> :int", attempts=3, first_delay=0.001, effect="pure")
        async def flaky():
            attempts.append(1)
            if len(attempts) < 3:
                raise ValueError("not yet")
            return len(attempts)
        self.assertEqual(await ENGINE.stored(Store(), "(tool/flaky)", tools=tools), 3)
        self.assertEqual(await ENGINE.stored(Store(), "(do (sleep 1) 5)"), 5)


if __name__ == "__main__":
    unittest.main()
