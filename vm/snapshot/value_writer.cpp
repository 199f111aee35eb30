#include "vm/snapshot/value_writer.h"

#include <bit>

#include "vm/exec/machine_state.h"
#include "vm/snapshot/value_stream.h"

namespace ptc {

namespace {

constexpr std::uint64_t kCanonicalNan = 0x7ff8000000000000;
constexpr std::size_t kBlock = std::size_t{64} << 10;   // of values that go elsewhere

// Values take far less than on the heap.
std::size_t likely_room(std::uint64_t heap_bytes) {
  return heap_bytes < ValueWriter::kLargeHeap ? 256 + static_cast<std::size_t>(heap_bytes / 4) : kBlock;
}

}  // namespace

void ByteBuffer::grow(std::size_t more) {
  if (elsewhere_ != nullptr) flush();
  if (size_ + more <= room_) return;
  ByteBuffer larger(std::max(size_ + more, room_ * 2));
  larger.put(bytes_.get(), size_);
  swap(larger);
}

void ByteBuffer::put_where_there_is_room(std::string_view text) {
  if (elsewhere_ != nullptr && text.size() > room_) {
    flush();
    return elsewhere_->append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  grow(text.size());
  put(text.data(), text.size());
}

ValueWriter::ValueWriter(const MachineView& run) : bytes(likely_room(run.heap().bytes_used())), run_(run) {
  name_unlinked_keywords();
  number_linked_objects();
}

void ValueWriter::name_unlinked_keywords() {
  const std::vector<const Keyword*>& all = run_.heap().keywords();
  std::vector<bool> linked(all.size());
  for (const Cell& cell : run_.cells()) linked[cell.name->serial] = true;
  for (const Link& link : run_.links()) {
    for (const Value& constant : link.constants) {
      if (constant.is_keyword()) linked[constant.keyword->serial] = true;
    }
    for (const Keyword* tool : link.tools) linked[tool->serial] = true;
    for (const Cell* cell : link.cells) linked[cell->name->serial] = true;
  }
  for (const Keyword* keyword : all) {
    if (!linked[keyword->serial]) name_index(keyword);
  }
  unlinked_names = names.size();
}

// Scalars of all links, then the shapes, then collections and functions: the reader makes them in this order.
void ValueWriter::number_linked_objects() {
  silent_ = true;
  std::vector<std::uint32_t> first_of_link;
  for (const Link& link : run_.links()) {
    first_of_link.push_back(ordinal_);
    for (std::size_t k = 0; k < link.constants.size(); ++k) {
      if (!is_collection(link.program->constants[k])) put(link.constants[k]);
    }
  }
  first_of_link.push_back(ordinal_);
  write_foreign_shapes(first_of_link);
  silent_ = true;
  for (const Link& link : run_.links()) {
    for (std::size_t k = 0; k < link.constants.size(); ++k) {
      if (is_collection(link.program->constants[k])) put(link.constants[k]);
    }
    for (const Value& function : link.functions) put(function);
  }
  silent_ = false;
}

// A constant map shares its key array with every map of the same keys. When such a map was there first, the array's
// strings are not the strings of the program: then the array must be there first in the restored run, too.
void ValueWriter::write_foreign_shapes(const std::vector<std::uint32_t>& first_of_link) {
  boost::unordered_flat_map<const KeyArray*, bool> seen;
  std::size_t index = 0;
  for (const Link& link : run_.links()) {
    const std::uint32_t first = first_of_link[index], end = first_of_link[index + 1];
    ++index;
    for (std::size_t k = 0; k < link.constants.size(); ++k) {
      const Value constant = link.constants[k];
      if (!constant.is_map() || constant.object->kind != Kind::SmallMap) continue;
      KeyArray* const keys = static_cast<SmallMap*>(constant.object)->keys;
      if ((keys->flags & KeyArray::kInterned) == 0 || !seen.emplace(keys, true).second) continue;
      if (!is_foreign(keys, first, end)) continue;
      foreign_shapes.push_back({keys, ordinal_});
      silent_ = false;
      bytes.swap(shapes);
      put(hidden(keys));
      bytes.swap(shapes);
    }
  }
}

bool ValueWriter::is_foreign(const KeyArray* keys, std::uint32_t first, std::uint32_t end) const {
  for (std::uint32_t i = 0; i < keys->extra; ++i) {
    if (!keys->keys()[i].is_string()) continue;
    const auto at = ordinals_.find(keys->keys()[i].object);
    if (at == ordinals_.end() || at->second < first || at->second >= end) return true;
  }
  return false;
}

void ValueWriter::put(Value borrowed) { walk_objects(borrowed, path_, *this); }

void ValueWriter::varint(std::uint64_t n) {
  if (silent_) return;
  bytes.make_room(kMostBytes);
  put_varint(n);
}

void ValueWriter::zigzag(std::int64_t n) {
  varint(static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63));
}

void ValueWriter::word(std::uint64_t w) {
  if (silent_) return;
  std::uint8_t little[8];
  for (unsigned i = 0; i < 8; ++i) little[i] = static_cast<std::uint8_t>(w >> (8 * i));
  bytes.make_room(8);
  bytes.put(little, 8);
}

namespace {

constexpr unsigned code(StreamOp op) { return static_cast<unsigned>(op); }
constexpr std::uint64_t code(ConstantValue value) { return static_cast<std::uint64_t>(value); }
constexpr std::uint64_t code(OtherValue value) { return static_cast<std::uint64_t>(value); }

}  // namespace

std::uint32_t ValueWriter::name_index(const Keyword* keyword) {
  const auto [at, is_new] = name_indices_.try_emplace(keyword, static_cast<std::uint32_t>(names.size()));
  if (is_new) names.push_back(keyword);
  return at->second;
}

std::uint32_t ValueWriter::builtin_index(BuiltinId id) {
  for (std::size_t i = 0; i < builtins.size(); ++i) {
    if (builtins[i] == id) return static_cast<std::uint32_t>(i);
  }
  builtins.push_back(id);
  return static_cast<std::uint32_t>(builtins.size() - 1);
}

void ValueWriter::number(const Object* object) {
  if (may_be_met_again(object)) ordinals_.emplace(object, ordinal_);
  ++ordinal_;
}

bool ValueWriter::known(const Object* object) {
  if (!may_be_met_again(object)) return false;
  Recent& recent = recent_[reinterpret_cast<std::uintptr_t>(object) / 16 % kRecent];
  if (recent.object != object) {
    const auto at = ordinals_.find(object);
    if (at == ordinals_.end()) return false;
    recent = {object, at->second};
  }
  op(code(StreamOp::Ref), recent.ordinal);
  return true;
}

// Values without parts. Of linked programs only objects count, so names are not collected there.
bool ValueWriter::scalar(Value value) {
  switch (value.tag) {
    case Tag::Nil: op(code(StreamOp::Constant), code(ConstantValue::Nil)); return true;
    case Tag::False: op(code(StreamOp::Constant), code(ConstantValue::False)); return true;
    case Tag::True: op(code(StreamOp::Constant), code(ConstantValue::True)); return true;
    case Tag::Absent: op(code(StreamOp::Constant), code(ConstantValue::Absent)); return true;
    case Tag::Int:
      if (value.i >= 0) {
        op(code(StreamOp::Int), static_cast<std::uint64_t>(value.i));
      } else {
        op(code(StreamOp::NegativeInt), static_cast<std::uint64_t>(-1 - value.i));
      }
      return true;
    case Tag::Float:
      op(code(StreamOp::Other), code(OtherValue::Float));
      word(value.d != value.d ? kCanonicalNan : value.bits);
      return true;
    case Tag::Keyword:
      if (!silent_) op(code(StreamOp::Keyword), name_index(value.keyword));
      return true;
    case Tag::Tool:
      if (silent_) return true;
      op(code(StreamOp::Other), code(OtherValue::Tool));
      varint(name_index(value.keyword));
      return true;
    case Tag::Builtin:
      if (silent_) return true;
      op(code(StreamOp::Other), code(OtherValue::Builtin));
      varint(builtin_index(value.builtin()));
      return true;
    case Tag::Date:
      op(code(StreamOp::Other), code(OtherValue::Date));
      zigzag(value.i);
      return true;
    default: return false;
  }
}

bool ValueWriter::leaf(Value value) {
  if (scalar(value)) return true;
  Object* const object = value.object;
  if (known(object)) return true;
  switch (object->kind) {
    case Kind::String: {
      const std::string_view text = static_cast<const String*>(object)->view();
      op(code(StreamOp::String), text.size());
      if (!silent_) bytes.put_text(text);
      break;
    }
    case Kind::BigInt: {
      const auto* big = static_cast<const BigInt*>(object);
      op(code(StreamOp::Other), code(OtherValue::BigInt));
      varint(std::uint64_t{big->limb_count} * 2 + ((big->flags & BigInt::kNegative) != 0 ? 1 : 0));
      for (std::uint32_t i = 0; i < big->limb_count; ++i) word(big->limbs()[i]);
      break;
    }
    case Kind::RangeVector: {
      const auto* range = static_cast<const RangeVector*>(object);
      op(code(StreamOp::Other), code(OtherValue::Range));
      zigzag(range->first);
      zigzag(range->step);
      varint(range->count);
      break;
    }
    case Kind::Var:
      op(code(StreamOp::Other), code(OtherValue::Var));
      if (!silent_) varint(name_index(static_cast<const Var*>(object)->name));
      break;
    case Kind::Instant: {
      const auto* instant = static_cast<const Instant*>(object);
      op(code(StreamOp::Other), code(OtherValue::Instant));
      zigzag(instant->epoch_seconds);
      varint(instant->nanos);
      varint(instant->flags);
      break;
    }
    case Kind::Duration: {
      const auto* duration = static_cast<const Duration*>(object);
      op(code(StreamOp::Other), code(OtherValue::Duration));
      zigzag(duration->seconds);
      varint(duration->nanos);
      break;
    }
    default: return false;
  }
  number(object);
  return true;
}

void ValueWriter::done(const std::vector<WalkStep>& path) {
  if (!silent_) composite(path);
  number(path.back().object);
}

void ValueWriter::composite(const std::vector<WalkStep>& path) {
  const Object* const object = path.back().object;
  switch (object->kind) {
    case Kind::FlatVector: flat_vector(static_cast<const FlatVector*>(object)); return;
    case Kind::TrieVector: {
      const auto* trie = static_cast<const TrieVector*>(object);
      op(code(StreamOp::Other), code(OtherValue::Trie));
      varint(trie->start);
      varint(trie->count);
      return;
    }
    case Kind::VectorNode: vector_node(static_cast<const VectorNode*>(object)); return;
    case Kind::VectorLeaf: op(code(StreamOp::Leaf), object->extra); return;
    case Kind::SmallMap: op(code(StreamOp::Map), object->extra); return;
    case Kind::KeyArray:
      if ((object->flags & KeyArray::kInterned) != 0) {
        op(code(StreamOp::Keys), object->extra);
      } else {
        op(code(StreamOp::Other), code(OtherValue::PrivateKeys));
        varint(object->extra);
      }
      return;
    case Kind::SmallSet: op(code(StreamOp::Other), code(OtherValue::Set)); return;
    case Kind::HashMap:
    case Kind::HashSet:
      op(code(StreamOp::Other), code(object->kind == Kind::HashMap ? OtherValue::HashMap : OtherValue::HashSet));
      varint(static_cast<const HashMap*>(object)->count);
      return;
    case Kind::HashNode: hash_node(path); return;
    case Kind::Closure: closure(static_cast<const Closure*>(object)); return;
    case Kind::Regex: op(code(StreamOp::Other), code(OtherValue::Regex)); return;
    case Kind::Pending: op(code(StreamOp::Other), code(OtherValue::Pending)); return;
    default: return;   // has no parts
  }
}

void ValueWriter::flat_vector(const FlatVector* vector) {
  if (vector->start == 0 && vector->count == vector->extra) {
    op(code(StreamOp::Vector), vector->count);
    return;
  }
  op(code(StreamOp::Other), code(OtherValue::SpareVector));
  varint(vector->count);
  varint(vector->start);
  varint(vector->extra);
}

void ValueWriter::vector_node(const VectorNode* node) {
  std::uint32_t mask = 0;
  for (std::uint32_t i = 0; i < kFlatVectorMax; ++i) mask |= node->children[i] != nullptr ? 1u << i : 0u;
  op(code(StreamOp::Other), code(OtherValue::Node));
  for (unsigned i = 0; i < 32; i += 8) byte(mask >> i & 0xff);
}

void ValueWriter::hash_node(const std::vector<WalkStep>& path) {
  const auto* node = static_cast<const HashNode*>(path.back().object);
  std::uint32_t level = 0;
  while (path[path.size() - 2 - level].object->kind == Kind::HashNode) ++level;
  op(code(StreamOp::HashNode), level);
  varint((node->is_set() ? 1u : 0u) | (node->is_collision() ? 2u : 0u));
  varint(node->datamap);
  varint(node->nodemap);
}

void ValueWriter::closure(const Closure* closure) {
  const auto* prototype = static_cast<const Prototype*>(closure->function);
  std::uint32_t program = 0;
  for (const Link& link : run_.links()) {
    if (&link == closure->link) break;
    ++program;
  }
  op(code(StreamOp::Closure), closure->upvalue_count);
  varint(program);
  varint(prototype->index);
  varint(closure->serial);
}

}  // namespace ptc
