// Rules of expressions, as tables: what a form gives, and how it is written. Everything that a builtin takes and gives
// is in one line; rule_filling.cpp reads the lines.
//
// result   a type: int float str key bool rec set, [T] vector, {T} map of keywords, <T> map of strings, |T| a map
//          of either, (T,T>R) a function. Letters are types that are still open: a and b any data, x and y scalars,
//          p and q scalars that every Lisp of the family writes alike
// text     the form. $T is an expression of the type T, and further holes are
//            $num $nz $small $some   a literal integer, one of 2 to 13, of 0 to 5, of 1 to 3
//            $word $kw               a literal string, a keyword
//            $mapkey $mapkeys        a key for a map of the kind |T|, a vector of different ones
//            $date $instant          the literal text of a date, of an instant
//            @{one two}              one of the words
//          What is written inside of a `fn` of the text must have no holes: it runs more often than its place says.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace ptc::generator {

inline constexpr std::uint8_t kGrows = 1;         // the value may grow with every turn of a loop
inline constexpr std::uint8_t kSeq = 2;           // Clojure gives a sequence that is no vector
inline constexpr std::uint8_t kOurs = 4;          // Clojure has no such form, or it means something else there
inline constexpr std::uint8_t kClojure = 8;       // only where programs are to mean the same in Clojure

struct Rule {
  std::string_view result, text;
  std::uint8_t flags = 0;
};

std::span<const Rule> number_rules();
std::span<const Rule> float_rules();
std::span<const Rule> test_rules();
std::span<const Rule> text_rules();
std::span<const Rule> sequence_rules();
std::span<const Rule> map_rules();
std::span<const Rule> date_rules();
std::span<const Rule> function_rules();
std::span<const Rule> run_rules();
std::span<const Rule> edge_rules();

}  // namespace ptc::generator
