// hash_key: a container's hash mixes its kind and count, then the hashes of its parts in the order of the layout.
//
// Key arrays are sorted and CHAMP tries have one shape for one set of keys, so equal values have their parts in equal
// order. Values are DAGs: in large ones the hashes of containers are kept, so that no shared part is gone through
// again and again (see visited_pairs.h).
#include <boost/container/small_vector.hpp>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "vm/value/account.h"
#include "vm/value/equality.h"
#include "vm/value/hash_mix.h"
#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"
#include "vm/value/visited_pairs.h"

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
  charge_parts(n->limb_count);
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
  enum class Part : std::uint8_t { Elements, Keys, Entries, Root, Node };
  const Object* object;
  std::uint64_t hash;
  std::uint32_t next, count;
  Part part;
};

Frame frame_of(Value v) {
  const auto frame = [&](std::uint32_t count, std::uint32_t parts, Frame::Part part) {
    return Frame{v.object, hash_mix(kHashSeed, hash_word(v.tag, count)), 0, parts, part};
  };
  switch (v.object->kind) {
    case Kind::SmallMap: return frame(v.object->extra, v.object->extra * 2u, Frame::Part::Entries);
    case Kind::SmallSet: return frame(v.object->extra, v.object->extra, Frame::Part::Keys);
    case Kind::HashMap:
    case Kind::HashSet: return frame(static_cast<const HashMap*>(v.object)->count, 1, Frame::Part::Root);
    default: return frame(vector_count(v), vector_count(v), Frame::Part::Elements);
  }
}

Frame frame_of(const HashNode* node) {
  return {node, kHashSeed, 0, node->entry_count() * node->entry_width() + node->child_count(), Frame::Part::Node};
}

// Part i of a frame: a value, or a node of a trie.
struct PartOf {
  Value value;
  const HashNode* node;
};
inline PartOf part_of(const Frame& f, std::uint32_t i) {
  switch (f.part) {
    case Frame::Part::Keys: return {static_cast<const SmallSet*>(f.object)->keys->keys()[i], nullptr};
    case Frame::Part::Entries: {
      const SmallMap* map = static_cast<const SmallMap*>(f.object);
      return {i < map->extra ? map->keys->keys()[i] : map->values()[i - map->extra], nullptr};
    }
    case Frame::Part::Root: return {Value::nil(), static_cast<const HashMap*>(f.object)->root};
    case Frame::Part::Node: {
      const HashNode* node = static_cast<const HashNode*>(f.object);
      const std::uint32_t values = node->entry_count() * node->entry_width();
      if (i >= values) return {Value::nil(), node->children()[i - values]};
      return {node->entries()[i], nullptr};
    }
    case Frame::Part::Elements: break;
  }
  return {vector_at(Value::of(Tag::Vector, const_cast<Object*>(f.object)), i), nullptr};
}

class HashWalk {
 public:
  std::uint64_t run(Value collection) {
    stack_.push_back(frame_of(collection));
    while (true) {
      if (!advance()) continue;
      const Frame done = stack_.back();
      stack_.pop_back();
      if (visits_ >= kFreeVisits) known_.emplace(done.object, done.hash);
      parts_ += done.count + 1u;
      if (stack_.empty()) {
        charge_parts(parts_);
        return done.hash;
      }
      stack_.back().hash = hash_mix(stack_.back().hash, done.hash);
    }
  }

 private:
  // Goes through the top frame until it is done (true) or another container must come first.
  bool advance() {
    Frame& f = stack_.back();
    while (f.next < f.count) {
      const PartOf part = part_of(f, f.next++);
      if (part.node == nullptr && !is_collection(part.value)) {
        f.hash = hash_mix(f.hash, hash_scalar(part.value));
        continue;
      }
      const Object* const object = part.node != nullptr ? part.node : part.value.object;
      if (const std::uint64_t* known = find_known(object)) {
        f.hash = hash_mix(f.hash, *known);
        continue;
      }
      stack_.push_back(part.node != nullptr ? frame_of(part.node) : frame_of(part.value));
      return false;
    }
    return true;
  }

  const std::uint64_t* find_known(const Object* object) {
    if (visits_ < kFreeVisits) {
      ++visits_;
      return nullptr;
    }
    const auto found = known_.find(object);
    return found == known_.end() ? nullptr : &found->second;
  }

  boost::container::small_vector<Frame, 8> stack_;
  std::unordered_map<const Object*, std::uint64_t> known_;
  std::uint32_t visits_ = 0;
  std::uint64_t parts_ = 0;
};

}  // namespace

std::uint64_t hash_key(Value v) { return is_collection(v) ? HashWalk().run(v) : hash_scalar(v); }

}  // namespace ptc
