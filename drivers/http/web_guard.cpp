#include "drivers/http/web_guard.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace ptcvm::drivers {

namespace {

constexpr std::size_t kSecretBytes = 16;
using Digest = std::array<unsigned char, crypto_generichash_BYTES>;

WebReply refusal(unsigned status, std::string text) {
  return {status, "application/json", "{\"error\":\"" + std::move(text) + "\"}\n", {}};
}

Digest digest_of(std::string_view text) {
  Digest digest{};
  crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                     nullptr, 0);
  return digest;
}

std::string_view cookie_value(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    std::string_view cookie = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(cookie.size() + 1, cookies.size()));
    while (cookie.starts_with(' ')) cookie.remove_prefix(1);
    const std::size_t equals = cookie.find('=');
    if (equals != std::string_view::npos && cookie.substr(0, equals) == name) return cookie.substr(equals + 1);
  }
  return {};
}

void start_sodium() {
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be used");
}

}  // namespace

std::string random_secret() {
  start_sodium();
  std::array<unsigned char, kSecretBytes> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::string text(2 * kSecretBytes + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

WebGuard::WebGuard(std::vector<WebToken> tokens, std::vector<std::string> hosts)
    : tokens_(std::move(tokens)), hosts_(std::move(hosts)) {
  start_sodium();
}

void WebGuard::set_port(std::uint16_t port) {
  port_ = port;
  for (const char* const host : {"127.0.0.1", "localhost", "[::1]"}) {
    hosts_.push_back(std::string(host) + ":" + std::to_string(port));
  }
}

bool WebGuard::is_own_host(std::string_view host) const { return std::ranges::find(hosts_, host) != hosts_.end(); }

std::optional<WebReply> WebGuard::refuse_place(const WebRequest& request) const {
  for (const std::string_view name : {"host", "origin"}) {   // a proxy may look at another one than this server
    if (std::ranges::count(request.headers, name, &WebHeaders::value_type::first) < 2) continue;
    return refusal(400, "the header " + std::string(name) + " is there twice");
  }
  if (!is_own_host(request.header("host"))) return refusal(421, "the header Host names another server");
  std::string_view origin = request.header("origin");
  if (origin.empty()) return std::nullopt;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme) && is_own_host(origin.substr(scheme.size()))) return std::nullopt;
  }
  return refusal(403, "the header Origin names another page");
}

const WebToken* WebGuard::token_of(std::string_view secret) const {
  if (secret.empty()) return nullptr;
  const Digest given = digest_of(secret);
  const WebToken* found = nullptr;
  for (const WebToken& token : tokens_) {
    const Digest known = digest_of(token.secret);
    if (sodium_memcmp(given.data(), known.data(), known.size()) == 0) found = &token;
  }
  return found;
}

std::variant<const WebToken*, WebReply> WebGuard::known_token(const WebRequest& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  std::string_view secret = request.header("authorization");
  const bool is_bearer = secret.starts_with(kBearer);
  if (is_bearer) {
    secret.remove_prefix(kBearer.size());
  } else {
    secret = cookie_value(request.header("cookie"), cookie_name());
  }
  const WebToken* const token = token_of(secret);
  if (token == nullptr) {
    WebReply refused = refusal(401, "give a token of the server: open the address that it printed");
    refused.headers.emplace_back("WWW-Authenticate", "Bearer");
    return refused;
  }
  const bool changes = request.method != "GET" && request.method != "HEAD";
  if (changes && !is_bearer && request.header("origin").empty()) {
    return refusal(403, "a request with a cookie must have the header Origin");
  }
  return token;
}

std::variant<std::string, WebReply> WebGuard::visitor_of(const WebRequest& request) const {
  auto known = known_token(request);
  if (auto* const refused = std::get_if<WebReply>(&known)) return std::move(*refused);
  return std::get<const WebToken*>(known)->name;
}

std::variant<std::string, WebReply> WebGuard::person_of(const WebRequest& request) const {
  auto known = known_token(request);
  if (auto* const refused = std::get_if<WebReply>(&known)) return std::move(*refused);
  const WebToken& token = *std::get<const WebToken*>(known);
  if (token.is_of_agent) return refusal(403, "this token is one of an agent, and opens no place of people");
  return token.name;
}

std::optional<std::string> WebGuard::cookie_of(std::string_view secret) const {
  const WebToken* const token = token_of(secret);
  if (token == nullptr || token->is_of_agent) return std::nullopt;
  return cookie_name() + "=" + token->secret + "; Path=/; HttpOnly; SameSite=Strict";
}

}  // namespace ptcvm::drivers
