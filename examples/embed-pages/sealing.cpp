// docs/sealing.md
#include "shown.h"

int main() {
  // [ring]
  ptcvm::KeyRing keys;                                            // or KeyRing::load("ring.json")
  keys.rotate({.id = "2026-08"}).value();                         // a fresh key, which signs from now on
  // [/ring]
  const ptcvm::Engine engine;
  ptcvm::Tools tools;
  tools.defer("ask", "() -> :int", {.mode = ptcvm::ToolMode::Async}).value();
  ptcvm::RunOptions options;
  options.id = "run-17";
  options.tools = tools;
  ptcvm::Run run = started(engine, "(* 2 (await (tool/ask {})))", options);
  while (run.step() == ptcvm::RunState::Yielded) run.answer_pending(run.calls().front().id, "letter").value();

  // [seal]
  const auto envelope = ptcvm::seal(run.snapshot(), keys,
                                    {.tenant = "acme", .run_id = run.id(), .sequence = 4}).value();
  // [/seal]

  // [open]
  const auto opened = ptcvm::open_sealed(envelope, keys,
                                         {.tenant = "acme", .run_id = "run-17", .minimum_sequence = 4}).value();
  ptcvm::Run later = ptcvm::Run::restore(engine, opened.payload, {.tools = tools}).value();
  // [/open]
  later.resolve("letter", ptcvm::Value::of(21)).value();
  later.step();
  show("result", later.result().to_edn());

  // [refused]
  const auto old = ptcvm::open_sealed(envelope, keys, {.tenant = "acme", .minimum_sequence = 5});
  if (!old) show(ptcvm::errc_name(old.error().code), old.error().detail);
  // [/refused]

  // [rotate]
  keys.rotate({.id = "2026-09"}).value();                         // what 2026-08 sealed still opens
  show("still opens", ptcvm::open_sealed(envelope, keys, {.tenant = "acme"}) ? "yes" : "no");
  keys.revoke("2026-08").value();                                 // from now on nothing that it sealed opens
  show("after revoke()", ptcvm::open_sealed(envelope, keys, {.tenant = "acme"}).error().detail);
  // [/rotate]
}
