// What tests of the public API share: an engine, and results that must be there.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ptcvm/ptcvm.hpp"

namespace ptcvm {

class ApiTest : public testing::Test {
 protected:
  using Run = ptcvm::Run;   // testing::Test has a Run, too
  Program compiled(std::string_view source) {
    auto program = engine_.compile(source);
    if (!program) ADD_FAILURE() << program.error().message;
    return *program;
  }
  Run started(std::string_view source, RunOptions options = {}) {
    if (options.tools.empty()) options.tools = tools_;
    auto run = Run::start(engine_, compiled(source), options);
    if (!run) ADD_FAILURE() << run.error().message;
    return std::move(*run);
  }
  // From the bytes of a run that is then destroyed.
  Run moved_elsewhere(Run run, RestoreOptions options = {}) {
    if (options.tools.empty()) options.tools = tools_;
    const std::vector<std::byte> bytes = run.snapshot();
    { const Run gone = std::move(run); }
    auto restored = Run::restore(engine_, bytes, options);
    if (!restored) ADD_FAILURE() << restored.error().message;
    return std::move(*restored);
  }
  template <class F>
  void tool(const char* name, const char* signature, F callable, ToolOptions options = {}) {
    const auto added = tools_.add(name, signature, std::move(callable), std::move(options));
    ASSERT_TRUE(added) << added.error().message;
  }
  std::string answer(std::string_view source) {
    Run run = started(source);
    run.step();
    if (run.diagnostic()) return run.diagnostic()->kind + ": " + run.diagnostic()->message;
    return run.result().to_edn();
  }

  Engine engine_;
  Tools tools_;
};

// Remembers what happened: kinds and names.
class EventList : public Observer {
 public:
  Verdict on_event(const Event& event) override {
    if (event.kind == EventKind::Form) {
      forms.push_back(std::to_string(event.line) + ':' + std::to_string(event.column));
    } else {
      text += event_name(event.kind);
      if (!event.name.empty()) text += '(' + std::string(event.name) + ')';
      text += ' ';
    }
    if (!event.found.empty()) found = event.found;
    sequences.push_back(event.sequence);
    return event.kind == pause_at ? Verdict::Pause : event.kind == cancel_at ? Verdict::Cancel : Verdict::Continue;
  }
  bool wants_forms() const override { return traces_forms; }
  void on_step_end() override { text += steps_end ? "| " : ""; }

  std::string text, found;
  std::vector<std::string> forms;
  std::vector<std::uint64_t> sequences;
  std::optional<EventKind> pause_at, cancel_at;
  bool traces_forms = false, steps_end = false;   // whether forms and ends of steps are noted
};

}  // namespace ptcvm
