// Strings are immutable UTF-8. Positions and lengths that a program sees count extended grapheme clusters (UAX #29). In
// ASCII text a cluster is a byte (except CR LF). A string detects this once, which makes indexing O(1).
#pragma once
#include <cstdint>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

Value string_of(Heap& heap, std::string_view utf8);           // replaces malformed UTF-8 with U+FFFD
Value string_copy(Heap& heap, std::string_view valid_utf8);    // copies text that is known to be valid
Value string_raw(Heap& heap, std::size_t size_bytes);         // the caller fills in the bytes at once
inline const String* as_string(Value v) { return static_cast<const String*>(v.object); }
inline std::string_view string_view_of(Value v) { return as_string(v)->view(); }

bool string_is_ascii(Value string);                            // returns whether every byte is a cluster; cached
std::uint32_t string_count(Value string);                      // counts grapheme clusters; cached
// Returns the byte offset of cluster i (i <= count).
std::size_t string_offset(Value string, std::uint32_t i);
// Returns the number of clusters in the first `offset` bytes; inside of a cluster, the index of that cluster.
std::uint32_t string_index_of_offset(Value string, std::size_t offset);
// Returns the length in bytes of the cluster at text[0], or 0 for empty text.
std::size_t grapheme_length(std::string_view text);
// Returns clusters [from, to) as a new string; from <= to <= count.
Value string_slice(Heap& heap, Value borrowed, std::uint32_t from, std::uint32_t to);
// Splits a string into one string for each cluster.
Value string_graphemes(Heap& heap, Value borrowed);            // returns a vector

// Compares in the order of UTF-16 code units (as Clojure orders strings). Returns a negative number, 0 or a positive
// number.
int compare_utf16(std::string_view a, std::string_view b);
std::uint64_t hash_bytes(std::string_view bytes);              // returns never 0; the seed is constant

}  // namespace ptc
