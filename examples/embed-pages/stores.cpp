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

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = argv[1];
  std::filesystem::remove(path);
  {
    // [first]
    const ptcvm::Engine engine;
    ptcvm::Store store = ptcvm::open_sqlite(path).value();
    const ptcvm::Value data = ptcvm::Value::from_json(R"({"item": "desk"})").value();
    ptcvm::StoredOptions options;
    options.id = "order-17";
    options.data = data;
    const auto outcome = ptcvm::run_stored(engine, store, shop(), kOrder, options).value();
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
    ptcvm::StoredOptions options;
    options.id = id;
    const auto outcome = ptcvm::run_stored(engine, store, shop(), kOrder, options).value();
    show(id, outcome.outcome.value.to_edn());
  }
  // [/again]

  // [before]
  ptcvm::StoredOptions same;
  same.id = "order-17";
  const auto before = ptcvm::run_stored(engine, store, shop(), kOrder, same).value();
  show("ended before", before.end == ptcvm::StoredEnd::EndedBefore ? before.outcome.value.to_edn() : "no");
  for (const ptcvm::StoredRun& run : store.runs().value()) {
    show(run.id, run.state == ptcvm::StoredState::Ended ? "ended" : "not ended");
  }
  // [/before]

  // [signal]
  same.id = "order-18";
  const char* listens = "(let [said (await-signal \"price-18\")] {:price said})";
  ptcvm::run_stored(engine, store, {}, listens, same).value();            // Suspended
  store.put("order-18", "price-18", ptcvm::Value::of(30), "price desk").value();
  show("signal", ptcvm::run_stored(engine, store, {}, listens, same)->outcome.value.to_edn());
  // [/signal]
}
