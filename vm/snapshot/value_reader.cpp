#include "vm/snapshot/value_reader.h"

#include <cstring>

#include "vm/exec/machine_state.h"
#include "vm/snapshot/value_stream.h"

namespace ptc {

ValueReader::ValueReader(MachineState& run) : run_(run), heap_(run.heap()) {}

ValueReader::~ValueReader() {
  for (const Value& v : stack_) heap_.release(v);
  for (const Value& v : shapes_) heap_.release(v);
}

bool ValueReader::fail(std::string_view why) {
  if (problem.empty()) problem = "values, byte " + std::to_string(at_) + ": " + std::string(why);
  return false;
}

void ValueReader::number_scalars() {
  for (const Link& link : run_.links()) {
    for (std::size_t k = 0; k < link.constants.size(); ++k) {
      if (!is_collection(link.program->constants[k])) walk_objects(link.constants[k], path_, *this);
    }
  }
}

bool ValueReader::read_shapes(std::span<const std::uint8_t> bytes) {
  number_scalars();
  if (!run_stream(bytes)) return false;
  for (const Value& shape : stack_) {
    if (!shape.is(Tag::Hidden) || shape.object->kind != Kind::KeyArray) return fail("a shape that is no key array");
  }
  shapes_.swap(stack_);
  for (const Value& shape : shapes_) met_.emplace(shape.object, true);
  return true;
}

std::string ValueReader::add_shape(std::span<const Value> taken_keys) {
  KeyArray* const made = assemble_keys(heap_, taken_keys, true);
  if (made == nullptr) return "keys that are no names, not in order, or there already";
  for (const Value& key : taken_keys) {
    if (key.is_heap() && met_.emplace(key.object, true).second) table_.push_back(key.object);
  }
  met_.emplace(made, true);
  table_.push_back(made);
  shapes_.push_back(hidden(made));
  return {};
}

void ValueReader::number_linked_objects() {
  for (const Link& link : run_.links()) {
    for (std::size_t k = 0; k < link.constants.size(); ++k) {
      if (is_collection(link.program->constants[k])) walk_objects(link.constants[k], path_, *this);
    }
    for (const Value& function : link.functions) walk_objects(function, path_, *this);
  }
}

bool ValueReader::leaf(Value value) {
  if (!value.is_heap()) return true;
  // Scalars get their other owners only when the collections are made: how many they have now says nothing.
  if (!met_.emplace(value.object, true).second) return true;
  if (part_count(value.object) != 0) return false;
  table_.push_back(value.object);
  return true;
}

void ValueReader::done(const std::vector<WalkStep>& path) {
  Object* const object = path.back().object;
  switch (object->kind) {
    case Kind::VectorLeaf: infos_.emplace(object, vector_leaf_info()); break;
    case Kind::VectorNode: {
      const auto* node = static_cast<const VectorNode*>(object);
      PartInfo present[kFlatVectorMax];
      std::size_t count = 0;
      for (const Object* child : node->children) {
        if (child != nullptr) present[count++] = infos_[child];
      }
      infos_.emplace(object, vector_node_info(node, {present, count}));
      break;
    }
    case Kind::HashNode: {
      const auto* node = static_cast<const HashNode*>(object);
      std::uint8_t level = 0;
      while (path[path.size() - 2u - level].object->kind == Kind::HashNode) ++level;
      PartInfo children[32];
      for (std::uint32_t i = 0; i < node->child_count(); ++i) children[i] = infos_[node->children()[i]];
      infos_.emplace(object, hash_node_info(node, level, {children, node->child_count()}));
      break;
    }
    default: break;
  }
  table_.push_back(object);
}

bool ValueReader::read(std::span<const std::uint8_t> bytes, std::vector<Value>& roots) {
  allow_comparing(bytes.size());
  tells_ = has_read != nullptr;
  const bool is_whole = run_stream(bytes);
  tells_ = false;
  if (!is_whole) return false;
  for (const Value& root : stack_) {
    if (root.is(Tag::Hidden)) return fail("an inner object in the place of a value");
  }
  roots.swap(stack_);
  return true;
}

void ValueReader::tell_read() {
  if (at_ - told_ < kToldBytes) return;
  has_read(bytes_.subspan(told_, at_ - told_));
  told_ = at_;
}

bool ValueReader::run_stream(std::span<const std::uint8_t> bytes) {
  bytes_ = bytes;
  at_ = 0;
  stack_.reserve(64);
  table_.reserve(table_.size() + bytes.size() / 8);
  while (at_ < bytes_.size()) {
    if (plain_item()) continue;
    if (!item()) return false;
    if (tells_) tell_read();
    if (heap_.over_limit()) return fail("more than the memory limit");
  }
  return true;
}

// Most items: numbers, names and what is there already. Whatever is not quite so is left to item(), which says why.
bool ValueReader::plain_item() {
  const std::size_t left = bytes_.size() - at_;
  const std::uint8_t* const from = bytes_.data() + at_;
  std::size_t size = 1;
  std::uint32_t n = from[0] & 15u;
  if (n == 15) {   // the number follows, in one byte or two
    if (left < 3) return false;
    n += from[1] & 0x7fu;
    size = 2;
    if (from[1] >= 0x80) {
      if (from[2] >= 0x80 || from[2] == 0) return false;
      n += std::uint32_t{from[2]} << 7;
      size = 3;
    }
  }
  switch (static_cast<StreamOp>(from[0] >> 4)) {
    case StreamOp::Int: stack_.push_back(Value::integer(n)); break;
    case StreamOp::Constant:
      if (n > static_cast<unsigned>(ConstantValue::True)) return false;
      stack_.push_back(n == 0 ? Value::nil() : Value::boolean(n == static_cast<unsigned>(ConstantValue::True)));
      break;
    case StreamOp::Keyword:
      if (n >= names.size()) return false;
      stack_.push_back(Value::of(names[n]));
      break;
    case StreamOp::Ref:
      if (n >= table_.size()) return false;
      stack_.push_back(retained(value_of(table_[n])));
      break;
    default: return false;
  }
  at_ += size;
  return true;
}

bool ValueReader::item() {
  const std::uint8_t first = bytes_[at_++];
  std::uint64_t n = first & 15u;
  if (n == 15) {
    if (!varint(n)) return false;
    if (n > UINT64_MAX - 15) return fail("number too large");
    n += 15;
  }
  switch (static_cast<StreamOp>(first >> 4)) {
    case StreamOp::Constant: return constant(n);
    case StreamOp::Int:
    case StreamOp::NegativeInt: {
      if (n > INT64_MAX) return fail("integer too large");
      const auto magnitude = static_cast<std::int64_t>(n);
      push(Value::integer(static_cast<StreamOp>(first >> 4) == StreamOp::Int ? magnitude : -1 - magnitude));
      return true;
    }
    case StreamOp::String: return string(n);
    case StreamOp::Ref: return ref(n);
    case StreamOp::Keyword:
      if (n >= names.size()) return fail("unknown name");
      push(Value::of(names[n]));
      return true;
    case StreamOp::Vector: return vector(n, 0, n);
    case StreamOp::Map: return map(n);
    case StreamOp::Keys: return keys(n, true);
    case StreamOp::Leaf: return vector_leaf(n);
    case StreamOp::Closure: return closure(n);
    case StreamOp::HashNode: return hash_node(n);
    case StreamOp::Other: return other(n);
  }
  return fail("unknown item");
}

bool ValueReader::varint(std::uint64_t& n) {
  n = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at_ == bytes_.size()) return fail("cut off");
    const std::uint8_t byte = bytes_[at_++];
    if (shift == 63 && byte > 1) return fail("number too large");
    n |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return byte != 0 || shift == 0 || fail("number not in its shortest form");
  }
  return fail("number too large");
}

bool ValueReader::zigzag(std::int64_t& n) {
  std::uint64_t code = 0;
  if (!varint(code)) return false;
  n = static_cast<std::int64_t>(code >> 1 ^ (~(code & 1) + 1));
  return true;
}

bool ValueReader::small(std::uint32_t& n) {
  std::uint64_t wide = 0;
  if (!varint(wide)) return false;
  if (wide > UINT32_MAX) return fail("number too large");
  n = static_cast<std::uint32_t>(wide);
  return true;
}

bool ValueReader::word(std::uint64_t& w) {
  if (bytes_.size() - at_ < 8) return fail("cut off");
  std::uint8_t little[8];
  std::memcpy(little, bytes_.data() + at_, 8);
  w = 0;
  for (unsigned i = 0; i < 8; ++i) w |= std::uint64_t{little[i]} << (8 * i);
  at_ += 8;
  return true;
}

void ValueReader::push(Value made) {
  stack_.push_back(made);
  if (made.is_heap()) table_.push_back(made.object);
}

void ValueReader::replace_top(std::size_t popped, Value made) {
  stack_.resize(stack_.size() - popped, Value::nil());
  push(made);
}

bool ValueReader::top_values(std::uint64_t n, std::span<const Value>& values) {
  if (n > stack_.size()) return fail("too few values");
  values = std::span<const Value>(stack_).last(n);
  for (const Value& v : values) {
    if (v.is(Tag::Hidden) || v.is_absent()) return fail("an inner object in the place of a value");
  }
  return true;
}

Object* ValueReader::top_hidden(std::size_t from_top, Kind kind) const {
  if (from_top >= stack_.size()) return nullptr;
  const Value v = stack_[stack_.size() - 1 - from_top];
  return v.is(Tag::Hidden) && v.object->kind == kind ? v.object : nullptr;
}

Part ValueReader::part(Object* object) const {
  const auto at = infos_.find(object);
  return {object, at == infos_.end() ? PartInfo{} : at->second};
}

}  // namespace ptc
