// Facts (schema/fact.fbs) as plain data.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/fact_kind.h"

namespace ptc {

enum class FactAuthor : std::uint8_t { Program, Host, Outside, Person };

struct Fact {
  std::uint64_t seq = 0;                // place in its log, from 1, without gaps; 0: not written yet
  FactKind kind{};
  FactAuthor author{};
  std::int64_t time_ms = 0;
  std::uint64_t writer = 0;             // token of the claim under which it was written; 0: from outside of the run
  std::string key;                      // unique in its log; "": may stand there any number of times
  std::string source, id, value, text, status, tool, args, effect, idempotency_key, task;   // see fact.fbs
  std::uint64_t number = 0;

  friend bool operator==(const Fact&, const Fact&) = default;
};

// FlatBuffers bytes, without seq: that is the log's. Canonical: equal facts give equal bytes.
std::vector<std::uint8_t> fact_bytes(const Fact& fact);
// Nothing: bytes that are no fact of a known format. Safe on any bytes, text that is not UTF-8 is refused.
std::optional<Fact> read_fact(std::span<const std::uint8_t> bytes);
// One JSON object without line breaks, members in the order of fact.fbs, empty ones left out; for logs and exports.
std::string fact_json(const Fact& fact);

}  // namespace ptc
