// The heap of one run: allocation with exact byte counting, reference counts, interned keywords.
//
// One heap belongs to one run, and one thread at a time uses it; no part of it is global. The memory limit is part of
// the language. An allocation never fails, but when bytes_used() is above the limit, over_limit() is true and the
// interpreter stops the program at the next safe point with memory_exceeded. Code that is about to allocate more than a
// page in one go asks can_allocate() first, so that the limit is never exceeded by more than one object. When the
// memory source is empty, the heap uses the reserve of the source and counts as over its limit, however little it
// holds: the program ends with memory_exceeded at the next safe point.
//
// The heap also counts work that no other place charges as fuel (a walk along a long key, a range that becomes
// elements). The run pays for this work before it passes its next safe point.
//
// Freeing is iterative (an intrusive worklist), so a list nested 10^6 deep needs no C++ stack. While a program runs,
// one release frees a bounded number of objects. The rest is garbage until free_garbage(), which the run calls before
// the program passes its next safe point (decision 0011). Hazard: until then a part of garbage can look shared, and
// bytes_used() counts it. No state that outlives the instruction may depend on either.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "vm/value/key_array.h"
#include "vm/value/memory_source.h"
#include "vm/value/object.h"
#include "vm/value/value.h"

namespace ptc {

inline void retain(Value v) {
  if (v.is_heap()) ++v.object->rc;
}
inline Value retained(Value v) {
  retain(v);
  return v;
}
inline bool is_unique(Value v) { return v.is_heap() && v.object->rc == 1; }

class Heap {
 public:
  // Without a source the heap uses malloc.
  explicit Heap(std::uint64_t limit_bytes = UINT64_MAX, std::shared_ptr<MemorySource> source = nullptr);
  ~Heap();   // frees everything, also objects with references
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // Returns raw memory with a granularity of 16 bytes, never null. Freeing needs the same size again.
  void* allocate(std::size_t size_bytes) {
    const std::size_t rounded = rounded_size(size_bytes);
    bytes_used_ += rounded;
#ifndef PTC_SANITIZED
    if (rounded <= kMaxPooled) {
      FreeBlock*& head = free_[rounded / kGranule];
      if (head != nullptr) {
        FreeBlock* const block = head;
        head = block->next;
        return block;
      }
    }
#endif
    return allocate_slow(rounded);
  }
  void deallocate(void* memory, std::size_t size_bytes) {
    const std::size_t rounded = rounded_size(size_bytes);
    if (bytes_used_ > bytes_peak_) bytes_peak_ = bytes_used_;
    bytes_used_ -= rounded;
#ifndef PTC_SANITIZED
    if (rounded <= kMaxPooled) {
      FreeBlock* const block = static_cast<FreeBlock*>(memory);
      block->next = free_[rounded / kGranule];
      free_[rounded / kGranule] = block;
      return;
    }
#endif
    free_large(memory);
  }

  // Makes an object with one owner. size_bytes includes the header, and equals object_size_bytes() of the finished
  // object.
  template <class T>
  T* make(Kind kind, std::size_t size_bytes = sizeof(T)) {
    T* object = static_cast<T*>(allocate(size_bytes));
    object->rc = kFirstCount;
    object->kind = kind;
    object->flags = 0;
    object->extra = 0;
    ++live_objects_;
    if constexpr (std::is_same_v<T, Regex>) register_regex(object);
    if constexpr (std::is_same_v<T, Pending>) ++live_handles_;
    return object;
  }
  // Frees an object whose parts were moved elsewhere, without releasing any part.
  void discard(Object* emptied, std::size_t size_bytes) {
    --live_objects_;
    deallocate(emptied, size_bytes);
  }

  void release(Value v) {
    if (v.is_heap() && --v.object->rc == 0) destroy(v.object);
  }
  void release(Object* object) {
    if (--object->rc == 0) destroy(object);
  }

  std::uint64_t bytes_used() const { return bytes_used_; }
  std::uint64_t bytes_peak() const { return bytes_used_ > bytes_peak_ ? bytes_used_ : bytes_peak_; }
  std::uint64_t limit_bytes() const { return limit_bytes_; }
  void set_limit_bytes(std::uint64_t limit) {
    limit_bytes_ = enforced_bytes_ = limit;
    refused_ = false;
  }
  // Garbage does not count: both functions free it before they say that there is too little memory.
  bool over_limit() { return bytes_used_ > enforced_bytes_ && !(has_garbage() && (free_garbage(), fits(0))); }
  bool can_allocate(std::uint64_t more_bytes) {
    return (fits(more_bytes) || (has_garbage() && (free_garbage(), fits(more_bytes)))) &&
           (more_bytes < probed_bytes_ || source_has(more_bytes));
  }
  // Refuses a request in a function that cannot fail and that made something else instead. over_limit() is true from
  // now on, so the program ends after the instruction.
  void refuse() {
    enforced_bytes_ = 0;
    refused_ = true;
  }
  // Returns whether, since the limit was set, a request was refused or the source was empty: the program must end.
  // Collections that grow meanwhile may stay too short, so that the reserve is enough.
  bool has_failed() const { return enforced_bytes_ != limit_bytes_; }
  // Returns whether the source was empty for an allocation since the limit was set.
  bool is_exhausted() const { return has_failed() && !refused_; }
  // Counts memory that belongs to the run and is not an object (register stack, print buffers).
  void account(std::int64_t delta_bytes) {
    if (bytes_used_ > bytes_peak_) bytes_peak_ = bytes_used_;
    bytes_used_ += static_cast<std::uint64_t>(delta_bytes);
    beside_bytes_ += static_cast<std::uint64_t>(delta_bytes);
    if (delta_bytes >= kLargeBytes) [[unlikely]] took_much(static_cast<std::uint64_t>(delta_bytes));
  }
  // Counts records, which a run keeps beside its values: branches, prints, open tasks, operations, calls. The first
  // kFreeRecordBytes of them are free, so that the peak of ordinary programs is what their values take.
  void account_records(std::int64_t delta_bytes) {
    const std::uint64_t before = counted_records(record_bytes_);
    record_bytes_ += static_cast<std::uint64_t>(delta_bytes);
    const std::uint64_t now = counted_records(record_bytes_);
    if (now != before) account(static_cast<std::int64_t>(now - before));
  }
  bool can_allocate_records(std::uint64_t more_bytes) {
    return can_allocate(counted_records(record_bytes_ + more_bytes) - counted_records(record_bytes_));
  }
  std::uint64_t live_objects() const { return live_objects_; }   // returns 0 when every reference was released
  std::uint64_t live_handles() const { return live_handles_; }   // counts the pending handles among them

  // While releases are bounded, one release() frees no more than about kFreedAtOnce objects.
  static constexpr std::uint64_t kFreedAtOnce = 4096;
  void bound_freeing(bool is_bounded) { most_freed_ = is_bounded ? kFreedAtOnce : UINT64_MAX; }
  bool has_garbage() const { return dead_ != nullptr; }
  // Frees at least that many objects of garbage, or all of it. Returns how many objects it freed.
  std::uint64_t free_garbage(std::uint64_t enough = UINT64_MAX);
  // A program may pass a safe point only with more fuel than this: 0 in general, and more than it can have while there
  // is garbage or unpaid work.
  std::int64_t fuel_floor() const { return fuel_floor_; }

  void add_work(std::uint64_t fuel_units) {
    work_ += fuel_units;
    fuel_floor_ = INT64_MAX;
  }
  // Returns the work since the last call.
  std::uint64_t take_work() {
    const std::uint64_t units = std::exchange(work_, 0);
    if (dead_ == nullptr) fuel_floor_ = 0;
    return units;
  }

  // Returns the keyword of that name, and makes it on first use.
  const Keyword* intern(std::string_view name);
  // Returns the keyword of that name, or null when it was not interned yet.
  const Keyword* find_interned(std::string_view name) const;
  const std::vector<const Keyword*>& keywords() const { return keywords_; }   // in the order of their serials

  KeyArrayTable& key_arrays() { return key_arrays_; }   // used by the code of maps

  std::uint32_t next_closure_serial() { return closure_serial_++; }
  std::uint32_t closure_serial() const { return closure_serial_; }              // the serial of the next closure
  void restore_counters(std::uint32_t closure_serial, std::uint64_t bytes_peak) {   // used for a run that goes on
    closure_serial_ = closure_serial;
    bytes_peak_ = bytes_peak;
  }

  // Sets how the compiled form of a regex is freed. The code that makes regexes, outside of vm/value, calls this.
  void set_regex_deleter(void (*deleter)(void*)) { regex_deleter_ = deleter; }

 private:
  static constexpr std::size_t kGranule = 16;
  static constexpr std::int64_t kLargeBytes = 64 * 1024;   // so much at once is worth a look at what is kept
  static constexpr std::size_t kMaxPooled = 1024;   // larger blocks come from the source, one by one
  struct FreeBlock {
    FreeBlock* next;
  };
  // The header of every large block, which lets ~Heap find the blocks in use.
  struct LargeBlock {
    LargeBlock *previous, *next;
    std::size_t size_bytes;   // includes this header
    std::size_t unused;       // keeps the memory behind the header aligned to 16 bytes
  };
  struct Chunk {
    void* memory;
    std::size_t size_bytes;
  };

  static std::size_t rounded_size(std::size_t size_bytes) { return (size_bytes + kGranule - 1) & ~(kGranule - 1); }
  void* take_if_any(std::size_t size_bytes);   // takes from the source
  void* take(std::size_t size_bytes);
  void give(void* memory, std::size_t size_bytes);
  bool source_has(std::size_t size_bytes);
  // Gives back memory that nobody uses when it and what was taken would be more than the limit: kept memory of the
  // source, and chunks whose objects are all gone. So the process takes little more than the account says.
  void took_much(std::uint64_t bytes);
  void give_back_chunks();
  void shrink_source();
  void* allocate_slow(std::size_t rounded);
  void* allocate_large(std::size_t size_bytes);
  void free_large(void* memory);
  void refill(std::size_t rounded);

  static constexpr std::uint64_t kFreeRecordBytes = 1u << 20;
  static std::uint64_t counted_records(std::uint64_t bytes) {
    return bytes > kFreeRecordBytes ? bytes - kFreeRecordBytes : 0;
  }

  bool fits(std::uint64_t more_bytes) const {
    return more_bytes <= enforced_bytes_ && bytes_used_ <= enforced_bytes_ - more_bytes;
  }

  void destroy(Object* object);
  void enqueue_dead(Object* object);
  void release_parts(Object* dead);
  void drop(Object* object) {
    if (object != nullptr && --object->rc == 0) enqueue_dead(object);
  }
  void drop_all(const Value* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (values[i].is_heap()) drop(values[i].object);
    }
  }

  void register_regex(Regex* regex);
  void free_regex(Regex* regex);

  const Keyword** intern_slot(std::string_view name, std::uint64_t hash);
  void grow_interned();

  std::array<FreeBlock*, kMaxPooled / kGranule + 1> free_{};
  char* bump_ = nullptr;
  char* bump_end_ = nullptr;
  std::vector<Chunk> chunks_;
  std::uint64_t chunk_bytes_ = 0;                   // all chunks
  std::uint64_t beside_bytes_ = 0;                  // large blocks, and what account() counts
  std::uint64_t record_bytes_ = 0;                  // what account_records() counts
  std::uint64_t taken_since_look_ = 0;              // large blocks and counts since chunks were looked at
  std::size_t next_chunk_bytes_ = 512;
  LargeBlock large_{&large_, &large_, 0, 0};        // the head of a ring
  std::shared_ptr<MemorySource> source_;
  Object* dead_ = nullptr;                          // the worklist of destroy(); between calls: garbage
  std::uint64_t most_freed_ = UINT64_MAX;           // most objects that one destroy() frees
  std::int64_t fuel_floor_ = 0;
  std::uint64_t work_ = 0;                          // in units of fuel
  std::uint64_t bytes_used_ = 0;
  std::uint64_t bytes_peak_ = 0;                    // brought up to date before every decrease
  std::uint64_t limit_bytes_;
  std::uint64_t probed_bytes_ = 4u << 20;           // the source has this much; larger sizes are tried first
  std::uint64_t enforced_bytes_;                    // limit_bytes_, or 0 when the source is exhausted or refused_
  bool refused_ = false;
  std::uint64_t live_objects_ = 0;
  std::uint64_t live_handles_ = 0;
  std::uint32_t closure_serial_ = 1;

  std::vector<const Keyword*> interned_;   // open addressing, power of two
  std::vector<const Keyword*> keywords_;
  KeyArrayTable key_arrays_;
  std::vector<Regex*> regexes_;            // live regexes, whose compiled forms the heap must free
  void (*regex_deleter_)(void*) = nullptr;
};

// Returns the bytes of this object, header included.
std::size_t object_size_bytes(const Object* object);

// Owns one reference for the length of a scope, for C++ code that can leave early.
class Owned {
 public:
  Owned(Heap& heap, Value taken) : heap_(&heap), value_(taken) {}
  ~Owned() { heap_->release(value_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Value get() const { return value_; }           // borrowed
  Value take() {                                 // gives the reference to the caller
    const Value v = value_;
    value_ = Value::nil();
    return v;
  }
  void reset(Value taken) {
    heap_->release(value_);
    value_ = taken;
  }

 private:
  Heap* heap_;
  Value value_;
};

// Owns values that were taken and are given away one by one; the destructor releases the rest.
class OwnedValues {
 public:
  OwnedValues(Heap& heap, std::span<const Value> taken) : heap_(heap), left_(taken) {}
  ~OwnedValues() {
    for (const Value v : left_) heap_.release(v);
  }
  OwnedValues(const OwnedValues&) = delete;
  OwnedValues& operator=(const OwnedValues&) = delete;
  bool empty() const { return left_.empty(); }
  Value take_next() {
    const Value v = left_.front();
    left_ = left_.subspan(1);
    return v;
  }

 private:
  Heap& heap_;
  std::span<const Value> left_;
};

}  // namespace ptc
