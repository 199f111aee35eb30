// The calls that a session hands to its host instead of calling handlers: their arguments fit the signatures, hooks
// have judged them, and the limits have room for all of them at once. The run goes on when all of them are answered.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/calls/tools.h"
#include "runtime/session/outbox.h"
#include "vm/exec/run.h"

namespace ptc {

// A call that was handed out and is not answered. Valid until the session is stepped or a call is answered.
struct HandedCall {
  std::uint64_t id = 0;          // the number of the request
  const Tool* tool = nullptr;
  Value args;                    // borrowed
  CallMeta meta;
  SourceSpan span;
};

class HandedCalls {
 public:
  explicit HandedCalls(Run& run) : run_(run) {}   // the run must outlive the calls

  void hand_out_all() { is_on_ = true; }          // from now on; before the first step
  bool is_on() const { return is_on_; }

  // Hands the call out. A call for which the limits have no room waits until the calls before it are answered, or fails
  // when there are none.
  void hand_out(const ToolRequest& request, const Tool& tool, Value borrowed_args, std::string cache_key);
  bool contains(std::uint64_t request_id) const { return handed_.contains(request_id); }
  std::optional<HandedCall> find(std::uint64_t request_id) const;   // nullopt when no such call was handed out
  std::vector<HandedCall> all() const;                              // in the order of calling
  // Takes an answered call: returns the key under which its answer is cached, or nullopt when it was not handed out.
  std::optional<std::string> take(std::uint64_t request_id);
  void clear() { handed_.clear(); }

 private:
  struct Handed {
    const Tool* tool = nullptr;
    KeptValue args;
    std::string cache_key;
  };
  std::optional<HandedCall> call_of(std::uint64_t request_id, const Handed& handed) const;

  Run& run_;
  std::map<std::uint64_t, Handed> handed_;      // by request
  bool is_on_ = false;
};

}  // namespace ptc
