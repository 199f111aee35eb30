// The items of a value stream, one function a kind: pop the parts, check them, push what they make.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "vm/builtins/regex.h"
#include "vm/exec/machine_state.h"
#include "vm/snapshot/value_reader.h"
#include "vm/snapshot/value_stream.h"
#include "vm/value/calendar.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"

namespace ptc {

bool ValueReader::constant(std::uint64_t n) {
  switch (static_cast<ConstantValue>(n)) {
    case ConstantValue::Nil: push(Value::nil()); return true;
    case ConstantValue::False: push(Value::boolean(false)); return true;
    case ConstantValue::True: push(Value::boolean(true)); return true;
    case ConstantValue::Absent: push(Value::absent()); return true;
  }
  return fail("unknown constant");
}

bool ValueReader::string(std::uint64_t n) {
  if (n > bytes_.size() - at_) return fail("cut off");
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + at_, n);
  if (!utf8_is_valid(text)) return fail("text that is not UTF-8");
  const Value made = string_raw(heap_, n);
  for (std::size_t done = 0; done < n;) {
    const std::size_t count = std::min<std::size_t>(n - done, kToldBytes);
    std::memcpy(static_cast<String*>(made.object)->bytes() + done, text.data() + done, count);
    done += count;
    at_ += count;
    if (tells_) tell_read();
  }
  push(made);
  return true;
}

bool ValueReader::ref(std::uint64_t n) {
  if (n >= table_.size()) return fail("reference to an object that does not exist yet");
  stack_.push_back(retained(value_of(table_[n])));
  return true;
}

bool ValueReader::vector(std::uint64_t count, std::uint64_t start, std::uint64_t capacity) {
  std::span<const Value> items;
  if (!top_values(count, items)) return false;
  if (start > kFlatVectorMax || capacity > kFlatVectorMax) return fail("vector too large");
  FlatVector* const made =
      assemble_flat(heap_, items, static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(capacity));
  if (made == nullptr) return fail("vector without room for its elements");
  replace_top(items.size(), Value::of(Tag::Vector, made));
  return true;
}

bool ValueReader::map(std::uint64_t n) {
  std::span<const Value> values;
  if (!top_values(n, values)) return false;
  auto* const keys = static_cast<KeyArray*>(top_hidden(n, Kind::KeyArray));
  if (keys == nullptr) return fail("map without keys");
  SmallMap* const made = assemble_small_map(heap_, keys, values);
  if (made == nullptr) return fail("map with another number of keys than values");
  replace_top(n + 1, Value::of(Tag::Map, made));
  return true;
}

namespace {

// What looking at this object alone takes, its parts not counted.
std::uint64_t cost_of(const Object* object) {
  switch (object->kind) {
    case Kind::String: return 1 + static_cast<const String*>(object)->size_bytes / 16;
    case Kind::BigInt: return 1 + static_cast<const BigInt*>(object)->limb_count;
    case Kind::RangeVector: return std::uint64_t{1} + static_cast<const RangeVector*>(object)->count;
    default: return std::uint64_t{1} + part_count(object);
  }
}

}  // namespace

// What comparing and hashing these keys may look at is charged before it is done: keys may be large and shared.
bool ValueReader::charge_keys(std::span<const Value> keys, std::size_t stride) {
  std::vector<Value> open;
  for (std::size_t i = 0; i < keys.size(); i += stride) {
    if (keys[i].is_heap()) open.push_back(keys[i]);
    while (!open.empty()) {
      const Value v = open.back();
      open.pop_back();
      const std::uint64_t cost = cost_of(v.object);
      if (cost > compare_budget_) return fail("keys that take too long to compare");
      compare_budget_ -= cost;
      if (v.is_string() || v.is(Tag::Closure)) continue;
      for (std::uint32_t k = 0, count = part_count(v.object); k < count; ++k) {
        const Value inner = part_at(v.object, k);
        if (inner.is_heap()) open.push_back(inner);
      }
    }
  }
  return true;
}

bool ValueReader::keys(std::uint64_t n, bool interned) {
  std::span<const Value> keys;
  if (!top_values(n, keys) || !charge_keys(keys, 1)) return false;
  KeyArray* const made = assemble_keys(heap_, keys, interned);
  if (made == nullptr) return fail("keys that are not in order, or twice there");
  replace_top(n, hidden(made));
  return true;
}

bool ValueReader::vector_leaf(std::uint64_t n) {
  std::span<const Value> items;
  if (!top_values(n, items)) return false;
  VectorLeaf* const made = assemble_leaf(heap_, items);
  if (made == nullptr) return fail("leaf with too many elements");
  infos_.emplace(made, vector_leaf_info());
  replace_top(n, hidden(made));
  return true;
}

bool ValueReader::closure(std::uint64_t n) {
  std::span<const Value> captured;
  std::uint32_t program = 0, function = 0, serial = 0;
  if (!top_values(n, captured) || !small(program) || !small(function) || !small(serial)) return false;
  std::string why;
  Closure* const made = make_closure(program, function, serial, captured, why);
  if (made == nullptr) return fail(why);
  replace_top(n, Value::of(Tag::Closure, made));
  return true;
}

Closure* ValueReader::make_closure(std::uint32_t program, std::uint32_t function, std::uint32_t serial,
                                   std::span<const Value> taken, std::string& why) {
  if (program >= run_.links().size()) {
    why = "function of an unknown program";
    return nullptr;
  }
  Link& link = run_.link(program);
  if (function == 0 || function >= link.program->functions.size()) {
    why = "unknown function";
    return nullptr;
  }
  const Prototype& prototype = link.program->functions[function];
  if (prototype.upvalue_count != taken.size()) {
    why = "function with another number of captured values";
    return nullptr;
  }
  auto* made = heap_.make<Closure>(Kind::Closure, sizeof(Closure) + taken.size() * sizeof(Value));
  made->upvalue_count = prototype.upvalue_count;
  made->serial = serial;
  made->function = &prototype;
  made->link = &link;
  std::copy(taken.begin(), taken.end(), made->upvalues());
  return made;
}

bool ValueReader::hash_node(std::uint64_t n) {
  std::uint32_t flags = 0, datamap = 0, nodemap = 0;
  if (!small(flags) || !small(datamap) || !small(nodemap)) return false;
  if (n > 13 || flags > 3) return fail("unknown kind of node");
  const bool is_set = (flags & 1) != 0, is_collision = (flags & 2) != 0;
  const std::uint64_t entries = is_collision ? datamap : static_cast<std::uint64_t>(std::popcount(datamap));
  const std::uint64_t value_count = entries * (is_set ? 1 : 2);
  const auto child_count = static_cast<std::size_t>(is_collision ? 0 : std::popcount(nodemap));
  if (is_collision && nodemap != 0) return fail("node with parts that it cannot have");
  if (value_count + child_count > stack_.size()) return fail("too few values");
  Part children[32];
  for (std::size_t i = 0; i < child_count; ++i) {
    Object* const child = top_hidden(child_count - 1 - i, Kind::HashNode);
    if (child == nullptr) return fail("node without its children");
    children[i] = part(child);
  }
  const std::span<const Value> values(stack_.data() + (stack_.size() - child_count - value_count), value_count);
  for (const Value& v : values) {
    if (v.is(Tag::Hidden) || v.is_absent()) return fail("an inner object in the place of a value");
  }
  if (!charge_keys(values, is_set ? 1 : 2)) return false;
  PartInfo info;
  const auto level = static_cast<std::uint8_t>(n);
  HashNode* const made = is_collision ? assemble_collision(heap_, is_set, level, values, info)
                                      : assemble_hash_node(heap_, is_set, level, datamap, nodemap, values,
                                                           {children, child_count}, info);
  if (made == nullptr) return fail("node whose keys do not belong there");
  infos_.emplace(made, info);
  replace_top(value_count + child_count, hidden(made));
  return true;
}

bool ValueReader::other(std::uint64_t n) {
  std::uint64_t a = 0, b = 0, c = 0;
  switch (static_cast<OtherValue>(n)) {
    case OtherValue::Float:
      if (!word(a)) return false;
      push(Value::real(std::bit_cast<double>(a)));
      return true;
    case OtherValue::BigInt: return big_int();
    case OtherValue::SpareVector:
      if (!varint(a) || !varint(b) || !varint(c)) return false;
      if (b == 0 && a == c) return fail("vector not in its shortest form");
      return vector(a, b, c);
    case OtherValue::Range: return range();
    case OtherValue::Node: return vector_node();
    case OtherValue::Trie: return trie();
    case OtherValue::PrivateKeys: return varint(a) && keys(a, false);
    case OtherValue::Set: return set();
    case OtherValue::HashMap: return hashed(Kind::HashMap);
    case OtherValue::HashSet: return hashed(Kind::HashSet);
    case OtherValue::Regex: return regex();
    case OtherValue::Var: {
      if (!varint(a)) return false;
      if (a >= names.size()) return fail("unknown name");
      Var* const made = heap_.make<Var>(Kind::Var);
      made->name = names[a];
      push(Value::of(Tag::Var, made));
      return true;
    }
    case OtherValue::Instant: return instant();
    case OtherValue::Duration: return duration();
    case OtherValue::Pending: return pending();
    case OtherValue::Date: {
      std::int64_t days = 0;
      if (!zigzag(days)) return false;
      if (days < kMinEpochDay || days > kMaxEpochDay) return fail("date out of range");
      push(Value::date(days));
      return true;
    }
    case OtherValue::Builtin:
      if (!varint(a)) return false;
      if (a >= builtins.size()) return fail("unknown builtin");
      push(Value::of(builtins[a]));
      return true;
    case OtherValue::Tool: {
      if (!varint(a)) return false;
      if (a >= names.size()) return fail("unknown name");
      Value tool = Value::of(names[a]);
      tool.tag = Tag::Tool;
      push(tool);
      return true;
    }
  }
  return fail("unknown item");
}

bool ValueReader::big_int() {
  std::uint64_t shape = 0;
  if (!varint(shape)) return false;
  const std::uint64_t limbs = shape / 2;
  if (limbs == 0 || limbs > (bytes_.size() - at_) / 8) return fail("cut off");
  if (limbs * 64 > std::uint64_t{run_.limits().integer_bits} + 64) return fail("integer too wide");
  BigInt* const made = heap_.make<BigInt>(Kind::BigInt, sizeof(BigInt) + limbs * sizeof(std::uint64_t));
  made->flags = (shape & 1) != 0 ? BigInt::kNegative : std::uint8_t{0};
  made->limb_count = static_cast<std::uint32_t>(limbs);
  for (std::uint64_t i = 0; i < limbs; ++i) {
    if (!word(made->limbs()[i])) break;   // there are enough bytes
  }
  push(Value::of(Tag::BigInt, made));
  const std::uint64_t top = made->limbs()[limbs - 1];
  const std::uint64_t least = (shape & 1) != 0 ? (std::uint64_t{1} << 63) + 1 : std::uint64_t{1} << 63;
  return (limbs > 1 ? top != 0 : top >= least) || fail("integer not in its shortest form");
}

bool ValueReader::range() {
  std::int64_t first = 0, step = 0;
  std::uint32_t count = 0;
  if (!zigzag(first) || !zigzag(step) || !small(count)) return false;
  const bool paid = count <= run_.limits().fuel;   // a program pays for each element
  if (!paid) return fail("range longer than the fuel limit");
  RangeVector* const made = assemble_range(heap_, first, step, count);
  if (made == nullptr) return fail("range without elements, or beyond all integers");
  push(Value::of(Tag::Vector, made));
  return true;
}

bool ValueReader::vector_node() {
  if (bytes_.size() - at_ < 4) return fail("cut off");
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) mask |= std::uint32_t{bytes_[at_++]} << (8 * i);
  const auto count = static_cast<std::size_t>(std::popcount(mask));
  if (count > stack_.size()) return fail("too few values");
  Part present[kFlatVectorMax];
  for (std::size_t i = 0; i < count; ++i) {
    const Value v = stack_[stack_.size() - count + i];
    if (!v.is(Tag::Hidden)) return fail("node without its children");
    present[i] = part(v.object);
  }
  PartInfo info;
  VectorNode* const made = assemble_vector_node(heap_, {present, count}, mask, info);
  if (made == nullptr) return fail("node whose children do not belong there");
  infos_.emplace(made, info);
  replace_top(count, hidden(made));
  return true;
}

bool ValueReader::trie() {
  std::uint32_t start = 0, count = 0;
  if (!small(start) || !small(count)) return false;
  auto* const tail = static_cast<VectorLeaf*>(top_hidden(0, Kind::VectorLeaf));
  Object* const root = top_hidden(1, Kind::VectorNode);
  if (tail == nullptr || root == nullptr) return fail("vector without root and tail");
  TrieVector* const made = assemble_trie(heap_, start, count, part(root), tail);
  if (made == nullptr) return fail("vector that shows more than it has");
  replace_top(2, Value::of(Tag::Vector, made));
  return true;
}

bool ValueReader::set() {
  auto* const keys = static_cast<KeyArray*>(top_hidden(0, Kind::KeyArray));
  SmallSet* const made = keys == nullptr ? nullptr : assemble_small_set(heap_, keys);
  if (made == nullptr) return fail("set without members of its own");
  replace_top(1, Value::of(Tag::Set, made));
  return true;
}

bool ValueReader::hashed(Kind kind) {
  std::uint32_t count = 0;
  if (!small(count)) return false;
  Object* const root = top_hidden(0, Kind::HashNode);
  HashMap* const made = root == nullptr ? nullptr : assemble_hashed(heap_, kind, part(root), count);
  if (made == nullptr) return fail("map or set with another number of entries than its root");
  replace_top(1, Value::of(kind == Kind::HashMap ? Tag::Map : Tag::Set, made));
  return true;
}

bool ValueReader::regex() {
  std::span<const Value> pattern;
  if (!top_values(1, pattern)) return false;
  if (!pattern[0].is_string()) return fail("pattern that is no text");
  const std::uint32_t longest = run_.limits().regex_pattern_bytes;
  if (string_view_of(pattern[0]).size() > longest) return fail("pattern too long");
  replace_top(1, regex_of_source(heap_, pattern[0]));
  return true;
}

bool ValueReader::instant() {
  std::int64_t seconds = 0;
  std::uint32_t nanos = 0, flags = 0;
  if (!zigzag(seconds) || !small(nanos) || !small(flags)) return false;
  const bool fits = seconds >= kMinEpochSecond && seconds <= kMaxEpochSecond && nanos < kNanosPerSecond;
  if (!fits || flags > Instant::kLegacyDate) return fail("instant out of range");
  Instant* const made = heap_.make<Instant>(Kind::Instant);
  made->flags = static_cast<std::uint8_t>(flags);
  made->epoch_seconds = seconds;
  made->nanos = nanos;
  made->unused = 0;
  push(Value::of(Tag::Instant, made));
  return true;
}

bool ValueReader::duration() {
  std::int64_t seconds = 0;
  std::uint32_t nanos = 0;
  if (!zigzag(seconds) || !small(nanos)) return false;
  if (nanos >= kNanosPerSecond) return fail("duration out of range");
  Duration* const made = heap_.make<Duration>(Kind::Duration);
  made->seconds = seconds;
  made->nanos = nanos;
  made->unused = 0;
  push(Value::of(Tag::Duration, made));
  return true;
}

bool ValueReader::pending() {
  std::span<const Value> id;
  if (!top_values(1, id)) return false;
  if (!id[0].is_string()) return fail("operation whose id is no text");
  replace_top(1, pending_of(heap_, id[0]));
  return true;
}

}  // namespace ptc
