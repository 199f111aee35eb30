// A line as a signature, the rest as JSON, which a host answers a call with: a deferred call of a tool with that
// signature and an operation that a suspended run waits for. The run ends with the answer or with a fault by name.
#include <memory>

#include "fuzz/fuzz_target.h"
#include "runtime/text/json_value.h"
#include "runtime/session/session.h"
#include "support/snapshot_drive.h"
#include "vm/value/map.h"
#include "vm/value/string.h"

namespace {

using ptc::fuzz::promise;

const ptc::Engine& engine() {
  static const ptc::Engine shared;
  return shared;
}

ptc::ToolDefinition definition(std::string_view name, std::string_view signature) {
  ptc::ToolDefinition made;
  made.name = name;
  const auto parsed = ptc::parse_signature(signature);
  if (const auto* contract = std::get_if<ptc::Signature>(&parsed)) {
    made.signature = signature;
    made.contract = std::make_shared<const ptc::Signature>(*contract);
  }
  return made;
}

ptc::SessionOptions options() {
  ptc::SessionOptions made;
  made.limits = ptc::test::tiny_limits();
  made.fixed_clock_millis = 1'000'000;
  return made;
}

void expect_an_end(const ptc::Outcome& outcome) {
  const bool faulted = outcome.status == ptc::OutcomeStatus::Error;
  promise(faulted ? !outcome.fault.message.empty() : !outcome.value_edn.empty(), "neither a value nor a fault");
}

void answer_a_call(std::string_view signature, std::string_view json) {
  ptc::Session session(engine(), options());
  ptc::ToolDefinition deferred = definition("ask", signature);
  deferred.deferred = true;
  session.tools().add(std::move(deferred), {});
  session.turn("(let [a (tool/ask {})] [a (str a) (count (pr-str a))])");
  const std::vector<ptc::WaitingCall> calls = session.calls().waiting();
  if (calls.empty()) return;
  const auto read = read_json(session.heap(), json);
  ptc::ToolReply reply = ptc::ToolReply::error("no JSON");
  if (const auto* value = std::get_if<ptc::Value>(&read)) reply = ptc::ToolReply::value(*value);
  promise(session.calls().answer(calls.front().id, std::move(reply)), "a call that waits cannot be answered");
  expect_an_end(session.resume());
}

void answer_an_operation(std::string_view signature, std::string_view json) {
  ptc::Session session(engine(), options());
  ptc::ToolDefinition slow = definition("later", signature);
  slow.async = ptc::AsyncMode::Yes;
  session.tools().add(std::move(slow), [](const ptc::ToolCall&) { return ptc::ToolReply::pending("op1"); });
  const ptc::Outcome first = session.turn("(task \"t\" (await (tool/later {})))");
  if (first.status != ptc::OutcomeStatus::Suspended) return;
  const auto read = read_json(session.heap(), json);
  const auto* value = std::get_if<ptc::Value>(&read);
  if (value == nullptr) return;
  std::vector<ptc::Resolution> answers;
  answers.push_back(ptc::Resolution::ok("op1", *value));
  const ptc::Outcome outcome = session.resume(std::move(answers));
  if (outcome.status != ptc::OutcomeStatus::Suspended) expect_an_end(outcome);
}

// What hosts keep of operations without a snapshot.
void load_operations(std::string_view json) {
  ptc::Session session(engine(), options());
  if (session.operations().load(json)) return;
  const std::string written = session.operations().json();
  ptc::Session other(engine(), options());
  promise(!other.operations().load(written), "operations are written, and refused");
  promise(other.operations().json() == written, "operations are written, read, and written otherwise");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view json = ptc::fuzz::text_of(data, size);
  const std::string_view signature = ptc::fuzz::take_line(json);
  answer_a_call(signature, json);
  answer_an_operation(signature, json);
  if (json.starts_with('[')) load_operations(json);
  return 0;
}
