// Finds the matches of one regex in one text.
//
// With some patterns a search reads to the end of the text even when the match is short, so finding all matches can
// cost the square of the length. Each search is charged for the bytes that it may have read, and one call of a builtin
// may read at most kMaxScannedBytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <re2/re2.h>

#include "vm/builtins/automata.h"
#include "vm/builtins/call.h"

namespace ptc {

class RegexSearch {
 public:
  static constexpr std::uint64_t kMaxScannedBytes = std::uint64_t{256} << 20;

  enum class Groups : std::uint8_t { None, All };

  // Borrows regex and text, which must outlive the search.
  RegexSearch(Call& call, Value regex, std::string_view text, Groups groups);

  // Finds the leftmost match that begins at byte `from` or later. Returns false when there is no match, or after
  // failed().
  bool find(std::size_t from);
  // Finds the next match of a scan from left to right. Empty matches advance by one code point.
  bool next();
  bool matches_whole();
  bool failed() const { return failed_; }   // returns whether a fault is parked

  std::size_t group_count() const { return group_count_; }       // does not count the whole match
  std::size_t begin() const { return static_cast<std::size_t>(matched_[0].data() - text_.data()); }
  std::size_t end() const { return begin() + matched_[0].size(); }
  bool has_group(std::size_t i) const { return matched_[i].data() != nullptr; }
  std::string_view group(std::size_t i) const { return {matched_[i].data(), matched_[i].size()}; }
  // Returns the number of the group of that name, or 0.
  std::size_t group_named(std::string_view name) const;
  // Returns the match as programs see it: the text, or [whole g1 …] with nil for groups without a match.
  Value match_value() const;

 private:
  bool run(std::size_t from, re2::RE2::Anchor anchor);
  bool charge_scan(std::size_t from, bool found);
  std::uint64_t price_of_large_program(std::uint64_t read) const;

  Call& call_;
  std::string_view text_;
  std::shared_ptr<const Automaton> automaton_;   // never null
  std::size_t group_count_ = 0;
  std::vector<re2::StringPiece> matched_;
  std::uint64_t scanned_bytes_ = 0;
  std::size_t next_from_ = 0;
  bool exhausted_ = false;
  bool failed_ = false;
};

// Returns argument i as a regex, compiled from its text when it is a string. The caller owns the result. Returns Absent
// after parking a fault.
Value regex_of_argument(Call& call, std::uint32_t i);

}  // namespace ptc
