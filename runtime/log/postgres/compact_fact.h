// The bytes of a fact in the column `body` of the PostgreSQL store. FlatBuffers spend about 130 bytes on the places and
// sizes of members, which is more than most facts say; here a member that is there costs a byte or two:
//
//   0x01 (no FlatBuffers and no JSON begins so), kind * 4 + author, time, which members are there, writer, number,
//   then each text with its size before it. Numbers have seven bits a byte, the lowest first.
//
// Facts and bytes are one to one, as in fact.h. Whatever is signed or exported has the bytes of fact_bytes().
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact.h"

namespace ptc {

bool is_compact(std::string_view stored);
// Returns the compact bytes of a storable fact, as if that writer had written it.
std::string compact_fact(const Fact& fact, std::uint64_t writer);
// Reads what compact_fact() has made, and nothing else. Safe on any bytes.
std::optional<Fact> read_compact(std::string_view stored);

// Reads what the column has: compact bytes, FlatBuffers, or the JSON of ptcvm.enqueue_program().
std::optional<Fact> read_stored(std::string_view stored);
// Returns the bytes that seals are about: what fact_bytes() gives for a compact fact, and else what is stored.
std::vector<std::uint8_t> sealed_bytes(std::string_view stored);

}   // namespace ptc
