// docs/embedding/events.md
#include "shown.h"

// [observer]
struct Listing : ptcvm::Observer {
  ptcvm::Verdict on_event(const ptcvm::Event& event) override {
    show(ptcvm::event_name(event.kind), event.name);         // borrowed: copy what you keep
    lines.push_back(ptcvm::event_json(event));               // a line for `ptcvm trace`
    return event.kind == stop_at ? verdict : ptcvm::Verdict::Continue;
  }
  std::vector<std::string> lines;
  std::optional<ptcvm::EventKind> stop_at;
  ptcvm::Verdict verdict = ptcvm::Verdict::Continue;
};
// [/observer]

// [forms]
struct Steps : ptcvm::Observer {
  ptcvm::Verdict on_event(const ptcvm::Event& event) override {
    if (event.kind != ptcvm::EventKind::Form) return ptcvm::Verdict::Continue;
    show("at", std::to_string(event.line) + ":" + std::to_string(event.column));
    return ptcvm::Verdict::Continue;
  }
  bool wants_forms() const override { return true; }
};
// [/forms]

int main() {
  const ptcvm::Engine engine;
  ptcvm::Tools tools;
  tools.add("one", "() -> :int", [] { return 1; }).value();

  // [watch]
  Listing listing;
  ptcvm::RunOptions options;
  options.tools = tools;
  options.observer = &listing;                               // must outlive the run
  ptcvm::Run run = started(engine, "(do (println \"hi\") (task \"t\" (tool/one)))", options);
  run.step();
  show("lines", std::to_string(listing.lines.size()));
  // [/watch]

  // [pause]
  Listing slow;
  slow.stop_at = ptcvm::EventKind::ToolEnd;
  slow.verdict = ptcvm::Verdict::Pause;
  options.observer = &slow;
  ptcvm::Run paused = started(engine, "(+ (tool/one) 1)", options);
  show("state", ptcvm::run_state_name(paused.step()));       // time to write down what came
  show("state", ptcvm::run_state_name(paused.step()));
  // [/pause]

  // [cancel]
  Listing strict;
  strict.stop_at = ptcvm::EventKind::ToolEnd;
  strict.verdict = ptcvm::Verdict::Cancel;
  options.observer = &strict;
  ptcvm::Run cancelled = started(engine, "(+ (tool/one) 1)", options);
  show("state", ptcvm::run_state_name(cancelled.step()));
  show("fault", cancelled.diagnostic()->kind);
  // [/cancel]

  Steps steps;
  options.observer = &steps;
  ptcvm::Run traced = started(engine, "(def f (fn [n]\n  (if (< n 3)\n    (f (inc n))\n    n)))\n(f 0)", options);
  traced.step();
}
