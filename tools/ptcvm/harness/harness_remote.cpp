#include "tools/ptcvm/harness/harness_remote.h"

#ifdef PTCVM_HAVE_CURL
#include <cstdlib>

#include "agents/a2a/a2a_transport.h"
#include "agents/harness/ingestion.h"
#include "drivers/curl/blocking_call.h"
#include "tools/ptcvm/harness/harness_fetch.h"
#include "tools/ptcvm/text/moments.h"
#endif

namespace ptcvm::cli {

#ifdef PTCVM_HAVE_CURL
namespace {

constexpr std::uint32_t kMostMs = 30'000, kMostConnectMs = 5'000;   // for one attempt; docs/harness.md
constexpr std::size_t kMostAnswerBytes = 8 * harness::kMostBodyBytes;   // a task has all of its messages

Error not_sent(std::string message, std::string_view detail) {
  return {Errc::wrong_state, std::move(message), std::nullopt, detail};
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
  constexpr int kFine = 200, kBroken = 500;
  if (answer.status == kFine) return std::move(answer.body);
  const std::string what = url + ": the server answered with the status " + std::to_string(answer.status);
  return not_sent(what, answer.status >= kBroken ? harness::kMayBeSent : harness::kNotReached);
}

}  // namespace

std::unique_ptr<harness::Transport> remote_transport(const std::string& url, harness::Conversation& conversation,
                                                     std::string&) {
  std::string base = url;
  while (base.ends_with('/')) base.pop_back();
  return std::make_unique<a2a::A2aTransport>(
      conversation, [base](const std::string& body) { return post(base, body); },
      [base] { return fetch_document(base + "/.well-known/agent-card.json"); }, now_millis);
}
#else
std::unique_ptr<harness::Transport> remote_transport(const std::string& url, harness::Conversation&,
                                                     std::string& message) {
  message = url + " cannot be called: this ptcvm was built without libcurl";
  return nullptr;
}
#endif

}  // namespace ptcvm::cli
