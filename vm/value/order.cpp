// Both orders, with explicit stacks.
//
// canonical_order walks pairs of sequences (vectors, sorted key arrays, values) until parts differ. Hashed maps are not
// sorted for it: the order of two sets of equal size is decided by the least member that only one of them has, so a
// frame looks for that member, and only the comparisons that it needs go on the stack above it.
#include "vm/value/order.h"

#include <boost/container/small_vector.hpp>
#include <cmath>
#include <string_view>
#include <vector>

#include "schema/builtin_id.h"
#include "vm/value/account.h"
#include "vm/value/champ.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/order_prefix.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"
#include "vm/value/visited_pairs.h"

namespace ptc {

namespace {

template <class T>
const T* object_of(Value v) {
  return static_cast<const T*>(v.object);
}

template <class T>
int order_of(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

int order_numbers(Value a, Value b) {
  if (a.is_int() && b.is_int()) return order_of(a.i, b.i);
  const bool a_nan = a.is_float() && std::isnan(a.d);
  const bool b_nan = b.is_float() && std::isnan(b.d);
  if (a_nan || b_nan) return order_of(a_nan, b_nan);
  if (a.is_float() && b.is_float()) return order_of(a.d, b.d);
  const int by_value = static_cast<int>(num_compare(a, b));
  return by_value != 0 ? by_value : order_of(a.is_float(), b.is_float());
}

int order_instants(const Instant* a, const Instant* b) {
  return a->epoch_seconds != b->epoch_seconds ? order_of(a->epoch_seconds, b->epoch_seconds)
                                              : order_of(a->nanos, b->nanos);
}

int order_durations(const Duration* a, const Duration* b) {
  return a->seconds != b->seconds ? order_of(a->seconds, b->seconds) : order_of(a->nanos, b->nanos);
}

// What needs no stack; 0 with *descend set: collections of equal count.
inline int order_flat(Value a, Value b, bool* descend) {
  if (same_word(a, b)) return 0;
  if (a.tag != b.tag) {
    const int by_rank = order_of(order_rank(a.tag), order_rank(b.tag));
    return by_rank != 0 ? by_rank : order_numbers(a, b);
  }
  switch (a.tag) {
    case Tag::Int: return order_of(a.i, b.i);
    case Tag::Float:
    case Tag::BigInt: return order_numbers(a, b);
    case Tag::String: return compare_utf16(string_view_of(a), string_view_of(b));
    case Tag::Keyword:
    case Tag::Tool: return compare_utf16(a.keyword->name(), b.keyword->name());
    case Tag::Date: return order_of(a.i, b.i);
    case Tag::Instant: return order_instants(object_of<Instant>(a), object_of<Instant>(b));
    case Tag::Duration: return order_durations(object_of<Duration>(a), object_of<Duration>(b));
    case Tag::Builtin: return compare_utf16(builtin_info(a.builtin()).name, builtin_info(b.builtin()).name);
    case Tag::Closure: return order_of(object_of<Closure>(a)->serial, object_of<Closure>(b)->serial);
    case Tag::Regex: return compare_utf16(object_of<Regex>(a)->source->view(), object_of<Regex>(b)->source->view());
    case Tag::Var: return compare_utf16(object_of<Var>(a)->name->name(), object_of<Var>(b)->name->name());
    case Tag::Pending: return compare_utf16(object_of<Pending>(a)->id->view(), object_of<Pending>(b)->id->view());
    case Tag::Vector:
    case Tag::Map:
    case Tag::Set: {
      const int by_count = order_of(collection_count(a), collection_count(b));
      *descend = by_count == 0;
      return by_count;
    }
    default: return 0;
  }
}

// The keys that decide between two hashed collections. If only_in: keys that one side has and the other has not,
// the least of which decides. Else both have the same keys, and these are the ones with different values.
struct Candidate {
  Value key;
  bool in_a;
  Value value_a, value_b;
};
struct Least {
  std::vector<Candidate> candidates;
  bool only_in = false;
  std::size_t best = 0, next = 1;
  bool waiting = false;      // for the comparison of next with best
};

struct Frame {
  enum class Part : std::uint8_t { Elements, Keys, Values, Least };
  const Object *a, *b;
  std::uint32_t next, count;
  Part part;
};

class CanonicalWalk {
 public:
  // Puts two collections of equal count on the stack, unless they are known to be equal.
  void open(Value a, Value b) {
    if (visited_.meet(a.object, b.object)) return;
    switch (a.object->kind) {
      case Kind::SmallMap: {
        const SmallMap *x = object_of<SmallMap>(a), *y = object_of<SmallMap>(b);
        push(x, y, x->extra, Frame::Part::Values);
        if (x->keys != y->keys) push(x->keys, y->keys, x->extra, Frame::Part::Keys);
        return;
      }
      case Kind::SmallSet:
        push(object_of<SmallSet>(a)->keys, object_of<SmallSet>(b)->keys, a.object->extra, Frame::Part::Keys);
        return;
      case Kind::HashMap:
      case Kind::HashSet: open_hashed(object_of<HashMap>(a), object_of<HashMap>(b)); return;
      default: push(a.object, b.object, vector_count(a), Frame::Part::Elements);
    }
  }

  int run() {
    int decided = 0;
    while (!stack_.empty() && decided == 0) {
      decided = stack_.back().part == Frame::Part::Least ? advance_least() : advance_sequence();
      if (decided != 0) decided = unwind(decided);
    }
    charge_parts(parts_);
    return decided;
  }
  std::uint64_t parts() const { return parts_; }

 private:
  // Each key is hashed and found in the other collection, which takes longer than looking at a part. A few are charged
  // like parts.
  static std::uint64_t parts_of_finding(std::uint64_t keys) {
    constexpr std::uint64_t kFew = 64, kPartsOfFinding = 4;
    return keys <= kFew ? keys : kPartsOfFinding * keys;
  }
  void push(const Object* a, const Object* b, std::uint32_t count, Frame::Part part) {
    stack_.push_back({a, b, 0, count, part});
  }

  void open_hashed(const HashMap* a, const HashMap* b) {
    if (a->root == b->root) return;
    Least least;
    parts_ += parts_of_finding(a->count + std::uint64_t{b->count});
    add_missing(least, a, b, true);
    add_missing(least, b, a, false);
    least.only_in = !least.candidates.empty();
    if (!least.only_in && a->kind == Kind::HashMap) add_changed(least, a, b);
    if (least.candidates.empty()) return;
    least_.push_back(std::move(least));
    push(a, b, 0, Frame::Part::Least);
  }

  static void add_missing(Least& least, const HashMap* from, const HashMap* other, bool in_a) {
    champ_visit(from->root, [&](const Value* entry) {
      if (champ_find(other->root, hash_key(entry[0]), entry[0]) != nullptr) return;
      least.candidates.push_back({entry[0], in_a, Value::nil(), Value::nil()});
    });
  }

  static void add_changed(Least& least, const HashMap* a, const HashMap* b) {
    champ_visit(a->root, [&](const Value* entry) {
      const Value other = champ_find(b->root, hash_key(entry[0]), entry[0])[1];
      if (!same_key(entry[1], other)) least.candidates.push_back({entry[0], true, entry[1], other});
    });
  }

  static Value part_of(const Object* object, Frame::Part part, std::uint32_t i) {
    if (part == Frame::Part::Keys) return static_cast<const KeyArray*>(object)->keys()[i];
    if (part == Frame::Part::Values) return static_cast<const SmallMap*>(object)->values()[i];
    return vector_at(Value::of(Tag::Vector, const_cast<Object*>(object)), i);
  }

  int advance_sequence() {
    Frame& f = stack_.back();
    while (f.next < f.count) {
      const Value a = part_of(f.a, f.part, f.next);
      const Value b = part_of(f.b, f.part, f.next);
      ++f.next;
      ++parts_;
      bool descend = false;
      const int order = order_flat(a, b, &descend);
      if (order != 0) return order;
      if (descend) {
        if (f.next == f.count) stack_.pop_back();   // last part: the stack need not remember this frame
        open(a, b);
        return 0;
      }
    }
    stack_.pop_back();
    return 0;
  }

  int advance_least() {
    Least& least = least_.back();
    if (least.waiting) take_order(least, 0);   // the frames above found no difference
    while (least.next < least.candidates.size()) {
      const Value a = least.candidates[least.next].key;
      const Value b = least.candidates[least.best].key;
      bool descend = false;
      const int order = order_flat(a, b, &descend);
      if (descend) {
        least.waiting = true;
        open(a, b);
        return 0;
      }
      take_order(least, order);
    }
    const Candidate found = least.candidates[least.best];
    const bool only_in = least.only_in;
    least_.pop_back();
    stack_.pop_back();
    if (only_in) return found.in_a ? -1 : 1;
    bool descend = false;
    const int order = order_flat(found.value_a, found.value_b, &descend);
    if (descend) open(found.value_a, found.value_b);
    return order;
  }

  static void take_order(Least& least, int order) {
    least.waiting = false;
    if (order < 0) least.best = least.next;
    ++least.next;
  }

  // A difference decides every sequence on the stack, up to a search for the least that asked for it.
  int unwind(int order) {
    while (!stack_.empty() && stack_.back().part != Frame::Part::Least) stack_.pop_back();
    if (stack_.empty()) return order;
    visited_.forget();   // some of the pairs that were met differ
    take_order(least_.back(), order);
    return 0;
  }

  VisitedPairs visited_;
  std::uint64_t parts_ = 0;   // that were looked at
  boost::container::small_vector<Frame, 8> stack_;
  std::vector<Least> least_;   // one for each Least frame
};

// guest_compare of what needs no stack; Ordered and 0 with *descend set: vectors of equal count.
Comparison compare_flat(Value a, Value b, bool* descend) {
  using enum Comparison::Status;
  const auto ordered = [](int order) { return Comparison{Ordered, order < 0 ? -1 : order > 0 ? 1 : 0, {}, {}}; };
  if (a.is_nil() || b.is_nil()) return ordered(order_of(!a.is_nil(), !b.is_nil()));
  if (a.is_number() && b.is_number()) {
    const Ordering order = num_compare(a, b);
    return order == Ordering::Unordered ? Comparison{Nan, 0, a, b} : ordered(static_cast<int>(order));
  }
  const bool booleans = (a.is(Tag::False) || a.is(Tag::True)) && (b.is(Tag::False) || b.is(Tag::True));
  if (booleans) return ordered(order_of(a.truthy(), b.truthy()));
  if (a.tag != b.tag) return {Incomparable, 0, a, b};
  switch (a.tag) {
    case Tag::String: return ordered(compare_utf16(string_view_of(a), string_view_of(b)));
    case Tag::Keyword: return ordered(compare_utf16(a.keyword->name(), b.keyword->name()));
    case Tag::Date: return ordered(order_of(a.i, b.i));
    case Tag::Instant: return ordered(order_instants(object_of<Instant>(a), object_of<Instant>(b)));
    case Tag::Duration: return ordered(order_durations(object_of<Duration>(a), object_of<Duration>(b)));
    case Tag::Vector: {
      const int by_count = order_of(vector_count(a), vector_count(b));
      *descend = by_count == 0;
      return ordered(by_count);
    }
    default: return {Incomparable, 0, a, b};
  }
}

struct VectorPair {
  Value a, b;
  std::uint32_t next;
};

}  // namespace

int canonical_order(Value a, Value b) {
  bool descend = false;
  const int order = order_flat(a, b, &descend);
  if (!descend) return order;
  CanonicalWalk walk;
  walk.open(a, b);
  return walk.run();
}

int canonical_order(Value a, Value b, std::uint64_t& free_parts) {
  constexpr std::uint64_t kPartsOfWalk = 4;
  bool descend = false;
  const int order = order_flat(a, b, &descend);
  if (!descend) return order;
  CanonicalWalk walk;
  walk.open(a, b);
  const int decided = walk.run();
  free_parts += kPartsOfWalk + (walk.parts() < kFreeParts ? walk.parts() : 0);
  return decided;
}

Comparison guest_compare(Value a, Value b) {
  bool descend = false;
  Comparison result = compare_flat(a, b, &descend);
  if (!descend) return result;
  boost::container::small_vector<VectorPair, 8> stack;
  VisitedPairs visited;
  stack.push_back({a, b, 0});
  std::uint64_t parts = 0;
  while (!stack.empty()) {
    VectorPair& top = stack.back();
    ++parts;
    if (top.next == vector_count(top.a)) {
      stack.pop_back();
      continue;
    }
    const Value x = vector_at(top.a, top.next);
    const Value y = vector_at(top.b, top.next);
    ++top.next;
    descend = false;
    result = compare_flat(x, y, &descend);
    if (result.status != Comparison::Status::Ordered || result.order != 0) break;
    if (descend && !visited.meet(x.object, y.object)) stack.push_back({x, y, 0});
  }
  charge_parts(parts);
  return result;
}

}  // namespace ptc
