// A chat page over server-sent events: it streams what the model writes, shows calls of tools, and asks the person who
// chats for approvals. README.md shows it. The process may be killed at any time; the next one goes on.
#include <CLI/CLI.hpp>
#include <boost/asio/signal_set.hpp>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "agents/loop/agent_definition.h"
#include "ptcvm/sqlite.hpp"
#include "server.h"

namespace {

struct Arguments {
  std::string store = "chat.db", book = "bank.txt", model = "scripted:script.jsonl", agent = "agent.json",
              page = "page";
  std::uint16_t port = 8080;
  int pace_ms = 30;
};

int run(const Arguments& arguments) {
  std::ifstream file(arguments.agent);
  std::ostringstream text;
  text << file.rdbuf();
  const auto definition = ptcvm::loop::read_agent_text(text.str());
  if (!definition) throw std::runtime_error(arguments.agent + ": " + definition.error().message);
  const auto store = ptcvm::open_sqlite(arguments.store);
  if (!store) throw std::runtime_error(arguments.store + ": " + store.error().message);
  boost::asio::io_context io{1};
  const auto models = open_models(io, arguments.model, arguments.pace_ms);
  if (const auto* const wrong = std::get_if<std::string>(&models)) throw std::runtime_error(*wrong);
  const ptcvm::Engine engine;
  Bank bank(arguments.book);
  Server server({io, engine, *definition, *store, std::get<Models>(models), bank}, arguments.page, arguments.port);
  server.start();
  boost::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&io](const boost::system::error_code&, int) { io.stop(); });
  std::cout << "http://127.0.0.1:" << server.port() << '/' << std::endl;
  io.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("A chat page for an agent, on the loopback address");
  app.add_option("--store", arguments.store, "The file with the conversations")->capture_default_str();
  app.add_option("--book", arguments.book, "The file with the transfers of the bank")->capture_default_str();
  app.add_option("--model", arguments.model,
                 "scripted:FILE, or chat:NAME, responses:NAME, messages:NAME with @URL for a server of your own")
      ->capture_default_str();
  app.add_option("--agent", arguments.agent, "The agent, a file of JSON")->capture_default_str();
  app.add_option("--page", arguments.page, "The folder of the page")->capture_default_str();
  app.add_option("--port", arguments.port, "The port; 0: any free one")->capture_default_str();
  app.add_option("--pace", arguments.pace_ms, "Milliseconds between two pieces of a scripted reply")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "embed-chat: " << error.what() << '\n';
    return 1;
  }
}
