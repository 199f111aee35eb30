// Matches of one regex in one text.
//
// With some patterns a search reads to the end of the text however short the match is, so finding all matches can cost
// the square of the length. Each search is charged as fuel for what it may have read, and one builtin call may read at
// most kMaxScannedBytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <re2/re2.h>

#include "vm/builtins/call.h"

namespace ptc {

class RegexSearch {
 public:
  static constexpr std::uint64_t kMaxScannedBytes = std::uint64_t{256} << 20;

  enum class Groups : std::uint8_t { None, All };

  // regex and text are borrowed and must outlive this.
  RegexSearch(Call& call, Value regex, std::string_view text, Groups groups);

  // Leftmost match that begins at byte `from` or later. False: none, or failed().
  bool find(std::size_t from);
  // The next match of a left-to-right scan: empty matches advance by one code point.
  bool next();
  bool matches_whole();
  bool failed() const { return failed_; }   // a fault is parked

  std::size_t group_count() const { return group_count_; }       // without the whole match
  std::size_t begin() const { return static_cast<std::size_t>(matched_[0].data() - text_.data()); }
  std::size_t end() const { return begin() + matched_[0].size(); }
  bool has_group(std::size_t i) const { return matched_[i].data() != nullptr; }
  std::string_view group(std::size_t i) const { return {matched_[i].data(), matched_[i].size()}; }
  // Number of the group of that name, or 0.
  std::size_t group_named(std::string_view name) const;
  // The match as programs see it: the text, or [whole g1 …] with nil for groups that took no part.
  Value match_value() const;

 private:
  bool run(std::size_t from, re2::RE2::Anchor anchor);
  bool charge_scan(std::size_t from, bool found);

  Call& call_;
  std::string_view text_;
  const re2::RE2* automaton_ = nullptr;
  std::size_t group_count_ = 0;
  std::vector<re2::StringPiece> matched_;
  std::uint64_t scanned_bytes_ = 0;
  std::size_t next_from_ = 0;
  bool reads_little_ = false;
  bool exhausted_ = false;
  bool failed_ = false;
};

// Argument i as a regex, compiled from its text when it is a string; the caller owns the result. Absent: fault parked.
Value regex_of_argument(Call& call, std::uint32_t i);

}  // namespace ptc
