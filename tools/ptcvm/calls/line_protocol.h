// The protocol of tools whose process stays ("process": "stays"): one request a line, one answer a line, in any order.
//
//   > {"id":1,"tool":"price","args":{"id":3},"key":"run:may@1#0"}
//   < {"id":1,"value":{"price":4.5}}
//   > {"id":2,"tool":"price","args":{"id":4},"key":"run:may@1#1"}
//   < {"id":2,"error":"there is no article 4"}
//
// "id" may be missing from an answer while one call is open.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/stdio/call_protocol.h"

namespace ptcvm::cli {

class LineProtocol final : public stdio::CallProtocol {
 public:
  void begin() override;
  void send(const stdio::ProcessCall& call) override;
  bool cancel(std::uint64_t) override { return false; }
  bool is_sent(std::uint64_t) const override { return true; }
  stdio::LineEnd receive(std::string_view line, std::size_t most_bytes) override;
  std::string take_outgoing() override;
  std::vector<stdio::CallAnswer> take_answers() override;

 private:
  std::map<std::uint64_t, std::uint64_t> open_;  // calls, by the id of the request
  std::uint64_t last_id_ = 0;
  std::string outgoing_;
  std::vector<stdio::CallAnswer> answers_;
};

}  // namespace ptcvm::cli
