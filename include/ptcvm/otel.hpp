// Posts traces to an OpenTelemetry collector: OTLP/JSON over HTTP or HTTPS, with libcurl and without an SDK. Link the
// component "otel" (ptcvm::otel). No other part of the library needs this component.
//
//   ptcvm::OtlpExporter exporter({.endpoint = "http://localhost:4318"});
//   if (auto error = exporter.send(request_json)) log(error->message);
//
// The request is an ExportTraceServiceRequest in the JSON encoding; `ptcvm trace otlp FILE` prints one.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptcvm/config.hpp"

namespace ptcvm {

// Says where to post, and how often to try.
struct OtlpOptions {
  std::string endpoint;                  // http://… or https://…; without a path, /v1/traces is added
  std::vector<std::pair<std::string, std::string>> headers;   // names and values, such as the key of a collector
  std::uint32_t timeout_ms = 10'000;     // the time for one request, connecting included
  std::uint32_t most_attempts = 5;       // at least 1
  std::uint32_t backoff_ms = 200;        // the pause before the second attempt; each later pause is twice as long
  std::uint32_t most_backoff_ms = 5'000; // the longest pause, also when the collector asks for more (Retry-After)
  std::uint64_t seed = 0;                // the seed of the jitter; 0 lets each exporter choose a seed
};

// Says why the collector did not take a trace.
struct OtlpError {
  // The kind decides what a caller can do.
  enum class Kind : std::uint8_t {
    BadOptions,     // the endpoint or a header is malformed; no request was sent
    Refused,        // the collector refused the trace
    Partial,        // the collector took a part; the rest is lost
    Unavailable,    // no attempt reached the collector, or the collector asked each time to come later
    Broken,         // the library could not try, because there is no memory
  };
  Kind kind{};                           // see Kind
  std::uint32_t http_status = 0;         // the status of the last answer; 0 when there was no answer
  std::uint32_t attempts = 0;            // the number of attempts
  std::string message;                   // one sentence for people; the sentence holds no header
};

// Posts traces. One thread at a time may use an exporter. The exporter keeps connections open between requests. No
// function throws.
class PTCVM_API OtlpExporter {
 public:
  // Keeps the options and connects to nothing. The first send() reports bad options.
  explicit OtlpExporter(OtlpOptions options) noexcept;
  ~OtlpExporter();
  OtlpExporter(OtlpExporter&& other) noexcept;
  OtlpExporter& operator=(OtlpExporter&& other) noexcept;

  // Posts a trace and blocks until the collector has taken the trace or the attempts are used up. Tries again after
  // 429, 502, 503, 504 and after failed connections. Returns nullopt when the trace was taken. Does not check the text.
  [[nodiscard]] std::optional<OtlpError> send(std::string_view otlp_json) noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ptcvm
