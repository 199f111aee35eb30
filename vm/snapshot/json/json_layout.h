// The `layout` section of the JSON face says what plain JSON cannot say about the objects behind a value (their other
// holders, spare room). Its tree has the shape of the document, with only the branches that lead to a fact. Facts are
// members whose names begin with $:
//
//   $id     refs name this object by that number; it is declared here
//   $same   text and other small values: this is that object, written out again
//   $const  this is that object of a program (ordinals of vm/snapshot/value_stream.h)
//   $new    text that a program has, too; this is another object
//   $room   [start, capacity] of a short vector
//   $keys   facts of a map's or set's array of keys, or of the keys of a large map by their text
//   $private  (in $keys) names only, and yet not shared by content
//
// A member of the document whose name begins with $ has one more $ here.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vm/snapshot/json/json_text.h"

namespace ptc {

class LayoutWriter {
 public:
  void enter(std::string_view name) { path_.push_back({name, 0, false, true}); }   // the name must live until leave()
  void enter_facts(std::string_view name) { path_.push_back({name, 0, false, true, true}); }
  void enter(std::uint32_t index) { path_.push_back({{}, index, false, true}); }
  void leave() {
    if (path_.back().is_open) out_ += '}';
    path_.pop_back();
  }
  void fact(std::string_view name, std::string_view literal) {
    open_path();
    member(path_.back(), name);
    out_ += literal;
  }
  void fact(std::string_view name, std::uint64_t number) { fact(name, std::to_string(number)); }
  std::string finish() { return root_.is_empty ? std::string() : '{' + out_ + '}'; }

 private:
  struct Step {
    std::string_view name;   // null data means an index
    std::uint32_t index;
    bool is_open, is_empty;
    bool is_fact = false;
  };
  void member(Step& around, std::string_view name) {
    if (!around.is_empty) out_ += ", ";
    around.is_empty = false;
    append_json_text(out_, name);
    out_ += ": ";
  }
  void open_path() {
    std::size_t first = path_.size();
    while (first > 0 && !path_[first - 1].is_open) --first;
    for (; first < path_.size(); ++first) {
      Step& step = path_[first];
      Step& around = first == 0 ? root_ : path_[first - 1];
      if (step.name.data() == nullptr) {
        member(around, std::to_string(step.index));
      } else if (step.name.starts_with('$') && !step.is_fact) {
        member(around, '$' + std::string(step.name));
      } else {
        member(around, step.name);
      }
      out_ += '{';
      step.is_open = true;
    }
  }

  Step root_{{}, 0, true, true};
  std::vector<Step> path_;
  std::string out_;
};

}  // namespace ptc
