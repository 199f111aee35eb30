// The tool calls of a run that wait for the host, and how many were made in this turn.
//
// Invariants: ids are counted from 1 and never used again. A request is listed from the moment its fiber parks until it
// is answered or given up. Its arguments are borrowed from the fiber's record of the call.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vm/exec/run.h"

namespace ptc {

class ToolRequests {
 public:
  // The heap counts what the requests take.
  explicit ToolRequests(Heap& heap) : heap_(heap) {}

  std::span<const ToolRequest> waiting() const { return waiting_; }
  bool none() const { return waiting_.empty(); }
  std::uint64_t next_id() { return next_id_++; }
  void add(ToolRequest request);
  std::optional<ToolRequest> take(std::uint64_t id);   // nullopt when none has that id
  void drop(std::uint64_t id);
  void drop_all();

  void begin_turn() { made_ = 0; }
  std::uint64_t made() const { return made_; }
  void count_call() { ++made_; }

  std::uint64_t first_unused_id() const { return next_id_; }
  // Restores what a snapshot says: the requests in any order, then the counters.
  void restore(ToolRequest request) { add(std::move(request)); }
  void restore_counters(std::uint64_t first_unused_id, std::uint64_t made);

 private:
  Heap& heap_;
  std::vector<ToolRequest> waiting_;       // in the order of their ids
  std::uint64_t next_id_ = 1;
  std::uint64_t made_ = 0;
};

}  // namespace ptc
