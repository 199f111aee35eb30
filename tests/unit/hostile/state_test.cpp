// Budgets, operations, journal and rights: what a snapshot claims about the run besides its frames and values.
#include "hostile/hostile_fixture.h"

namespace ptc::test {
namespace {

using State = HostileSnapshot;

constexpr const char* kTwo = "(let [a (tool/ask {:n 1}) b (tool/call {:n 2})] (await-all [a b]))";

std::unique_ptr<Session> restored(const Octets& bytes, ToolRegistry tools, const SessionRestore& wanted = {}) {
  static const Engine engine;
  auto result = Session::restore(engine, bytes, std::move(tools), wanted);
  if (const auto* error = std::get_if<RestoreError>(&result)) {
    ADD_FAILURE() << error->message;
    return nullptr;
  }
  return std::get<std::unique_ptr<Session>>(std::move(result));
}

// Limits that the snapshot gives itself.
TEST_F(State, TheHostsLimitsHoldWhateverTheSnapshotClaims) {
  const Octets whole = suspended("(do (await (tool/ask)) (loop [i 0] (recur (inc i))))");
  const auto claims = changed(whole, [](auto& s) {
    s.limits = std::make_unique<schema::LimitsT>();
    s.limits->fuel = s.limits->memory_bytes = s.limits->string_bytes = UINT64_MAX;
    s.limits->loop = s.limits->depth = s.limits->tool_calls = s.limits->suspensions = UINT32_MAX;
    s.fuel_used = 0;
  });
  SessionRestore wanted;
  wanted.most.fuel = 5'000;
  const auto session = restored(claims, tools(), wanted);
  ASSERT_NE(session, nullptr);
  std::vector<Resolution> all;
  all.push_back(Resolution::ok("op1", Value::nil()));
  const Outcome outcome = session->resume(std::move(all));
  EXPECT_EQ(outcome.status, OutcomeStatus::Error);
  EXPECT_EQ(fault_name(outcome.fault.kind), "fuel_exhausted");
  EXPECT_LE(outcome.fuel, 5'100u);
}

TEST_F(State, WhatWasUsedStaysUsed) {
  RunLimits limits;
  limits.fuel = 1'000;
  const Octets whole = suspended(
      "(do (loop [i 0] (if (< i 200) (recur (inc i)))) (await (tool/ask)) (loop [i 0] (recur (inc i))))", limits);
  const std::uint64_t used = parts(whole)->fuel_used;
  EXPECT_GT(used, 150u);
  const auto session = restored(whole, tools());
  ASSERT_NE(session, nullptr);
  std::vector<Resolution> all;
  all.push_back(Resolution::ok("op1", Value::nil()));
  const Outcome outcome = session->resume(std::move(all));
  EXPECT_EQ(fault_name(outcome.fault.kind), "fuel_exhausted");
  EXPECT_LE(outcome.fuel, 1'100u);
}

TEST_F(State, CountersBeyondTheirEndAreRefusedOrHarmless) {
  const Octets whole = suspended(kTwo);
  using CounterChange = void (*)(schema::SnapshotT&, std::uint64_t);
  constexpr CounterChange kCounters[] = {
      [](auto& s, std::uint64_t n) { s.fuel_used = n; },
      [](auto& s, std::uint64_t n) { s.bytes_peak = n; },
      [](auto& s, std::uint64_t n) { s.tool_calls = static_cast<std::uint32_t>(n); },
      [](auto& s, std::uint64_t n) { s.next_request = static_cast<std::uint32_t>(n); },
      [](auto& s, std::uint64_t n) { s.next_fiber_id = static_cast<std::uint32_t>(n); },
      [](auto& s, std::uint64_t n) { s.time_ms = static_cast<std::int64_t>(n); },
      [](auto& s, std::uint64_t n) { s.last_fresh_id = static_cast<std::uint32_t>(n); },
      [](auto& s, std::uint64_t n) { s.turn = static_cast<std::uint32_t>(n); },
      [](auto& s, std::uint64_t n) { s.suspensions = static_cast<std::uint32_t>(n); },
      [](auto& s, std::uint64_t n) { s.closure_serial = static_cast<std::uint32_t>(n); },
      [](auto& s, std::uint64_t n) { s.print_bytes = n; },
      [](auto& s, std::uint64_t n) { s.history = static_cast<std::uint32_t>(n); },
      [](auto& s, std::uint64_t n) { s.last_sequence = n; },
      [](auto& s, std::uint64_t n) { s.operations_before = static_cast<std::uint32_t>(n); },
      [](auto& s, std::uint64_t n) { s.retired = static_cast<std::uint32_t>(n); },
  };
  for (std::size_t k = 0; k < std::size(kCounters); ++k) {
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{UINT32_MAX},
                                  std::uint64_t{INT64_MAX}, UINT64_MAX}) {
      const auto other = changed(whole, [&](auto& s) { kCounters[k](s, n); });
      refusal(other);
      expect_harmless(other);
      ASSERT_FALSE(HasFailure()) << "counter " << k << " is " << n;
    }
  }
}

TEST_F(State, ListsLongerThanTheirValuesAreRefused) {
  const Octets whole = suspended(kTwo);
  expect_refused(changed(whole, [](auto& s) { s.history = UINT32_MAX; }), "snapshot_invalid", "history");
  expect_refused(changed(whole, [](auto& s) { s.retired = UINT32_MAX; }), "snapshot_invalid", "retired");
  expect_refused(changed(whole, [](auto& s) { s.operations_before = 3; }), "snapshot_invalid", "operations before");
  expect_refused(changed(whole, [](auto& s) {
    for (int k = 0; k < 20'000; ++k) {
      s.journal.push_back(std::make_unique<schema::JournalEntryT>());
      s.journal.back()->id = std::to_string(k);
    }
  }), "snapshot_invalid", "journal");
}

TEST_F(State, OperationsHaveIdsOfTheirOwn) {
  const Octets whole = suspended(kTwo);
  ASSERT_EQ(parts(whole)->operations.size(), 2u);
  expect_refused(changed(whole, [](auto& s) { s.operations[1]->number = s.operations[0]->number; }),
                 "snapshot_invalid", "one number twice");
  expect_refused(changed(whole, [](auto& s) {
    s.operations[1]->number = 0;
    s.operations[1]->id = "op1";
  }), "snapshot_invalid", "one id as number and as text");
  expect_refused(changed(whole, [](auto& s) {
    s.operations[1]->number = 0;
    s.operations[1]->id = "";
  }), "snapshot_invalid", "no id");
  expect_refused(changed(whole, [](auto& s) { s.operations[0]->id = "another"; }), "snapshot_invalid", "two ids");
}

TEST_F(State, AnOperationIsWhatItsFieldsSay) {
  const Octets whole = suspended(kTwo);
  const auto with = [&](auto change) { return changed(whole, [&](auto& s) { change(*s.operations[0]); }); };
  expect_refused(with([](auto& o) { o.status = static_cast<schema::OperationStatus>(9); }), "snapshot_invalid",
                 "status");
  expect_refused(with([](auto& o) { o.kind = static_cast<schema::OperationKind>(9); }), "snapshot_invalid", "kind");
  expect_refused(with([](auto& o) { o.sequence = 5; }), "snapshot_invalid", "settled and waiting");
  expect_refused(with([](auto& o) { o.delivered = true; }), "snapshot_invalid", "delivered and waiting");
  expect_refused(with([](auto& o) { o.status = schema::OperationStatus::Ok; }), "snapshot_invalid",
                 "settled without a place");
  for (const std::int64_t time : {INT64_MIN, INT64_MAX, std::int64_t{-2}}) {
    expect_harmless(with([time](auto& o) { o.created_after_ms = o.due_after_ms = time; }));
  }
}

TEST_F(State, JournalEntriesHaveIdsOfTheirOwn) {
  const Octets whole = suspended("(do (task \"a\" 1) (task \"b\" 2) (await (tool/ask)))");
  ASSERT_EQ(parts(whole)->journal.size(), 2u);
  expect_refused(changed(whole, [](auto& s) { s.journal[1]->id = s.journal[0]->id; }), "snapshot_invalid");
}

TEST_F(State, FiniteKindsAreKnown) {
  const Octets whole = suspended(kTwo);
  expect_refused(changed(whole, [](auto& s) { s.fault = "no_such_fault"; }), "snapshot_invalid", "fault");
  expect_refused(changed(whole, [](auto& s) { s.session->tools[0]->mode = 9; }), "snapshot_invalid", "mode");
  expect_refused(changed(whole, [](auto& s) {
    s.limits = std::make_unique<schema::LimitsT>();
    s.limits->outstanding = 77;
  }), "snapshot_invalid", "outstanding");
}

// Rights are the host's: what the snapshot says about tools is compared with them, and never gives one.
TEST_F(State, AMissingToolIsReported) {
  const Octets whole = suspended(kTwo);
  EXPECT_EQ(refusal(whole, {}, {}), "snapshot_refused: tool ask is missing; tool call is missing");
}

TEST_F(State, AToolThatChangedIsReported) {
  const Octets whole = suspended(kTwo);
  const auto with = [](void (*change)(ToolDefinition&)) {
    ToolRegistry registry = tools();
    ToolDefinition definition;
    definition.name = "call";
    definition.async = AsyncMode::Yes;
    change(definition);
    registry.add(std::move(definition), [](const ToolCall&) { return ToolReply::pending(); });
    return registry;
  };
  EXPECT_EQ(refusal(whole, {}, with([](auto& d) { d.signature = "(n :int) -> :int"; })),
            "snapshot_refused: tool call: its signature has changed, now it is \"(n :int) -> :int\"");
  EXPECT_EQ(refusal(whole, {}, with([](auto& d) { d.effect = EffectClass::Pure; })),
            "snapshot_refused: tool call: its effect was none, now \"pure\"");
  EXPECT_EQ(refusal(whole, {}, with([](auto& d) { d.async = AsyncMode::No; })),
            "snapshot_refused: tool call was async, now it is sync");
}

// "" and "unsafe" are the same class; a tool never has a word that is no class.
TEST_F(State, EffectClassesAreComparedByWhatTheyMean) {
  const Octets whole = suspended(kTwo);
  const auto said = [&](const char* text) {
    return changed(whole, [text](auto& s) { s.session->tools[1]->effect = text; });
  };
  EXPECT_EQ(refusal(said("unsafe"), {}, tools()), refusal(whole, {}, tools()));
  EXPECT_EQ(refusal(said("sometimes"), {}, tools()),
            "snapshot_refused: tool call: its effect was \"sometimes\", now none");
  EXPECT_EQ(refusal(said("keyed"), {}, tools()), "snapshot_refused: tool call: its effect was \"keyed\", now none");
}

// The same lies in the other face.
TEST_F(State, TheHostsFieldsAreCheckedInBothFaces) {
  const Octets whole = suspended("(let [r (range (count \"ab\"))] (await (tool/ask)) r)");
  expect_refused(changed(whole, [](auto& s) { s.session->timeout_ms = UINT64_MAX; }), "snapshot_invalid", "time");
  expect_refused(changed(whole, [](auto& s) { s.session->float_precision = 301; }), "snapshot_invalid", "precision");
  expect_refused(changed(whole, [](auto& s) { s.session->cached_answers = {"b", "a"}; }), "snapshot_invalid", "order");
  const auto text = json_with(whole, "\"timeout_ms\": 0", "\"timeout_ms\": 18446744073709551615");
  EXPECT_EQ(refusal(text), "snapshot_invalid: /session/timeout_ms: must be a whole number");
  EXPECT_EQ(refusal(json_with(whole, "\"float_precision\": -1", "\"float_precision\": -2")),
            "snapshot_invalid: float precision");
}

TEST_F(State, AToolThatTheSnapshotKeepsSilentAboutIsStillNotThere) {
  const Octets whole = suspended("(do (await (tool/ask {:n 1})) (tool/call {:n 2}))");
  const auto silent = changed(whole, [](auto& s) { s.session->tools.clear(); });
  const auto session = restored(silent, {});
  ASSERT_NE(session, nullptr);
  std::vector<Resolution> all;
  all.push_back(Resolution::ok("op1", Value::nil()));
  const Outcome outcome = session->resume(std::move(all));
  EXPECT_EQ(outcome.status, OutcomeStatus::Error);
  EXPECT_EQ(fault_name(outcome.fault.kind), "unknown_tool");
}

}  // namespace
}  // namespace ptc::test
