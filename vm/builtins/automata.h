// The compiled regular expressions of one run, by pattern. A pattern is compiled at its first use, and again when it
// was not among the patterns used last. So what all automata of a run take is bounded, however many regexes it makes,
// and a snapshot or program with many regexes is loaded without compiling one.
//
// Automata are no part of the state of a run: which of them exist changes neither values nor fuel nor counted bytes.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <re2/re2.h>

#include "vm/builtins/regex_syntax.h"

namespace ptc {

struct Automaton {
  std::unique_ptr<re2::RE2> program;   // null when the pattern is invalid
  RegexSyntaxError error;              // says why
  std::uint32_t instructions = 0;      // how many the program has: what the pattern expands to
  std::uint64_t most_bytes = 0;        // the program and its tables never take more
  bool reads_little = false;           // reads_little_past_match() of the pattern
};

// Compiles a pattern, and tells the account of the run how long compiling took, so that the host is asked.
Automaton compile_regex(std::string_view pattern);

class Automata {
 public:
  // The bytes that all automata of a run may take together. The one that was not used for longest goes first.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{6} << 20;

  // Returns the automaton of a pattern, compiled now if need be.
  std::shared_ptr<const Automaton> of(std::string_view pattern);
  std::size_t count() const { return slots_.size(); }

 private:
  struct Slot {
    std::string pattern;
    std::shared_ptr<const Automaton> automaton;
    std::uint64_t last_used;
  };
  void make_room(std::uint64_t bytes);

  std::vector<Slot> slots_;   // few: each counts at least kLightBytes
  std::uint64_t bytes_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace ptc
