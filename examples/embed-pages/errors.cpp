// docs/embedding/errors-and-limits.md
#include "shown.h"

int main() {
  const ptcvm::Engine engine;
  // [result]
  if (const auto value = ptcvm::Value::from_json("{\"a\":"); !value) {
    show(ptcvm::errc_name(value.error().code), value.error().message);
  }
  try {
    (void)ptcvm::Value::from_json("{\"a\":").value();         // the one way to an exception
  } catch (const ptcvm::BadResult& bad) {
    show("thrown", ptcvm::errc_name(bad.code()));
  }
  // [/result]

  // [fault]
  ptcvm::Run run = started(engine, "(let [n 1]\n  (+ n :a))");
  if (run.step() == ptcvm::RunState::Failed) {
    if (const auto fault = run.diagnostic()) {
      std::fputs(fault->text.c_str(), stdout);                // the engine says what is wrong
    } else {
      show("the program said", run.result().to_edn());        // (fail v)
    }
  }
  // [/fault]

  // [limits]
  ptcvm::RunOptions options;
  options.limits.fuel = 5'000;
  options.limits.memory_bytes = 16u << 10;
  const char* const counts = "(loop [i 0] (if (< i 9000) (recur (inc i)) i))";
  const char* const grows = "(loop [v [1]] (recur (into v v)))";
  for (const char* source : {counts, grows, "(+ 1 :a)"}) {
    ptcvm::Run limited = started(engine, source, options);
    limited.step();
    show(limited.diagnostic()->kind, limited.diagnostic()->is_limit ? "a limit" : "the program");
  }
  // [/limits]

  // [outcome]
  ptcvm::Outcome outcome;
  {
    ptcvm::Run done = started(engine, "(do (println \"hello\") (step-done \"s\" \"went well\") [1 2])");
    done.step();
    outcome = done.outcome();                                 // owns everything in it
  }
  show("value", outcome.value.to_edn());
  show("print", outcome.prints.front());
  show("summary", outcome.summaries.front().second);
  show("fuel was used", outcome.usage.fuel > 0 ? "yes" : "no");
  // [/outcome]

  // [signature]
  options.signature = "{total :int}";
  ptcvm::Run shaped = started(engine, "{:total \"7\"}", options);
  shaped.step();
  show(shaped.diagnostic()->kind, shaped.diagnostic()->message);
  // [/signature]
}
