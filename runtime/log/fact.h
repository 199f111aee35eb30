// Holds facts (schema/fact.fbs) as plain data.
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

// The most bytes of all texts of a fact together.
inline constexpr std::size_t kMaxFactTextBytes = std::size_t{1} << 28;

struct Fact {
  std::uint64_t seq = 0;                // the place in the log, from 1, without gaps; 0 before the fact is written
  FactKind kind{};
  FactAuthor author{};
  std::int64_t time_ms = 0;
  std::uint64_t writer = 0;             // the token of the claim that wrote the fact; 0 for writers outside of the run
  std::string key;                      // unique in the log, or "" for facts without a key
  std::string source, id, value, text, status, tool, args, effect, idempotency_key, task;   // see fact.fbs
  std::uint64_t number = 0;
  std::string errors = {};              // what a tool wrote to its standard error

  friend bool operator==(const Fact&, const Fact&) = default;
};

// Returns whether the fact can become bytes and be read again: its kind and author are known, and its texts are UTF-8
// and not too large.
bool is_storable(const Fact& fact);
// Returns the FlatBuffers bytes of a storable fact, without seq, which the log keeps. Equal facts give equal bytes.
std::vector<std::uint8_t> fact_bytes(const Fact& fact);
std::vector<std::uint8_t> fact_bytes(const Fact& fact, std::uint64_t writer);   // as if that writer had written it
// Reads a fact. Returns nullopt when fact_bytes() did not make the bytes, or made them in another format. Safe on any
// bytes.
std::optional<Fact> read_fact(std::span<const std::uint8_t> bytes);

}  // namespace ptc
