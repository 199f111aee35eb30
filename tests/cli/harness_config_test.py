#!/usr/bin/env python3
"""The configuration of a planner as a file: what it may have.

usage: harness_config_test.py PTCVM   (the program under test)"""
import json
import sys
import unittest

from ptcvm_process import CommandLineTest, ptcvm


class PlannerConfiguration(CommandLineTest):
    def refused(self, planner, config, *more):
        path = self.file("config.json", json.dumps(config))
        store = self.folder.name + "/talk.db"
        status, out, err = ptcvm("harness", "run", "--store", store, "--id", "c", "--planner", planner, "--config",
                                 path, *more)
        self.assertEqual((status, json.loads(out)["facts"]), (65, 0), err)
        self.assertIn("config.json: ", err)
        return err

    def test_a_value_of_another_type_is_refused(self):
        self.assertIn("targetWords: must be a number", self.refused("llm-drafter", {"targetWords": True}))
        self.assertIn("mode: must be a text", self.refused("simple-demo", {"mode": 5}))
        scenario = ("--scenario", self.file("scenario.json", "{}"))
        self.assertIn("enabledTools: must be a list of texts",
                      self.refused("scenario-v0.3", {"enabledTools": "all"}, *scenario))

    def test_a_member_that_the_planner_does_not_have_is_refused(self):
        self.assertIn("tragetWords: llm-drafter has no such member; it has systemAppend, targetWords",
                      self.refused("llm-drafter", {"tragetWords": 5}))

    def test_a_program_has_no_configuration(self):
        self.assertIn("plan.ptc is none of them", self.refused(self.file("plan.ptc", "nil"), {"mode": "auto"}))

    def test_a_link_takes_the_configuration_of_its_planner_only(self):
        link = json.dumps({"planner": {"id": "llm-drafter"}})
        path = self.file("config.json", '{"enabledTools": []}')
        status, _, err = ptcvm("harness", "link", link, "--config", path)
        self.assertEqual((status, "llm-drafter has no such member" in err), (65, True), err)

    def test_a_value_that_the_form_does_not_take_is_refused(self):
        self.assertIn("targetWords: must be 0, or a number from 10 to 1000",
                      self.refused("llm-drafter", {"targetWords": 5}))
        self.assertIn("targetWords: must be a number", self.refused("llm-drafter", {"targetWords": "50"}))
        self.assertIn('mode: must be "off" or "suggest"', self.refused("simple-demo", {"mode": "bogus"}))
        scenario = ("--scenario", self.file("scenario.json", "{}"))
        self.assertIn('enabledCoreTools: there is no action "nope"',
                      self.refused("scenario-v0.3", {"enabledCoreTools": ["nope"]}, *scenario))
        self.assertIn("maxInlineSteps: must be a number from 1 to 50",
                      self.refused("scenario-v0.3", {"maxInlineSteps": 51}, *scenario))

    def link(self, **members):
        return ptcvm("harness", "link", "#" + json.dumps(members))

    def test_a_link_with_a_value_that_the_form_does_not_take_is_refused(self):
        for planner, seed, said in (
                ("llm-drafter", {"targetWords": -5}, "seed.targetWords: must be 0, or a number from 10 to 1000"),
                ("llm-drafter", {"targetWords": "50"}, "seed.targetWords: must be a number"),
                ("scenario-v0.3", {"scenarioUrl": "u", "maxInlineSteps": 0}, "seed.maxInlineSteps: must be a number"),
                ("scenario-v0.3", {"scenarioUrl": "u", "disabledCoreTools": ["nope"]}, 'there is no action "nope"'),
                ("simple-demo", {"mode": "bogus"}, 'seed.mode: must be "off" or "suggest"'),
                ("llm-drafter", {"targetWords": 50, "targetwords": 60},
                 "seed.targetwords: llm-drafter has no such member; it has v, systemAppend, targetWords")):
            status, _, err = self.link(planner={"id": planner}, seed=seed)
            self.assertEqual((status, said in err), (65, True), err)

    def test_a_link_with_a_member_that_no_link_has_is_refused(self):
        """A name that was written wrong switched the planner off, or set nothing up."""
        demo = {"id": "simple-demo"}
        for members, said in (({"planer": demo}, "planer: there is no such member; there are transport, agentCardUrl,"),
                              ({"planner": {**demo, "modus": "auto"}}, "planner.modus: there is no such member; there "
                                                                       "are id, mode, seed"),
                              ({"planner": demo, "llm": {"api_key": "k"}}, "llm.api_key: there is no such member"),
                              ({"planner": demo, "planners": {"simple-demo": {"sead": {}}}},
                               "planners.simple-demo.sead: there is no such member; there are seed")):
            status, out, err = self.link(**members)
            self.assertEqual((status, out, said in err), (65, "", True), err)
        status, out, _ = self.link(planner=demo, planners={"of-tomorrow": {"x": 1}}, llm={"apiKey": "k"})
        self.assertEqual((status, json.loads(out)["planner"]), (0, "simple-demo"))

    def test_a_rev_that_makes_later_links_old_is_refused(self):
        status, _, err = self.link(planner={"id": "simple-demo"}, rev=2 ** 52)
        self.assertEqual((status, "rev: 4503599627370496 is more than 1000000 ahead of 0" in err), (65, True), err)

    def test_after_the_highest_rev_links_can_be_written(self):
        highest = 1_000_000
        path = self.file("config.json", '{"mode": "off"}')
        status, out, err = ptcvm("harness", "link", json.dumps({"planner": {"id": "simple-demo"}, "rev": highest}),
                                 "--config", path)
        self.assertEqual((status, json.loads(out)["rev"]), (0, highest + 1), err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
