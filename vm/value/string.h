// Strings: immutable UTF-8. Positions and lengths that a program sees count extended grapheme clusters (UAX #29); for
// ASCII text a cluster is a byte (CR LF excepted), which is detected once per string and makes indexing O(1).
#pragma once
#include <cstdint>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

Value string_of(Heap& heap, std::string_view utf8);           // malformed UTF-8 is replaced by U+FFFD
Value string_copy(Heap& heap, std::string_view valid_utf8);    // of text that is known to be valid
Value string_raw(Heap& heap, std::size_t size_bytes);         // bytes to be filled in by the caller, at once
inline const String* as_string(Value v) { return static_cast<const String*>(v.object); }
inline std::string_view string_view_of(Value v) { return as_string(v)->view(); }

bool string_is_ascii(Value string);                            // every byte is a cluster of its own; cached
std::uint32_t string_count(Value string);                      // grapheme clusters, cached
// Byte offset of cluster i (i <= count).
std::size_t string_offset(Value string, std::uint32_t i);
// Number of clusters in the first `offset` bytes; inside of a cluster, the index of that cluster.
std::uint32_t string_index_of_offset(Value string, std::size_t offset);
// Length in bytes of the cluster that starts at text[0]; 0 for empty text.
std::size_t grapheme_length(std::string_view text);
// Clusters [from, to) as a new string; from <= to <= count.
Value string_slice(Heap& heap, Value borrowed, std::uint32_t from, std::uint32_t to);
// One string a cluster.
Value string_graphemes(Heap& heap, Value borrowed);            // vector

// Code-unit order of UTF-16 (how Clojure orders strings): negative, 0, positive.
int compare_utf16(std::string_view a, std::string_view b);
std::uint64_t hash_bytes(std::string_view bytes);              // never 0; constant seed

}  // namespace ptc
