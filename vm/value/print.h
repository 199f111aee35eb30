// Prints values as text. Iterative; never prints addresses. The three forms of semantics 5 are readable (pr-str, nested
// values, EDN), str form (str, join) and print form (println).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

class TextPieces;   // vm/value/text_pieces.h

struct PrintLimit {
  std::size_t max_bytes = SIZE_MAX;  // printing stops soon after that many bytes; *truncated says so
  bool* truncated = nullptr;
  TextPieces* pieces = nullptr;      // takes long text over, piece by piece; printing stops when it has no room
};

void append_readable(std::string& out, Value v, Heap& heap, PrintLimit limit = {});
// Appends a readable form that reads back exactly (runtime/text/edn.h): functions as #ptc/closure {:src "…" :captured
// {…}} when their text is known, else #ptc/fn "name"; regexes as #ptc/regex "…", java.util.Date as #ptc/jdate "…",
// keywords that need quoting as #ptc/kw "…", integers beyond 64 bits with N. The text of a function is written once: a
// later closure of the same text is #ptc/closure {:same 2 :captured {…}}; 2 is the last :src but one.
// Texts of at most kRepeatedSourceBytes are repeated.
inline constexpr std::size_t kRepeatedSourceBytes = 64;
void append_edn(std::string& out, Value v, Heap& heap, PrintLimit limit = {});
void append_str(std::string& out, Value v, Heap& heap, PrintLimit limit = {});
void append_print(std::string& out, Value v, Heap& heap, PrintLimit limit = {});
void append_quoted(std::string& out, std::string_view utf8);  // "…" with the escapes of the readable form

// Returns about how many units of work (vm/value/account.h) the decimal text of an integer takes.
std::uint32_t digits_work(Value big);

// Returns whether every EDN reader takes the name of a keyword as it is.
bool is_plain_keyword(std::string_view name);

// Returns the name of a kind in error messages: nil boolean number string keyword vector map set function regex date …
std::string_view kind_text(Value v);

}  // namespace ptc
