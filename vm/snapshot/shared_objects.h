// Finds out which objects of a run are met more than once, and which belong to its programs. The JSON face must know
// both before it writes the first value. Objects with one owner are not looked up.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "vm/snapshot/object_walk.h"
#include "vm/snapshot/value_writer.h"

namespace ptc {

class MachineView;

struct Met {
  static constexpr std::uint32_t kNotLinked = UINT32_MAX;
  std::uint32_t ordinal = kNotLinked;   // the ordinal of an object of a program
  std::uint32_t times = 0;              // how often values hold the object
  std::uint32_t id = 0;                 // the id that the writer gave; 0 when there is none
  bool is_written = false;
  bool is_linked() const { return ordinal != kNotLinked; }
};

class SharedObjects {
 public:
  SharedObjects(const MachineView& run, const ValueWriter& linked);

  void meet(Value value) { walk_objects(value, path_, *this); }
  // Returns null when the object has one place.
  Met* find(const Object* object);
  bool is_shared(const Object* object);
  // Returns the object of a program for that text, or null.
  const Object* constant_text(std::string_view text) const;
  // Returns shared key arrays of names that values have and programs do not, in the order in which they were met.
  const std::vector<const KeyArray*>& key_arrays() const { return key_arrays_; }

  // walk_objects() calls this function.
  bool leaf(Value value);
  void done(const std::vector<WalkStep>&) {}

 private:
  boost::unordered_flat_map<const Object*, Met> met_;
  boost::unordered_flat_map<std::string_view, const Object*> texts_;
  std::vector<const KeyArray*> key_arrays_;
  std::vector<WalkStep> path_;
};

}  // namespace ptc
