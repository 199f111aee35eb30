// One HTTP request that came, and the answer to it, as drivers/http sees them.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptcvm::drivers {

using WebHeaders = std::vector<std::pair<std::string, std::string>>;

struct WebRequest {
  std::string method;                  // "GET", "POST" and so on
  std::vector<std::string> path;       // the parts between slashes, without percent signs; "/" has none
  std::string query;                   // what follows the question mark, as it came
  WebHeaders headers;                  // names in lower case
  std::string body;

  // Returns the value of the first header of that name, which is in lower case; "" when there is none. The view is
  // valid as long as the request.
  std::string_view header(std::string_view name) const;
  // Returns the value of a member of the query without percent signs, or "".
  std::string query_value(std::string_view name) const;
};

struct WebReply {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body;
  WebHeaders headers = {};             // more headers
};

// Takes the answer to one request: reply() once, or stream() once and then write() as often as there is something.
// Belongs to the thread that runs the server. An answer to somebody who has hung up is dropped.
class WebExchange {
 public:
  virtual ~WebExchange() = default;
  // Sends the whole answer.
  virtual void reply(WebReply reply) = 0;
  // Sends the head of an answer without an end; its body is what it begins with.
  virtual void stream(WebReply head) = 0;
  // Adds text to a stream. A reader who is too slow is hung up on (WebLimits::unsent_bytes).
  virtual void write(std::string text) = 0;
  // Ends a stream.
  virtual void end() = 0;
  // Returns whether nobody reads the answer any more.
  virtual bool is_gone() const = 0;
};

}  // namespace ptcvm::drivers
