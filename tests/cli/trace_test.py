#!/usr/bin/env python3
"""Traces: what run, run --store and resume record, and what ptcvm trace makes of it."""
import http.server
import json
import os
import re
import sys
import threading
import unittest

from ptcvm_process import CommandLineTest, ptcvm

HEX32, HEX16 = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")
PROGRAM = """(println "hello")
(def price (tool/search {:q "x"}))
(task "ask" (await (tool/manager {:n 1})))
(str price " ok")
"""


class TraceTest(CommandLineTest):
    def path(self, name):
        return os.path.join(self.folder.name, name)

    def lines(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def trace(self, *args, **options):
        status, out, err = ptcvm("trace", *args, **options)
        self.assertEqual((status, err), (0, ""))
        return out

    def record_suspended(self, *more):
        """A run that waits in one process and ends in another; its two files."""
        tools = ("--tool", "search=echo 7", "--async-tool", "manager")
        first, second, state = self.path("first.jsonl"), self.path("second.jsonl"), self.path("state.ptcs")
        status, _, err = ptcvm("run", self.file("p.ptc", PROGRAM), *tools, "--id", "may", "--trace", first,
                               "--snapshot", state, "--journal", self.file("j.edn", "{}"))
        self.assertEqual(status, 75, err)
        status, out, err = ptcvm("resume", state, *tools, "--resolve", "op1=true", "--trace", second, *more)
        self.assertEqual((status, out), (0, '"7 ok"\n'), err)
        return first, second

    def event(self, seq, t, event, **members):
        return json.dumps({"seq": seq, "t": t, "event": event, "run": "r", **members})

    def check_attributes(self, holder):
        for attribute in holder["attributes"]:
            self.assertEqual(set(attribute), {"key", "value"})
            (kind, value), = attribute["value"].items()
            self.assertIn(kind, ("stringValue", "intValue", "boolValue"))
            self.assertIsInstance(value, bool if kind == "boolValue" else str)

    def check_otlp(self, request):
        """What the JSON encoding of OTLP asks for; the spans."""
        self.assertEqual(set(request), {"resourceSpans"})
        resource, = request["resourceSpans"]
        self.check_attributes(resource["resource"])
        scope, = resource["scopeSpans"]
        self.assertEqual(scope["scope"]["name"], "ptcvm")
        spans = scope["spans"]
        ids = [span["spanId"] for span in spans]
        self.assertEqual(len(set(ids)), len(ids))
        for span in spans:
            self.assertIsNotNone(HEX32.fullmatch(span["traceId"]))
            self.assertIsNotNone(HEX16.fullmatch(span["spanId"]))
            self.assertIn(span.get("parentSpanId", ids[0]), ids)
            self.assertIsInstance(span["kind"], int)
            for time in ("startTimeUnixNano", "endTimeUnixNano"):
                self.assertIsInstance(span[time], str)
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
            self.check_attributes(span)
            for event in span["events"]:
                self.assertTrue(event["name"] and int(event["timeUnixNano"]) > 0)
                self.check_attributes(event)
            self.assertIn(span.get("status", {"code": 0})["code"], (0, 1, 2))
        return spans


class Recording(TraceTest):
    def test_a_run_over_two_processes(self):
        self.record_suspended()
        words = [e["event"] for e in self.lines("first.jsonl")]
        self.assertEqual((words[0], words[-1]), ("run_start", "suspend"))
        self.assertEqual(sorted(words[1:-1]), ["open", "print", "tool_end", "tool_end", "tool_start", "tool_start"])
        self.assertEqual([e["event"] for e in self.lines("second.jsonl")], ["resume", "resolve", "commit", "run_end"])
        for name in ("first.jsonl", "second.jsonl"):
            events = self.lines(name)
            self.assertEqual([e["seq"] for e in events], list(range(1, len(events) + 1)))
            self.assertEqual({e["run"] for e in events}, {"may"})
        start, end = [e for e in self.lines("first.jsonl") if e.get("name") == "search"]
        self.assertEqual((start["id"], start["args"]), (end["id"], '{"q" "x"}'))
        self.assertEqual((end["value"], end["cached"], end["t"] - start["t"]), ("7", False, end["micros"]))

    def test_resume_goes_on_in_the_same_file(self):
        first, second = self.record_suspended()
        with open(second, encoding="utf-8") as file:
            rest = file.read()
        with open(first, "a", encoding="utf-8") as file:
            file.write(rest[:20])                  # as if it had been killed while it wrote
        state = self.path("state.ptcs")
        status, _, err = ptcvm("resume", state, "--tool", "search=echo 7", "--async-tool", "manager", "--resolve",
                               "op1=true", "--trace", first)
        self.assertEqual(status, 0, err)
        self.assertEqual([e["event"] for e in self.lines("first.jsonl")][-5:],
                         ["suspend", "resume", "resolve", "commit", "run_end"])

    def test_what_is_refused_is_not_in_the_trace(self):
        first, _ = self.record_suspended()
        before = self.lines("first.jsonl")
        status, _, _ = ptcvm("resume", self.path("state.ptcs"), "--tool", "search=echo 7", "--async-tool", "manager",
                             "--resolve", "nobody=1", "--trace", first)
        self.assertEqual(status, 65)
        self.assertEqual(self.lines("first.jsonl"), before)

    def test_faults_limits_and_resets(self):
        trace = self.path("t.jsonl")
        ptcvm("eval", "(loop [i 0]\n  (recur (inc i)))", "--loop-limit", "10", "--trace", trace)
        self.assertEqual([e["event"] for e in self.lines("t.jsonl")], ["run_start", "limit", "run_end"])
        limit, end = self.lines("t.jsonl")[1:]
        self.assertEqual((limit["name"], limit["line"]), ("loop_limit_exceeded", 2))
        self.assertIn("iteration limit", limit["text"])
        self.assertEqual(end["status"], "error")
        ptcvm("eval", "(+ 1 :a)", "--trace", trace)
        self.assertEqual([e["event"] for e in self.lines("t.jsonl")], ["run_start", "fault", "run_end"])
        self.assertEqual(self.lines("t.jsonl")[1]["found"], ":a")
        self.assertIn("(found :a)", self.trace("show", trace))
        ptcvm("eval", '(task "a" 1) (task-reset "a" "again") (task "a" 2)', "--journal", self.file("j.edn", "{}"),
              "--trace", trace)
        self.assertEqual([(e["event"], e.get("value")) for e in self.lines("t.jsonl") if "task" in e],
                         [("commit", "1"), ("reset", None), ("commit", "2")])

    def test_a_run_in_a_store(self):
        trace, store = self.path("t.jsonl"), self.path("runs.db")
        program = self.file("p.ptc", '(task "pay" (tool/pay {:n 1})) (await-signal "go") 5')
        run = ("run", program, "--store", store, "--id", "may", "--tool", "pay=echo 1", "--trace", trace)
        self.assertEqual(ptcvm(*run)[0], 75)
        self.assertEqual(ptcvm("journal", "put", "--store", store, "may", "go", "true")[0], 0)
        self.assertEqual(ptcvm(*run)[:2], (0, "5\n"))
        self.assertEqual(ptcvm(*run)[:2], (0, "5\n"))     # it has ended: nothing runs
        words = [e["event"] for e in self.lines("t.jsonl")]
        self.assertEqual((words[0], words.count("run_start"), words.count("suspend"), words[-1]),
                         ("run_start", 2, 1, "run_end"))
        tree = self.trace("tree", trace)
        self.assertIn("pause", tree)
        self.assertRegex(tree, r"run may .*ok, ")

    def test_a_doubt_is_a_pause(self):
        trace, store = self.path("t.jsonl"), self.path("runs.db")
        run = ("eval", '(task "pay" (tool/pay {:n 1}))', "--store", store, "--id", "may", "--trace", trace)
        killed = "pay=kill -9 $PPID"
        self.assertNotEqual(ptcvm(*run, "--tool-shell", killed)[0], 0)
        self.assertEqual(ptcvm(*run, "--tool-shell", killed)[0], 75)
        last = self.lines("t.jsonl")[-1]
        self.assertEqual((last["event"], last["status"], last["text"]), ("suspend", "in_doubt", "pay"))


class Looking(TraceTest):
    def test_show(self):
        first, second = self.record_suspended()
        out = self.trace("show", second, first)
        rows = out.splitlines()
        self.assertRegex(rows[0], r"^ *MS  EVENT +WHAT$")
        self.assertRegex(rows[1], r"^ *0\.000  run_start +" + re.escape(self.path("p.ptc")))
        self.assertRegex(rows[-1], r'run_end +ok = "7 ok" \(')
        self.assertRegex(out, r'tool_start +c1 search \{"q" "x"\}')
        self.assertNotIn("\033", out)
        self.assertIn("may", self.trace("show", first, self.file("x.jsonl", self.event(1, 5, "print", text="t"))))
        self.assertEqual([line.split()[2:] for line in self.trace("show", first, "--kind", "print").splitlines()],
                         [["WHAT"], ["hello"]])

    def test_show_json_gives_the_lines_back(self):
        first, second = self.record_suspended()
        out = self.trace("show", first, second, "--json")
        both = sorted(self.lines("first.jsonl") + self.lines("second.jsonl"), key=lambda e: e["t"])
        self.assertEqual([json.loads(line) for line in out.splitlines()], both)
        self.assertEqual(self.trace("show", "-", "--json", "--run", "may", stdin=out), out)
        self.assertEqual(ptcvm("trace", "show", first, "--run", "june"), (0, "", "no events\n"))
        kinds = [json.loads(line)["event"] for line in
                 self.trace("show", first, "--json", "--kind", "print", "--kind", "suspend").splitlines()]
        self.assertEqual(kinds, ["print", "suspend"])

    def test_tree(self):
        first, second = self.record_suspended()
        rows = self.trace("tree", first, second).splitlines()
        self.assertRegex(rows[0], r"^WHAT +TIME +WHEN +STATUS$")
        self.assertRegex(rows[1], r"^run may +[0-9.]+ m?s +█{30} +ok, .*p\.ptc$")
        self.assertRegex("\n".join(rows), r"\n    operation manager op1 .*░.* ok")
        self.assertRegex("\n".join(rows), r"\n  tool search .* ok")
        self.assertRegex("\n".join(rows), r"\n  pause op1 .*░")

    def test_tasks_that_nothing_keeps_are_over_with_their_turn(self):
        trace = self.path("t.jsonl")
        program = '(task "a" (tool/x {:n 1})) (task "b" (tool/x {:n 2})) 3'
        self.assertEqual(ptcvm("eval", program, "--tool", "x=echo 7", "--trace", trace)[0], 0)
        tree = self.trace("tree", trace)
        self.assertEqual(re.findall(r"\n  task (.) .* (not kept|ok|open)\n", tree),
                         [("a", "not kept"), ("b", "not kept")])
        self.assertEqual(ptcvm("eval", program, "--tool", "x=echo 7", "--trace", trace, "--journal",
                               self.file("j.edn", "{}"))[0], 0)
        self.assertEqual(re.findall(r"\n  task (.) .* (not kept|ok|open)\n", self.trace("tree", trace)),
                         [("a", "ok"), ("b", "ok")])

    def test_slow(self):
        first, second = self.record_suspended()
        rows = self.trace("slow", first, second).splitlines()
        self.assertEqual(rows[0].split(), ["KIND", "NAME", "COUNT", "TOTAL", "MEAN", "MAX", "FAILED", "CACHED", "OPEN"])
        self.assertEqual({tuple(row.split()[:3]) for row in rows[1:]},
                         {("operation", "manager", "1"), ("tool", "search", "1"), ("tool", "manager", "1")})
        self.assertEqual(self.trace("slow", first, second, "--top", "1").splitlines(), rows[:2])

    def test_hostile_times_do_no_harm(self):
        last = 253402300799999999
        events = [self.event(1, 0, "run_start"),
                  self.event(2, last, "tool_end", id="c1", name="t\x1b[31m", micros=last),
                  self.event(3, 5, "suspend"), self.event(4, 4, "run_end", status="ok")]
        trace = self.file("t.jsonl", "\n".join(events) + "\n")
        for view in ("show", "tree", "slow", "chrome", "otlp", "step"):
            self.assertNotIn("\x1b", self.trace(view, trace))

    def test_what_is_no_trace(self):
        good = self.event(1, 2, "print")
        for text, place, why in ((good + "\n{}\n", ":2: ", "member event"), ("x\n", ":1: ", "no JSON"),
                                 (good + "\n\n" + good[:-5] + "\n", ":3: ", "cut off"),
                                 (good.replace('"seq": 1', '"seq": 0') + "\n", ":1: ", "member seq")):
            path = self.file("bad.jsonl", text)
            status, out, err = ptcvm("trace", "show", path)
            self.assertEqual((status, out), (65, ""))
            self.assertIn("bad.jsonl" + place, err)
            self.assertIn(why, err)
        self.assertIn("<stdin>:1: ", ptcvm("trace", "tree", "-", stdin="[]\n")[2])
        self.assertEqual(ptcvm("trace", "show", self.path("none.jsonl"))[0], 65)
        self.assertEqual(ptcvm("trace", "show")[0], 2)

    def test_a_broken_line_is_named_by_its_column(self):
        good = self.event(1, 2, "print", text="é")
        for line, wrong in ((good.replace('"seq": 1', '"seq": "x"'), '"x"'), (good.replace('"t": 2', '"t": []'), "[]"),
                            (good[:-1] + ', "text": 5}', "5}")):
            err = ptcvm("trace", "show", self.file("bad.jsonl", good + "\n" + line + "\n"))[2]
            self.assertIn(f"bad.jsonl:2: column {line.rindex(wrong) + 1}: member ", err)
        cut = good[:-1]
        err = ptcvm("trace", "show", self.file("bad.jsonl", cut + "\n" + good + "\n"))[2]
        self.assertIn(f"bad.jsonl:1: the line is cut off: column {len(cut) + 1}: ", err)

    def test_a_last_line_that_is_cut_off_is_only_warned_of(self):
        good = self.event(1, 2, "print", text="t")
        path = self.file("cut.jsonl", good + "\n" + good[:-5])
        status, out, err = ptcvm("trace", "show", path)
        self.assertEqual((status, len(out.splitlines())), (0, 2))
        column = len(good) - 4                    # behind the last character
        self.assertEqual(err, f"ptcvm: warning: {path}:2: the last line is cut off at column {column}\n")
        self.assertEqual(len(self.trace("show", self.file("whole.jsonl", good)).splitlines()), 2)

    def test_help_and_completion_know_it(self):
        self.assertIn("Exit status 65", ptcvm("trace", "--help")[1])
        self.assertIn("show tree slow chrome otlp step", ptcvm("completion", "bash")[1])


class Exporting(TraceTest):
    def test_chrome(self):
        events = json.loads(self.trace("chrome", *self.record_suspended()))
        for event in events:
            self.assertIn(event["ph"], "MXbei")
            self.assertTrue(isinstance(event["pid"], int) and isinstance(event["tid"], int) and event["name"])
            if event["ph"] != "M":
                self.assertIsInstance(event["ts"], int)
        run = next(e for e in events if e["ph"] == "X" and e["cat"] == "run")
        spans = [e for e in events if e["ph"] == "X"]
        self.assertTrue(all(run["ts"] <= e["ts"] and e["ts"] + e["dur"] <= run["ts"] + run["dur"] for e in spans))
        self.assertEqual(sorted(e["cat"] for e in spans), ["pause", "run", "task", "tool", "tool"])
        began, ended = [e for e in events if e["ph"] in "be"]
        self.assertEqual((began["id"], began["name"], began["ph"], ended["ph"]), (ended["id"], "manager", "b", "e"))

    def test_step(self):
        step = json.loads(self.trace("step", *self.record_suspended()))
        self.assertEqual((step["run"], step["status"], step["return"], step["fail"]), ("may", "ok", "7 ok", None))
        self.assertEqual((step["prints"], step["journal"]), (["hello"], {"ask": True}))
        call = next(c for c in step["tool_calls"] if c["name"] == "search")
        self.assertEqual((call["args"], call["result"], call["error"]), ({"q": "x"}, 7, None))
        self.assertRegex(call["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
        self.assertTrue(all(isinstance(step["usage"][k], int) for k in ("duration_ms", "memory_bytes", "fuel")))
        trace = self.path("t.jsonl")
        ptcvm("eval", "(+ 1 :a)", "--trace", trace)
        fail = json.loads(self.trace("step", trace))["fail"]
        self.assertEqual((fail["reason"], fail["line"]), ("type_error", 1))
        ptcvm("eval", "(loop [i 0] (recur i))", "--loop-limit", "10", "--trace", trace)
        fail = json.loads(self.trace("step", trace))["fail"]
        self.assertEqual((fail["reason"], fail["line"]), ("loop_limit_exceeded", 1))
        ptcvm("eval", '(fail {:reason :broke :message "none left"})', "--trace", trace)
        fail = json.loads(self.trace("step", trace))["fail"]
        self.assertEqual((fail["reason"], fail["message"]), ("broke", "none left"))

    def test_otlp(self):
        files = self.record_suspended()
        spans = self.check_otlp(json.loads(self.trace("otlp", *files)))
        self.assertTrue(spans[0]["name"].startswith("run ") and "parentSpanId" not in spans[0])
        self.assertEqual({span["name"] for span in spans[1:]},
                         {"tool search", "tool manager", "task ask", "operation manager", "pause"})
        self.assertEqual(len({span["traceId"] for span in spans}), 1)
        self.assertEqual(sum("parentSpanId" not in span for span in spans), 1)
        alone = self.check_otlp(json.loads(self.trace("otlp", files[0])))
        self.assertTrue({s["spanId"] for s in alone} <= {s["spanId"] for s in spans})


class Collector(http.server.BaseHTTPRequestHandler):
    """Answers with the statuses of `plan`, one after the other, then with 200."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, dict(self.headers), body))
        status, answer = self.server.plan.pop(0) if self.server.plan else (200, b"{}")
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Posting(TraceTest):
    def setUp(self):
        super().setUp()
        os.environ["NO_PROXY"] = "*"
        self.server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
        self.server.plan, self.server.seen = [], []
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def post(self, *args):
        trace = self.path("posted.jsonl")
        ptcvm("eval", '(println "é")', "--id", "posted", "--trace", trace)
        return ptcvm("trace", "otlp", trace, "--endpoint", self.url, *args)

    def test_is_sent_again_when_the_collector_is_busy(self):
        self.server.plan = [(503, b"")]
        self.assertEqual(self.post("--header", "api-key=k=1", "--header", "x-empty=", "--service", "agents"),
                         (0, "", ""))
        self.assertEqual(len(self.server.seen), 2)
        for path, headers, body in self.server.seen:
            self.assertEqual((path, headers["Content-Type"]), ("/v1/traces", "application/json"))
            self.assertEqual((headers["api-key"], headers["x-empty"]), ("k=1", ""))
            self.assertNotIn("Expect", headers)
            spans = self.check_otlp(json.loads(body))
            self.assertEqual(spans[0]["events"][0]["attributes"][0]["value"], {"stringValue": "é"})
        self.assertEqual(self.server.seen[0][2], self.server.seen[1][2])

    def test_a_path_of_the_endpoint_stays(self):
        self.url += "/otlp/v1/traces"
        self.assertEqual(self.post()[0], 0)
        self.assertEqual(self.server.seen[0][0], "/otlp/v1/traces")

    def test_what_is_refused_is_not_sent_again(self):
        self.server.plan = [(400, b"bad\nrequest \x1b[31m")]
        status, out, err = self.post("--header", "api-key=secret")
        self.assertEqual((status, out), (74, ""))
        self.assertIn("HTTP status 400: bad request", err)
        self.assertNotIn("\x1b", err)
        self.assertNotIn("secret", err)
        self.assertEqual(len(self.server.seen), 1)

    def test_what_is_taken_in_part_is_an_error(self):
        self.server.plan = [(200, b'{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too many"}}')]
        status, _, err = self.post()
        self.assertEqual(status, 74)
        self.assertIn("refused 2 spans: too many", err)
        self.server.plan = [(200, b'{"partialSuccess":{"rejectedSpans":"0"}}')]
        self.assertEqual(self.post()[0], 0)

    def test_attempts_are_counted(self):
        self.server.plan = [(429, b""), (502, b""), (503, b""), (504, b""), (503, b""), (200, b"{}")]
        status, _, err = self.post()
        self.assertEqual(status, 74)
        self.assertIn("(after 5 attempts)", err)
        self.assertEqual(len(self.server.seen), 5)

    def test_wrong_use(self):
        self.assertEqual(self.post("--header", "nothing")[0], 65)
        self.url = "nowhere"
        self.assertEqual(self.post()[0], 65)
        trace = self.path("posted.jsonl")
        self.assertEqual(ptcvm("trace", "otlp", trace, "--header", "a=b")[0], 2)
        self.assertEqual(self.server.seen, [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
