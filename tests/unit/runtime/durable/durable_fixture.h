// Durable runs with tools that keep a ledger, on a store in memory.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "runtime/durable/durable_run.h"
#include "runtime/durable/answers.h"
#include "runtime/log/memory_store.h"

namespace ptc {

inline constexpr std::int64_t kNow = 1'000'000;

class DurableRunTest : public testing::Test {
 protected:
  // No store, no tools, nothing called.
  void begin_anew() {
    memory_ = std::make_unique<MemoryStore>();
    tools_ = {};
    ledger_.clear();
    calls_ = 0;
  }
  MemoryStore& store() { return *memory_; }
  // Tools that write down what they really did, by idempotency key.
  void tool(const char* name, EffectClass effect, bool fails = false) {
    ToolDefinition definition;
    definition.name = name;
    definition.effect = effect;
    tools_.add(std::move(definition), [this, fails](const ToolCall& call) {
      if (fails && failing_) return ToolReply::error("declined");
      const int count = ++ledger_[std::string(call.meta.idempotency_key)];
      ++calls_;
      return ToolReply::value(Value::integer(100 * count + static_cast<int>(ledger_.size())));
    });
  }
  // A tool with an answer of its own; counted by key.
  void answering(const char* name, EffectClass effect, std::function<ToolReply(const ToolCall&)> answer,
                 ReconcileHandler reconcile = {}, RetryPolicy retry = {}) {
    ToolDefinition definition;
    definition.name = name;
    definition.effect = effect;
    definition.retry = retry;
    tools_.add(
        std::move(definition),
        [this, answer = std::move(answer)](const ToolCall& call) {
          ++calls_;
          ++ledger_[std::string(call.meta.idempotency_key)];
          return answer(call);
        },
        std::move(reconcile));
  }
  void async_tool(const char* name, EffectClass effect = EffectClass::Keyed) {
    ToolDefinition definition;
    definition.name = name;
    definition.effect = effect;
    definition.async = AsyncMode::Yes;
    tools_.add(std::move(definition), [this](const ToolCall& call) {
      ++ledger_[std::string(call.meta.idempotency_key)];
      ++calls_;
      if (during_call_) during_call_();
      return ToolReply::pending("c" + std::to_string(calls_));
    });
  }

  DurableOptions options() {
    DurableOptions made;
    made.session.run_id = "r1";
    made.session.fixed_clock_millis = kNow;
    made.now_ms = [this] { return now_; };
    return made;
  }
  DurableOutcome run(std::string_view source, FactStore& store) {
    DurableOptions wanted = options();
    wanted.dead_token = last_token();
    return run_durably(engine_, store, tools_, source, wanted);
  }
  DurableOutcome run(std::string_view source) { return run(source, store()); }
  std::optional<std::uint64_t> last_token() {
    auto probe = std::get<Claim>(store().claim("r1", "probe", kNow, 1));
    if (!probe.granted) return probe.held_token;
    store().release("r1", probe.token);
    return std::nullopt;
  }

  std::vector<Fact> facts() { return std::get<std::vector<Fact>>(store().read("r1", 0, 10'000)); }
  std::string journal() {
    RunLog log;
    for (const Fact& fact : facts()) log.add(fact);
    std::string text;
    for (const LoggedTask& task : log.tasks()) text += task.id + '=' + task.value_edn + ' ';
    return text;
  }
  // The kinds of the log's facts, as words.
  std::string kinds() {
    std::string text;
    for (const Fact& fact : facts()) text += std::string(fact_name(fact.kind)) + ' ';
    return text;
  }
  void answer(const char* operation, const char* value) {
    ASSERT_TRUE(std::holds_alternative<Put>(
        answer_operation(store(), "r1", operation, "ok", value, "", {"worker", now_})));
  }
  bool says(const std::string& key, DoubtAnswer what, const char* value = "") {
    return std::get<bool>(settle_doubt(store(), "r1", key, what, value, {"ann", now_}));
  }

  const Engine engine_;
  std::unique_ptr<MemoryStore> memory_ = std::make_unique<MemoryStore>();
  ToolRegistry tools_;
  std::map<std::string, int> ledger_;
  int calls_ = 0;
  bool failing_ = true;
  std::int64_t now_ = kNow;
  std::function<void()> during_call_;
};

}  // namespace ptc
