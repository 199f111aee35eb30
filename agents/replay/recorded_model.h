// A model that answers as it did when its conversation was recorded. A recording is lines of JSON:
//
//   {"request_hash": "…", "path": "", "protocol": "chat", "stream": false, "request": {…},
//    "reply": {"status": 200, "headers": {…}, "body": "…", "ends_properly": true}}
//
// A request is found by its hash, so the order of calls does not matter. There are no keys in a recording: requests are
// recorded without their headers, and only the headers of replies that wire reads are kept. The model has no file and
// no clock. One thread at a time uses it.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/replay/model_call.h"
#include "agents/replay/replay_failure.h"

namespace ptcvm::replay {

// Writes the line of a recording, with its line end. The body of the call must be JSON.
std::string recorded_line(const ModelCall& call, const HttpAnswer& answer);

class RecordedModel {
 public:
  // Reads a recording; empty lines do not count. Failure: recording_invalid with the number of the line.
  static Replayed<RecordedModel> read(std::string_view text);

  // Says how the first request was made; an agent that is replayed has to ask in the same way.
  struct Manner {
    wire::Protocol protocol = wire::Protocol::Chat;
    bool is_stream = false;
    std::string model;   // the member "model" of the request
  };
  // Returns nullopt when the recording is empty.
  const std::optional<Manner>& manner() const { return manner_; }

  // Answers a request that was recorded. The same request again gets the next answer that was recorded for it; the last
  // answer repeats. Failures: request_invalid (no JSON); recording_miss with the lines that changed since the recorded
  // request that is most alike.
  Replayed<HttpAnswer> answer(const ModelCall& call);

 private:
  struct Exchange {
    std::string lines;   // the request by line
    HttpAnswer answer;
    bool is_used = false;
  };

  std::string miss(std::string_view lines) const;

  std::optional<Manner> manner_;
  std::vector<Exchange> exchanges_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_hash_;
};

}  // namespace ptcvm::replay
