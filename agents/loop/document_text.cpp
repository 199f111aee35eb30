#include "agents/loop/document_text.h"

#include <boost/mp11/algorithm.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "agents/loop/agent_state_described.h"

namespace ptcvm::loop {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";   // U+FFFD

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

// Returns the size of the character at the beginning, or 0 when there is none (RFC 3629).
std::size_t character_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  std::size_t size = 0;
  if (first >= 0xC2 && first <= 0xDF) size = 2;
  if (first >= 0xE0 && first <= 0xEF) size = 3;
  if (first >= 0xF0 && first <= 0xF4) size = 4;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_surrogate = first == 0xED && second > 0x9F;
  const bool is_too_large = first == 0xF4 && second > 0x8F;
  return is_overlong || is_surrogate || is_too_large ? 0 : size;
}

// Returns where the first byte is that is not UTF-8, or the size of the text.
std::size_t good_size(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;
    if (text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080'8080'8080'8080u) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const std::size_t size = character_size(text.substr(at));
    if (size == 0) return at;
    at += size;
  }
  return at;
}

template <class T>
void mend(T& x);
template <class T>
void mend(std::unique_ptr<T>& x) {
  if (x != nullptr) mend(*x);
}
template <class T>
void mend(std::vector<T>& items) {
  if constexpr (!std::is_arithmetic_v<T>) {
    for (T& item : items) mend(item);
  }
}
template <class T>
void mend(T& x) {
  if constexpr (std::is_same_v<T, std::string>) {
    mend_text(x);
  } else if constexpr (std::is_class_v<T>) {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Members>([&](auto member) { mend(x.*member.pointer); });
  }
}

}  // namespace

void mend_text(std::string& text) {
  std::size_t good = good_size(text);
  if (good == text.size()) return;
  std::string out;
  std::string_view rest = text;
  for (; !rest.empty(); good = good_size(rest)) {
    out += rest.substr(0, good);
    rest.remove_prefix(good);
    if (rest.empty()) break;
    out += kReplacement;
    rest.remove_prefix(1);
  }
  text = std::move(out);
}

void mend_texts(state::DocumentT& document) { mend(document); }

}  // namespace ptcvm::loop
