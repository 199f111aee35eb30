#!/usr/bin/env python3
"""What conversations refuse, with what to do next: messages, questions, proposals and names that cannot be meant.

usage: harness_refusals_test.py PTCVM   (the program under test)"""
import json
import signal
import socket
import subprocess
import sys
import unittest

from conversation_case import ConversationCase
from harness_page import Page
from ptcvm_process import PTCVM, ptcvm

DRAFT = '(propose {:type :compose_intent :composeId "c1" :text "At noon"})'


class RefusalsTest(ConversationCase):
    def plan(self, program, status=75):
        return self.told("run", "--planner", self.file("plan.ptc", program), status=status)

    def facts(self):
        out = ptcvm("harness", "log", "--store", self.store, "--id", "clinic")[1]
        return list(map(json.loads, out.splitlines()))

    def texts(self, kind):
        return [fact["text"] for fact in self.facts() if fact["type"] == kind]

    def test_one_id_has_one_message(self):
        """Another text under the id was answered with ok, and lost."""
        page = Page("--store", self.store, "--id", "clinic")
        self.addCleanup(page.end, signal.SIGKILL)
        for _ in range(2):
            self.assertEqual(page.act("clinic", "say", text="hello", messageId="M1"), (200, {"ok": True}))
        status, answer = page.act("clinic", "say", text="other", messageId="M1")
        self.assertEqual((status, "another message was taken under the messageId M1" in answer["error"]), (409, True))
        self.assertEqual(page.act("clinic", "say", text="other", messageId="")[0], 400)
        self.assertEqual(self.texts("message_received"), ["hello"])

    def test_no_conversation_begins_under_the_name_of_a_planner(self):
        """The planner of x could not begin its run then."""
        for name in ("x/planner", "x/planner-0-0-1-0-0-0", "a/x/planner"):
            for words in (("say", "hello"), ("run", "--planner", self.file("plan.ptc", "nil"))):
                status, out, err = ptcvm("harness", words[0], "--store", self.store, "--id", name, *words[1:])
                self.assertEqual((status, "no conversation begins under the id " + name in err), (65, True), out + err)
        for name in ("planner", "x/planner-of-days", "x/planners"):
            self.assertEqual(ptcvm("harness", "say", "--store", self.store, "--id", name, "hello")[0], 0)
        peer = ptcvm("harness", "run", "--store", self.store, "--id", "planner", "--peer", "x/planner", "--planner",
                     self.file("plan.ptc", "nil"))
        self.assertEqual((peer[0], "no conversation begins" in peer[2]), (65, True), peer)

    def test_a_client_of_a2a_speaks_for_the_user(self):
        """What it said for the agent counted as said by the user."""
        page = Page("--store", self.store, "--id", "clinic", "--a2a")
        self.addCleanup(page.end, signal.SIGKILL)
        said = {"kind": "message", "messageId": "m1", "parts": [{"kind": "text", "text": "hello"}]}
        call = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": said}}
        for role in ("agent", "", None, 1):
            said["role"] = role
            error = page.call("POST", "/a2a/clinic", call)[1]["error"]
            self.assertEqual((error["code"], 'message.role: must be "user"' in error["message"]), (-32602, True))
        self.assertEqual(page.state("clinic")["facts"], 0)
        said["role"] = "user"
        self.assertIn("result", page.call("POST", "/a2a/clinic", call)[1])

    def test_another_answer_is_a_conflict(self):
        self.told("say", "hello")
        self.plan('(ask "When?" {:qid "q1"})')
        page = Page("--store", self.store, "--id", "clinic")
        self.addCleanup(page.end, signal.SIGKILL)
        self.assertEqual(page.act("clinic", "answer", qid="q1", text="noon")[0], 200)
        status, answer = page.act("clinic", "answer", qid="q1", text="one")
        self.assertEqual((status, answer["error"]), (409, 'the question q1 has an answer already: "noon"'))

    def test_a_qid_has_one_prompt(self):
        """The answer of another question was taken for this one."""
        self.told("say", "hello")
        twice = """(do (ask "Send the notes?" {:qid "ok"})
          (propose {:type :compose_intent :text (str (confirm "Send money?" {:qid "ok"}))}))"""
        self.plan(twice)
        self.told("answer", "ok", "yes", status=75)
        err = self.plan(twice, status=1)[1]
        self.assertIn('the question ok was asked already with another prompt: "Send the notes?"', err)

    def test_what_an_agent_returns_and_is_no_fact_fails_the_pass(self):
        """It used up the trigger, and nothing was said."""
        agent = self.file("agent.json", json.dumps({"prompt": "Answer.",
                                                    "signature": "(status :string, facts [:map]) -> :any"}))
        for number, (value, shown) in enumerate((('{:text "hi"}', '{"text":"hi"}'), ("7", "7"), ("[7]", "7"),
                                                 ("true", "true"), ('{:type :draft}', '"draft"'))):
            script = self.file("script.jsonl", (json.dumps({"program": f"(return {value})"}) + "\n") * 3)
            name = f"t{number}"
            self.told("say", "hello", conversation=name)
            err = self.told("run", "--planner", "agent:" + agent, "--model", "scripted:" + script,
                               conversation=name, status=1)[1]
            for said in (shown, "fact", "type"):
                self.assertIn(said, err)

    def test_what_cannot_come_is_not_waited_for(self):
        self.told("say", "hello")
        for wait, said in (('(await-fact :bogus "k")', 'nothing of the type "bogus" can be waited for'),
                           ('(await-fact :timer "t" -5)', "a whole number of milliseconds, got -5"),
                           ("(await-fact :tool_result 7)", "the key must be a text, and is 7"),
                           ('(await-fact 7 "k")', "the types are task, timer, user_answer")):
            self.told("whisper", "again")
            self.assertIn(said, self.plan(wait, status=1)[1])
        self.told("whisper", "again")
        self.assertEqual(self.plan('(await-fact :timer "t")')[0]["status"], "waiting")

    def test_other_logs_are_no_conversations(self):
        """Facts of conversations were written into them."""
        self.assertEqual(ptcvm("run", self.file("z.ptc", "(+ 1 2)"), "--store", self.store, "--id", "Z")[0], 0)
        self.told("say", "hello")
        self.plan('(ask "When?")')
        for name in ("Z", "clinic/planner"):
            for command, *words in (("say", "x"), ("whisper", "x"), ("clear",), ("log",)):
                err = self.told(command, *words, conversation=name, status=65)[1]
                self.assertIn(f"{name} is no conversation", err)

    def test_another_log_is_no_other_side(self):
        """Messages were written into it."""
        self.assertEqual(ptcvm("run", self.file("z.ptc", "(+ 1 2)"), "--store", self.store, "--id", "Z")[0], 0)
        self.told("say", "hello")
        program = self.file("plan.ptc", DRAFT)
        kept = ("--store", self.store, "--id", "clinic", "--peer", "Z")
        for words in (("run", *kept, "--planner", program), ("serve", *kept), ("approve", *kept)):
            status, _, err = ptcvm("harness", *words)
            self.assertEqual((status, "Z is no conversation" in err), (65, True), err)

    def test_another_side_that_is_no_address_of_the_web(self):
        self.told("say", "hello")
        before = self.facts()
        for url in ("notaurl", "file:///etc/hostname", "http://", "ftp://a", "http://127.0.0.1:-5/", "http://a:99999/",
                    "http://a:0", "http://a:/", "http://:80/", "http://127.0.0.1:80 80/", "http://[::1", "http://a b/"):
            for words in (("run", "--planner", "simple-demo"), ("serve",), ("approve",)):
                status, _, err = ptcvm("harness", words[0], "--store", self.store, "--id", "clinic", *words[1:],
                                         "--remote", url)
                self.assertEqual((status, "--remote: must be the URL" in err), (65, True), err)
        self.assertEqual(self.facts(), before)

    def test_a_server_whose_address_nobody_gets_does_not_serve(self):
        self.told("say", "hello")
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([PTCVM, "harness", "serve", "--store", self.store, "--port", "0"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, "standard output cannot be written" in done.stderr), (65, True), done.stderr)

    def test_a_text_that_is_not_utf_8(self):
        self.told("say", "hello")
        for command, *words in (("whisper", b"a\xff"), ("say", b"\xc3"), ("answer", "q1", b"\xff")):
            self.assertIn("TEXT: must be UTF-8", self.told(command, *words, status=65)[1])

    def test_a_text_that_nobody_sees(self):
        self.told("say", "hello")
        self.plan('(propose {:type :compose_intent :composeId "c1" :text "At noon"})')
        for text in (" \t\n", "\u00a0", "\u200b", "\u2003\u3000", "\ufeff\u2060", "\u0001"):
            for words in (("whisper", text), ("say", text), ("edit", "c1", text)):
                self.assertIn("is blank", self.told(*words, status=65)[1], (words, text))
        self.told("say", "\u200bhello", status=75)

    def test_a_required_answer_that_nobody_sees(self):
        self.told("say", "hello")
        self.plan('(ask "When?" {:qid "q1" :required true})')
        for text in ("\u00a0", "\u200b"):
            self.assertIn("must be answered with a text", self.told("answer", "q1", text, status=65)[1])

    def test_a_draft_that_nobody_sees(self):
        self.told("say", "hello")
        self.assertIn("planner failed", self.plan('(propose {:type :compose_intent :text "\u200b"})', status=1)[1])

    def test_a_question_that_asks_nothing(self):
        self.told("say", "hello")
        self.assertIn("ask: the prompt is blank", self.plan('(ask " ")', status=1)[1])
        self.told("whisper", "again")
        blank = '(propose {:type :agent_question :prompt " " :qid "q1"})'
        self.assertIn("agent_question: the prompt is blank", self.plan(blank, status=1)[1])

    def test_a_tool_that_has_no_command(self):
        self.told("say", "hello")
        self.assertIn("--tool NAME=COMMAND", self.plan("(tool/look {:a 1})", status=1)[1])

    def test_a_draft_that_is_not_there_names_those_that_are(self):
        self.told("say", "hello")
        self.assertIn("there is no draft c9; no draft waits", self.told("dismiss", "c9", status=65)[1])
        self.plan(DRAFT)
        self.assertIn("there is no draft c9; these drafts wait: c1", self.told("approve", "c9", status=65)[1])

    def test_what_is_refused_ends_with_the_line_of_the_conversation(self):
        """A script got nothing on standard output."""
        self.told("say", "hello")
        self.plan(DRAFT)
        for words in (("approve", "c9"), ("dismiss", "c9"), ("edit", "c1", " "), ("answer", "q9", "noon"),
                      ("whisper", " "), ("settle", "c1", "lost"), ("say", "x", "--next", "asleep")):
            state, err = self.told(*words, status=65)
            self.assertEqual((state["status"], state["drafts"]), ("draft", ["c1"]), words)
            self.assertIn("ptcvm: clinic waits for:\n  the draft c1: At noon\n", err)

    def test_a_command_that_found_no_conversation_ends_with_a_line_too(self):
        """There was nothing on standard output."""
        self.told("say", "hello")
        program = self.file("plan.ptc", "nil")
        for name, *words in (("x/planner", "say", "x"), ("x/planner", "run", "--planner", program),
                             ("nobody", "approve"), ("nobody", "log"), ("nobody", "log", "--all")):
            state, err = self.told(*words, conversation=name, status=65)
            self.assertEqual((state["status"], state["facts"], state["drafts"]), ("none", 0, []), (words, err))
        away = ptcvm("harness", "log", "--store", self.store + ".away", "--id", "clinic")
        self.assertEqual((away[0], json.loads(away[1])["status"]), (65, "none"), away)

    def test_a_command_that_cannot_begin_ends_with_the_line_of_its_conversation(self):
        self.told("say", "hello")
        self.plan(DRAFT)
        for words in (("approve", "--peer", "x/planner"), ("approve", "--peer", "clinic"),
                      ("approve", "--remote", "nonsense"), ("run", "--planner", "nix"), ("whisper", b"\xff"),
                      ("run", "--planner", "llm-drafter")):
            state, err = self.told(*words, status=65)
            self.assertEqual((state["status"], state["drafts"]), ("draft", ["c1"]), (words, err))
            self.assertIn("ptcvm: clinic waits for:\n  the draft c1: At noon\n", err)
        queued = ptcvm("enqueue", "--conversation", "simple-demo", "--store", self.store, "--id", "job")
        self.assertEqual(queued[0], 0, queued)
        state, err = self.told("run", "--planner", "simple-demo", conversation="job", status=65)
        self.assertEqual((state["status"], "is a job of a queue" in err), ("idle", True), err)

    def test_a_conversation_that_is_no_job_is_not_enqueued(self):
        """The command said that it is there already, with 0, and no worker ever planned."""
        self.told("say", "hello", conversation="a")
        words = ("enqueue", "--conversation", "simple-demo", "--store", self.store, "--id")
        status, out, err = ptcvm(*words, "a")
        self.assertEqual((status, out), (65, ""), err)
        self.assertIn("a is there already, and is no job of a conversation", err)
        for said in ("job is enqueued\n", "job is there already\n"):
            self.assertEqual(ptcvm(*words, "job")[:2], (0, said))
        self.told("say", "hello", conversation="job")
        self.assertEqual(ptcvm(*words, "job")[:2], (0, "job is there already\n"))

    def test_a_message_that_nobody_could_read_is_not_sent(self):
        """The draft counted as sent, and nothing said why the command failed."""
        self.told("say", "hello")
        self.plan(DRAFT)
        for words in (("approve",), ("say", "more")):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PTCVM, "harness", words[0], "--store", self.store, "--id", "clinic", *words[1:]],
                                      stdout=full, stderr=subprocess.PIPE, text=True, timeout=240)
            self.assertEqual(done.returncode, 65)
            self.assertIn("standard output cannot be written", done.stderr)
            self.assertEqual(self.texts("message_sent"), [])
        self.told("approve")
        self.assertEqual(self.texts("message_sent"), ["At noon"])

    def test_a_state_that_is_none_names_the_states(self):
        err = self.told("say", "x", "--next", "asleep", status=65)[1]
        self.assertIn('"asleep" is no state of a task; the states are initializing, submitted, working,', err)

    def test_a_draft_that_waits_in_a_frozen_conversation_may_be_sent(self):
        self.told("say", "hello")
        self.plan(DRAFT)
        page = Page("--store", self.store, "--id", "clinic")
        self.addCleanup(page.end, signal.SIGKILL)
        for number in range(200):
            page.act("clinic", "whisper", text=str(number))
        self.assertEqual(page.end(), 0)
        state, err = self.plan(DRAFT)
        self.assertEqual(state["status"], "frozen")
        self.assertIn("ptcvm harness approve", err)

    def test_a_line_of_replies_has_each_member_once_and_no_other_one(self):
        self.told("say", "hello")
        for line in ('{"when": [], "when": [], "reply": "x"}', '{"when": [], "reply": "x", "more": 1}'):
            replies = self.file("replies.jsonl", line)
            got, _, err = ptcvm("harness", "run", "--store", self.store, "--id", "clinic", "--planner", "llm-drafter",
                                "--replies", replies)
            self.assertEqual((got, "with each member once and no other one" in err), (65, True), err)

    def test_no_job_is_a_conversation_under_the_name_of_a_run_of_a_planner(self):
        err = ptcvm("enqueue", "--conversation", "simple-demo", "--store", self.store, "--id", "x/planner")[2]
        self.assertIn("no conversation begins under the id x/planner", err)

    def test_a_request_with_two_hosts_is_refused(self):
        page = Page("--store", self.store, "--id", "clinic")
        self.addCleanup(page.end, signal.SIGKILL)
        own = f"Host: 127.0.0.1:{page.port}\r\n"
        for heads, wanted in ((own, 200), (own + "Host: evil\r\n", 400), (own + own, 400)):
            with socket.create_connection(("127.0.0.1", page.port)) as connection:
                connection.sendall(f"GET / HTTP/1.1\r\n{heads}Connection: close\r\n\r\n".encode())
                self.assertEqual(int(connection.recv(4096).split()[1]), wanted, heads)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
