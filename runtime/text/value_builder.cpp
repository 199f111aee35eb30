// Collections from items, and the \u escapes that EDN and JSON share.
#include "runtime/text/value_builder.h"

#include <algorithm>

#include "vm/value/account.h"
#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {

ValueBuilder::~ValueBuilder() {
  for (const Value item : items_) heap_.release(item);
  heap_.account(-static_cast<std::int64_t>(counted_bytes_));
}

// Makes room for half as many items again. The old items stay until the new ones are there.
bool ValueBuilder::grow() {
  constexpr std::size_t kFirst = 16;
  const std::size_t wanted = std::max(kFirst, items_.capacity() + items_.capacity() / 2);
  if (is_full_ || !heap_.can_allocate(wanted * sizeof(Value))) {
    refuse();
    return false;
  }
  count((wanted - items_.capacity()) * sizeof(Value));
  items_.reserve(wanted);
  return true;
}

void ValueBuilder::deepen() {
  constexpr std::size_t kFirst = 16;
  const std::size_t wanted = std::max(kFirst, starts_.capacity() + starts_.capacity() / 2);
  if (!heap_.can_allocate(wanted * kLevelBytes)) refuse();
  if (!is_full_) count((wanted - starts_.capacity()) * kLevelBytes);
  starts_.reserve(wanted);
}

void ValueBuilder::count(std::uint64_t more_bytes) {
  heap_.account(static_cast<std::int64_t>(more_bytes));
  counted_bytes_ += more_bytes;
}

// The heap says so, too, for those who see only the finished value.
void ValueBuilder::refuse() {
  is_full_ = true;
  heap_.refuse();
}

// Returns whether a collection of that many items has room beside them. Small ones are looked at when they are there.
bool ValueBuilder::fits(Shape shape, std::size_t count) {
  constexpr std::size_t kLookedAt = 256;
  constexpr std::size_t kBytesOfEntry = 2 * sizeof(Value);   // the least that a large map or set takes for each item
  if (count <= kLookedAt) return true;
  return heap_.can_allocate(count * (shape == Shape::Vector ? sizeof(Value) : kBytesOfEntry));
}

void ValueBuilder::close(Shape shape) {
  const std::size_t start = std::min(starts_.back(), items_.size());   // less when items were dropped
  starts_.pop_back();
  const std::size_t count = items_.size() - start;
  if (is_full_ || !fits(shape, count)) {
    refuse();
    while (items_.size() > start) heap_.release(take());
    return add(Value::nil());
  }
  Value finished = Value::nil();
  if (shape == Shape::Vector) {
    finished = vector_of(heap_, std::span<const Value>(items_).subspan(start));
  } else if (shape == Shape::Set) {
    finished = finished_set(start);
  } else {
    finished = count > 2 * kSmallMax ? finished_large_map(start) : finished_map(start);
  }
  replace_open(start, finished);
}

void ValueBuilder::close_record(std::span<const std::string_view> names, MapShape& shape) {
  const std::size_t start = std::min(starts_.back(), items_.size());
  starts_.pop_back();
  while (is_full_ && items_.size() > start) heap_.release(take());
  if (is_full_) return add(Value::nil());
  for (; items_.size() - start > names.size(); items_.pop_back()) heap_.release(items_.back());
  while (items_.size() - start < names.size() && !is_full_) add(Value::nil());
  if (is_full_) {
    while (items_.size() > start) heap_.release(take());
    return;
  }
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
  if (items_.empty()) return Value::nil();   // it was dropped
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

// Making a large collection may be stopped (vm/value/account.h). So its items leave the stack before: each has one
// owner at every moment.
Value ValueBuilder::finished_large_map(std::size_t start) {
  keys_.clear();
  values_.clear();
  for (std::size_t i = start; i + 1 < items_.size(); i += 2) {
    keys_.push_back(items_[i]);
    values_.push_back(items_[i + 1]);
  }
  items_.resize(start, Value::nil());
  return map_from(heap_, keys_, values_);
}

Value ValueBuilder::finished_set(std::size_t start) {
  keys_.assign(items_.begin() + static_cast<std::ptrdiff_t>(start), items_.end());
  items_.resize(start, Value::nil());
  OwnedValues members(heap_, keys_);
  Owned set(heap_, set_empty(heap_));
  while (!members.empty() && !heap_.has_failed()) {
    work_done(1);
    set.reset(set_add(heap_, set.take(), members.take_next()));
  }
  return set.take();
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
