// One HTTP request and what becomes of it, as drivers/curl sees them.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agents/wire/refusal.h"

namespace ptcvm::drivers {

struct HttpTimeouts {
  std::uint32_t connect_ms = 10'000;
  std::uint32_t idle_ms = 300'000;    // without a byte; counted in whole seconds; 0: no end
  std::uint32_t total_ms = 0;         // from start to end; 0: no end
};

// A header with a secret value. The value is asked for when the request goes out and is not kept afterwards.
struct SecretHeader {
  std::string name;                          // for example "x-api-key"
  std::string prefix;                        // written before the value, for example "Bearer "
  std::function<std::string()> value;        // an empty value leaves the header out
};

struct HttpRequest {
  std::string url;                           // http://… or https://…
  wire::Headers headers;                     // without secrets
  std::optional<SecretHeader> secret;
  std::string body;                          // sent with POST
  bool is_get = false;                       // GET, and no body
  HttpTimeouts timeouts;
  std::string authorities_file;              // certificates in PEM that are trusted; empty: the system's own
  std::optional<std::string> proxy;          // nullopt: as http_proxy, https_proxy, all_proxy and no_proxy say
};

struct HttpFailure {
  enum class Kind : std::uint8_t {
    BadRequest,     // the URL or a header is malformed; nothing was sent
    Unreachable,    // no connection, or it ended before the answer began
    Certificate,    // the server or its certificate is not trusted
    TimedOut,       // one of the timeouts
    Cut,            // the connection ended within the answer
    Cancelled,      // cancel() was called
    Broken,         // libcurl could not try
  };
  Kind kind{};
  std::string message;    // what happened, with host and port, and what to do; never a header and never a secret
  bool may_be_sent = false;   // the request, or a part of it, may have reached the server
};

// Takes an answer as it comes. CurlCalls calls the functions from the functions of its own that do work, never from
// start(), resume() or cancel().
class HttpReceiver {
 public:
  virtual ~HttpReceiver() = default;
  // The head of the answer came. Heads of informational answers and of proxies are left out.
  virtual void take_head(int status, const wire::Headers& headers) = 0;
  // Takes bytes of the body. Returns false when the receiver has no place: then the transfer pauses, and the same bytes
  // come again after CurlCalls::resume(). The body of a status from 400 on comes at once before the end, and the secret
  // is replaced in it.
  virtual bool take_bytes(std::string_view bytes) = 0;
  // The exchange is over; nullopt: the answer came whole. The receiver may be destroyed in this call.
  virtual void take_end(const std::optional<HttpFailure>& failure) = 0;
};

}  // namespace ptcvm::drivers
