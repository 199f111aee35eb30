#include "tools/ptcvm/agent/agent_server.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#ifdef PTCVM_HAVE_CURL
#include "agents/wire/reply_reader.h"
#include "drivers/curl/curl_calls.h"
#include "drivers/curl/model_server.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/moments.h"
#endif

namespace ptcvm::cli {

#ifdef PTCVM_HAVE_CURL
namespace {

constexpr std::int64_t kLongestReplyMs = 3'600'000;   // also of a server that sends a byte now and then

// Collects the answer to one request. An answer that is longer than wire::ReplyReader takes ends there: the agent finds
// out that it is too long.
class ReplyReceiver : public drivers::HttpReceiver {
 public:
  ReplyReceiver(std::string path, const OnBytes& on_bytes, std::vector<ModelAnswer>& answers, drivers::CurlCalls& calls)
      : on_bytes_(on_bytes), answers_(answers), calls_(calls) {
    answer_.path = std::move(path);
    answer_.reply.status = 0;
  }
  void began(drivers::CallId call) { call_ = call; }
  void take_head(int status, const wire::Headers& headers) override {
    answer_.reply.status = status;
    answer_.reply.headers = headers;
  }
  bool take_bytes(std::string_view bytes) override {
    if (answer_.reply.body.size() > wire::kMostReplyBytes) return true;
    answer_.reply.body += bytes;
    if (answer_.reply.body.size() > wire::kMostReplyBytes) calls_.cancel(call_);
    if (on_bytes_ && answer_.reply.status == 200) on_bytes_(answer_.path, bytes);
    return true;
  }
  void take_end(const std::optional<drivers::HttpFailure>& failure) override {
    answer_.reply.is_cut = failure.has_value();
    if (failure && failure->kind != drivers::HttpFailure::Kind::Cancelled) complain(failure->message);
    // Trying again mends neither a URL nor a certificate.
    if (failure && (failure->kind == drivers::HttpFailure::Kind::BadRequest ||
                    failure->kind == drivers::HttpFailure::Kind::Certificate)) {
      answer_.failure = replay::ReplayFailure{"llm_error", failure->message};
    }
    answers_.push_back(std::move(answer_));
  }

 private:
  const OnBytes& on_bytes_;
  std::vector<ModelAnswer>& answers_;
  drivers::CurlCalls& calls_;
  drivers::CallId call_ = 0;
  ModelAnswer answer_;
};

class ServerSource : public ModelSource {
 public:
  ServerSource(drivers::ModelServer server, OnBytes on_bytes)
      : server_(std::move(server)), on_bytes_(std::move(on_bytes)) {}
  bool has_virtual_time() const override { return false; }
  void ask(const loop::Operation& operation) override {
    auto request = drivers::model_request(server_, std::string(operation.body));
    const std::int64_t left = operation.deadline_ms == 0 ? kLongestReplyMs : operation.deadline_ms - now_millis();
    request.timeouts.total_ms = static_cast<std::uint32_t>(std::clamp<std::int64_t>(left, 1, kLongestReplyMs));
    const auto receiver = std::make_shared<ReplyReceiver>(operation.path, on_bytes_, answers_, calls_);
    receiver->began(calls_.start(std::move(request), receiver));
  }
  std::vector<ModelAnswer> take(int most_ms) override {
    calls_.poll(static_cast<std::uint32_t>(most_ms));
    return std::exchange(answers_, {});
  }

 private:
  drivers::ModelServer server_;
  OnBytes on_bytes_;
  std::vector<ModelAnswer> answers_;
  drivers::CurlCalls calls_;
};

}  // namespace

std::optional<OpenedModel> open_server(const std::string& address, bool is_stream, OnBytes on_bytes,
                                       std::string& message) {
  auto read = drivers::read_model_address(address, [](const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return std::string(value == nullptr ? "" : value);
  });
  if (auto* const wrong = std::get_if<std::string>(&read)) {
    message = *wrong + "; scripted:FILE, replay:FILE and mailbox:DIR are models, too";
    return std::nullopt;
  }
  auto& server = std::get<drivers::ModelServer>(read);
  if (message = drivers::missing_key(server); !message.empty()) return std::nullopt;
  OpenedModel opened;
  opened.choice = {server.protocol, server.base_url, server.model, is_stream, {}, {}};
  opened.source = std::make_unique<ServerSource>(std::move(server), std::move(on_bytes));
  return opened;
}
#else
std::optional<OpenedModel> open_server(const std::string& address, bool, OnBytes, std::string& message) {
  message = "\"" + address +
            "\" cannot be called: this ptcvm was built without libcurl. Use scripted:FILE, replay:FILE or mailbox:DIR.";
  return std::nullopt;
}
#endif

}  // namespace ptcvm::cli
