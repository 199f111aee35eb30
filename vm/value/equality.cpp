// One structural walk for `=` and for key identity, with an explicit stack of pairs of containers.
//
// It leans on the layouts being functions of the contents: small maps and sets keep their keys sorted, and two CHAMP
// tries with the same keys have the same shape, so containers are compared slot by slot and no key is ever looked up.
#include "vm/value/equality.h"

#include <boost/container/small_vector.hpp>
#include <cmath>
#include <cstring>

#include "vm/value/account.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/vector.h"
#include "vm/value/visited_pairs.h"

namespace ptc {

namespace {

enum class Mode : std::uint8_t { Tolerant, Strict };
enum class Verdict : std::uint8_t { Same, Different, Descend };

template <class T>
const T* object_of(Value v) {
  return static_cast<const T*>(v.object);
}

bool same_text(const String* a, const String* b) {
  if (a->size_bytes != b->size_bytes || (a->hash != b->hash && a->hash != 0 && b->hash != 0)) return false;
  charge_text(a->size_bytes);
  return std::memcmp(a->bytes(), b->bytes(), a->size_bytes) == 0;
}

bool same_big(const BigInt* a, const BigInt* b) {
  if (a->limb_count != b->limb_count || (a->flags & BigInt::kNegative) != (b->flags & BigInt::kNegative)) return false;
  charge_parts(a->limb_count);
  return std::memcmp(a->limbs(), b->limbs(), a->limb_count * sizeof(std::uint64_t)) == 0;
}

bool same_float(double a, double b, Mode mode) {
  return a == b || (mode == Mode::Strict && std::isnan(a) && std::isnan(b));
}

Verdict verdict(bool same) { return same ? Verdict::Same : Verdict::Different; }

// Two different objects of one tag.
Verdict compare_objects(Value a, Value b) {
  switch (a.tag) {
    case Tag::String: return verdict(same_text(object_of<String>(a), object_of<String>(b)));
    case Tag::BigInt: return verdict(same_big(object_of<BigInt>(a), object_of<BigInt>(b)));
    case Tag::Vector: return vector_count(a) == vector_count(b) ? Verdict::Descend : Verdict::Different;
    case Tag::Map: return map_count(a) == map_count(b) ? Verdict::Descend : Verdict::Different;
    case Tag::Set: return set_count(a) == set_count(b) ? Verdict::Descend : Verdict::Different;
    case Tag::Regex: return verdict(same_text(object_of<Regex>(a)->source, object_of<Regex>(b)->source));
    case Tag::Var: return verdict(object_of<Var>(a)->name == object_of<Var>(b)->name);
    case Tag::Pending: return verdict(same_text(object_of<Pending>(a)->id, object_of<Pending>(b)->id));
    case Tag::Instant: {
      const Instant *x = object_of<Instant>(a), *y = object_of<Instant>(b);
      return verdict(x->epoch_seconds == y->epoch_seconds && x->nanos == y->nanos);
    }
    case Tag::Duration: {
      const Duration *x = object_of<Duration>(a), *y = object_of<Duration>(b);
      return verdict(x->seconds == y->seconds && x->nanos == y->nanos);
    }
    default: return Verdict::Different;   // closures: identity
  }
}

inline Verdict compare_values(Value a, Value b, Mode mode) {
  if (a.tag == b.tag) {
    if (a.tag == Tag::Float) return verdict(same_float(a.d, b.d, mode));
    if (a.bits == b.bits) return Verdict::Same;
    return a.is_heap() ? compare_objects(a, b) : Verdict::Different;
  }
  if (mode == Mode::Strict || !a.is_number() || !b.is_number()) return Verdict::Different;
  return verdict(num_compare(a, b) == Ordering::Equal);
}

// A pair of containers of equal count, of which the first `next` parts were found equal.
struct Frame {
  enum class Part : std::uint8_t { Elements, Keys, Values, Node };
  const Object *a, *b;
  std::uint32_t next, count;
  Part part;
  Mode mode;
};
struct Stack : boost::container::small_vector<Frame, 8> {
  VisitedPairs tolerant, strict;
  std::uint64_t parts = 0;   // that were compared
  bool met(const Object* a, const Object* b, Mode mode) {
    return (mode == Mode::Strict ? strict : tolerant).meet(a, b);
  }
};

bool same_shape(const HashNode* a, const HashNode* b) {
  return a->flags == b->flags && a->datamap == b->datamap && a->nodemap == b->nodemap;
}

// Returns false when the two differ already.
bool push_nodes(Stack& stack, const HashNode* a, const HashNode* b, Mode mode) {
  if (a == b && mode == Mode::Strict) return true;   // tolerant: a NaN inside must still differ
  if (!same_shape(a, b)) return false;
  if (stack.met(a, b, mode)) return true;
  const std::uint32_t values = a->entry_count() * a->entry_width();
  stack.push_back({a, b, 0, values + a->child_count(), Frame::Part::Node, mode});
  return true;
}

void push_keys(Stack& stack, const KeyArray* a, const KeyArray* b) {
  if (a != b) stack.push_back({a, b, 0, a->extra, Frame::Part::Keys, Mode::Strict});
}

bool push_containers(Stack& stack, Value a, Value b, Mode mode) {
  if (stack.met(a.object, b.object, mode)) return true;
  switch (a.object->kind) {
    case Kind::SmallMap: {
      const SmallMap *x = object_of<SmallMap>(a), *y = object_of<SmallMap>(b);
      stack.push_back({x, y, 0, x->extra, Frame::Part::Values, mode});
      push_keys(stack, x->keys, y->keys);
      return true;
    }
    case Kind::SmallSet: push_keys(stack, object_of<SmallSet>(a)->keys, object_of<SmallSet>(b)->keys); return true;
    case Kind::HashMap:
    case Kind::HashSet: return push_nodes(stack, object_of<HashMap>(a)->root, object_of<HashMap>(b)->root, mode);
    default:
      stack.push_back({a.object, b.object, 0, vector_count(a), Frame::Part::Elements, mode});
      return true;
  }
}

struct Pair {
  Value a, b;
  Mode mode;
};

// Returns part i of a frame; the parts of a node are its entries.
inline Pair part_of(const Frame& f, std::uint32_t i) {
  switch (f.part) {
    case Frame::Part::Keys:
      return {static_cast<const KeyArray*>(f.a)->keys()[i], static_cast<const KeyArray*>(f.b)->keys()[i], f.mode};
    case Frame::Part::Values:
      return {static_cast<const SmallMap*>(f.a)->values()[i], static_cast<const SmallMap*>(f.b)->values()[i], f.mode};
    case Frame::Part::Node: {
      const HashNode *x = static_cast<const HashNode*>(f.a), *y = static_cast<const HashNode*>(f.b);
      const bool is_key = x->is_set() || i % 2 == 0;
      return {x->entries()[i], y->entries()[i], is_key ? Mode::Strict : f.mode};
    }
    case Frame::Part::Elements: break;
  }
  Object *a = const_cast<Object*>(f.a), *b = const_cast<Object*>(f.b);
  return {vector_at(Value::of(Tag::Vector, a), i), vector_at(Value::of(Tag::Vector, b), i), f.mode};
}

// Goes through the top frame until it is done, a difference shows (false), or another container must come first.
bool advance(Stack& stack) {
  Frame& f = stack.back();
  std::uint32_t parts = f.count;
  if (f.part == Frame::Part::Node) {
    const HashNode* node = static_cast<const HashNode*>(f.a);
    parts = node->entry_count() * node->entry_width();
  }
  const std::uint32_t first = f.next;
  while (f.next < parts) {
    const Pair pair = part_of(f, f.next++);
    const Verdict v = compare_values(pair.a, pair.b, pair.mode);
    if (v == Verdict::Same) continue;
    stack.parts += f.next - first;
    if (v == Verdict::Different) return false;
    if (f.next == f.count) stack.pop_back();   // last part: the stack need not remember this frame
    return push_containers(stack, pair.a, pair.b, pair.mode);
  }
  stack.parts += f.next - first + 1u;
  if (f.next == f.count) {
    stack.pop_back();
    return true;
  }
  const std::uint32_t child = f.next++ - parts;
  return push_nodes(stack, static_cast<const HashNode*>(f.a)->children()[child],
                    static_cast<const HashNode*>(f.b)->children()[child], f.mode);
}

bool compare(Value a, Value b, Mode mode) {
  const Verdict v = compare_values(a, b, mode);
  if (v != Verdict::Descend) return v == Verdict::Same;
  Stack stack;
  bool same = push_containers(stack, a, b, mode);
  while (same && !stack.empty()) same = advance(stack);
  charge_parts(stack.parts);
  return same;
}

}  // namespace

bool equal(Value a, Value b) { return compare(a, b, Mode::Tolerant); }
bool same_key(Value a, Value b) { return compare(a, b, Mode::Strict); }

}  // namespace ptc
