"""Values go through a program and come back as they were."""
import datetime
import json
import math
import pickle
import unittest

import ptcvm
from ptcvm import Elements, Entries, Keyword, Pending, Tagged

ENGINE = ptcvm.Engine()
UTC = datetime.timezone.utc


def through(value):
    return ENGINE.start("data/v", data={"v": value}).run()


def evaluated(source, **options):
    return ENGINE.start(source, **options).run()


class Values(unittest.TestCase):
    def same(self, value):
        seen = through(value)
        self.assertEqual(seen, value)
        self.assertIs(type(seen), type(value))

    def test_scalars(self):
        for value in (None, True, False, 0, -1, 2 ** 63 - 1, 2 ** 63, -2 ** 63, -2 ** 64, 10 ** 9000, -10 ** 9000,
                      1.5, -0.0, 1e16, 1e300, 5e-324, math.inf, -math.inf, "", "\"\\\n\t\x00\x7f é €",
                      Keyword("a"), Keyword("a b"), Keyword("é"), Keyword("nil")):
            with self.subTest(value=str(value)[:40] if not isinstance(value, int) else value.bit_length()):
                self.same(value)
        self.assertTrue(math.isnan(through(math.nan)))
        self.assertEqual(math.copysign(1, through(-0.0)), -1)

    def test_collections(self):
        for value in ([], {}, set(), [1, [2.0, {"a": {Keyword("b"): None}}]], {(1, ("x",)): [3]}, {1, "a", (1, 2)},
                      {frozenset({1, 2}): 1}, {None: 1, False: 2}):
            with self.subTest(value=value):
                self.same(value)
        self.assertEqual(through((1, (2,))), [1, [2]])
        self.assertEqual(through(frozenset({1})), {1})

    def test_keys_that_python_takes_for_equal_are_kept(self):
        seen = evaluated('{:a 1 "a" 2}')
        self.assertIsInstance(seen, Entries)
        self.assertEqual(sorted((type(key).__name__, value) for key, value in seen), [("Keyword", 1), ("str", 2)])
        self.assertEqual(evaluated('(get data/v :a)', data={"v": seen}), 1)
        self.assertEqual(len(through(Elements((Keyword("a"), "a")))), 2)
        self.assertEqual(evaluated("{{:a 1} 2}"), {Entries(((Keyword("a"), 1),)): 2})

    def test_keywords_are_found_as_strings(self):
        seen = evaluated("{:total 3 :names [:x]}")
        self.assertEqual(seen, {"total": 3, "names": ["x"]})
        self.assertEqual(seen["total"], 3)
        self.assertEqual(json.dumps(seen), '{"names": ["x"], "total": 3}')
        self.assertEqual((repr(Keyword("x")), str(Keyword("x"))), ("Keyword('x')", "x"))
        self.assertIs(type(pickle.loads(pickle.dumps(Keyword("x")))), Keyword)

    def test_times(self):
        for value in (datetime.date(1, 1, 1), datetime.date(9999, 12, 31),
                      datetime.datetime(2024, 2, 29, 23, 59, 59, 123456, UTC),
                      datetime.datetime(1969, 1, 1, tzinfo=UTC),
                      *(datetime.timedelta(microseconds=micros) for micros in
                        (0, 1, -1, -999_999, -1_000_001, 60_000_000, -3_600_000_001, 86_400_000_000 * 400 + 1))):
            with self.subTest(value=value):
                self.same(value)
        east = datetime.datetime(2024, 1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
        self.assertEqual(through(east), east)
        with self.assertRaisesRegex(TypeError, "no time zone"):
            through(datetime.datetime(2024, 1, 1))

    def test_what_python_has_no_type_for_is_tagged(self):
        nanos = Tagged("inst", "2024-01-01T00:00:00.123456789Z")
        self.assertEqual(through(nanos), nanos)
        self.assertEqual(evaluated('[inc #"a.b" (fn [x] x)]'),
                         [Tagged("ptc/fn", "inc"), Tagged("ptc/regex", "a.b"),
                          Tagged("ptc/closure", {Keyword("src"): "(fn [x] x)"})])
        self.assertEqual(ptcvm.from_edn('(pending "op1")'), Pending("op1"))
        self.assertNotEqual(Pending("op1"), "op1")

    def test_other_things_are_refused(self):
        for value in (object(), b"bytes", 1j, print):
            with self.assertRaisesRegex(TypeError, "is not a value of the language"):
                through([value])
        endless = []
        endless.append(endless)
        with self.assertRaisesRegex(ValueError, "contains itself"):
            through(endless)
        for text in ("", "1 2", "[1", "]", "{1}", "#", ")"):
            with self.subTest(text=text), self.assertRaises(ptcvm.Error):
                ptcvm.from_edn(text)

    def test_deep_values_cost_no_stack(self):
        deep = []
        for _ in range(100_000):
            deep = [deep]
        text = ptcvm.to_edn(deep)
        self.assertEqual(text, "[" * 100_001 + "]" * 100_001)
        self.assertEqual(ptcvm.to_edn(ptcvm.from_edn(text)), text)


if __name__ == "__main__":
    unittest.main()
