#include "vm/builtins/item_counter.h"

#include <algorithm>
#include <cstring>

#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/account.h"
#include "vm/value/string.h"

namespace ptc {

namespace {

constexpr std::uint32_t kFewItems = 64;   // for which a table is not worth its while
constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kFarthest = 16;     // from its home

std::uint32_t upper_half(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

bool same_text(const String* a, const String* b) {
  return a == b || (a->size_bytes == b->size_bytes && std::memcmp(a->bytes(), b->bytes(), a->size_bytes) == 0);
}

Value value_of(String* text) { return Value::of(Tag::String, text); }

}  // namespace

ItemCounter::ItemCounter(Heap& heap, std::uint32_t items)
    : heap_(heap), counts_(map_empty(heap)), has_table_(items > kFewItems) {}

ItemCounter::~ItemCounter() {
  drop(slots_);
  drop(old_slots_);
  heap_.release(counts_);
}

// Once for each block of slots.
void ItemCounter::work_done_at(const Slot& slot, std::span<const Slot> slots) {
  constexpr std::ptrdiff_t kBlock = 64;
  if ((&slot - slots.data()) % kBlock == 0) work_done(kBlock);
}

void ItemCounter::drop(std::span<Slot>& slots) {
  for (const Slot& slot : slots) {
    if (slot.text != nullptr) heap_.release(slot.text);
  }
  if (!slots.empty()) heap_.deallocate(slots.data(), slots.size_bytes());
  slots = {};
}

// Where the text is or belongs; null: too far from its home.
ItemCounter::Slot* ItemCounter::place_of(std::uint64_t hash, const String* text) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t step = 0; step < kFarthest; ++step) {
    Slot& slot = slots_[(hash + step) & mask];
    if (slot.text == nullptr || (slot.hash == upper_half(hash) && same_text(slot.text, text))) return &slot;
  }
  return nullptr;
}

bool ItemCounter::count_in_table(Value string) {
  if (used_ * 2 >= slots_.size()) has_table_ = grow();
  if (!has_table_) return false;
  const std::uint64_t hash = hash_key(string);
  Slot* const slot = place_of(hash, as_string(string));
  if (slot == nullptr) return false;
  if (slot->text == nullptr) {
    retain(string);
    *slot = {static_cast<String*>(string.object), upper_half(hash), 0};
    ++used_;
  }
  ++slot->count;
  return true;
}

void ItemCounter::count_in_map(Value item, std::int64_t times) {
  if (Value* const cell = map_find_mutable(heap_, counts_, item)) {
    cell->i += times;
  } else {
    counts_ = map_assoc(heap_, counts_, retained(item), Value::integer(times));
  }
}

// Returns false when memory is missing. Texts that find no place in the new table go to the map.
bool ItemCounter::grow() {
  const std::size_t size = slots_.empty() ? kFirstSlots : 2 * slots_.size();
  if (!heap_.can_allocate(size * sizeof(Slot))) return false;
  old_slots_ = slots_;
  slots_ = {static_cast<Slot*>(heap_.allocate(size * sizeof(Slot))), size};
  std::fill(slots_.begin(), slots_.end(), Slot{});
  for (Slot& slot : old_slots_) {
    work_done_at(slot, old_slots_);
    if (slot.text == nullptr) continue;
    if (Slot* const place = place_of(hash_key(value_of(slot.text)), slot.text)) {
      *place = slot;
      slot.text = nullptr;
      continue;
    }
    count_in_map(value_of(slot.text), slot.count);
    --used_;
  }
  drop(old_slots_);
  return true;
}

Value ItemCounter::finish() {
  for (const Slot& slot : slots_) {
    work_done_at(slot, slots_);
    if (slot.text != nullptr) count_in_map(value_of(slot.text), slot.count);
  }
  const Value counts = counts_;
  counts_ = Value::nil();
  return counts;
}

}  // namespace ptc
