// docs/embedding/hooks.md
#include "shown.h"

#include <ptcvm/sqlite.hpp>

#include <filesystem>

ptcvm::Tools paying() {
  ptcvm::Tools tools;
  tools.add("pay", "(to :string, amount :int) -> :string", [](const std::string& to, std::int64_t amount) {
         show("paying", to + " " + std::to_string(amount));
         return "paid " + to;
       }).value();
  return tools;
}

// [judge]
ptcvm::HookVerdict judge(ptcvm::ToolCall& call) {
  if (call.name() != "pay") return ptcvm::HookVerdict::allow();
  const std::int64_t amount = call.arg("amount").as_int().value_or(0);
  if (amount > 10'000) return ptcvm::HookVerdict::deny("more than 10000 is for the board");
  if (amount > 100) return ptcvm::HookVerdict::ask("pay " + std::to_string(amount) + "?");
  if (amount > 0) return ptcvm::HookVerdict::allow();
  return ptcvm::HookVerdict::change(ptcvm::Value::from_json(R"({"to": "charity", "amount": 1})").value());
}
// [/judge]

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const ptcvm::Engine engine;
  // [verdicts]
  ptcvm::RunOptions options;
  options.tools = paying();
  options.hooks.before_tool = judge;
  for (const char* amount : {"5", "0", "20000"}) {
    ptcvm::Run run = started(engine, "(tool/pay {:to \"bo\" :amount " + std::string(amount) + "})", options);
    run.step();
    show(amount, run.diagnostic() ? run.diagnostic()->message : run.result().to_edn());
  }
  // [/verdicts]

  // [ask]
  ptcvm::Run run = started(engine, "(tool/pay {:to \"bo\" :amount 500})", options);
  run.step();                                                // Suspended: somebody has to say
  const std::vector<std::byte> bytes = run.snapshot();       // the question is in it

  ptcvm::RestoreOptions there;
  there.tools = paying();
  there.hooks.before_tool = judge;                           // is not asked about this call again
  ptcvm::Run restored = ptcvm::Run::restore(engine, bytes, there).value();
  const ptcvm::WaitingCall question = restored.questions().front();
  show("question", question.question + " " + question.args.to_edn());
  const auto forged = restored.decide(question.key, true, {}, "{\"amount\" 5 \"to\" \"bo\"}");
  show("about other arguments", ptcvm::errc_name(forged.error().code));
  restored.decide(question.key, true, {}, question.args.to_edn()).value();
  restored.step();
  show("answer", restored.result().to_edn());
  // [/ask]

  const std::string path = argv[1];
  std::filesystem::remove(path);
  // [stored]
  ptcvm::Store store = ptcvm::open_sqlite(path).value();
  ptcvm::StoredOptions stored;
  stored.id = "payday";
  stored.hooks.before_tool = judge;
  const char* source = "(task \"pay bo\" (tool/pay {:to \"bo\" :amount 700}))";
  const auto parked = ptcvm::run_stored(engine, store, paying(), source, stored).value();
  const ptcvm::StoredWait asked = parked.questions.front();
  show("stored question", asked.text + " " + asked.args_edn);

  // Any process that can open the store:
  store.decide("payday", asked.key, true, "it is payday", "Ann", asked.args_edn).value();

  const auto done = ptcvm::run_stored(engine, store, paying(), source, stored).value();
  show("done", done.outcome.value.to_edn());
  // [/stored]

  // [after]
  ptcvm::RunOptions watched;
  watched.tools = paying();
  watched.hooks.after_tool = [](ptcvm::ToolCall&, ptcvm::ValueView got) -> std::optional<ptcvm::Value> {
    if (got.as_string() == "paid bo") return ptcvm::Value::of("paid ***");
    return std::nullopt;                                     // it stays what it is
  };
  watched.hooks.on_error = [](const ptcvm::Diagnostic& fault) { show("heard", fault.kind); };
  ptcvm::Run masked = started(engine, "(do (println (tool/pay {:to \"bo\" :amount 1})) (+ 1 :a))", watched);
  masked.step();
  show("printed", masked.prints().front());
  // [/after]
}
