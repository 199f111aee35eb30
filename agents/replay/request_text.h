// Reads the body of a request as people read it: which text a model sees, and where it is written.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "agents/wire/reply.h"

namespace ptcvm::replay {

class RequestText {
 public:
  // Reads a body that wire::write_request() made for that protocol. Returns nullopt when the body is no JSON object.
  static std::optional<RequestText> read(wire::Protocol protocol, std::string_view body);

  // Returns the decoded text of system, tools and messages. Arguments of calls are decoded, too.
  const std::string& whole() const { return whole_; }
  // Returns the text of what was added after the last reply, or the text of all messages before the first reply.
  const std::string& newest() const { return newest_; }
  // Returns the text of what is written before the first message: system and tools.
  const std::string& static_text() const { return static_text_; }
  // Returns the same as JSON, for comparing byte for byte.
  const std::string& static_bytes() const { return static_bytes_; }
  // Returns which call has no result directly behind its turn, or which result has no call; nullopt when all have.
  const std::optional<std::string>& fault() const { return fault_; }

 private:
  std::string whole_, newest_, static_text_, static_bytes_;
  std::optional<std::string> fault_;
};

// Returns whether the text contains the fragment; upper and lower case of ASCII letters are alike.
bool contains_fragment(std::string_view text, std::string_view fragment);

}  // namespace ptcvm::replay
