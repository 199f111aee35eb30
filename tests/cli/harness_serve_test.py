#!/usr/bin/env python3
"""ptcvm harness serve: everything that the page does, as requests, without a browser.

usage: harness_serve_test.py PTCVM   (the program under test)"""
import json
import os
import pathlib
import signal
import socket
import sys
import unittest

from harness_page import TOKEN, Events, Page
from ptcvm_process import CommandLineTest, ptcvm

NEGOTIATION = pathlib.Path(__file__).resolve().parents[2] / "examples/negotiation"
SIDE = ("--planner", "scenario-v0.3", "--scenario", NEGOTIATION / "scenario.json",
        "--replies", NEGOTIATION / "replies.jsonl")
ASKS = """(let [at (ask "When?" {:qid "q1"})]
  (propose {:type :compose_intent :composeId "c1" :text (str "At " at)}))"""
HTML = "<script>document.title = 'taken'</script><img src=x onerror=alert(1)>"


class ServeTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder.name, "talk.db")

    def page(self, *args, **options):
        page = Page("--store", self.store, *args, **options)
        self.addCleanup(page.end, signal.SIGKILL)
        return page


class ConversationTest(ServeTest):
    def types(self, page):
        return [fact["type"] for fact in page.state("clinic")["journal"]]

    def test_a_question_is_answered_and_its_draft_edited_and_approved(self):
        page = self.page("--planner", self.file("plan.ptc", ASKS))
        self.assertEqual(page.act("clinic", "say", text="When can we talk?"), (200, {"ok": True}))
        state = page.wait_for("clinic", lambda state: state["question"])
        self.assertEqual((state["status"], state["question"]["prompt"]), ("question", "When?"))
        self.assertEqual(page.act("clinic", "answer", qid="q1", text="noon")[0], 200)
        state = page.wait_for("clinic", lambda state: state["draft"])
        self.assertEqual(state["draft"]["text"], "At noon")
        edited = page.act("clinic", "edit", draft="c1", text="At one")[1]["draft"]
        self.assertEqual(page.act("clinic", "approve", draft=edited, next="completed"), (200, {"ok": True}))
        state = page.state("clinic")
        self.assertEqual((state["status"], state["state"]), ("over", "completed"))
        sent = [fact for fact in state["journal"] if fact["type"] == "message_sent"]
        self.assertEqual([(fact["text"], fact["by"]) for fact in sent], [("At one", "ann")])
        self.assertEqual(page.act("clinic", "approve", draft=edited)[0], 409)

    def test_a_deadline_that_is_over_lets_the_program_go_on(self):
        page = self.page("--planner", self.file("plan.ptc", """(let [v (await-fact :user_answer "q7" 1000)]
          (propose {:type :compose_intent :text (str "got " v)}))"""))
        page.act("clinic", "say", text="hello")
        state = page.wait_for("clinic", lambda state: state["draft"])
        self.assertEqual(state["draft"]["text"], "got timeout")
        self.assertIn("timer_fired", self.types(page))

    def test_whisper_dismiss_regenerate_and_clear(self):
        page = self.page("--planner", "simple-demo")
        page.act("clinic", "say", text="hello")
        first = page.wait_for("clinic", lambda state: state["draft"])["draft"]
        page.act("clinic", "whisper", text="be brief")
        page.wait_for("clinic", lambda state: state["draft"] and state["draft"] != first)
        self.assertEqual(self.types(page).count("compose_dismissed"), 1)
        page.act("clinic", "dismiss")
        self.assertEqual(page.act("clinic", "regenerate")[0], 200)
        page.wait_for("clinic", lambda state: state["draft"])
        self.assertIn("user_guidance", self.types(page))
        page.act("clinic", "clear")
        self.assertEqual(page.state("clinic")["facts"], 0)

    def test_everybody_sees_the_same_and_other_processes_are_seen(self):
        page = self.page()
        first, second = Events(page, "clinic"), Events(page, "clinic")
        for events in (first, second):
            self.assertEqual(events.named("facts"), {"reset": True, "facts": []})
        page.act("clinic", "say", text="hello")
        seen = [events.named("facts") for events in (first, second)]
        self.assertEqual(seen[0], seen[1])
        self.assertEqual([fact["type"] for fact in seen[0]["facts"]], ["message_received", "status_changed"])
        ptcvm("harness", "whisper", "--store", self.store, "--id", "clinic", "from a shell")
        self.assertEqual([first.named("facts"), second.named("facts")][1]["facts"][0]["text"], "from a shell")
        for events in (first, second):
            events.close()

    def test_a_reader_goes_on_after_a_restart_where_it_was(self):
        page = self.page("--planner", "simple-demo")
        events = Events(page, "clinic")
        page.act("clinic", "say", text="hello")
        page.wait_for("clinic", lambda state: state["draft"])
        while "compose_intent" not in [fact["type"] for fact in events.named("facts")["facts"]]:
            pass
        last, port = events.last_id, page.port
        events.close()
        page.end(signal.SIGKILL)
        page = self.page("--planner", "simple-demo", port=port)
        page.act("clinic", "whisper", text="go on")
        again = Events(page, "clinic", last)
        news = again.named("facts")
        self.assertEqual((news["reset"], news["facts"][0]["type"]), (False, "user_guidance"))
        again.close()
        fresh = Events(page, "clinic", "9-9")
        self.assertTrue(fresh.named("facts")["reset"])
        fresh.close()

    def test_two_agents_negotiate_and_the_server_is_killed_between(self):
        clinic = ("--id", "clinic", "--peer", "payer", "--begin", "--config", NEGOTIATION / "clinic.json", *SIDE)
        page = self.page(*clinic)
        while True:
            state = page.wait_for("clinic", lambda state: state["draft"] or state["status"] == "over")
            if state["status"] == "over":
                break
            port = page.port
            page.end(signal.SIGKILL)
            page = self.page(*clinic, port=port)
            self.assertEqual(page.act("clinic", "approve", draft=state["draft"]["composeId"])[0], 200)
            ptcvm("harness", "run", "--store", self.store, "--id", "payer", "--peer", "clinic", "--mode", "auto",
                  "--config", str(NEGOTIATION / "payer.json"), *map(str, SIDE))
        said = [fact["text"] for fact in state["journal"] if fact["type"].startswith("message_")]
        self.assertIn("The MRI is authorised as PA-7.", said)
        self.assertEqual(len(said), len(set(said)))
        name = next(fact["name"] for fact in state["journal"] if fact["type"] == "attachment_added")
        status, headers, data = page.raw("GET", f"/api/conversations/clinic/attachments/{name}",
                                         Authorization=f"Bearer {page.token}")
        self.assertEqual((status, headers["Content-Disposition"]), (200, "attachment"))
        self.assertIn(b"conservative therapy", data)


class CrowdTest(ServeTest):
    """Half-sent requests, more than the server has places for."""
    MANY = 300
    REST = f"Authorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n".encode()

    def half_sent(self, page, address="127.0.0.1"):
        half = socket.create_connection(("127.0.0.1", page.port), timeout=10, source_address=(address, 0))
        half.sendall(f"GET /api/conversations HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n".encode())
        self.addCleanup(half.close)
        return half

    def received(self, half):
        try:
            return half.recv(100)
        except ConnectionResetError:
            return b""

    def test_they_take_no_place_from_others(self):
        page = self.page()
        events = Events(page, "clinic")
        self.assertTrue(events.named("facts")["reset"])
        crowd = [self.half_sent(page) for _ in range(self.MANY)]
        self.assertEqual(self.received(crowd[0]), b"")
        self.assertEqual(page.act("clinic", "say", text="hello"), (200, {"ok": True}))
        self.assertEqual(events.named("facts")["facts"][0]["text"], "hello")
        crowd[-1].sendall(self.REST)
        self.assertIn(b"200 OK", self.received(crowd[-1]))
        events.close()

    def test_those_of_one_address_go_before_one_of_another(self):
        page = self.page()
        slow = self.half_sent(page)
        crowd = [self.half_sent(page, "127.0.0.2") for _ in range(self.MANY)]
        self.assertEqual(self.received(crowd[0]), b"")
        slow.sendall(self.REST)
        self.assertIn(b"200 OK", self.received(slow))


class SetupTest(ServeTest):
    def test_a_form_is_filled_applied_and_kept(self):
        page = self.page()
        self.assertEqual(page.act("clinic", "setup", planner="llm-drafter")[0], 200)
        self.assertEqual(page.act("clinic", "field", field="targetWords", value="5")[0], 200)
        form = page.state("clinic")["setup"]["form"]
        self.assertIn("10", next(field["error"] for field in form["fields"] if field["key"] == "targetWords"))
        self.assertEqual(page.act("clinic", "apply")[0], 409)
        page.act("clinic", "field", field="targetWords", value="50")
        self.assertEqual(page.act("clinic", "apply")[0], 200)
        setup = page.state("clinic")["setup"]
        self.assertTrue(setup["ready"])
        self.assertEqual(json.loads(setup["link"][1:])["planners"]["llm-drafter"]["seed"]["targetWords"], 50)
        page.end(signal.SIGKILL)
        self.assertEqual(self.page().state("clinic")["setup"], setup)

    def test_who_unticks_all_tools_has_none(self):
        page = self.page(*SIDE, "--config", NEGOTIATION / "clinic.json")
        for key in ("enabledTools", "enabledCoreTools"):
            self.assertEqual(page.act("clinic", "field", field=key, value=[])[0], 200)
        self.assertEqual(page.act("clinic", "apply")[0], 200)
        fields = page.state("clinic")["setup"]["form"]["fields"]
        self.assertEqual([field["value"] for field in fields if field["type"] == "checkbox-group"], [[], []])

    def test_a_planner_without_its_model_says_so_and_drafts_nothing(self):
        page = self.page()
        page.act("clinic", "setup", planner="llm-drafter")
        self.assertEqual(page.act("clinic", "apply")[0], 200)
        self.assertEqual(page.act("clinic", "say", text=" ")[0], 400)
        page.act("clinic", "say", text="hello")
        state = page.wait_for("clinic", lambda state: state["notice"])
        self.assertIn("llm-drafter needs a --model, or --replies FILE", state["notice"])
        self.assertIsNone(state["draft"])
        page.act("clinic", "draft", text="by hand")   # people go on
        self.assertEqual(page.act("clinic", "approve")[0], 200)
        status, _, err = ptcvm("harness", "serve", "--store", self.store, "--planner", "llm-drafter")
        self.assertEqual((status, "needs a --model" in err), (65, True), err)

    def test_a_link_sets_up_and_an_old_or_hostile_one_changes_nothing(self):
        page = self.page()
        link = {"planner": {"id": "llm-drafter", "mode": "auto"}, "seed": {"v": 1, "targetWords": 80}, "rev": 7}
        self.assertEqual(page.act("clinic", "link", link="#" + json.dumps(link))[0], 200)
        setup = page.state("clinic")["setup"]
        self.assertEqual((setup["planner"], setup["mode"], setup["ready"]), ("llm-drafter", "auto", True))
        for wrong, status in [("#" + json.dumps(link), 409), ("#nothing", 400), ("#" + "x" * 70_000, 413),
                              ('#{"planner": {"id": "evil"}}', 400),
                              ('#{"planner": {"id": "llm-drafter", "mode": "approve", "mode": "auto"}, "rev": 9}', 400),
                              ('#{"planner": {"id": "llm-drafter"}, "seed": {"targetWords": []}, "rev": 9}', 400),
                              ('#{"planner": {"id": "scenario-v0.3"}, "seed": {"scenarioUrl": "file:///etc/passwd"}}',
                               400)]:
            self.assertEqual(page.act("clinic", "link", link=wrong)[0], status, wrong[:60])
            self.assertEqual(page.state("clinic")["setup"], setup)

    def test_a_link_without_a_planner_keeps_the_planner(self):
        """It switched the planner off, and the next link had no configuration any more."""
        page = self.page()
        page.act("clinic", "link", link='{"planner": {"id": "llm-drafter"}, "seed": {"targetWords": 80}, "rev": 7}')
        for link, mode, words in (({"roomTitle": "Clinic", "rev": 8}, "approve", 80),
                                  ({"planner": {"mode": "auto"}}, "auto", 80),
                                  ({"seed": {"targetWords": 90}}, "auto", 90)):
            self.assertEqual(page.act("clinic", "link", link=json.dumps(link)), (200, {"ok": True}))
            setup = page.state("clinic")["setup"]
            shown = json.loads(setup["link"][1:])
            self.assertEqual((setup["planner"], setup["mode"], setup["ready"]), ("llm-drafter", mode, True), link)
            self.assertEqual(shown["planners"]["llm-drafter"]["seed"]["targetWords"], words)

    def test_a_link_without_a_planner_keeps_the_program(self):
        page = self.page("--planner", self.file("plan.ptc", "nil"))
        self.assertEqual(page.act("clinic", "link", link='{"planner": {"mode": "auto"}}'), (200, {"ok": True}))
        setup = page.state("clinic")["setup"]
        self.assertEqual((setup["planner"], setup["mode"], setup["ready"]), ("program", "auto", True))

    def test_links_with_one_rev_after_another_count(self):
        """The page showed the rev 8 for a link of the rev 7, and the link of the rev 8 was an old one."""
        page = self.page()
        for rev, words in ((7, 80), (8, 90), (8, 100), (7, 110)):
            link = {"planner": {"id": "llm-drafter"}, "seed": {"targetWords": words}, "rev": rev}
            self.assertEqual(page.act("clinic", "link", link=json.dumps(link))[0], 200 if words < 100 else 409, link)
        shown = json.loads(page.state("clinic")["setup"]["link"][1:])
        self.assertEqual((shown["rev"], shown["planners"]["llm-drafter"]["seed"]["targetWords"]), (8, 90))
        page.act("clinic", "link", link='{"planner": {"id": "simple-demo"}}')
        self.assertEqual(json.loads(page.state("clinic")["setup"]["link"][1:])["rev"], 9)

    def test_a_server_ends_after_the_pass_that_was_begun(self):
        """It went on with pass after pass, up to a thousand."""
        page = self.page("--planner", self.file("plan.ptc", '(do (tool/look {}) (propose {:type :tool_call :callId '
                                                '(str "t" (count (facts/public))) :name "look" :args {}}))'),
                         "--tool", "look=sleep 0.3", "--tool-effect", "look=pure")
        page.act("clinic", "say", text="hello")
        page.wait_for("clinic", lambda state: state["facts"] > 3)
        self.assertEqual(page.end(), 0)
        status, out, _ = ptcvm("harness", "log", "--store", self.store, "--id", "clinic")
        self.assertEqual((status, len(out.splitlines()) < 30), (0, True), out)


class GuardTest(ServeTest):
    def test_nobody_gets_in_without_a_token(self):
        page = self.page()
        place = "/api/conversations/clinic"
        self.assertEqual(page.raw("GET", place)[0], 401)
        self.assertEqual(page.raw("GET", place, Authorization="Bearer another")[0], 401)
        self.assertEqual(page.raw("POST", "/login", "another")[0], 401)
        status, headers, _ = page.raw("GET", f"/?token={page.token}")
        self.assertEqual((status, headers["Location"]), (303, "/"))
        cookie = headers["Set-Cookie"]
        self.assertIn("HttpOnly; SameSite=Strict", cookie)
        cookie = cookie.split(";")[0]
        self.assertEqual(page.raw("GET", place, Cookie=cookie)[0], 200)
        whisper = json.dumps({"text": "x"})
        own = f"http://127.0.0.1:{page.port}"
        for origin, kind, status in [(own, "application/json", 200), (None, "application/json", 403),
                                     ("http://evil.example", "application/json", 403), ("null", "text/plain", 403),
                                     (own, "text/plain", 415)]:
            got = page.raw("POST", place + "/whisper", whisper, Cookie=cookie, Content_Type=kind, Origin=origin)[0]
            self.assertEqual(got, status, (origin, kind))
        self.assertEqual(page.raw("GET", "/", Host="evil.example")[0], 421)

    def test_each_server_has_a_token_of_its_own(self):
        secrets = {self.page(token=None).address.split("token=")[1] for _ in range(2)}
        self.assertEqual([len(secret) for secret in secrets], [32, 32])
        status, _, err = ptcvm("harness", "serve", "--store", self.store, "--address", "0.0.0.0")
        self.assertEqual((status, "give a --token" in err), (65, True))

    def test_the_page_loads_nothing_from_elsewhere(self):
        page = self.page()
        for name in ("", "page.js", "page.css"):
            status, headers, data = page.raw("GET", "/" + name)
            self.assertEqual(status, 200)
            self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            for forbidden in (b"http://", b"https://", b"innerHTML", b"insertAdjacentHTML", b"document.write"):
                self.assertNotIn(forbidden, data)

    def test_malformed_requests_are_refused(self):
        page = self.page("--id", "clinic")
        place = "/api/conversations/clinic"
        head = f"POST {place}/whisper HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nContent-Length: 1600000\r\n\r\n"
        with socket.create_connection(("127.0.0.1", page.port), timeout=240) as connection:
            connection.sendall(head.encode())   # the length is enough to be refused
            self.assertIn(b" 413 ", connection.recv(100))
        for method, path, body, status in [("POST", place + "/whisper", {"text": 1}, 400),
                                           ("POST", place + "/whisper", {"text": " "}, 400),
                                           ("POST", place + "/whisper", [], 400),
                                           ("POST", place + "/fly", {}, 404), ("DELETE", place, None, 405),
                                           ("GET", "/api/conversations/other", None, 404),
                                           ("GET", "/../etc/passwd", None, 404), ("GET", "/api/%zz", None, 400),
                                           ("POST", place + "/answer", {"qid": "q9", "text": "x"}, 400)]:
            headers = {"Authorization": f"Bearer {page.token}", "Content_Type": "application/json"}
            got = page.raw(method, path, None if body is None else json.dumps(body), **headers)[0]
            self.assertEqual(got, status, (method, path))

    def test_html_stays_text(self):
        page = self.page()
        page.act("clinic", "say", text=HTML)
        status, headers, data = page.raw("GET", "/api/conversations/clinic", Authorization=f"Bearer {page.token}")
        self.assertEqual((status, headers["Content-Type"]), (200, "application/json"))
        self.assertEqual(json.loads(data)["journal"][0]["text"], HTML)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
