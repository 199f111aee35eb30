// The definitions of a session: the names and values of its user namespace, as EDN text in and out. The run owns them,
// and they carry over from turn to turn.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/session/edn_values.h"
#include "vm/exec/run.h"

namespace ptc {

class Definitions {
 public:
  // Both must outlive the object.
  Definitions(Run& run, EdnValues& edn) : run_(run), edn_(edn) {}

  // Loads a map from names to values, before the first turn. Returns a message when it refuses the text.
  std::optional<std::string> load(std::string_view edn);
  std::string edn() const;                            // returns {:name value}
  std::vector<std::string_view> names() const;        // in order; valid until the run is stepped
  bool can_be_written() const;                        // false: the text of all of them is too long

 private:
  Run& run_;
  EdnValues& edn_;
};

}  // namespace ptc
