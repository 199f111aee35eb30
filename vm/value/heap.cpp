// Memory of a run: pools of 16-byte size classes filled from chunks, blocks of their own above that, keywords.
//
// bytes_used() counts rounded sizes of what was handed out, never chunks, so the number is the same in every build and
// on every machine. Sanitized builds take every block by itself so that misuse is seen.
#include "vm/value/heap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "vm/value/string.h"

namespace ptc {

namespace {

constexpr std::size_t kMaxChunkBytes = 256 * 1024;

}  // namespace

Heap::Heap(std::uint64_t limit_bytes, std::shared_ptr<MemorySource> source)
    : source_(std::move(source)), limit_bytes_(limit_bytes), enforced_bytes_(limit_bytes) {}

Heap::~Heap() {
  for (const Regex* regex : regexes_) {
    if (regex->compiled != nullptr && regex_deleter_ != nullptr) regex_deleter_(regex->compiled);
  }
  while (large_.next != &large_) free_large(large_.next + 1);
  for (const Chunk& chunk : chunks_) give(chunk.memory, chunk.size_bytes);
}

void* Heap::take_if_any(std::size_t size_bytes) {
  return source_ == nullptr ? std::malloc(size_bytes) : source_->take(size_bytes);
}

bool Heap::source_has(std::size_t size_bytes) {
  if (!(source_ == nullptr ? system_has(size_bytes) : source_->has(size_bytes))) {
    enforced_bytes_ = 0;
    return false;
  }
  probed_bytes_ = std::uint64_t{size_bytes} * 2;   // callers that count up ask often
  return true;
}

void* Heap::take(std::size_t size_bytes) {
  void* memory = take_if_any(size_bytes);
  if (memory != nullptr) return memory;
  enforced_bytes_ = 0;
  if (source_ != nullptr) memory = source_->take_last(size_bytes);
  if (memory == nullptr) std::abort();   // the machine has less memory than the limits that the host chose
  return memory;
}

void Heap::give(void* memory, std::size_t size_bytes) {
  if (source_ == nullptr) return std::free(memory);
  source_->give(memory, size_bytes);
}

void* Heap::allocate_slow(std::size_t rounded) {
#ifdef PTC_SANITIZED
  return allocate_large(rounded);
#else
  if (rounded > kMaxPooled) return allocate_large(rounded);
  if (static_cast<std::size_t>(bump_end_ - bump_) < rounded) refill(rounded);
  char* const block = bump_;
  bump_ += rounded;
  return block;
#endif
}

// Starts a new chunk; what is left of the old one goes to the free lists.
void Heap::refill(std::size_t rounded) {
  while (bump_ != bump_end_) {
    const std::size_t size = std::min(static_cast<std::size_t>(bump_end_ - bump_), kMaxPooled);
    FreeBlock* const block = ::new (bump_) FreeBlock{free_[size / kGranule]};
    free_[size / kGranule] = block;
    bump_ += size;
  }
  const std::size_t size = std::max(next_chunk_bytes_, rounded);
  bump_ = static_cast<char*>(take(size));
  bump_end_ = bump_ + size;
  chunks_.push_back({bump_, size});
  chunk_bytes_ += size;
  next_chunk_bytes_ = std::min(next_chunk_bytes_ * 2, kMaxChunkBytes);
}

void* Heap::allocate_large(std::size_t size_bytes) {
  static_assert(sizeof(LargeBlock) % kGranule == 0);
  LargeBlock* const block = static_cast<LargeBlock*>(take(sizeof(LargeBlock) + size_bytes));
  block->size_bytes = sizeof(LargeBlock) + size_bytes;
  block->previous = &large_;
  block->next = large_.next;
  block->next->previous = block;
  large_.next = block;
  beside_bytes_ += block->size_bytes;
  if (size_bytes >= static_cast<std::size_t>(kLargeBytes)) took_much(size_bytes);
  return block + 1;
}

void Heap::free_large(void* memory) {
  LargeBlock* const block = static_cast<LargeBlock*>(memory) - 1;
  block->previous->next = block->next;   // NOLINT(clang-analyzer-unix.Malloc): what was freed is in no list any more
  block->next->previous = block->previous;
  beside_bytes_ -= block->size_bytes;
  give(block, block->size_bytes);
}

void Heap::register_regex(Regex* regex) {
  regex->source = nullptr;
  regex->compiled = nullptr;
  regex->registry_index = regexes_.size();
  regexes_.push_back(regex);
}

void Heap::free_regex(Regex* regex) {
  Regex* const moved = regexes_.back();
  regexes_[regex->registry_index] = moved;
  moved->registry_index = regex->registry_index;
  regexes_.pop_back();
  if (regex->compiled != nullptr && regex_deleter_ != nullptr) regex_deleter_(regex->compiled);
  drop(regex->source);
  discard(regex, sizeof(Regex));
}

// The slot where that name is, or where it belongs. The table has a free slot.
const Keyword** Heap::intern_slot(std::string_view name, std::uint64_t hash) {
  const std::size_t mask = interned_.size() - 1;
  std::size_t i = hash & mask;
  while (interned_[i] != nullptr && (interned_[i]->hash != hash || interned_[i]->name() != name)) i = (i + 1) & mask;
  return &interned_[i];
}

const Keyword* Heap::intern(std::string_view name) {
  if ((keywords_.size() + 1) * 2 > interned_.size()) grow_interned();
  const std::uint64_t hash = hash_bytes(name);
  const Keyword** const slot = intern_slot(name, hash);
  if (*slot != nullptr) return *slot;
  Keyword* const keyword = static_cast<Keyword*>(allocate(sizeof(Keyword) + name.size()));
  keyword->hash = hash;
  keyword->size_bytes = static_cast<std::uint32_t>(name.size());
  keyword->serial = static_cast<std::uint32_t>(keywords_.size());
  keywords_.push_back(keyword);
  if (!name.empty()) std::memcpy(keyword + 1, name.data(), name.size());
  return *slot = keyword;
}

const Keyword* Heap::find_interned(std::string_view name) const {
  if (interned_.empty()) return nullptr;
  const std::uint64_t hash = hash_bytes(name);
  const std::size_t mask = interned_.size() - 1;
  for (std::size_t i = hash & mask; interned_[i] != nullptr; i = (i + 1) & mask) {
    if (interned_[i]->hash == hash && interned_[i]->name() == name) return interned_[i];
  }
  return nullptr;
}

void Heap::grow_interned() {
  std::vector<const Keyword*> old(interned_.empty() ? 16 : interned_.size() * 2);
  old.swap(interned_);
  const std::size_t mask = interned_.size() - 1;
  for (const Keyword* keyword : old) {
    if (keyword == nullptr) continue;
    std::size_t i = keyword->hash & mask;
    while (interned_[i] != nullptr) i = (i + 1) & mask;
    interned_[i] = keyword;
  }
}

}  // namespace ptc
