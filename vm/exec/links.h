// The programs of a run, each with its constants as values and its names as cells.
//
// Invariants: a program is linked once; links never go and never move, because closures point at them. Preludes are
// asked in the order in which they were linked. The engine's own prelude is linked when the run needs it first.
#pragma once
#include <memory>
#include <vector>

#include "schema/builtin_id.h"
#include "vm/exec/link.h"
#include "vm/exec/namespace.h"
#include "vm/exec/run_core.h"
#include "vm/exec/stable_list.h"

namespace ptc {

class Links {
 public:
  Links(RunCore& core, Namespace& names) : core_(core), names_(names) {}

  const StableList<Link>& all() const { return links_; }
  Link& at(std::size_t index) { return links_[index]; }
  Link& link(std::shared_ptr<const Program> program);
  // Returns the linked program with the same bytes, or the given program when there is none.
  std::shared_ptr<const Program> known(std::shared_ptr<const Program> program) const;
  // The two halves of link(): a restored run puts the key arrays that its constants share between them.
  Link& begin(std::shared_ptr<const Program> program, bool is_prelude = false);   // no collections yet
  void finish(Link& link);                            // collections, tools, names

  // Closures over nothing, made on first use and kept by the link.
  const Closure* function(Link& link, std::uint32_t index);
  Closure* entry(Link& link);
  const Closure* prelude_function(BuiltinId id);      // null: no prelude has it

  void release_values();                              // before the run ends

 private:
  Value constant_value(const Link& link, std::size_t index);
  void name_prelude(Link& link);

  Heap& heap() const { return core_.heap(); }

  RunCore& core_;
  Namespace& names_;
  StableList<Link> links_;
  std::vector<Link*> preludes_;                       // oldest first
};

}  // namespace ptc
