// Makes the text that a model wrote into the text of a program: what cannot be seen is left out, smart quotes become
// straight ones, and surplus closing brackets behind the last form are dropped. Nothing else is mended.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptcvm::loop {

struct ProgramText {
  std::string text;
  std::size_t dropped_brackets = 0;   // closing brackets that were surplus
};

ProgramText read_program_text(std::string_view written);

// Returns the text without the characters that cannot be seen: zero-width characters, marks of direction, BOM.
std::string without_invisible(std::string_view text);

// A program that asks for explanations, with the answers written into it.
struct ExplainedProgram {
  std::string text;
  std::size_t answer_bytes = 0;       // the size of all answers together
};

// Replaces each call (doc name) and (apropos "word") by a form that prints the answer and has it as its value.
// `answer(form, name)` gives the answer; `form` is "doc" or "apropos".
ExplainedProgram explain(std::string_view program,
                         const std::function<std::string(std::string_view form, std::string_view name)>& answer);

// Returns the keys and values of a map as EDN text, in their order. The text must be a map.
std::vector<std::pair<std::string_view, std::string_view>> entries_of_map(std::string_view edn);

// Returns the text as a string literal of the language.
std::string string_literal(std::string_view text);

// Returns how many bytes of the text make at most `most` bytes without cutting a character.
std::size_t whole_characters(std::string_view text, std::size_t most);

}  // namespace ptcvm::loop
