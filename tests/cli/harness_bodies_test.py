#!/usr/bin/env python3
"""What others write to a conversation: links, bodies of requests, messages of A2A. A member that is not known, that is
written twice or that is of a wrong type is refused by its name, and nothing changes.

usage: harness_bodies_test.py PTCVM   (the program under test)"""
import json
import os
import signal
import sys
import unittest

from harness_page import TOKEN, Page
from ptcvm_process import CommandLineTest, ptcvm


class BodiesTest(CommandLineTest):
    HEADERS = {"Authorization": f"Bearer {TOKEN}", "Content_Type": "application/json"}

    def page(self, *args):
        page = Page("--store", os.path.join(self.folder.name, "talk.db"), *args)
        self.addCleanup(page.end, signal.SIGKILL)
        return page

    def test_a_link_with_a_member_of_a_wrong_type_or_twice_is_refused_by_its_name(self):
        drafter, scenario = '"planner": {"id": "llm-drafter"}', '"planner": {"id": "scenario-v0.3"}'
        for link, said in ((f'{{{drafter}, "seed": {{"targetWords": "many"}}}}', "seed.targetWords: must be a number"),
                           (f'{{{drafter}, "seed": {{"systemAppend": 5}}}}', "seed.systemAppend: must be a text"),
                           (f'{{{drafter}, "planners": {{"llm-drafter": 3}}}}',
                            "planners.llm-drafter: must be an object"),
                           (f'{{{drafter}, "planners": {{"x": {{"seed": []}}}}}}',
                            "planners.x.seed: must be an object"),
                           (f'{{{scenario}, "seed": {{"scenarioUrl": "u", "disabledScenarioTools": "t1"}}}}',
                            "seed.disabledScenarioTools: must be a list of texts"),
                           (f'{{{scenario}, "seed": {{"scenarioUrl": "u", "disabledCoreTools": ["done", 1]}}}}',
                            "seed.disabledCoreTools: must be a list of texts"),
                           (f'{{{drafter}, "requireReview": "no"}}', "requireReview: must be true or false"),
                           (f'{{{drafter}, "planner": {{"id": "off"}}}}', "the member /planner is written twice"),
                           ('{"planner": {"id": "llm-drafter", "mode": "approve", "mode": "auto"}}',
                            "the member /planner/mode is written twice")):
            status, out, err = ptcvm("harness", "link", "#" + link)
            self.assertEqual((status, out), (65, ""), link)
            self.assertIn("the link is refused: " + said, err)

    def test_a_body_says_only_what_its_action_knows(self):
        page = self.page("--planner", "simple-demo")
        page.act("clinic", "say", text="hello")
        before = page.wait_for("clinic", lambda state: state["draft"])["journal"]
        for action, body, said in (
                ("approve", '{"draft": 5}', "draft: must be a text"),
                ("approve", '{"draft": ""}', "draft: must not be empty"),
                ("say", '{"text": "y", "next": ""}', "next: no message may ask for the state"),
                ("approve", '{"drafts": "c1"}', "drafts: is no member of this body; there are draft, next"),
                ("whisper", '{"text": "a", "to": "b"}', "to: is no member of this body; there are text"),
                ("whisper", '{"text": "a", "text": "b"}', "the member /text of the body is written twice"),
                ("answer", '{"qid": "q1"}', "text: is missing"),
                ("regenerate", '{"keeps": "nothing"}', "keeps: is no member of this body; there are none"),
                ("setup", '{"mode": true}', "mode: must be a text"),
                ("link", '{"link": "{}", "by": "x"}', "by: is no member"),
                ("field", '{"field": "a", "value": {"b": 1, "b": 2}}', "/value/b of the body is written twice"),
                ("field", '{"field": "targetWords", "value": 1e400}', "beyond the largest float")):
            status, _, data = page.raw("POST", f"/api/conversations/clinic/{action}", body, **self.HEADERS)
            self.assertEqual(status, 400, (action, body, data))
            self.assertIn(said, json.loads(data)["error"])
        self.assertEqual(page.state("clinic")["journal"], before)

    def test_a_place_that_is_no_text_is_refused_in_json(self):
        page = self.page("--planner", "simple-demo")
        page.act("clinic", "say", text="hello")
        for place in ("/%ff", "/api/conversations/%ff%fe", "/api/conversations/clinic/attachments/%ff", "/a2a/%ff"):
            status, _, data = page.raw("GET", place, None, **self.HEADERS)
            self.assertEqual(status, 404, place)
            self.assertIn("error", json.loads(data.decode() if isinstance(data, bytes) else data))

    def test_a_member_that_is_written_twice_is_refused_and_one_that_nobody_knows_is_not(self):
        page = self.page("--a2a")
        part = '{"kind": "text", "text": "one", "text": "two"}'
        body = ('{"jsonrpc": "2.0", "id": 7, "method": "message/send", "params": {"message": {"kind": "message", '
                '"role": "user", "messageId": "m1", "parts": [%s]}}}')
        data = page.raw("POST", "/a2a/payer", body % part, **self.HEADERS)[2]
        answer = json.loads(data)
        self.assertEqual((answer["id"], answer["error"]["code"]), (7, -32600))
        self.assertIn("/params/message/parts/0/text is written twice", answer["error"]["message"])
        self.assertEqual(page.state("payer")["facts"], 0)
        known = body % '{"kind": "text", "text": "one", "weather": "sunny"}'
        self.assertIn("result", json.loads(page.raw("POST", "/a2a/payer", known, **self.HEADERS)[2]))
        self.assertGreater(page.state("payer")["facts"], 0)

    def test_an_id_that_no_answer_can_have_is_refused(self):
        """The answer had an Infinity, which is no JSON, or another number."""
        def no_json(text):
            raise AssertionError("no JSON: " + text)

        page = self.page("--a2a")
        for wrong in ("1e999", "-1e999", "123456789012345678901234567890", "9007199254740993", "0.12345678901234567890",
                      "1e-999", "true", "[]", '1, "id": 2'):
            for more in ("", ', "jsonrpc": "2.0"'):
                body = f'{{"jsonrpc": "2.0", "id": {wrong}, "method": "tasks/get", "params": {{"id": "t"}}{more}}}'
                data = page.raw("POST", "/a2a/payer", body, **self.HEADERS)[2]
                answer = json.loads(data, parse_constant=no_json)
                self.assertEqual((answer["id"], answer["error"]["code"]), (None, -32600), (wrong, data))
        for fine in ("0", "-7", "9007199254740992", "1.5", "0.1", "1e3", "1E+300", '"1e999"', "null"):
            body = f'{{"jsonrpc": "2.0", "id": {fine}, "method": "tasks/get", "params": {{"id": "t"}}}}'
            answer = json.loads(page.raw("POST", "/a2a/payer", body, **self.HEADERS)[2])
            self.assertEqual((answer["id"], answer["error"]["code"]), (json.loads(fine), -32001), fine)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
