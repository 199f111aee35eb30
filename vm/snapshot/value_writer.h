// Writes values as a value stream (value_stream.h). One writer writes all values of one run.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "schema/builtin_id.h"
#include "vm/snapshot/object_walk.h"
#include "vm/value/heap.h"

namespace ptc {

class RunImpl;
struct Prototype;

class ValueWriter {
 public:
  explicit ValueWriter(const RunImpl& run);

  void put(Value borrowed);
  std::uint32_t builtin_index(BuiltinId id);

  std::vector<std::uint8_t> bytes;              // the stream
  std::vector<std::uint8_t> shapes;             // before it: key arrays that constants share with older values
  struct Shape {
    const KeyArray* keys;
    std::uint32_t first_ordinal;
  };
  std::vector<Shape> foreign_shapes;            // the same; objects with a lower ordinal are there before it
  // Of keywords, tools and vars, by index in the stream. First come all names that no program brings with it, in the
  // order of their interning, used or not: they stay in memory as long as the run lives.
  std::vector<const Keyword*> names;
  std::size_t unlinked_names = 0;               // that come first
  std::vector<BuiltinId> builtins;              // by index in the stream
  // Before anything is put: the objects of the programs that values may share.
  const boost::unordered_flat_map<const Object*, std::uint32_t>& ordinals() const { return ordinals_; }

  // For walk_objects().
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
  void op(unsigned op, std::uint64_t n);
  void byte(unsigned b) {
    if (!silent_) bytes.push_back(static_cast<std::uint8_t>(b));
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

  const RunImpl& run_;
  bool silent_ = false;                         // numbers only
  std::uint32_t ordinal_ = 0;
  boost::unordered_flat_map<const Object*, std::uint32_t> ordinals_;   // of what may be met again
  boost::unordered_flat_map<const Keyword*, std::uint32_t> name_indices_;
  std::vector<WalkStep> path_;
};

}  // namespace ptc
