// The text of a program that plans as it is compiled, with the words of planners in front, and where its parts are in
// the text that a person wrote. Lines keep their numbers, and columns do not; the words are on the first line.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/diagnostic.hpp"
#include "ptcvm/engine.hpp"

namespace ptcvm::harness {

// See the top of this file. Immutable.
class ProgramText {
 public:
  explicit ProgramText(std::string_view source);

  // Returns what is compiled: the words of planners, and the program with facts/… spelled as tools.
  const std::string& compiled() const { return compiled_; }
  // Returns a diagnostic of the compiled text with the places of the written one. A call of a word, as of (ask …), is
  // shown like a call of a builtin. A fault inside of a word is at the place of its call.
  Diagnostic in_source(const Engine& engine, Diagnostic found) const;

 private:
  struct Place {
    std::uint32_t line = 0, column = 0;   // from 1; columns count code points; 0 when there is no place
  };
  bool is_in_words(const Place& place) const;
  Place moved(Place place) const;
  std::vector<CallFrame> moved(const std::vector<CallFrame>& stack) const;
  std::uint32_t offset_of(const Place& place) const;

  std::string source_, compiled_;
  std::uint32_t words_ = 0;               // how many columns of the first line belong to the words
  std::uint32_t lines_ = 0;               // of source_
  std::vector<Place> longer_;             // where a name of the compiled text is longer, in the order of the text
};

// Returns a fault in one line, for logs: "type_error: … (line 3, column 14; total 3:14 < program 7:3)".
std::string fault_line(const Diagnostic& fault);

}  // namespace ptcvm::harness
