#!/usr/bin/env python3
"""Conversations by the agent-to-agent protocol: two processes talk to each other, and a client asks a server.

usage: harness_a2a_test.py PTCVM   (the program under test)"""
import contextlib
import http.client
import json
import os
import pathlib
import shlex
import signal
import socket
import sys
import unittest

from harness_page import TOKEN, Page
from ledger_agent import LedgerAgent
from ptcvm_process import CommandLineTest, ptcvm

NEGOTIATION = pathlib.Path(__file__).resolve().parents[2] / "examples/negotiation"
SIDE = ("--planner", "scenario-v0.3", "--scenario", NEGOTIATION / "scenario.json",
        "--replies", NEGOTIATION / "replies.jsonl")


def message(text, message_id, **members):
    return {"kind": "message", "role": "user", "messageId": message_id, "parts": [{"kind": "text", "text": text}],
            **members}


class A2aTest(CommandLineTest):
    def page(self, name, *args, **options):
        page = Page("--store", os.path.join(self.folder.name, name + ".db"), "--id", name, *args, **options)
        self.addCleanup(page.end, signal.SIGKILL)
        return page

    def rpc(self, page, method, params, request_id=1):
        body = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        status, answer = page.call("POST", "/a2a/payer", body)
        self.assertEqual((status, answer["id"]), (200, request_id))
        return answer

    def send(self, page, text, message_id, **members):
        return self.rpc(page, "message/send", {"message": message(text, message_id, **members)})["result"]

    def stream(self, page, method, params):
        """The results of a stream, one after another."""
        connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=240)
        body = {"jsonrpc": "2.0", "id": "s", "method": method, "params": params}
        connection.request("POST", "/a2a/payer", json.dumps(body), {"Authorization": f"Bearer {TOKEN}"})
        for line in connection.getresponse():
            if line.startswith(b"data: "):
                yield json.loads(line[6:])["result"]
        connection.close()


class TwoProcessesTest(A2aTest):
    def test_two_processes_negotiate_and_one_is_killed_between(self):
        payer = ("--a2a", "--mode", "auto", "--config", NEGOTIATION / "payer.json", *SIDE)
        other = self.page("payer", *payer)
        remote = ("--remote", f"http://127.0.0.1:{other.port}/a2a/payer")
        page = self.page("clinic", *remote, "--begin", "--config", NEGOTIATION / "clinic.json", *SIDE,
                         PTCVM_A2A_TOKEN=TOKEN)
        while True:
            state = page.wait_for("clinic", lambda state: state["draft"] or state["status"] == "over")
            if state["status"] == "over":
                break
            port = other.port
            other.end(signal.SIGKILL)
            other = self.page("payer", *payer, port=port)
            self.assertEqual(page.act("clinic", "approve", draft=state["draft"]["composeId"])[0], 200)
        heard = other.wait_for("payer", lambda state: state["status"] == "over")
        said = [[(fact["messageId"], fact["text"]) for fact in side["journal"] if fact["type"].startswith("message_")]
                for side in (state, heard)]
        self.assertEqual(said[0], said[1])
        self.assertEqual(len(said[0]), len(set(said[0])))
        self.assertIn("The MRI is authorised as PA-7.", [text for _, text in said[0]])
        self.assertTrue(any(fact["type"] == "attachment_added" for fact in heard["journal"]))

    def test_a_command_carries_a_message_and_takes_the_answer(self):
        other = self.page("payer", "--a2a")
        remote = ("--remote", f"http://127.0.0.1:{other.port}/a2a/payer")
        kept = ("--store", os.path.join(self.folder.name, "own.db"), "--id", "own")
        program = self.file("plan.ptc", '(propose {:type :compose_intent :text "Good day"})')
        os.environ["PTCVM_A2A_TOKEN"] = TOKEN
        self.addCleanup(os.environ.pop, "PTCVM_A2A_TOKEN")
        status, out, err = ptcvm("harness", "run", *kept, *remote, "--planner", program, "--begin", "--mode", "auto")
        self.assertEqual((status, json.loads(out)["status"]), (0, "turn"), err)
        other.act("payer", "draft", text="The same to you")
        self.assertEqual(other.act("payer", "approve")[0], 200)
        status, out, err = ptcvm("harness", "run", *kept, *remote, "--planner", "simple-demo")
        self.assertEqual((status, json.loads(out)["status"]), (75, "draft"), err)
        self.assertIn("The same to you", ptcvm("harness", "log", *kept)[1])

    def test_conversations_of_one_name_in_two_stores_send_two_messages(self):
        other = self.page("payer", "--a2a")
        os.environ["PTCVM_A2A_TOKEN"] = TOKEN
        self.addCleanup(os.environ.pop, "PTCVM_A2A_TOKEN")
        for text in ("from one store", "from the other one"):
            kept = ("--store", os.path.join(self.folder.name, text + ".db"), "--id", "clinic")
            program = self.file("plan.ptc", f'(propose {{:type :compose_intent :text "{text}"}})')
            status, _, err = ptcvm("harness", "run", *kept, "--planner", program, "--begin", "--mode", "auto",
                                   "--remote", f"http://127.0.0.1:{other.port}/a2a/payer")
            self.assertEqual(status, 0, err)
            whole = ptcvm("harness", "log", "--all", "--store", os.path.join(self.folder.name, "payer.db"), "payer")[1]
            self.assertIn(f'"text":"{text}"', whole)

    def test_a_server_that_is_away_leaves_the_draft_with_its_error(self):
        page = self.page("clinic", "--remote", "http://127.0.0.1:9/a2a/payer")
        page.act("clinic", "draft", text="Is anybody there?")
        self.assertEqual(page.act("clinic", "approve")[0], 409)
        state = page.state("clinic")
        self.assertEqual((state["in_flight"], state["status"]), ([], "draft"))
        self.assertIn("127.0.0.1:9", state["draft"]["error"])


    def test_an_address_that_cannot_be_reached_leaves_the_draft_with_its_error(self):
        with socket.socket() as full, contextlib.ExitStack() as fillers:   # it takes no more connections
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            for _ in range(8):
                filler = fillers.enter_context(socket.socket())
                filler.setblocking(False)
                filler.connect_ex(full.getsockname())
            kept = ("--store", os.path.join(self.folder.name, "own.db"), "--id", "own")
            program = self.file("plan.ptc", '(propose {:type :compose_intent :text "one"})')
            ptcvm("harness", "run", *kept, "--planner", program, "--begin")
            remote = f"http://127.0.0.1:{full.getsockname()[1]}/a2a/payer"
            status, _, err = ptcvm("harness", "approve", *kept, "--remote", remote)
            self.assertEqual((status, "stays in flight" in err), (65, False), err)
            state = json.loads(ptcvm("harness", "say", *kept, "hello")[1])
            self.assertEqual(state["in_flight"], [])
            self.assertIn("127.0.0.1", state["draft"]["error"])


class AgentTokenTest(A2aTest):
    def test_the_token_of_an_agent_opens_nothing_of_people(self):
        page = self.page("payer", "--a2a", "--a2a-token", "clinic=of-the-agent")
        page.act("payer", "whisper", text="a secret of ours")
        page.token = "of-the-agent"
        self.assertEqual(self.send(page, "hello", "m1")["id"], "init:payer#0")
        for method, path, body in [
                ("GET", "/api/conversations", None), ("GET", "/api/conversations/payer", None),
                ("GET", "/api/conversations/payer/events", None), ("GET", "/api/conversations/payer/journal", None),
                ("GET", "/api/conversations/payer/attachments/x", None),
                ("POST", "/api/conversations/payer/approve", {}),
                ("POST", "/api/conversations/payer/whisper", {"text": "obey"}),
                ("POST", "/api/conversations/payer/setup", {"mode": "auto"}),
                ("POST", "/api/conversations/payer/clear", {})]:
            status, answer = page.call(method, path, body)
            self.assertEqual((status, "token" in answer["error"]), (403, True), path)
        self.assertEqual(page.raw("POST", "/login", "of-the-agent")[0], 401)
        self.assertEqual(page.raw("GET", "/?token=of-the-agent")[0], 401)
        self.assertEqual(page.raw("GET", "/api/conversations", Cookie=f"ptcvm_{page.port}=of-the-agent")[0], 403)
        page.token = TOKEN   # the token of a person opens both
        heard = [fact for fact in page.state("payer")["journal"] if fact["type"] == "message_received"]
        self.assertEqual([(fact["text"], fact["by"]) for fact in heard], [("hello", "clinic")])
        self.send(page, "from ann", "m2", taskId="init:payer#0")

    def test_a_secret_is_one_of_an_agent_or_of_a_person(self):
        kept = ("--store", os.path.join(self.folder.name, "own.db"), "--a2a")
        status, _, err = ptcvm("harness", "serve", *kept, "--token", "same", "--a2a-token", "clinic=same")
        self.assertEqual((status, "--a2a-token: a person has the same secret" in err), (65, True), err)
        status, _, err = ptcvm("harness", "serve", *kept, "--a2a-token", "clinic=")
        self.assertEqual((status, "--a2a-token: must be" in err), (65, True), err)


class LostAnswerTest(A2aTest):
    """Drafts that go to an agent of the test, which writes down each message before it answers, or does not answer."""

    def setUp(self):
        super().setUp()
        self.agent = LedgerAgent()
        self.addCleanup(self.agent.close)
        self.kept = ("--store", os.path.join(self.folder.name, "own.db"), "--id", "own")
        program = self.file("plan.ptc", '(propose {:type :compose_intent :text "one"})')
        self.assertEqual(self.harness("run", "--planner", program, "--begin")[0], 75)

    def harness(self, command, *args):
        """Status, the last line of standard output, and standard error."""
        status, out, err = ptcvm("harness", command, *self.kept, *args)
        return status, json.loads(out.splitlines()[-1]) if out else None, err

    def approve(self):
        return self.harness("approve", "--remote", self.agent.url)

    def test_a_message_whose_answer_is_lost_stays_in_flight_under_its_id(self):
        for fate in ("hang up", "nonsense", "status 500", "internal error", "empty result", "another id"):
            with self.subTest(fate):
                self.kept = (*self.kept[:3], fate.replace(" ", "-"))
                self.harness("say", "hello")
                self.harness("run", "--planner", self.file("plan.ptc", '(propose {:type :compose_intent :text "one"})'))
                self.agent.ledger.clear()
                self.agent.fate = fate
                status, _, err = self.approve()
                self.assertEqual((status, "stays in flight" in err), (65, True), err)
                self.agent.fate = None
                self.assertEqual(self.approve()[0], 65)
                self.assertEqual(len(self.agent.ledger), 1, self.agent.ledger)   # it might be there twice

    def test_what_is_no_answer_is_named(self):
        self.harness("say", "hello")
        for fate, said in (("empty result", "neither a task with a state nor a message"),
                           ("another id", "answered another request"), ("refuse", "(-32602): no")):
            self.agent.fate = fate
            self.assertIn(said, self.approve()[2])
            for draft in self.harness("whisper", "and now?")[1]["in_flight"]:
                self.harness("settle", draft, "lost")

    def test_a_task_without_a_state_changes_no_state(self):
        self.assertEqual(self.approve()[1]["state"], "working")
        self.agent.fate = "empty result"
        self.harness("run", "--planner", "simple-demo", "--remote", self.agent.url)
        self.assertEqual(self.harness("whisper", "and now?")[1]["state"], "working")

    def test_a_message_that_stays_in_flight_ends_with_the_line_of_the_conversation(self):
        self.agent.fate = "hang up"
        status, line, _ = self.approve()
        self.assertEqual((status, line["status"], len(line["settle"])), (65, "in_flight", 1))

    def test_a_server_that_cannot_take_it_now_is_asked_again(self):
        self.agent.fate = "try again"
        status, line, _ = self.approve()
        self.assertEqual((status, line["status"], len(self.agent.ledger)), (65, "draft", 3))
        self.agent.fate = None
        self.assertEqual(self.approve()[0], 0)

    def test_a_server_that_takes_each_id_once_gets_the_lost_message_under_the_same_id(self):
        self.agent.takes_once = True
        self.agent.fate = "hang up"
        self.assertEqual(self.approve()[0], 65)
        self.agent.fate = None
        self.harness("run", "--planner", "simple-demo", "--remote", self.agent.url)
        self.assertEqual(len(set(self.agent.ledger)), 1, self.agent.ledger)
        sent = [json.loads(line) for line in ptcvm("harness", "log", *self.kept)[1].splitlines()]
        self.assertEqual([fact["messageId"] for fact in sent if fact["type"] == "message_sent"],
                         [self.agent.ledger[0][0]])

    def test_whoever_meets_a_message_in_flight_reads_the_commands_that_settle_it(self):
        self.agent.fate = "hang up"
        err = self.approve()[2]
        wanted = [f"ptcvm harness settle --store {self.kept[1]} --id own {self.draft_of(err)} {fate}"
                  for fate in ("arrived", "lost")]
        refused = [self.harness(*words)[2] for words in (
            ("regenerate",), ("clear",), ("approve", self.draft_of(err)), ("dismiss", self.draft_of(err)),
            ("edit", self.draft_of(err), "two"))]
        for said in (err, *refused, self.harness("say", "hello?")[2]):
            self.assertEqual([command for command in wanted if f"      {command}\n" in said], wanted, said)
            self.assertNotIn("ptcvm harness approve", said)   # it would be refused
        self.assertEqual(ptcvm(*shlex.split(wanted[1])[1:])[0], 75)
        status, line, err = self.harness("regenerate")
        self.assertEqual((status, line["in_flight"], err), (0, [], ""))

    @staticmethod
    def draft_of(err):
        return next(line.split()[-2] for line in err.splitlines() if "harness settle" in line)

    def test_a_person_says_what_became_of_a_message_in_flight(self):
        self.agent.fate = "hang up"
        self.assertEqual(self.approve()[0], 65)
        line = self.harness("say", "are you there?")[1]
        draft = line["in_flight"][0]
        self.assertIn("must be arrived or lost", self.harness("settle", draft, "perhaps")[2])
        self.assertEqual(self.harness("settle", draft, "lost")[1]["in_flight"], [])
        self.assertIn("draft not in flight", self.harness("settle", draft, "lost")[2])
        self.assertIn("there is no draft c-9", self.harness("settle", "c-9", "lost")[2])
        self.assertIn("stays in flight", self.approve()[2])
        line = self.harness("settle", draft, "arrived")[1]
        self.assertEqual((line["in_flight"], line["state"]), ([], "working"))
        self.assertIn("draft already sent", self.harness("approve", draft)[2])
        said = [json.loads(text) for text in ptcvm("harness", "log", *self.kept)[1].splitlines()]
        self.assertEqual([fact["messageId"] for fact in said if fact["type"] == "message_sent"],
                         [self.agent.ledger[-1][0]])
        self.assertEqual(len(set(self.agent.ledger)), 2)

    def test_a_refused_message_is_not_tried_again_and_keeps_its_error(self):
        self.agent.fate = "refuse"
        status, _, err = self.approve()
        self.assertEqual((status, len(self.agent.ledger)), (65, 1))
        self.assertIn("the server refused the request (-32602): no  such thing\n", err)   # on one line
        self.agent.fate = None
        self.assertEqual(self.approve()[0], 0)


class ServerTest(A2aTest):
    def reply(self, page, text, **body):
        page.act("payer", "draft", text=text)
        self.assertEqual(page.act("payer", "approve", **body)[0], 200)

    def test_a_client_talks_reads_and_cancels(self):
        page = self.page("payer", "--a2a")
        card = json.loads(page.raw("GET", "/a2a/payer/.well-known/agent-card.json")[2])
        self.assertEqual((card["url"], card["capabilities"]["streaming"]),
                         (f"http://127.0.0.1:{page.port}/a2a/payer", True))
        task = self.send(page, "hello", "m1")
        self.assertEqual((task["id"], task["status"]["state"]), ("init:payer#0", "working"))
        self.reply(page, "good day")
        task = self.rpc(page, "tasks/get", {"id": task["id"]})["result"]
        self.assertEqual([part["messageId"] for part in task["history"]], ["m1"])
        last = task["status"]["message"]
        self.assertEqual((task["status"]["state"], last["role"], last["parts"][0]["text"]),
                         ("input-required", "agent", "good day"))
        self.send(page, "more", "m2", taskId=task["id"], metadata={"nextState": "input-required"})
        self.assertEqual(page.state("payer")["state"], "working")
        self.assertEqual(self.rpc(page, "tasks/get", {"id": task["id"], "historyLength": 1})["result"]["history"][0]
                         ["role"], "agent")
        for _ in range(2):
            canceled = self.rpc(page, "tasks/cancel", {"id": task["id"]})["result"]
            self.assertEqual(canceled["status"]["state"], "canceled")
        refused = self.rpc(page, "message/send", {"message": message("late", "m3", taskId=task["id"])})
        self.assertEqual(refused["error"]["code"], -32602)

    def test_a_message_is_taken_once_also_after_a_new_beginning(self):
        page = self.page("payer", "--a2a")
        for _ in range(3):
            self.assertEqual(self.send(page, "hello", "m1")["id"], "init:payer#0")
        self.assertEqual(self.send(page, "another matter", "m2")["id"], "init:payer#1")
        self.send(page, "hello", "m1")
        texts = [fact["text"] for fact in page.state("payer")["journal"] if fact["type"] == "message_received"]
        self.assertEqual(texts, ["another matter"])
        self.assertEqual(self.rpc(page, "tasks/get", {"id": "init:payer#0"})["error"]["code"], -32001)

    def test_a_message_id_that_comes_with_another_message_is_refused(self):
        page = self.page("payer", "--a2a")
        self.send(page, "hello", "m1")
        self.reply(page, "good day")
        own = next(fact["messageId"] for fact in page.state("payer")["journal"] if fact["type"] == "message_sent")
        for said in (message("hello again", "m1"), message("good day", own),
                     message("hello", "m1", parts=[{"kind": "text", "text": "hello"}, {
                         "kind": "file", "file": {"name": "a.txt", "bytes": "aGk="}}])):
            refused = self.rpc(page, "message/send", {"message": said})["error"]
            self.assertEqual((refused["code"], "another message" in refused["message"]), (-32602, True))
        self.assertEqual(self.send(page, "hello", "m1")["id"], "init:payer#0")
        types = [fact["type"] for fact in page.state("payer")["journal"]]
        self.assertEqual(types.count("message_received"), 1)

    def test_a_stream_tells_what_the_other_side_says_and_ends_with_the_turn(self):
        page = self.page("payer", "--a2a")
        stream = self.stream(page, "message/stream", {"message": message("hello", "m1")})
        self.assertEqual(next(stream)["kind"], "task")
        self.reply(page, "one moment", next="input-required")
        first = next(stream)
        self.assertEqual((first["kind"], first["final"], first["status"]["state"]), ("status-update", False, "working"))
        again = self.stream(page, "tasks/resubscribe", {"id": "init:payer#0"})
        self.assertEqual(next(again)["status"]["message"]["parts"][0]["text"], "one moment")
        self.reply(page, "here it is")
        for open_stream in (stream, again):
            last = list(open_stream)[-1]
            self.assertEqual((last["final"], last["status"]["state"], last["status"]["message"]["parts"][0]["text"]),
                             (True, "input-required", "here it is"))

    def test_a_file_that_is_no_base64_is_refused(self):
        page = self.page("payer", "--a2a")
        for sent in ("***", "aGk", "aGk=aGk=", "aGk=\n", 5):
            said = message("look", "m1", parts=[{"kind": "file", "file": {"name": "a.txt", "bytes": sent}}])
            refused = self.rpc(page, "message/send", {"message": said})["error"]
            self.assertEqual((refused["code"], "base64" in refused["message"]), (-32602, True), sent)
        self.send(page, "look", "m1", parts=[{"kind": "file", "file": {"name": "a.txt", "bytes": "aGk="}}])
        self.assertEqual([fact["type"] for fact in page.state("payer")["journal"]].count("attachment_added"), 1)

    def test_a_message_that_says_nothing_is_refused(self):
        page = self.page("payer", "--a2a")
        for parts in ([{"kind": "text", "text": " \n"}], [{"kind": "text", "text": "\u00a0\u200b"}],
                      [{"kind": "data", "data": {}}],
                      [{"kind": "file", "file": {"uri": "http://a/b"}}]):
            refused = self.rpc(page, "message/send", {"message": message("", "m1", parts=parts)})["error"]
            self.assertEqual((refused["code"], "says nothing" in refused["message"]), (-32602, True))
        self.assertEqual(page.state("payer")["facts"], 0)
        task = self.send(page, "", "m1", metadata={"nextState": "completed"})
        self.assertEqual(task["status"]["state"], "completed")

    def test_a_message_of_another_context_is_refused(self):
        page = self.page("payer", "--a2a")
        refused = self.rpc(page, "message/send", {"message": message("hello", "m1", contextId="clinic")})["error"]
        self.assertEqual((refused["code"], 'must be "payer"' in refused["message"]), (-32602, True))
        self.send(page, "hello", "m1", contextId="payer")

    def test_what_is_no_request_is_refused(self):
        page = self.page("payer", "--a2a")
        head = {"Authorization": f"Bearer {TOKEN}"}
        for body, code in [("{", -32700), ("[]", -32600), ('{"jsonrpc": "2.0"}', -32600),
                           ('{"jsonrpc": "2.0", "id": 1, "method": "fly"}', -32601),
                           ('{"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {}}', -32602),
                           ('{"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": "x"}}', -32001),
                           ('{"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "method": "tasks/cancel"}', -32600)]:
            status, _, data = page.raw("POST", "/a2a/payer", body, **head)
            self.assertEqual((status, json.loads(data)["error"]["code"]), (200, code), body)
        self.assertEqual(page.raw("POST", "/a2a/payer", "{}")[0], 401)
        self.assertEqual(page.raw("POST", "/a2a/other", "{}", **head)[0], 404)
        self.assertEqual(self.page("closed").raw("POST", "/a2a/closed", "{}", **head)[0], 404)
        self.assertEqual(page.state("payer")["facts"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
