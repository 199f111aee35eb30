// Rewrites a tree of vectors, maps and sets: new keys, new leaves, same shape. Iterative, so nesting costs no
// C++ stack; the work is bounded by what a copy without sharing could hold within the memory limit.
#pragma once
#include <string>
#include <vector>

#include "vm/builtins/call.h"

namespace ptc {

class TreeRewriter {
 public:
  explicit TreeRewriter(Call& call) : call_(call) {}
  virtual ~TreeRewriter();
  TreeRewriter(const TreeRewriter&) = delete;
  TreeRewriter& operator=(const TreeRewriter&) = delete;

  // The rewritten tree, owned, or Absent after a fault was parked.
  Value rewrite(Value borrowed_root);

 protected:
  // Both borrow and return an owned value, or Absent after parking a fault.
  virtual Value rewrite_key(Value key) = 0;
  virtual Value rewrite_leaf(Value leaf) = 0;
  virtual Value finish_set(std::vector<Value>& taken_items);
  // Called before a map is made of keys in the order of the old ones. False: a fault was parked.
  virtual bool accept_keys(const std::vector<Value>& keys);

  // Where the value that is being rewritten stands, as ":a [0] :b".
  std::string path() const;

  Call& call_;

 private:
  struct Level {
    Value source;                 // borrowed: kept alive by the root
    std::vector<Value> children;  // borrowed: elements, or values of a map
    std::vector<Value> old_keys;  // borrowed; maps only
    std::vector<Value> keys;      // owned; maps only
    std::vector<Value> done;      // owned
  };
  bool open(Value source);
  Value close();  // owned, or Absent
  void drop_levels();

  std::vector<Level> levels_;
  std::uint64_t visited_ = 0;
};

}  // namespace ptc
