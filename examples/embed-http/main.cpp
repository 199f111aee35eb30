// An HTTP service in one process that runs programs and goes on with them by webhooks.
//
//   POST /runs                    {"program": "…", "data": {…}}   200: over, with the result. 202: it waits
//   GET  /runs/ID                                                 the same
//   POST /runs/ID/operations/OP   {"value": …}                    the webhook; 409: it had another value before
//
//   embed-http DATABASE LEDGER [PORT]     port 0, or none: any; the first line printed says which
//
// One thread does the input and output, a few others execute programs. SIGTERM and SIGINT: no more connections,
// requests that were read are answered, then it ends. kill -9 is fine, too: the next process goes on.
#include <boost/algorithm/string.hpp>
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <iostream>

#include "ptcvm/sqlite.hpp"
#include "service.hpp"

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;
using Tcp = asio::ip::tcp;
using Request = http::request<http::string_body>;

constexpr std::size_t kWorkers = 4, kConnections = 1'024, kBodyBytes = 64u << 10;
constexpr std::uint32_t kHeaderBytes = 8u << 10;
constexpr std::chrono::seconds kPatience{30};   // for one request, and for one answer

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

Reply answer_to(RunService& service, const Request& request) {
  std::vector<std::string> parts;
  boost::split(parts, std::string_view(request.target()).substr(1), boost::is_any_of("/"));
  const bool is_run = (parts.size() == 1 || parts.size() == 2 || parts.size() == 4) && parts[0] == "runs";
  if (!is_run || (parts.size() == 4 && parts[2] != "operations")) return {404, {{"error", "no such place"}}};
  if (parts.size() == 2) {
    if (request.method() != http::verb::get) return {405, {{"error", "GET only"}}};
    return service.look(parts[1]);
  }
  if (request.method() != http::verb::post) return {405, {{"error", "POST only"}}};
  boost::system::error_code error;
  const json::value body = json::parse(request.body(), error);
  if (error || !body.is_object()) return {400, {{"error", "the body must be a JSON object"}}};
  return parts.size() == 1 ? service.start(body.as_object())
                           : service.resolve(parts[1], parts[3], body.as_object());
}

class Server {
 public:
  Server(RunService& service, std::uint16_t port)
      : service_(service), acceptor_(io_, Tcp::endpoint(asio::ip::address_v4::loopback(), port)),
        signals_(io_, SIGINT, SIGTERM) {}

  void run() {
    std::cout << "listening on http://127.0.0.1:" << acceptor_.local_endpoint().port() << std::endl;
    for (const std::string& run : service_.interrupted()) go_on(run);
    signals_.async_wait([this](boost::system::error_code, int) { stop(); });
    asio::co_spawn(io_, accept(), asio::detached);
    asio::co_spawn(io_, look_for_woken(), asio::detached);
    io_.run();
    workers_.join();
  }

 private:
  void stop() {
    is_stopping_ = true;
    acceptor_.close();
    if (busy_ == 0) io_.stop();
  }

  void go_on(const std::string& run) {
    asio::post(workers_, [this, run] { service_.go_on(run); });
  }

  // Sleeps that are over, and answers that came while no process was there.
  asio::awaitable<void> look_for_woken() {
    asio::steady_timer timer(io_);
    while (!is_stopping_) {
      for (const std::string& run : service_.woken()) go_on(run);
      timer.expires_after(std::chrono::seconds(1));
      co_await timer.async_wait(kNoThrow);
    }
  }

  asio::awaitable<void> accept() {
    while (!is_stopping_) {
      auto [error, socket] = co_await acceptor_.async_accept(kNoThrow);
      if (error || connections_ == kConnections) continue;   // the socket is closed
      asio::co_spawn(io_, serve(beast::tcp_stream(std::move(socket))), asio::detached);
    }
  }

  asio::awaitable<void> serve(beast::tcp_stream stream) {
    ++connections_;
    beast::flat_buffer buffer;
    for (bool keep_alive = true; keep_alive && !is_stopping_;) {
      http::request_parser<http::string_body> parser;
      parser.body_limit(kBodyBytes);
      parser.header_limit(kHeaderBytes);
      stream.expires_after(kPatience);
      const auto [error, size] = co_await http::async_read(stream, buffer, parser, kNoThrow);
      if (error && error != http::error::body_limit) break;
      ++busy_;
      keep_alive = !error && parser.get().keep_alive();
      Reply reply{413, {{"error", "the body is too large"}}};
      if (!error) reply = co_await asio::co_spawn(workers_, answered(parser.get()), asio::use_awaitable);
      keep_alive = co_await write(stream, reply, keep_alive && !is_stopping_) && keep_alive;
      if (--busy_ == 0 && is_stopping_) io_.stop();
    }
    --connections_;
  }

  asio::awaitable<Reply> answered(const Request& request) { co_return answer_to(service_, request); }

  asio::awaitable<bool> write(beast::tcp_stream& stream, const Reply& reply, bool keep_alive) {
    http::response<http::string_body> response(http::status(reply.status), 11, json::serialize(reply.body) + '\n');
    response.set(http::field::content_type, "application/json");
    response.keep_alive(keep_alive);
    response.prepare_payload();
    stream.expires_after(kPatience);
    const auto [error, size] = co_await http::async_write(stream, response, kNoThrow);
    co_return !error;
  }

  RunService& service_;
  asio::io_context io_{1};
  asio::thread_pool workers_{kWorkers};
  Tcp::acceptor acceptor_;
  asio::signal_set signals_;
  std::size_t connections_ = 0, busy_ = 0;
  bool is_stopping_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: embed-http DATABASE LEDGER [PORT]\n";
    return 2;
  }
  auto store = ptcvm::open_sqlite(argv[1]);
  if (!store) {
    std::cerr << store.error().message << '\n';
    return 1;
  }
  RunService service(std::move(*store), argv[2]);
  Server(service, argc == 4 ? static_cast<std::uint16_t>(std::stoi(argv[3])) : std::uint16_t{0}).run();
}
