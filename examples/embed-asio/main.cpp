// Runs a stored program in an event loop: its eight calls are under way at the same time, so the program takes about as
// long as one of them. The store has the intent of each call before it begins.
#include <algorithm>
#include <boost/asio.hpp>
#include <cstdio>

#include "ptcvm/asio_stored_run.hpp"
#include "ptcvm/ptcvm.hpp"

namespace asio = boost::asio;

int under_way = 0, most_under_way = 0;

// Answers one call. A real one would speak to a server here.
asio::awaitable<ptcvm::Result<ptcvm::Value>> fetch(const ptcvm::WaitingCall& call) {
  most_under_way = std::max(most_under_way, ++under_way);
  asio::steady_timer latency(co_await asio::this_coro::executor, std::chrono::milliseconds(50));
  co_await latency.async_wait(asio::use_awaitable);
  --under_way;
  co_return ptcvm::Value::of("page " + std::to_string(*call.args["n"].as_int()));
}

asio::awaitable<void> serve(ptcvm::StoredRun run) {
  co_await ptcvm::async_stored_run(run, {.answer = fetch});
  if (!run.last_step()) co_return;   // busy, store_failed: the error says why, and the store is right
  std::printf("%s, %d calls at once\n", run.outcome().outcome.value.to_edn().c_str(), most_under_way);
}

int main() {
  const ptcvm::Engine engine;
  const ptcvm::Store store = ptcvm::Store::in_memory();   // ptcvm::open_sqlite("runs.db") survives the process
  ptcvm::Tools tools;
  if (!tools.defer("fetch", "(n :int) -> :string")) return 1;
  auto run = ptcvm::StoredRun::start(engine, store, tools, "(pmap #(tool/fetch {:n %}) (range 8))", {.id = "pages"});
  if (!run) return 1;

  asio::io_context io;
  asio::co_spawn(io, serve(std::move(*run)), asio::detached);
  io.run();
}
