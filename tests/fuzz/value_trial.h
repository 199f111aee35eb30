// A heap and what builtins need besides it, for targets that work on data. When it goes, nothing may be left.
#pragma once
#include <initializer_list>
#include <string>

#include "fuzz/fuzz_target.h"
#include "vm/builtins/call.h"

namespace ptc::fuzz {

class ValueTrial {
 public:
  ValueTrial();
  ~ValueTrial();
  ValueTrial(const ValueTrial&) = delete;
  ValueTrial& operator=(const ValueTrial&) = delete;

  // Takes the arguments. An owned value, or Absent: the builtin failed, with a message, in the size that it may have.
  Value call(BuiltinId id, std::initializer_list<Value> taken) { return call(id, std::vector<Value>(taken)); }
  Value call(BuiltinId id, std::vector<Value> taken);
  // The same when only its promises matter.
  void try_call(BuiltinId id, std::initializer_list<Value> taken) { heap.release(call(id, taken)); }
  Value text(std::string_view utf8);

  Heap heap;
  Environment env{heap};
};

}  // namespace ptc::fuzz
