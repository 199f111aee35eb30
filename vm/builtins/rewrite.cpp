// The walk behind keywordize-keys, stringify-keys and the conversion of tool arguments; see rewrite.h.
#include "vm/builtins/rewrite.h"

#include "vm/builtins/complaint.h"
#include "vm/value/map.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

bool is_inner(Value v) { return v.is_vector() || v.is_map() || v.is_set(); }

}  // namespace

TreeRewriter::~TreeRewriter() { drop_levels(); }

void TreeRewriter::drop_levels() {
  for (const Level& level : levels_) {
    for (const Value v : level.keys) call_.heap.release(v);
    for (const Value v : level.done) call_.heap.release(v);
  }
  levels_.clear();
}

Value TreeRewriter::finish_set(std::vector<Value>& taken_items) {
  OwnedValues items(call_.heap, taken_items);
  Owned set(call_.heap, set_empty(call_.heap));
  while (!items.empty()) {
    work_done(1);
    set.reset(set_add(call_.heap, set.take(), items.take_next()));
  }
  return set.take();
}

bool TreeRewriter::accept_keys(const std::vector<Value>&) { return true; }

std::string TreeRewriter::path() const {
  std::string text;
  for (const Level& level : levels_) {
    if (!text.empty()) text += ' ';
    const std::size_t at = level.done.size();
    text += level.source.is_map() ? shown(call_, level.old_keys[at]) : "[" + std::to_string(at) + "]";
  }
  return text;
}

bool TreeRewriter::open(Value source) {
  const std::uint32_t count = source.is_vector() ? vector_count(source)
                              : source.is_map()  ? map_count(source)
                                                 : set_count(source);
  visited_ += count + std::uint64_t{1};
  call_.charge(count + std::uint64_t{1});
  if (!call_.reserve(visited_ * kSlotBytes)) return false;
  Level level;
  level.held = HeldBytes(std::uint64_t{count} * (source.is_map() ? 4 : 2) * sizeof(Value));
  level.source = source;
  level.children.reserve(count);
  if (source.is_vector()) {
    for (std::uint32_t i = 0; i < count; ++i) level.children.push_back(vector_at(source, i));
  } else {
    level.old_keys.reserve(source.is_map() ? count : 0);
    MapCursor cursor(call_.heap, source);
    while (cursor.next()) {
      level.children.push_back(source.is_map() ? cursor.value() : cursor.key());
      if (source.is_map()) level.old_keys.push_back(cursor.key());
    }
  }
  level.keys.reserve(level.old_keys.size());
  level.done.reserve(count);
  levels_.push_back(std::move(level));
  for (const Value key : levels_.back().old_keys) {
    work_done(1);
    const Value renamed = rewrite_key(key);
    if (renamed.is_absent()) return false;
    levels_.back().keys.push_back(renamed);
  }
  return true;
}

Value TreeRewriter::close() {
  if (levels_.back().source.is_map() && !accept_keys(levels_.back().keys)) return Value::absent();
  Level level = std::move(levels_.back());
  levels_.pop_back();
  if (level.source.is_vector()) return vector_of(call_.heap, level.done);
  if (level.source.is_set()) return finish_set(level.done);
  return map_from(call_.heap, level.keys, level.done);
}

Value TreeRewriter::rewrite(Value borrowed_root) {
  if (!is_inner(borrowed_root)) return rewrite_leaf(borrowed_root);
  if (!open(borrowed_root)) return Value::absent();
  while (true) {
    if (!call_.within_memory()) return Value::absent();
    Level& level = levels_.back();
    const std::size_t at = level.done.size();
    work_done(1);
    if (at < level.children.size()) {
      const Value child = level.children[at];
      if (is_inner(child)) {
        if (!open(child)) return Value::absent();
        continue;
      }
      const Value leaf = rewrite_leaf(child);
      if (leaf.is_absent()) return leaf;
      level.done.push_back(leaf);
      continue;
    }
    const Value finished = close();
    if (finished.is_absent() || levels_.empty()) return finished;
    levels_.back().done.push_back(finished);
  }
}

}  // namespace ptc
