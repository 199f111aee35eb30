// The part of JsonValueReader that makes what is written with explicit inner objects: functions, key arrays by
// reference, the nodes of large vectors, maps and sets.
#include <bit>

#include "vm/exec/machine_state.h"
#include "vm/snapshot/json/json_value_reader.h"

namespace ptc {
namespace {

// The object behind a value when it is that kind of inner object, else null.
Object* inner(Value v, Kind kind) { return v.is(Tag::Hidden) && v.object->kind == kind ? v.object : nullptr; }

}  // namespace

Part JsonValueReader::part_of(Object* object) const {
  const auto at = infos_.find(object);
  return {object, at == infos_.end() ? linked_.info(object) : at->second};
}

Value JsonValueReader::make_closure(Frame& frame) {
  const std::span<const Value> captured = std::span<const Value>(stack_).subspan(frame.first);
  if (!visible(frame, captured)) return Value::absent();
  std::string problem;
  Closure* const made = linked_.make_closure(frame.a, frame.b, frame.c, captured, problem);
  if (made == nullptr) {
    fail(frame.node, problem);
    return Value::absent();
  }
  stack_.resize(frame.first, Value::nil());
  return Value::of(Tag::Closure, made);
}

Value JsonValueReader::make_node(Frame& frame) {
  const std::span<const Value> parts = std::span<const Value>(stack_).subspan(frame.first);
  Object* made = nullptr;
  if (frame.form == Form::KeyedMap || frame.form == Form::KeyedSet) {
    auto* const keys = static_cast<KeyArray*>(inner(parts[0], Kind::KeyArray));
    if (!visible(frame, parts.subspan(1))) return Value::absent();
    if (keys != nullptr && frame.form == Form::KeyedMap) made = assemble_small_map(heap_, keys, parts.subspan(1));
    if (keys != nullptr && frame.form == Form::KeyedSet) made = assemble_small_set(heap_, keys);
  } else if (frame.form == Form::Leaf) {
    if (!visible(frame, parts)) return Value::absent();
    made = assemble_leaf(heap_, parts);
    if (made != nullptr) infos_[made] = vector_leaf_info();
  } else {
    std::vector<Part> present;
    for (const Value& part : parts) {
      if (part.is(Tag::Hidden)) present.push_back(part_of(part.object));
    }
    PartInfo info;
    const bool all = present.size() == parts.size() && present.size() <= kFlatVectorMax;
    if (all) made = assemble_vector_node(heap_, present, frame.a, info);
    if (made != nullptr) infos_[made] = info;
  }
  if (made == nullptr) {
    fail(frame.node, "parts that do not belong together");
    return Value::absent();
  }
  stack_.resize(frame.first, Value::nil());
  return value_of(made);
}

Value JsonValueReader::make_entries(Frame& frame) {
  const std::span<const Value> parts = std::span<const Value>(stack_).subspan(frame.first);
  const std::size_t values = frame.list->size();
  if (!visible(frame, parts.first(values))) return Value::absent();
  std::vector<Part> children;
  for (const Value& child : parts.subspan(values)) {
    if (Object* const node = inner(child, Kind::HashNode)) children.push_back(part_of(node));
  }
  PartInfo info;
  HashNode* made = nullptr;
  const bool whole = children.size() == parts.size() - values && children.size() <= 32 && frame.a <= 13 &&
                     values % (frame.is_set ? 1u : 2u) == 0;
  if (whole && linked_.charge_keys(parts.first(values), frame.is_set ? 1 : 2)) {
    const auto level = static_cast<std::uint8_t>(frame.a);
    if (!frame.is_collision) {
      made = assemble_hash_node(heap_, frame.is_set, level, frame.b, frame.c, parts.first(values), children, info);
    } else if (children.empty() && frame.c == 0 && frame.b == values / (frame.is_set ? 1u : 2u)) {
      made = assemble_collision(heap_, frame.is_set, level, parts.first(values), info);
    }
  }
  if (made == nullptr) {
    fail(frame.node, "entries that do not belong together");
    return Value::absent();
  }
  infos_[made] = info;
  stack_.resize(frame.first, Value::nil());
  return hidden(made);
}

Value JsonValueReader::make_trie(Frame& frame) {
  Object* const root = inner(stack_[frame.first], Kind::VectorNode);
  auto* const tail = static_cast<VectorLeaf*>(inner(stack_[frame.first + 1], Kind::VectorLeaf));
  TrieVector* const made = root == nullptr || tail == nullptr
                               ? nullptr
                               : assemble_trie(heap_, frame.a, frame.b, part_of(root), tail);
  if (made == nullptr) {
    fail(frame.node, "a vector that shows more than it has");
    return Value::absent();
  }
  stack_.resize(frame.first, Value::nil());
  return Value::of(Tag::Vector, made);
}

Value JsonValueReader::make_hash(Frame& frame) {
  Object* const root = inner(stack_[frame.first], Kind::HashNode);
  HashMap* const made =
      root == nullptr
          ? nullptr
          : assemble_hashed(heap_, frame.is_set ? Kind::HashSet : Kind::HashMap, part_of(root), frame.b);
  if (made == nullptr) {
    fail(frame.node, "another number of entries than its root has");
    return Value::absent();
  }
  stack_.resize(frame.first, Value::nil());
  return Value::of(frame.is_set ? Tag::Set : Tag::Map, made);
}

}  // namespace ptc
