// Posts traces to an OpenTelemetry collector: OTLP/JSON over HTTP or HTTPS, with libcurl and without an SDK.
// Component "otel" of the package; nothing else of the library needs it.
//
//   ptcvm::OtlpExporter exporter({.endpoint = "http://localhost:4318"});
//   if (auto error = exporter.send(request_json)) log(error->message);
//
// What is sent is an ExportTraceServiceRequest in the JSON encoding; `ptcvm trace otlp FILE` prints one.
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

// Where to post, and how patiently.
struct OtlpOptions {
  std::string endpoint;                  // http://… or https://…; without a path, /v1/traces is added
  std::vector<std::pair<std::string, std::string>> headers;   // name, value: keys of a collector
  std::uint32_t timeout_ms = 10'000;     // of one request, with connecting
  std::uint32_t most_attempts = 5;       // at least 1
  std::uint32_t backoff_ms = 200;        // before the second attempt; twice as much before each further one
  std::uint32_t most_backoff_ms = 5'000; // also when the collector asks for more (Retry-After)
  std::uint64_t seed = 0;                // of the jitter; exporters of one seed wait equally long. 0: a seed of its own
};

// Why a trace was not taken.
struct OtlpError {
  // What a caller decides by.
  enum class Kind : std::uint8_t {
    BadOptions,     // endpoint or header that is none: nothing was sent
    Refused,        // the collector has answered that it does not take it
    Partial,        // it took a part; what it refused is lost
    Unavailable,    // no attempt came through, or each was told to come later
    Broken,         // the library could not even try: no memory
  };
  Kind kind{};                           // see Kind
  std::uint32_t http_status = 0;         // of the last answer; 0: there was none
  std::uint32_t attempts = 0;            // that were made
  std::string message;                   // one sentence for people; holds nothing of the headers
};

// One at a time may be used by a thread; several exporters may be used by several threads. Connections are kept open
// between requests. Nothing here throws.
class PTCVM_API OtlpExporter {
 public:
  // Connects to nothing yet; bad options are told by the first send().
  explicit OtlpExporter(OtlpOptions options) noexcept;
  ~OtlpExporter();
  OtlpExporter(OtlpExporter&& other) noexcept;
  OtlpExporter& operator=(OtlpExporter&& other) noexcept;

  // Blocks until the collector has taken it or the attempts are used up: 429, 502, 503, 504 and connections that fail
  // are tried again. Nothing: it was taken. The text is not looked at.
  [[nodiscard]] std::optional<OtlpError> send(std::string_view otlp_json) noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ptcvm
