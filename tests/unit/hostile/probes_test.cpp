// Snapshots that lie about probes (vm/exec/probes.h): who has one, what it does, what it waits for.
#include "hostile/hostile_fixture.h"

namespace ptc::test {
namespace {

using Probes = HostileSnapshot;

// Fibers: the program, the branch that evaluates the task, the branch that waits for it, its probe.
constexpr const char* kAwaits = "(pmap (fn [i] (task \"a\" (await (tool/ask {:n 1})))) [1 2])";
constexpr const char* kCalls = "(pmap (fn [i] (task \"a\" (tool/now {:n 1}))) [1 2])";
constexpr std::uint64_t kToTheFirstCall = 1'000;

TEST_F(Probes, AProbeHangsBelowAWaitingBranch) {
  const Octets whole = suspended(kAwaits);
  const auto snapshot = parts(whole);
  ASSERT_EQ(snapshot->fibers.size(), 4u);
  EXPECT_EQ(snapshot->fibers[2]->state, schema::FiberState::WaitsForTask);
  EXPECT_EQ(snapshot->fibers[3]->parent, 2u);
  EXPECT_EQ(refusal(whole), "");
}

TEST_F(Probes, OnlyABranchThatWaitsForATaskHasOneProbe) {
  const Octets whole = suspended(kAwaits);
  expect_refused(changed(whole, [](auto& s) { s.fibers[3]->parent = 1; }), "snapshot_invalid", "of another branch");
  expect_refused(changed(whole, [](auto& s) { s.fibers.push_back(std::make_unique<schema::FiberT>(*s.fibers[3])); }),
                 "snapshot_invalid", "a second one");
  expect_refused(changed(whole, [](auto& s) { s.fibers[2]->state = schema::FiberState::Finished; }),
                 "snapshot_invalid", "below a branch that is over");
  expect_harmless(changed(whole, [](auto& s) { s.fibers.pop_back(); }));
}

TEST_F(Probes, AProbeEvaluatesTheTaskThatItsBranchWaitsFor) {
  const Octets whole = suspended(kAwaits);
  expect_refused(changed(whole, [](auto& s) { s.fibers[3]->open_tasks.clear(); }), "snapshot_invalid", "none");
  expect_refused(changed(whole, [](auto& s) { s.fibers[3]->open_tasks[0]->id = "b"; }), "snapshot_invalid",
                 "another one");
  expect_refused(changed(whole, [](auto& s) { s.fibers[2]->waits_for_task = "b"; }), "snapshot_invalid",
                 "not the one that it waits for");
  expect_refused(changed(whole, [](auto& s) {
                   s.fibers[3]->open_tasks.push_back(std::make_unique<schema::OpenTaskT>(*s.fibers[3]->open_tasks[0]));
                 }),
                 "snapshot_invalid", "two");
}

// Without a journal nobody waits: each evaluates the task by itself, and a probe that did would not be one.
TEST_F(Probes, WaitingForATaskNeedsAJournal) {
  const Octets whole = suspended(kAwaits);
  expect_refused(changed(whole, [](auto& s) { s.has_journal = false; }), "snapshot_invalid", "with a probe");
  expect_refused(changed(whole,
                         [](auto& s) {
                           s.has_journal = false;
                           s.fibers.pop_back();
                         }),
                 "snapshot_invalid", "without one");
}

TEST_F(Probes, TheProgramItselfHasNone) {
  const Octets whole = suspended(kAwaits);
  expect_refused(changed(whole, [](auto& s) {
                   s.fibers[0]->state = schema::FiberState::WaitsForTask;
                   s.fibers[0]->waits_for_task = "a";
                 }),
                 "snapshot_invalid");
}

TEST_F(Probes, AProbeAsksTheHostForNothing) {
  const Octets whole = interrupted(kCalls, kToTheFirstCall);
  const auto snapshot = parts(whole);
  ASSERT_EQ(snapshot->fibers.size(), 4u);
  ASSERT_EQ(snapshot->fibers[3]->state, schema::FiberState::WaitsForTool);
  EXPECT_EQ(snapshot->fibers[3]->request, 0u);
  EXPECT_EQ(snapshot->fibers[1]->request, 1u);
  EXPECT_EQ(refusal(whole), "");
  expect_refused(changed(whole, [](auto& s) { s.fibers[3]->request = 1; }), "snapshot_invalid", "it asks");
  expect_refused(changed(whole, [](auto& s) { s.fibers[1]->request = 0; }), "snapshot_invalid", "a branch asks nobody");
  expect_refused(changed(whole, [](auto& s) { s.fibers[3]->records[0]->key.clear(); }), "snapshot_invalid",
                 "a call without its place");
}

TEST_F(Probes, WhateverACallClaimsToBeIsHarmless) {
  const Octets whole = interrupted(kCalls, kToTheFirstCall);
  for (const char* const key : {"", "task:a#0", "task:a#1", "task:b#0", "no key"}) {
    for (const std::size_t fiber : {1u, 3u}) {
      expect_harmless(changed(whole, [=](auto& s) { s.fibers[fiber]->records[0]->key = key; }));
    }
  }
  const Octets waiting = suspended(kAwaits);
  expect_harmless(changed(waiting, [](auto& s) { s.fibers[1]->records[0]->operation = 0; }));
  expect_harmless(changed(waiting, [](auto& s) { s.fibers[3]->frames.resize(1); }));
}

}  // namespace
}  // namespace ptc::test
