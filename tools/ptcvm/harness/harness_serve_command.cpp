// ptcvm harness serve: conversations as a page, for people in browsers.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/json.hpp>
#include <csignal>
#include <iostream>
#include <stop_token>

#include "agents/harness/sending/log_transport.h"
#include "drivers/http/web_server.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/harness/harness_fetch.h"
#include "tools/ptcvm/harness/harness_remote.h"
#include "tools/ptcvm/harness/harness_site.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kWorkers = 4;

struct ServeArguments {
  HarnessArguments harness;
  std::vector<std::string> ids, more_ids, tokens, agent_tokens, hosts;
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  bool serves_a2a = false;
};

bool is_secret(std::string_view text) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._~+/-").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, is_good);
}

// Reads NAME=SECRET or SECRET.
std::optional<drivers::WebToken> token_of(const std::string& text, std::string_view usual_name) {
  const std::size_t equals = text.find('=');
  drivers::WebToken token;
  if (equals == std::string::npos) {
    token = {std::string(usual_name), text};
  } else {
    token = {text.substr(0, equals), text.substr(equals + 1)};
  }
  if (token.name.empty() || !is_secret(token.secret)) return std::nullopt;
  return token;
}

// Adds the tokens of an option. Returns false, with the reason, when one cannot be read.
bool add_tokens(std::string_view option, const std::vector<std::string>& texts, const drivers::WebToken& usual,
                std::vector<drivers::WebToken>& tokens, std::string& message) {
  for (const std::string& text : texts) {
    auto token = token_of(text, usual.name);
    message = std::string(option) + ": must be SECRET or NAME=SECRET, the secret of letters, digits, and . _ ~ + / -";
    if (!token) return false;
    token->is_of_agent = usual.is_of_agent;
    message = std::string(option) + ": a person has the same secret; give agents another one";
    const bool is_of_person = std::ranges::any_of(
        tokens, [&token](const auto& other) { return other.secret == token->secret && !other.is_of_agent; });
    if (token->is_of_agent && is_of_person) return false;
    tokens.push_back(*std::move(token));
  }
  return true;
}

// Returns the tokens; people come first, with a new token when nobody of them has one. nullopt, with the reason: a
// token cannot be read.
std::optional<std::vector<drivers::WebToken>> tokens_of(const ServeArguments& arguments, std::string& message) {
  std::vector<drivers::WebToken> tokens;
  if (!add_tokens("--token", arguments.tokens, {"page", "", false}, tokens, message)) return std::nullopt;
  if (tokens.empty()) tokens.push_back({"page", drivers::random_secret()});
  if (!add_tokens("--a2a-token", arguments.agent_tokens, {"agent", "", true}, tokens, message)) return std::nullopt;
  return tokens;
}

MakeTransport transport_of(const ServeArguments& arguments, const Store& store) {
  const std::string peer = arguments.harness.peer, remote = arguments.harness.remote;
  return [peer, remote, store](harness::Conversation& own,
                               std::string& message) -> std::unique_ptr<harness::Transport> {
    if (!remote.empty()) return remote_transport(remote, own, message);
    if (peer.empty()) return std::make_unique<harness::LogTransport>();
    auto opened = peer_transport(store, peer, own);
    if (opened) return *std::move(opened);
    message = opened.error().message;
    return nullptr;
  };
}

int serve_site(const ServeArguments& arguments, const RoomHouse& house, drivers::WebGuard& guard,
               const std::string& secret, asio::io_context& context, std::stop_source& stop) {
  HarnessSite site(house, guard, arguments.ids);
  if (const auto opened = site.open_named(); !opened) return refuse_error(opened.error());
  drivers::WebServer server(context, [&site](const drivers::WebRequest& request,
                                             const std::shared_ptr<drivers::WebExchange>& exchange) {
    site.handle(request, exchange);
  });
  if (const auto failed = server.listen(arguments.address, arguments.port)) return refuse_input(*failed);
  guard.set_port(server.port());
  const std::string place = (arguments.address.find(':') == std::string::npos ? arguments.address
                                                                              : "[" + arguments.address + "]") +
                            ":" + std::to_string(server.port());
  asio::signal_set signals(context, SIGINT, SIGTERM);   // before the address is said
  signals.async_wait([&context, &stop](const boost::system::error_code&, int) {
    stop.request_stop();
    context.stop();
  });
  std::cout << "http://" << place << "/?token=" << secret << std::endl;
  if (!std::cout.good()) return kBadInput;   // nobody has the token, so nobody can log in
  site.watch();
  context.run();
  return kSuccess;
}

int serve(const ServeArguments& arguments) {
  int status = kSuccess;
  const auto store = store_of(arguments.harness.store, StoreUse::Create, status);
  if (!store) return status;
  std::string message;
  const bool has_other = !arguments.harness.peer.empty() || !arguments.harness.remote.empty();
  if (has_other && arguments.ids.size() != 1) {
    return refuse_input("--peer and --remote: name one conversation with --id");
  }
  if (!arguments.harness.peer.empty()) {
    const auto own = harness::Conversation::open(HostLog::of(*store, arguments.ids.front()));
    if (!own) return refuse_error(own.error());
    const auto peer = peer_transport(*store, arguments.harness.peer, *own);
    if (!peer) return refuse_error(peer.error());
  }
  if (!arguments.harness.remote.empty()) {
    if (message = wrong_remote(arguments.harness.remote); !message.empty()) return refuse_input(message);
  }
  const bool is_loopback = arguments.address == "127.0.0.1" || arguments.address == "::1";
  if (!is_loopback && arguments.tokens.empty()) {
    return refuse_input("--address " + arguments.address + ": give a --token, because others can reach the server");
  }
  const auto tokens = tokens_of(arguments, message);
  if (!tokens) return refuse_input(message);
  auto usual = planner_parts(arguments.harness, message);
  if (!usual) return refuse_input(message);
  if (message = missing_model(*usual); !message.empty()) return refuse_input(message);
  asio::thread_pool workers(kWorkers);
  asio::io_context context(1);   // ends first: what waits in it holds rooms, and rooms have strands of the workers
  std::stop_source stop;
  const RoomHouse house{context,
                        workers,
                        *store,
                        *std::move(usual),
                        *harness::find_send_mode(arguments.harness.mode),
                        transport_of(arguments, *store),
                        fetch_document,
                        !arguments.harness.remote.empty(),
                        arguments.harness.begins,
                        arguments.serves_a2a,
                        !arguments.harness.remote.empty() || !arguments.harness.peer.empty(),
                        stop.get_token()};
  drivers::WebGuard guard(*tokens, arguments.hosts);
  status = serve_site(arguments, house, guard, tokens->front().secret, context, stop);
  workers.join();   // passes and sendings that were begun are finished
  return status;
}

}  // namespace

void add_harness_serve(CLI::App& app, int& status) {
  auto* const command = app.add_subcommand("serve", "Show conversations as a page, and let people act in it");
  auto arguments = std::make_shared<ServeArguments>();
  HarnessArguments& harness = arguments->harness;
  harness.planner = "off";
  declare_sealed_store(*command, harness.store);
  command->add_option("ID", arguments->ids, "Serve these conversations. Default: all");
  command->add_option("--id", arguments->more_ids, "Serve this conversation, too; repeatable");
  command->add_option("--port", arguments->port, "The port; 0 takes any");
  command->add_option("--address", arguments->address, "The address to listen on")->capture_default_str();
  command->add_option("--host", arguments->hosts, "A name of the server in the header Host, with its port");
  command->add_option("--token", arguments->tokens, "SECRET or NAME=SECRET of a person. Default: a new one");
  command->add_option("--planner", harness.planner,
                      "off, simple-demo, llm-drafter, scenario-v0.3, agent:FILE, or the file of a program, until "
                      "people choose");
  declare_planner(*command, harness);
  command->add_option("--peer", harness.peer, "The conversation of the other side, in the same store");
  command->add_option("--remote", harness.remote, "The agent of the other side, a URL of a server of A2A");
  command->add_flag("--a2a", arguments->serves_a2a, "Let others talk to the conversations by A2A, at /a2a/ID");
  command->add_option("--a2a-token", arguments->agent_tokens,
                      "SECRET or NAME=SECRET of an agent of the other side: it opens /a2a/ID, and nothing else");
  command->add_option("--mode", harness.mode, "approve: a person approves drafts; auto: they are sent")
      ->check(CLI::IsMember({"approve", "auto"}));
  command->add_flag("--begin", harness.begins, "Begin an empty conversation");
  command->footer(R"(Examples:
  ptcvm harness serve --store talk.db
  ptcvm harness serve --store talk.db --id clinic --peer payer --planner scenario-v0.3 --scenario visit.json
  ptcvm harness serve --store talk.db --id payer --a2a --a2a-token clinic=SECRET

The first line of standard output is the address to open. docs/harness.md has the requests that the page makes.)");
  command->callback([arguments, &status] {
    arguments->ids.insert(arguments->ids.end(), arguments->more_ids.begin(), arguments->more_ids.end());
    status = serve(*arguments);
  });
}

}  // namespace ptcvm::cli
