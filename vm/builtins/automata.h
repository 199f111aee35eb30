// The compiled regular expressions of one run, by pattern, and those that all runs of an engine share. A pattern is
// compiled at its first use, and again when it was not among the patterns used last. So what all automata of a run take
// is bounded, however many regexes it makes, and a snapshot or program with many regexes is loaded without compiling
// one.
//
// Automata are no part of the state of a run: which of them exist changes neither values nor fuel nor counted bytes.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <re2/re2.h>

#include "vm/builtins/regex_syntax.h"

namespace ptc {

struct Automaton {
  std::unique_ptr<re2::RE2> program;   // null when the pattern is invalid
  RegexSyntaxError error;              // says why
  // How many the program has: what the pattern expands to. A pattern that is too large was expanded to so many before.
  std::uint32_t instructions = 0;
  std::uint64_t most_bytes = 0;        // the program and its tables never take more
  bool reads_little = false;           // reads_little_past_match() of the pattern
};

// Compiles a pattern, and tells the account of the run how long compiling took, so that the host is asked.
Automaton compile_regex(std::string_view pattern);

// Keeps automata by pattern within a number of bytes. The one that was not used for longest goes first.
class AutomatonShelf {
 public:
  explicit AutomatonShelf(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // Returns the automaton of a pattern, or null when it is not kept.
  std::shared_ptr<const Automaton> find(std::string_view pattern);
  // Keeps an automaton that find() did not have. One that takes more than all may take is not kept.
  void keep(std::string_view pattern, std::shared_ptr<const Automaton> automaton);
  std::size_t count() const { return slots_.size(); }
  std::uint64_t bytes() const { return bytes_; }   // returns what the kept ones take at most

 private:
  struct Slot {
    std::string pattern;
    std::shared_ptr<const Automaton> automaton;
    std::uint64_t last_used;
  };

  const std::uint64_t most_bytes_;
  std::vector<Slot> slots_;   // few: each takes at least kLightBytes
  std::uint64_t bytes_ = 0;
  std::uint64_t clock_ = 0;
};

// Automata that several runs share. The host implements it, with a lock: runs of any number of threads use it.
class SharedAutomata {
 public:
  virtual ~SharedAutomata() = default;
  // Returns the automaton of a pattern, or null when nobody shares it.
  virtual std::shared_ptr<const Automaton> find(std::string_view pattern) = 0;
  // Shares an automaton, for a while: one that is forgotten here lives as long as a run keeps it.
  virtual void share(std::string_view pattern, std::shared_ptr<const Automaton> automaton) = 0;
};

class Automata {
 public:
  // The bytes that all automata of a run may take together.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{6} << 20;

  // `shared` may be null: then the run compiles every pattern itself.
  explicit Automata(std::shared_ptr<SharedAutomata> shared = nullptr) : shared_(std::move(shared)) {}

  // Returns the automaton of a pattern, compiled now if need be.
  std::shared_ptr<const Automaton> of(std::string_view pattern);
  std::size_t count() const { return shelf_.count(); }

 private:
  std::shared_ptr<const Automaton> made(std::string_view pattern);

  AutomatonShelf shelf_{kMostBytes};
  std::shared_ptr<SharedAutomata> shared_;
};

}  // namespace ptc
