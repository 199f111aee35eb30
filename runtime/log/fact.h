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
std::string_view fact_author_name(FactAuthor author);   // "program" and so on

// All texts of a fact together.
inline constexpr std::size_t kMaxFactTextBytes = std::size_t{1} << 28;

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

// Whether it can become bytes and be read again: a known kind and author, texts that are UTF-8 and not too large.
bool is_storable(const Fact& fact);
// FlatBuffers bytes of a storable fact, without seq: that is the log's. Canonical: equal facts give equal bytes.
std::vector<std::uint8_t> fact_bytes(const Fact& fact);
// Nothing: bytes that fact_bytes did not make, or that of another format. Safe on any bytes.
std::optional<Fact> read_fact(std::span<const std::uint8_t> bytes);

}  // namespace ptc
