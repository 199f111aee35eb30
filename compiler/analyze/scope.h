// The names that are visible at one point of the program: lexical locals, and names of the user namespace.
//
// Locals nest: bind() shadows, restore() goes back to a mark. A name of the user namespace becomes visible to
// the forms that run after its definition; a name that is defined in a branch, or in the body of a function, is
// visible only there and is remembered as one that may be defined (forget_defined()).
// Hazard: names are views into forms, which have to live longer.
#pragma once
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/analyze/ast.h"

namespace ptc {

class Scope {
 public:
  std::size_t mark() const { return bound_.size(); }
  void bind(std::string_view name, LocalId local) {
    locals_[name].push_back(local);
    bound_.push_back(name);
  }
  void restore(std::size_t mark);
  // Returns the innermost local of that name, or kNoLocal.
  LocalId find_local(std::string_view name) const;

  void define_always(std::string_view name) { always_defined_.insert(name); }
  void define(std::string_view name);
  std::size_t defined_mark() const { return defined_.size(); }
  void forget_defined(std::size_t mark);
  bool is_defined(std::string_view name) const {
    return defined_counts_.contains(name) || always_defined_.contains(name);
  }
  // Returns whether some definition of the name came earlier in the text, certain or not.
  bool may_be_defined(std::string_view name) const { return mentioned_.contains(name); }

  const std::vector<std::string_view>& bound_names() const { return bound_; }
  const std::unordered_set<std::string_view>& program_names() const { return mentioned_; }

 private:
  std::unordered_map<std::string_view, std::vector<LocalId>> locals_;
  std::vector<std::string_view> bound_;
  std::unordered_set<std::string_view> always_defined_;     // memory
  std::unordered_map<std::string_view, std::size_t> defined_counts_;
  std::vector<std::string_view> defined_;
  std::unordered_set<std::string_view> mentioned_;
};

}  // namespace ptc
