// Loops over elements and text that cannot forget to tell the account of the run: they charge what they pass, ask the
// host between blocks, and check that the heap is within its limit. All of them may throw OutOfPatience or OutOfMemory
// at the beginning of a turn (vm/value/account.h), so a turn leaves every object whole.
//
//   for (std::uint32_t i : Walk(heap, count)) …                       each element of count elements
//   for (std::string_view block : TextBlocks(text)) …                 text in blocks of whole code points
//   for (std::string_view cluster : Clusters(text)) …                 the grapheme clusters of a text
#pragma once
#include <cstdint>
#include <string_view>

#include "vm/value/account.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"

namespace ptc {

struct EndOfWalk {};

// Says whether a loop charges its turns itself, or the builtin did so before, because it knew their number.
enum class Charged : std::uint8_t { HereAndNow, Before };

// Counts the turns of one loop. Every kTurns turns it charges them, asks the host and looks at the memory.
class Turns {
 public:
  static constexpr std::uint32_t kTurns = 64;
  explicit Turns(Heap& heap, Charged charged = Charged::HereAndNow) : heap_(heap), charged_(charged) {}
  void next() {
    if (++count_ % kTurns == 0) settle();
  }
  std::uint32_t count() const { return count_; }

 private:
  void settle() {
    if (charged_ == Charged::HereAndNow) charge_parts(kTurns);
    work_done(kTurns);
    account::check_memory(heap_);
  }

  Heap& heap_;
  Charged charged_;
  std::uint32_t count_ = 0;
};

// Goes through the numbers from 0 to count - 1.
class Walk {
 public:
  Walk(Heap& heap, std::uint32_t count, Charged charged = Charged::HereAndNow)
      : heap_(heap), count_(count), charged_(charged) {}

  class Iterator {
   public:
    Iterator(Heap& heap, std::uint32_t count, Charged charged) : turns_(heap, charged), count_(count) {}
    std::uint32_t operator*() const { return turns_.count(); }
    Iterator& operator++() {
      turns_.next();
      return *this;
    }
    bool operator!=(EndOfWalk) const { return turns_.count() < count_; }

   private:
    Turns turns_;
    std::uint32_t count_;
  };
  Iterator begin() const { return {heap_, count_, charged_}; }
  EndOfWalk end() const { return {}; }

 private:
  Heap& heap_;
  std::uint32_t count_;
  Charged charged_;
};

// Goes through UTF-8 text in blocks that end between code points. Malformed text may give a block that is longer.
class TextBlocks {
 public:
  static constexpr std::size_t kBlockBytes = 64 * 1024;
  explicit TextBlocks(std::string_view utf8) : text_(utf8) {}

  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest), size_(size_of_block(rest)) {}
    std::string_view operator*() const { return rest_.substr(0, size_); }
    Iterator& operator++() {
      account::text(size_);
      rest_.remove_prefix(size_);
      size_ = size_of_block(rest_);
      return *this;
    }
    bool operator!=(EndOfWalk) const { return !rest_.empty(); }

   private:
    static std::size_t size_of_block(std::string_view rest) {
      const std::size_t whole = utf8_prefix(rest, kBlockBytes).size();
      return whole == 0 ? rest.size() : whole;
    }
    std::string_view rest_;
    std::size_t size_;
  };
  Iterator begin() const { return Iterator(text_); }
  EndOfWalk end() const { return {}; }

 private:
  std::string_view text_;
};

// Goes through the grapheme clusters of a text. grapheme_length() charges a cluster by its bytes.
class Clusters {
 public:
  explicit Clusters(std::string_view valid_utf8) : text_(valid_utf8) {}

  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest), size_(grapheme_length(rest)) {}
    std::string_view operator*() const { return rest_.substr(0, size_); }
    Iterator& operator++() {
      rest_.remove_prefix(size_);
      size_ = grapheme_length(rest_);
      return *this;
    }
    bool operator!=(EndOfWalk) const { return !rest_.empty(); }

   private:
    std::string_view rest_;
    std::size_t size_;
  };
  Iterator begin() const { return Iterator(text_); }
  EndOfWalk end() const { return {}; }

 private:
  std::string_view text_;
};

}  // namespace ptc
