// Reads a value stream (value_stream.h) into the heap of a run. The bytes may come from anywhere: every item is checked
// before it is made, vm/value/assemble.h checks what is made, and the length of the stream and the memory limit of the
// heap bound time and memory. The first problem ends the reading; `problem` describes it.
//
// Use names() and the scalar constants of the programs first, then read_shapes(), then the collections and functions of
// the programs, then number_linked_objects(), then read().
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "schema/builtin_id.h"
#include "vm/snapshot/object_walk.h"
#include "vm/value/assemble.h"
#include "vm/value/heap.h"

namespace ptc {

class MachineState;

class ValueReader {
 public:
  explicit ValueReader(MachineState& run);
  ~ValueReader();
  ValueReader(const ValueReader&) = delete;
  ValueReader& operator=(const ValueReader&) = delete;

  std::vector<const Keyword*> names;
  std::vector<BuiltinId> builtins;
  std::string problem;
  std::function<void(std::span<const std::uint8_t>)> has_read;   // told by read() what nobody reads again; may be unset
  Heap& heap() { return heap_; }

  [[nodiscard]] bool read_shapes(std::span<const std::uint8_t> bytes);   // the bytes must outlive the reader
  void number_linked_objects();

  // Take the shapes in another form: constants first, then shape by shape. Takes the keys, sorted. Returns "" or what
  // is wrong.
  void number_scalars();
  std::string add_shape(std::span<const Value> taken_keys);
  // Returns objects by ordinal, borrowed: the objects of the programs, then the objects that were read.
  std::span<Object* const> linked() const { return table_; }
  PartInfo info(const Object* object) const {
    const auto at = infos_.find(object);
    return at == infos_.end() ? PartInfo{} : at->second;
  }
  // Allows comparing keys of so many bytes. Comparing and hashing keys is charged before it is done, because keys may
  // be large and shared.
  void allow_comparing(std::size_t input_bytes) { compare_budget_ += input_bytes * 64; }
  bool charge_keys(std::span<const Value> keys, std::size_t stride);
  // Makes a closure and takes the values that it captures. Returns null and sets `why` when it cannot.
  Closure* make_closure(std::uint32_t program, std::uint32_t function, std::uint32_t serial,
                        std::span<const Value> taken, std::string& why);

  // Reads the roots, which the caller owns; there are none after a failure.
  [[nodiscard]] bool read(std::span<const std::uint8_t> bytes, std::vector<Value>& roots);

  // walk_objects() calls this function for the objects of the programs.
  bool leaf(Value value);
  void done(const std::vector<WalkStep>& path);

 private:
  bool fail(std::string_view why);
  bool run_stream(std::span<const std::uint8_t> bytes);
  static constexpr std::size_t kToldBytes = std::size_t{256} << 10;
  void tell_read();
  bool plain_item();                                            // returns false for another item, and reads nothing
  bool item();
  bool varint(std::uint64_t& n);
  bool zigzag(std::int64_t& n);
  bool small(std::uint32_t& n);
  bool word(std::uint64_t& w);

  bool constant(std::uint64_t n);
  bool string(std::uint64_t n);
  bool ref(std::uint64_t n);
  bool vector(std::uint64_t count, std::uint64_t start, std::uint64_t capacity);
  bool map(std::uint64_t n);
  bool keys(std::uint64_t n, bool interned);
  bool vector_leaf(std::uint64_t n);
  bool closure(std::uint64_t n);
  bool hash_node(std::uint64_t n);
  bool other(std::uint64_t n);
  bool big_int();
  bool range();
  bool vector_node();
  bool trie();
  bool set();
  bool hashed(Kind kind);
  bool regex();
  bool instant();
  bool duration();
  bool pending();

  // Returns the last n values of the stack, if they are all values that a program can hold.
  bool top_values(std::uint64_t n, std::span<const Value>& values);
  Object* top_hidden(std::size_t from_top, Kind kind) const;   // returns null when there is something else
  Part part(Object* object) const;
  void push(Value made);                                        // gives counted objects their numbers
  void replace_top(std::size_t popped, Value made);

  MachineState& run_;
  Heap& heap_;
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0, told_ = 0;                               // bytes before `told_` were told as read
  bool tells_ = false;
  std::vector<Value> stack_;                                    // owned
  std::vector<Value> shapes_;                                   // owned
  std::vector<Object*> table_;                                  // objects by ordinal, borrowed
  boost::unordered_flat_map<const Object*, PartInfo> infos_;    // infos of nodes and leaves
  std::uint64_t compare_budget_ = 1u << 20;   // the objects and bytes that comparing keys may still visit
  // Used while the linked objects are numbered:
  boost::unordered_flat_map<const Object*, bool> met_;
  std::vector<WalkStep> path_;
};

}  // namespace ptc
