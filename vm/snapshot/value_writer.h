// Writes values as a value stream (value_stream.h). One writer writes all values of one run.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "schema/builtin_id.h"
#include "vm/snapshot/object_walk.h"
#include "vm/snapshot/snapshot_pieces.h"
#include "vm/value/heap.h"

namespace ptc {

class MachineView;

// Bytes that only grow. Room for one item is made at once. What is full goes elsewhere when there is a place for it.
class ByteBuffer {
 public:
  explicit ByteBuffer(std::size_t room = 256)
      : bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(room)), room_(room) {}

  void make_room(std::size_t more) {
    if (size_ + more > room_) [[unlikely]] grow(more);
  }
  void put(unsigned byte) { bytes_[size_++] = static_cast<std::uint8_t>(byte); }    // there is room
  void put(const void* from, std::size_t count) {
    std::memcpy(bytes_.get() + size_, from, count);
    size_ += count;
  }
  // Makes room, and never for a long text that goes elsewhere.
  void put_text(std::string_view text) {
    if (size_ + text.size() > room_) [[unlikely]] return put_where_there_is_room(text);
    put(text.data(), text.size());
  }
  std::span<const std::uint8_t> view() const { return {bytes_.get(), size_}; }   // what did not go elsewhere

  // From now on, bytes go there when the buffer is full and at flush(). The place must outlive the buffer.
  void send_to(SnapshotSink& elsewhere) { elsewhere_ = &elsewhere; }
  void flush() {
    elsewhere_->append(view());
    size_ = 0;
  }
  void swap(ByteBuffer& other) {
    bytes_.swap(other.bytes_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

 private:
  void grow(std::size_t more);
  void put_where_there_is_room(std::string_view text);

  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0, room_ = 0;
  SnapshotSink* elsewhere_ = nullptr;
};

class ValueWriter {
 public:
  // The values of a run with so many bytes of heap do not stay in `bytes`, if there is a place for them.
  static constexpr std::uint64_t kLargeHeap = std::uint64_t{4} << 20;

  explicit ValueWriter(const MachineView& run);

  void put(Value borrowed);
  std::uint32_t builtin_index(BuiltinId id);

  ByteBuffer bytes;                             // the stream
  ByteBuffer shapes;   // comes before the stream: key arrays that constants share with older values
  struct Shape {
    const KeyArray* keys;
    std::uint32_t first_ordinal;
  };
  std::vector<Shape> foreign_shapes;            // the shapes; objects with a lower ordinal exist before each
  // The names of keywords, tools and vars, by index in the stream. Names that no program has come first, in the order
  // in which they were interned, used or not: they stay in memory as long as the run lives.
  std::vector<const Keyword*> names;
  std::size_t unlinked_names = 0;               // the number of the names that come first
  std::vector<BuiltinId> builtins;              // builtins by index in the stream
  // Takes the objects of the programs that values may share. Call it before any put().
  const boost::unordered_flat_map<const Object*, std::uint32_t>& ordinals() const { return ordinals_; }

  // walk_objects() calls this function.
  bool leaf(Value value);
  void done(const std::vector<WalkStep>& path);

 private:
  void name_unlinked_keywords();
  void number_linked_objects();
  void write_foreign_shapes(const std::vector<std::uint32_t>& first_of_link);
  bool is_foreign(const KeyArray* keys, std::uint32_t first, std::uint32_t end) const;
  bool scalar(Value value);
  bool known(const Object* object);
  void number(const Object* object);
  static constexpr std::size_t kMostBytes = 11;   // the bytes of an op and its number
  void op(unsigned op, std::uint64_t n) {
    if (silent_) return;
    bytes.make_room(kMostBytes);
    if (n < 15) [[likely]] {
      bytes.put(op << 4 | static_cast<unsigned>(n));
    } else {
      bytes.put(op << 4 | 15u);
      put_varint(n - 15);
    }
  }
  void put_varint(std::uint64_t n) {   // there is room
    for (; n >= 0x80; n >>= 7) bytes.put(static_cast<unsigned>(n & 0x7f) | 0x80u);
    bytes.put(static_cast<unsigned>(n));
  }
  void byte(unsigned b) {
    if (silent_) return;
    bytes.make_room(1);
    bytes.put(b);
  }
  void varint(std::uint64_t n);
  void zigzag(std::int64_t n);
  void word(std::uint64_t w);
  std::uint32_t name_index(const Keyword* keyword);

  void composite(const std::vector<WalkStep>& path);
  void flat_vector(const FlatVector* vector);
  void vector_node(const VectorNode* node);
  void hash_node(const std::vector<WalkStep>& path);
  void closure(const Closure* closure);

  const MachineView& run_;
  bool silent_ = false;                         // true while only numbering
  std::uint32_t ordinal_ = 0;
  boost::unordered_flat_map<const Object*, std::uint32_t> ordinals_;   // ordinals of objects that may be met again
  // The objects that were found last: records share key arrays and texts.
  static constexpr std::size_t kRecent = 8;
  struct Recent {
    const Object* object = nullptr;
    std::uint32_t ordinal = 0;
  };
  Recent recent_[kRecent];
  boost::unordered_flat_map<const Keyword*, std::uint32_t> name_indices_;
  std::vector<WalkStep> path_;
};

}  // namespace ptc
