#include "tools/ptcvm/harness/harness_remote.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string_view>

#ifdef PTCVM_HAVE_CURL
#include <cstdlib>

#include "agents/a2a/a2a_transport.h"
#include "agents/a2a/refusals.h"
#include "agents/harness/conversation/ingestion.h"
#include "drivers/curl/blocking_call.h"
#include "tools/ptcvm/harness/harness_fetch.h"
#include "tools/ptcvm/text/moments.h"
#endif

namespace ptcvm::cli {

namespace {

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

// Returns whether "NAME:SECRET@HOST:PORT" has a host, and no port that no server can have.
bool is_authority(std::string_view text) {
  std::string_view host = text.substr(text.find_last_of('@') + 1);   // npos + 1 is 0
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  if (bracket == std::string_view::npos || host.empty()) return false;
  const std::size_t colon = host.find(':', bracket);
  return colon != 0 && (colon == std::string_view::npos || is_port(host.substr(colon + 1)));
}

bool is_blank_or_control(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }

}  // namespace

std::string wrong_remote(const std::string& url) {
  const std::size_t end = url.find("://");
  const std::string_view after = end == std::string::npos ? "" : std::string_view(url).substr(end + 3);
  std::string scheme = url.substr(0, end == std::string::npos ? 0 : end);
  std::ranges::transform(scheme, scheme.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_web = scheme == "http" || scheme == "https";
  const bool is_one_word = std::ranges::none_of(url, is_blank_or_control);
  if (is_web && is_one_word && is_authority(after.substr(0, after.find_first_of("/?#")))) return {};
  return "--remote: must be the URL of an agent, with http:// or https://, the name of its host and perhaps a port, "
         "and is \"" +
         url + '"';
}

#ifdef PTCVM_HAVE_CURL
namespace {

constexpr std::uint32_t kMostMs = harness::kAttemptMostMs, kMostConnectMs = 5'000;   // docs/harness.md
constexpr std::size_t kMostAnswerBytes = 8 * harness::kMostBodyBytes;   // a task has all of its messages

Error not_sent(std::string message, std::string_view detail) {
  return {Errc::wrong_state, std::move(message), std::nullopt, detail};
}

// Returns the address, or "" when it has a name and a password in it: the log of a conversation keeps no secret.
std::string without_secret(const std::string& url) {
  constexpr std::string_view kAfterScheme = "://";
  const std::size_t host = url.find(kAfterScheme) + kAfterScheme.size();   // wrong_remote() has seen to it
  const bool has_name = url.substr(host, url.find_first_of("/?#", host) - host).find('@') != std::string::npos;
  return has_name || url.find('?') != std::string::npos ? std::string() : url;
}

Result<std::string> post(const std::string& url, const std::string& body) {
  drivers::HttpRequest request;
  request.url = url;
  request.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
  request.secret = drivers::SecretHeader{"Authorization", "Bearer ", [] {
                                           const char* const token = std::getenv("PTCVM_A2A_TOKEN");
                                           return std::string(token == nullptr ? "" : token);
                                         }};
  request.body = body;
  request.timeouts.total_ms = kMostMs;
  request.timeouts.connect_ms = kMostConnectMs;
  drivers::BlockingAnswer answer = drivers::blocking_call(std::move(request), kMostAnswerBytes);
  if (answer.is_too_large) return not_sent(url + ": the answer is too large", harness::kMayBeSent);
  if (answer.failure) {
    const bool may_be_sent = answer.failure->may_be_sent;
    return not_sent(answer.failure->message, may_be_sent ? harness::kMayBeSent : harness::kNotReached);
  }
  constexpr int kFine = 200;
  if (answer.status == kFine) return std::move(answer.body);
  const std::string what = url + ": the server answered with the status " + std::to_string(answer.status);
  return not_sent(what, a2a::detail_of_status(answer.status));
}

}  // namespace

std::unique_ptr<harness::Transport> remote_transport(const std::string& url, harness::Conversation& conversation,
                                                     std::string& message) {
  if (message = wrong_remote(url); !message.empty()) return nullptr;
  std::string base = url;
  while (base.ends_with('/')) base.pop_back();
  return std::make_unique<a2a::A2aTransport>(
      conversation, [base](const std::string& body) { return post(base, body); },
      [base] { return fetch_document(base + "/.well-known/agent-card.json"); }, now_millis,
      without_secret(url));
}
#else
std::unique_ptr<harness::Transport> remote_transport(const std::string& url, harness::Conversation&,
                                                     std::string& message) {
  message = url + " cannot be called: this ptcvm was built without libcurl";
  return nullptr;
}
#endif

}  // namespace ptcvm::cli
