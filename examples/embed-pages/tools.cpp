// docs/embedding/tools.md
#include "shown.h"

#include <chrono>
#include <thread>

using std::chrono::milliseconds;

std::string answer(const ptcvm::Engine& engine, const ptcvm::Tools& tools, std::string_view source) {
  ptcvm::RunOptions options;
  options.tools = tools;
  ptcvm::Run run = started(engine, source, options);
  while (run.step() == ptcvm::RunState::Yielded && run.calls().empty()) {
    std::this_thread::sleep_for(milliseconds(1));     // a pause between attempts
  }
  return run.diagnostic() ? run.diagnostic()->message : run.result().to_edn();
}

int main() {
  const ptcvm::Engine engine;
  // [typed]
  ptcvm::Tools tools;
  tools.add("repeat", "(text :string, times :int?) -> :string", [](const std::string& text, std::optional<int> times) {
         std::string out;
         for (int i = 0; i < times.value_or(2); ++i) out += text;
         return out;
       }).value();
  show("typed", answer(engine, tools, "(tool/repeat {:text \"ab\" :times \"3\"})"));
  show("wrong", answer(engine, tools, "(tool/repeat {:text \"ab\" :times :many})"));
  // [/typed]

  // [errors]
  tools.add("stock", "(sku :string) -> :int", [](const std::string& sku) -> ptcvm::Result<int> {
         if (sku.empty()) return ptcvm::Error{ptcvm::Errc::invalid_value, "no such article", {}};
         return 12;
       }).value();
  show("error", answer(engine, tools, "(tool/stock {:sku \"\"})"));
  // [/errors]

  // [keyed]
  ptcvm::ToolOptions pays;
  pays.effect = ptcvm::Effect::Keyed;                  // may be called again with its key
  pays.description = "pays an amount, once for each key";
  tools.add("pay", "(to :string, amount :int) -> {paid :int}", [](ptcvm::ToolCall& call) {
         show("key", call.idempotency_key());          // goes to the payment service with the order
         return call.build([&](ptcvm::ValueWriter& out) {
           out.map([&](ptcvm::ValueWriter& map) { map.entry("paid", *call.arg("amount").as_int()); });
         });
       }, pays).value();
  show("paid", answer(engine, tools, "(task \"order-17\" (tool/pay {:to \"bo\" :amount 5}))"));
  // [/keyed]

  // [cache]
  int calls = 0;
  tools.add("rate", "(currency :string) -> :float", [&](const std::string&) { return ++calls, 1.25; },
            {.cache = true}).value();
  answer(engine, tools, "[(tool/rate {:currency \"EUR\"}) (tool/rate {:currency \"EUR\"})]");
  show("calls of a cached tool", std::to_string(calls));
  // [/cache]

  // [retry]
  ptcvm::ToolOptions patient;
  patient.retry = {.max_attempts = 3, .first_delay = milliseconds(1)};
  tools.add("shaky", "() -> :string", [](ptcvm::ToolCall& call) {
         return call.attempt() < 3 ? call.error("not yet") : call.value("attempt 3");
       }, patient).value();
  show("retried", answer(engine, tools, "(tool/shaky)"));
  // [/retry]

  // [deadline]
  ptcvm::ToolOptions hasty;
  hasty.deadline = milliseconds(5);
  tools.add("scan", "() -> :any", [](ptcvm::ToolCall& call) {
         while (!call.expired()) {
           call.report_partial("the first page");      // the last one counts
           std::this_thread::sleep_for(milliseconds(1));
         }
         return call.timed_out();
       }, hasty).value();
  show("deadline", answer(engine, tools, "(tool/scan)"));
  // [/deadline]

  // [async]
  tools.add("approve", "(what :string) -> :bool", [](ptcvm::ToolCall& call) {
         return call.pending("ticket-4");              // or "", and the run gives it an id
       }, {.mode = ptcvm::ToolMode::Async}).value();
  ptcvm::RunOptions options;
  options.tools = tools;
  const char* buys = "(let [a (tool/approve {:what \"desk\"})] (if (await a) :bought :refused))";
  ptcvm::Run waiting = started(engine, buys, options);
  waiting.step();                                      // Suspended
  waiting.resolve("ticket-4", ptcvm::Value::of(true)).value();
  waiting.step();
  show("async", waiting.result().to_edn());
  // [/async]

  // [deferred]
  tools.defer("fetch", "(url :string) -> :string").value();
  options.tools = tools;
  ptcvm::Run fetching = started(engine, "(pmap #(tool/fetch {:url %}) [\"a\" \"b\"])", options);
  while (fetching.step() == ptcvm::RunState::Yielded) {
    for (const ptcvm::WaitingCall& call : fetching.calls()) {   // hand them to the event loop; here they are answered
      fetching.answer(call.id, ptcvm::Value::of("page " + std::string(*call.args["url"].as_string()))).value();
    }
  }
  show("deferred", fetching.result().to_edn());
  // [/deferred]
}
