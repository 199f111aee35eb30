// Builds nested values from a stream of parts, for readers of EDN and JSON. Does not recurse: open collections are a
// stack of positions in one stack of items.
//
// Invariant: every item is owned by the builder until it moves into its collection; a builder that is dropped
// halfway releases all of them. The stack of items is counted in the heap before it grows. When the heap has no room,
// the builder drops what it is given, has_room() is false from then on, and the heap has refused (Heap::refuse).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vm/value/account.h"
#include "vm/value/heap.h"
#include "vm/value/map_shape.h"

namespace ptc {

class ValueBuilder {
 public:
  enum class Shape : std::uint8_t { Vector, Map, Set };
  // A level of nesting counts as so many bytes: the builder keeps an entry for it, and so does the reader.
  static constexpr std::size_t kLevelBytes = 64;

  explicit ValueBuilder(Heap& heap) : heap_(heap), shape_(heap) {}
  ~ValueBuilder();
  ValueBuilder(const ValueBuilder&) = delete;
  ValueBuilder& operator=(const ValueBuilder&) = delete;

  void add(Value taken) {
    if (items_.size() == items_.capacity() && !grow()) return heap_.release(taken);
    items_.push_back(taken);
  }
  // Returns whether everything so far fits into the heap. A reader asks after each item, and gives up.
  bool has_room() { return !is_full_ && !heap_.over_limit(); }
  void open() {
    if (starts_.size() == starts_.capacity()) deepen();
    starts_.push_back(items_.size());
  }
  std::size_t depth() const { return starts_.size(); }
  std::size_t count() const {
    return items_.size() - (starts_.empty() ? 0 : starts_.back());
  }  // an item of the open collection
  // Turns the items since open() into one collection, which becomes an item of the enclosing collection. A map needs an
  // even count; when a key is there twice, the last one wins.
  void close(Shape shape);
  Value last() const { return items_.back(); }   // borrowed; needs an item
  // Returns the last item, which the caller owns.
  Value take();
  // Makes a map of these names, in this order, with the items since open() as values; missing values are nil. The shape
  // belongs to the caller and must be for these names alone.
  void close_record(std::span<const std::string_view> names, MapShape& shape);

 private:
  bool grow();
  void deepen();
  void refuse();
  void count(std::uint64_t more_bytes);
  bool fits(Shape shape, std::size_t count);
  Value finished_map(std::size_t start);
  Value finished_set(std::size_t start);
  Value finished_large_map(std::size_t start);
  Value named_map(std::span<const std::string_view> names, std::size_t start);
  void replace_open(std::size_t start, Value finished);

  Heap& heap_;
  std::vector<Value> items_;
  std::vector<std::size_t> starts_;
  std::vector<Value> keys_, values_;  // scratch memory of close()
  std::uint64_t counted_bytes_ = 0;   // what the heap counts for the two stacks
  bool is_full_ = false;
  MapShape shape_;                    // the shape of the last record; the next record mostly has the same keys
};

// Says why a text could not be read, and at which byte.
struct TextError {
  enum class Kind : std::uint8_t {
    Malformed,
    TooLarge,   // the values do not fit into the memory of their heap
    Stopped,    // the host said in the middle that the run must not go on (vm/value/patience.h)
  };
  std::string message;
  std::size_t offset = 0;
  Kind kind = Kind::Malformed;
};

inline constexpr std::string_view kNoRoom = "the values do not fit into the memory of the run";
inline constexpr std::string_view kStopped = "the run was stopped";
// Readers ask for the memory of a text of so many bytes, and for the time of a number of so many digits, before they
// begin with it.
inline constexpr std::size_t kLongText = 4096;
inline constexpr std::size_t kLongNumber = 100;
// Returns about how many units of work (vm/value/account.h) the digits of an integer take.
inline std::uint32_t number_work(std::size_t digits) {
  constexpr std::size_t kMost = 100'000;   // a longer number is refused before it is converted
  const std::size_t counted = digits < kMost ? digits : kMost;
  return static_cast<std::uint32_t>(counted * counted / 4096);
}

// Does the work of a reader, which may be left in the middle (vm/value/account.h). The heap refuses what has no room.
template <class Read>
std::variant<Value, TextError> read_within(Heap& heap, Read read) {
  std::variant<Value, TextError> made = TextError{};
  switch (account::within([&] { made = read(); })) {
    case account::Ending::Done: return made;
    case account::Ending::Stopped: return TextError{std::string(kStopped), 0, TextError::Kind::Stopped};
    case account::Ending::NoMemory: break;
  }
  heap.refuse();
  return TextError{std::string(kNoRoom), 0, TextError::Kind::TooLarge};
}

// Appends a code point as UTF-8; surrogates and what is beyond Unicode become U+FFFD.
void append_code_point(std::string& out, std::uint32_t code);
// Returns the four hex digits at text[at] as a code unit, or -1 when the text has other characters there.
int hex_unit(std::string_view text, std::size_t at);
// Decodes XXXX of \uXXXX at text[at], with the second half of a surrogate pair when it follows, and moves `at` behind
// it. Returns false when the text has no four hex digits there.
bool append_unicode_escape(std::string& out, std::string_view text, std::size_t& at);

}  // namespace ptc
