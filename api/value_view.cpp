// Looking at values. Nothing here changes a heap: what is looked for is compared, never interned.
#include <algorithm>

#include "api/value_access.h"
#include "runtime/calls/tools.h"
#include "runtime/text/json_value.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/pending.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptcvm {
namespace {

using ptc::Tag;

ptc::Value word(const ValueView& view) { return ValueAccess::word(view); }

constexpr std::uint32_t kScanMost = 64;   // entries of a map that are compared one by one

bool is_named(ptc::Value key, std::string_view name) {
  if (key.is_string()) return ptc::string_view_of(key) == name;
  return key.is_keyword() && key.keyword->name() == name;
}

// Returns the value in the map, borrowed, or Absent.
ptc::Value scan(ptc::Heap& heap, ptc::Value map, std::string_view name) {
  for (ptc::MapCursor entry(heap, map); entry.next();) {
    if (is_named(entry.key(), name)) return entry.value();
  }
  return ptc::Value::absent();
}

ptc::Value find_exactly(ptc::Heap& heap, ptc::Value map, std::string_view name) {
  if (ptc::map_count(map) <= kScanMost) return scan(heap, map, name);
  if (const ptc::Keyword* keyword = heap.find_interned(name)) {
    const ptc::Value found = ptc::map_find(map, ptc::Value::of(keyword));
    if (!found.is_absent()) return found;
  }
  ptc::Heap own;
  const ptc::Owned key(own, ptc::string_of(own, name));
  return ptc::map_find(map, key.get());
}

}  // namespace

const char* value_kind_name(ValueKind kind) {
  static constexpr const char* kNames[] = {"nil",  "bool", "int",  "int",      "float",    "string", "keyword",
                                           "list", "map",
                                           "set", "date", "datetime", "duration",
                                           "regex", "var", "function", "pending"};
  return kNames[static_cast<std::size_t>(kind)];
}

ValueKind ValueView::kind() const {
  switch (word(*this).tag) {
    case Tag::Nil: return ValueKind::Nil;
    case Tag::False:
    case Tag::True: return ValueKind::Bool;
    case Tag::Int: return ValueKind::Int;
    case Tag::Float: return ValueKind::Float;
    case Tag::Keyword: return ValueKind::Keyword;
    case Tag::Date: return ValueKind::Date;
    case Tag::String: return ValueKind::String;
    case Tag::BigInt: return ValueKind::BigInt;
    case Tag::Vector: return ValueKind::Vector;
    case Tag::Map: return ValueKind::Map;
    case Tag::Set: return ValueKind::Set;
    case Tag::Regex: return ValueKind::Regex;
    case Tag::Var: return ValueKind::Var;
    case Tag::Instant: return ValueKind::Instant;
    case Tag::Duration: return ValueKind::Duration;
    case Tag::Pending: return ValueKind::Pending;
    case Tag::Builtin:
    case Tag::Tool:
    case Tag::Closure: return ValueKind::Function;
    case Tag::Absent:
    case Tag::Hidden: break;
  }
  return ValueKind::Nil;
}

ValueView::operator bool() const { return word(*this).truthy(); }

std::optional<bool> ValueView::as_bool() const {
  if (kind() != ValueKind::Bool) return std::nullopt;
  return word(*this).truthy();
}

std::optional<std::int64_t> ValueView::as_int() const {
  if (!word(*this).is_int()) return std::nullopt;
  return word(*this).i;
}

std::optional<double> ValueView::as_double() const {
  const ptc::Value v = word(*this);
  if (v.is_float()) return v.d;
  if (v.is_int()) return static_cast<double>(v.i);
  return std::nullopt;
}

std::optional<std::string_view> ValueView::as_string() const {
  if (!word(*this).is_string()) return std::nullopt;
  return ptc::string_view_of(word(*this));
}

std::optional<std::string_view> ValueView::as_keyword() const {
  if (!word(*this).is_keyword()) return std::nullopt;
  return word(*this).keyword->name();
}

std::optional<std::string_view> ValueView::as_pending() const {
  if (!word(*this).is(Tag::Pending)) return std::nullopt;
  return ptc::pending_id_of(word(*this));
}

std::size_t ValueView::size() const {
  const ptc::Value v = word(*this);
  if (v.is_vector()) return ptc::vector_count(v);
  if (v.is_map()) return ptc::map_count(v);
  if (v.is_set()) return ptc::set_count(v);
  return 0;
}

ValueView ValueView::operator[](std::size_t index) const {
  const ptc::Value v = word(*this);
  if (!v.is_vector() || index >= ptc::vector_count(v)) return {};
  return ValueAccess::view(ptc::vector_at(v, static_cast<std::uint32_t>(index)), *ValueAccess::heap(*this));
}

ValueView ValueView::operator[](std::string_view key) const {
  const ptc::Value v = word(*this);
  if (!v.is_map()) return {};
  ptc::Heap& heap = *ValueAccess::heap(*this);
  ptc::Value found = find_exactly(heap, v, key);
  if (found.is_absent() && key.find_first_of("-_") != std::string_view::npos) {
    std::string other(key);
    std::replace(other.begin(), other.end(), '-', '_');
    if (other != key) found = find_exactly(heap, v, other);
    if (found.is_absent()) {
      std::replace(other.begin(), other.end(), '_', '-');
      found = find_exactly(heap, v, other);
    }
  }
  return found.is_absent() ? ValueView() : ValueAccess::view(found, heap);
}

std::vector<ValueView> ValueView::items() const {
  const ptc::Value v = word(*this);
  std::vector<ValueView> out;
  out.reserve(size());
  if (v.is_vector()) {
    for (std::size_t i = 0, n = size(); i < n; ++i) out.push_back((*this)[i]);
  } else if (v.is_set()) {
    ptc::Heap& heap = *ValueAccess::heap(*this);
    for (ptc::MapCursor member(heap, v); member.next();) out.push_back(ValueAccess::view(member.key(), heap));
  }
  return out;
}

ValueEntries ValueView::entries() const {
  std::vector<ValueEntry> out;
  if (word(*this).is_map()) {
    ptc::Heap& heap = *ValueAccess::heap(*this);
    out.reserve(size());
    for (ptc::MapCursor entry(heap, word(*this)); entry.next();) {
      out.push_back({ValueAccess::view(entry.key(), heap), ValueAccess::view(entry.value(), heap)});
    }
  }
  return ValueEntries(std::move(out));
}

std::optional<ValueView> ValueView::part_not_plain() const {
  ptc::Value offender = ptc::Value::nil();
  if (heap_ == nullptr || ptc::is_plain_data(*ValueAccess::heap(*this), word(*this), &offender)) return std::nullopt;
  return ValueAccess::view(offender, *ValueAccess::heap(*this));
}

std::string ValueView::to_edn() const {
  std::string out;
  if (heap_ == nullptr) return "nil";
  ptc::append_edn(out, word(*this), *ValueAccess::heap(*this));
  return out;
}

std::string ValueView::to_text(std::size_t most_bytes) const {
  std::string out;
  if (heap_ == nullptr) return "nil";
  ptc::append_readable(out, word(*this), *ValueAccess::heap(*this), {most_bytes, nullptr});
  return out;
}

std::string ValueView::to_json() const {
  std::string out;
  if (heap_ == nullptr) return "null";
  ptc::append_json(out, word(*this), *ValueAccess::heap(*this));
  return out;
}

bool operator==(const ValueView& a, const ValueView& b) {
  if (a.is_nil() || b.is_nil()) return a.is_nil() && b.is_nil();
  if (ValueAccess::heap(a) == ValueAccess::heap(b)) return ptc::equal(word(a), word(b));
  const auto has_parts = [](ptc::Value v) { return v.is_vector() || v.is_map() || v.is_set(); };
  if (has_parts(word(a)) && has_parts(word(b)) && a.size() != b.size()) return false;
  ptc::Heap common;   // keywords are the same only within one heap
  const ptc::Owned copy_a(common, imported(common, a)), copy_b(common, imported(common, b));
  return ptc::equal(copy_a.get(), copy_b.get());
}

}  // namespace ptcvm
