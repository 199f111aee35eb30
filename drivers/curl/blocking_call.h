// One HTTP call that is waited for.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "drivers/curl/http_exchange.h"

namespace ptcvm::drivers {

struct BlockingAnswer {
  int status = 0;                        // 0: no answer came
  std::string body;
  bool is_too_large = false;             // the body has more than the call allows, and the call was ended
  std::optional<HttpFailure> failure;    // why the answer did not come whole
};

// Makes the call and waits for its end. Any thread may call.
BlockingAnswer blocking_call(HttpRequest request, std::size_t most_bytes);

}  // namespace ptcvm::drivers
