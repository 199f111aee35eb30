// docs/embedding/runs.md
#include "shown.h"

#include <thread>

int main() {
  const ptcvm::Engine engine;
  ptcvm::Tools tools;
  tools.add("page", "() -> :any", [](ptcvm::ToolCall& call) { return call.pending(); },
            {.mode = ptcvm::ToolMode::Async}).value();
  ptcvm::RunOptions options;
  options.tools = tools;

  // [states]
  for (const char* source :
       {"(+ 1 2)", "(do (return 7) 8)", "(fail {:why :late})", "(+ 1 :a)", "(await (tool/page))"}) {
    ptcvm::Run run = started(engine, source, options);
    const ptcvm::RunState state = run.step();
    if (const auto fault = run.diagnostic()) {
      show(ptcvm::run_state_name(state), fault->kind);
    } else if (state == ptcvm::RunState::Suspended) {
      show(ptcvm::run_state_name(state), run.pending().front().id);
    } else {
      show(ptcvm::run_state_name(state), run.result().to_edn());
    }
  }
  // [/states]

  // [slices]
  ptcvm::Run first = started(engine, "(reduce + (range 5000))");
  ptcvm::Run second = started(engine, "(reduce * (range 1 20))");
  while (!first.is_over() || !second.is_over()) {   // by turns, on one thread; a run that is over stays as it is
    first.step(1'000);
    second.step(1'000);
  }
  show("first", first.result().to_edn());
  show("second", second.result().to_edn());
  // [/slices]

  // [move]
  ptcvm::Run moving = started(engine, "(reduce + (range 5000))");
  moving.step(1'000);
  std::thread other([run = std::move(moving)]() mutable {
    run.step();
    show("on another thread", run.result().to_edn());
  });
  other.join();
  // [/move]

  // [cancel]
  ptcvm::Run endless = started(engine, "(loop [i 0] (if (< i 9000) (recur (inc i)) i))");
  endless.step(100);
  endless.cancel();                                 // from any thread; step() sees it
  endless.step();
  show("cancelled", endless.diagnostic()->kind);
  // [/cancel]

  // [time]
  options.time_ms = 1'000;                          // the program's time is what the host says
  ptcvm::Run sleeper = started(engine, "(do (sleep 500) :awake)", options);
  sleeper.step();
  show("wakes at", std::to_string(*sleeper.wake_time_ms()));
  sleeper.set_time(1'500);
  sleeper.step();
  show("then", sleeper.result().to_edn());
  // [/time]

  // [session]
  ptcvm::Session session = ptcvm::Session::create(engine).value();
  session.eval("(def prices {:book 30 :pen 2})");
  show("turn 2", session.eval("(:book prices)").value.to_edn());
  show("turn 3", session.eval("(+ *1 (:pen prices))").value.to_edn());
  ptcvm::Session elsewhere = ptcvm::Session::restore(engine, session.snapshot()).value();
  show("turn 4", elsewhere.eval("[*1 (count prices)]").value.to_edn());
  // [/session]
}
