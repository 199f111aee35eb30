// Answers of the server of `ptcvm harness serve`.
#pragma once
#include <boost/json/object.hpp>
#include <string>

#include "drivers/http/web_exchange.h"
#include "ptcvm/result.hpp"

namespace ptcvm::cli {

// Returns the headers that every answer has: nothing is kept, framed, guessed or loaded from elsewhere.
drivers::WebHeaders page_headers();
drivers::WebReply json_reply(const boost::json::object& body, unsigned status = 200);
// Returns {"error": text}.
drivers::WebReply error_reply(unsigned status, std::string_view text);
// Returns the answer to a request that failed: 400, 409, 413 or 503 by the kind of the error, else 500.
drivers::WebReply error_reply(const Error& error);

}  // namespace ptcvm::cli
