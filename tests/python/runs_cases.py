"""Runs, sessions, tools and their errors, without an event loop."""
import functools
import gc
import threading
import unittest
import weakref

import ptcvm
from ptcvm import Ask, Change, Deny, Engine, Fault, Pending, Tools
from ptcvm.tools import callbacks

ENGINE = Engine()


def add_tools(**functions):
    tools = Tools()
    for name, function in functions.items():
        tools.add(name, "", function)
    return tools


class Errors(unittest.TestCase):
    def test_programs_that_do_not_compile(self):
        with self.assertRaises(ptcvm.InvalidProgram) as caught:
            ENGINE.compile("(+ 1\n  (nope))", name="sum.ptc")
        error = caught.exception
        self.assertEqual((error.status, error.source_name, error.is_limit), ("invalid_program", "sum.ptc", False))
        self.assertEqual((error.line, error.column), (2, 4))
        self.assertIn("nope", str(error))
        with self.assertRaises(ptcvm.InvalidProgram) as caught:
            ENGINE.compile("(+ 1")
        self.assertTrue(caught.exception.is_incomplete)

    def test_faults_have_a_kind_and_a_place(self):
        with self.assertRaises(Fault) as caught:
            ENGINE.start("(let [x 1]\n  (+ x :a))").run()
        fault = caught.exception
        self.assertEqual((fault.kind, fault.line, fault.column), ("type_error", 2, 3))
        self.assertEqual(fault.message, "+: arg 2 expected number, got keyword")
        self.assertIn("^", fault.text)
        with self.assertRaises(ptcvm.Failed) as caught:
            ENGINE.start("(fail {:why 1})").run()
        self.assertEqual(caught.exception.value, {"why": 1})

    def test_faults_have_the_calls_of_the_program(self):
        source = "(defn add [n]\n  (+ n :a))\n(defn twice [n]\n  (* 2 (add n)))\n(twice 3)"
        program = ENGINE.compile(source, name="a.ptc")
        with self.assertRaises(Fault) as caught:
            ENGINE.start(program).run()
        fault = caught.exception
        self.assertEqual(fault.stack, [("function", "add", "a.ptc", 2, 3), ("function", "twice", "a.ptc", 4, 8),
                                       ("function", "program", "a.ptc", 5, 1)])
        self.assertEqual((fault.stack[1].kind, fault.stack[1].name, fault.stack[1].line), ("function", "twice", 4))
        self.assertEqual(fault.found, ":a")

    def test_faults_have_builtins_tasks_and_tools_among_their_calls(self):
        tools = add_tools(pay=lambda: 1 // 0)
        with self.assertRaises(Fault) as caught:
            ENGINE.start('(defn f [_] (task "t" (tool/pay)))\n(mapv f [1])', tools=tools).run()
        self.assertEqual([(frame.kind, frame.name, frame.line) for frame in caught.exception.stack],
                         [("tool", "pay", 1), ("task", "t", 1), ("function", "f", 1), ("builtin", "mapv", 2),
                          ("function", "program", 2)])

    def test_limits(self):
        with self.assertRaises(Fault) as caught:
            ENGINE.start("(reduce + (range 100000))", limits={"fuel": 100}).run()
        self.assertEqual((caught.exception.kind, caught.exception.is_limit), ("fuel_exhausted", True))
        with self.assertRaisesRegex(TypeError, "no limit fule; did you mean fuel"):
            ENGINE.start("1", limits={"fule": 100})
        with self.assertRaisesRegex(TypeError, "0 or more"):
            ENGINE.start("1", limits={"fuel": -1})

    def test_wrong_calls(self):
        run = ENGINE.start("1")
        for status, work in (("wrong_state", run.result), ("wrong_state", lambda: run.answer(7, 1)),
                             ("unknown_operation", lambda: run.resolve("op9", 1)),
                             ("invalid_snapshot", lambda: ENGINE.restore(b"junk")),
                             ("invalid_signature", lambda: Tools().add("t", "(q :strin)", print))):
            with self.assertRaises(ptcvm.Error) as caught:
                work()
            self.assertEqual(caught.exception.status, status)
        with self.assertRaisesRegex(TypeError, "no option tool; did you mean tools"):
            ENGINE.start("1", tool=None)
        with self.assertRaisesRegex(ValueError, "effect is 'pur'; it is one of unsafe, pure"):
            Tools().add("t", "", print, effect="pur")


class Fitting(unittest.TestCase):
    """A callable that cannot take the arguments of its signature is refused when it is added."""

    def refused(self, signature, function, text, **options):
        tools = Tools()
        with self.assertRaisesRegex(TypeError, text):
            tools.add("t", signature, function, **options)
        with self.assertRaisesRegex(ptcvm.InvalidProgram, "t"):        # nothing was added
            ENGINE.start("(tool/t)", tools=tools).run()

    def test_what_is_refused(self):
        both, optional = "(a :int, b :int) -> :int", "(a :int, b :int?) -> :int"
        for signature, function, text in (
                (both, lambda a: a, r"the function of the tool t does not fit .*: it has no parameter b"),
                (both, lambda x, y: x, "no parameter a; it has no parameter b; it needs x, .*; it needs y"),
                (both, lambda a, b, c: a, "it needs c, which the signature does not have"),
                (both, lambda a, /, b: a, "its parameter a takes no argument by name"),
                (both, lambda *args: 1, "it has no parameter a; it has no parameter b"),
                (optional, lambda a, b: a, "it needs b, which calls may leave out: give the parameter a default"),
                ("() -> :int", lambda a: a, "it needs a"),
                ("(first-name :string) -> :int", lambda first: 1, "it has no parameter first_name")):
            with self.subTest(signature=signature, text=text):
                self.refused(signature, function, text)

    def test_coroutine_functions_and_callables_with_a_call_are_refused_alike(self):
        async def later(a):
            return a
        self.refused("(b :int) -> :int", later, "no parameter b")
        self.refused("(a :int) -> :int", lambda: 1, "it has no such parameter", wants_call=True)
        self.refused("(a :int) -> :int", lambda a: 1, "its first parameter a takes the Call; .*no parameter a",
                     wants_call=True)

    def test_what_fits(self):
        class Adder:
            def __call__(self, a, b=0):
                return a + b

            def add(self, a, b=0):
                return a + b

        def keyword_only(*, a, b=0):
            return a + b

        @functools.wraps(lambda store, a: None)
        def wrapped(**given):
            return given["a"]

        for function in (Adder(), Adder().add, keyword_only, wrapped, lambda **given: given["a"],
                         lambda a, **more: a, functools.partial(lambda store, a, b=0: a, []), dict):
            tools = Tools()
            tools.add("t", "(a :int, b :int?) -> :any", function)
            for source in ("(tool/t {:a 1})", "(tool/t {:a 1 :b 2})"):
                ENGINE.start(source, tools=tools).run()

    def test_what_is_not_checked(self):
        tools = Tools()
        tools.add("free", "", lambda x: x)
        tools.add("open", "(a :int) -> :any", lambda b: b, checks_signature=False)
        self.assertEqual(ENGINE.start("[(tool/free {:x 1}) (tool/open {:b 2})]", tools=tools).run(), [1, 2])


class Calling(unittest.TestCase):
    def test_tools_get_values_and_answer_with_values(self):
        tools = Tools()

        @tools.tool("(a :int, b :int) -> :int", effect="pure")
        def add(a, b):
            """Adds two numbers."""
            return a + b
        tools.add("who", "(names [:string]) -> {first :string, count :int}",
                  lambda call, names: {"first": names[0], "count": len(names)}, wants_call=True)
        self.assertEqual(ENGINE.start("[(tool/add {:a 1 :b data/b}) (tool/who {:names [\"x\" \"y\"]})]", tools=tools,
                                      data={"b": 2}).run(), [3, {"first": "x", "count": 2}])
        self.assertEqual(add(1, 1), 2)
        with self.assertRaisesRegex(Fault, "add"):
            ENGINE.start('(tool/add {:a "x" :b 1})', tools=tools).run()

    def test_a_call_knows_its_facts(self):
        seen = []

        def note(call, **args):
            seen.append((call, call.name, call.args, call.run_id, call.task_id, call.idempotency_key, call.attempt,
                         call.expired()))
        tools = Tools()
        tools.add("note", "(x :int) -> :any", note, wants_call=True)
        ENGINE.start('(task "t" (tool/note {:x 1}))', tools=tools, id="r1").run()
        call, *facts = seen[0]
        self.assertEqual(facts[:4] + facts[5:], ["note", {"x": 1}, "r1", "t", 1, False])
        self.assertIn("t", facts[4])
        self.assertTrue(call.expired())       # after the callable has returned
        call.report_partial(1)

    def test_what_a_tool_raises_is_a_tool_error(self):
        def bad():
            raise ValueError("the disk is full")

        def odd():
            return object()

        def silent():
            raise KeyError
        tools = add_tools(bad=bad, odd=odd, silent=silent)
        for source, text in (("(tool/bad)", "the disk is full"), ("(tool/odd)", "is not a value of the language"),
                             ("(tool/silent)", "KeyError"), ("(tool/bad {:x 1})", "unexpected keyword argument")):
            with self.assertRaisesRegex(Fault, text) as caught:
                ENGINE.start(source, tools=tools).run()
            self.assertEqual(caught.exception.kind, "tool_error")

    def test_an_interruption_ends_the_step(self):
        def stop():
            raise KeyboardInterrupt
        tools, made = add_tools(stop=stop), []
        tools.add("after", "", lambda: made.append(1))
        run = ENGINE.start("(do (tool/stop) (tool/after))", tools=tools)
        with self.assertRaises(KeyboardInterrupt):
            run.run()
        self.assertEqual(made, [])

    def test_a_tool_may_not_use_its_run(self):
        box, tools = [], Tools()
        tools.add("inside", "", lambda: box[0].step())
        tools.add("closing", "", lambda: box[0].close())
        tools.add("cancelling", "", lambda: box[0].cancel())
        for name, kind, text in (("inside", "tool_error", "may not use the run"),
                                 ("closing", "tool_error", "may not close"), ("cancelling", "cancelled", "")):
            box[:] = [ENGINE.start(f"(do (tool/{name}) (loop [] (recur)))", tools=tools)]
            with self.assertRaisesRegex(Fault, text) as caught:
                box[0].run()
            self.assertEqual(caught.exception.kind, kind)

    def test_deferred_calls_wait_for_the_host(self):
        tools = Tools()
        tools.defer("ask", "(n :int) -> :int")
        run = ENGINE.start("(pmap (fn [n] (tool/ask {:n n})) [1 2])", tools=tools)
        self.assertEqual(run.step(), "yielded")
        self.assertEqual([(call.tool, call.args) for call in run.calls()], [("ask", {"n": 1}), ("ask", {"n": 2})])
        with self.assertRaisesRegex(ptcvm.Suspended, "an answer to call") as caught:
            run.run()
        self.assertIs(caught.exception.run, run)
        for call in run.calls():
            run.answer(call.id, call.args["n"] * 10)
        self.assertEqual(run.run(), [10, 20])

    def test_hooks(self):
        def judge(call):
            if call.args["n"] == 2:
                return Deny("two is not allowed")
            if call.args["n"] == 4:
                return Ask("Is four all right?")
            return Change({"n": 30}) if call.args["n"] == 3 else None
        tools = Tools()
        tools.add("id", "(n :int) -> :int", lambda n: n)

        def start(n):
            return ENGINE.start("(tool/id {:n data/n})", tools=tools, data={"n": n}, before_tool=judge)
        self.assertEqual([start(1).run(), start(3).run()], [1, 30])
        with self.assertRaisesRegex(Fault, "two is not allowed"):
            start(2).run()
        for allowed in (True, False):
            run = start(4)
            self.assertEqual(run.step(), "suspended")
            question, = run.questions()
            self.assertEqual((question.question, question.args), ("Is four all right?", {"n": 4}))
            run.decide(question.key, allowed, "no", args={"n": 4})
            if allowed:
                self.assertEqual(run.run(), 4)
            else:
                self.assertRaises(Fault, run.run)


class Moving(unittest.TestCase):
    SOURCE = '(do (println "asks") (+ 1 (await (tool/ask {:q "n"}))))'

    def tools(self):
        tools = Tools()
        tools.add("ask", "(q :string) -> :any", lambda q: Pending("letter-1"), mode="async")
        return tools

    def test_snapshots_are_bytes_that_another_engine_takes(self):
        run = ENGINE.start(self.SOURCE, tools=self.tools())
        self.assertEqual(run.step(), "suspended")
        operation, = run.pending()
        self.assertEqual((operation.id, operation.tool, operation.is_awaited), ("letter-1", "ask", True))
        state = run.snapshot()
        self.assertIsInstance(state, bytes)
        self.assertEqual(state, run.snapshot())
        for snapshot in (state, run.snapshot_json()):
            other = Engine().restore(snapshot, tools=self.tools())
            other.resolve("letter-1", 41)
            self.assertEqual(other.run(), 42)
            self.assertEqual(other.prints(), ["asks"])
        with self.assertRaises(ptcvm.Error) as caught:
            ENGINE.restore(state)
        self.assertEqual(caught.exception.status, "refused")
        self.assertTrue(run.park())
        run.resolve("letter-1", 1)
        self.assertEqual(run.run(), 2)

    def test_sessions_keep_definitions(self):
        session = ENGINE.session(tools=self.tools())
        session.eval("(def x 20)")
        self.assertEqual(session.eval("(+ x 1)"), 21)
        self.assertEqual(session.eval("*1"), 21)
        with self.assertRaises(ptcvm.InvalidProgram):
            session.eval("(+ y")
        other = ENGINE.restore_session(session.snapshot(), tools=self.tools())
        self.assertEqual((other.eval("(* x 2)"), other.definitions()), (40, {"x": 20}))

    def test_steps_events_and_facts(self):
        run = ENGINE.start('(do (println "a") (task "t" 7) (reduce + (range 1000)))', events=100, id="r")
        states = set()
        while (state := run.step(50)) == "yielded":
            states.add(state)
        self.assertEqual((states, state, run.result(), run.id), ({"yielded"}, "completed", 499500, "r"))
        kinds = []
        while (event := run.next_event()) is not None:
            kinds.append(event["event"])
        self.assertEqual((kinds[0], kinds[-1]), ("run_start", "run_end"))
        self.assertIn("print", kinds)
        self.assertGreater(run.usage().fuel, 1000)
        self.assertEqual(run.journal(), {"t": 7})
        tools = Tools()
        tools.add("double", "(n :int) -> :int", lambda n: 2 * n)
        run = ENGINE.start("(defn f [x] (+ x 1)) (tool/double {:n 1}) (f :a)", tools=tools, events=100)
        run.step()
        events = {}
        while (event := run.next_event()) is not None:
            events[event["event"]] = event
        self.assertEqual((events["tool_start"]["path"], events["tool_end"]["path"]), ("0", "0"))
        self.assertEqual((events["fault"]["found"], events["fault"]["stack"]), (":a", "f 1:13 < program 1:43"))
        program = ENGINE.compile("(tool/a)")
        self.assertEqual((program.tools, program.source, len(program.sha256)), (["a"], "(tool/a)", 64))
        self.assertEqual(ENGINE.start(ENGINE.load(ENGINE.compile("(+ 1 1)").bytecode())).run(), 2)


class Lifetimes(unittest.TestCase):
    def test_tools_live_as_long_as_runs_need_them(self):
        class Adder:
            def __call__(self):
                return 5
        adder = Adder()
        gone = weakref.ref(adder)
        gc.collect()                          # what other tests left
        known = len(callbacks.known)
        tools = add_tools(five=adder)
        run = ENGINE.start("(tool/five)", tools=tools, before_tool=lambda call: None)
        tools.close()
        del tools, adder
        gc.collect()
        self.assertEqual(run.run(), 5)
        self.assertIsNotNone(gone())
        del run
        gc.collect()
        self.assertIsNone(gone())
        self.assertEqual(len(callbacks.known), known)

    def test_values_and_errors_outlive_their_run(self):
        run = ENGINE.start('{:names ["a" "b"]}')
        value = run.run()
        run.close()
        run.close()
        self.assertEqual(value, {"names": ["a", "b"]})
        for work in (run.step, run.result, run.snapshot, run.calls, run.prints):
            with self.assertRaisesRegex(ptcvm.Error, "is closed"):
                work()
        run.cancel()
        with Engine() as engine:
            run = engine.start("(+ 1 1)")
        self.assertEqual(run.run(), 2)        # runs keep what they were made from

    def test_other_threads_go_on_while_the_engine_steps(self):
        started, seen = threading.Event(), []
        run = ENGINE.start("(do (tool/started) (loop [] (recur)))", tools=add_tools(started=started.set),
                           limits={"loop": 2 ** 32 - 1, "fuel": 2 ** 63})
        thread = threading.Thread(target=lambda: seen.append(self.fault_of(run)))
        thread.start()
        started.wait(60)
        ticks = sum(1 for _ in range(1000))       # the program would go on for hours
        run.cancel()
        thread.join(60)
        self.assertEqual((ticks, seen), (1000, ["cancelled"]))

    def fault_of(self, run):
        try:
            run.run()
        except Fault as fault:
            return fault.kind
        return None

    def test_another_thread_cancels(self):
        run, started, seen = None, threading.Event(), []
        tools = add_tools(started=started.set)
        run = ENGINE.start("(do (tool/started) (loop [] (recur)))", tools=tools,
                           limits={"loop": 2 ** 32 - 1, "fuel": 2 ** 63})

        def work():
            try:
                run.run()
            except Fault as fault:
                seen.append(fault.kind)
        thread = threading.Thread(target=work)
        thread.start()
        started.wait(60)
        run.cancel()
        thread.join(60)
        self.assertEqual(seen, ["cancelled"])


if __name__ == "__main__":
    unittest.main()
