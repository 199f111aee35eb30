// hash_key: the contents of a value as a stream of words that are mixed one after another.
//
// Containers put their kind and count before their parts, so that different nestings give different streams. Key
// arrays are sorted and CHAMP tries have one shape for one set of keys, so equal values give equal streams.
#include <boost/container/small_vector.hpp>
#include <bit>
#include <cmath>

#include "vm/value/equality.h"
#include "vm/value/hash_mix.h"
#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {

namespace {

std::uint64_t hash_word(Tag tag, std::uint64_t word) {
  return hash_scramble(word, static_cast<std::uint64_t>(tag));
}

std::uint64_t hash_float(double x) {
  if (x == 0) x = 0.0;   // also -0.0
  return hash_word(Tag::Float, std::isnan(x) ? 0x7ff8000000000000 : std::bit_cast<std::uint64_t>(x));
}

std::uint64_t hash_text(const String* text) {
  if (text->hash == 0) text->hash = hash_bytes(text->view());
  return text->hash;
}

std::uint64_t hash_big(const BigInt* n) {
  std::uint64_t h = hash_word(Tag::BigInt, n->limb_count * 2 + ((n->flags & BigInt::kNegative) != 0 ? 1 : 0));
  for (std::uint32_t i = 0; i < n->limb_count; ++i) h = hash_mix(h, hash_word(Tag::BigInt, n->limbs()[i]));
  return h;
}

bool is_collection(Value v) { return v.is_vector() || v.is_map() || v.is_set(); }

std::uint64_t hash_scalar(Value v) {
  switch (v.tag) {
    case Tag::Float: return hash_float(v.d);
    case Tag::Keyword:
    case Tag::Tool: return hash_word(v.tag, v.keyword->hash);
    case Tag::String: return hash_text(static_cast<const String*>(v.object));
    case Tag::BigInt: return hash_big(static_cast<const BigInt*>(v.object));
    case Tag::Closure: return hash_word(v.tag, static_cast<const Closure*>(v.object)->serial);
    case Tag::Regex: return hash_word(v.tag, hash_text(static_cast<const Regex*>(v.object)->source));
    case Tag::Var: return hash_word(v.tag, static_cast<const Var*>(v.object)->name->hash);
    case Tag::Pending: return hash_word(v.tag, hash_text(static_cast<const Pending*>(v.object)->id));
    case Tag::Instant: {
      const Instant* at = static_cast<const Instant*>(v.object);
      return hash_mix(hash_word(v.tag, static_cast<std::uint64_t>(at->epoch_seconds)), at->nanos);
    }
    case Tag::Duration: {
      const Duration* span = static_cast<const Duration*>(v.object);
      return hash_mix(hash_word(v.tag, static_cast<std::uint64_t>(span->seconds)), span->nanos);
    }
    default: return hash_word(v.tag, v.is_heap() ? 0 : v.bits);
  }
}

struct Frame {
  enum class Part : std::uint8_t { Elements, Keys, Values, Node };
  const Object* object;
  std::uint32_t next, count;
  Part part;
};
using Stack = boost::container::small_vector<Frame, 8>;

void push_node(Stack& stack, const HashNode* node) {
  stack.push_back({node, 0, node->entry_count() * node->entry_words() + node->child_count(), Frame::Part::Node});
}

// Puts the parts of a collection on the stack; returns the word that stands before them.
std::uint64_t open(Stack& stack, Value v) {
  std::uint32_t count = 0;
  switch (v.object->kind) {
    case Kind::SmallMap: {
      const SmallMap* map = static_cast<const SmallMap*>(v.object);
      count = map->extra;
      stack.push_back({map, 0, count, Frame::Part::Values});
      stack.push_back({map->keys, 0, count, Frame::Part::Keys});
      break;
    }
    case Kind::SmallSet:
      count = v.object->extra;
      stack.push_back({static_cast<const SmallSet*>(v.object)->keys, 0, count, Frame::Part::Keys});
      break;
    case Kind::HashMap:
    case Kind::HashSet:
      count = static_cast<const HashMap*>(v.object)->count;
      push_node(stack, static_cast<const HashMap*>(v.object)->root);
      break;
    default:
      count = vector_count(v);
      stack.push_back({v.object, 0, count, Frame::Part::Elements});
  }
  return hash_word(v.tag, count);
}

inline Value part_of(const Frame& f, std::uint32_t i) {
  switch (f.part) {
    case Frame::Part::Keys: return static_cast<const KeyArray*>(f.object)->keys()[i];
    case Frame::Part::Values: return static_cast<const SmallMap*>(f.object)->values()[i];
    case Frame::Part::Node: return static_cast<const HashNode*>(f.object)->entries()[i];
    case Frame::Part::Elements: break;
  }
  return vector_at(Value::of(Tag::Vector, const_cast<Object*>(f.object)), i);
}

// Goes through the top frame until it is done or another container must come first.
std::uint64_t advance(Stack& stack, std::uint64_t h) {
  Frame& f = stack.back();
  std::uint32_t parts = f.count;
  if (f.part == Frame::Part::Node) {
    const HashNode* node = static_cast<const HashNode*>(f.object);
    parts = node->entry_count() * node->entry_words();
  }
  while (f.next < parts) {
    const Value v = part_of(f, f.next++);
    if (is_collection(v)) {
      if (f.next == f.count) stack.pop_back();   // last part: the stack need not remember this frame
      return hash_mix(h, open(stack, v));
    }
    h = hash_mix(h, hash_scalar(v));
  }
  if (f.next == f.count) {
    stack.pop_back();
    return h;
  }
  push_node(stack, static_cast<const HashNode*>(f.object)->children()[f.next++ - parts]);
  return h;
}

}  // namespace

std::uint64_t hash_key(Value v) {
  if (!is_collection(v)) return hash_scalar(v);
  Stack stack;
  std::uint64_t h = hash_mix(kHashSeed, open(stack, v));
  while (!stack.empty()) h = advance(stack, h);
  return h;
}

}  // namespace ptc
