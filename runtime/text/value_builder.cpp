// Collections from items, and the \u escapes that EDN and JSON share.
#include "runtime/text/value_builder.h"

#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {

ValueBuilder::~ValueBuilder() {
  for (const Value item : items_) heap_.release(item);
}

void ValueBuilder::close(Shape shape) {
  const std::size_t start = starts_.back();
  starts_.pop_back();
  Value finished = Value::nil();
  if (shape == Shape::Vector) {
    finished = vector_of(heap_, std::span<const Value>(items_).subspan(start));
  } else {
    finished = shape == Shape::Map ? finished_map(start) : finished_set(start);
  }
  replace_open(start, finished);
}

void ValueBuilder::close_record(std::span<const std::string_view> names, MapShape& shape) {
  const std::size_t start = starts_.back();
  starts_.pop_back();
  for (; items_.size() - start > names.size(); items_.pop_back()) heap_.release(items_.back());
  items_.resize(start + names.size(), Value::nil());
  if (shape.is_known()) {
    replace_open(start, shape.make_record(std::span<const Value>(items_).subspan(start)));
    return;
  }
  const Value map = named_map(names, start);
  shape.learn(names, map);
  replace_open(start, map);
}

void ValueBuilder::replace_open(std::size_t start, Value finished) {
  items_.resize(start, Value::nil());
  items_.push_back(finished);
}

Value ValueBuilder::named_map(std::span<const std::string_view> names, std::size_t start) {
  keys_.clear();
  values_.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    keys_.push_back(string_of(heap_, names[i]));
    values_.push_back(items_[start + i]);
  }
  return map_from(heap_, keys_, values_);
}

Value ValueBuilder::take() {
  const Value item = items_.back();
  items_.pop_back();
  return item;
}

Value ValueBuilder::finished_map(std::size_t start) {
  const auto pairs = std::span<const Value>(items_).subspan(start);
  if (shape_.fits(pairs)) return shape_.make(pairs);
  keys_.clear();
  values_.clear();
  for (std::size_t i = start; i + 1 < items_.size(); i += 2) {
    keys_.push_back(items_[i]);
    values_.push_back(items_[i + 1]);
  }
  const Value map = map_from(heap_, keys_, values_);
  shape_.learn(pairs, map);
  return map;
}

Value ValueBuilder::finished_set(std::size_t start) {
  Value set = set_empty(heap_);
  for (std::size_t i = start; i < items_.size(); ++i) set = set_add(heap_, set, items_[i]);
  return set;
}

void append_code_point(std::string& out, std::uint32_t code) {
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) code = 0xfffd;
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | ((code >> shift) & 0x3fU)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0U | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0U | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0U | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

int hex_unit(std::string_view text, std::size_t at) {
  if (at > text.size() || text.size() - at < 4) return -1;
  int unit = 0;
  for (const char c : text.substr(at, 4)) {
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      unit = unit * 16 + (c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      unit = unit * 16 + (lower - 'a' + 10);
    } else {
      return -1;
    }
  }
  return unit;
}

bool append_unicode_escape(std::string& out, std::string_view text, std::size_t& at) {
  const int unit = hex_unit(text, at);
  if (unit < 0) return false;
  at += 4;
  const bool high = unit >= 0xd800 && unit <= 0xdbff;
  if (high && text.substr(at, 2) == "\\u") {
    const int low = hex_unit(text, at + 2);
    if (low >= 0xdc00 && low <= 0xdfff) {
      at += 6;
      append_code_point(out, static_cast<std::uint32_t>(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)));
      return true;
    }
  }
  append_code_point(out, static_cast<std::uint32_t>(unit));
  return true;
}

}  // namespace ptc
