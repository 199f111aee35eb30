#!/usr/bin/env python3
"""Servers of the Model Context Protocol in files of tools.

usage: mcp_test.py PTCVM   (the program under test)"""
import json
import os
import pathlib
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_notes_server.py")
INTENT = json.dumps({"category": "action", "summary": "Note", "complexity": "simple"})


class McpTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.notes = pathlib.Path(self.folder.name) / "notes"
        self.notes.mkdir()
        (self.notes / "a").write_text("hello", encoding="utf-8")

    def server(self, *wrong, **members):
        return {"command": [sys.executable, SERVER, str(self.notes), *wrong], **members}

    def tools(self, *wrong, **members):
        return self.file("tools.json", json.dumps({"mcp": {"notes": self.server(*wrong, **members)}}))

    def calls(self):
        return (self.notes / "calls").read_text(encoding="utf-8").splitlines()

    def refused(self, *wrong, **members):
        status, out, err = ptcvm("eval", "1", "--tools", self.tools(*wrong, **members))
        self.assertEqual((status, out), (65, ""), err)
        return err.removeprefix(f"ptcvm: {self.folder.name}/tools.json: MCP server notes: ").strip()


class Run(McpTest):
    def value(self, program, *options, tools=None):
        status, out, err = ptcvm("eval", program, "--tools", tools or self.tools(), "--output", "json", *options)
        self.assertEqual(status, 0, err)
        return json.loads(out)

    def fails(self, program, *wrong, **members):
        status, out, err = ptcvm("eval", program, "--tools", self.tools(*wrong, **members))
        self.assertEqual((status, out), (1, ""), err)
        return err

    def test_one_process_lists_the_tools_and_takes_the_calls(self):
        self.assertEqual(self.value('[(tool/notes_read_note {:name "a"}) (tool/notes_note_list)]')[0],
                         {"text": "hello", "length": 5})
        self.assertEqual(self.calls(), ["start", 'read_note {"name": "a"}', "note.list {}", "end"])

    def test_text_is_text_and_other_blocks_are_a_list(self):
        self.assertEqual(self.value("[(tool/notes_note_list) (tool/notes_picture)]"),
                         ["a\ncalls", [{"type": "image", "data": "AA==", "mimeType": "image/png"}]])

    def test_parameters_reach_the_server_under_their_own_names(self):
        self.assertEqual(json.loads(self.value('(tool/notes_unit-of {:unit-name "day"})')), {"unit-name": "day"})

    def test_an_error_of_the_tool_is_a_tool_error(self):
        self.assertIn("the disk is full", self.fails("(tool/notes_fail)"))
        self.assertIn("there is no note b", self.fails('(tool/notes_read_note {:name "b"})'))

    def test_texts_of_strangers_cannot_command_the_terminal(self):
        path = self.file("ctrl.json", json.dumps([{"name": "t", "signature": "() -> :int", "command": ["true"],
                                                   "description": "a\x1b[2J\x07b\u202ec\u009bd\ne"}]))
        status, out, _ = ptcvm("tools", path)
        self.assertEqual((status, out.splitlines()[1:]), (0, ["    a?[2J?b?c?d", "    e"]))

    def test_calls_are_held_against_the_signature(self):
        self.assertIn("args.name: expected string, got int", self.fails("(tool/notes_read_note {:name 3})"))
        self.assertEqual(self.calls(), ["start", "end"])

    def test_the_server_may_ask_and_tell_during_a_call(self):
        status, out, err = ptcvm("eval", "(tool/notes_talk)", "--tools", self.tools())
        self.assertEqual(status, 0, err)
        self.assertIn('\\"result\\": {}', out)
        self.assertIn("notes: progress 1 of 2", err)

    def test_a_server_that_dies_in_a_call_is_started_again_for_the_next_one(self):
        programs = ["(tool/notes_die)", '(:text (tool/notes_read_note {:name "a"}))']
        lines = "".join(json.dumps({"id": str(i), "source": text}) + "\n" for i, text in enumerate(programs))
        status, out, err = ptcvm("batch", "--jobs", "1", "--tools", self.tools(), stdin=lines)
        self.assertEqual(status, 0, err)
        self.assertEqual([json.loads(line)["status"] for line in out.splitlines()], ["error", "ok"])
        self.assertEqual(self.calls().count("start"), 2)

    def test_a_server_that_dies_is_a_tool_error_with_what_it_wrote(self):
        err = self.fails("(tool/notes_die)")
        self.assertIn("its process ended by signal 9", err)
        self.assertIn("notes: dying", err)

    def test_a_call_of_a_tool_that_only_reads_is_made_again(self):
        tools = self.tools(retry={"max_attempts": 2, "first_delay_ms": 1})
        (self.notes / "die").write_text("alive", encoding="utf-8")
        self.assertEqual(self.value('(:text (tool/notes_read_note {:name "die"}))', tools=tools), "alive")
        self.assertEqual(self.calls().count('read_note {"name": "die"}'), 2)

    def test_a_deadline_ends_a_call(self):
        err = self.fails("(tool/notes_hang)", tools={"hang": {"deadline_ms": 100}})
        self.assertIn("no answer within 100 ms", err)

    def test_tools_are_chosen_named_and_described(self):
        path = self.tools(prefix="", allow=["read_note", "write_note", "fail"], deny=["fail"],
                          tools={"write_note": {"effect": "keyed", "name": "save", "description": "Saves"}})
        status, out, err = ptcvm("tools", "--json", path)
        self.assertEqual(status, 0, err)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([(line["name"], line["effect"], line["description"]) for line in lines],
                         [("read_note", "idempotent", "Reads a note\nname: The name of the note"),
                          ("save", "keyed", "Saves")])
        self.assertEqual(lines[0]["signature"], "(name :string) -> {text :string, length :int?}")
        self.assertEqual(self.calls(), ["start", "end"])
        self.assertTrue(self.value('(tool/save {:name "b" :text "x"})', tools=path).startswith("run:"))

    def test_what_a_signature_does_not_say_is_listed(self):
        status, out, err = ptcvm("tools", self.tools(allow=["unit-of", "write_note"]))
        self.assertEqual(status, 0, err)
        self.assertIn("[not in the signature: /inputSchema/properties/unit-name/enum]", out)
        self.assertIn("[the server says: it may destroy]", out)
        self.assertIn("notes_write_note (name :string, text :string) -> :any  unsafe\n", out)

    def test_a_tool_may_be_named_without_a_list(self):
        path = self.file("one.json", json.dumps([{"name": "note", "process": "mcp", "mcp_tool": "read_note",
                                                  "effect": "idempotent", **self.server()}]))
        self.assertEqual(ptcvm("eval", "1", "--tools", path), (0, "1\n", ""))
        self.assertFalse((self.notes / "calls").exists())     # a server is started when a call needs it
        self.assertEqual(self.value('(:text (tool/note {:name "a"}))', tools=path), "hello")

    def test_lists_and_servers_are_in_one_file(self):
        path = self.file("both.json", json.dumps({"tools": [{"name": "one", "command": "echo 1"}],
                                                  "mcp": {"notes": self.server()}}))
        self.assertEqual(self.value('[(tool/one) (:length (tool/notes_read_note {:name "a"}))]', tools=path), [1, 5])

    def test_check_knows_the_tools(self):
        good = self.file("good.ptc", '(tool/notes_read_note {:name "a"})')
        bad = self.file("bad.ptc", "(tool/notes_read_note {:name 1}) (tool/notes_write)")
        path = self.tools()
        self.assertEqual(ptcvm("check", good, "--tools", path)[0], 0)
        status, _, err = ptcvm("check", bad, "--tools", path)
        self.assertEqual(status, 1)
        self.assertIn("Unknown tool: notes_write", err)

    def test_batch_gives_each_thread_a_server(self):
        request = {"id": "1", "source": '(:text (tool/notes_read_note {:name "a"}))'}
        lines = "".join(json.dumps({**request, "id": str(i)}) + "\n" for i in range(4))
        status, out, err = ptcvm("batch", "--jobs", "2", "--tools", self.tools(), stdin=lines)
        self.assertEqual((status, out.count('"value_edn":"\\"hello')), (0, 4), (out, err))
        self.assertLessEqual(self.calls().count("start"), 3)


class Hostile(McpTest):
    def test_a_list_that_is_wrong_is_refused_by_name(self):
        for wrong, message in (("banner", "not_json: "), ("version", "wrong_version: the server speaks 1999-12-31"),
                               ("tools", "wrong_member: result.tools is not a list"), ("pages", "endless_list: "),
                               ("twins", "same_tool: two tools are called read_note"), ("many", "too_many_tools: "),
                               ("status", "its process ended with status 1")):
            self.assertIn(message, self.refused(wrong), wrong)

    def test_a_server_that_never_answers_is_given_up(self):
        self.assertEqual(self.refused("silent", start_ms=200), "no list of its tools within 200 ms")

    def test_names_that_become_one_name_are_refused(self):
        self.assertIn("there are two tools with the name notes_a_b", self.refused("names"))

    def test_answers_that_are_wrong_fail_their_call(self):
        for wrong, message in (("id", "unknown_id: no request has the id 12345"),
                               ("result", "wrong_member: result is not an object"),
                               ("endless", "its answer is larger than 16777216 bytes")):
            status, out, err = ptcvm("eval", "(tool/notes_note_list)", "--tools", self.tools(wrong))
            self.assertEqual((status, out), (1, ""), wrong)
            self.assertIn(message, err)

    def test_a_second_answer_ends_the_server_and_not_the_run(self):
        status, out, err = ptcvm("eval", "[(tool/notes_picture) (count (tool/notes_picture))]", "--tools",
                                 self.tools("twice"))
        self.assertIn(status, (0, 1), err)
        if status == 1:
            self.assertIn("answered_twice", err)


class Files(McpTest):
    def test_members_that_nobody_knows_are_refused(self):
        for members, message in (({"comand": 1}, 'there is no member "comand"'),
                                 ({"tools": {"write_note": {"efect": "keyed"}}},
                                  'tool write_note: there is no member "efect"'),
                                 ({"tools": {"write_note": {"effect": "save"}}}, '"effect" is not unsafe'),
                                 ({"allow": ["wirte_note"]}, '"allow" names wirte_note, which the server does not'),
                                 ({"deny": ["x"]}, '"deny" names x, which the server does not have; it has read_note'),
                                 ({"deny": "x"}, '"deny" is not a list of names of tools')):
            self.assertIn(message, self.refused(**members))

    def test_maps_that_are_no_servers_are_refused(self):
        for text, message in (('{"mcp": []}', '"mcp" is not a map of servers'),
                              ('{"mcp": {"a": 1}}', 'MCP server "a" is not a map'),
                              ('{"mcp": {"a": {}}}', '"command" is not a list of texts'),
                              ('{"mcp": {"a": {"command": ["no-such-program"]}}}', "cannot start no-such-program"),
                              ('{"tools": [], "mpc": {}}', 'there is no member "mpc"; the members are tools, mcp'),
                              ('[{"name": "a", "command": "x", "process": "mcp"}]', 'needs "mcp_tool"'),
                              ('[{"name": "a", "command": "x", "mcp_tool": "b"}]',
                               '"mcp_tool" has no effect without "process": "mcp"')):
            status, out, err = ptcvm("eval", "1", "--tools", self.file("t.json", text))
            self.assertEqual((status, out), (65, ""), text)
            self.assertIn(message, err)


class Store(McpTest):
    def run_stored(self, program, *more):
        path = self.file("p.ptc", program)
        return ptcvm("run", path, "--tools", self.tools(), "--store", os.path.join(self.folder.name, "s.db"), "--id",
                     "r", "--output", "json", *more)

    def test_a_call_that_only_reads_is_made_again_after_a_kill(self):
        (self.notes / "kill the caller").write_text("here", encoding="utf-8")
        program = '(:text (tool/notes_read_note {:name "kill the caller"}))'
        self.assertEqual(self.run_stored(program)[0], -9)
        status, out, err = self.run_stored(program)
        self.assertEqual((status, out), (0, '"here"\n'), err)
        self.assertEqual(self.calls().count('read_note {"name": "kill the caller"}'), 2)

    def test_a_person_is_asked_about_an_unsafe_call_after_a_kill(self):
        program = '(tool/notes_write_note {:name "b" :text "kill the caller"})'
        self.assertEqual(self.run_stored(program)[0], -9)
        status, _, err = self.run_stored(program)
        self.assertEqual(status, 75, err)
        self.assertEqual(len([line for line in self.calls() if line.startswith("write_note")]), 1)
        self.assertIn("notes_write_note", err)

    def test_a_server_that_dies_leaves_an_unsafe_call_in_doubt(self):
        program = '(tool/notes_write_note {:name "b" :text "die"})'
        for _ in range(2):
            status, _, err = self.run_stored(program)
            self.assertEqual(status, 75, err)
            self.assertIn("its process ended by signal 9", err)
        self.assertEqual(len([line for line in self.calls() if line.startswith("write_note")]), 1)


class Agents(McpTest):
    def script(self, *lines):
        return "scripted:" + self.file("script.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def test_an_agent_gets_the_tools(self):
        agent = self.file("agent.json", json.dumps({"name": "a", "prompt": "Read the note"}))
        tools = self.tools()
        status, out, err = ptcvm("agent", "prompt", agent, "--tools", tools)
        self.assertEqual(status, 0, err)
        self.assertIn("notes_read_note", out)
        self.assertIn("The name of the note", out)
        (self.notes / "calls").unlink()
        model = self.script({"program": '(return (:text (tool/notes_read_note {:name "a"})))'})
        status, out, err = ptcvm("agent", "run", agent, "--tools", tools, "--model", model)
        self.assertEqual(status, 0, err)
        self.assertEqual(json.loads(out)["return"], "hello")
        self.assertEqual(self.calls().count("start"), 1)

    def test_a_chain_plans_with_the_tools_and_calls_them(self):
        plan = {"steps": [{"id": "s", "type": "action", "description": "read", "tool": "notes_read_note",
                           "args": {"name": "a"}}]}
        model = self.script({"text": INTENT}, {"text": json.dumps(plan),
                                               "expect": {"newest": {"contains": ["notes_write_note"]}}})
        record = os.path.join(self.folder.name, "asked.jsonl")
        status, out, err = ptcvm("chain", "run", "Read", "--tools", self.tools(), "--model", model, "--output", "json",
                                 "--record", record)
        self.assertEqual(status, 0, err + out)
        self.assertEqual(json.loads(out)["outputs"], ['{"length":5,"text":"hello"}'])
        asked = pathlib.Path(record).read_text(encoding="utf-8")
        self.assertIn("(name :string) -> {text :string, length :int?}", asked)
        self.assertIn("notes_write_note", asked)
        self.assertEqual(self.calls(), ["start", 'read_note {"name": "a"}', "end"])

    def test_a_stored_chain_keeps_the_tools(self):
        store = ("--store", os.path.join(self.folder.name, "t.db"), "--id", "t", "--output", "json")
        plan = {"steps": [{"id": "s", "type": "action", "description": "read", "tool": "notes_read_note",
                           "args": {"name": "a"}, "requiresConfirmation": True}]}
        tools = self.tools()
        status, _, err = ptcvm("chain", "run", "Read", "--tools", tools, "--model",
                               self.script({"text": INTENT}, {"text": json.dumps(plan)}), *store)
        self.assertEqual(status, 75, err)
        os.unlink(tools)
        status, out, err = ptcvm("chain", "answer", *store, "s", "yes")
        self.assertEqual(status, 0, err + out)
        self.assertEqual(json.loads(out)["outputs"], ['{"length":5,"text":"hello"}'])
        self.assertEqual(self.calls(), ["start", "end", "start", 'read_note {"name": "a"}', "end"])

    def run_writing_chain(self, *more, text="x"):
        plan = {"steps": [{"id": "s", "tool": "notes_write_note", "args": {"name": "b", "text": text},
                           "riskLevel": "low", "requiresConfirmation": False}]}
        model = self.script({"text": INTENT}, {"text": json.dumps(plan)})
        return ptcvm("chain", "run", "Write", "--tools", self.tools(), "--revisions", "1", "--output", "json",
                     "--model", model, *more)

    def written(self):
        return [line for line in self.calls() if line.startswith("write_note")]

    def test_a_chain_asks_before_it_calls_what_may_do_more_than_read(self):
        store = ("--store", os.path.join(self.folder.name, "t.db"))
        status, out, err = self.run_writing_chain(*store, "--id", "t")
        self.assertEqual((status, out, self.written()), (75, "", []), err)
        self.assertIn('Step s wants to call notes_write_note {"name":"b","text":"x"}.', err)
        status, out, err = ptcvm("chain", "answer", *store, "--id", "t", "s", "always")
        self.assertEqual((status, len(self.written())), (0, 1), err + out)
        self.assertRegex(ptcvm("chain", "approvals", *store)[1], "^external_mcp:notes_write_note#[0-9a-f]{32}\n$")
        self.assertEqual(self.run_writing_chain(*store, "--id", "u")[0], 0)
        status, _, err = self.run_writing_chain(*store, "--id", "v", text="y")   # another call
        self.assertEqual((status, len(self.written())), (75, 2), err)

    def test_a_chain_without_a_person_does_not_call_it_unless_the_strategy_says_so(self):
        status, out, err = self.run_writing_chain()
        self.assertEqual((status, self.written()), (1, []), err)
        self.assertEqual(json.loads(out)["steps"][0]["error"], "CONFIRMATION_UNAVAILABLE")
        trusting = self.file("trust.json", json.dumps({"safety": {"externalTools": []}}))
        status, _, err = self.run_writing_chain("--strategy", trusting)
        self.assertEqual((status, len(self.written())), (0, 1), err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
