// Runs a program in an event loop: its two calls are under way at the same time, and so is the clock of the host.
#include <boost/asio.hpp>
#include <cstdio>

#include "ptcvm/asio.hpp"
#include "ptcvm/ptcvm.hpp"

namespace asio = boost::asio;

// Answers one call. A real one would speak to a server here.
asio::awaitable<ptcvm::Result<ptcvm::Value>> fetch(const ptcvm::WaitingCall& call) {
  asio::steady_timer latency(co_await asio::this_coro::executor, std::chrono::milliseconds(20));
  co_await latency.async_wait(asio::use_awaitable);
  co_return ptcvm::Value::of("page of " + std::string(*call.args["url"].as_string()));
}

asio::awaitable<void> serve(ptcvm::Run run) {
  const ptcvm::RunState state = co_await ptcvm::async_run(run, {.answer = fetch});
  std::printf("%s %s\n", ptcvm::run_state_name(state), run.result().to_edn().c_str());
}

int main() {
  const ptcvm::Engine engine;
  ptcvm::RunOptions options;
  if (!options.tools.defer("fetch", "(url :string) -> :string")) return 1;
  const auto program = engine.compile("(pmap #(tool/fetch {:url %}) [\"a.example\" \"b.example\"])");
  auto run = ptcvm::Run::start(engine, *program, options);
  if (!run) return 1;

  asio::io_context io;
  asio::co_spawn(io, serve(std::move(*run)), asio::detached);
  io.run();
}
