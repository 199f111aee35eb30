// docs/embedding/stores.md
#include "shown.h"

#include <ptcvm/sqlite.hpp>

#include <filesystem>

// [tools]
ptcvm::Tools shop() {
  ptcvm::Tools tools;
  tools.add("reserve", "(item :string) -> :string", [](const std::string& item) {
         show("reserved", item);
         return item + "-1";
       }, {.effect = ptcvm::Effect::Keyed}).value();
  tools.add("ask_manager", "(item :string) -> :bool", [](ptcvm::ToolCall& call) { return call.pending("manager"); },
            {.mode = ptcvm::ToolMode::Async}).value();
  return tools;
}

constexpr const char* kOrder = R"(
  (let [held (task "reserve" (tool/reserve {:item data/item}))
        yes  (task "ask" (await (tool/ask_manager {:item data/item})))]
    (if yes {:bought held} {:released held}))
)";
// [/tools]

// [go-on]
// Begins the run of an order, or goes on with it. Source, tools and data are the same each time.
ptcvm::Result<ptcvm::StoredOutcome> go_on(const ptcvm::Engine& engine, ptcvm::Store& store, const std::string& order) {
  const ptcvm::Value data = ptcvm::Value::from_json(R"({"item": "desk"})").value();
  ptcvm::StoredOptions options;
  options.id = order;
  options.data = data;
  return ptcvm::run_stored(engine, store, shop(), kOrder, options);
}
// [/go-on]

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = argv[1];
  std::filesystem::remove(path);
  {
    // [first]
    const ptcvm::Engine engine;
    ptcvm::Store store = ptcvm::open_sqlite(path).value();
    const auto outcome = go_on(engine, store, "order-17").value();
    if (outcome.end == ptcvm::StoredEnd::Suspended) show("waits for", outcome.pending.front().key);
    // [/first]
  }
  {
    // [resolve]
    ptcvm::Store store = ptcvm::open_sqlite(path).value();   // any process, at any time
    store.resolve("order-17", "manager", ptcvm::Value::of(true), "Ann").value();
    // [/resolve]
  }
  // [again]
  const ptcvm::Engine engine;
  ptcvm::Store store = ptcvm::open_sqlite(path).value();
  const std::int64_t now_ms = 0;                             // sleeps that are over by then are woken, too
  for (const std::string& id : store.woken(now_ms).value()) {
    if (const auto outcome = go_on(engine, store, id)) show(id, outcome->outcome.value.to_edn());
  }
  // [/again]

  // [before]
  const auto before = go_on(engine, store, "order-17").value();
  show("ended before", before.end == ptcvm::StoredEnd::EndedBefore ? before.outcome.value.to_edn() : "no");
  for (const ptcvm::StoredRunInfo& run : store.runs().value()) {
    show(run.id, run.state == ptcvm::StoredState::Ended ? "ended" : "not ended");
  }
  // [/before]

  // [journal]
  const ptcvm::RunJournal journal = store.journal("order-17").value();
  for (const ptcvm::JournalTask& task : journal.tasks) show("task " + task.id, task.value_edn);
  for (const ptcvm::JournalOperation& operation : journal.operations) show(operation.id + " answered by", operation.by);
  // [/journal]

  // [signal]
  ptcvm::StoredOptions other;
  other.id = "order-18";
  const char* listens = "(let [said (await-signal \"price-18\")] {:price said})";
  ptcvm::run_stored(engine, store, {}, listens, other).value();           // Suspended
  store.put("order-18", "price-18", ptcvm::Value::of(30), "price desk").value();
  show("signal", ptcvm::run_stored(engine, store, {}, listens, other)->outcome.value.to_edn());
  // [/signal]

  // [steps]
  ptcvm::Tools prices;
  prices.defer("price", "(item :string) -> :int").value();                // the host answers its calls
  ptcvm::StoredOptions in_steps;
  in_steps.id = "order-19";
  auto run = ptcvm::StoredRun::start(engine, store, prices,
                                     "(pmap #(tool/price {:item %}) [\"desk\" \"lamp\" \"chair\"])", in_steps).value();
  while (run.step().value() == ptcvm::StoredStep::Waits) {
    const auto calls = run.calls();                                       // all three; their intents are on the disk
    show("in flight", std::to_string(calls.size()));
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {      // answers come in any order
      run.answer(call->id, ptcvm::Value::of(10 * static_cast<std::int64_t>(call->id))).value();
    }
  }
  show("in steps", run.outcome().outcome.value.to_edn());
  // [/steps]
}
