// The part of JsonValueReader that puts collections together from their parts.
#include <algorithm>
#include <bit>

#include "vm/exec/machine_state.h"
#include "vm/snapshot/json/json_value_reader.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/order.h"
#include "vm/value/small_keys.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::size_t kMostCollisions = 8;   // of whole hashes, among the keys of a map that does not say so

const json::array* list_of(JsonFields& fields, std::string_view name) {
  const JsonNode node = fields.find(name);
  if (node && node.doc->is_array()) return &node.doc->get_array();
  fields.fail("must have a list", name);
  return nullptr;
}

std::uint32_t size_of(const json::array* list) {
  return list == nullptr ? 0 : static_cast<std::uint32_t>(list->size());
}

}  // namespace

// Which parts the value has, and its numbers.
bool JsonValueReader::parts_of(Frame& frame, std::string_view tag) {
  if (frame.node.doc->is_array()) {
    frame.form = Form::Array;
    frame.list = &frame.node.doc->get_array();
    frame.count = size_of(frame.list);
    return true;
  }
  if (tag.empty()) {
    frame.form = Form::Members;
    frame.a = frame.count = static_cast<std::uint32_t>(frame.node.doc->get_object().size());
    return true;
  }
  JsonFields fields(frame.node, problem_);
  fields.ignore("$");
  if (tag == "map" || tag == "set") {
    const bool by_reference = frame.node.doc->get_object().contains("keys");
    if (by_reference) fields.ignore("keys");
    frame.is_set = tag == "set";
    if (!by_reference || !frame.is_set) frame.list = list_of(fields, "v");
    if (by_reference) {
      frame.form = frame.is_set ? Form::KeyedSet : Form::KeyedMap;
      frame.count = 1 + size_of(frame.list);
    } else {
      frame.form = frame.is_set ? Form::Set : Form::Pairs;
      frame.a = size_of(frame.list);
      frame.count = frame.is_set ? frame.a : 2 * frame.a;
      for (std::uint32_t i = 0; !frame.is_set && i < frame.a; ++i) {
        const json::value& pair = (*frame.list)[i];
        if (!pair.is_array() || pair.get_array().size() != 2) return fail({&pair}, "must be a key and its value");
      }
    }
  } else if (tag == "clo") {
    frame.form = Form::Closure;
    fields.ignore("name");
    fields.number("program", frame.a);
    fields.number("function", frame.b);
    fields.number("serial", frame.c);
    frame.list = list_of(fields, "captured");
    frame.count = size_of(frame.list);
  } else if (tag == "trie" || tag == "hash") {
    frame.form = tag == "trie" ? Form::Trie : Form::Hash;
    frame.count = tag == "trie" ? 2 : 1;
    fields.number("count", frame.b);
    if (tag == "trie") {
      fields.number("start", frame.a);
      if (!fields.find("tail")) fields.fail("must have a tail");
    } else {
      fields.flag("set", frame.is_set);
    }
    if (!fields.find("root")) fields.fail("must have a root");
  } else if (tag == "node" || tag == "leaf") {
    frame.form = tag == "node" ? Form::Node : Form::Leaf;
    if (tag == "node") fields.number("mask", frame.a);
    frame.list = list_of(fields, "v");
    frame.count = size_of(frame.list);
  } else if (tag == "entries") {
    frame.form = Form::Entries;
    frame.is_collision = frame.node.doc->get_object().contains("collision");
    fields.number("level", frame.a);
    fields.flag("set", frame.is_set);
    fields.number(frame.is_collision ? "collision" : "data", frame.b);
    fields.number("nodes", frame.c);
    frame.list = list_of(fields, "v");
    if (frame.node.doc->get_object().contains("children")) frame.children = list_of(fields, "children");
    frame.count = size_of(frame.list) + size_of(frame.children);
  } else {
    return fail(frame.node, "unknown tag \"" + std::string(tag.substr(0, 40)) + '"');
  }
  return fields.done();
}

JsonNode JsonValueReader::part(const Frame& frame, std::uint32_t k) const {
  const JsonNode& node = frame.node;
  const auto in_list = [&node](const json::array& list, std::string_view name, std::size_t i) {
    const json::object* const around = name.empty() ? node.layout : layout_below(node.layout, name);
    return JsonNode{&list[i], layout_below(around, i)};
  };
  const auto member = [&node](std::string_view name) {
    return JsonNode{node.doc->get_object().if_contains({name.data(), name.size()}), layout_below(node.layout, name)};
  };
  switch (frame.form) {
    case Form::Array: return in_list(*frame.list, {}, k);
    case Form::Members: {
      const auto& entry = *(node.doc->get_object().begin() + std::ptrdiff_t(k));
      return {&entry.value(), layout_below(node.layout, std::string_view(entry.key().data(), entry.key().size()))};
    }
    case Form::Pairs: {
      const JsonNode pair = in_list(*frame.list, "v", k % frame.a);
      const std::size_t side = k < frame.a ? 0 : 1;
      return {&pair.doc->get_array()[side], layout_below(pair.layout, side)};
    }
    case Form::KeyedMap:
    case Form::KeyedSet: return k == 0 ? member("keys") : in_list(*frame.list, "v", k - 1);
    case Form::Closure: return in_list(*frame.list, "captured", k);
    case Form::Trie: return member(k == 0 ? "root" : "tail");
    case Form::Hash: return member("root");
    case Form::Entries:
      return k < size_of(frame.list) ? in_list(*frame.list, "v", k)
                                     : in_list(*frame.children, "children", k - size_of(frame.list));
    default: return in_list(*frame.list, "v", k);
  }
}

bool JsonValueReader::visible(const Frame& frame, std::span<const Value> values) {
  const auto is_inner = [](Value v) { return v.is(Tag::Hidden) || v.is_absent(); };
  const bool all = std::none_of(values.begin(), values.end(), is_inner);
  return all || fail(frame.node, "an inner object in the place of a value");
}

bool JsonValueReader::push_member_keys(const Frame& frame) {
  const json::object* const facts = layout_facts(frame.node.layout, "$keys");
  for (const auto& entry : frame.node.doc->get_object()) {
    const std::string_view name(entry.key().data(), entry.key().size());
    if (name.starts_with('$')) return fail(frame.node, "keys that begin with $ are written {\"$\": \"map\", …}");
    const Value key = text_value(name, frame.a > kSmallMax ? layout_below(facts, name) : nullptr);
    if (key.is_absent()) return false;
    stack_.push_back(key);
  }
  return true;
}

// The keys of a small map or set are all there: the array that holds them, and where each of them is in it.
JsonValueReader::Begun JsonValueReader::take_keys(Frame& frame) {
  if (frame.form == Form::Members && stack_.size() == frame.first && !push_member_keys(frame)) return Begun::Failed;
  const std::span<const Value> keys = std::span<const Value>(stack_).subspan(frame.first);
  if (!visible(frame, keys)) return Begun::Failed;
  if (!linked_.charge_keys(keys, 1)) {
    fail(frame.node, "keys that take too long to compare");
    return Begun::Failed;
  }
  if (frame.a > kSmallMax) {
    frame.has_keys = true;
    return few_collisions(frame, keys, 1) ? Begun::Ready : Begun::Failed;
  }
  std::vector<std::uint8_t> sorted(keys.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<std::uint8_t>(i);
  std::sort(sorted.begin(), sorted.end(),
            [&keys](std::uint8_t a, std::uint8_t b) { return canonical_order(keys[a], keys[b]) < 0; });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    frame.places[sorted[i]] = static_cast<std::uint8_t>(i);
    if (i == 0 || !same_key(keys[sorted[i - 1]], keys[sorted[i]])) continue;
    fail(frame.node, "one key twice");
    return Begun::Failed;
  }
  bool again = false;
  KeyArray* made = nullptr;
  if (!key_hint(frame, sorted, made, again)) return again ? Begun::Again : Begun::Failed;
  if (made != nullptr) {
    ++made->rc;
    for (const Value& key : keys) heap_.release(key);
  } else {
    std::vector<Value> in_order;
    for (const std::uint8_t i : sorted) in_order.push_back(keys[i]);
    made = assemble_keys(heap_, in_order, false);
  }
  if (made == nullptr) {
    fail(frame.node, "keys that cannot be put in order");
    return Begun::Failed;
  }
  frame.keys = made;
  frame.has_keys = true;
  stack_.resize(frame.first, Value::nil());
  if (const auto id = layout_number(layout_facts(frame.node.layout, "$keys"), "$id")) settle(*id, hidden(made));
  return Begun::Ready;
}

// Finds the array that these keys should share, borrowed from a program, from another map, or from all maps with these
// names; null when the keys get their own array. Returns false when that is not now (`again`) or never possible.
bool JsonValueReader::key_hint(const Frame& frame, std::span<const std::uint8_t> sorted, KeyArray*& found,
                               bool& again) {
  const std::span<const Value> keys = std::span<const Value>(stack_).subspan(frame.first);
  const json::object* const facts = layout_facts(frame.node.layout, "$keys");
  Value hint = Value::nil();
  if (const auto ordinal = layout_number(facts, "$const")) hint = linked(*ordinal);
  if (const auto id = layout_number(facts, "$same")) {
    const Target* const same = target(*id);
    if (same != nullptr && same->what == Target::What::Keys && same->state == Target::State::Open) {
      again = demand(*id) == Begun::Again;
      return false;
    }
    if (same != nullptr && same->state == Target::State::Done) hint = same->value;
  }
  if (hint.is(Tag::Hidden) && hint.object->kind == Kind::KeyArray && hint.object->extra == keys.size()) {
    auto* const array = static_cast<KeyArray*>(hint.object);
    bool same = (array->flags & KeyArray::kInterned) == 0;
    for (std::size_t i = 0; same && i < keys.size(); ++i) same = same_key(array->keys()[i], keys[sorted[i]]);
    if (same) {
      found = array;
      return true;
    }
  }
  const json::value* const lone = layout_member(facts, "$private");
  const bool names = std::all_of(keys.begin(), keys.end(), KeyArrayTable::can_intern);
  if (frame.form == Form::Set || !names || (lone != nullptr && lone->is_bool() && lone->get_bool())) return true;
  std::uint8_t places[kSmallMax];
  found = keys_find_interned(heap_, keys, places);
  if (found != nullptr) return true;
  std::vector<Value> in_order;
  for (const std::uint8_t i : sorted) in_order.push_back(retained(keys[i]));
  found = assemble_keys(heap_, in_order, true);
  if (found == nullptr) {
    for (const Value& key : in_order) heap_.release(key);
    return fail(frame.node, "keys that cannot be put in order");
  }
  kept_.push_back(hidden(found));
  return true;
}

// Keys whose whole hashes are equal make a map slow; the writer shows the nodes of such a map.
bool JsonValueReader::few_collisions(const Frame& frame, std::span<const Value> keys, std::size_t stride) {
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < keys.size(); i += stride) hashes.push_back(hash_key(keys[i]));
  std::sort(hashes.begin(), hashes.end());
  for (std::size_t i = kMostCollisions; i < hashes.size(); ++i) {
    if (hashes[i] == hashes[i - kMostCollisions]) return fail(frame.node, "too many keys with one hash");
  }
  return true;
}

Value JsonValueReader::make(Frame& frame) {
  switch (frame.form) {
    case Form::Array: return make_vector(frame);
    case Form::Members:
    case Form::Pairs: return make_map(frame);
    case Form::Set: return make_set(frame);
    case Form::Closure: return make_closure(frame);
    case Form::Trie: return make_trie(frame);
    case Form::Hash: return make_hash(frame);
    case Form::Entries: return make_entries(frame);
    default: return make_node(frame);
  }
}

Value JsonValueReader::make_vector(Frame& frame) {
  const std::span<Value> items = std::span(stack_).subspan(frame.first);
  if (!visible(frame, items)) return Value::absent();
  Value made = Value::absent();
  const json::value* const room = layout_member(frame.node.layout, "$room");
  if (room != nullptr && room->is_array() && room->get_array().size() == 2 && items.size() <= kFlatVectorMax) {
    const json::value &start = room->get_array()[0], &capacity = room->get_array()[1];
    const auto is_small = [](const json::value& n) {
      return n.is_int64() && n.get_int64() >= 0 && n.get_int64() <= kFlatVectorMax;
    };
    if (is_small(start) && is_small(capacity)) {
      FlatVector* const flat = assemble_flat(heap_, items, static_cast<std::uint32_t>(start.get_int64()),
                                             static_cast<std::uint32_t>(capacity.get_int64()));
      if (flat != nullptr) made = Value::of(Tag::Vector, flat);
    }
  }
  if (made.is_absent()) made = vector_of(heap_, items);
  stack_.resize(frame.first, Value::nil());
  return made;
}

Value JsonValueReader::make_map(Frame& frame) {
  const std::span<Value> parts = std::span(stack_).subspan(frame.first);
  if (!visible(frame, parts)) return Value::absent();
  if (frame.a > kSmallMax) return make_large_map(frame, parts.first(frame.a), parts.subspan(frame.a));
  std::vector<Value> values(parts.size(), Value::nil());
  for (std::size_t i = 0; i < parts.size(); ++i) values[frame.places[i]] = parts[i];
  SmallMap* const map = assemble_small_map(heap_, frame.keys, values);
  frame.keys = nullptr;   // the map's
  stack_.resize(frame.first, Value::nil());
  return Value::of(Tag::Map, map);
}

Value JsonValueReader::make_large_map(Frame& frame, std::span<Value> keys, std::span<Value> values) {
  const Value map = map_from(heap_, keys, values);
  stack_.resize(frame.first, Value::nil());
  if (map_count(map) == frame.a) return map;
  heap_.release(map);
  fail(frame.node, "one key twice");
  return Value::absent();
}

Value JsonValueReader::make_set(Frame& frame) {
  if (frame.a <= kSmallMax) {
    SmallSet* const set = assemble_small_set(heap_, frame.keys);
    frame.keys = nullptr;   // the set's
    return Value::of(Tag::Set, set);
  }
  Value set = set_empty(heap_);
  for (const Value& member : std::span(stack_).subspan(frame.first)) set = set_add(heap_, set, member);
  stack_.resize(frame.first, Value::nil());
  if (set_count(set) == frame.a) return set;
  heap_.release(set);
  fail(frame.node, "one member twice");
  return Value::absent();
}

}  // namespace ptc
