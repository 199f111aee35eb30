#include "runtime/text/written_size.h"

#include <boost/unordered/unordered_flat_set.hpp>
#include <vector>

#include "vm/value/account.h"
#include "vm/value/bigint.h"
#include "vm/value/champ.h"
#include "vm/value/function.h"
#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

class Measure {
 public:
  Measure(Heap& heap, std::uint64_t limit) : heap_(heap), limit_(limit) {}

  WrittenSize of(Value value) {
    open_.push_back(value);
    while (!open_.empty() && size_.parts < limit_) {
      work_done(1);
      const Value v = open_.back();
      open_.pop_back();
      ++size_.parts;
      ++size_.least_bytes;
      if (v.is_heap()) add(v);
    }
    return size_;
  }

 private:
  static constexpr std::uint64_t kBytesOfPart = 16;
  static constexpr std::uint64_t kLimbPairsOfPart = 16;   // a limb pair takes the sixteenth of the time of a part

  void add(Value v) {
    switch (v.tag) {
      case Tag::String: add_text(v); break;
      case Tag::BigInt: add_digits(static_cast<const BigInt*>(v.object)->limb_count); break;
      case Tag::Vector: add_elements(v); break;
      case Tag::Map:
      case Tag::Set: add_entries(v); break;
      case Tag::Closure: add_closure(*static_cast<const Closure*>(v.object)); break;
      default: break;
    }
  }

  void add_text(Value text) {
    size_.parts += object_size_bytes(text.object) / kBytesOfPart;
    size_.least_bytes += static_cast<const String*>(text.object)->size_bytes;
  }

  void add_digits(std::uint64_t limbs) {
    constexpr std::uint64_t kLeastDigitsOfLimb = 19;
    size_.digits += limbs * limbs / kLimbPairsOfPart;
    size_.least_bytes += (limbs - 1) * kLeastDigitsOfLimb;
  }

  void add_elements(Value vector) {
    const std::uint32_t count = vector_count(vector);
    size_.parts += count;
    if (size_.parts >= limit_) return;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Value item = vector_at(vector, i);
      if (item.is_heap()) open_.push_back(item);
    }
  }

  // Adds keys and values of a map, or members of a set, in any order: sorting them would take longer than the rest.
  void add_entries(Value collection) {
    const bool is_map = collection.is_map();
    const Kind kind = collection.object->kind;
    if (kind == Kind::HashMap || kind == Kind::HashSet) {
      const HashMap* const hashed = static_cast<const HashMap*>(collection.object);
      work_done(hashed->count);
      champ_visit(hashed->root,
                  [&](const Value* entry) { open_.insert(open_.end(), entry, entry + (is_map ? 2 : 1)); });
      return;
    }
    for (MapCursor entry(heap_, collection); entry.next();) {
      open_.push_back(entry.key());
      if (is_map) open_.push_back(entry.value());
    }
  }

  void add_closure(const Closure& closure) {
    if (functions_.insert(closure.function).second) size_.parts += closure.function->source.size() / kBytesOfPart;
    open_.insert(open_.end(), closure.upvalues(), closure.upvalues() + closure.upvalue_count);
  }

  Heap& heap_;
  const std::uint64_t limit_;
  WrittenSize size_;
  std::vector<Value> open_;
  boost::unordered_flat_set<const FunctionInfo*> functions_;   // those whose text was counted
};

}  // namespace

WrittenSize measure_written(Heap& heap, Value borrowed, std::uint64_t limit) {
  return Measure(heap, limit).of(borrowed);
}

}  // namespace ptc
