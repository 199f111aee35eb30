#include "vm/value/weight.h"

#include <algorithm>

#include "vm/value/champ.h"
#include "vm/value/function.h"
#include "vm/value/map.h"
#include "vm/value/scratch.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {

namespace {

class Scale {
 public:
  explicit Scale(Heap& heap) : open_(heap) {}

  std::uint64_t weigh(Value v) {
    put(v);
    while (!open_.empty()) {
      const Value next = open_.back();
      open_.pop_back();
      spread(next);
    }
    return bytes_;
  }

 private:
  static constexpr std::uint32_t kMostParts = 4'096;
  static constexpr std::uint64_t kBytesOfPart = 4;

  bool is_full() const { return parts_ >= kMostParts; }

  // Adds the text of a value that holds no others, and keeps others for later.
  void put(Value v) {
    ++parts_;
    bytes_ += kBytesOfPart;
    switch (v.tag) {
      case Tag::String: bytes_ += as_string(v)->size_bytes; break;
      case Tag::Keyword: bytes_ += v.keyword->size_bytes; break;
      case Tag::BigInt: bytes_ += std::uint64_t{20} * static_cast<const BigInt*>(v.object)->limb_count; break;
      case Tag::Vector:
      case Tag::Map:
      case Tag::Set:
      case Tag::Closure: open_.push_back(v); break;
      default: break;
    }
  }

  void put_all(const Value* values, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count && !is_full(); ++i) put(values[i]);
  }

  void spread(Value v) {
    switch (v.object->kind) {
      case Kind::SmallMap: {
        const SmallMap* const map = static_cast<const SmallMap*>(v.object);
        put_all(map->keys->keys(), map->extra);
        put_all(map->values(), map->extra);
        break;
      }
      case Kind::SmallSet: put_all(static_cast<const SmallSet*>(v.object)->keys->keys(), v.object->extra); break;
      case Kind::HashMap:
      case Kind::HashSet: {
        const HashMap* const hashed = static_cast<const HashMap*>(v.object);
        bytes_ += kBytesOfPart * hashed->count;
        spread(hashed->root);
        break;
      }
      case Kind::Closure: {
        const Closure* const closure = static_cast<const Closure*>(v.object);
        bytes_ += closure->function->source.size();
        put_all(closure->upvalues(), closure->upvalue_count);
        break;
      }
      default:
        bytes_ += kBytesOfPart * vector_count(v);
        for (std::uint32_t i = 0; i < vector_count(v) && !is_full(); ++i) put(vector_at(v, i));
    }
  }

  // Recursion is as deep as a trie is.
  void spread(const HashNode* node) {
    put_all(node->entries(), node->entry_count() * node->entry_width());
    for (std::uint32_t i = 0; i < node->child_count() && !is_full(); ++i) spread(node->children()[i]);
  }

  ScratchVector<Value, 64> open_;
  std::uint64_t bytes_ = 0;
  std::uint32_t parts_ = 0;
};

}  // namespace

std::uint64_t written_bytes(Heap& heap, Value v) { return Scale(heap).weigh(v); }

}  // namespace ptc
