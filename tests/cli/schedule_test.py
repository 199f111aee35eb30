#!/usr/bin/env python3
"""ptcvm schedule: moments against an oracle that walks through time minute by minute, and schedules that workers fire.

usage: schedule_test.py PTCVM   (the program under test)"""
import datetime
import json
import os
import random
import sqlite3
import sys
import time
import unittest
import zoneinfo

from ptcvm_process import ptcvm
from worker_process import WorkerProcess, WorkerTest

UTC = datetime.timezone.utc
MINUTE = datetime.timedelta(minutes=1)
# Zones whose clocks change at midnight, by half an hour, by a day, and not at all; and a moment near a change.
PLACES = (("Europe/Lisbon", "2027-03-27"), ("Europe/Lisbon", "2026-10-24"), ("America/New_York", "2026-03-07"),
          ("America/New_York", "2026-10-31"), ("Australia/Lord_Howe", "2026-04-04"),
          ("Australia/Lord_Howe", "2026-10-03"), ("America/Sao_Paulo", "2018-11-03"),
          ("America/Sao_Paulo", "2019-02-15"), ("Pacific/Apia", "2011-12-29"), ("Asia/Beirut", "2026-03-27"),
          ("Asia/Kolkata", "2026-05-01"), ("UTC", "2028-02-27"), ("America/Havana", "2026-10-31"))


class Oracle:
    """What a person with a wall clock would do, who reads the fields in the plainest way."""

    def __init__(self, expression, zone):
        self.words, self.zone = expression.split(), zoneinfo.ZoneInfo(zone)
        ranges = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
        self.sets = [self.numbers(word, *bounds) for word, bounds in zip(self.words, ranges)]

    @staticmethod
    def numbers(word, least, most):
        out = set()
        for part in word.split(","):
            body, _, step = part.partition("/")
            first, last = (least, most) if body == "*" else (int(body.split("-")[0]), int(body.split("-")[-1]))
            out.update(range(first, last + 1, int(step or 1)))
        return out

    def fits(self, wall):
        minutes, hours, days, months, weekdays = self.sets
        if wall.minute not in minutes or wall.hour not in hours or wall.month not in months:
            return False
        by_day, by_week = wall.day in days, bool({wall.isoweekday(), wall.isoweekday() % 7} & weekdays)
        if self.words[2].startswith("*") or self.words[4].startswith("*"):
            return by_day and by_week
        return by_day or by_week

    def wall(self, moment):
        return moment.astimezone(self.zone).replace(tzinfo=None)

    def counts(self, moment):
        local = moment.astimezone(self.zone)
        wall, before = local.replace(tzinfo=None), self.wall(moment - MINUTE)
        if self.words[1].startswith("*"):
            return self.fits(wall)
        if self.fits(wall) and local.fold == 0:
            return True
        skipped = before + MINUTE                     # what the clock did not show
        while skipped < wall:
            if self.fits(skipped):
                return True
            skipped += MINUTE
        return False

    def after(self, moment, days):
        for _ in range(days * 1440):
            moment += MINUTE
            if self.counts(moment):
                yield moment


def field(rng, least, most, fixed):
    kind = rng.random()
    if kind < fixed:
        return "*"
    number = rng.randint(least, most)
    if kind < 0.5:
        return str(number)
    if kind < 0.7:
        return f"{number}-{rng.randint(number, most)}/{rng.randint(1, 7)}"
    if kind < 0.85:
        return f"*/{rng.randint(1, max(2, (most - least) // 2))}"
    return ",".join(str(rng.randint(least, most)) for _ in range(3))


def expression(rng):
    return " ".join((field(rng, 0, 59, 0.2), field(rng, 0, rng.choice((4, 23)), 0.25), field(rng, 1, 31, 0.7),
                     field(rng, 1, 12, 0.85), field(rng, 0, 7, 0.7)))


class Moments(unittest.TestCase):
    def moments(self, cron, zone, start, count):
        status, out, err = ptcvm("schedule", "next", "--cron", cron, "--zone", zone, "--from", start, "--count",
                                 str(count))
        self.assertEqual(status, 0, err)
        return out.splitlines()

    def compare(self, cron, zone, start, days=6):
        begin = datetime.datetime.fromisoformat(start).replace(tzinfo=UTC)
        expected = [f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in Oracle(cron, zone).after(begin, days)]
        if expected:
            self.assertEqual(self.moments(cron, zone, start, len(expected)), expected, (cron, zone, start))
        return len(expected)

    # The clock on the wall goes minute by minute, which takes long. By hand: PTC_EXPRESSIONS=1000.
    def test_random_expressions_are_what_a_wall_clock_shows(self):
        rng = random.Random(20261125)
        count = int(os.environ.get("PTC_EXPRESSIONS", "100"))
        found = sum(self.compare(expression(rng), *rng.choice(PLACES)) for _ in range(count))
        self.assertGreater(found, 20 * count)

    def test_each_change_of_clocks_at_each_hour(self):
        for zone, start in PLACES:
            for cron in ("30 0 * * *", "15 1 * * *", "30 2 * * *", "0,30 1-3 * * *", "30 * * * *", "*/10 */2 * * *",
                         "45 23 * * *"):
                self.assertGreater(self.compare(cron, zone, start), 0)

    def test_the_rules_as_examples(self):
        self.assertEqual(self.moments("30 1 * * *", "Europe/Lisbon", "2027-03-27T12:00:00Z", 2),
                         ["2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"])          # 01:30 is left out that day
        self.assertEqual(self.moments("30 1 * * *", "Europe/Lisbon", "2026-10-24T12:00:00Z", 2),
                         ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"])          # 01:30 comes twice
        self.assertEqual(self.moments("30 * * * *", "Europe/Lisbon", "2026-10-25T00:00:00Z", 3),
                         ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"])
        self.assertEqual(self.moments("0 0 29 2 *", "UTC", "2026-01-01", 2),
                         ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"])
        self.assertEqual(self.moments("0 8 13 * fri", "UTC", "2026-11-01", 3),
                         ["2026-11-06T08:00:00Z", "2026-11-13T08:00:00Z", "2026-11-20T08:00:00Z"])
        self.assertEqual(self.moments("@weekly", "UTC", "2026-11-25", 1), ["2026-11-29T00:00:00Z"])
        self.assertEqual(self.moments("0 0 * JAN,Feb 7", "UTC", "2026-11-25", 1), ["2027-01-03T00:00:00Z"])

    def test_what_is_no_expression_is_refused(self):
        for cron, zone, said in (("* * * *", "UTC", "has 5 fields"), ("60 * * * *", "UTC", 'the minute "60"'),
                                 ("* 5-3 * * *", "UTC", "a range goes upwards"), ("*/0 * * * *", "UTC", "a step"),
                                 ("5/2 * * * *", "UTC", "a step needs a range"),
                                 ("* * 0 * *", "UTC", "day of the month"),
                                 ("* * * foo *", "UTC", 'the month "foo"'), ("* * * * 8", "UTC", "day of the week"),
                                 (", * * * *", "UTC", "minute"), ("0 0 30 2 *", "UTC", "no moment within nine years"),
                                 ("0 0 * * *", "Mars/Base", 'no time zone "Mars/Base"'),
                                 ("0 0 * * *", "../../etc/passwd", "no time zone")):
            status, out, err = ptcvm("schedule", "next", "--cron", cron, "--zone", zone)
            self.assertEqual((status, out), (65, ""), (cron, err))
            self.assertIn(said, err)


class Schedules(WorkerTest):
    def put(self, name, cron, *words):
        program = self.file("p.ptc", "(str data/who)")
        return self.ok("schedule", "put", name, program, "--cron", cron, "--store", self.store, "--data",
                       self.file("d.json", '{"who": "me"}'), *words)

    def schedules(self):
        lines = self.ok("schedule", "ls", "--store", self.store, "--json").splitlines()
        return {row["name"]: row for row in map(json.loads, lines)}

    def due_since(self, name, ago):
        """As if nobody had worked for so long."""
        with sqlite3.connect(self.store) as file:
            file.execute("UPDATE schedule SET next_ms = next_ms - ? WHERE name = ?", (ago * 1000, name))
        file.close()

    def test_a_schedule_is_listed_replaced_and_removed(self):
        self.assertRegex(self.put("report", "0 8 * * mon-fri", "--zone", "Europe/Lisbon", "--queue", "q"),
                         r"^report is next at 20\d\d-\d\d-\d\dT0[78]:00:00Z\n$")
        row = self.schedules()["report"]
        self.assertEqual([row[name] for name in ("cron", "zone", "missed", "queue", "fired", "last_ms")],
                         ["0 8 * * mon-fri", "Europe/Lisbon", "last", "q", 0, 0])
        self.put("report", "@daily", "--missed", "none")
        self.assertEqual(self.schedules()["report"]["cron"], "@daily")
        self.assertIn("report", self.ok("schedule", "ls", "--store", self.store))
        self.ok("schedule", "rm", "report", "--store", self.store)
        self.assertEqual(ptcvm("schedule", "ls", "--store", self.store)[2], "no schedules\n")
        status, _, err = ptcvm("schedule", "rm", "report", "--store", self.store)
        self.assertEqual((status, "there is no schedule report" in err), (65, True))

    def test_each_moment_is_a_run_once_however_many_workers_there_are(self):
        self.put("tick", "* * * * *", "--missed", "all")
        self.due_since("tick", 600)
        before = self.schedules()["tick"]["next_ms"]
        workers = [self.worker("--until-empty", "--slots", "2") for _ in range(3)]
        events = [event for worker in workers for event in (worker.ended(), worker.events)[1]]
        row = self.schedules()["tick"]
        runs = self.runs()
        moments = (row["next_ms"] - before) // 60_000
        self.assertGreaterEqual(moments, 10)
        self.assertEqual((row["fired"], len(runs)), (moments, moments))
        scheduled = [event["text"] for event in events if event["event"] == "scheduled"]
        self.assertEqual(sorted(scheduled), sorted(runs), "each by one worker")
        for run in runs:
            self.assertRegex(run, r"^tick/20\d\d-\d\d-\d\dT\d\d:\d\d:00Z$")
        self.work()
        self.assertEqual({run["queue_state"] for run in self.runs().values()}, {"done"})

    def test_a_moment_is_fired_when_it_comes_and_not_at_the_next_look(self):
        self.put("often", "* * * * *")
        connection = sqlite3.connect(self.store)
        connection.execute("UPDATE schedule SET next_ms = ?", (int(time.time() * 1000) + 1_000,))
        connection.commit()
        connection.close()
        worker = WorkerProcess(self, "--store", self.store, "--poll", "1h")
        worker.until("scheduled")

    def test_moments_that_were_missed(self):
        for missed, least, most in (("last", 1, 2), ("none", 0, 2), ("all", 3, 4)):
            self.put(missed, "0 */2 * * *", "--missed", missed)
            self.due_since(missed, 3 * 7200)
        self.work()
        for missed, least, most in (("last", 1, 2), ("none", 0, 1), ("all", 3, 4)):
            row = self.schedules()[missed]
            self.assertTrue(least <= row["fired"] <= most, row)
            self.assertGreater(row["next_ms"], row["last_ms"])

    def take_next(self, name, *words):
        """Enqueues a run of others under the id of the next moment, and makes that moment due. Returns the id."""
        with sqlite3.connect(self.store) as file:
            moment = int(time.time()) // 60 * 60
            file.execute("UPDATE schedule SET next_ms = ? WHERE name = ?", (moment * 1000, name))
        file.close()
        run = f"{name}/{datetime.datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}"
        self.enqueue(run, "1", *words)
        return run

    def test_a_moment_whose_id_is_taken_is_passed_over_and_named_once(self):
        for tenant in ("acme", "evil"):
            name = "taken-" + tenant
            self.put(name, "0 0 1 1 *", "--tenant", "acme")
            run = self.take_next(name, "--tenant", tenant)
            worker = self.worker()
            self.assertEqual(worker.until("schedule_failed")["text"], run + ": there is another run of that id")
            worker.until("ended", run=run)
            self.assertNotIn("store_failed", worker.stop())
            self.assertEqual([event["event"] for event in worker.events].count("schedule_failed"), 1)
            row = self.schedules()[name]
            self.assertEqual(row["fired"], 0)
            self.assertGreater(row["next_ms"], time.time() * 1000)

    def test_a_taken_id_holds_up_no_other_schedule(self):
        self.put("a", "* * * * *", "--tenant", "acme")
        self.put("z", "* * * * *", "--tenant", "acme")
        self.take_next("a", "--tenant", "evil")
        self.due_since("z", 60)
        self.work()
        self.assertGreater(self.schedules()["z"]["fired"], 0)

    def test_the_moments_around_a_taken_one_are_fired(self):
        self.put("each", "* * * * *", "--missed", "all", "--tenant", "acme")
        run = self.take_next("each", "--tenant", "evil")
        self.due_since("each", 180)
        self.work()
        fired = [name for name in self.runs() if name != run]
        self.assertGreaterEqual(len(fired), 3)
        self.assertEqual(self.schedules()["each"]["fired"], len(fired))

    def test_tenants_have_their_own(self):
        self.put("s", "@daily", "--tenant", "one")
        status, _, err = ptcvm("schedule", "put", "s", self.file("p.ptc", "1"), "--cron", "@daily", "--tenant", "two",
                               "--store", self.store)
        self.assertEqual((status, "another tenant's" in err), (65, True))
        self.assertEqual(ptcvm("schedule", "rm", "s", "--store", self.store)[0], 65)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
