#!/usr/bin/env python3
"""Files and ids of messages that come by A2A: no file takes the place of another one, and no message of another one.

usage: harness_files_test.py PTCVM   (the program under test)"""
import base64
import json
import os
import sys
import unittest

from harness_a2a_test import TOKEN, A2aTest, LedgerAgent, message
from ptcvm_process import ptcvm


def file(name, content):
    return {"kind": "file", "file": {"name": name, "mimeType": "text/plain",
                                     "bytes": base64.b64encode(content.encode()).decode()}}


class FilesTest(A2aTest):
    def setUp(self):
        super().setUp()
        self.payer = self.page("payer", "--a2a")

    def said(self, message_id, *files, **members):
        return message("look", message_id, parts=[{"kind": "text", "text": "look"}, *files], **members)

    def take(self, *args, **members):
        return self.rpc(self.payer, "message/send", {"message": self.said(*args, **members)})

    def content(self, name):
        path = f"/api/conversations/payer/attachments/{name.replace(' ', '%20')}"
        return self.payer.raw("GET", path, Authorization=f"Bearer {TOKEN}")[2].decode()

    def names(self):
        """The names of the files of each message."""
        return [[item["name"] for item in fact.get("attachments", [])]
                for fact in self.payer.state("payer")["journal"] if fact["type"] == "message_received"]

    def test_a_second_file_of_a_name_gets_another_name(self):
        task = self.take("m1", file("notes.txt", "first"))["result"]["id"]
        self.take("m2", file("notes.txt", "other"), file("notes.txt", "third"), file("plain", "1"), taskId=task)
        self.take("m3", file("notes.txt", "first"), file("plain", "2"), taskId=task)
        self.assertEqual(self.names(), [["notes.txt"], ["notes (2).txt", "notes (3).txt", "plain"],
                                        ["notes.txt", "plain (2)"]])
        self.assertEqual([self.content(name) for name in ("notes.txt", "notes (2).txt", "notes (3).txt", "plain (2)")],
                         ["first", "other", "third", "2"])
        task = self.rpc(self.payer, "tasks/get", {"id": task})["result"]
        sent = [base64.b64decode(part["file"]["bytes"]).decode() for part in task["history"][1]["parts"][1:]]
        self.assertEqual(sent, ["other", "third", "1"])

    def test_a_message_that_comes_again_adds_no_file_and_one_with_other_bytes_is_refused(self):
        task = self.take("m1", file("notes.txt", "first"))["result"]["id"]
        for _ in range(3):
            self.take("m2", file("notes.txt", "other"), taskId=task)
        self.assertEqual(self.names(), [["notes.txt"], ["notes (2).txt"]])
        self.take("m9")   # begins the conversation again; its files are forgotten, and the ids are not
        for message_id, content in (("m1", "FIRST"), ("m2", "first"), ("m9", "x")):
            refused = self.take(message_id, file("notes.txt", content))["error"]
            self.assertEqual((refused["code"], "another message" in refused["message"]), (-32602, True))
        for message_id, content in (("m1", "first"), ("m2", "other")):
            self.assertEqual(self.take(message_id, file("notes.txt", content))["result"]["id"], "init:payer#1")
        self.assertEqual(self.names(), [[]])

    def test_an_empty_file_is_kept(self):
        """It was acknowledged, and lost."""
        task = self.take("m1", file("empty.txt", ""))["result"]
        self.assertEqual((self.names(), self.content("empty.txt")), ([["empty.txt"]], ""))
        sent = {"name": "empty.txt", "mimeType": "text/plain", "bytes": ""}
        self.assertEqual(task["status"]["message"]["parts"][1]["file"], sent)
        alone = message("", "m2", parts=[file("alone.txt", "")], taskId=task["id"])
        for _ in range(2):
            self.assertIn("result", self.rpc(self.payer, "message/send", {"message": alone}))
        self.assertEqual(self.names(), [["empty.txt"], ["alone.txt"]])

    def test_a_file_that_is_only_an_address_is_left_out(self):
        address = {"kind": "file", "file": {"name": "far.txt", "uri": "https://example.org/far.txt"}}
        task = self.take("m1", address)["result"]["id"]
        address["file"]["bytes"] = ""
        self.take("m2", address, taskId=task)
        self.assertEqual(self.names(), [[], []])

    def test_both_sides_may_have_a_file_of_one_name(self):
        """The file of the client got another name at the server, and comes back with the task."""
        kept = ("--store", os.path.join(self.folder.name, "own.db"), "--id", "own")
        remote = ("--remote", f"http://127.0.0.1:{self.payer.port}/a2a/payer")
        os.environ["PTCVM_A2A_TOKEN"] = TOKEN
        self.addCleanup(os.environ.pop, "PTCVM_A2A_TOKEN")
        self.take("m0", file("clinical_notes.txt", "of the server"))
        self.payer.act("payer", "clear")
        self.payer.act("payer", "setup", planner="simple-demo")
        self.payer.act("payer", "apply")
        ptcvm("harness", "say", *kept, "prior auth, please")
        for words in (("run", "--planner", "simple-demo"), ("approve",)):
            status, _, err = ptcvm("harness", *words, *kept, *remote)
            self.assertIn(status, (0, 75), err)
        self.payer.act("payer", "say", text="prior auth from the other side")
        for _ in range(3):
            ptcvm("harness", "run", *kept, *remote, "--planner", "simple-demo")
        facts = [json.loads(line) for line in ptcvm("harness", "log", *kept)[1].splitlines()]
        self.assertEqual([fact["name"] for fact in facts if fact["type"] == "attachment_added"], ["clinical_notes.txt"])


class RequestsTest(A2aTest):
    def test_a_task_that_has_ended_does_not_begin_again(self):
        agent = LedgerAgent()
        self.addCleanup(agent.close)
        kept = ("--store", os.path.join(self.folder.name, "own.db"), "--id", "own", "--remote", agent.url)
        program = self.file("plan.ptc", '(propose {:type :compose_intent :text "one"})')
        ptcvm("harness", "run", *kept, "--planner", program, "--begin")
        agent.state = "completed"
        self.assertEqual(json.loads(ptcvm("harness", "approve", *kept)[1])["status"], "over")
        agent.state = "input-required"
        for _ in range(2):
            state = json.loads(ptcvm("harness", "run", *kept, "--planner", program)[1].splitlines()[-1])
            self.assertEqual((state["status"], state["state"], state["draft"]), ("over", "completed", None))

    def test_a_message_that_ends_the_task_needs_no_parts(self):
        """It had to have a blank text."""
        page = self.page("payer", "--a2a")
        task = self.send(page, "hello", "m1")["id"]
        empty = message("", "m2", parts=[], taskId=task)
        for state in ("working", "completed"):
            empty["metadata"] = {"nextState": state}
            answer = self.rpc(page, "message/send", {"message": empty})
            self.assertEqual(answer.get("error", {}).get("code"), {"working": -32602, "completed": None}[state], answer)
        for _ in range(2):
            again = self.rpc(page, "message/send", {"message": empty})["result"]
            self.assertEqual((again["id"], again["status"]["state"]), (task, "completed"))
        self.assertEqual(page.state("payer")["status"], "over")

    def test_a_member_of_a_wrong_type_begins_no_other_conversation(self):
        page = self.page("payer", "--a2a")
        self.send(page, "hello", "m1")
        for member in ("taskId", "contextId"):
            for wrong in (5, True, None, "", ["init:payer#0"], {}):
                refused = self.rpc(page, "message/send", {"message": message("more", "m2", **{member: wrong})})["error"]
                self.assertEqual((refused["code"], f"params.message.{member}: must be a text" in refused["message"]),
                                 (-32602, True), refused)
        self.assertEqual(self.rpc(page, "tasks/get", {"id": ["init:payer#0"]})["error"]["code"], -32602)
        for length in ("1", -1, 1.5, [1], True):
            refused = self.rpc(page, "tasks/get", {"id": "init:payer#0", "historyLength": length})["error"]
            self.assertEqual(refused["code"], -32602)
            refused = self.rpc(page, "message/send", {"message": message("more", "m2"),
                                                      "configuration": {"historyLength": length}})["error"]
            self.assertEqual((refused["code"], "params.configuration.historyLength: must be" in refused["message"]),
                             (-32602, True), refused)
        self.assertEqual([fact["text"] for fact in page.state("payer")["journal"]
                          if fact["type"] == "message_received"], ["hello"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
