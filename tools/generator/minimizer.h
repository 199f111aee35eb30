// Makes a program that fails small: delta debugging over its forms.
//
// Forms are left out, alone and by halves of a list, replaced by one of their own parts, and replaced by small
// literals, until no such change keeps the failure. The text is read by its delimiters only, so programs that no reader
// takes can be made small, too.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/generator/form_tree.h"

namespace ptc::generator {

class Minimizer {
 public:
  // Returns whether the candidate still fails in the way that matters. 
  using Fails = std::function<bool(const std::string& candidate)>;

  // Asks `fails` about at most so many candidates. Must not be used after `fails` is gone.
  Minimizer(Fails fails, std::size_t most_candidates) : fails_(std::move(fails)), left_(most_candidates) {}

  // Returns the smallest program found. `program` itself fails, and is the answer when nothing smaller does.
  std::string minimize(std::string program);
  std::size_t candidates() const { return tried_; }

 private:
  using Change = std::function<bool(const std::vector<FormNode>& nodes, std::size_t node)>;

  bool change_all(const Change& change);
  bool remove_parts(const std::vector<FormNode>& nodes, std::size_t node);
  bool hoist_part(const std::vector<FormNode>& nodes, std::size_t node);
  bool drop_stray_brackets();
  bool simplify(const std::vector<FormNode>& nodes, std::size_t node);
  bool try_text(std::string candidate);

  Fails fails_;
  std::size_t left_, tried_ = 0;
  std::string program_;
};

}  // namespace ptc::generator
