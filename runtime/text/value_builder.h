// Builds nested values from a stream of parts, for readers of EDN and JSON. Does not recurse: open collections are a
// stack of positions in one stack of items.
//
// Invariant: every item is owned by the builder until it moves into its collection; a builder that is dropped
// halfway releases all of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/value/heap.h"
#include "vm/value/map_shape.h"

namespace ptc {

class ValueBuilder {
 public:
  enum class Shape : std::uint8_t { Vector, Map, Set };

  explicit ValueBuilder(Heap& heap) : heap_(heap), shape_(heap) {}
  ~ValueBuilder();
  ValueBuilder(const ValueBuilder&) = delete;
  ValueBuilder& operator=(const ValueBuilder&) = delete;

  void add(Value taken) { items_.push_back(taken); }
  void open() { starts_.push_back(items_.size()); }
  std::size_t depth() const { return starts_.size(); }
  std::size_t count() const {
    return items_.size() - (starts_.empty() ? 0 : starts_.back());
  }  // an item of the open collection
  // Turns the items since open() into one collection, which becomes an item of the enclosing collection. A map needs an
  // even count; when a key is there twice, the last one wins.
  void close(Shape shape);
  // Returns the last item, which the caller owns.
  Value take();
  // Makes a map of these names, in this order, with the items since open() as values; missing values are nil. The shape
  // belongs to the caller and must be for these names alone.
  void close_record(std::span<const std::string_view> names, MapShape& shape);

 private:
  Value finished_map(std::size_t start);
  Value finished_set(std::size_t start);
  Value named_map(std::span<const std::string_view> names, std::size_t start);
  void replace_open(std::size_t start, Value finished);

  Heap& heap_;
  std::vector<Value> items_;
  std::vector<std::size_t> starts_;
  std::vector<Value> keys_, values_;  // scratch memory of close()
  MapShape shape_;                    // the shape of the last record; the next record mostly has the same keys
};

// Says why a text could not be read, and at which byte.
struct TextError {
  std::string message;
  std::size_t offset = 0;
};

// Appends a code point as UTF-8; surrogates and what is beyond Unicode become U+FFFD.
void append_code_point(std::string& out, std::uint32_t code);
// Returns the four hex digits at text[at] as a code unit, or -1 when the text has other characters there.
int hex_unit(std::string_view text, std::size_t at);
// Decodes XXXX of \uXXXX at text[at], with the second half of a surrogate pair when it follows, and moves `at` behind
// it. Returns false when the text has no four hex digits there.
bool append_unicode_escape(std::string& out, std::string_view text, std::size_t& at);

}  // namespace ptc
