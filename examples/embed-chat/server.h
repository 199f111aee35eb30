// The HTTP side of the example: the files of the page, and for each conversation
//
//   GET  /chats/ID/events     server-sent events; with Last-Event-ID only what came after
//   POST /chats/ID/messages   {"text": "…"}
//   POST /chats/ID/answers    {"path": "approve:transfer", "allow": true} or {…, "allow": false, "why": "…"}
//
// The server listens on the loopback address. A request must name it as its host, and a POST must come from its own
// pages: other sites can neither read a conversation nor write into it.
#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "conversation.h"

class Server {
 public:
  // Reads the files of the page from `page` once. Port 0: any port.
  Server(Conversation::House house, const std::string& page, std::uint16_t port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  // Accepts connections until the io_context stops.
  void start();

 private:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;
  struct File {
    std::string type, text;
  };

  boost::asio::awaitable<void> accept();
  boost::asio::awaitable<void> serve(boost::beast::tcp_stream stream);
  boost::asio::awaitable<bool> send(boost::beast::tcp_stream& stream, std::string bytes);
  boost::asio::awaitable<void> send_events(boost::beast::tcp_stream stream, std::shared_ptr<Conversation> conversation,
                                           std::uint64_t after);
  boost::asio::awaitable<bool> send_log(boost::beast::tcp_stream& stream, const Conversation& conversation,
                                        std::uint64_t after);
  Response answer_to(const Request& request);
  Response answer_to_post(Conversation& conversation, std::string_view place, const Request& request);
  bool is_from_here(const Request& request) const;
  std::shared_ptr<Conversation> conversation(const std::string& id, std::string& message);

  Conversation::House house_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::map<std::string, File, std::less<>> files_;
  std::map<std::string, std::shared_ptr<Conversation>> conversations_;
};
