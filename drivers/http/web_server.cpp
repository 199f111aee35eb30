#include "drivers/http/web_server.h"

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "drivers/http/web_target.h"

namespace ptcvm::drivers {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;

namespace {

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

WebReply refusal(unsigned status, const std::string& text) {
  return {status, "text/plain; charset=utf-8", text + '\n', {}};
}

std::optional<WebRequest> request_of(const http::request<http::string_body>& message) {
  const std::string_view text(message.target().data(), message.target().size());
  auto target = read_target(text);
  if (!target) return std::nullopt;
  WebRequest request;
  request.method = std::string(message.method_string());
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  for (const auto& field : message) {
    std::string name(field.name_string());
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    request.headers.emplace_back(std::move(name), std::string(field.value()));
  }
  request.body = message.body();
  return request;
}

template <class Message>
void set_headers(Message& message, const WebReply& reply) {
  message.result(reply.status);
  message.version(11);
  message.set(http::field::content_type, reply.type);
  for (const auto& [name, value] : reply.headers) message.set(name, value);
}

}  // namespace

// Everything that outlives the server object while connections end.
class WebServer::State : public std::enable_shared_from_this<State> {
 public:
  State(asio::io_context& context, WebHandler handler, WebLimits limits)
      : context_(context), acceptor_(context), place_(context), handler_(std::move(handler)), limits_(limits) {}

  std::optional<std::string> listen(const std::string& address, std::uint16_t port);
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void stop();
  void forget(const std::shared_ptr<Connection>& connection);
  // A connection may make room for another one now.
  void look_for_place() { place_.cancel(); }
  std::uint64_t next_turn() { return ++last_turn_; }
  const WebLimits& limits() const { return limits_; }
  void handle(WebRequest request, std::shared_ptr<WebExchange> exchange) {
    handler_(std::move(request), std::move(exchange));
  }

 private:
  static asio::awaitable<void> accept(std::shared_ptr<State> self);
  std::shared_ptr<Connection> least_wanted() const;
  void make_room();
  bool is_full() const { return connections_.size() >= limits_.connections; }

  asio::io_context& context_;
  Tcp::acceptor acceptor_;
  asio::steady_timer place_;           // its end says that there may be a place
  WebHandler handler_;
  WebLimits limits_;
  std::set<std::shared_ptr<Connection>> connections_;
  std::uint64_t last_turn_ = 0;
};

// One connection. Its answers come in order: the next request is read when the last one is answered.
class WebServer::Connection : public WebExchange, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, std::shared_ptr<State> server)
      : stream_(std::move(socket)), ready_(stream_.get_executor()), server_(std::move(server)) {
    beast::error_code ignored;
    const auto peer = stream_.socket().remote_endpoint(ignored);
    if (!ignored) address_ = peer.address();
    wait_for_request();
  }

  static asio::awaitable<void> serve(std::shared_ptr<Connection> self) {
    beast::flat_buffer buffer;
    while (!self->is_gone_ && co_await self->serve_one(buffer)) {
    }
    self->close();
    self->server_->forget(self);
  }

  void close() {
    is_gone_ = true;
    beast::error_code ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_both, ignored);
    stream_.socket().close(ignored);
    ready_.cancel();
  }

  void reply(WebReply reply) override {
    if (reply_) return;
    reply_ = std::move(reply);
    ready_.cancel();
  }
  void stream(WebReply head) override {
    if (reply_) return;
    is_stream_ = true;
    if (!head.body.empty()) write(std::exchange(head.body, {}));
    reply_ = std::move(head);
    ready_.cancel();
  }
  void write(std::string text) override {
    if (is_gone_ || text.empty()) return;
    unsent_bytes_ += text.size();
    unsent_.push_back(std::move(text));
    if (unsent_bytes_ > server_->limits().unsent_bytes) close();
    ready_.cancel();
  }
  void end() override {
    is_ended_ = true;
    ready_.cancel();
  }
  bool is_gone() const override { return is_gone_; }

  // Whether the handler has no request of this connection, which then may make room for another one.
  bool is_waiting() const { return waiting_since_ != 0; }
  std::uint64_t waiting_since() const { return waiting_since_; }
  const asio::ip::address& address() const { return address_; }

 private:
  std::chrono::seconds patience() const { return std::chrono::seconds(server_->limits().request_seconds); }

  void wait_for_request() {
    waiting_since_ = server_->next_turn();
    server_->look_for_place();
  }

  // Reads one request, and returns whether all of it came in time.
  asio::awaitable<bool> read(beast::flat_buffer& buffer, http::request_parser<http::string_body>& parser) {
    parser.body_limit(server_->limits().body_bytes);
    parser.header_limit(server_->limits().header_bytes);
    stream_.expires_after(is_first_ ? std::chrono::seconds(server_->limits().head_seconds) : patience());
    auto [error, size] = co_await http::async_read_header(stream_, buffer, parser, kNoThrow);
    is_first_ = false;
    if (!error) {
      stream_.expires_after(patience());
      std::tie(error, size) = co_await http::async_read(stream_, buffer, parser, kNoThrow);
    }
    if (error == http::error::body_limit) co_await send(refusal(413, "the body is too large"), false);
    co_return !error;
  }

  // Reads one request and answers it. Returns whether another one may follow.
  asio::awaitable<bool> serve_one(beast::flat_buffer& buffer) {
    http::request_parser<http::string_body> parser;
    is_of_head_ = false;
    if (!co_await read(buffer, parser)) co_return false;
    waiting_since_ = 0;
    const bool keeps_alive = parser.get().keep_alive();
    auto request = request_of(parser.get());
    reply_.reset();
    is_stream_ = is_ended_ = false;
    is_of_head_ = parser.get().method() == http::verb::head;
    if (request) {
      server_->handle(*std::move(request), shared_from_this());
    } else {
      reply(refusal(400, "the address is malformed"));
    }
    while (!reply_ && !is_gone_) co_await wait(std::nullopt);
    if (is_gone_) co_return false;
    if (!is_stream_ || is_of_head_) {
      wait_for_request();                // who does not read the answer keeps nobody out, either
      co_return co_await send(*reply_, keeps_alive) && keeps_alive;
    }
    co_await send_stream();
    co_return false;
  }

  asio::awaitable<void> wait(std::optional<std::chrono::seconds> most) {
    ready_.expires_after(most.value_or(std::chrono::hours(24)));
    co_await ready_.async_wait(kNoThrow);
  }

  // The answer to HEAD is the head that GET gets, with the size of what would follow.
  asio::awaitable<bool> send(const WebReply& reply, bool keeps_alive) {
    http::response<http::string_body> response;
    set_headers(response, reply);
    response.keep_alive(keeps_alive);
    response.content_length(reply.body.size());
    if (!is_of_head_) response.body() = reply.body;
    stream_.expires_after(patience());
    const auto [error, size] = co_await http::async_write(stream_, response, kNoThrow);
    co_return !error;
  }

  // Hangs up when the other side does: a reader of a stream sends nothing more.
  static asio::awaitable<void> watch(std::shared_ptr<Connection> self) {
    char byte = 0;
    co_await self->stream_.socket().async_read_some(asio::buffer(&byte, 1), kNoThrow);
    self->close();
  }

  asio::awaitable<void> send_stream() {
    http::response<http::empty_body> head;
    set_headers(head, *reply_);
    head.chunked(true);
    http::response_serializer<http::empty_body> serializer(head);
    stream_.expires_after(patience());
    const auto [error, size] = co_await http::async_write_header(stream_, serializer, kNoThrow);
    if (error) co_return;
    stream_.expires_never();
    asio::co_spawn(stream_.get_executor(), watch(shared_from_this()), asio::detached);
    while (!is_gone_) {
      if (unsent_.empty()) {
        if (is_ended_) break;
        co_await wait(std::nullopt);
        continue;
      }
      const std::string text = std::move(unsent_.front());
      unsent_.pop_front();
      const auto [failed, sent] =
          co_await asio::async_write(stream_.socket(), http::make_chunk(asio::buffer(text)), kNoThrow);
      if (failed) co_return;
      unsent_bytes_ -= text.size();
    }
    if (!is_gone_) co_await asio::async_write(stream_.socket(), http::make_chunk_last(), kNoThrow);
  }

  beast::tcp_stream stream_;
  asio::steady_timer ready_;           // is cancelled when there is something to send
  std::shared_ptr<State> server_;
  std::optional<WebReply> reply_;
  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0;
  asio::ip::address address_;          // where the other side is
  std::uint64_t waiting_since_ = 0;    // as next_turn() counts; 0: the handler has a request, or it is a stream
  bool is_first_ = true, is_of_head_ = false, is_stream_ = false, is_ended_ = false, is_gone_ = false;
};

std::optional<std::string> WebServer::State::listen(const std::string& address, std::uint16_t port) {
  boost::system::error_code error;
  const auto ip = asio::ip::make_address(address, error);
  if (error) return "\"" + address + "\" is no IP address";
  const Tcp::endpoint place(ip, port);
  acceptor_.open(place.protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(place, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) return address + ":" + std::to_string(port) + ": " + error.message();
  asio::co_spawn(context_, accept(shared_from_this()), asio::detached);
  return std::nullopt;
}

asio::awaitable<void> WebServer::State::accept(std::shared_ptr<State> self) {
  while (self->acceptor_.is_open()) {
    if (self->is_full() && self->least_wanted() == nullptr) {
      self->place_.expires_after(std::chrono::hours(24));
      co_await self->place_.async_wait(kNoThrow);
      continue;
    }
    auto [error, socket] = co_await self->acceptor_.async_accept(kNoThrow);
    if (error) continue;
    self->make_room();
    const auto connection = std::make_shared<Connection>(std::move(socket), self);
    self->connections_.insert(connection);
    asio::co_spawn(self->context_, Connection::serve(connection), asio::detached);
  }
}

// Returns the connection that makes room for a new one, or null.
std::shared_ptr<WebServer::Connection> WebServer::State::least_wanted() const {
  std::map<asio::ip::address, std::size_t> waiting;
  for (const auto& connection : connections_) waiting[connection->address()] += connection->is_waiting() ? 1 : 0;
  std::shared_ptr<Connection> found;
  for (const auto& connection : connections_) {
    if (!connection->is_waiting()) continue;
    const std::size_t many = waiting[connection->address()];
    const std::size_t most = found == nullptr ? 0 : waiting[found->address()];
    const bool waits_longer = many == most && connection->waiting_since() < found->waiting_since();
    if (many > most || waits_longer) found = connection;
  }
  return found;
}

void WebServer::State::make_room() {
  if (!is_full()) return;
  const std::shared_ptr<Connection> connection = least_wanted();
  if (connection == nullptr) return;   // its request came meanwhile: there is one connection more for a while
  connection->close();
  connections_.erase(connection);
}

void WebServer::State::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  place_.cancel();
  const auto connections = std::exchange(connections_, {});   // each of them holds this object
  for (const auto& connection : connections) connection->close();
}

void WebServer::State::forget(const std::shared_ptr<Connection>& connection) {
  connections_.erase(connection);
  look_for_place();
}

WebServer::WebServer(asio::io_context& context, WebHandler handler, WebLimits limits)
    : state_(std::make_shared<State>(context, std::move(handler), limits)) {}
WebServer::~WebServer() { state_->stop(); }
std::optional<std::string> WebServer::listen(const std::string& address, std::uint16_t port) {
  return state_->listen(address, port);
}
std::uint16_t WebServer::port() const { return state_->port(); }
void WebServer::stop() { state_->stop(); }

}  // namespace ptcvm::drivers
