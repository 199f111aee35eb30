"""Drives runs to their end: in this thread, or on the event loop of asyncio."""
import asyncio
import threading
import time

from .errors import Error, Suspended
from .tools import text_of_exception

GIVEN_UP = {"wrong_state", "unknown_operation", "already_resolved"}   # the program does not want the answer any more
SLICE = 50_000                    # fuel between two looks at the event loop: a few milliseconds at most


class Driven:
    """What runs and stored runs have in common: run(), `await`, and the coroutines that answer calls."""

    _has_handles = True           # an answer that comes later is a handle; its coroutine resolves it

    def __init__(self, options):
        self._coroutines = options.coroutines
        self._has_time = options.has_time     # the host says what time it is, so nobody waits for the clock
        self._is_stepping = False
        self._cancelling = threading.Lock()
        self._wakers = []                     # (loop, event) of tasks that await the run
        self._work = {}                       # call or operation -> asyncio task
        self._failure = None                  # why an answer could not be given
        self.on_event = None                  # called with each event, when the run has events

    def doubts(self):
        """Returns nothing: only runs of a store have calls that may or may not have happened."""
        return []

    def _begin_driving(self):
        self._work = {}

    def _say(self, name, *arguments):
        """Tells the run something, and wakes whoever awaits the run."""
        self._call(name, *arguments)
        self._wake()

    def _wake(self):
        for loop, event in list(self._wakers):
            loop.call_soon_threadsafe(event.set)

    def _take_events(self):
        while self.on_event and (event := self.next_event()) is not None:
            self.on_event(event)

    def _is_over(self, state):
        return state in ("completed", "returned", "failed")

    def _advanced(self, fuel):
        """Steps once and returns (state, whether the step did something)."""
        before = self.usage().fuel
        state = self.step(fuel)
        self._take_events()
        return state, self.usage().fuel != before

    # ---- In this thread

    def run(self, *, patience=60.0):
        """Goes on until the run is over, and returns result(). Sleeps until a timer that is due within `patience`
        seconds. Raises Suspended when the run waits for somebody."""
        while True:
            state, did_something = self._advanced(2 ** 64 - 1)
            if self._is_over(state):
                return self.result()
            if not self._has_waiting_calls() and state == "yielded" and did_something:
                continue
            self._sleep_or_raise(patience)

    def _has_waiting_calls(self):
        calls = self.calls()
        for call in calls:
            if call.tool in self._coroutines:
                raise Error("wrong_state", f"the tool {call.tool} is a coroutine function: `await` the run")
        return bool(calls)

    def _sleep_or_raise(self, patience):
        wake = None if self._has_time else self.wake_time()
        seconds = None if wake is None else wake / 1000 - time.time()
        if seconds is None or seconds > patience:
            raise Suspended(self, self._what_it_waits_for())
        if seconds > 0:
            time.sleep(seconds)

    def _what_it_waits_for(self):
        waits = [f"an answer to call {call.id} of {call.tool}" for call in self.calls()]
        waits += [f"a decision on {question.tool}: {question.question}" for question in self.questions()]
        waits += [f"the operation {operation.id} of {operation.tool}" if operation.tool else
                  f"the operation {operation.id}" for operation in self.pending() if operation.is_awaited]
        waits += [f"somebody to say whether the call {doubt.key} of {doubt.tool} happened" for doubt in self.doubts()]
        return "the run waits for " + ("; ".join(waits) or "its time, or until its events are taken")

    # ---- On asyncio

    def __await__(self):
        return self.finish().__await__()

    async def finish(self):
        """Goes on until the run is over, and returns result(). Other tasks may answer, resolve and decide meanwhile."""
        await self._drive(until_over=True)
        return self.result()

    async def advance(self):
        """Goes on until the run is over, or cannot go on without somebody else, and returns the state."""
        return await self._drive(until_over=False)

    async def _drive(self, until_over):
        waker = (asyncio.get_running_loop(), asyncio.Event())
        self._wakers.append(waker)
        try:
            while True:
                waker[1].clear()
                if self._failure is not None:
                    raise self._failure
                state, did_something = self._advanced(SLICE)
                if self._is_over(state):
                    return state
                started = self._start_coroutines(waker[1])
                if started or (state == "yielded" and did_something):
                    await asyncio.sleep(0)
                elif not await self._wait(waker[1], until_over):
                    return state
        finally:
            self._wakers.remove(waker)
            for task in self._work.values():
                task.cancel()
            self._work = {}

    async def _wait(self, event, until_over):
        """Waits for an answer or a timer. Returns False at once when neither can come from here."""
        wake = None if self._has_time else self.wake_time()
        if not until_over and not self._work and wake is None:
            return False
        seconds = None if wake is None else max(wake / 1000 - time.time(), 0)
        try:
            await asyncio.wait_for(event.wait(), seconds)
        except asyncio.TimeoutError:
            pass
        return True

    def _start_coroutines(self, event):
        """Starts the coroutine of each call that has one, stops those that nobody awaits, and returns whether any."""
        started = False
        for call in self.calls():
            coroutine = self._coroutines.get(call.tool)
            if coroutine is None or call.id in self._work:
                continue
            started = True
            if coroutine.is_later and self._has_handles:
                self.answer_pending(call.id, call.key)
                answers, key = (self.resolve, self.resolve_error), call.key
            else:
                answers, key = (self.answer, self.answer_error), call.id
            task = asyncio.ensure_future(self._answer(coroutine, call, key, answers))
            self._work[key] = task
            task.add_done_callback(lambda done, key=key: self._ended(done, key, event))
        for operation in self.take_cancelled():
            if operation in self._work:
                self._work[operation].cancel()
        return started

    async def _answer(self, coroutine, call, key, answers):
        answer, fail = answers
        try:
            try:
                answer(key, await self._attempted(coroutine, call))
            except asyncio.CancelledError:
                raise
            except Exception as error:        # pylint: disable=broad-except
                fail(key, text_of_exception(error))
        except Error as error:
            if error.status not in GIVEN_UP:
                raise

    async def _attempted(self, coroutine, call):
        """Returns what the coroutine returns. A store tries a call again itself, and so does this for other runs."""
        attempts, delay = coroutine.attempts if self._has_handles else 1, coroutine.first_delay
        while True:
            try:
                return await coroutine.function(**call.args)
            except Exception:                 # pylint: disable=broad-except
                attempts -= 1
                if attempts < 1:
                    raise
            await asyncio.sleep(min(delay, coroutine.max_delay))
            delay *= 2

    def _ended(self, task, key, event):
        if self._work.get(key) is task:
            del self._work[key]
        if not task.cancelled() and task.exception() is not None:
            self._failure = task.exception()
        event.set()
