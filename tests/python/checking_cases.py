"""What a check finds, and names of data/ that the data lacks: warnings, attributes, errors."""
import unittest
import warnings

import ptcvm

ENGINE = ptcvm.Engine()
SOURCE = "(count data/order-line)"
MESSAGE = "data/order-line is not in the data, so it is nil"


class MissingData(unittest.TestCase):
    DATA = {"order_lines": [1, 2]}

    def caught(self, work):
        """Returns what `work` returns, and the warnings of that time."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            return work(), caught

    def assert_told(self, run, caught):
        warning, = caught
        self.assertIs(warning.category, ptcvm.MissingData)
        self.assertEqual(warning.filename, __file__)            # the line of the host, not one of the package
        self.assertIn(MESSAGE, str(warning.message))
        finding, = run.missing_data
        self.assertEqual((finding.kind, finding.line, finding.column), ("missing_data", 1, 8))
        self.assertEqual((finding.message, finding.is_error), (MESSAGE, False))
        self.assertEqual(finding.hint, "Did you mean: data/order_lines")
        self.assertIn(finding.hint, str(finding))

    def test_runs_warn_and_have_the_findings(self):
        for program in (SOURCE, ENGINE.compile(SOURCE)):
            run, caught = self.caught(lambda: ENGINE.start(program, data=self.DATA))
            self.assert_told(run, caught)
            self.assertEqual(run.run(), 0)

    def test_strict_data_refuses(self):
        box = []
        tools = ptcvm.Tools()
        tools.add("note", "", lambda: box.append(1))
        for work in (lambda: ENGINE.start("(do (tool/note) data/orders)", data={"order": 1}, tools=tools,
                                          strict_data=True).run(),
                     lambda: ENGINE.session(strict_data=True, tools=tools).eval("(do (tool/note) data/orders)"),
                     lambda: ENGINE.stored(ptcvm.Store(), "(do (tool/note) data/orders)", tools=tools,
                                           strict_data=True).run()):
            with self.assertRaises(ptcvm.InvalidProgram) as caught:
                work()
            self.assertEqual((caught.exception.kind, caught.exception.line), ("missing_data", 1))
            self.assertIn("data/orders is not in the data", str(caught.exception))
        self.assertEqual(box, [])

    def test_data_that_is_there_is_no_finding(self):
        for data in ({"order-line": [1]}, {"order_line": [1]}, {ptcvm.Keyword("order-line"): [1]},
                     ptcvm.Entries([("order-line", [1])])):
            run, caught = self.caught(lambda: ENGINE.start(SOURCE, data=data, strict_data=True))
            self.assertEqual((run.run(), run.missing_data, caught), (1, [], []))

    def test_the_same_source_with_other_data_is_looked_at_again(self):
        for data, count in ((self.DATA, 1), ({"order-line": [1]}, 0), (self.DATA, 1), (None, 1)):
            run, caught = self.caught(lambda: ENGINE.start(SOURCE, data=data))
            self.assertEqual((len(run.missing_data), len(caught)), (count, count))
        self.assertEqual(run.missing_data[0].hint, "there is no data at all")

    def test_sessions_know_their_data(self):
        session = ENGINE.session(data=self.DATA)
        self.assertEqual(session.eval("(count data/order_lines)"), 2)
        _, caught = self.caught(lambda: session.begin(SOURCE))
        self.assert_told(session, caught)
        session.run()
        restored = ENGINE.restore_session(session.snapshot(), strict_data=True)
        self.assertEqual(restored.eval("(count data/order_lines)"), 2)
        with self.assertRaises(ptcvm.InvalidProgram):
            restored.eval(SOURCE)

    def test_stored_runs_keep_their_data(self):
        store = ptcvm.Store()
        run, caught = self.caught(lambda: ENGINE.stored(store, SOURCE, data=self.DATA, id="r"))
        self.assert_told(run, caught)
        run.run()
        for data in ({"order-line": [1]}, None):
            source, name = "(task \"t\" (count data/order-line))", f"s{data}"
            started, caught = self.caught(lambda: ENGINE.stored(store, source, data=data, id=name))
            self.assertEqual(len(caught), 0 if data else 1)
            started.run()
            again, caught = self.caught(lambda: ENGINE.stored(store, source, id=name))
            self.assertEqual((again.run(), caught, again.missing_data), (1 if data else 0, [], []))

    def test_a_source_that_is_no_program_is_refused_as_before(self):
        for source in ("(count data/order", "(count data/order))", "(nope data/order)"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with self.assertRaises(ptcvm.InvalidProgram) as caught:
                    ENGINE.start(source, data={"orders": 1})
            self.assertNotEqual(caught.exception.kind, "missing_data")


class Checks(unittest.TestCase):
    def test_a_check_finds_everything_and_runs_nothing(self):
        tools, made = ptcvm.Tools(), []
        tools.add("add", "(a :int) -> :int", lambda a: made.append(a) or a)
        found = ENGINE.check('(let [unused 1]\n  (tool/add {:a "x"}))\n(count 1 2)\ndata/b', tools=tools, data={"a": 1})
        self.assertEqual([(finding.kind, finding.is_error, finding.line) for finding in found],
                         [("unused_name", False, 1), ("invalid_tool_args", True, 2), ("arity_error", True, 3),
                          ("missing_data", False, 4)])
        self.assertEqual(made, [])
        self.assertEqual(ENGINE.check("(+ 1 2)"), [])
        self.assertIn("^", str(found[2]))
        self.assertEqual(repr(found[2]), "<error arity_error at 3:1>")

    def test_sessions_know_their_definitions(self):
        session = ENGINE.session()
        session.eval("(defn f [x] x)")
        self.assertEqual(session.check("(f 1)"), [])
        finding, = ENGINE.check("(f 1)")
        self.assertEqual((finding.kind, finding.is_error), ("unbound_var", True))


if __name__ == "__main__":
    unittest.main()
