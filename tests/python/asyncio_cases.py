"""Runs on asyncio: coroutine functions as tools, answers from other tasks, timers."""
import asyncio
import json
import unittest

import ptcvm
from ptcvm import Engine, Fault, Tools

ENGINE = Engine()


class Ticket:
    """Lets coroutines meet: each waits until `count` of them are there, so that only concurrent ones end."""

    def __init__(self, count):
        self.count, self.open = count, asyncio.Event()

    async def wait(self):
        self.count -= 1
        if self.count == 0:
            self.open.set()
        await self.open.wait()


class Awaiting(unittest.IsolatedAsyncioTestCase):
    async def test_calls_of_branches_are_made_at_once(self):
        ticket, tools = Ticket(20), Tools()

        @tools.tool("(n :int) -> :int")
        async def double(n):
            await ticket.wait()
            return 2 * n
        run = ENGINE.start("(pmap (fn [n] (tool/double {:n n})) (range 20))", tools=tools)
        self.assertEqual(await run, [2 * n for n in range(20)])
        self.assertEqual(run.state, "completed")
        self.assertEqual(await run, [2 * n for n in range(20)])     # a run that is over gives its result again

    async def test_handles_are_awaited_later(self):
        ticket, tools = Ticket(2), Tools()

        @tools.tool("(n :int) -> :int", mode="async")
        async def triple(n):
            await ticket.wait()
            return 3 * n
        run = ENGINE.start("(let [a (tool/triple {:n 1}) b (tool/triple {:n 2})] [(await a) (await b)])", tools=tools)
        self.assertEqual(await run, [3, 6])

    async def test_many_runs_share_a_loop(self):
        ticket, tools = Ticket(50), Tools()

        async def same(n):
            await ticket.wait()
            return n
        tools.add("same", "(n :int) -> :int", same)
        program = ENGINE.compile("(tool/same {:n data/n})", tools=tools)
        runs = [ENGINE.start(program, tools=tools, data={"n": n}) for n in range(50)]
        self.assertEqual(await asyncio.gather(*(run.finish() for run in runs)), list(range(50)))

    async def test_errors_of_coroutines_are_tool_errors(self):
        tools = Tools()

        async def bad(**_):
            raise ValueError("the line is dead")

        async def odd(**_):
            return object()
        for mode in ("sync", "async"):
            tools.add("bad", "", bad, mode=mode)
            tools.add("odd", "() -> :int", odd, mode=mode)
            for name, text in (("bad", "the line is dead"), ("odd", "not a value of the language")):
                source = f"(tool/{name})" if mode == "sync" else f"(await (tool/{name}))"
                with self.subTest(mode=mode, tool=name), self.assertRaisesRegex(Fault, text) as caught:
                    await ENGINE.start(source, tools=tools)
                self.assertEqual(caught.exception.kind, "tool_error" if mode == "sync" else caught.exception.kind)
        with self.assertRaisesRegex(ptcvm.Error, "is a coroutine function: `await` the run"):
            ENGINE.start("(pmap (fn [x] (tool/bad)) [1 2])", tools=self.sync_tools(bad)).run()
        with self.assertRaisesRegex(TypeError, "neither wants_call nor reconcile"):
            tools.add("bad", "", bad, wants_call=True)

    def sync_tools(self, function):
        tools = Tools()
        tools.add("bad", "", function)
        return tools

    async def test_other_tasks_answer_meanwhile(self):
        tools = Tools()
        tools.defer("ask", "() -> :int")
        tools.defer("letter", "() -> :any", mode="async")
        run = ENGINE.start("(+ (tool/ask) (await (tool/letter)))", tools=tools)
        awaited = asyncio.ensure_future(run.finish())
        while not run.calls():
            await asyncio.sleep(0)
        run.answer(run.calls()[0].id, 1)
        while not (run.calls() and run.calls()[0].tool == "letter"):
            await asyncio.sleep(0)
        run.answer_pending(run.calls()[0].id, "letter-1")
        while not run.pending():
            await asyncio.sleep(0)
        self.assertFalse(awaited.done())
        run.resolve("letter-1", 41)
        self.assertEqual(await awaited, 42)

    async def test_another_thread_answers(self):
        tools = Tools()
        tools.defer("ask", "() -> :int")
        run = ENGINE.start("(tool/ask)", tools=tools)
        self.assertEqual(await run.advance(), "yielded")
        awaited = asyncio.ensure_future(run.finish())
        await asyncio.sleep(0)
        await asyncio.to_thread(run.answer, run.calls()[0].id, 5)
        self.assertEqual(await awaited, 5)

    async def test_advance_comes_back_when_somebody_else_must_act(self):
        tools = Tools()
        tools.defer("ask", "() -> :any", mode="async")
        run = ENGINE.start("(await (tool/ask))", tools=tools)
        self.assertEqual(await run.advance(), "yielded")
        run.answer_pending(run.calls()[0].id, "op")
        self.assertEqual(await run.advance(), "suspended")
        other = ENGINE.restore(run.snapshot(), tools=tools)
        other.resolve("op", 7)
        self.assertEqual(await other, 7)

    async def test_timers(self):
        self.assertEqual(await ENGINE.start("(do (sleep 1) 5)"), 5)
        tools, attempts = Tools(), []

        async def flaky():
            attempts.append(1)
            if len(attempts) < 3:
                raise ValueError("not yet")
            return len(attempts)
        tools.add("flaky", "() -> :int", flaky, attempts=3, first_delay=0.001)
        self.assertEqual(await ENGINE.start("(tool/flaky)", tools=tools), 3)
        run = ENGINE.start("(do (sleep 1000000) 5)", time_ms=1_000)
        self.assertEqual(await run.advance(), "suspended")
        self.assertEqual(run.wake_time(), 1_001_000)
        run.set_time(1_001_000)
        self.assertEqual(await run, 5)

    async def test_long_programs_leave_the_loop_to_others(self):
        turns = []

        async def count():
            while True:
                turns.append(1)
                await asyncio.sleep(0)
        counting = asyncio.ensure_future(count())
        run = ENGINE.start("(loop [i 0] (if (< i 1000000) (recur (+ i 1)) i))", limits={"loop": 2_000_000})
        self.assertEqual(await run, 1_000_000)
        counting.cancel()
        self.assertGreater(len(turns), 10)

    async def test_giving_up_cancels_the_coroutines(self):
        tools, seen, began = Tools(), [], asyncio.Event()

        @tools.tool("() -> :any")
        async def slow():
            try:
                began.set()
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise
        run = ENGINE.start("(tool/slow)", tools=tools)
        awaited = asyncio.ensure_future(run.finish())
        await began.wait()
        awaited.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await awaited
        await asyncio.sleep(0)
        self.assertEqual(seen, ["cancelled"])
        self.assertEqual([call.tool for call in run.calls()], ["slow"])     # the call still waits
        awaited = asyncio.ensure_future(run.finish())
        await asyncio.sleep(0)
        run.cancel()
        with self.assertRaises(Fault) as caught:
            await awaited
        self.assertEqual(caught.exception.kind, "cancelled")

    async def test_events(self):
        seen = []
        run = ENGINE.start('(doseq [i (range 100)] (println i))', events=4)
        run.on_event = seen.append
        self.assertIsNone(await run)
        self.assertEqual(sum(event["event"] == "print" for event in seen), 100)
        self.assertTrue(json.dumps(seen))

    async def test_sessions(self):
        tools = Tools()

        @tools.tool("(n :int) -> :int")
        async def double(n):
            return 2 * n
        session = ENGINE.session(tools=tools)
        for source, value in (("(def x (tool/double {:n 4}))", None), ("(tool/double {:n x})", 16)):
            session.begin(source)
            result = await session
        self.assertEqual(result, value)


if __name__ == "__main__":
    unittest.main()
