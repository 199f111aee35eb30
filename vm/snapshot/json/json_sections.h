// Writes the members of the JSON face one after the other: each member goes to the text, and its name to the path that
// the layout keeps. Members with their default value are left out.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vm/snapshot/json/json_value_writer.h"

namespace ptc {

struct RunState;

class JsonSections {
 public:
  using Lines = JsonText::Lines;

  JsonSections(JsonText& out, JsonValueWriter& values) : out_(out), values_(values) {}

  void whole_text(std::string_view name, std::string_view value) {   // writes the text also when it is empty
    out_.key(name);
    out_.text(value);
  }
  void text(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out_.key(name);
    out_.text(value);
  }
  void flag(std::string_view name, bool value) {
    if (!value) return;
    out_.key(name);
    out_.raw("true");
  }
  template <class Number>
  void number(std::string_view name, Number value) {
    out_.key(name);
    if constexpr (std::is_signed_v<Number>) {
      out_.number(std::int64_t{value});
    } else {
      out_.number(std::uint64_t{value});
    }
  }
  void time(std::string_view name, std::int64_t millis) {
    if (millis != 0) return number(name, millis);
    out_.key(name);
    out_.raw("null");
  }
  void value(std::string_view name, Value value) {
    out_.key(name);
    values_.layout.enter(name);
    values_.put(value);
    values_.layout.leave();
  }
  void value_or_nothing(std::string_view name, Value v) {
    if (!v.is_nil()) value(name, v);
  }
  void open(std::string_view name, char bracket, Lines lines = Lines::Many) {
    out_.key(name);
    out_.open(bracket, lines);
    values_.layout.enter(name);
  }
  void open(std::size_t index, Lines lines = Lines::One) {
    out_.open('{', lines);
    values_.layout.enter(static_cast<std::uint32_t>(index));
  }
  void close(char bracket) {
    out_.close(bracket);
    values_.layout.leave();
  }
  void texts(std::string_view name, const std::vector<std::string>& items, Lines lines = Lines::Many) {
    if (items.empty()) return;
    out_.key(name);
    out_.open('[', lines);
    for (const std::string& item : items) out_.text(item);
    out_.close(']');
  }
  template <class List>
  void value_list(std::string_view name, const List& items) {
    open(name, '[', Lines::One);
    for (std::size_t k = 0; k < items.size(); ++k) {
      values_.layout.enter(static_cast<std::uint32_t>(k));
      values_.put(items[k]);
      values_.layout.leave();
    }
    close(']');
  }

 protected:
  JsonText& out_;
  JsonValueWriter& values_;
};

// Writes the fibers with their frames (json_fibers.cpp).
void write_fibers(JsonSections& out, const RunState& state);

}  // namespace ptc
