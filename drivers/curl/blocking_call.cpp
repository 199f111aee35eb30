#include "drivers/curl/blocking_call.h"

#include "drivers/curl/curl_calls.h"

namespace ptcvm::drivers {

namespace {

constexpr std::uint32_t kPollMs = 1'000;

class Collector final : public HttpReceiver {
 public:
  Collector(CurlCalls& calls, std::size_t most_bytes) : calls_(calls), most_bytes_(most_bytes) {}
  void began(CallId call) { call_ = call; }
  void take_head(int status, const wire::Headers&) override { answer_.status = status; }
  bool take_bytes(std::string_view bytes) override {
    if (answer_.is_too_large) return true;
    if (bytes.size() > most_bytes_ - answer_.body.size()) {
      answer_.is_too_large = true;
      calls_.cancel(call_);
      return true;
    }
    answer_.body += bytes;
    return true;
  }
  void take_end(const std::optional<HttpFailure>& failure) override { answer_.failure = failure; }
  BlockingAnswer take() { return std::move(answer_); }

 private:
  CurlCalls& calls_;
  const std::size_t most_bytes_;
  CallId call_ = 0;
  BlockingAnswer answer_;
};

}  // namespace

BlockingAnswer blocking_call(HttpRequest request, std::size_t most_bytes) {
  CurlCalls calls;
  const auto collector = std::make_shared<Collector>(calls, most_bytes);
  collector->began(calls.start(std::move(request), collector));
  while (calls.in_flight() > 0) calls.poll(kPollMs);
  return collector->take();
}

}  // namespace ptcvm::drivers
