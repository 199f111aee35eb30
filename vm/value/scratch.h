// Memory that a builtin needs while it works: text and lists that grow with the data. The heap of the run is asked
// before scratch memory is taken, and counts it while it lives, so a program stays within its memory between two safe
// points, too. Scratch memory does not come from the memory source of the heap, whose reserve is for values.
//
// What there is no room for is refused as account::refuse() says: OutOfMemory leaves a builtin; elsewhere the heap is
// over its limit, the scratch stays as it is, and the program ends after the instruction. The growth is a rule of this
// file and not of the standard library, so bytes_peak() is the same in every build.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "vm/value/account.h"

namespace ptc {

// Scratch of this size and less counts nothing: a builtin has only few, and the peak of ordinary programs does not
// depend on how their builtins work.
inline constexpr std::uint64_t kFreeScratchBytes = 16 * 1024;

// A growing array of plain values. The first kInline values are inside of the object.
template <class T, std::size_t kInline = 16>
class ScratchVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static_assert(alignof(T) <= 16);

 public:
  explicit ScratchVector(Heap& heap) : heap_(heap) {}
  ~ScratchVector() { give_back(); }
  ScratchVector(const ScratchVector&) = delete;
  ScratchVector& operator=(const ScratchVector&) = delete;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  std::span<const T> view() const { return {data_, size_}; }

  void push_back(T item) {
    if (size_ == capacity_ && !grow(size_ + 1)) return;
    data_[size_++] = item;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  // Makes room for so many values in all. Returns false when there is no memory.
  bool reserve(std::size_t count) { return count <= capacity_ || take(count); }
  void append(const T* items, std::size_t count) {
    if (count > capacity_ - size_ && !grow(size_ + count)) return;
    std::copy_n(items, count, data_ + size_);
    size_ += count;
  }
  void append(std::size_t count, T item) {
    if (count > capacity_ - size_ && !grow(size_ + count)) return;
    std::fill_n(data_ + size_, count, item);
    size_ += count;
  }
  // Makes the vector longer with copies of that item, or shorter.
  void resize(std::size_t count, T item = T{}) {
    if (count > size_) return append(count - size_, item);
    size_ = count;
  }
  void erase_front(std::size_t count) {
    std::copy(data_ + count, data_ + size_, data_);
    size_ -= count;
  }

 private:
  // Small scratch doubles; large scratch grows by half, so that less memory is asked for.
  bool grow(std::size_t least) {
    constexpr std::size_t kLargeBytes = 64 * 1024;
    const std::size_t more = capacity_ * sizeof(T) < kLargeBytes ? capacity_ : capacity_ / 2;
    return take(std::max(least, capacity_ + more));
  }
  bool take(std::size_t count) {
    if (is_counted(count)) {
      if (!account::ask(heap_, count * sizeof(T))) return false;
      heap_.account(static_cast<std::int64_t>(count * sizeof(T)));
    }
    T* const grown = static_cast<T*>(::operator new(count * sizeof(T)));
    std::copy_n(data_, size_, grown);
    give_back();
    data_ = grown;
    capacity_ = count;
    return true;
  }
  void give_back() {
    if (data_ == inline_.data()) return;
    if (is_counted(capacity_)) heap_.account(-static_cast<std::int64_t>(capacity_ * sizeof(T)));
    ::operator delete(data_);
  }
  static bool is_counted(std::size_t count) { return count * sizeof(T) > kFreeScratchBytes; }

  Heap& heap_;
  std::array<T, kInline> inline_;   // not initialised: only the first size_ values are read
  T* data_ = inline_.data();
  std::size_t size_ = 0;
  std::size_t capacity_ = kInline;
};

// Counts bytes that a function takes from the system in one piece, for functions that know no heap: the heap that pays
// on this thread is asked before, and counts the bytes while the object lives. Counts nothing outside of runs.
class HeldBytes {
 public:
  HeldBytes() = default;
  explicit HeldBytes(std::uint64_t bytes) : heap_(account::paying_heap()), bytes_(bytes) {
    if (bytes <= kFreeScratchBytes) heap_ = nullptr;
    if (heap_ == nullptr) return;
    if (!account::ask(*heap_, bytes)) heap_ = nullptr;
    if (heap_ != nullptr) heap_->account(static_cast<std::int64_t>(bytes_));
  }
  HeldBytes(HeldBytes&& other) noexcept { *this = std::move(other); }
  HeldBytes& operator=(HeldBytes&& other) noexcept {
    std::swap(heap_, other.heap_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HeldBytes() {
    if (heap_ != nullptr) heap_->account(-static_cast<std::int64_t>(bytes_));
  }

 private:
  Heap* heap_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// Text that grows. The account hears of what is appended in blocks, so a loop that appends can be stopped.
class ScratchText {
 public:
  explicit ScratchText(Heap& heap) : bytes_(heap) {}

  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  std::string_view view() const { return {bytes_.data(), bytes_.size()}; }
  operator std::string_view() const { return view(); }   // NOLINT(google-explicit-constructor): a text is a view
  char* data() { return bytes_.data(); }
  char& operator[](std::size_t i) { return bytes_[i]; }
  char back() const { return bytes_.back(); }

  void push_back(char c) {
    bytes_.push_back(c);
    if (bytes_.size() % kBlockBytes == 0) work_done(kBlockBytes / 64);
  }
  ScratchText& append(std::string_view text) {
    bytes_.append(text.data(), text.size());
    if (text.size() >= kBlockBytes) work_done(static_cast<std::uint32_t>(text.size() / 64));
    return *this;
  }
  ScratchText& append(std::size_t count, char c) {
    bytes_.append(count, c);
    return *this;
  }
  void assign(std::string_view text) {
    clear();
    append(text);
  }
  ScratchText& operator+=(char c) {
    push_back(c);
    return *this;
  }
  ScratchText& operator+=(std::string_view text) {
    append(text);
    return *this;
  }
  bool reserve(std::size_t size_bytes) { return bytes_.reserve(size_bytes); }
  void resize(std::size_t size_bytes) { bytes_.resize(size_bytes); }
  void clear() { bytes_.clear(); }

 private:
  static constexpr std::size_t kBlockBytes = 16 * 1024;

  ScratchVector<char, 256> bytes_;
};

}  // namespace ptc
