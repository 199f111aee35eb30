// The part of JsonValueWriter that goes through open collections, and what tells ordinary large ones from others.
#include <algorithm>
#include <bit>

#include "vm/snapshot/json/json_value_writer.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"
#include "vm/value/vector_trie.h"

namespace ptc {

void JsonValueWriter::step() {
  Open& top = open_.back();
  if (top.in_child) leave_child(top, top.next++);
  top.in_child = top.next < top.count;
  if (!top.in_child) {
    const Open finished = std::move(top);
    open_.pop_back();
    return finish(finished);
  }
  enter_child(top, top.next);
  const bool is_key = top.form == Form::Pairs && top.next % 2 == 0;
  begin(child(top, top.next), is_key ? top.quiet_keys : top.quiet);   // may move `top`
}

void JsonValueWriter::enter_child(Open& open, std::uint32_t k) {
  switch (open.form) {
    case Form::Array:
    case Form::List: layout.enter(k); return;
    case Form::Members: {
      const Value key = open.sorted.empty() ? static_cast<const SmallMap*>(open.value.object)->keys->keys()[k]
                                            : open.sorted[k].key;
      const std::string_view name = string_view_of(key);
      if (!open.sorted.empty() && !open.quiet) key_facts(key);
      out_.key(name);
      layout.enter(name);
      return;
    }
    case Form::Pairs:
      if (k % 2 == 0) {
        out_.open('[');
        layout.enter(k / 2);
      }
      layout.enter(k % 2);
      return;
    case Form::Named: {
      const std::string_view name = open.count == 2 && k == 1 ? "tail" : "root";
      out_.key(name);
      layout.enter(name);
      return;
    }
    case Form::Entries: {
      const auto* node = static_cast<const HashNode*>(open.value.object);
      const std::uint32_t values = node->entry_count() * node->entry_width();
      if (k == values) {
        out_.close(']');
        layout.leave();
        open_list("children");
      }
      layout.enter(k < values ? k : k - values);
      return;
    }
    case Form::Done: return;
  }
}

void JsonValueWriter::leave_child(Open& open, std::uint32_t k) {
  layout.leave();
  if (open.form != Form::Pairs || k % 2 == 0) return;
  out_.close(']');
  layout.leave();
}

void JsonValueWriter::finish(const Open& open) {
  switch (open.form) {
    case Form::Array: out_.close(']'); return;
    case Form::Members:
    case Form::Named: out_.close('}'); return;
    default:
      out_.close(']');
      layout.leave();
      out_.close('}');
  }
}

Value JsonValueWriter::child(const Open& open, std::uint32_t k) const {
  const Object* const object = open.value.object;
  if (!open.sorted.empty()) {
    if (open.form == Form::Members) return open.sorted[k].value;
    if (open.form == Form::List) return open.sorted[k].key;
    return k % 2 == 0 ? open.sorted[k / 2].key : open.sorted[k / 2].value;
  }
  switch (object->kind) {
    case Kind::FlatVector: return part_at(object, k);
    case Kind::TrieVector: return open.form == Form::Array ? vector_at(open.value, k) : part_at(object, k);
    case Kind::SmallSet: return static_cast<const SmallSet*>(object)->keys->keys()[k];
    case Kind::SmallMap: {
      const auto* map = static_cast<const SmallMap*>(object);
      if (open.form != Form::Pairs) return map->values()[k];
      return k % 2 == 0 ? map->keys->keys()[k / 2] : map->values()[k / 2];
    }
    case Kind::VectorNode: {
      std::uint32_t place = 0;
      for (std::uint32_t left = k + 1; left > 0; ++place) left -= part_at(object, place).is_absent() ? 0u : 1u;
      return part_at(object, place - 1);
    }
    default: return part_at(object, k);
  }
}

// The keys of a large map that is written as an object have no place of their own.
void JsonValueWriter::key_facts(Value key) {
  layout.enter_facts("$keys");
  layout.enter(string_view_of(key));
  text_facts(key);
  layout.leave();
  layout.leave();
}

std::uint32_t JsonValueWriter::node_level() const {
  std::uint32_t level = 0;
  while (level < open_.size() && open_[open_.size() - 1 - level].value.object->kind == Kind::HashNode) ++level;
  return level;
}

// As vector_of() makes it: nothing before the first element, no place without a child, nothing shared.
bool JsonValueWriter::is_regular(const TrieVector* trie, bool quiet) {
  if (trie->start != 0) return false;
  const std::uint32_t in_root = trie_tail_start(trie);
  std::uint32_t level = 1;
  while (in_root > std::uint64_t{1} << (kTrieBits * (level + 1))) ++level;
  if (trie->flags != level || trie->tail->extra != trie->count - in_root) return false;
  struct Place {
    const Object* object;
    std::uint32_t level;
    std::uint64_t slots;   // that are in view below it
  };
  std::vector<Place> open{{trie->root, level, in_root}};
  if (!quiet && shared_.is_shared(trie->tail)) return false;
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    if (!quiet && shared_.is_shared(place.object)) return false;
    if (place.level == 0) {
      if (place.object->extra != kFlatVectorMax) return false;
      continue;
    }
    const std::uint64_t span = std::uint64_t{1} << (kTrieBits * place.level);
    for (std::uint32_t i = 0; i < kFlatVectorMax; ++i) {
      const Object* const below = static_cast<const VectorNode*>(place.object)->children[i];
      if ((below != nullptr) != (i * span < place.slots)) return false;
      if (below != nullptr) open.push_back({below, place.level - 1, std::min(span, place.slots - i * span)});
    }
  }
  return true;
}

bool JsonValueWriter::is_regular(const HashMap* hashed, bool quiet) {
  std::vector<const HashNode*> open{hashed->root};
  while (!open.empty()) {
    const HashNode* const node = open.back();
    open.pop_back();
    if (node->is_collision() || (!quiet && shared_.is_shared(node))) return false;
    open.insert(open.end(), node->children(), node->children() + node->child_count());
  }
  return true;
}

}  // namespace ptc
