// Calls of libcurl in the loop of a boost::asio::io_context: an EventHost, and the CurlCalls that use it. Everything
// runs on the thread that runs the context. The object must be destroyed when no thread runs the context.
#pragma once
#include <memory>

#include "drivers/curl/curl_calls.h"

namespace boost::asio {
class io_context;
}

namespace ptcvm::drivers {

class AsioCalls {
 public:
  explicit AsioCalls(boost::asio::io_context& context);
  ~AsioCalls();
  AsioCalls(const AsioCalls&) = delete;
  AsioCalls& operator=(const AsioCalls&) = delete;

  CurlCalls& calls();

 private:
  class Host;
  std::unique_ptr<Host> host_;
};

}  // namespace ptcvm::drivers
