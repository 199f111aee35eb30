#include "runtime/text/written_size.h"

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>

#include "vm/value/account.h"
#include "vm/value/bigint.h"
#include "vm/value/champ.h"
#include "vm/value/function.h"
#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// Counts values without parts at once, and keeps only the others for later.
class Measure {
 public:
  explicit Measure(std::uint64_t limit) : limit_(limit) {}

  WrittenSize of(Value value) {
    put(value);
    while (!open_.empty() && size_.parts < limit_) {
      const Value v = open_.back();
      open_.pop_back();
      spread(v);
    }
    return size_;
  }

 private:
  static constexpr std::uint64_t kBytesOfPart = 16;
  static constexpr std::uint64_t kLimbPairsOfPart = 16;   // a limb pair takes the sixteenth of the time of a part

  void put(Value v) {
    ++size_.parts;
    ++size_.least_bytes;
    if (v.is_heap()) put_object(v);
  }

  void put_object(Value v) {
    switch (v.tag) {
      case Tag::String: add_text(v); break;
      case Tag::BigInt: add_digits(static_cast<const BigInt*>(v.object)->limb_count); break;
      case Tag::Vector:
      case Tag::Map:
      case Tag::Set:
      case Tag::Closure: open_.push_back(v); break;
      default: break;
    }
  }

  void put_all(const Value* values, std::size_t count) {
    work_done(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) put(values[i]);
  }

  void spread(Value v) {
    work_done(1);
    switch (v.tag) {
      case Tag::Vector: add_elements(v); break;
      case Tag::Closure: add_closure(*static_cast<const Closure*>(v.object)); break;
      default: add_entries(*v.object);
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

  // An element that is no object is a part, another one is two.
  void add_elements(Value vector) {
    const std::uint32_t count = vector_count(vector);
    size_.parts += count;
    for (std::uint32_t i = 0; i < count && size_.parts < limit_; ++i) {
      if (i % kTurnsBetweenQuestions == 0) work_done(kTurnsBetweenQuestions);
      const Value item = vector_at(vector, i);
      if (item.is_heap()) put(item);
    }
  }

  // Adds keys and values of a map, or members of a set, in any order: sorting them would take longer than the rest.
  void add_entries(const Object& collection) {
    switch (collection.kind) {
      case Kind::SmallMap: {
        const SmallMap& map = static_cast<const SmallMap&>(collection);
        put_all(map.keys->keys(), map.extra);
        return put_all(map.values(), map.extra);
      }
      case Kind::SmallSet: return put_all(static_cast<const SmallSet&>(collection).keys->keys(), collection.extra);
      default: {
        const std::size_t width = collection.kind == Kind::HashMap ? 2 : 1;
        champ_visit(static_cast<const HashMap&>(collection).root,
                    [&](const Value* entry) { put_all(entry, width); });
      }
    }
  }

  void add_closure(const Closure& closure) {
    if (functions_.insert(closure.function).second) size_.parts += closure.function->source.size() / kBytesOfPart;
    put_all(closure.upvalues(), closure.upvalue_count);
  }

  static constexpr std::uint32_t kTurnsBetweenQuestions = 64;

  const std::uint64_t limit_;
  WrittenSize size_;
  boost::container::small_vector<Value, 32> open_;
  boost::unordered_flat_set<const FunctionInfo*> functions_;   // those whose text was counted
};

}  // namespace

WrittenSize measure_written(Value borrowed, std::uint64_t limit) {
  return Measure(limit).of(borrowed);
}

}  // namespace ptc
