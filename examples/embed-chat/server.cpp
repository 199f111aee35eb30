#include "server.h"

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <charconv>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "agents/loop/stored_events.h"

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;
namespace loop = ptcvm::loop;

namespace {

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds kPatience{30};      // for a request, and for a page that takes no events
constexpr std::chrono::seconds kHeartbeat{15};     // a comment, so that a page that is gone is noticed
constexpr std::size_t kBodyBytes = 64u << 10, kConversations = 100, kPageOfFacts = 100;
constexpr std::size_t kEventsAtOnce = 16u << 10;   // bytes that a page takes at once
constexpr std::uint32_t kHeaderBytes = 8u << 10;
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";
constexpr std::string_view kEventsHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n"
    "X-Content-Type-Options: nosniff\r\n\r\nretry: 500\n\n";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(path + " cannot be read; --page names the folder of the page");
  return text.str();
}

http::response<http::string_body> response(http::status status, std::string_view type, std::string body) {
  http::response<http::string_body> made(status, 11, std::move(body));
  made.set(http::field::content_type, type);
  made.set(http::field::cache_control, "no-store");
  made.set("Content-Security-Policy", kPolicy);
  made.set("X-Content-Type-Options", "nosniff");
  made.set("Referrer-Policy", "no-referrer");
  return made;
}

http::response<http::string_body> refusal(http::status status, std::string_view why) {
  return response(status, "application/json", json::serialize(json::object{{"error", why}}));
}

// Splits "/chats/ID/PLACE".
struct Address {
  std::string id, place;
};
std::optional<Address> address_of(std::string_view target) {
  constexpr std::string_view kBegin = "/chats/";
  if (!target.starts_with(kBegin)) return std::nullopt;
  target.remove_prefix(kBegin.size());
  const std::size_t slash = target.find('/');
  const std::string_view id = target.substr(0, slash);
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (slash == std::string_view::npos || id.empty() || id.size() > 40 || !std::all_of(id.begin(), id.end(), is_plain)) {
    return std::nullopt;
  }
  return Address{std::string(id), std::string(target.substr(slash + 1))};
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string member(const json::object& body, std::string_view name) {
  const json::value* const found = body.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

}  // namespace

Server::Server(Conversation::House house, const std::string& page, std::uint16_t port)
    : house_(house), acceptor_(house.io, {asio::ip::address_v4::loopback(), port}) {
  files_["/"] = {"text/html; charset=utf-8", text_of(page + "/index.html")};
  files_["/chat.js"] = {"text/javascript; charset=utf-8", text_of(page + "/chat.js")};
  files_["/chat.css"] = {"text/css; charset=utf-8", text_of(page + "/chat.css")};
}

// Connections that are still open hold their conversations until the io_context ends, and calls must end before.
Server::~Server() {
  for (const auto& [id, conversation] : conversations_) conversation->leave();
}

void Server::start() { asio::co_spawn(house_.io, accept(), asio::detached); }

asio::awaitable<void> Server::accept() {
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(kNoThrow);
    if (error) continue;
    asio::co_spawn(house_.io, serve(beast::tcp_stream(std::move(socket))), asio::detached);
  }
}

asio::awaitable<void> Server::serve(beast::tcp_stream stream) {
  beast::flat_buffer buffer;
  for (bool keep_alive = true; keep_alive;) {
    http::request_parser<http::string_body> parser;
    parser.body_limit(kBodyBytes);
    parser.header_limit(kHeaderBytes);
    stream.expires_after(kPatience);
    const auto [error, size] = co_await http::async_read(stream, buffer, parser, kNoThrow);
    if (error) co_return;
    const Request& request = parser.get();
    const auto address = address_of(request.target());
    if (address && address->place == "events" && request.method() == http::verb::get && is_from_here(request)) {
      std::string message;
      if (auto found = conversation(address->id, message)) {
        co_return co_await send_events(std::move(stream), std::move(found), number_of(request["Last-Event-ID"]));
      }
    }
    Response answer = answer_to(request);
    keep_alive = request.keep_alive();
    answer.keep_alive(keep_alive);
    answer.prepare_payload();
    stream.expires_after(kPatience);
    const auto [failed, written] = co_await http::async_write(stream, answer, kNoThrow);
    if (failed) co_return;
  }
}

// A page of another site may name this server (DNS can be rebound) and may post to it; its Host and Origin say so.
bool Server::is_from_here(const Request& request) const {
  const std::string host(request[http::field::host]), ours = ":" + std::to_string(port());
  if (host != "127.0.0.1" + ours && host != "localhost" + ours) return false;
  if (request.method() == http::verb::get) return request[http::field::origin].empty() ||
                                                  request[http::field::origin] == "http://" + host;
  return request[http::field::origin] == "http://" + host &&
         request[http::field::content_type] == "application/json";
}

Server::Response Server::answer_to(const Request& request) {
  if (!is_from_here(request)) return refusal(http::status::forbidden, "the request comes from another site");
  if (const auto file = files_.find(std::string_view(request.target())); file != files_.end()) {
    if (request.method() != http::verb::get) return refusal(http::status::method_not_allowed, "GET only");
    return response(http::status::ok, file->second.type, file->second.text);
  }
  const auto address = address_of(request.target());
  if (!address) return refusal(http::status::not_found, "no such place");
  std::string message;
  const auto found = conversation(address->id, message);
  if (found == nullptr) return refusal(http::status::service_unavailable, message);
  if (request.method() != http::verb::post) return refusal(http::status::method_not_allowed, "POST only");
  return answer_to_post(*found, address->place, request);
}

Server::Response Server::answer_to_post(Conversation& conversation, std::string_view place, const Request& request) {
  boost::system::error_code error;
  const json::value body = json::parse(request.body(), error);
  if (error || !body.is_object()) return refusal(http::status::bad_request, "the body must be a JSON object");
  const json::object& members = body.get_object();
  ptcvm::Result<void> done;
  if (place == "messages") {
    const std::string text = member(members, "text");
    if (text.empty()) return refusal(http::status::bad_request, "\"text\" must be a text that is not empty");
    done = conversation.say(text);
  } else if (place == "answers") {
    const json::value* const allow = members.if_contains("allow");
    if (allow == nullptr || !allow->is_bool()) return refusal(http::status::bad_request, "\"allow\" must be a boolean");
    done = conversation.answer(member(members, "path"), allow->get_bool(), member(members, "why"));
  } else {
    return refusal(http::status::not_found, "no such place");
  }
  if (!done) return refusal(http::status::conflict, done.error().message);
  return response(http::status::accepted, "application/json", "{}");
}

std::shared_ptr<Conversation> Server::conversation(const std::string& id, std::string& message) {
  if (const auto found = conversations_.find(id); found != conversations_.end()) return found->second;
  if (conversations_.size() >= kConversations) {
    message = "the server has " + std::to_string(kConversations) + " conversations; start it again for more";
    return nullptr;
  }
  auto made = std::make_shared<Conversation>(house_, id);
  if (const auto opened = made->open(); !opened) {
    message = opened.error().message;
    return nullptr;
  }
  conversations_[id] = made;
  return made;
}

asio::awaitable<bool> Server::send(beast::tcp_stream& stream, std::string bytes) {
  stream.expires_after(kPatience);   // a page that takes nothing for so long is gone
  const auto [error, size] = co_await asio::async_write(stream, asio::buffer(bytes), kNoThrow);
  co_return !error;
}

// Sends what the log has after a fact, page by page, up to what the feed has told.
asio::awaitable<bool> Server::send_log(beast::tcp_stream& stream, const Conversation& conversation,
                                       std::uint64_t after) {
  while (after < conversation.seen()) {
    const auto page = loop::stored_events(house_.store, conversation.id(), after, kPageOfFacts);
    if (!page) co_return false;
    std::string text;
    for (const loop::RunEvent& event : page->events) text += server_sent_event(event);
    after = page->seen;
    if (!co_await send(stream, std::move(text))) co_return false;
  }
  co_return true;
}

asio::awaitable<void> Server::send_events(beast::tcp_stream stream, std::shared_ptr<Conversation> conversation,
                                          std::uint64_t after) {
  if (!co_await send(stream, std::string(kEventsHead))) co_return;
  if (!co_await send_log(stream, *conversation, after)) co_return;
  // Nothing runs between the end of the log and here: the reader misses no event and sees none twice.
  loop::EventFeed& feed = conversation->feed();
  const auto reader = feed.open();
  asio::steady_timer timer(house_.io);
  conversation->add_waiter(timer);
  std::string text;
  for (const loop::RunEvent& event : conversation->present()) text += server_sent_event(event);
  for (bool goes_on = true; goes_on;) {
    for (const loop::RunEvent& event : feed.take(reader, kEventsAtOnce)) text += server_sent_event(event);
    if (text.empty()) {
      timer.expires_after(kHeartbeat);
      const auto [error] = co_await timer.async_wait(kNoThrow);
      if (!error) text = ":\n\n";
      continue;
    }
    goes_on = co_await send(stream, std::exchange(text, {}));
  }
  conversation->remove_waiter(timer);
  feed.close(reader);
}
