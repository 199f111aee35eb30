// The calls of a turn that failed and are made again, with the time of their next attempts. A call that is not known
// here is made for the first time.
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "runtime/calls/tools.h"
#include "runtime/session/outbox.h"
#include "vm/exec/run.h"

namespace ptc {

class Retries {
 public:
  // Run and outbox must outlive the retries.
  Retries(Run& run, Outbox& outbox) : run_(run), outbox_(outbox) {}

  // Returns true when the call is made again after this reply, and notes when. The reply has the number of its attempt.
  bool take(const ToolRequest& request, const Tool& tool, const ToolReply& reply, std::uint64_t micros);
  void forget(std::uint64_t request_id) { waiting_.erase(request_id); }
  void clear() { waiting_.clear(); }

  bool empty() const { return waiting_.empty(); }
  bool contains(std::uint64_t request_id) const { return waiting_.contains(request_id); }
  bool is_pausing(std::uint64_t request_id) const;               // its next attempt is not due
  std::uint64_t next_attempt(std::uint64_t request_id) const;    // from 1
  std::optional<Deadline> next_due() const;                      // the earliest attempt; nullopt when there are none
  // Returns whether the run waits for calls, and each of them is made again.
  bool are_all_requests() const { return !waiting_.empty() && waiting_.size() == run_.tool_requests().size(); }

 private:
  struct Waiting {
    std::uint64_t attempts = 0;          // attempts that failed
    Deadline due;
  };

  Run& run_;
  Outbox& outbox_;
  std::map<std::uint64_t, Waiting> waiting_;   // by request
};

}  // namespace ptc
