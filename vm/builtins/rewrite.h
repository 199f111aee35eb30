// Rewrites a tree of vectors, maps and sets: new keys and leaves in the same shape. The walk is iterative, so nesting
// costs no C++ stack. The work is bounded by what a copy without sharing could hold within the memory limit.
#pragma once
#include <string>
#include <vector>

#include "vm/builtins/call.h"
#include "vm/value/scratch.h"

namespace ptc {

class TreeRewriter {
 public:
  explicit TreeRewriter(Call& call) : call_(call) {}
  virtual ~TreeRewriter();
  TreeRewriter(const TreeRewriter&) = delete;
  TreeRewriter& operator=(const TreeRewriter&) = delete;

  // Returns the rewritten tree, which the caller owns, or Absent after parking a fault.
  Value rewrite(Value borrowed_root);

 protected:
  // Both functions borrow and return an owned value, or Absent after parking a fault.
  virtual Value rewrite_key(Value key) = 0;
  virtual Value rewrite_leaf(Value leaf) = 0;
  virtual Value finish_set(std::vector<Value>& taken_items);
  // Is called before a map is made of keys in the order of the old ones. Returns false after parking a fault.
  virtual bool accept_keys(const std::vector<Value>& keys);

  // Returns the place of the value that is being rewritten, as ":a [0] :b".
  std::string path() const;

  Call& call_;

 private:
  struct Level {
    HeldBytes held;               // what the lists take
    Value source;                 // borrowed: kept alive by the root
    std::vector<Value> children;  // borrowed: elements, or values of a map
    std::vector<Value> old_keys;  // borrowed; maps only
    std::vector<Value> keys;      // owned; maps only
    std::vector<Value> done;      // owned
  };
  bool open(Value source);
  Value close();  // returns an owned value, or Absent
  void drop_levels();

  std::vector<Level> levels_;
  std::uint64_t visited_ = 0;
};

}  // namespace ptc
