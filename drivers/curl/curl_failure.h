// Says in words for people why a transfer of libcurl failed.
#pragma once
#include <curl/curl.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "drivers/curl/http_exchange.h"

namespace ptcvm::drivers {

// How far a transfer got.
enum class TransferPlace : std::uint8_t {
  Connecting,   // nothing of the request went out
  Asking,       // the request, or a part of it, may have gone out
  Answering,    // the head of the answer came
};

// `detail` is what libcurl wrote into its error buffer. `server` is "host:port".
HttpFailure curl_failure(CURLcode code, std::string_view detail, std::string_view server, TransferPlace place);

}  // namespace ptcvm::drivers
