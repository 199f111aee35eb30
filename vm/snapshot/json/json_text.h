// Writes JSON piece by piece: commas, indentation, escapes. The same calls give the same text everywhere.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

// The largest integer that every reader of JSON keeps exactly; larger ones travel as text.
inline constexpr std::int64_t kMaxPlainInt = (std::int64_t{1} << 53) - 1;

void append_json_text(std::string& out, std::string_view utf8);   // appends a literal with its quotes

class JsonText {
 public:
  enum class Lines : std::uint8_t { One, Many };   // an object or array is on one line, or has a line for each member

  void open(char bracket, Lines lines = Lines::One);
  void close(char bracket);
  void key(std::string_view name);                 // writes the key of the next member
  void raw(std::string_view literal);              // takes null, true, a number
  void text(std::string_view utf8);
  void number(std::uint64_t n);
  void number(std::int64_t n);
  std::size_t depth() const { return open_.size(); }

  std::string out;

 private:
  struct Open {
    Lines lines;
    bool is_empty;
  };
  void begin_item();
  void new_line();

  std::vector<Open> open_;
  bool after_key_ = false;
};

}  // namespace ptc
