// Reads EDN and JSON text as values in the heap of a run.
//
// Functions in the text are compiled and made by the run itself: their program is one fn form, which runs to its end
// without calling anything, with the captured values as its context. So text with functions is read between turns.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/engine/engine.h"
#include "vm/exec/run.h"

namespace ptc {

// Returns the text of a keyword or a string, or nullopt for other values.
std::optional<std::string> edn_name(Value key);

class EdnValues {
 public:
  // Both must outlive the object.
  EdnValues(const Engine& engine, Run& run) : engine_(engine), run_(run) {}

  // Returns the value, which the caller owns, or nullopt and a message. Functions in the text may mention `names`
  // besides the definitions of the run. A value that does not fit into the memory of the run is nil and has_refused().
  std::optional<Value> read(std::string_view edn, std::span<const std::string_view> names, std::string& message) {
    return read_with(edn, names, false, message);
  }
  // Does the same for data of a host, which has no more regular expressions than a program.
  std::optional<Value> read_data(std::string_view edn, std::string& message) {
    return read_with(edn, {}, true, message);
  }
  // Does the same for JSON text.
  std::optional<Value> read_json(std::string_view json, std::string& message);
  // Does the same as read_data() for text that must be a map; nil counts as the empty map. `what` names the text in the
  // message.
  std::optional<Value> read_map(std::string_view edn, std::string_view what, std::string& message);
  // Says that an input did not fit into the memory of the run: each turn ends with memory_exceeded when it begins.
  void refuse() { has_refused_ = true; }
  bool has_refused() const { return has_refused_; }

 private:
  std::optional<Value> read_with(std::string_view edn, std::span<const std::string_view> names, bool bounds_regexes,
                                 std::string& message);
  Value make_function(std::string_view source, Value borrowed_captured, std::span<const std::string_view> names);

  const Engine& engine_;
  Run& run_;
  bool has_refused_ = false;
};

}  // namespace ptc
