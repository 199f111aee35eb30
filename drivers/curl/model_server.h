// A server of models: where it is, which protocol it speaks, and which key it wants. Keys come from the environment or
// from a callback, and are in nothing that this library writes.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "drivers/curl/http_exchange.h"

namespace ptcvm::drivers {

struct ModelServer {
  wire::Protocol protocol = wire::Protocol::Chat;
  std::string model;         // the name of the model, as the server knows it
  std::string base_url;      // without a slash at the end, for example "https://api.openai.com/v1"
  wire::Headers headers;     // more headers, without secrets
  std::function<std::string()> key;   // empty text: the request has no key
  HttpTimeouts timeouts;
  std::string authorities_file;
};

// Reads "chat:NAME[@URL]", "responses:NAME[@URL]" or "messages:NAME[@URL]". What the address leaves out comes from
// `environment`, which is asked for names of variables and returns an empty text for those that are not set:
// OPENAI_BASE_URL and OPENAI_API_KEY, or ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY; PTCVM_MODEL_KEY goes before both
// keys. PTCVM_MODEL_HEADERS has more headers, a line "Name: value" for each. SSL_CERT_FILE names certificates of
// authorities.
//
// Returns a sentence that says what is wrong when the address cannot be read.
std::variant<ModelServer, std::string> read_model_address(std::string_view address,
                                                          std::function<std::string(const std::string&)> environment);

// Returns which variable must be set before a server of the provider can be asked, as a sentence, or "". A server of
// your own may want no key.
std::string missing_key(const ModelServer& server);

// Returns the request that carries a body to the server.
HttpRequest model_request(const ModelServer& server, std::string body);

}  // namespace ptcvm::drivers
