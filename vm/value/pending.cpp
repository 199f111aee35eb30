#include "vm/value/pending.h"

#include <unordered_set>

#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/scratch.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// A value on the way to a handle; where it lies in the one above it.
struct Place {
  Value value;
  Value key;                 // borrowed; an index for vectors
  std::size_t above;
};

constexpr std::size_t kTop = SIZE_MAX;

bool may_hold(Value v) { return v.is_vector() || v.is_map() || v.is_set() || v.is(Tag::Pending); }

std::string path_to(Heap& heap, const ScratchVector<Place>& places, std::size_t at) {
  ScratchVector<Value> keys(heap);
  for (; places[at].above != kTop; at = places[at].above) keys.push_back(places[at].key);
  std::string text;
  for (std::size_t k = keys.size(); k-- > 0;) {
    text += text.empty() ? '[' : ' ';
    append_readable(text, keys[k], heap, {60, nullptr});
  }
  return text.empty() ? text : text + ']';
}

}  // namespace

Value pending_of(Heap& heap, Value taken_id) {
  auto* handle = heap.make<Pending>(Kind::Pending);
  handle->id = static_cast<String*>(taken_id.object);
  return Value::of(Tag::Pending, handle);
}

Value find_pending(Heap& heap, Value borrowed, std::string& path) {
  if (heap.live_handles() == 0 || !may_hold(borrowed)) return Value::absent();
  ScratchVector<Place> places(heap);
  ScratchVector<std::size_t> open(heap);
  places.push_back({borrowed, Value::nil(), kTop});
  open.push_back(0);
  std::unordered_set<const Object*> seen;     // objects that several places share
  ScratchVector<Place> inside(heap);
  while (!open.empty() && !heap.has_failed()) {
    const std::size_t at = open.back();
    open.pop_back();
    const Value v = places[at].value;
    if (v.is(Tag::Pending)) {
      path = path_to(heap, places, at);
      return v;
    }
    if (v.object->rc > 1 && !seen.insert(v.object).second) continue;
    if (v.object->kind == Kind::RangeVector) continue;
    charge_parts(v.is_vector() ? vector_count(v) : 1);
    inside.clear();
    const auto add = [&](Value item, Value key) {
      if (may_hold(item)) inside.push_back({item, key, at});
    };
    if (v.is_vector()) {
      for (std::uint32_t i = 0, count = vector_count(v); i < count; ++i) add(vector_at(v, i), Value::integer(i));
    } else {
      for (MapCursor entry(heap, v); entry.next();) {
        add(entry.key(), entry.key());
        if (v.is_map()) add(entry.value(), entry.key());
      }
    }
    for (std::size_t k = inside.size(); k-- > 0;) {     // the first one is looked at first
      open.push_back(places.size());
      places.push_back(inside[k]);
    }
  }
  return Value::absent();
}

}  // namespace ptc
