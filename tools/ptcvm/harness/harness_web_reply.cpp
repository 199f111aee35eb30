#include "tools/ptcvm/harness/harness_web_reply.h"

#include <boost/json/serialize.hpp>

namespace ptcvm::cli {

namespace json = boost::json;

drivers::WebHeaders page_headers() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
           "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

drivers::WebReply json_reply(const json::object& body, unsigned status) {
  return {status, "application/json", json::serialize(body) + '\n', page_headers()};
}

drivers::WebReply error_reply(unsigned status, std::string_view text) {
  return json_reply({{"error", text}}, status);
}

drivers::WebReply error_reply(const Error& error) {
  switch (error.code) {
    case Errc::invalid_value: return error_reply(400, error.message);
    case Errc::wrong_state:
    case Errc::already_resolved: return error_reply(409, error.message);
    case Errc::too_large: return error_reply(413, error.message);
    case Errc::not_available: return error_reply(502, error.message);
    case Errc::busy: return error_reply(503, error.message);
    default: return error_reply(500, error.message);
  }
}

}  // namespace ptcvm::cli
