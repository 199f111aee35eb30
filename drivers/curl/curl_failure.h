// Says in words for people why a transfer of libcurl failed.
#pragma once
#include <curl/curl.h>

#include <string>
#include <string_view>

#include "drivers/curl/http_exchange.h"

namespace ptcvm::drivers {

// `detail` is what libcurl wrote into its error buffer. `server` is "host:port". `head_came` says that the answer had
// begun.
HttpFailure curl_failure(CURLcode code, std::string_view detail, std::string_view server, bool head_came);

}  // namespace ptcvm::drivers
