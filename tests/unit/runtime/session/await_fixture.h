// A session with a scripted host: async tools give ids in the order of their calls, every call is written down, and
// the test resolves operations when it wants to.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/text/edn.h"
#include "runtime/session/session.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc::test {

class AwaitTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kStart = 1'000'000;

  // A new session; what the old one knew is gone.
  Session& open(SessionOptions options = {}) {
    if (!options.fixed_clock_millis) options.fixed_clock_millis = kStart;
    session_ = std::make_unique<Session>(engine_, options);
    calls.clear();
    keys.clear();
    return *session_;
  }
  Session& session() { return session_ == nullptr ? open() : *session_; }

  Value value(std::string_view edn) {
    auto read = read_edn(session().heap(), edn);
    return std::get<Value>(read);
  }

  void add(std::string name, AsyncMode mode, ToolHandler handler) {
    ToolDefinition definition;
    definition.name = name;
    definition.async = mode;
    session().tools().add(std::move(definition), [this, handler = std::move(handler)](const ToolCall& call) {
      std::string text(call.name);
      text += ' ';
      append_edn(text, call.args, call.heap);
      calls.push_back(std::move(text));
      keys.emplace_back(call.meta.idempotency_key);
      return handler(call);
    });
  }
  // Gives operations PREFIX1, PREFIX2 … with that immediate value.
  void async_tool(std::string name, std::string prefix, std::string immediate_edn = "nil",
                  AsyncMode mode = AsyncMode::Yes) {
    auto count = std::make_shared<int>(0);
    add(std::move(name), mode, [this, prefix, count, immediate_edn](const ToolCall&) {
      return ToolReply::pending(prefix.empty() ? "" : prefix + std::to_string(++*count), value(immediate_edn));
    });
  }
  void sync_tool(std::string name, std::string answer_edn, AsyncMode mode = AsyncMode::No) {
    add(std::move(name), mode, [this, answer_edn](const ToolCall&) { return ToolReply::value(value(answer_edn)); });
  }

  Resolution ok(std::string operation, std::string_view edn) {
    return Resolution::ok(std::move(operation), value(edn));
  }
  static Resolution error(std::string operation, std::string reason) {
    return Resolution::error(std::move(operation), std::move(reason));
  }

  std::string run(std::string_view source) { return shown(session().turn(source)); }
  std::string resume(std::vector<Resolution> resolutions, std::int64_t now = kStart) {
    return shown(session().resume(std::move(resolutions), now));
  }
  // One ok after the other.
  std::string resume(std::string operation, std::string_view edn) {
    std::vector<Resolution> one;
    one.push_back(ok(std::move(operation), edn));
    return resume(std::move(one));
  }
  std::string resume_at(std::int64_t now) { return shown(session().resume(now)); }

  // Without going on: "done", or the kind of the refusal.
  std::string resolve(std::vector<Resolution> resolutions) {
    const auto refusal = session().operations().resolve(std::move(resolutions));
    return refusal ? std::string(fault_name(refusal->kind)) : "done";
  }
  std::string resolve(Resolution resolution) {
    std::vector<Resolution> one;
    one.push_back(std::move(resolution));
    return resolve(std::move(one));
  }

  // "= VALUE", "return VALUE", "fail VALUE", "!! KIND MESSAGE", "|| ID …" for what a suspended program waits for.
  std::string shown(Outcome outcome) {
    last = std::move(outcome);
    switch (last.status) {
      case OutcomeStatus::Ok: return "= " + last.value_edn;
      case OutcomeStatus::Return: return "return " + last.value_edn;
      case OutcomeStatus::Fail: return "fail " + last.value_edn;
      case OutcomeStatus::Error: return "!! " + std::string(fault_name(last.fault.kind)) + ' ' + last.fault.message;
      case OutcomeStatus::Suspended: break;
    }
    std::string text = "||";
    for (const PendingOutcome& operation : last.pending) {
      if (operation.awaited) text += ' ' + operation.operation;
    }
    return text;
  }
  // Ids of everything that waits.
  std::string waiting() const {
    std::string text;
    for (const PendingOutcome& operation : last.pending) text += (text.empty() ? "" : " ") + operation.operation;
    return text;
  }
  std::string place() const {
    return std::to_string(last.fault.span.line) + ':' + std::to_string(last.fault.span.column);
  }

  using Texts = std::vector<std::string>;
  Engine engine_;
  std::unique_ptr<Session> session_;
  Texts calls, keys;
  Outcome last;
};

}  // namespace ptc::test
