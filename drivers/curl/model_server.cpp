#include "drivers/curl/model_server.h"

#include <algorithm>
#include <utility>

#include "agents/wire/request.h"

namespace ptcvm::drivers {

namespace {

constexpr std::string_view kMessagesVersion = "2023-06-01";   // what the header anthropic-version has to say

struct Provider {
  std::string_view url_variable, key_variable, usual_url;
};

Provider provider_of(wire::Protocol protocol) {
  if (protocol == wire::Protocol::Messages) {
    return {"ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1"};
  }
  return {"OPENAI_BASE_URL", "OPENAI_API_KEY", "https://api.openai.com/v1"};
}

// Reads lines "Name: value".
wire::Headers read_headers(std::string_view text) {
  wire::Headers headers;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    headers.emplace_back(line.substr(0, colon), line.substr(value));
  }
  return headers;
}

}  // namespace

std::variant<ModelServer, std::string> read_model_address(std::string_view address,
                                                          std::function<std::string(const std::string&)> environment) {
  const std::size_t colon = address.find(':');
  const auto protocol = wire::parse_protocol(address.substr(0, colon));
  if (colon == std::string_view::npos || !protocol) {
    return "\"" + std::string(address) + "\" is no model: write chat:NAME, responses:NAME or messages:NAME, with @URL "
           "behind the name for a server of your own";
  }
  ModelServer server;
  server.protocol = *protocol;
  const std::string_view rest = address.substr(colon + 1);
  std::size_t at = rest.find("@http://");
  if (at == std::string_view::npos) at = rest.find("@https://");
  server.model = rest.substr(0, at);
  if (server.model.empty()) return "\"" + std::string(address) + "\" names no model behind the colon";
  if (server.model.find("://") != std::string::npos) {
    return "\"" + std::string(address) + "\" has a URL that does not begin with http:// or https://";
  }
  const Provider provider = provider_of(*protocol);
  const bool has_url = at != std::string_view::npos;
  server.base_url = has_url ? std::string(rest.substr(at + 1)) : environment(std::string(provider.url_variable));
  while (server.base_url.ends_with('/')) server.base_url.pop_back();
  if (server.base_url.empty()) server.base_url = provider.usual_url;
  // The clients of the provider add the version to what the variable says.
  const bool adds_version = !has_url && *protocol == wire::Protocol::Messages && !server.base_url.ends_with("/v1");
  if (adds_version) server.base_url += "/v1";
  server.authorities_file = environment("SSL_CERT_FILE");
  server.headers = read_headers(environment("PTCVM_MODEL_HEADERS"));
  server.key = [environment = std::move(environment), name = std::string(provider.key_variable)] {
    std::string key = environment("PTCVM_MODEL_KEY");
    return key.empty() ? environment(name) : key;
  };
  return server;
}

std::string missing_key(const ModelServer& server) {
  const Provider provider = provider_of(server.protocol);
  const bool may_have_none = server.base_url != provider.usual_url || !server.headers.empty();
  if (may_have_none || !server.key().empty()) return "";
  const std::string variable(provider.key_variable);
  return variable + " is not set, and " + server.base_url + " wants a key for " + server.model + ": set " + variable +
         " or PTCVM_MODEL_KEY, or write @URL behind the name for a server of your own";
}

HttpRequest model_request(const ModelServer& server, std::string body) {
  HttpRequest request;
  request.url = server.base_url;
  request.url += wire::request_path(server.protocol);
  request.headers = server.headers;
  if (server.protocol == wire::Protocol::Messages) {
    request.headers.emplace_back("anthropic-version", kMessagesVersion);
    request.secret = SecretHeader{"x-api-key", "", server.key};
  } else {
    request.secret = SecretHeader{"Authorization", "Bearer ", server.key};
  }
  request.body = std::move(body);
  request.timeouts = server.timeouts;
  request.authorities_file = server.authorities_file;
  return request;
}

}  // namespace ptcvm::drivers
