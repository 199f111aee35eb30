#include "malformed/mutations.h"

#include <iterator>

namespace ptc::test {
namespace {

constexpr std::string_view kInsertions[] = {
    "(", ")", "[", "]", "{", "}", "\"", "\\", "#(", "#{", "#\"", "#_", "#'", "@", "'", "`", "~", "^", ":", "::", "%",
    "%&", "&", ";", ",", "##Inf", "##x", "1/2", "0x1F", "1e999", "-", ".", "/", "a/b/c", "*1", "nil", "(recur)",
    "(fn", "(let [", "(loop [i 0] (recur i))", "\xff", "\xc3", "\xf0\x9f", "\xe2\x80\x8d", std::string_view("\0", 1),
    "9999999999999999999999", "(return 1)", "(fail)", "data/", "tool/",
};

void remove_some(std::string& text, Dice& dice) {
  if (text.empty()) return;
  text.erase(dice.below(text.size()), 1 + dice.below(4));
}

void double_some(std::string& text, Dice& dice) {
  if (text.empty()) return;
  const std::size_t at = dice.below(text.size());
  text.insert(at, std::string(text.substr(at, 1 + dice.below(20))));
}

void insert_piece(std::string& text, Dice& dice) {
  text.insert(dice.below(text.size() + 1), std::string(kInsertions[dice.below(std::size(kInsertions))]));
}

void replace_byte(std::string& text, Dice& dice) {
  if (!text.empty()) text[dice.below(text.size())] = static_cast<char>(dice.below(256));
}

void cut_end(std::string& text, Dice& dice) { text.resize(dice.below(text.size() + 1)); }

void drop_closer(std::string& text, Dice& dice) {
  const std::size_t at = text.find_first_of(")]}", dice.below(text.size() + 1));
  if (at != std::string::npos) text.erase(at, 1);
}

void swap_halves(std::string& text, Dice& dice) {
  const std::size_t at = dice.below(text.size() + 1);
  text = text.substr(at) + text.substr(0, at);
}

// Drops one blank-separated token.
void drop_token(std::string& text, Dice& dice) {
  const std::size_t from = text.find(' ', dice.below(text.size() + 1));
  if (from == std::string::npos) return;
  const std::size_t to = text.find(' ', from + 1);
  text.erase(from, to == std::string::npos ? std::string::npos : to - from);
}

using Mutation = void (*)(std::string&, Dice&);
constexpr Mutation kMutations[] = {remove_some, double_some, insert_piece, replace_byte,
                                   cut_end,     drop_closer, swap_halves,  drop_token};

}  // namespace

std::uint64_t Dice::next() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::string mutated(std::string_view text, std::string_view other, Dice& dice) {
  std::string out(text);
  const std::size_t rounds = 1 + dice.below(4);
  for (std::size_t i = 0; i < rounds; ++i) {
    if (dice.below(8) == 0 && !other.empty()) {
      const std::size_t from = dice.below(other.size());
      out.insert(dice.below(out.size() + 1), std::string(other.substr(from, 1 + dice.below(40))));
    } else {
      kMutations[dice.below(std::size(kMutations))](out, dice);
    }
  }
  return out;
}

}  // namespace ptc::test
