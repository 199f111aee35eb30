// A small HTTP/1.1 server in the loop of a boost::asio::io_context. Every call of the handler and of its exchanges is
// on the thread that runs the context; the handler must not block. The server knows nothing of its pages: a WebGuard
// says who may ask.
//
// Half-sent requests do not keep others out. When all places are taken, a new connection gets the place of one that has
// no request with the handler: the one that waits longest at the address that has most of them. A
// connection whose request the handler has, and a stream, keep their places.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "drivers/http/web_exchange.h"

namespace boost::asio {
class io_context;
}

namespace ptcvm::drivers {

struct WebLimits {
  std::size_t body_bytes = 1'500'000;       // a request with more is answered with 413
  std::uint32_t header_bytes = 16'384;
  std::size_t connections = 256;            // the oldest one that waits for a request makes room for more
  std::size_t unsent_bytes = 4'000'000;     // that wait in one stream
  std::uint32_t head_seconds = 10;          // from the begin of a connection to the end of its first head
  std::uint32_t request_seconds = 30;       // to read one request, and to write one answer
};

using WebHandler = std::function<void(WebRequest request, std::shared_ptr<WebExchange> exchange)>;

// See the top of this file. Must be destroyed when no thread runs the context, before the context.
class WebServer {
 public:
  WebServer(boost::asio::io_context& context, WebHandler handler, WebLimits limits = {});
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  // Listens; the port 0 takes any. Returns why that failed, or nullopt.
  std::optional<std::string> listen(const std::string& address, std::uint16_t port);
  // Returns the port that the server listens on.
  std::uint16_t port() const;
  // Takes no more connections, and closes the others.
  void stop();

 private:
  class Connection;
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace ptcvm::drivers
